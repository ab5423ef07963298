/** Tool results from what the kernel answers (spec 01 §3.10). */

import { commandsAsTools, jcs } from "../lib/format/mod.ts";
import type { ShapedResponse } from "../lib/dispatch/types.ts";
import { findGumError, GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import { stringifyBigIntegers } from "../lib/shape/mod.ts";
import { showNamesIn } from "./tool_names.ts";
import type { ContentBlock, ToolNameForm, ToolResult } from "./types.ts";

/** Longest description of a `resource_link`, in characters. */
const LINK_DESCRIPTION_CHARS = 120;

/** Longest text of an envelope that is passed on, in characters: a caller's own words come back. */
const ENVELOPE_TEXT_CHARS = 2_000;

/** What an envelope gives to be sent back byte for byte, or has a limit of its own. */
const WHOLE_KEYS = new Set([
  "confirmation_token",
  "operation_name",
  "partial_output",
  "resume_handle",
]);

/** Keys of an envelope whose text may name tools. */
const SPOKEN_KEYS = new Set([
  "message",
  "user_message",
  "suggestion",
  "hint",
  "tool",
  "required_tool",
]);

/** A successful dispatch as a tool result. */
export function renderResponse(response: ShapedResponse, form: ToolNameForm): ToolResult {
  if (response.unchanged !== undefined) {
    return objectResult({ unchanged: true, etag: response.unchanged.etag });
  }
  const text = new TextDecoder().decode(response.body);
  const { structured, shown } = structuredOf(response, text);
  const content: ContentBlock[] = [{ type: "text", text: shown }];
  if (response.notice.mcp !== "") {
    content.push({ type: "text", text: showNamesIn(response.notice.mcp, form) });
  }
  const link = recoveryLink(response);
  if (link !== undefined) content.push(link);
  return { content, structuredContent: structured };
}

/** An object as result, with its JSON as text. */
export function objectResult(value: JsonObject): ToolResult {
  const structured = stringifyBigIntegers(value) as JsonObject;
  return {
    content: [{ type: "text", text: JSON.stringify(structured) }],
    structuredContent: structured,
  };
}

/** Anything thrown, as an error envelope in a result without `structuredContent`. */
export function renderError(
  error: unknown,
  context: { form: ToolNameForm; opId?: string },
): ToolResult {
  const known = findGumError(error) ?? unstructured(error, context.opId);
  return {
    content: [{ type: "text", text: envelopeText(known, context.form) }],
    isError: true,
  };
}

function unstructured(error: unknown, opId: string | undefined): GumError {
  return new GumError("SERVICE_DOWN", {
    message: error instanceof Error ? error.message : String(error),
    userMessage: "The call failed inside GUM.",
    suggestion: "Try again later; report it if it keeps happening.",
    details: opId === undefined ? {} : { op_id: opId },
    retryable: false,
    cause: error,
  });
}

function envelopeText(error: GumError, form: ToolNameForm): string {
  const envelope = error.toEnvelope();
  try {
    for (const [key, value] of Object.entries(envelope)) {
      const shown = WHOLE_KEYS.has(key) ? value : shortened(value);
      envelope[key] = SPOKEN_KEYS.has(key) && typeof shown === "string"
        ? showNamesIn(commandsAsTools(shown), form)
        : shown;
    }
    return JSON.stringify(envelope);
  } catch (cause) {
    return JSON.stringify(
      new GumError("SERVICE_DOWN", {
        message: "the error could not be encoded",
        details: { source_error_code: "JSON_ENCODE_FAILED" },
        retryable: false,
        cause,
      }).toEnvelope(),
    );
  }
}

/** Cuts texts, so that an error never costs more than the call that caused it. */
export function shortened(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    return value.length <= ENVELOPE_TEXT_CHARS
      ? value
      : `${value.slice(0, ENVELOPE_TEXT_CHARS).toWellFormed()}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

interface Structured {
  structured: JsonObject;
  /** The first text block. */
  shown: string;
}

function structuredOf(response: ShapedResponse, text: string): Structured {
  const _expression: JsonObject = response.expression ?? {};
  switch (response.format) {
    case "toon": {
      const structured: JsonObject = {
        format: "toon",
        toon: text,
        op: response.opId,
        variant: response.variantId,
      };
      const nextPageToken = pageTokenOf(response);
      if (nextPageToken !== undefined) structured.next_page_token = nextPageToken;
      structured._expression = _expression;
      return { structured, shown: text };
    }
    case "json": {
      const value = response.structuredContent ?? null;
      if (nestsDeeper(value, DEEPEST_DATA)) {
        return { structured: { format: "json", data: text, _expression }, shown: text };
      }
      const data = stringifyBigIntegers(value);
      // The same values in both places; only integers that a client would round differ from stage 8.
      const shown = data === value || _expression.big_integer_paths === undefined
        ? text
        : jcs(data, { loneSurrogates: "escape" });
      return { structured: { format: "json", data, _expression }, shown };
    }
    case "csv":
    case "markdown":
      return { structured: { format: response.format, data: text, _expression }, shown: text };
    case "raw": {
      const value = jsonOrText(text);
      const data = nestsDeeper(value, DEEPEST_DATA) ? text : stringifyBigIntegers(value);
      return { structured: { format: "json", data, _expression }, shown: text };
    }
  }
}

/**
 * Levels of `data` below which it goes out as one text. Many a client's JSON reader stops at 128 for
 * the whole message, and what it cannot read ends its connection.
 */
const DEEPEST_DATA = 100;

function nestsDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) =>
    member !== undefined && nestsDeeper(member, levels - 1)
  );
}

/** The value of a JSON text, and any other text as it is. */
export function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** The page token of the answer, also when the profile keeps it out of the shaped rows. */
function pageTokenOf(response: ShapedResponse): string | undefined {
  const shaped = response.structuredContent;
  if (isJsonObject(shaped) && typeof shaped.nextPageToken === "string") {
    return shaped.nextPageToken || undefined;
  }
  if (response.upstreamBytes === undefined) return undefined;
  const upstream = new TextDecoder().decode(response.upstreamBytes);
  if (!upstream.includes('"nextPageToken"')) return undefined;
  const body = jsonOrText(upstream);
  const token = isJsonObject(body) ? body.nextPageToken : undefined;
  return typeof token === "string" && token !== "" ? token : undefined;
}

function recoveryLink(response: ShapedResponse): ContentBlock | undefined {
  const uri = response.expression?.full_result_resource;
  if (typeof uri !== "string") return undefined;
  const description = `Unshaped result of ${response.opId}`;
  return {
    type: "resource_link",
    uri,
    name: "full_result",
    mimeType: "application/json",
    description: description.length <= LINK_DESCRIPTION_CHARS
      ? description
      : description.slice(0, LINK_DESCRIPTION_CHARS - 3) + "...",
    ...(response.fullResultSize === undefined ? {} : { size: response.fullResultSize }),
  };
}
