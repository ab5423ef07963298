/**
 * SHA-256 and its keyed form: the one place that hashes. Short texts are hashed on the spot, long
 * ones by the platform.
 *
 * ```ts ignore
 * await sha256Hex("abc"); // "ba7816bf…15ad"
 * hmacSha256(key, new TextEncoder().encode("abc")).toHex();
 * ```
 *
 * @module
 */

import { hmacSha256, sha256 } from "./sha256.ts";

export { hmacSha256 };

/**
 * Longest content that is hashed on the spot; what a call needs hashed is hardly ever longer. A
 * process that just began hashes a hundred times slower than it will: a page takes it milliseconds.
 */
const SHORT_BYTES = 1_024;

/** Lowercase hex SHA-256 of bytes, or of a text's UTF-8 bytes. */
export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  const bytes = bytesOf(content);
  if (bytes.length <= SHORT_BYTES) return sha256(bytes).toHex();
  // A view on shared memory never gets here; the type cannot say so.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as BufferSource)).toHex();
}

/** As {@link sha256Hex}, for short content where the caller cannot wait. */
export function sha256HexSync(content: string | Uint8Array): string {
  return sha256(bytesOf(content)).toHex();
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
