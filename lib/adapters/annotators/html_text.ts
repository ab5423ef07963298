/**
 * The text that a reader sees in HTML mail: blocks become lines, list items and table cells stay
 * apart, links keep their target, what is hidden goes. One pass, no recursion, never throws.
 */

import { showsAddress } from "./derive.ts";
import { decodeEntities } from "./html_entities.ts";

/** Elements that stand on lines of their own; 2 leaves a blank line around them. */
const BREAKS: Readonly<Record<string, 1 | 2>> = {
  p: 2,
  h1: 2,
  h2: 2,
  h3: 2,
  h4: 2,
  h5: 2,
  h6: 2,
  blockquote: 2,
  pre: 2,
  ul: 1,
  ol: 1,
  dl: 1,
  dt: 1,
  dd: 1,
  li: 1,
  div: 1,
  table: 1,
  tr: 1,
  hr: 1,
  br: 1,
  section: 1,
  article: 1,
  header: 1,
  footer: 1,
  address: 1,
  center: 1,
  form: 1,
  figure: 1,
};

/** Elements whose content is no text. */
const SILENT: ReadonlySet<string> = new Set([
  "script",
  "style",
  "title",
  "template",
  "noscript",
  "object",
  "svg",
]);

/** Hidden elements without an end that are looked for; each costs a walk over the whole text. */
const UNCLOSED_LIMIT = 20;

const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "meta", "link", "wbr"]);

// Soft hyphens and the invisible fillers that senders stretch previews with.
const INVISIBLE = /[\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff]/g;
// Joiners belong to the word between two characters, in Persian and in pictures of families.
const STRAY_JOINER =
  /(?<![\p{L}\p{M}\p{N}\p{S}])[\u200c\u200d]|(?<!\p{M})[\u200c\u200d](?![\p{L}\p{M}\p{N}\p{S}])/gu;

interface Writer {
  out: string[];
  /** Line feeds that end the text so far; a fresh text counts as ended. */
  feeds: number;
  /** A space is due before the next word. */
  space: boolean;
  /** Something stands on the current line. */
  lineUsed: boolean;
}

/** The readable text of an HTML document. */
export function htmlText(html: string): string {
  const writer: Writer = { out: [], feeds: 2, space: false, lineUsed: false };
  // A link holds no other link, so one is enough to remember.
  let link: OpenLink | undefined;
  let unclosed = 0;
  let preformatted = 0;
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    const end = open === -1 ? html.length : open;
    if (end > position) writeText(writer, html.slice(position, end), preformatted > 0);
    if (open === -1) break;
    const tag = readTag(html, open);
    if (tag === undefined) {
      writeText(writer, "<", preformatted > 0);
      position = open + 1;
      continue;
    }
    position = tag.end;
    if (tag.name === "") continue;
    if (!tag.closing && (SILENT.has(tag.name) || isHidden(tag))) {
      if (VOID.has(tag.name) || unclosed > UNCLOSED_LIMIT) continue;
      const close = elementEnd(html, tag);
      if (close === undefined) unclosed++;
      position = close ?? tag.end;
      continue;
    }
    if (tag.name === "pre") preformatted = Math.max(0, preformatted + (tag.closing ? -1 : 1));
    if (tag.name === "a") {
      if (link !== undefined) closeLink(writer, link);
      link = tag.closing
        ? undefined
        : { href: attribute(tag.attributes, "href") ?? "", from: writer.out.length };
      continue;
    }
    if (tag.name === "img") {
      writeText(writer, attribute(tag.attributes, "alt") ?? "", false);
      continue;
    }
    if ((tag.name === "td" || tag.name === "th") && !tag.closing) {
      if (writer.lineUsed) writer.out.push(" | ");
      writer.space = false;
      continue;
    }
    const breaks = BREAKS[tag.name];
    if (breaks === undefined) continue;
    if (tag.name === "br") feedLine(writer);
    else ensureFeeds(writer, breaks);
    if (tag.name === "li" && !tag.closing) writeText(writer, "- ", true);
    if (tag.name === "hr") writeText(writer, "---", true);
  }
  return tidyText(writer.out.join(""));
}

/** Lines without trailing blanks, line feeds only, at most one blank line in a row. */
export function tidyText(text: string): string {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => line.trimEnd()).join("\n")
    .replace(/\n{3,}/g, "\n\n").trim();
}

