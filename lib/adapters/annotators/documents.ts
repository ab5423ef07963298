/** Documents as rows of paragraphs: where each starts, what it is, what it says. */

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

/** Adds `paragraphs` to a document. */
export function annotateDocument(body: JsonObject): AnnotatedBody | undefined {
  const paragraphs = [...bodyRows(body, undefined)];
  for (const tab of allTabs(objectsOf(body.tabs), 0)) {
    const properties = objectOf(tab.tabProperties);
    const name = textOf(properties.title) ?? textOf(properties.tabId) ?? "";
    paragraphs.push(...bodyRows(objectOf(tab.documentTab), name));
  }
  if (paragraphs.length === 0) return undefined;
  return annotateObject(body, () => ({ paragraphs }));
}

function* allTabs(tabs: readonly JsonObject[], depth: number): Generator<JsonObject> {
  if (depth > NESTING_LIMIT) return;
  for (const tab of tabs) {
    yield tab;
    yield* allTabs(objectsOf(tab.childTabs), depth + 1);
  }
}

/** Rows of a document or of one tab: its body, then what stands outside of it. */
function* bodyRows(holder: JsonObject, tab: string | undefined): Generator<JsonObject> {
  const named: JsonObject = tab === undefined ? {} : { tab };
  for (const row of contentRows(objectOf(holder.body).content, 0)) yield { ...row, ...named };
  for (
    const [member, style] of [["headers", "HEADER"], ["footers", "FOOTER"], [
      "footnotes",
      "FOOTNOTE",
    ]] as const
  ) {
    for (const [id, segment] of Object.entries(objectOf(holder[member]))) {
      for (const row of contentRows(objectOf(segment).content, 0)) {
        yield { ...row, style, segment: id, ...named };
      }
    }
  }
}

function* contentRows(content: JsonValue | undefined, depth: number): Generator<JsonObject> {
  if (depth > NESTING_LIMIT) return;
  for (const element of objectsOf(content)) {
    const start = element.startIndex ?? 0;
    if (isJsonObject(element.paragraph)) {
      const text = paragraphText(element.paragraph);
      if (text !== "") yield { start, ...styleOf(element.paragraph), text };
    } else if (isJsonObject(element.table)) {
      for (const row of objectsOf(element.table.tableRows)) {
        const cells = objectsOf(row.tableCells).map((cell) =>
          [...contentRows(cell.content, depth + 1)].map(({ text }) => text).join(" / ")
        );
        yield { start: row.startIndex ?? start, style: "TABLE_ROW", text: cells.join(" | ") };
      }
    } else if (isJsonObject(element.tableOfContents)) {
      for (const row of contentRows(element.tableOfContents.content, depth + 1)) {
        yield { ...row, style: "TABLE_OF_CONTENTS" };
      }
    }
  }
}

/** The style of anything but ordinary text; list items say how deep they are. */
function styleOf(paragraph: JsonObject): { style?: string } {
  if (isJsonObject(paragraph.bullet)) {
    const level = paragraph.bullet.nestingLevel;
    return { style: typeof level === "number" && level > 0 ? `LIST_${level + 1}` : "LIST" };
  }
  const style = textOf(at(paragraph, "paragraphStyle.namedStyleType"));
  return style === undefined || style === "NORMAL_TEXT" ? {} : { style };
}

function paragraphText(paragraph: JsonObject): string {
  const text = objectsOf(paragraph.elements)
    .map((element) => suggested(element, elementText(element))).join("");
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/**
 * What somebody proposes to add or to delete is not, or not yet, what the document says: it is
 * marked as `{++added++}` and `{--deleted--}`.
 */
function suggested(element: JsonObject, text: string): string {
  const words = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (words === "") return text;
  const has = (member: string) =>
    [element, ...Object.values(element).filter(isJsonObject)].some((holder) => {
      const ids = holder[member];
      return Array.isArray(ids) && ids.length > 0;
    });
  const added = has("suggestedInsertionIds") ? `{++${words}++}` : words;
  const marked = has("suggestedDeletionIds") ? `{--${added}--}` : added;
  return marked + text.slice(words.length);
}

function elementText(element: JsonObject): string {
  const run = objectOf(element.textRun);
  const content = textOf(run.content);
  if (content !== undefined) {
    const url = textOf(at(run, "textStyle.link.url"));
    const words = content.trimEnd();
    if (url === undefined || words === "" || showsAddress(words, url)) return content;
    return `[${words}](${url})${content.slice(words.length)}`;
  }
  const person = objectOf(at(element, "person.personProperties"));
  if (textOf(person.email) !== undefined) {
    return textOf(person.name) === undefined
      ? `${person.email}`
      : `${person.name} <${person.email}>`;
  }
  const link = objectOf(at(element, "richLink.richLinkProperties"));
  if (textOf(link.uri) !== undefined) return `[${textOf(link.title) ?? link.uri}](${link.uri})`;
  if (isJsonObject(element.inlineObjectElement)) {
    return `[image ${textOf(element.inlineObjectElement.inlineObjectId) ?? ""}]`;
  }
  if (isJsonObject(element.footnoteReference)) {
    return `[note ${textOf(element.footnoteReference.footnoteId) ?? ""}]`;
  }
  const date = textOf(at(element, "dateElement.dateElementProperties.displayText"));
  if (date !== undefined) return date;
  if (isJsonObject(element.equation)) return "[equation]";
  return isJsonObject(element.horizontalRule) || isJsonObject(element.pageBreak) ? "---" : "";
}
