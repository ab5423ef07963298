/** A block of lines that GUM owns inside a file that belongs to somebody else. */

/** The lines around a block. */
export interface BlockMarks {
  begin: string;
  end: string;
}

/** The file's marks contradict each other. */
export class BlockError extends Error {
  override readonly name = "BlockError";
}

interface Span {
  start: number;
  /** After the end line's newline. */
  end: number;
}

/** Where the block is; undefined when there is none. @throws BlockError on a begin without an end. */
export function findBlock(text: string, marks: BlockMarks): Span | undefined {
  const begin = lineAt(text, { line: marks.begin, from: 0 });
  if (begin === undefined) {
    if (lineAt(text, { line: marks.end, from: 0 }) === undefined) return undefined;
    throw new BlockError(`the line "${marks.end}" has no line "${marks.begin}" before it`);
  }
  const end = lineAt(text, { line: marks.end, from: begin.end });
  if (end === undefined) {
    throw new BlockError(`the line "${marks.begin}" has no line "${marks.end}" after it`);
  }
  return { start: begin.start, end: end.end };
}

function lineAt(text: string, wanted: { line: string; from: number }): Span | undefined {
  let start = wanted.from;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    if (text.slice(start, end).trim() === wanted.line) return { start, end };
    start = end;
  }
  return undefined;
}

/** The text with the block set to these lines, in place when there is one, else at the end. */
export function setBlock(text: string, marks: BlockMarks, lines: readonly string[]): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const span = findBlock(text, marks);
  const block = [marks.begin, ...lines, marks.end].join(newline);
  if (span !== undefined) {
    const closed = text.slice(span.start, span.end).endsWith("\n") ? newline : "";
    return text.slice(0, span.start) + block + closed + text.slice(span.end);
  }
  if (text === "") return block + newline;
  // A blank line where the last one was ended, an end where it was not: removing tells them apart.
  return text + newline + block + newline;
}

/** The text without the block and what was put before it. */
export function removeBlock(text: string, marks: BlockMarks): string {
  const span = findBlock(text, marks);
  if (span === undefined) return text;
  const before = text.slice(0, span.start);
  const after = text.slice(span.end);
  const blank = /\r?\n\r?\n$/.test(before) || after === "";
  return (blank ? before.replace(/\r?\n$/, "") : before) + after;
}
