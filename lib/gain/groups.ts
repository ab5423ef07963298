/** Sums of very many groups, without an object for each. */

/** What a row adds to its group. */
export interface Addend {
  rawTokens: number;
  shapedTokens: number;
}

/** Groups under keys of two 32-bit numbers, numbered as they are first met. */
export interface GroupTable {
  /** Adds to the group of the key and returns its number. */
  add(row: Addend, place: { first: number; second: number; position: number }): number;
  has(first: number, second: number): boolean;
  size(): number;
  first(id: number): number;
  second(id: number): number;
  calls(id: number): number;
  baseline(id: number): number;
  actual(id: number): number;
  /** Numbers of the groups, that with the highest last position first. */
  byPositionDescending(): Iterable<number>;
}

/** Groups of one block are columns side by side; a full block is never copied or moved. */
const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;
const WITHIN = BLOCK - 1;

interface Block {
  firsts: Int32Array;
  seconds: Int32Array;
  calls: Uint32Array;
  positions: Uint32Array;
  baselines: Float64Array;
  actuals: Float64Array;
}

const newBlock = (): Block => ({
  firsts: new Int32Array(BLOCK),
  seconds: new Int32Array(BLOCK),
  calls: new Uint32Array(BLOCK),
  positions: new Uint32Array(BLOCK),
  baselines: new Float64Array(BLOCK),
  actuals: new Float64Array(BLOCK),
});

/** An empty table. Columns of numbers take some forty bytes a group, a tenth of what objects take. */
export function createGroupTable(): GroupTable {
  const blocks: Block[] = [];
  const spare = newBlock();
  /** Open addressing: the group's number plus one, 0 = free. At most half of it is taken. */
  let places = new Int32Array(256);
  let size = 0;

  const blockOf = (id: number): Block => blocks[id >>> BLOCK_BITS] ?? spare;
  /** Where the key is, or would go. */
  const placeOf = (first: number, second: number): number => {
    const mask = places.length - 1;
    for (let at = hashOf(first, second) & mask;; at = (at + 1) & mask) {
      const id = (places[at] ?? 0) - 1;
      if (id < 0) return at;
      const block = blockOf(id);
      if (block.firsts[id & WITHIN] === first && block.seconds[id & WITHIN] === second) return at;
    }
  };
  const makeRoom = () => {
    places = new Int32Array(2 * places.length);
    for (let id = 0; id < size; id++) {
      const { firsts, seconds } = blockOf(id);
      places[placeOf(firsts[id & WITHIN] ?? 0, seconds[id & WITHIN] ?? 0)] = id + 1;
    }
  };
  const begin = (first: number, second: number): number => {
    if (2 * size >= places.length) makeRoom();
    if ((size & WITHIN) === 0) blocks.push(newBlock());
    const id = size++;
    places[placeOf(first, second)] = size;
    const block = blockOf(id);
    block.firsts[id & WITHIN] = first;
    block.seconds[id & WITHIN] = second;
    return id;
  };
  return {
    add(row, { first, second, position }) {
      const found = (places[placeOf(first, second)] ?? 0) - 1;
      const id = found < 0 ? begin(first, second) : found;
      const block = blockOf(id);
      const at = id & WITHIN;
      block.calls[at] = (block.calls[at] ?? 0) + 1;
      block.baselines[at] = (block.baselines[at] ?? 0) + row.rawTokens;
      block.actuals[at] = (block.actuals[at] ?? 0) + row.shapedTokens;
      block.positions[at] = position;
      return id;
    },
    has: (first, second) => places[placeOf(first, second)] !== 0,
    size: () => size,
    first: (id) => blockOf(id).firsts[id & WITHIN] ?? 0,
    second: (id) => blockOf(id).seconds[id & WITHIN] ?? 0,
    calls: (id) => blockOf(id).calls[id & WITHIN] ?? 0,
    baseline: (id) => blockOf(id).baselines[id & WITHIN] ?? 0,
    actual: (id) => blockOf(id).actuals[id & WITHIN] ?? 0,
    *byPositionDescending() {
      // Position and number share one exact number, so that a plain numeric sort does.
      const count = Math.max(1, size);
      const keys = new Float64Array(size);
      for (let id = 0; id < size; id++) {
        keys[id] = (blockOf(id).positions[id & WITHIN] ?? 0) * count + id;
      }
      keys.sort();
      for (let at = size - 1; at >= 0; at--) yield (keys[at] ?? 0) % count;
    },
  };
}

function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
