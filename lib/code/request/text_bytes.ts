/** Texts measured in UTF-8 bytes. */

const encoder = new TextEncoder();

/** UTF-8 bytes of a text. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** The longest beginning of `text` that is at most `bytes` bytes and ends between characters. */
export function cutToBytes(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  const room = new Uint8Array(bytes);
  const { read } = encoder.encodeInto(text, room);
  return text.slice(0, read);
}
