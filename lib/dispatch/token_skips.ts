/** Rows that an answer's page token leads past: whoever goes on with it would lose them. Pure. */

import type { Op } from "../catalog/types.ts";
import type { JsonValue } from "../json/mod.ts";
import { answerToken } from "./page_scheme.ts";
import type { Answer, AuthorizedCall } from "./stages.ts";
import type { ShapeResult, TokenSkip } from "./types.ts";

const SIZE_ARGUMENTS: ReadonlySet<string> = new Set([
  "pageSize",
  "maxResults",
  "page_size",
  "max_results",
]);

/**
 * What of a page was cut while its token goes on behind it. `max_items` never changes what is asked
 * of the service (spec 03 §3.8), so a page can hold more than may be shown.
 */
export function skippedByToken(
  { op, resolved: { variant } }: AuthorizedCall,
  shaped: { answer: Extract<Answer, { kind: "body" }>; shape: ShapeResult },
): TokenSkip | undefined {
  const { answer, shape } = shaped;
  const cut = shape.omittedRecords ?? 0;
  const rows = cut + shape.limitedRows;
  if (rows === 0 || !hasToken(answer.body, variant.pagination?.response)) return undefined;
  const argument = sizeArgument(op);
  return {
    rows,
    byCap: shape.limitedRows === 0,
    ...(argument === undefined || shape.resultCount === 0
      ? {}
      : { fitting: { argument, rows: shape.resultCount } }),
  };
}

function sizeArgument(op: Op): string | undefined {
  const names = [
    ...(op.request_fields ?? []).map(({ name }) => name),
    ...(op.params_optional ?? []).map(([name]) => name),
  ];
  return names.find((name) => SIZE_ARGUMENTS.has(name));
}

function hasToken(body: Uint8Array, path: string | undefined): boolean {
  let answer: JsonValue;
  try {
    answer = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return false; // no JSON: there is nothing that a caller could go on with
  }
  return answerToken(answer, path) !== undefined;
}
