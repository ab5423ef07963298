/** One text for a call's arguments (spec 02 §3.3.5). */

import { jcs } from "../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";

/** RFC 8785 text of the arguments, instants brought to UTC first when asked. */
export function canonicalArgs(
  args: JsonObject,
  options: { normalizeDatetimes?: boolean } = {},
): string {
  return jcs(options.normalizeDatetimes ? normalized(args) : args);
}

const DATE_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/;

function normalized(value: JsonValue): JsonValue {
  if (typeof value === "string") return utcSecond(value) ?? value;
  if (Array.isArray(value)) return value.map(normalized);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, normalized(value[key] ?? null));
  return copy;
}

/** A full RFC 3339 instant in UTC at second precision; undefined for any other text. */
function utcSecond(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const zone = match[7] ?? "Z";
  const [zoneHour, zoneMinute] = zone === "Z" ? [0, 0] : zone.slice(1).split(":").map(Number);
  if (
    year === undefined || month === undefined || day === undefined || hour === undefined ||
    minute === undefined || second === undefined || zoneHour === undefined ||
    zoneMinute === undefined || hour > 23 || minute > 59 || second > 59 || zoneHour > 23 ||
    zoneMinute > 59
  ) return undefined;
  const local = new Date(Date.UTC(2000, 0, 1, hour, minute, second));
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  const offset = (zoneHour * 60 + zoneMinute) * 60_000 * (zone.startsWith("-") ? -1 : 1);
  const instant = new Date(local.getTime() - offset);
  // Years outside 0000-9999 have no four-digit text.
  const utc = instant.toISOString();
  return /^[0-9]{4}-/.test(utc) ? utc.replace(/\.[0-9]{3}Z$/, "Z") : undefined;
}
