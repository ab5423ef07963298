/** The requests of `documents.batchUpdate` that the emulated Docs carries out. */

import type { JsonObject } from "../../json/mod.ts";
import {
  booleanMember,
  copyOf,
  objectMember,
  refusedRequest,
  type RequestRunner,
  runBatchRequest,
  textMember,
} from "../drive/mod.ts";
import type { SeededRandom } from "../service.ts";
import type { StoredDocument } from "./document_view.ts";
import {
  allParagraphs,
  contentLength,
  deleteRange,
  findParagraph,
  insertInto,
  mergeRuns,
  type Paragraph,
  paragraph,
  type Place,
  runLength,
  splitRuns,
} from "./model.ts";
import { listProperties } from "./world.ts";

/** What the requests of one batch work on. */
export interface BatchContext {
  document: StoredDocument;
  ids: SeededRandom;
}

/** Layout requests: accepted, nothing to show for them. */
const WITHOUT_EFFECT = new Set([
  "updateDocumentStyle",
  "updateSectionStyle",
  "updateNamedStyle",
  "updateTableCellStyle",
  "updateTableColumnProperties",
  "updateTableRowStyle",
  "pinTableHeaderRows",
  "mergeTableCells",
  "unmergeTableCells",
]);

const RUNNERS: Readonly<Record<string, RequestRunner<BatchContext>>> = {
  insertText(given, { document }) {
    const text = textMember(given, "text") ?? "";
    if (text === "") throw refusedRequest("insertText", "The text to insert must not be empty.");
    const { place, index } = placeOf(given, { document, kind: "insertText" });
    insertInto(place, { offset: index - place.start, text });
    return {};
  },
  deleteContentRange(given, { document }) {
    const { from, to } = rangeOf(given, { document, kind: "deleteContentRange" });
    if (to >= documentEnd(document)) {
      throw refusedRequest(
        "deleteContentRange",
        "The range cannot include the newline character at the end of the segment.",
      );
    }
    if (!deleteRange(document.blocks, { from, to })) {
      throw refusedRequest(
        "deleteContentRange",
        "The range must not partially overlap a table or delete the newline before one.",
      );
    }
    return {};
  },
  replaceAllText(given, { document }) {
    const criteria = objectMember(given, "containsText") ?? {};
    const find = textMember(criteria, "text") ?? "";
    if (find === "") throw refusedRequest("replaceAllText", "The text to find must not be empty.");
    const replacement = textMember(given, "replaceText") ?? "";
    let changed = 0;
    for (const { paragraph: target } of allParagraphs(document.blocks)) {
      changed += replaceIn(target, {
        find,
        replacement,
        matchCase: booleanMember(criteria, "matchCase") ?? false,
      });
    }
    const reply: JsonObject = {};
    if (changed > 0) reply.occurrencesChanged = changed;
    return { replaceAllText: reply };
  },
  insertTable(given, { document }) {
    const { place, index } = placeOf(given, { document, kind: "insertTable" });
    const [rows, columns] = [Number(given.rows ?? 0), Number(given.columns ?? 0)];
    if (!(rows > 0 && columns > 0)) {
      throw refusedRequest("insertTable", "Rows and columns must be positive.");
    }
    insertInto(place, { offset: index - place.start, text: "\n" });
    place.siblings.splice(place.at + 1, 0, {
      kind: "table",
      rows: Array.from(
        { length: rows },
        () => Array.from({ length: columns }, () => [paragraph("")]),
      ),
    });
    return {};
  },
  insertPageBreak(given, { document }) {
    const { place, index } = placeOf(given, { document, kind: "insertPageBreak" });
    const at = splitRuns(place.paragraph.runs, index - place.start);
    place.paragraph.runs.splice(at, 0, {
      text: "",
      style: {},
      special: { pageBreak: { textStyle: {} } },
    });
    return {};
  },
  updateTextStyle(given, { document }) {
    const { from, to } = rangeOf(given, { document, kind: "updateTextStyle" });
    const style = objectMember(given, "textStyle") ?? {};
    const fields = maskOf(given, "updateTextStyle");
    forEachOverlap(document, { from, to }, (place) => {
      const { runs } = place.paragraph;
      const first = splitRuns(runs, Math.max(0, from - place.start));
      const last = splitRuns(runs, Math.min(lengthOf(place.paragraph), to - place.start));
      for (const run of runs.slice(first, last)) applyMask(run.style, { given: style, fields });
      mergeRuns(place.paragraph);
    });
    return {};
  },
  updateParagraphStyle(given, { document, ids }) {
    const { from, to } = rangeOf(given, { document, kind: "updateParagraphStyle" });
    const style = objectMember(given, "paragraphStyle") ?? {};
    const fields = maskOf(given, "updateParagraphStyle");
    forEachOverlap(document, { from, to }, ({ paragraph: target }) => {
      applyMask(target.style, { given: style, fields });
      const heading = String(target.style.namedStyleType ?? "").startsWith("HEADING");
      if (heading && target.style.headingId === undefined) {
        target.style.headingId = `h.${ids.hex(12)}`;
      }
    });
    return {};
  },
  createParagraphBullets(given, { document, ids }) {
    const { from, to } = rangeOf(given, { document, kind: "createParagraphBullets" });
    const listId = `kix.${ids.hex(12)}`;
    const preset = textMember(given, "bulletPreset") ?? "BULLET_DISC_CIRCLE_SQUARE";
    document.lists[listId] = listProperties(preset.startsWith("NUMBERED") ? "number" : "bullet");
    forEachOverlap(document, { from, to }, ({ paragraph: target }) => {
      target.bullet = { listId, level: 0 };
    });
    return {};
  },
  deleteParagraphBullets(given, { document }) {
    forEachOverlap(
      document,
      rangeOf(given, { document, kind: "deleteParagraphBullets" }),
      ({ paragraph: target }) => {
        delete target.bullet;
      },
    );
    return {};
  },
  createNamedRange(given, { document, ids }) {
    const name = textMember(given, "name") ?? "";
    if (name === "") throw refusedRequest("createNamedRange", "The name must not be empty.");
    const id = `kix.${ids.hex(12)}`;
    document.namedRanges.push({
      id,
      name,
      ...rangeOf(given, { document, kind: "createNamedRange" }),
    });
    return { createNamedRange: { namedRangeId: id } };
  },
  deleteNamedRange(given, { document }) {
    const [id, name] = [textMember(given, "namedRangeId"), textMember(given, "name")];
    const left = document.namedRanges.filter((range) => range.id !== id && range.name !== name);
    if (left.length === document.namedRanges.length) {
      throw refusedRequest("deleteNamedRange", "The named range does not exist.");
    }
    document.namedRanges = left;
    return {};
  },
};

