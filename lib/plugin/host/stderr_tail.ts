/** The last words of a plugin on stderr, for the log (spec 06 §3.16). */

/** Keeps the last bytes of a stream. */
export interface StderrTail {
  take(piece: Uint8Array): void;
  /** What was kept, as text. */
  text(): string;
}

/** A tail of at most `limit` bytes. */
export function createStderrTail(limit: number): StderrTail {
  const ring = new Uint8Array(limit);
  let total = 0;
  return {
    take(piece) {
      const last = piece.length > limit ? piece.subarray(piece.length - limit) : piece;
      const at = (total + piece.length - last.length) % limit;
      const first = last.subarray(0, limit - at);
      ring.set(first, at);
      ring.set(last.subarray(first.length), 0);
      total += piece.length;
    },
    text() {
      const at = total % limit;
      const bytes = total <= limit
        ? ring.subarray(0, total)
        : new Uint8Array([...ring.subarray(at), ...ring.subarray(0, at)]);
      return new TextDecoder().decode(bytes);
    },
  };
}
