/** Reading requests and framing answers, shared by the Workspace services of the emulator. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { type EmulatedCall, EmulatedError, type SeededRandom } from "../service.ts";

/** A yes/no query parameter; anything but `true`/`false` is a 400, as Google answers. */
export function flag(query: URLSearchParams, name: string, fallback = false): boolean {
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
  const shape = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})$/i;
  const value = shape.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(value)) throw invalid(`Bad Request: ${name} is not an RFC 3339 date-time`, "badRequest");
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

/** Two independent 32-bit hashes of a text as 16 hex digits: an identity, not a security measure. */
export function textHash(text: string): string {
  let a = 0x811c9dc5, b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + i), 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0");
}

/** A quoted entity tag that changes with the text it is made of. */
export function entityTag(...parts: (string | number)[]): string {
  return `"${encodeBase64Url(textHash(parts.join("\u0000")))}"`;
}

/** Text as base64url without padding. */
export function encodeBase64Url(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** What base64url text stands for; undefined when it is none. */
export function decodeBase64Url(text: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.fromBase64(text, { alphabet: "base64url" }),
    );
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  nextPageToken?: string;
}

/** How to cut a list into pages. */
export interface PageOptions {
  size: number;
  token: string | null;
  /** What the list is of: a token of another list or filter is refused. */
  scope: string;
}

/** Cuts one page out of a list; a token that belongs to another list is a 400. */
export function pageOf<T>(items: readonly T[], options: PageOptions): Page<T> {
  const scope = textHash(options.scope);
  let start = 0;
  if (options.token !== null && options.token !== "") {
    const match = /^page:([0-9a-f]{16}):([0-9]+)$/.exec(decodeBase64Url(options.token) ?? "");
    if (match === null || match[1] !== scope) throw invalid("Invalid Value");
    start = Number(match[2]);
  }
  const end = start + options.size;
  const page: Page<T> = { items: items.slice(start, end) };
  if (end < items.length) page.nextPageToken = encodeBase64Url(`page:${scope}:${end}`);
  return page;
}
