/** Names that repeat on nearly every line, as small numbers. */

/** Numbers names in the order in which they are first met. */
export interface NameTable {
  /** The number of the name that these bytes spell. */
  idOf(bytes: Uint8Array, place: { start: number; end: number }): number;
  idOfText(name: string): number;
  nameOf(id: number): string;
  size(): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An empty table. Known bytes are found again without making a string of them. */
export function createNameTable(): NameTable {
  const names: { bytes: Uint8Array; text: string; next: number }[] = [];
  /** First name of a hash; the others of that hash follow by their `next`. */
  const first = new Map<number, number>();
  const place = { start: 0, end: 0 };

  const idOf: NameTable["idOf"] = (bytes, { start, end }) => {
    let hash = 0x811c9dc5 | 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const head = first.get(hash) ?? -1;
    for (let id = head; id >= 0;) {
      const known = names[id];
      if (known === undefined) break;
      if (known.bytes.length === end - start && standsAt(start, bytes, known.bytes)) return id;
      id = known.next;
    }
    const own = bytes.slice(start, end);
    const id = names.push({ bytes: own, text: decoder.decode(own), next: head }) - 1;
    first.set(hash, id);
    return id;
  };
  return {
    idOf,
    idOfText(name) {
      const bytes = encoder.encode(name);
      place.end = bytes.length;
      return idOf(bytes, place);
    },
    nameOf: (id) => names[id]?.text ?? "",
    size: () => names.length,
  };
}

// Called for every line: an options object would be made and thrown away a million times.
function standsAt(start: number, bytes: Uint8Array, known: Uint8Array): boolean {
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}
