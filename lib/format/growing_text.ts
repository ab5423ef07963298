/** Text that is put together from very many parts, in time linear in its length. */

/** Characters after which the tail is set aside. */
const PIECE_LENGTH = 8_192;

const NOTHING = new Uint8Array(0);

/**
 * A text under construction: append to `tail`, and call {@link settle} now and then, between
 * characters that need no other to be whole.
 *
 * V8 keeps a concatenation as a tree of its parts until somebody reads it, and every collection
 * copies what is young. What has settled is therefore kept as bytes, outside of the collected heap.
 */
export interface GrowingText {
  tail: string;
  settled: Uint8Array;
  /** Bytes of `settled` in use. */
  length: number;
}

/** A text that starts with `start`. */
export function growingText(start = ""): GrowingText {
  return { tail: start, settled: NOTHING, length: 0 };
}

/** Sets the tail aside when it is long. */
export function settle(text: GrowingText): void {
  if (text.tail.length >= PIECE_LENGTH) setAside(text);
}

function setAside(text: GrowingText): void {
  // A code unit takes at most three bytes.
  const needed = text.length + 3 * text.tail.length;
  if (needed > text.settled.length) {
    const grown = new Uint8Array(Math.max(needed, 2 * text.settled.length));
    grown.set(text.settled.subarray(0, text.length));
    text.settled = grown;
  }
  text.length +=
    new TextEncoder().encodeInto(text.tail, text.settled.subarray(text.length)).written;
  text.tail = "";
}

/** The whole text. Half of a surrogate pair, which no encoding has, has become U+FFFD. */
export function wholeText(text: GrowingText): string {
  if (text.length === 0) return text.tail;
  return new TextDecoder("utf-8", { ignoreBOM: true })
    .decode(text.settled.subarray(0, text.length)) + text.tail;
}

/** The UTF-8 bytes of {@link wholeText}, without a string of that size in between. */
export function wholeBytes(text: GrowingText): Uint8Array {
  setAside(text);
  // Room that was never used would stay with the bytes for as long as they live.
  return text.length * 2 > text.settled.length
    ? text.settled.subarray(0, text.length)
    : text.settled.slice(0, text.length);
}
