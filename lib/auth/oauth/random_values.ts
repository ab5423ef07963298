/** One-time values of an authorization (RFC 6749 §10.12, RFC 7636). */

/** What ties a callback and a token to the request that this process made. */
export interface OneTimeValues {
  /** 43 characters. */
  state: string;
  /** 86 characters. */
  verifier: string;
  /** SHA-256 of the verifier. */
  challenge: string;
  nonce: string;
}

/** Fresh values. */
export async function oneTimeValues(): Promise<OneTimeValues> {
  const verifier = randomText(64);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return {
    state: randomText(32),
    verifier,
    challenge: base64Url(new Uint8Array(digest)),
    nonce: randomText(16),
  };
}

/** Compares without stopping at the first difference. */
export function sameText(left: string, right: string): boolean {
  const [a, b] = [new TextEncoder().encode(left), new TextEncoder().encode(right)];
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) {
    difference |= (a[index] ?? 0) ^ (b[index % Math.max(b.length, 1)] ?? 0);
  }
  return difference === 0;
}

/** Unpadded base64url. */
export function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function randomText(length: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(length)));
}
