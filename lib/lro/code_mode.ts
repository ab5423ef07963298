/** Long-running operations in scripts (spec 09 §9). Pure. */

import type { Op } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";

/**
 * Whether an operation starts something long-running: by its default variant, or by its first one
 * when the declared default does not exist, so that a script errs on the careful side.
 */
export function opReturnsLro(op: Op): boolean {
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id) ??
    op.variants[0];
  return variant?.capabilities.includes("lro_return") ?? false;
}

/**
 * Why a script may not call `opId`; undefined when it may. Without a classifier the call is let
 * through.
 */
export function lroRefusalInCode(
  opId: string,
  returnsLro?: (opId: string) => boolean,
): GumError | undefined {
  if (returnsLro === undefined || !returnsLro(opId)) return undefined;
  return new GumError("LRO_UNSUPPORTED_IN_CODE", {
    message:
      `${opId} returns a long-running operation: call it outside code mode, then wait with gum.poll`,
    details: { op_id: opId },
    userMessage: "Scripts cannot start long-running operations.",
    suggestion: "Call the operation with its own tool, then wait for it with gum.poll.",
    retryable: false,
  });
}
