/** Names every script starts with. The library of `guest/` defines exactly these. */

/** Functions that reach the host, and the two constants that tell what this run may do. */
const HOST_NAMES = [
  "gum_allow_destructive",
  "gum_allow_write",
  "gum_call",
  "gum_confirm_destructive",
  "gum_describe",
  "gum_pages",
  "gum_parallel",
  "gum_print",
  "gum_search",
] as const;

/** Functions and modules of the language itself (spec 09 §11.6). */
const BUILTIN_NAMES = [
  "all",
  "any",
  "assert",
  "bool",
  "call",
  "chunk",
  "coalesce",
  "decode",
  "encode",
  "error",
  "filter",
  "float",
  "getattr",
  "int",
  "keys",
  "len",
  "list",
  "math",
  "range",
  "regexp",
  "reversed",
  "sorted",
  "sprintf",
  "string",
  "type",
] as const;

/** Every predeclared name. */
export const PREDECLARED: ReadonlySet<string> = new Set<string>([...HOST_NAMES, ...BUILTIN_NAMES]);

/** Words people bring from elsewhere for writing something out. */
const PRINT_WORDS = new Set(["print", "println", "log"]);

/** Names longer than this are no slip of a finger; comparing them would cost their square. */
const MAX_COMPARED = 64;

/** The name that was probably meant. */
export function suggestion(name: string, known: Iterable<string>): string | undefined {
  if (PRINT_WORDS.has(name)) return "gum_print";
  if (name.length > MAX_COMPARED) return undefined;
  const allowed = name.length > 4 ? 2 : 1;
  let best: { text: string; distance: number } | undefined;
  for (const text of known) {
    if (Math.abs(text.length - name.length) > allowed) continue;
    const distance = editDistance(name, text);
    if (distance <= allowed && (best === undefined || distance < best.distance)) {
      best = { text, distance };
    }
  }
  return best?.text;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const others = 1 + Math.min(previous[column] ?? 0, current[column - 1] ?? 0);
      current.push(Math.min(replaced, others));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
