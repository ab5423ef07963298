/**
 * Built-in output profiles that variants name must exist and suit the variant (spec 04 §3.5 step 8).
 *
 * @module
 */
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError, type CatalogErrorCode } from "../lib/catalog/validate/mod.ts";
import { assembleProfileLayers, type ProfileProblem } from "../lib/profile/mod.ts";
import { variantProfileProblems } from "../lib/profile/commands.ts";

/** Codes of profile problems that stop a build; every other one is the first of them. */
const GATE_CODES: readonly CatalogErrorCode[] = [
  "PROFILE_NOT_FOUND",
  "PROFILE_INVALID",
  "PROFILE_STRIP_NULLS_UNSAFE",
  "PROFILE_TEE_MODE_CONFLICT",
  "ON_EMPTY_TOO_LONG",
];

/**
 * Checks the profile of every variant that names one, with the variant's own
 * `null_elision_safe_fields`; variants without one are skipped.
 *
 * @throws CatalogError naming the operation and the variant.
 */
export async function checkProfiles(
  catalog: Catalog,
  embedded?: Readonly<Record<string, string>>,
): Promise<void> {
  const layers = await assembleProfileLayers(embedded === undefined ? {} : { embedded });
  for (const op of catalog.ops) {
    for (const variant of op.variants) {
      const problems = variantProfileProblems([{ variants: [variant] }], layers());
      const first: ProfileProblem | undefined = problems[0];
      if (first === undefined) continue;
      throw new CatalogError(
        GATE_CODES.find((code) => code === first.code) ?? "PROFILE_INVALID",
        first.message,
        { opId: op.op_id, variantId: variant.variant_id },
      );
    }
  }
}
