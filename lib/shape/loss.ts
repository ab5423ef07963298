/** What a call could remove and what its result counts as (spec 03 §3.5–§3.7). */

import { recordArray, recordKey } from "../format/mod.ts";
import { isJsonObject, type JsonValue } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";

/** The cap of stage 5 in force for a call; undefined is none. */
export function effectiveCap(
  profile: ResolvedProfile | undefined,
  maxItems: number | "all" | undefined,
): number | undefined {
  if (maxItems === "all") return undefined;
  return maxItems ?? profile?.collapse_arrays?.max_items;
}

/** Whether a profile could remove anything from a call with this cap. */
export function isLossy(
  profile: ResolvedProfile | undefined,
  maxItems: number | "all" | undefined,
): boolean {
  if (effectiveCap(profile, maxItems) !== undefined) return true;
  if (profile === undefined) return false;
  const listed = [profile.projection, profile.keep_fields, profile.drop_fields];
  return listed.some((list) => list !== undefined && list.length > 0) ||
    profile.strip_nulls === true || profile.truncate_strings !== undefined ||
    profile.dedupe !== undefined || (profile.limit ?? 0) > 0;
}

/** Whether a shaped value carries no records. */
export function isEmptyResult(value: JsonValue): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.length === 0) return true;
  const key = recordKey(value);
  if (key !== undefined) return (value[key] as JsonValue[]).length === 0;
  const arrays = keys.map((name) => value[name]).filter((member) => Array.isArray(member));
  return arrays.length > 0 && arrays.every((array) => array.length === 0);
}

/** What sort of answer a shaped value is. */
export function resultKindOf(value: JsonValue): "records" | "object" | "scalar" | "empty" {
  if (isEmptyResult(value)) return "empty";
  if ((recordArray(value)?.length ?? 0) > 0) return "records";
  return isJsonObject(value) ? "object" : "scalar";
}
