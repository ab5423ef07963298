/** The text requests of `presentations.batchUpdate`. */

import type { JsonObject } from "../../json/mod.ts";
import { booleanMember, copyOf, objectMember, refusedRequest, textMember } from "../drive/mod.ts";
import { elementOf, type SlidesRunners } from "./batch_context.ts";
import type { StoredPresentation } from "./model.ts";

/** Requests that change text or its look, by kind. */
export const TEXT_REQUESTS: SlidesRunners = {
  insertText(given, { presentation }) {
    const text = textMember(given, "text") ?? "";
    const target = textTarget(given, { presentation, kind: "insertText" });
    const index = Number(given.insertionIndex ?? 0);
    const before = target.read();
    if (index < 0 || index > before.length) {
      throw refusedRequest(
        "insertText",
        `The insertion index (${index}) should not be greater than the existing text length (${before.length}).`,
      );
    }
    const after = before.slice(0, index) + text + before.slice(index);
    target.write(after === "" || after.endsWith("\n") ? after : `${after}\n`);
    return {};
  },
  deleteText(given, { presentation }) {
    const target = textTarget(given, { presentation, kind: "deleteText" });
    const before = target.read();
    const range = objectMember(given, "textRange") ?? {};
    const all = range.type === "ALL";
    const from = all ? 0 : Number(range.startIndex ?? 0);
    const to = all || range.type === "FROM_START_INDEX"
      ? before.length
      : Number(range.endIndex ?? before.length);
    if (from > to || to > before.length) {
      throw refusedRequest(
        "deleteText",
        `The end index (${to}) should not be greater than the existing text length (${before.length}).`,
      );
    }
    const after = before.slice(0, from) + before.slice(to);
    target.write(after === "\n" ? "" : after === "" || after.endsWith("\n") ? after : `${after}\n`);
    return {};
  },
  replaceAllText(given, { presentation }) {
    const criteria = objectMember(given, "containsText") ?? {};
    const find = textMember(criteria, "text") ?? "";
    if (find === "") throw refusedRequest("replaceAllText", "The text to find must not be empty.");
    const pattern = new RegExp(
      find.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
      booleanMember(criteria, "matchCase") ? "g" : "gi",
    );
    const replacement = textMember(given, "replaceText") ?? "";
    const pages = given.pageObjectIds;
    let changed = 0;
    const replaced = (text: string) =>
      text.replace(pattern, () => {
        changed++;
        return replacement;
      });
    for (const slide of presentation.slides) {
      if (Array.isArray(pages) && pages.length > 0 && !pages.includes(slide.id)) continue;
      for (const element of slide.elements) {
        if (element.kind === "shape") element.text = replaced(element.text);
        else if (element.kind === "table") {
          element.cells = element.cells.map((row) => row.map(replaced));
        }
      }
    }
    const reply: JsonObject = {};
    if (changed > 0) reply.occurrencesChanged = changed;
    return { replaceAllText: reply };
  },
  updateTextStyle(given, { presentation }) {
    const element = elementOf(presentation, {
      id: textMember(given, "objectId") ?? "",
      kind: "updateTextStyle",
    });
    const style = objectMember(given, "style") ?? {};
    // The style of a shape counts as a whole; parts of its text are not told apart.
    if (element.kind === "shape") Object.assign(element.style, copyOf(style));
    return {};
  },
  createParagraphBullets(given, { presentation }) {
    const element = elementOf(presentation, {
      id: textMember(given, "objectId") ?? "",
      kind: "createParagraphBullets",
    });
    if (element.kind === "shape") element.bulleted = true;
    return {};
  },
  deleteParagraphBullets(given, { presentation }) {
    const element = elementOf(presentation, {
      id: textMember(given, "objectId") ?? "",
      kind: "deleteParagraphBullets",
    });
    if (element.kind === "shape") element.bulleted = false;
    return {};
  },
};

/** The text that a request names: of a shape, of speaker notes, or of one table cell. */
function textTarget(
  given: JsonObject,
  { presentation, kind }: { presentation: StoredPresentation; kind: string },
): { read(): string; write(text: string): void } {
  const id = textMember(given, "objectId") ?? "";
  const noted = presentation.slides.find((slide) => slide.notesId === id);
  if (noted !== undefined) {
    return {
      read: () => noted.notes,
      write(text) {
        noted.notes = text;
      },
    };
  }
  const element = elementOf(presentation, { id, kind });
  if (element.kind === "shape") {
    return {
      read: () => element.text,
      write(text) {
        element.text = text;
      },
    };
  }
  const cell = objectMember(given, "cellLocation");
  const row = element.kind === "table" ? element.cells[Number(cell?.rowIndex ?? 0)] : undefined;
  const column = Number(cell?.columnIndex ?? 0);
  const text = row?.[column];
  if (row === undefined || text === undefined) {
    throw refusedRequest(kind, `The object (${id}) does not allow text editing.`);
  }
  return {
    read: () => text,
    write(changed) {
      row[column] = changed;
    },
  };
}
