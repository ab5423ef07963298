/** OAuth scopes that catalog operations ask for (spec 04 §3.6). */

import type { Op } from "./types.ts";

/**
 * Scopes of the operation's default variant, as a copy. Undefined when the operation is unknown,
 * its default variant is not among its variants, or it needs none.
 */
export function scopesForOp(opId: string, ops: readonly Op[]): string[] | undefined {
  const op = ops.find(({ op_id }) => op_id === opId);
  const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  return variant?.scopes === undefined || variant.scopes.length === 0
    ? undefined
    : [...variant.scopes];
}

/** Sorted union over all variants of the given services; undefined when there is none. */
export function scopesForServices(
  services: readonly string[],
  ops: readonly Op[],
): string[] | undefined {
  return scopeUnion(ops.filter(({ service }) => services.includes(service)));
}

/** Sorted union over the whole catalog; undefined when there is none. */
export function allScopes(ops: readonly Op[]): string[] | undefined {
  return scopeUnion(ops);
}

function scopeUnion(ops: readonly Op[]): string[] | undefined {
  const scopes = new Set(
    ops.flatMap(({ variants }) => variants.flatMap((variant) => variant.scopes ?? [])),
  );
  scopes.delete("");
  return scopes.size === 0 ? undefined : [...scopes].sort();
}
