/**
 * Byte-pair merging of one long piece, in time that grows hardly faster than its length. The
 * tokenizer looks through the whole piece for every merge, which is quicker for words and hopeless
 * for a page without a space.
 */

/** Tokens by rank: their text, or their bytes where those are no text. */
export type TokenTable = readonly (string | readonly number[])[];

/** Above any position in a piece. */
const POSITIONS = 2 ** 16;
const REMEMBERED = 16;
/** Rank of what is no token. */
const NONE = Infinity;

/** A function that counts the tokens of one piece. The table is read by the first call. */
export function createMerger(table: TokenTable): (piece: string) => number {
  let ranks: Map<string, number> | undefined;
  // Long pieces that repeat repeat at once: padding, a line of signs, one letter for pages.
  const counted = new Map<string, number>();
  return (piece) => {
    const known = counted.get(piece);
    if (known !== undefined) return known;
    const count = mergedCount(byteString(encoder.encode(piece)), ranks ??= ranksOf(table));
    if (counted.size >= REMEMBERED) counted.clear();
    counted.set(piece, count);
    return count;
  };
}

const encoder = new TextEncoder();

function ranksOf(table: TokenTable): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const [rank, token] of table.entries()) {
    const bytes = typeof token === "string" ? encoder.encode(token) : token;
    ranks.set(byteString(bytes), rank);
  }
  return ranks;
}

/** A character for each byte: such strings are cut and looked up faster than arrays. */
function byteString(bytes: Iterable<number>): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Merges the pair of the lowest rank, of equals the first one, until no pair is a token. */
function mergedCount(bytes: string, ranks: ReadonlyMap<string, number>): number {
  const size = bytes.length;
  const next = Int32Array.from({ length: size + 1 }, (_, at) => at + 1);
  const previous = Int32Array.from({ length: size + 1 }, (_, at) => at - 1);
  /** Rank of the pair that begins at a position. */
  const rankAt = new Float64Array(size).fill(NONE);
  const waiting = createHeap();
  const look = (at: number) => {
    const second = next[at] ?? size;
    const rank = second < size ? ranks.get(bytes.slice(at, next[second])) ?? NONE : NONE;
    rankAt[at] = rank;
    // Rank and position in one number: the lowest is what is merged first.
    if (rank !== NONE) waiting.push(rank * POSITIONS + at);
  };
  for (let at = 0; at < size; at++) look(at);
  let count = size;
  for (let lowest = waiting.pop(); lowest !== undefined; lowest = waiting.pop()) {
    const at = lowest % POSITIONS;
    // The pair that this was said of may have become another one.
    if (rankAt[at] !== (lowest - at) / POSITIONS) continue;
    const second = next[at] ?? size;
    const third = next[second] ?? size;
    next[at] = third;
    previous[third] = at;
    rankAt[second] = NONE;
    count--;
    look(at);
    const before = previous[at] ?? -1;
    if (before >= 0) look(before);
  }
  return count;
}

/** Numbers, the lowest out first. */
function createHeap(): { push(value: number): void; pop(): number | undefined } {
  const values: number[] = [];
  const at = (index: number) => values[index] ?? Infinity;
  return {
    push(value) {
      let place = values.push(value) - 1;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= value) break;
        values[place] = at(parent);
        place = parent;
      }
      values[place] = value;
    },
    pop() {
      const lowest = values[0];
      const last = values.pop();
      if (last === undefined || values.length === 0) return lowest;
      let place = 0;
      for (;;) {
        const left = 2 * place + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= last) break;
        values[place] = at(child);
        place = child;
      }
      values[place] = last;
      return lowest;
    },
  };
}
