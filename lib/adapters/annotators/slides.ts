/** Presentations as rows of elements: slide, element id, kind and text. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import {
  type AnnotatedBody,
  annotateObject,
  at,
  NESTING_LIMIT,
  objectOf,
  objectsOf,
  showsAddress,
  textOf,
} from "./derive.ts";

/** Adds `elements` to a presentation. */
export function annotatePresentation(body: JsonObject): AnnotatedBody | undefined {
  const elements = objectsOf(body.slides).flatMap((slide, index) => slideRows(slide, index + 1));
  return elements.length === 0 ? undefined : annotateObject(body, () => ({ elements }));
}

function slideRows(slide: JsonObject, number: number): JsonObject[] {
  const place = { slide: number, slide_id: textOf(slide.objectId) ?? "" };
  const rows = [...elementRows(slide.pageElements, 0)];
  const notes = objectOf(at(slide, "slideProperties.notesPage"));
  const speaker = textOf(at(notes, "notesProperties.speakerNotesObjectId"));
  for (const row of elementRows(notes.pageElements, 0)) {
    if (row.text === undefined) continue;
    if (speaker === undefined || row.element_id === speaker) rows.push({ ...row, kind: "NOTES" });
  }
  // A slide without elements is still a slide that a caller may fill.
  if (rows.length === 0) return [{ ...place, kind: "EMPTY" }];
  return rows.map((row) => ({ ...place, ...row }));
}

function* elementRows(elements: JsonValue | undefined, depth: number): Generator<JsonObject> {
  if (depth > NESTING_LIMIT) return;
  for (const element of objectsOf(elements)) {
    const element_id = textOf(element.objectId) ?? "";
    if (isJsonObject(element.elementGroup)) {
      yield* elementRows(element.elementGroup.children, depth + 1);
    } else if (isJsonObject(element.shape)) {
      const kind = textOf(at(element.shape, "placeholder.type")) ??
        textOf(element.shape.shapeType) ?? "SHAPE";
      yield { element_id, kind, ...said(runsOf(element.shape.text)) };
    } else if (isJsonObject(element.table)) {
      const rows = objectsOf(element.table.tableRows).map((row) =>
        objectsOf(row.tableCells).map((cell) => runsOf(cell.text)).join(" | ")
      );
      yield { element_id, kind: "TABLE", ...said(rows.join("\n")) };
    } else if (isJsonObject(element.image)) {
      yield { element_id, kind: "IMAGE", ...said(describedBy(element)) };
    } else if (isJsonObject(element.video)) {
      yield { element_id, kind: "VIDEO", ...said(textOf(element.video.url) ?? "") };
    } else if (isJsonObject(element.sheetsChart)) {
      yield {
        element_id,
        kind: "SHEETS_CHART",
        ...said(textOf(element.sheetsChart.spreadsheetId) ?? ""),
      };
    } else if (isJsonObject(element.wordArt)) {
      yield { element_id, kind: "WORD_ART", ...said(textOf(element.wordArt.renderedText) ?? "") };
    } else if (isJsonObject(element.line)) yield { element_id, kind: "LINE" };
  }
}

function said(text: string): { text?: string } {
  return text === "" ? {} : { text };
}

function describedBy(element: JsonObject): string {
  return [textOf(element.title), textOf(element.description)].filter((part) => part).join(": ");
}

function runsOf(body: JsonValue | undefined): string {
  const text = objectsOf(objectOf(body).textElements).map((element) => {
    const run = objectOf(element.textRun ?? element.autoText);
    const content = textOf(run.content) ?? "";
    const url = textOf(at(run, "style.link.url"));
    const words = content.trimEnd();
    if (url === undefined || words === "" || showsAddress(words, url)) return content;
    return `[${words}](${url})${content.slice(words.length)}`;
  }).join("");
  // No pattern: over many line feeds it would start anew at each of them.
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}
