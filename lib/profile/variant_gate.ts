/** The build gate over embedded profiles and the variants that name one (spec 03 §3.2, S13). */

import type { Op, Variant } from "../catalog/types.ts";
import type { ProfileLayer } from "./layers.ts";
import type { ProfileProblem } from "./problems.ts";
import { resolveProfile } from "./resolve.ts";
import { declaredProblems, effectiveProblems, variantProblems } from "./semantics.ts";

/** Everything wrong with the profiles that variants bind; unset names are skipped. */
export function variantProfileProblems(
  ops: readonly Pick<Op, "variants">[],
  layers: readonly ProfileLayer[],
): ProfileProblem[] {
  const variants = ops.flatMap((op) => op.variants);
  return variants.flatMap((variant) => boundProblems(variant, layers));
}

function boundProblems(variant: Variant, layers: readonly ProfileLayer[]): ProfileProblem[] {
  const name = variant.output_profile;
  if (name === undefined) return [];
  const binding = { profile: name, details: { variant_id: variant.variant_id } };
  if (name.startsWith("_base.")) {
    return [{
      ...binding,
      code: "PROFILE_INVALID",
      severity: "error",
      rule: "base_profile_bound",
      message: `${variant.variant_id} names ${name}, which only other profiles may inherit`,
    }];
  }
  const resolution = resolveProfile(name, layers);
  if (resolution === undefined) {
    return [{
      ...binding,
      code: "PROFILE_NOT_FOUND",
      severity: "error",
      message: `${variant.variant_id} names ${name}, which does not exist`,
    }];
  }
  const { profile } = resolution;
  return [
    ...resolution.problems,
    ...declaredProblems(profile),
    ...effectiveProblems(profile, { source: "catalog-embedded", variant }),
    ...variantProblems(profile, variant),
  ].filter(({ severity }) => severity === "error");
}
