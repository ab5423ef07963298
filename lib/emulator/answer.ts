/** From what a service answers to what goes over the wire: masks, etags, framing. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { utf8 } from "./encoding.ts";
import type { WireAnswer } from "./faults.ts";
import { partialResponse } from "./partial_response.ts";
import { type EmulatedAnswer, EmulatedError } from "./service.ts";

/** What of the request shapes its answer. */
export interface AnswerContext {
  method: string;
  query: URLSearchParams;
  headers: Headers;
}

const JSON_TYPE = "application/json; charset=UTF-8";

/** Renders an answer: `alt`, `prettyPrint`, `fields`, `ETag`, `If-None-Match`. */
export async function renderAnswer(
  answer: EmulatedAnswer,
  context: AnswerContext,
): Promise<WireAnswer> {
  const headers = new Headers({
    "cache-control": "private",
    "vary": "Origin, X-Origin, Referer",
    "x-content-type-options": "nosniff",
  });
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers.set(name, value);
  const { body } = answer;
  const status = answer.status ?? (body === undefined ? 204 : 200);
  if (body === undefined) return { status, headers, bytes: new Uint8Array() };
  if (body instanceof Uint8Array) {
    headers.set("content-type", answer.contentType ?? "application/octet-stream");
    return revalidate({ status, headers, bytes: new Uint8Array(body) }, context);
  }
  headers.set("content-type", answer.contentType ?? JSON_TYPE);
  const pretty = !/^(false|0)$/.test(context.query.get("prettyPrint") ?? "");
  const whole = renderJson(body, pretty);
  if (!headers.has("etag")) headers.set("etag", await etagOf(body, whole));
  const fields = status < 300 ? context.query.get("fields") : null;
  const bytes = fields ? renderJson(partialResponse(body, fields), pretty) : whole;
  return revalidate({ status, headers, bytes }, context);
}

/** JSON text as bytes; Google indents by two blanks unless asked not to. */
function renderJson(body: JsonValue, pretty = true): Uint8Array<ArrayBuffer> {
  return utf8(pretty ? `${JSON.stringify(body, undefined, 2)}\n` : JSON.stringify(body));
}

async function etagOf(body: JsonValue, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const own = isJsonObject(body) ? body.etag : undefined;
  if (typeof own === "string" && own !== "") {
    return /^(W\/)?"/.test(own) ? own : `"${own.replaceAll('"', "")}"`;
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
  return `W/"${digest.toBase64({ alphabet: "base64url", omitPadding: true })}"`;
}

function revalidate(answer: WireAnswer, context: AnswerContext): WireAnswer {
  const etag = answer.headers.get("etag");
  const asked = context.headers.get("if-none-match");
  const readable = context.method === "GET" || context.method === "HEAD";
  if (!readable || answer.status !== 200 || etag === null || asked === null) return answer;
  if (!matchesEtag(asked, etag)) return answer;
  const headers = new Headers(answer.headers);
  headers.delete("content-type");
  return { status: 304, headers, bytes: new Uint8Array() };
}

/** Weak comparison of a list of tags with one, as `If-None-Match` asks for. */
export function matchesEtag(list: string, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return list.trim() === "*" || list.split(",").some((tag) => bare(tag) === bare(etag));
}

/** Refuses an `alt` that the emulator cannot speak. @throws EmulatedError 400. */
export function checkAlt(query: URLSearchParams): void {
  const alt = query.get("alt");
  if (alt === null || alt === "json" || alt === "media" || alt === "sse") return;
  throw new EmulatedError(400, `Invalid value "${alt.slice(0, 40)}" for parameter alt.`, {
    reason: "invalidParameter",
    status: "INVALID_ARGUMENT",
  });
}

/** Puts the request's own page token into the answer again, so that a naive reader loops. */
export function repeatPageToken(answer: EmulatedAnswer, query: URLSearchParams): EmulatedAnswer {
  const token = query.get("pageToken");
  if (token === null || answer.body instanceof Uint8Array || !isJsonObject(answer.body ?? null)) {
    return answer;
  }
  return { ...answer, body: { ...(answer.body as JsonObject), nextPageToken: token } };
}
