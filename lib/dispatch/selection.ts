/** Choosing the variant that will run (spec 02 §3.2). Pure. */

import type { Op, Variant } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";

/** The outcome of a selection; a failure is raised in step 3, after the local checks. */
export type Selection =
  | {
    kind: "selected";
    variant: Variant;
    deprecated: boolean;
    supersededBy?: string;
    warnings: string[];
  }
  | { kind: "failed"; error: GumError };

const STABILITY = ["stable", "beta", "alpha"];

/** What a caller or an operator prefers. */
export interface SelectionOptions {
  /** A variant id the caller insists on; never replaced by another. */
  pin?: string;
  /** Interface kinds, best first, to break a tie. */
  preferredInterfaceKinds?: readonly string[];
}

/** Chooses a variant of `op`. */
export function selectVariant(op: Op, options: SelectionOptions = {}): Selection {
  if (op.variants.length === 0) return failed("VARIANT_NOT_FOUND", { op });
  const { pin, preferredInterfaceKinds = [] } = options;
  return pin === undefined ? selectUnpinned(op, preferredInterfaceKinds) : selectPinned(op, pin);
}

function selectPinned(op: Op, pin: string): Selection {
  const variant = op.variants.find((candidate) => candidate.variant_id === pin);
  if (variant === undefined) return failed("VARIANT_NOT_FOUND", { op, variantId: pin });
  if (variant.quarantined) return failed("VARIANT_QUARANTINED", { op, variantId: pin });
  return selected(op, variant);
}

function selectUnpinned(op: Op, preferredKinds: readonly string[]): Selection {
  const declared = op.variants.find((variant) => variant.variant_id === op.default_variant_id);
  const active = op.variants.filter((variant) => isActive(op, variant));
  if (declared !== undefined && active.includes(declared)) return selected(op, declared);
  if (active.length > 0) {
    const ranked = rank(active, preferredKinds);
    if (ranked === undefined) return failed("AMBIGUOUS_VARIANT", { op });
    return selected(op, ranked, insteadOf(op, { declared, taken: ranked }));
  }
  // Nothing can run: still name one variant, so that the capability gate says why.
  if (declared !== undefined && !declared.quarantined) return selected(op, declared);
  const rest = op.variants.filter((variant) => !variant.quarantined);
  if (rest.length === 0) {
    return failed("VARIANT_QUARANTINED", {
      op,
      variantId: declared?.variant_id ?? op.variants[0]?.variant_id,
    });
  }
  const ranked = rank(rest, preferredKinds);
  return ranked === undefined
    ? failed("AMBIGUOUS_VARIANT", { op })
    : selected(op, ranked, insteadOf(op, { declared, taken: ranked }));
}

function isActive(op: Op, variant: Variant): boolean {
  const support = variant.execution_support ?? "full";
  return !variant.quarantined && !isDeprecated(op, variant) &&
    (support === "full" || support === "partial");
}

function isDeprecated(op: Op, variant: Variant): boolean {
  return op.deprecated_variant_ids?.includes(variant.variant_id) ?? false;
}

/** Best stability, then the preferred interface; undefined when the tie stays. */
function rank(
  candidates: readonly Variant[],
  preferredKinds: readonly string[],
): Variant | undefined {
  const level = (variant: Variant) => {
    const index = STABILITY.indexOf(variant.stability);
    return index < 0 ? STABILITY.length : index;
  };
  const best = Math.min(...candidates.map(level));
  const tied = candidates.filter((variant) => level(variant) === best);
  if (tied.length === 1) return tied[0];
  for (const kind of preferredKinds) {
    const match = tied.find((variant) => variant.interface_kind === kind);
    if (match !== undefined) return match;
  }
  return undefined;
}

function insteadOf(op: Op, choice: { declared: Variant | undefined; taken: Variant }): string {
  const { declared, taken } = choice;
  const wanted = op.default_variant_id === "" ? "(none)" : op.default_variant_id;
  const why = declared === undefined
    ? "the declared default does not exist"
    : declared.quarantined
    ? "the default is quarantined"
    : isDeprecated(op, declared)
    ? "the default is deprecated"
    : "the default cannot be executed";
  return `variant ${taken.variant_id} runs instead of the default ${wanted}: ${why}`;
}

function selected(op: Op, variant: Variant, warning?: string): Selection {
  const warnings = warning === undefined ? [] : [warning];
  const deprecated = isDeprecated(op, variant);
  const supersededBy = op.superseded_variant_ids?.[variant.variant_id];
  if (deprecated) {
    warnings.push(
      `VARIANT_DEPRECATED: ${variant.variant_id}` +
        (supersededBy === undefined ? "" : `; superseded by ${supersededBy}`),
    );
  }
  return { kind: "selected", variant, deprecated, supersededBy, warnings };
}

type SelectionFailure = "VARIANT_NOT_FOUND" | "VARIANT_QUARANTINED" | "AMBIGUOUS_VARIANT";

function failed(code: SelectionFailure, found: { op: Op; variantId?: string }): Selection {
  const { op, variantId } = found;
  const ids = op.variants.map((variant) => variant.variant_id);
  const successor = variantId === undefined ? undefined : op.superseded_variant_ids?.[variantId];
  const error = new GumError(code, {
    message: failureMessage(code, { opId: op.op_id, variantId }),
    details: {
      op_id: op.op_id,
      ...(variantId === undefined ? {} : { variant_id: variantId }),
      ...(code === "VARIANT_QUARANTINED" ? {} : { variants: ids }),
      ...(successor === undefined ? {} : { superseded_by: successor }),
    },
    ...(successor === undefined
      ? {}
      : { suggestion: `Use variant ${successor}, or drop the pin.` }),
  });
  return { kind: "failed", error };
}

function failureMessage(
  code: SelectionFailure,
  named: { opId: string; variantId?: string },
): string {
  if (code === "AMBIGUOUS_VARIANT") return `several variants of ${named.opId} fit equally well`;
  if (code === "VARIANT_QUARANTINED") return `variant ${named.variantId} is quarantined`;
  return named.variantId === undefined
    ? `${named.opId} has no variants`
    : `${named.opId} has no variant ${named.variantId}`;
}