/** Runs one request; 400 for an unknown kind or a place outside the document. */
export function runRequest(request: JsonObject, context: BatchContext): JsonObject {
  return runBatchRequest(request, { context, runners: RUNNERS, withoutEffect: WITHOUT_EFFECT });
}

function documentEnd(document: StoredDocument): number {
  return 1 + contentLength(document.blocks);
}

function placeOf(
  given: JsonObject,
  { document, kind }: { document: StoredDocument; kind: string },
): { place: Place; index: number } {
  const location = objectMember(given, "location");
  const index = location === undefined ? documentEnd(document) - 1 : Number(location.index ?? 0);
  if (location === undefined && given.endOfSegmentLocation === undefined) {
    throw refusedRequest(kind, "The insertion location must be specified.");
  }
  if (index >= documentEnd(document) || index < 1) {
    throw refusedRequest(
      kind,
      `Index ${index} must be less than the end index of the referenced segment, ${
        documentEnd(document)
      }.`,
    );
  }
  const place = findParagraph(document.blocks, { index });
  if (place === undefined) {
    throw refusedRequest(
      kind,
      "The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines.",
    );
  }
  return { place, index };
}

function rangeOf(
  given: JsonObject,
  { document, kind }: { document: StoredDocument; kind: string },
): { from: number; to: number } {
  const range = objectMember(given, "range");
  if (range === undefined) throw refusedRequest(kind, "The range should be specified.");
  const from = Number(range.startIndex ?? 0), to = Number(range.endIndex ?? 0);
  if (!Number.isInteger(from) || !Number.isInteger(to) || from >= to) {
    throw refusedRequest(kind, "The range should not be empty.");
  }
  if (from < 1 || to > documentEnd(document)) {
    throw refusedRequest(
      kind,
      `Index ${to - 1} must be less than the end index of the referenced segment, ${
        documentEnd(document)
      }.`,
    );
  }
  return { from, to };
}

function maskOf(given: JsonObject, kind: string): string[] {
  const fields = textMember(given, "fields");
  if (fields === undefined || fields === "") {
    throw refusedRequest(kind, "At least one field must be listed in 'fields'.");
  }
  return fields.split(",").map((field) => field.trim().split(".")[0] as string);
}

function applyMask(
  target: JsonObject,
  { given, fields }: { given: JsonObject; fields: string[] },
): void {
  const names = fields.includes("*") ? [...new Set([...Object.keys(given)])] : fields;
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value === null || value === false) delete target[name];
    else target[name] = copyOf(value);
  }
}

function lengthOf(target: Paragraph): number {
  return target.runs.reduce((sum, run) => sum + runLength(run), 0);
}

function forEachOverlap(
  document: StoredDocument,
  { from, to }: { from: number; to: number },
  visit: (place: Place) => void,
): void {
  for (const place of allParagraphs(document.blocks)) {
    if (place.start < to && place.start + lengthOf(place.paragraph) > from) visit(place);
  }
}

/** Replaces inside a paragraph, across runs; the replacement takes the style where the match starts. */
function replaceIn(
  target: Paragraph,
  { find, replacement, matchCase }: { find: string; replacement: string; matchCase: boolean },
): number {
  let changed = 0;
  const wanted = matchCase ? find : find.toLowerCase();
  let offset = 0;
  while (true) {
    // Specials count as one character, so that offsets stay those of the runs.
    const text = target.runs.map((run) => run.special === undefined ? run.text : "\ufffc").join("");
    const at = (matchCase ? text : text.toLowerCase()).indexOf(wanted, offset);
    if (at === -1) return changed;
    const first = splitRuns(target.runs, at);
    const last = splitRuns(target.runs, at + find.length);
    const style = target.runs[first]?.style ?? {};
    target.runs.splice(first, last - first, { text: replacement, style: { ...style } });
    mergeRuns(target);
    changed++;
    offset = at + replacement.length;
  }
}
