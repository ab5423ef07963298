/** Hashes that tie a script to its confirmation and its audit row. */

/** SHA-256 of UTF-8 text, as lower-case hex. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
