/** Argument values as Keyword Planner wants them (spec 02 §3.11.4). Pure. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { invalidArgument } from "../refusals.ts";
import { wireText } from "../rest/path.ts";

/** An argument by name; `null` counts as absent. */
export function given(args: JsonObject, name: string): JsonValue | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value === null ? undefined : value;
}

/** Text of a scalar argument, trimmed; undefined when absent or blank. */
export function textArgument(args: JsonObject, name: string): string | undefined {
  const value = given(args, name);
  if (value === undefined) return undefined;
  const text = wireText(value)?.trim();
  if (text === undefined) throw invalidArgument(name, "must be text");
  return text === "" ? undefined : text;
}

/** An account id without its dashes and blanks; undefined when absent. */
export function accountId(args: JsonObject, name: string): string | undefined {
  const text = textArgument(args, name);
  if (text === undefined) return undefined;
  const digits = text.replace(/[-\s]/g, "");
  if (!/^[0-9]{10}$/.test(digits)) throw invalidArgument(name, "must be ten digits");
  return digits;
}

/** An array, or comma-separated text, as trimmed texts without the empty ones. */
export function textList(args: JsonObject, name: string): string[] {
  const value = given(args, name);
  if (value === undefined) return [];
  const elements = Array.isArray(value) ? value : wireText(value)?.split(",");
  if (elements === undefined) throw invalidArgument(name, "must be a list of texts");
  return elements.map((element) => {
    const text = wireText(element)?.trim();
    if (text === undefined) throw invalidArgument(name, "must be a list of texts");
    return text;
  }).filter((text) => text !== "");
}

/** `2840` and `geoTargetConstants/2840` both become the resource name. */
export function resourceName(id: string, named: { field: string; collection: string }): string {
  const { field, collection } = named;
  const digits = id.startsWith(`${collection}/`) ? id.slice(collection.length + 1) : id;
  if (/^[0-9]+$/.test(digits)) return `${collection}/${digits}`;
  throw invalidArgument(field, `must be a number or ${collection}/<number>`);
}

/** One of a closed list, in the list's spelling; the fallback when absent. */
export function choice<T extends string>(
  args: JsonObject,
  wanted: { name: string; choices: readonly T[]; fallback: T },
): T {
  const text = textArgument(args, wanted.name);
  if (text === undefined) return wanted.fallback;
  const found = wanted.choices.find((known) => known === text.toUpperCase());
  if (found === undefined) {
    throw invalidArgument(wanted.name, `must be one of ${wanted.choices.join(", ")}`);
  }
  return found;
}

/** A whole number given as number or text; undefined when absent. */
export function wholeNumber(args: JsonObject, name: string): number | undefined {
  const text = textArgument(args, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^-?[0-9]+$/.test(text) || !Number.isSafeInteger(number)) {
    throw invalidArgument(name, "must be a whole number");
  }
  return number;
}

/** A switch given as boolean or text; false when absent. */
export function flag(args: JsonObject, name: string): boolean {
  const text = textArgument(args, name)?.toLowerCase();
  if (text === undefined || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw invalidArgument(name, "must be true or false");
}

/** A calendar date `YYYY-MM-DD` that exists; undefined when absent. */
export function calendarDate(args: JsonObject, name: string): string | undefined {
  const text = textArgument(args, name);
  if (text === undefined) return undefined;
  const at = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  if (Number.isNaN(at) || isoDate(at) !== text) {
    throw invalidArgument(name, "must be a date, YYYY-MM-DD");
  }
  return text;
}

/** The UTC calendar date of an instant. */
export function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
