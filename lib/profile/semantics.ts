/** Semantic rules S1–S6 and S9, S14 of spec 03 §3.2; S7 and S8 belong to resolution. */

import type { Variant } from "../catalog/types.ts";
import { RECORD_KEYS } from "../format/records/mod.ts";
import { parseFieldMask } from "./field_mask.ts";
import type { ProfileProblem } from "./problems.ts";
import type { Profile, ProfileSource, ResolvedProfile } from "./types.ts";

/** Code points of `on_empty` after NFC. */
const ON_EMPTY_LIMIT = 500;

/** S1, on a profile as declared. */
export function declaredProblems(profile: Profile): ProfileProblem[] {
  const length = profile.on_empty === undefined ? 0 : [...profile.on_empty.normalize("NFC")].length;
  if (length <= ON_EMPTY_LIMIT) return [];
  return [{
    code: "ON_EMPTY_TOO_LONG",
    severity: "error",
    profile: profile.name,
    field: "on_empty",
    message: `on_empty has ${length} characters, ${ON_EMPTY_LIMIT} are allowed`,
    details: { length, limit: ON_EMPTY_LIMIT },
  }];
}

/** What decides the weight of S6. */
export interface EffectiveContext {
  /** `plugin` profiles follow the rules of embedded ones. */
  source: ProfileSource | "plugin";
  /** Undefined when no variant is bound. */
  variant?: Pick<Variant, "raw_result_allowed">;
}

/** S2, S5, S6, S9 and S14, on a profile after merge and inheritance. */
export function effectiveProblems(
  profile: ResolvedProfile,
  context: EffectiveContext,
): ProfileProblem[] {
  return [
    ...teeProblems(profile),
    ...zeroCapProblems(profile),
    ...recoveryProblems(profile, context),
    ...dedupeProblems(profile),
    ...maskWarnings(profile),
  ];
}

/** S3 and S4, which need the variant. */
export function variantProblems(profile: ResolvedProfile, variant: Variant): ProfileProblem[] {
  const problems: ProfileProblem[] = [];
  const uncovered = uncoveredFields(profile, variant.null_elision_safe_fields);
  if (uncovered !== undefined) {
    problems.push({
      code: "PROFILE_STRIP_NULLS_UNSAFE",
      severity: "error",
      profile: profile.name,
      field: "strip_nulls",
      message: uncovered.length === 0
        ? `strip_nulls needs keep_fields that ${variant.variant_id} declares as safe`
        : `strip_nulls could remove ${
          uncovered.join(", ")
        }, which ${variant.variant_id} does not ` +
          "declare as safe",
      details: { variant_id: variant.variant_id, fields: uncovered },
    });
  }
  if (
    profile.field_mask_mode === "dual_fetch" &&
    (variant.risk_class !== "read" || variant.annotations?.idempotent !== true)
  ) {
    problems.push({
      code: "INVALID_ARGS",
      severity: "error",
      profile: profile.name,
      field: "field_mask_mode",
      message: `dual_fetch needs an idempotent read, which ${variant.variant_id} is not`,
      details: { value: "dual_fetch", variant_id: variant.variant_id },
    });
  }
  return problems;
}

/**
 * The strip_nulls safety rule: undefined when the profile is safe on the variant, else the fields
 * the variant does not cover (none named when the profile does not bound them).
 */
function uncoveredFields(
  profile: ResolvedProfile,
  safeFields: readonly string[] | undefined,
): string[] | undefined {
  if (!profile.strip_nulls) return undefined;
  const safe = new Set((safeFields ?? []).map(withoutBrackets));
  if (safe.has("*")) return undefined;
  const kept = (profile.keep_fields ?? []).map(withoutBrackets);
  if (kept.length === 0) return [];
  const uncovered = kept.filter((field) => !safe.has(field)).sort();
  return uncovered.length === 0 ? undefined : uncovered;
}

function withoutBrackets(path: string): string {
  return path.replaceAll("[]", "");
}

