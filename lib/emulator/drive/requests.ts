/** Reading requests and framing answers, shared by the Workspace services of the emulator. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { base64Url, utf8 } from "../encoding.ts";
import { type Page, paginate } from "../paging.ts";
import { hashHex } from "../random.ts";
import { type EmulatedCall, EmulatedError, type SeededRandom } from "../service.ts";

/** A yes/no query parameter; anything but `true`/`false` is a 400, as Google answers. */
export function flag(
  query: URLSearchParams,
  name: string,
  { fallback = false }: { fallback?: boolean } = {},
): boolean {
  const given = query.get(name);
  if (given === null || given === "") return fallback;
  if (given === "true" || given === "1") return true;
  if (given === "false" || given === "0") return false;
  throw invalid(`Invalid value for ${name}: ${given}`);
}

/** Bounds of an integer query parameter. */
export interface IntegerBounds {
  fallback: number;
  min: number;
  max: number;
  /** Above `max`: use `max` (Calendar, Tasks) or refuse (Drive). */
  above?: "clamp" | "refuse";
}

/** An integer query parameter within bounds; 400 when it is none. */
export function integer(query: URLSearchParams, name: string, bounds: IntegerBounds): number {
  const given = query.get(name);
  if (given === null || given === "") return bounds.fallback;
  const value = Number(given);
  if (!/^-?[0-9]+$/.test(given) || value < bounds.min) {
    throw invalid(
      `Invalid value '${given}'. Values must be within the range: [${bounds.min}, ${bounds.max}]`,
    );
  }
  if (value > bounds.max) {
    if (bounds.above === "clamp") return bounds.max;
    throw invalid(
      `Invalid value '${given}'. Values must be within the range: [${bounds.min}, ${bounds.max}]`,
    );
  }
  return value;
}

/** An RFC 3339 query parameter as milliseconds; undefined when absent, 400 when malformed. */
export function instant(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null || given === "") return undefined;
  return parseInstant(given, name);
}

/** Milliseconds of an RFC 3339 date-time with offset; 400 naming the field otherwise. */
export function parseInstant(text: string, name: string): number {
  const shape =
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})$/i;
  const value = shape.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(value)) {
    throw invalid(`Bad Request: ${name} is not an RFC 3339 date-time`, "badRequest");
  }
  return value;
}

/** The JSON object of the body; an absent body counts as `{}`. */
export function bodyObject(call: EmulatedCall): JsonObject {
  if (call.body === undefined || call.body === null) return {};
  if (!isJsonObject(call.body)) throw invalid("Parse Error", "parseError");
  return call.body;
}

/** A string member of a body; undefined when absent or null; 400 for another type. */
export function textMember(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") {
    throw invalid(`Invalid value at '${name}' (TYPE_STRING)`);
  }
  return value;
}

/** A boolean member of a body; undefined when absent or null; 400 for another type. */
export function booleanMember(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw invalid(`Invalid value at '${name}' (TYPE_BOOL)`);
  return value;
}

/** An object member, or undefined. */
export function objectMember(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  return isJsonObject(value) ? value : undefined;
}

/** The objects of an array member; empty when absent. */
export function objectsMember(body: JsonObject, name: string): JsonObject[] {
  const value = body[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A 400 with Google's usual reason. */
export function invalid(message: string, reason = "invalid"): EmulatedError {
  return new EmulatedError(400, message, { reason, status: "INVALID_ARGUMENT" });
}

/** A 400 whose message says nothing; only the parameter beside it does. */
export function invalidParameter(parameter: string): EmulatedError {
  return new EmulatedError(400, "Invalid Value", {
    reason: "invalid",
    status: "INVALID_ARGUMENT",
    parameter,
  });
}

/** A 404. */
export function notFound(message: string): EmulatedError {
  return new EmulatedError(404, message, { reason: "notFound", status: "NOT_FOUND" });
}

/** A copy that shares nothing with the state; large integers stay exact. */
export function copyOf<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => copyOf(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) copy[key] = copyOf(member);
  return copy as T;
}

/** Milliseconds as Google prints them: UTC with millisecond precision. */
export function stamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** `length` characters of the URL-safe base64 alphabet. */
export function opaqueId(random: SeededRandom, length: number): string {
  let id = "";
  for (let i = 0; i < length; i++) id += ID_ALPHABET[random.int(0, 63)];
  return id;
}

/** A quoted entity tag that changes with the text it is made of. */
export function entityTag(...parts: (string | number)[]): string {
  return `"${hashHex(parts.join("\u0000"), 16)}"`;
}

/** Text as base64url without padding. */
export function encodeBase64Url(text: string): string {
  return base64Url(utf8(text));
}

/** How to cut a list into pages. */
export interface PageOptions {
  /** Already within the method's limits. */
  size: number;
  token: string | null;
  /** What the list is of: a token of another list or filter is refused. */
  scope: string;
}

/** Cuts one page out of a list; a token that belongs to another list is a 400. */
export function pageOf<T>(items: readonly T[], options: PageOptions): Page<T> {
  return paginate(items, {
    pageToken: options.token,
    pageSize: options.size,
    defaultSize: options.size,
    maximumSize: options.size,
    scope: options.scope,
    reason: "invalid",
    message: "Invalid Value",
  });
}

/** The query without the parameters that do not select: paging, masks, credentials. */
export function selection(query: URLSearchParams): string {
  const neutral = new Set([
    "pageToken",
    "fields",
    "pageSize",
    "maxResults",
    "key",
    "alt",
    "prettyPrint",
    "quotaUser",
  ]);
  return JSON.stringify([...query].filter(([name]) => !neutral.has(name)).sort());
}
