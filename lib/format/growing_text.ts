/** Text that is put together from very many parts, in time linear in its length. */

/** Characters after which a growing text is set aside. */
const PIECE_LENGTH = 16_384;

/**
 * A text under construction: append to `tail`, and call {@link settle} now and then.
 *
 * V8 keeps a concatenation as a tree of its parts until somebody reads it. The tree of a whole
 * document outlives many collections, each of which copies it, so time grows faster than the text.
 */
export interface GrowingText {
  tail: string;
  pieces: string[];
}

/** An empty text. */
export function growingText(start = ""): GrowingText {
  return { tail: start, pieces: [] };
}

/** Sets the tail aside when it is long; reading one character of it makes V8 flatten it. */
export function settle(text: GrowingText): void {
  if (text.tail.length < PIECE_LENGTH) return;
  text.tail.charCodeAt(text.tail.length >> 1);
  text.pieces.push(text.tail);
  text.tail = "";
}

/** The whole text. */
export function wholeText(text: GrowingText): string {
  if (text.pieces.length === 0) return text.tail;
  return text.pieces.join("") + text.tail;
}
