/**
 * What a change of a text was, small enough to undo it later even when the text around it has
 * changed meanwhile.
 */

/** Between a common head and a common tail, `removed` gave way to `inserted`. */
export interface TextEdit {
  removed: string;
  inserted: string;
  /** Characters before the change, to find the place again. */
  offset: number;
}

/** The one edit between two texts. */
export function editBetween(before: string, after: string): TextEdit {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) tail++;
  return {
    removed: before.slice(head, before.length - tail),
    inserted: after.slice(head, after.length - tail),
    offset: head,
  };
}

/** The text before the edit; undefined when its place cannot be found beyond doubt. */
export function undoEdit(text: string, edit: TextEdit): string | undefined {
  if (edit.inserted === "") {
    return undefined;
  }
  const atOffset = text.startsWith(edit.inserted, edit.offset);
  const first = text.indexOf(edit.inserted);
  const at = atOffset ? edit.offset : first;
  if (at < 0 || (!atOffset && text.indexOf(edit.inserted, first + 1) >= 0)) return undefined;
  return text.slice(0, at) + edit.removed + text.slice(at + edit.inserted.length);
}

/** Lines of a change as `+`, `-` and context, in the manner of diff. */
export function diffLines(before: string, after: string): string[] {
  // Line ends count only where they differ.
  const windows = [before, after].every((text) => /^(?:[^\n]*\r\n)*[^\n]*$/.test(text));
  const old = splitLines(windows ? before.replaceAll("\r\n", "\n") : before);
  const now = splitLines(windows ? after.replaceAll("\r\n", "\n") : after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head && tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) tail++;
  const from = Math.max(0, head - CONTEXT);
  const context = (lines: string[]) => lines.map((line) => `  ${line}`);
  return [
    ...context(old.slice(from, head)),
    ...changed(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...context(old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ];
}

const CONTEXT = 2;
/** Beyond this the longest common subsequence costs more than its reader gains. */
const MOST_LINES = 1_000;

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function changed(old: string[], now: string[]): string[] {
  if (old.length * now.length > MOST_LINES * MOST_LINES) {
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  }
  // lengths[i][j]: longest common subsequence of old from i and now from j.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i];
    for (let j = now.length - 1; j >= 0 && row !== undefined; j--) {
      row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i]}`);
      [i, j] = [i + 1, j + 1];
    } else if (i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${old[i++]}`);
    } else lines.push(`+ ${now[j++]}`);
  }
  return lines;
}
