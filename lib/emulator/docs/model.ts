/** A document as blocks, and the index arithmetic of the Docs API over them. */

import type { JsonObject } from "../../json/mod.ts";

/** A run of text with one style. */
export interface Run {
  text: string;
  style: JsonObject;
  /** Something that takes one index and is no text: a page break, an inline image. */
  special?: JsonObject;
}

/** A paragraph; its last run ends in a newline. */
export interface Paragraph {
  kind: "paragraph";
  runs: Run[];
  style: JsonObject;
  bullet?: { listId: string; level: number };
}

/** A table: rows of cells of blocks. */
export interface Table {
  kind: "table";
  rows: Block[][][];
}

/** A structural element. */
export type Block = Paragraph | Table;

/** A paragraph of plain text (without its newline). */
export function paragraph(text: string, style: JsonObject = normalStyle()): Paragraph {
  return { kind: "paragraph", runs: [{ text: `${text}\n`, style: {} }], style };
}

/** Style of ordinary paragraphs. */
export function normalStyle(): JsonObject {
  return { namedStyleType: "NORMAL_TEXT", direction: "LEFT_TO_RIGHT" };
}

/** Indexes that a run takes. */
export function runLength(run: Run): number {
  return run.special === undefined ? run.text.length : 1;
}

/** Indexes that a block takes, the structure of tables included. */
export function blockLength(block: Block): number {
  if (block.kind === "paragraph") return block.runs.reduce((sum, run) => sum + runLength(run), 0);
  return 2 +
    block.rows.reduce(
      (sum, row) => sum + 1 + row.reduce((inner, cell) => inner + 1 + contentLength(cell), 0),
      0,
    );
}

/** Indexes that a list of blocks takes. */
export function contentLength(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + blockLength(block), 0);
}

/** A paragraph found by index, with the list that holds it. */
export interface Place {
  siblings: Block[];
  at: number;
  paragraph: Paragraph;
  /** Index at which the paragraph starts. */
  start: number;
}

/** The paragraph that contains an index; undefined when the index lies in the structure of a table or outside. */
export function findParagraph(
  blocks: Block[],
  { index, start = 1 }: { index: number; start?: number },
): Place | undefined {
  let begin = start;
  for (const [at, block] of blocks.entries()) {
    const end = begin + blockLength(block);
    if (index < end && index >= begin) {
      if (block.kind === "paragraph") {
        return { siblings: blocks, at, paragraph: block, start: begin };
      }
      let cellStart = begin + 1;
      for (const row of block.rows) {
        cellStart += 1;
        for (const cell of row) {
          const found = findParagraph(cell, { index, start: cellStart + 1 });
          if (found !== undefined) return found;
          cellStart += 1 + contentLength(cell);
        }
      }
      return undefined;
    }
    begin = end;
  }
  return undefined;
}

/** Every paragraph with its start index, tables included, in document order. */
export function allParagraphs(blocks: Block[], start = 1): Place[] {
  const found: Place[] = [];
  let begin = start;
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "paragraph") {
      found.push({ siblings: blocks, at, paragraph: block, start: begin });
    } else {
      let cellStart = begin + 1;
      for (const row of block.rows) {
        cellStart += 1;
        for (const cell of row) {
          found.push(...allParagraphs(cell, cellStart + 1));
          cellStart += 1 + contentLength(cell);
        }
      }
    }
    begin += blockLength(block);
  }
  return found;
}

/** Splits a run list at an offset, so that a run starts there; gives its position. */
export function splitRuns(runs: Run[], offset: number): number {
  let begin = 0;
  for (const [at, run] of runs.entries()) {
    const length = runLength(run);
    if (offset === begin) return at;
    if (offset < begin + length) {
      const cut = offset - begin;
      runs.splice(at, 1, { ...run, text: run.text.slice(0, cut) }, {
        ...run,
        style: { ...run.style },
        text: run.text.slice(cut),
      });
      return at + 1;
    }
    begin += length;
  }
  return runs.length;
}

