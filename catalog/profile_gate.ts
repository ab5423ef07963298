/**
 * Built-in output profiles that variants name must exist and suit the variant (spec 04 §3.5 step 8).
 *
 * @module
 */
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";

/** Names of the profiles that the shipped catalog binds. */
export const BOUND_PROFILES: readonly string[] = [
  "flights.search.v1",
  "googleads.keyword_historical.v1",
  "googleads.keyword_ideas.v1",
];

/** Checks the profile names of a catalog; variants without one are skipped. */
export function checkProfiles(catalog: Catalog): Promise<void> {
  for (const op of catalog.ops) {
    for (const variant of op.variants) {
      const name = variant.output_profile;
      if (name === undefined || BOUND_PROFILES.includes(name)) continue;
      throw new CatalogError("PROFILE_NOT_FOUND", name, {
        opId: op.op_id,
        variantId: variant.variant_id,
      });
    }
  }
  return Promise.resolve();
}