function teeProblems(profile: ResolvedProfile): ProfileProblem[] {
  const mode = profile.tee_mode;
  if (profile.recovery !== "resource_link" || mode === undefined || mode === "always") return [];
  return [{
    code: "PROFILE_TEE_MODE_CONFLICT",
    severity: "error",
    profile: profile.name,
    field: "tee_mode",
    message: `recovery = "resource_link" needs tee_mode = "always", not "${mode}"`,
    details: { recovery: "resource_link", tee_mode: mode },
  }];
}

function zeroCapProblems(profile: ResolvedProfile): ProfileProblem[] {
  if (profile.collapse_arrays?.max_items !== 0 || profile.on_empty !== undefined) return [];
  return [{
    ...invalid(profile, "zero_max_items_needs_on_empty"),
    field: "collapse_arrays.max_items",
    message: "collapse_arrays.max_items = 0 needs on_empty",
  }];
}

function recoveryProblems(profile: ResolvedProfile, context: EffectiveContext): ProfileProblem[] {
  if (!removesSomething(profile) || (profile.recovery ?? "none") !== "none") return [];
  if (context.source === "user-global" || context.source === "project-local") {
    return [{
      ...invalid(profile, "recovery_disabled"),
      severity: "warning",
      field: "recovery",
      message: `profile ${profile.name} shortens results and keeps no full copy (recovery is off)`,
    }];
  }
  if (context.variant?.raw_result_allowed) return [];
  return [{
    ...invalid(profile, "lossy_without_recovery"),
    field: "recovery",
    message:
      'a profile that removes something needs recovery = "local_artifact" or "resource_link"',
  }];
}

/** Spec 03 §3.6 for a call without an override of the cap. */
function removesSomething(profile: ResolvedProfile): boolean {
  const lists = [profile.projection, profile.keep_fields, profile.drop_fields];
  return lists.some((list) => list !== undefined && list.length > 0) ||
    profile.strip_nulls === true || profile.collapse_arrays !== undefined ||
    profile.truncate_strings !== undefined || profile.dedupe !== undefined ||
    (profile.limit ?? 0) > 0;
}

function dedupeProblems(profile: ResolvedProfile): ProfileProblem[] {
  const lists = [profile.keep_fields, profile.projection]
    .filter((list): list is string[] => list !== undefined && list.length > 0);
  const lost = (profile.dedupe?.by ?? []).filter((key) =>
    lists.some((list) => !keeps(list, key)) || dropsFromRows(profile, key)
  );
  return lost.map((key) => ({
    ...invalid(profile, "dedupe_key_not_kept"),
    field: "dedupe.by",
    message: `dedupe.by names ${key}, which keep_fields, projection or drop_fields removes`,
  }));
}

/** A list keeps a row's key when it names it, or keeps a well-known record array whole. */
function keeps(list: readonly string[], key: string): boolean {
  return list.some((path) => path.split(".").at(-1) === key || RECORD_KEYS.includes(path));
}

/** Whether a row's own key is dropped, where the profile tells which array the rows are in. */
function dropsFromRows({ drop_fields: drop, keep_fields: keep }: ResolvedProfile, key: string) {
  return (drop ?? []).some((path) => {
    const [list, member, ...deeper] = path.split(".");
    if (list === undefined || member !== key || deeper.length > 0) return false;
    return RECORD_KEYS.includes(list) || (keep ?? []).includes(path);
  });
}

function maskWarnings(profile: ResolvedProfile): ProfileProblem[] {
  if (profile.field_mask === undefined) return [];
  const parsed = parseFieldMask(profile.field_mask);
  if (parsed.ok) return [];
  return [{
    ...invalid(profile, "field_mask_syntax"),
    severity: "warning",
    field: "field_mask",
    message:
      `field_mask goes upstream as it is; as a Google mask it fails at ${parsed.position}: ` +
      parsed.reason,
  }];
}

function invalid(
  profile: ResolvedProfile,
  rule: string,
): { code: "PROFILE_INVALID"; severity: "error" | "warning"; rule: string; profile: string } {
  return { code: "PROFILE_INVALID", severity: "error", rule, profile: profile.name };
}
