/** Which text of a MIME tree a reader wants, and which files hang on it. */

import type { JsonObject } from "../../json/mod.ts";
import { decodeBase64, decodeText, decodeWords } from "./charset_text.ts";
import { unflowed } from "./flowed_text.ts";
import { NESTING_LIMIT, objectOf, objectsOf, textOf } from "./derive.ts";
import { htmlText, tidyText } from "./html_text.ts";

/** What a message says and carries. */
export interface MailContent {
  text?: string;
  attachments: JsonObject[];
}

/** The best text and the files of a payload, in the form of `messages.get`. */
export function mailContent(payload: JsonObject): MailContent {
  const attachments: JsonObject[] = [];
  const text = bestText(payload, { attachments, depth: 0 })?.text;
  const isInvited = attachments.some(isNamedInvitation);
  return {
    text: text === "" ? undefined : text,
    // One invitation is enough: the named file is the one that can be fetched.
    attachments: isInvited ? attachments.filter((file) => !isUnnamedInvitation(file)) : attachments,
  };
}

interface Reading {
  attachments: JsonObject[];
  depth: number;
}

interface PartText {
  text: string;
  /** Any other text is what only its own kind of reader makes sense of: invitations, AMP pages. */
  form: "plain" | "html" | "other";
}

function bestText(part: JsonObject, reading: Reading): PartText | undefined {
  if (reading.depth > NESTING_LIMIT) return undefined;
  const mimeType = (textOf(part.mimeType) ?? "text/plain").toLowerCase();
  const children = objectsOf(part.parts);
  const body = objectOf(part.body);
  const filename = decodeWords(textOf(part.filename) ?? "");
  const isNamed = filename !== "" || textOf(body.attachmentId) !== undefined;
  if (children.length === 0) {
    if (isNamed || isFile(mimeType, body)) {
      reading.attachments.push(attachment({ filename, mimeType, body }));
      return undefined;
    }
    return leafText(part, { mimeType, body });
  }
  const deeper = { ...reading, depth: reading.depth + 1 };
  if (mimeType === "message/rfc822") {
    if (isNamed) reading.attachments.push(attachment({ filename, mimeType, body }));
    return attachedMessage(part, { children, reading: deeper });
  }
  const found = children.map((child) => ({ child, text: bestText(child, deeper) }));
  const texts = found.flatMap(({ text }) => text ?? []);
  if (mimeType === "multipart/alternative") {
    const shown = preferred(texts);
    // An invitation says what the words beside it do not.
    for (const { child, text } of found) {
      if (text === undefined || text === shown || text.form !== "other") continue;
      const kind = (textOf(child.mimeType) ?? "").toLowerCase();
      if (kind !== "text/calendar") continue;
      reading.attachments.push(
        attachment({ filename: "", mimeType: kind, body: objectOf(child.body) }),
      );
    }
    return shown;
  }
  return joinedTexts(texts);
}

function joinedTexts(texts: readonly PartText[]): PartText | undefined {
  const [first] = texts;
  if (first === undefined) return undefined;
  return {
    text: texts.map(({ text }) => text).filter((text) => text !== "").join("\n\n"),
    form: texts.every(({ form }) => form === first.form) ? first.form : "plain",
  };
}

/** What somebody else wrote stands between marks: it is not the sender's own text. */
function attachedMessage(
  part: JsonObject,
  inner: { children: readonly JsonObject[]; reading: Reading },
): PartText | undefined {
  const found = joinedTexts(
    inner.children.flatMap((child) => bestText(child, inner.reading) ?? []),
  );
  if (found === undefined || found.text === "") return undefined;
  const header = (name: string) => {
    const value = [part, ...inner.children].map((holder) => headerOf(holder, name)).find(Boolean);
    return value === undefined ? undefined : decodeWords(value, { addresses: name === "from" });
  };
  const [from, subject] = [header("from"), header("subject")];
  const about = (from === undefined ? "" : ` from ${from}`) +
    (subject === undefined ? "" : `: ${subject}`);
  const text = `[attached message${about}]\n${found.text}\n[end of the attached message]`;
  return { text, form: found.form };
}

function headerOf(part: JsonObject, name: string): string | undefined {
  const header = objectsOf(part.headers).find((candidate) =>
    textOf(candidate.name)?.toLowerCase() === name
  );
  return textOf(header?.value);
}

function isNamedInvitation(file: JsonObject): boolean {
  const { filename, mimeType } = file;
  return typeof filename === "string" &&
    (/\.ics$/i.test(filename) || mimeType === "text/calendar" || mimeType === "application/ics");
}

function isUnnamedInvitation(file: JsonObject): boolean {
  return file.mimeType === "text/calendar" && file.filename === undefined &&
    file.attachmentId === undefined;
}

/** Content without a name that is no text all the same, such as an inline picture. */
function isFile(mimeType: string, body: JsonObject): boolean {
  return !mimeType.startsWith("text/") && !mimeType.startsWith("multipart/") &&
    textOf(body.data) !== undefined;
}

function attachment(
  part: { filename: string; mimeType: string; body: JsonObject },
): JsonObject {
  return {
    ...(part.filename !== "" && { filename: part.filename }),
    mimeType: part.mimeType,
    ...(typeof part.body.size === "number" && { size: part.body.size }),
    ...(textOf(part.body.attachmentId) !== undefined && {
      attachmentId: part.body.attachmentId as string,
    }),
  };
}

function leafText(
  part: JsonObject,
  leaf: { mimeType: string; body: JsonObject },
): PartText | undefined {
  const encoded = textOf(leaf.body.data);
  if (encoded === undefined) return undefined;
  const bytes = decodeBase64(encoded);
  const type = headerOf(part, "content-type") ?? "";
  const html = leaf.mimeType === "text/html";
  const charset = /charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1] ??
    (html ? pageCharset(bytes) : undefined);
  const text = decodeText(bytes, charset);
  if (html) return { text: htmlText(text), form: "html" };
  if (leaf.mimeType !== "text/plain") return { text: tidyText(text), form: "other" };
  const isFlowed = /;\s*format\s*=\s*"?flowed\b/i.test(type);
  const paragraphs = isFlowed
    ? unflowed(text, { dropSpace: /;\s*delsp\s*=\s*"?yes\b/i.test(type) })
    : text;
  return { text: tidyText(paragraphs), form: "plain" };
}

/** Where a page says its own charset, as far as browsers look for it. */
const PAGE_HEAD_BYTES = 1_024;

function pageCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PAGE_HEAD_BYTES));
  return /<meta\s[^>]*charset\s*=\s*["']?([^\s"'>;/]+)/i.exec(head)?.[1];
}

/** Length below which a plain alternative may be a mere pointer to the HTML one. */
const POINTER_LENGTH = 200;
const POINTER_RATIO = 4;

/** Plain text says it all as a rule; "please use an HTML reader" does not. */
function preferred(texts: readonly PartText[]): PartText | undefined {
  const plain = texts.find(({ text, form }) => form === "plain" && text !== "");
  const html = texts.findLast(({ text, form }) => form === "html" && text !== "");
  if (plain === undefined || html === undefined) {
    return plain ?? html ?? texts.find(({ text }) => text !== "");
  }
  const isPointer = plain.text.length < POINTER_LENGTH &&
    html.text.length > POINTER_RATIO * plain.text.length;
  return isPointer ? html : plain;
}
