/** The variant that stands for an operation where nothing is executed. */

import type { Op, Variant } from "../types.ts";

/** The declared default, else the first variant; undefined when there is none. */
export function defaultVariant(op: Op): Variant | undefined {
  return op.variants.find(({ variant_id }) => variant_id === op.default_variant_id) ??
    op.variants[0];
}
