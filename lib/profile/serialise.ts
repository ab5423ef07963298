/** Writing a profile as bare TOML (spec 03 §3.1). */

import { PROFILE_KEYS } from "./dsl.ts";
import type { Profile, ResolvedProfile } from "./types.ts";

/** Bare TOML text with only the declared keys, in the schema's order. */
export function serialiseProfile(profile: Profile | ResolvedProfile): string {
  const declared = profile as unknown as Record<string, unknown>;
  const lines = PROFILE_KEYS
    .filter((key) => declared[key] !== undefined)
    .map((key) => `${key} = ${tomlValue(declared[key])}\n`);
  return lines.join("");
}

function tomlValue(value: unknown): string {
  if (typeof value === "string") return tomlString(value);
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) =>
        key === "fields" ? `fields = ${tomlLimits(member)}` : `${key} = ${tomlValue(member)}`
      );
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  return String(value);
}

/** Field names hold dots, so they are always quoted. */
function tomlLimits(limits: Record<string, number>): string {
  const members = Object.keys(limits).sort().map((key) => `${tomlString(key)} = ${limits[key]}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A basic string. TOML also forbids DEL, which JSON leaves alone. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");
}
