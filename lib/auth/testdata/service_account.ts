/** A service-account key that signs, made for one test run. */

/** The key file's text. */
export async function serviceAccountKey(
  changes: Record<string, unknown> = {},
): Promise<string> {
  const pair = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const lines = bytes.toBase64().match(/.{1,64}/g)?.join("\n") ?? "";
  return JSON.stringify({
    type: "service_account",
    project_id: "p",
    private_key_id: "kid-1",
    private_key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    client_email: "robot@p.iam.example.com",
    token_uri: "https://oauth2.googleapis.com/token",
    ...changes,
  });
}