function writeText(writer: Writer, source: string, verbatim: boolean): void {
  const text = decodeEntities(source).replace(INVISIBLE, "").replace(STRAY_JOINER, "");
  if (verbatim) {
    if (text === "") return;
    writer.out.push(text);
    writer.feeds = text.endsWith("\n") ? 1 : 0;
    writer.lineUsed = !text.endsWith("\n");
    writer.space = false;
    return;
  }
  const words = text.replace(/[\s\u00a0]+/g, " ");
  const body = words.trim();
  if (body === "") {
    writer.space ||= words !== "";
    return;
  }
  if ((writer.space || words.startsWith(" ")) && writer.lineUsed) writer.out.push(" ");
  writer.out.push(body);
  writer.space = words.endsWith(" ");
  writer.feeds = 0;
  writer.lineUsed = true;
}

function feedLine(writer: Writer): void {
  writer.out.push("\n");
  writer.feeds++;
  writer.space = false;
  writer.lineUsed = false;
}

function ensureFeeds(writer: Writer, wanted: number): void {
  writer.space = false;
  while (writer.feeds < wanted) feedLine(writer);
}

interface OpenLink {
  href: string;
  /** Pieces of text before it. */
  from: number;
}

function closeLink(writer: Writer, link: OpenLink): void {
  const href = decodeEntities(link.href).trim();
  const text = writer.out.slice(link.from).join("").trim();
  const target = href.replace(/^mailto:/i, "");
  if (!/^(https?:|mailto:|tel:)/i.test(href) || text === "" || showsAddress(text, target)) return;
  writer.out.push(` <${target}>`);
  writer.feeds = 0;
  writer.lineUsed = true;
}

interface Tag {
  name: string;
  closing: boolean;
  attributes: string;
  end: number;
}

/** The tag, comment or declaration that opens at `start`; undefined for a bare `<`. */
function readTag(html: string, start: number): Tag | undefined {
  if (html.startsWith("<!--", start)) {
    const close = html.indexOf("-->", start + 4);
    return nameless(close === -1 ? html.length : close + 3);
  }
  const next = html[start + 1];
  if (next === "!" || next === "?") {
    const close = html.indexOf(">", start);
    return nameless(close === -1 ? html.length : close + 1);
  }
  const opening = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)/y;
  opening.lastIndex = start;
  const match = opening.exec(html);
  if (match === null) return undefined;
  let position = opening.lastIndex;
  let quote = "";
  for (; position < html.length; position++) {
    const character = html[position] as string;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") break;
  }
  // A quote that never closes: the tag ends where it would without it.
  if (position >= html.length && quote !== "") {
    const close = html.indexOf(">", opening.lastIndex);
    position = close === -1 ? html.length : close;
  }
  return {
    name: (match[2] as string).toLowerCase(),
    closing: match[1] === "/",
    attributes: html.slice(opening.lastIndex, position),
    end: Math.min(html.length, position + 1),
  };
}

function nameless(end: number): Tag {
  return { name: "", closing: false, attributes: "", end };
}

const ATTRIBUTE = /([^\s=/"'>][^\s=/>]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** The first attribute of this name; what stands inside another one's value is none. */
function attribute(attributes: string, name: string): string | undefined {
  for (const [, found, double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
    if (found?.toLowerCase() === name) return double ?? single ?? bare ?? "";
  }
  return undefined;
}

function isHidden(tag: Tag): boolean {
  if (tag.attributes === "" || !/hidden|display/i.test(tag.attributes)) return false;
  if (attribute(tag.attributes, "hidden") !== undefined) return true;
  return /display\s*:\s*none/i.test(attribute(tag.attributes, "style") ?? "");
}

/**
 * The position after an element's closing tag; its own kind may be nested in it. Undefined when it
 * never closes: its text is then worth more than the mark that hid it, except for code.
 */
function elementEnd(html: string, tag: Tag): number | undefined {
  const same = new RegExp(`<(/?)${tag.name}(?=[\\s>/])`, "gi");
  same.lastIndex = tag.end;
  let depth = 1;
  for (let match = same.exec(html); match !== null; match = same.exec(html)) {
    depth += match[1] === "/" ? -1 : 1;
    if (depth > 0) continue;
    const close = html.indexOf(">", match.index);
    return close === -1 ? html.length : close + 1;
  }
  return SILENT.has(tag.name) ? html.length : undefined;
}
