/** Gate 7: a second, unmasked request is allowed only where repeating is harmless. */

import { GumError } from "../../errors/mod.ts";
import type { JudgedCall } from "./judged.ts";

/** Refuses `dual_fetch` on anything but an idempotent read. */
export function checkDualFetch(judged: JudgedCall): void {
  if (judged.profile?.field_mask_mode !== "dual_fetch") return;
  const { variant, op } = judged;
  if (variant.risk_class === "read" && variant.annotations?.idempotent === true) return;
  throw new GumError("INVALID_ARGS", {
    message: "dual_fetch needs an idempotent read",
    details: {
      field: "field_mask_mode",
      value: "dual_fetch",
      op_id: op.op_id,
      variant_id: variant.variant_id,
      missing: [],
      unknown: [],
      type_errors: [],
    },
    userMessage:
      "The output profile asks for a second request, which this operation does not allow.",
    suggestion: 'Use a profile without field_mask_mode = "dual_fetch".',
  });
}
