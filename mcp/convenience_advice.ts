/** Advice on what a convenience tool left out, in controls that some tool has (spec 03 §3.15). */

import type { ConvenienceRow } from "../lib/catalog/mod.ts";
import type { ExpressionMeta, ShapedResponse } from "../lib/dispatch/types.ts";

/** Controls of the tools for any operation, as the notice spells them. */
const CONTROL = /max_items: "all"|format: "raw"|fields: "\*"|page_size: \d+/g;

/**
 * The answer with advice a caller can follow: a convenience tool takes few of the controls of
 * `gum.read`, so each one that it does not take is said to be of that tool.
 */
export function withReadAdvice(response: ShapedResponse, row: ConvenienceRow): ShapedResponse {
  const taken = (control: string) =>
    control.startsWith("fields") && [...row.required, ...row.optional].includes("fields");
  const said = (text: string) =>
    text.replace(CONTROL, (control) => taken(control) ? control : `${control} of gum.read`);
  const { expression, notice } = response;
  return {
    ...response,
    notice: { ...notice, mcp: said(notice.mcp) },
    ...(expression !== undefined && { expression: withSaid(expression, said) }),
  };
}

function withSaid(expression: ExpressionMeta, said: (text: string) => string): ExpressionMeta {
  const warnings = expression._validation_warnings;
  if (!Array.isArray(warnings)) return expression;
  return {
    ...expression,
    _validation_warnings: warnings.map((text) => typeof text === "string" ? said(text) : text),
  };
}
