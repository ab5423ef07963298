/**
 * Built-in output profiles that variants name must exist and suit the variant (spec 04 §3.5 step 8).
 *
 * @module
 */
import { GumError } from "../lib/errors/mod.ts";
import type { Catalog, Op, Variant } from "../lib/catalog/types.ts";
import { CatalogError, type CatalogErrorCode } from "../lib/catalog/validate/mod.ts";
import {
  assembleProfileResolver,
  declaredProblems,
  effectiveProblems,
  variantProblems,
} from "../lib/profile/mod.ts";

/** Codes of profile problems that keep their name; every other one is a `PROFILE_INVALID`. */
const GATE_CODES: readonly CatalogErrorCode[] = [
  "PROFILE_NOT_FOUND",
  "PROFILE_STRIP_NULLS_UNSAFE",
  "PROFILE_TEE_MODE_CONFLICT",
  "ON_EMPTY_TOO_LONG",
];

type Resolver = Awaited<ReturnType<typeof assembleProfileResolver>>;

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
  const resolver = await assembleProfileResolver(embedded === undefined ? {} : { embedded });
  for (const op of catalog.ops) {
    for (const variant of op.variants) {
      const problem = firstProblem(variant, { op, resolver });
      if (problem === undefined) continue;
      throw new CatalogError(
        GATE_CODES.find((code) => code === problem.code) ?? "PROFILE_INVALID",
        problem.message,
        { opId: op.op_id, variantId: variant.variant_id },
      );
    }
  }
}

function firstProblem(
  variant: Variant,
  context: { op: Op; resolver: Resolver },
): { code: string; message: string } | undefined {
  const name = variant.output_profile;
  if (name === undefined) return undefined;
  if (name.startsWith("_base.")) {
    return { code: "PROFILE_INVALID", message: `${name} may only be inherited` };
  }
  try {
    const { profile } = context.resolver.resolve({ op: context.op, variant });
    if (profile === undefined) {
      return { code: "PROFILE_NOT_FOUND", message: `no built-in profile is named ${name}` };
    }
    return [
      ...declaredProblems(profile),
      ...effectiveProblems(profile, { source: "catalog-embedded", variant }),
      ...variantProblems(profile, variant),
    ].find(({ severity }) => severity === "error");
  } catch (error) {
    // The resolver refuses a broken profile itself; its code says what is wrong.
    if (error instanceof GumError) return { code: error.code, message: error.message };
    throw error;
  }
}
