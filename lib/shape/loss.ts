/** What a call could remove and what its result counts as (spec 03 §3.5–§3.7). */

import { recordArray } from "../format/mod.ts";
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
function isEmptyResult(
  value: JsonValue,
  records: readonly JsonValue[] | undefined = recordArray(value),
): boolean {
  if (value === null) return true;
  if (records !== undefined) return records.length === 0;
  if (!isJsonObject(value)) return false;
  const members = Object.values(value);
  const arrays = members.filter((member) => Array.isArray(member));
  return members.length === 0 ||
    (arrays.length > 0 && arrays.every((array) => array.length === 0));
}

/** What sort of answer a shaped value is. */
export function resultKindOf(
  value: JsonValue,
  records: readonly JsonValue[] | undefined = recordArray(value),
): "records" | "object" | "scalar" | "empty" {
  if (isEmptyResult(value, records)) return "empty";
  if (records !== undefined) return "records";
  return isJsonObject(value) ? "object" : "scalar";
}
