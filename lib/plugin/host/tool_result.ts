/** What a plugin's answer means (spec 06 §3.19 step 5, §3.20). Its text is untrusted. */

import { GumError } from "../../errors/mod.ts";
import { decodeToonDocument, ToonDecodeError, toonDocumentValue } from "../../format/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";

/** An answer, judged. */
export type ToolVerdict =
  | {
    kind: "body";
    /** JSON text. */
    text: string;
  }
  | {
    kind: "failed";
    /** The plugin's own code, as it wrote it; "" when it gave none. */
    sourceErrorCode: string;
    message: string;
    retryable: boolean;
    retryAfterMs?: number;
  }
  /** A document in a version of the format that GUM does not read. */
  | { kind: "toon_version"; version: number };

/** An answer and the tool that gave it. */
interface CalledTool {
  result: JsonObject;
  verdict: ToolVerdict;
}

/** Judges a `CallToolResult`. Never throws, whatever the plugin sent. */
export function judgeToolResult(result: JsonObject): ToolVerdict {
  const texts = textBlocks(result);
  if (result.isError === true) return failure(parsedObject(texts[0] ?? ""), texts[0] ?? "");
  const { structuredContent } = result;
  if (isJsonObject(structuredContent)) {
    return claimedFailure(structuredContent) ??
      { kind: "body", text: JSON.stringify(structuredContent) };
  }
  const blocks = Array.isArray(result.content) ? result.content : [];
  const [only] = texts;
  if (only === undefined || blocks.length !== 1) {
    return { kind: "body", text: JSON.stringify({ content: blocks }) };
  }
  return judgeText(only);
}

function judgeText(text: string): ToolVerdict {
  const start = text.trimStart()[0];
  if (start === "{" || start === "[") {
    const value = parsed(text);
    if (isJsonObject(value)) return claimedFailure(value) ?? { kind: "body", text };
    if (value !== undefined) return { kind: "body", text };
  }
  if (isToonDocument(text)) return judgeToon(text);
  return { kind: "body", text: JSON.stringify({ text }) };
}

/** Both lines in the lines before the first blank one (spec 06 §3.20). */
function isToonDocument(text: string): boolean {
  const header = /^([\s\S]*?)(?:\r?\n){2}/.exec(text)?.[1] ?? text;
  return /^op:/m.test(header) && /^format_version:/m.test(header);
}

function judgeToon(text: string): ToolVerdict {
  try {
    const document = decodeToonDocument(text);
    const body: JsonObject = { items: toonDocumentValue({ ...document, records: undefined }) };
    if (document.nextPageToken !== undefined) body.nextPageToken = document.nextPageToken;
    return { kind: "body", text: JSON.stringify(body) };
  } catch (error) {
    if (error instanceof GumError && error.code === "TOON_VERSION_UNSUPPORTED") {
      return { kind: "toon_version", version: Number(error.details.format_version) };
    }
    if (!(error instanceof ToonDecodeError) && !(error instanceof GumError)) throw error;
    return {
      kind: "failed",
      sourceErrorCode: "PARSE_FAILURE",
      message: `the plugin's table cannot be read: ${error.message}`,
      retryable: false,
    };
  }
}

function claimedFailure(body: JsonObject): ToolVerdict | undefined {
  return body.success === false && typeof body.error_code === "string"
    ? failure(body, "")
    : undefined;
}

function failure(body: JsonObject | undefined, text: string): ToolVerdict {
  const code = typeof body?.error_code === "string" ? body.error_code : "";
  const said = [body?.error, body?.message].find((part) => typeof part === "string" && part !== "");
  const wait = body?.retry_after_ms;
  return {
    kind: "failed",
    sourceErrorCode: code,
    message: typeof said === "string" ? said : body === undefined ? text : "",
    retryable: body?.retryable === true,
    ...(typeof wait === "number" && Number.isSafeInteger(wait) && wait > 0
      ? { retryAfterMs: wait }
      : {}),
  };
}

function textBlocks(result: JsonObject): string[] {
  return (Array.isArray(result.content) ? result.content : []).flatMap((block) =>
    isJsonObject(block) && block.type === "text" && typeof block.text === "string"
      ? [block.text]
      : []
  );
}

function parsedObject(text: string): JsonObject | undefined {
  const value = parsed(text);
  return isJsonObject(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // plain text
  }
}
