/** Rows of the `gum.search_apis` answer (spec 01 §3.8.1). */

import { requiredNames } from "./arguments.ts";
import { defaultVariant } from "./describe/default_variant.ts";
import type { Op } from "./types.ts";

/** One hit as the tool shows it; keys in column order. */
export interface SearchRow {
  /** Op id up to the first dot. */
  api: string;
  /** Output profile of the default variant, `""` when it has none. */
  expected_response: string;
  op: string;
  /** Names of the arguments a call needs, joined by one space. */
  params_required: string;
  summary: string;
}

/** The row of one operation. */
export function searchRow(op: Op): SearchRow {
  return {
    api: op.op_id.split(".", 1)[0] ?? op.op_id,
    expected_response: defaultVariant(op)?.output_profile ?? "",
    op: op.op_id,
    params_required: requiredNames(op).join(" "),
    summary: op.summary,
  };
}
