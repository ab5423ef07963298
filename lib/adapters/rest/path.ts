/** Filling a path template without leaving its host or its segments (spec 02 §3.11.1). Pure. */

import { GumError } from "../../errors/mod.ts";
import { isRawNumber, type JsonObject, type JsonValue } from "../../json/mod.ts";

const DEFAULT_ROOT = "https://www.googleapis.com";
const PLACEHOLDER = /\{(\+?)([^}]+)\}/g;

/** Names of the placeholders of a template. */
export function placeholdersOf(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map((match) => match[2] ?? "");
}

/**
 * Expands `{name}` to one encoded segment part and `{+name}` to reserved text.
 *
 * @throws GumError `INVALID_ARGS` when a value is missing, is no scalar, or would lead elsewhere.
 */
export function expandPath(template: string, args: JsonObject): URL {
  const absolute = template.startsWith("https://") || template.startsWith("http://")
    ? template
    : `${DEFAULT_ROOT}/${template.replace(/^\//, "")}`;
  const expanded = absolute.replace(PLACEHOLDER, (_whole, plus: string, name: string) => {
    const given = scalarText(args, name).toWellFormed();
    // Line breaks go before anything is judged: without them `.` and `.` may have become `..`.
    const text = plus === "+" ? given.replace(/[\r\n]/g, "") : given;
    requireHarmlessSegments(text, { name, reserved: plus === "+" });
    return plus === "+" ? reserved(text) : encodeURIComponent(text).replace(/[!'()*]/g, percent);
  });
  return new URL(expanded);
}

/** A JSON scalar as wire text, numbers in plain decimal; undefined for anything else. */
export function wireText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return plainDecimal(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

function scalarText(args: JsonObject, name: string): string {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined || value === null) throw refusal(name, { missing: true });
  const text = wireText(value);
  if (text === undefined) throw refusal(name, { missing: false, why: "must be text or a number" });
  return text;
}

/** `.`, `..` and nothing resolve to another endpoint, encoded or not. */
function requireHarmlessSegments(
  text: string,
  placeholder: { name: string; reserved: boolean },
): void {
  const segments = placeholder.reserved ? text.split(/[/\\]/) : [text];
  // An encoded slash or dot inside reserved text is resolved by some servers, so look through it.
  const seen = segments.flatMap((segment) => [segment, ...decoded(segment).split(/[/\\]/)])
    // URL parsers drop tabs and line breaks, encoded or not by the time someone resolves them.
    .map((segment) => segment.replace(/[\t\r\n]/g, ""));
  const harmful = text === "" || seen.some((segment) => segment === "." || segment === "..");
  if (harmful) {
    throw refusal(placeholder.name, {
      missing: false,
      why: text === "" ? "must not be empty" : "must name a resource, not a path step",
    });
  }
}

/** Percent-decoding until nothing changes, tolerating text that is not encoded. */
function decoded(text: string): string {
  let current = text;
  for (let round = 0; round < 4; round++) {
    const next = current.replace(/%([0-9a-fA-F]{2})/g, (whole, hex: string) => {
      const code = parseInt(hex, 16);
      return code < 0x80 ? String.fromCharCode(code) : whole;
    });
    if (next === current) return current;
    current = next;
  }
  return current;
}

/** Keeps reserved characters, so that `projects/x/locations/y` stays a path; cannot start a query. */
function reserved(text: string): string {
  return encodeURI(text)
    .replace(/%25([0-9a-fA-F]{2})/g, "%$1")
    .replace(/[?#\\]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function plainDecimal(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  if (!/e/i.test(text)) return text;
  if (Number.isInteger(value)) return BigInt(value).toString();
  // What is left is smaller than 1e-6: `1.5e-7`. Every digit counts, so the point is moved in text.
  const [, sign = "", digits = "", exponent = "0"] = /^(-?)([0-9.]+)e-([0-9]+)$/.exec(text) ?? [];
  return `${sign}0.${"0".repeat(Number(exponent) - 1)}${digits.replace(".", "")}`;
}

function refusal(name: string, problem: { missing: boolean; why?: string }): GumError {
  const message = problem.missing ? `${name} is missing` : `${name} ${problem.why}`;
  return new GumError("INVALID_ARGS", {
    message,
    details: {
      field: name,
      missing: problem.missing ? [name] : [],
      unknown: [],
      type_errors: problem.missing ? [] : [message],
    },
    userMessage: message,
  });
}
