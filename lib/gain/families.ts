/** Which operation families each session has used, a bit each. */

/** Sets of small numbers, one set a session. */
export interface FamilySets {
  add(session: number, family: number): void;
  has(session: number, family: number): boolean;
}

/** Empty sets. */
export function createFamilySets(): FamilySets {
  /** Words of 32 families for each session. */
  let width = 1;
  let words = new Uint32Array(64);
  const widen = (wanted: number) => {
    const wider = 2 ** Math.ceil(Math.log2(wanted));
    const next = new Uint32Array(words.length / width * wider);
    for (let from = 0, to = 0; from < words.length; from += width, to += wider) {
      next.set(words.subarray(from, from + width), to);
    }
    [width, words] = [wider, next];
  };
  return {
    add(session, family) {
      const word = family >>> 5;
      if (word >= width) widen(word + 1);
      const at = session * width + word;
      if (at >= words.length) {
        const longer = new Uint32Array(Math.max(2 * words.length, (session + 1) * width));
        longer.set(words);
        words = longer;
      }
      words[at] = (words[at] ?? 0) | (1 << (family & 31));
    },
    has(session, family) {
      const word = family >>> 5;
      return word < width && ((words[session * width + word] ?? 0) >>> (family & 31) & 1) === 1;
    },
  };
}