/** Puts text into a paragraph at an offset; newlines split it. The text takes the style before it. */
export function insertInto(place: Place, { offset, text }: { offset: number; text: string }): void {
  const { paragraph: target, siblings, at } = place;
  const position = splitRuns(target.runs, offset);
  const neighbour = target.runs[Math.max(0, position - 1)];
  const style = neighbour?.special === undefined ? { ...neighbour?.style } : {};
  const lines = text.split("\n");
  const rest = target.runs.splice(position);
  const first = lines[0] as string;
  const run = (content: string): Run[] =>
    content === "" ? [] : [{ text: content, style: { ...style } }];
  if (lines.length === 1) {
    target.runs.push(...run(first), ...rest);
    mergeRuns(target);
    return;
  }
  target.runs.push({ text: `${first}\n`, style: { ...style } });
  const following = lines.slice(1).map((line, index): Paragraph => ({
    kind: "paragraph",
    runs: index === lines.length - 2
      ? [...run(line), ...rest]
      : [{ text: `${line}\n`, style: { ...style } }],
    style: { ...target.style },
    ...(target.bullet === undefined ? {} : { bullet: { ...target.bullet } }),
  }));
  siblings.splice(at + 1, 0, ...following);
  for (const item of [target, ...following]) mergeRuns(item);
}

/** Joins neighbouring runs of one style. */
export function mergeRuns(target: Paragraph): void {
  const merged: Run[] = [];
  for (const run of target.runs) {
    const last = merged.at(-1);
    if (run.special === undefined && run.text === "") continue;
    const same = last !== undefined && last.special === undefined && run.special === undefined &&
      JSON.stringify(last.style) === JSON.stringify(run.style);
    if (same) last.text += run.text;
    else merged.push(run);
  }
  target.runs = merged;
}

/** The plain text of a paragraph, newline included. */
export function textOf(target: Paragraph): string {
  return target.runs.map((run) => run.special === undefined ? run.text : "").join("");
}

/**
 * Removes `[from, to)` inside one list of blocks; false when the range cuts through a table or would
 * take the last newline of the list.
 */
export function deleteRange(
  blocks: Block[],
  { from, to }: { from: number; to: number },
  start = 1,
): boolean {
  // The last newline of a list of blocks always stays.
  if (to >= start + contentLength(blocks)) return false;
  let begin = start;
  for (const block of blocks) {
    const close = begin + blockLength(block);
    // Wholly inside one cell of a table: the cell is its own list.
    if (block.kind === "table" && from > begin && to < close) {
      let cellStart = begin + 1;
      for (const row of block.rows) {
        cellStart += 1;
        for (const cell of row) {
          const inner = cellStart + 1;
          const cellEnd = inner + contentLength(cell);
          if (from >= inner && to <= cellEnd) return deleteRange(cell, { from, to }, inner);
          cellStart = cellEnd;
        }
      }
      return false;
    }
    begin = close;
  }
  return deleteFlat(blocks, { from, to, start });
}

function deleteFlat(
  blocks: Block[],
  { from, to, start }: { from: number; to: number; start: number },
): boolean {
  const kept: Block[] = [];
  let open: Paragraph | undefined;
  let begin = start;
  for (const block of blocks) {
    const close = begin + blockLength(block);
    const [cutFrom, cutTo] = [Math.max(from, begin), Math.min(to, close)];
    if (cutFrom >= cutTo) {
      if (open !== undefined && block.kind === "paragraph") {
        open.runs.push(...block.runs);
        mergeRuns(open);
        open = undefined;
      } else if (open !== undefined) return false;
      else kept.push(block);
    } else if (block.kind === "table") {
      if (cutFrom !== begin || cutTo !== close) return false;
    } else {
      const copy: Paragraph = { ...block, runs: block.runs.map((run) => ({ ...run })) };
      const first = splitRuns(copy.runs, cutFrom - begin);
      const last = splitRuns(copy.runs, cutTo - begin);
      copy.runs.splice(first, last - first);
      if (open !== undefined) open.runs.push(...copy.runs);
      const target = open ?? copy;
      if (open === undefined && target.runs.length > 0) kept.push(target);
      mergeRuns(target);
      open = target.runs.length > 0 && !textOf(target).endsWith("\n") ? target : undefined;
    }
    begin = close;
  }
  if (open !== undefined) return false;
  blocks.splice(0, blocks.length, ...kept);
  return true;
}
