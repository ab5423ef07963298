/** Gate 3: can this variant be executed at all (spec 02 §3.4). */

import { GumError } from "../../errors/mod.ts";
import type { JudgedCall } from "./judged.ts";

/** Refuses variants that need an executor GUM does not have. */
export function checkCapability(judged: JudgedCall): void {
  const { variant, op } = judged;
  const support = variant.execution_support ?? "full";
  if (support === "full" || support === "partial") return;
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `variant ${variant.variant_id} cannot be executed (${support})`,
    details: {
      op_id: op.op_id,
      variant_id: variant.variant_id,
      execution_support: support,
      unsupported_capabilities: [...variant.unsupported_capabilities ?? []],
    },
    suggestion: `Choose another variant: \`gum describe ${op.op_id}\` lists them.`,
  });
}
