/** Which text of a MIME tree a reader wants, and which files hang on it. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { decodeBase64, decodeText } from "./charset_text.ts";
import { NESTING_LIMIT, objectOf, objectsOf, textOf } from "./derive.ts";
import { htmlText, tidyText } from "./html_text.ts";

/** What a message says and carries. */
export interface MailContent {
  text?: string;
  attachments: JsonValue[];
}

/** The best text and the files of a payload, in the form of `messages.get`. */
export function mailContent(payload: JsonObject): MailContent {
  const attachments: JsonValue[] = [];
  const text = bestText(payload, { attachments, depth: 0 })?.text;
  return { text: text === "" ? undefined : text, attachments };
}

interface Reading {
  attachments: JsonValue[];
  depth: number;
}

interface PartText {
  text: string;
  html: boolean;
}

function bestText(part: JsonObject, reading: Reading): PartText | undefined {
  if (reading.depth > NESTING_LIMIT) return undefined;
  const mimeType = (textOf(part.mimeType) ?? "text/plain").toLowerCase();
  const children = objectsOf(part.parts);
  const body = objectOf(part.body);
  if (children.length === 0) {
    const attachmentId = textOf(body.attachmentId);
    const filename = textOf(part.filename) ?? "";
    if (filename !== "" || attachmentId !== undefined || isFile(mimeType, body)) {
      reading.attachments.push(attachment({ filename, mimeType, body }));
      return undefined;
    }
    return leafText(part, { mimeType, body });
  }
  const deeper = { ...reading, depth: reading.depth + 1 };
  const texts = children.flatMap((child) => bestText(child, deeper) ?? []);
  if (mimeType === "multipart/alternative") return preferred(texts);
  const text = texts.map((found) => found.text).filter((found) => found !== "").join("\n\n");
  return texts.length === 0 ? undefined : { text, html: texts.every((found) => found.html) };
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
    ...(part.body.size !== undefined && { size: part.body.size }),
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
  const text = decodeText(decodeBase64(encoded), charsetOf(part));
  const html = leaf.mimeType === "text/html";
  return { text: html ? htmlText(text) : tidyText(text), html };
}

function charsetOf(part: JsonObject): string | undefined {
  const header = objectsOf(part.headers).find((candidate) =>
    textOf(candidate.name)?.toLowerCase() === "content-type"
  );
  return /charset\s*=\s*"?([^\s";]+)/i.exec(textOf(header?.value) ?? "")?.[1];
}

/** Length below which a plain alternative may be a mere pointer to the HTML one. */
const POINTER_LENGTH = 200;
const POINTER_RATIO = 4;

/** Plain text says it all as a rule; "please use an HTML reader" does not. */
function preferred(texts: readonly PartText[]): PartText | undefined {
  const plain = texts.find((found) => !found.html && found.text !== "");
  const html = texts.findLast((found) => found.html && found.text !== "");
  if (plain === undefined || html === undefined) return plain ?? html;
  const isPointer = plain.text.length < POINTER_LENGTH &&
    html.text.length > POINTER_RATIO * plain.text.length;
  return isPointer ? html : plain;
}
