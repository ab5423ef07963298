/** The envelope of a batch: items, shared metadata, cut texts (spec 09 §7.2, §7.3, §8.3). Pure. */

import type { ExpressionMeta, ShapedResponse } from "../dispatch/types.ts";
import type { GumError } from "../errors/mod.ts";
import { answerPayload } from "../format/records/mod.ts";
import { isJsonObject, type JsonObject, setOwn } from "../json/mod.ts";
import { hoistExpressions } from "../shape/mod.ts";
import { valueOf } from "./answers.ts";
import { byteLength } from "./request/mod.ts";

/** What became of one element. */
export type ElementResult =
  | { kind: "answer"; response: ShapedResponse }
  | { kind: "failure"; error: GumError; envelope?: JsonObject }
  | { kind: "cancelled" };

/** An element as the batch knows it. */
export interface BatchElement {
  opId: string;
  /** The variant that would run, when it is known. */
  variantId: string | undefined;
  result: ElementResult;
}

/** Builds the envelope; `room` is what still fits into the output, in bytes. */
export function batchEnvelope(
  batchId: string,
  elements: readonly BatchElement[],
  room: number,
): JsonObject {
  const expressions = elements.map(expressionOf);
  const { shared, deltas } = hoistExpressions(expressions);
  const items = elements.map((element, index): JsonObject => ({
    _idx: index,
    _expression: deltas[index] ?? {},
    ...payloadOf(element),
  }));
  const cut = cutItems(items, room);
  return {
    format: "parallel_results",
    batch_id: batchId,
    results: items,
    _expression: {
      profile: "_batch",
      op_id: "gum_parallel",
      variant_id: null,
      lossy: expressions.some((expression) => expression.lossy === true),
      result_count: elements.length,
    },
    ...(shared === undefined ? {} : { shared_expression_fields: shared }),
    ...(cut ? { _code_output_truncated: true } : {}),
  };
}

/**
 * An element whose metadata leave out the mask of its request. A built-in profile and its version
 * name that mask, `describe` spells it out, and a batch would repeat it for every element; a mask
 * of the user's own profile stays.
 */
export function withoutNamedMask(element: BatchElement): BatchElement {
  const { result } = element;
  if (result.kind !== "answer") return element;
  const { expression } = result.response;
  if (expression?.field_mask === undefined || expression.profile_source !== undefined) {
    return element;
  }
  const { field_mask: _named, ...rest } = expression;
  return {
    ...element,
    result: { kind: "answer", response: { ...result.response, expression: rest } },
  };
}

function expressionOf(element: BatchElement): ExpressionMeta {
  const { result, opId, variantId } = element;
  const own = result.kind === "answer" ? result.response.expression : undefined;
  return own ?? {
    profile: "_default",
    op_id: opId,
    variant_id: result.kind === "answer" ? result.response.variantId : variantId ?? null,
    lossy: false,
    result_count: 0,
  };
}

function payloadOf(element: BatchElement): JsonObject {
  const { result } = element;
  switch (result.kind) {
    case "answer":
      return answerPayload(result.response, valueOf);
    case "failure":
      return { error: errorOf(result, element.opId) };
    case "cancelled":
      return {
        error: {
          error_code: "CANCELLED",
          op_id: element.opId,
          retryable: false,
          message: "the call was cancelled",
          cancelled: true,
        },
      };
  }
}

/** Code, operation, retryable and message first; details never replace them. */
function errorOf(
  { error, envelope = error.toEnvelope() }: Extract<ElementResult, { kind: "failure" }>,
  opId: string,
): JsonObject {
  const head: JsonObject = {
    error_code: error.code,
    op_id: opId,
    retryable: error.retryable,
    message: envelope.message ?? error.message,
  };
  for (const [key, value] of Object.entries(envelope)) {
    if (!Object.hasOwn(head, key)) setOwn(head, key, value);
  }
  return head;
}

/** Cuts the texts of items that no longer fit; true when one was cut. */
function cutItems(items: JsonObject[], room: number): boolean {
  let used = 0;
  let cut = false;
  for (const item of items) {
    const bytes = itemBytes(item);
    if (used + bytes > room && cutItem(item, room - used)) {
      cut = true;
      used += itemBytes(item);
    } else used += bytes;
  }
  return cut;
}

function itemBytes(item: JsonObject): number {
  return byteLength(JSON.stringify(item));
}

/** The one text of an item that may be shortened. Structured data stays whole. */
function cuttableText(item: JsonObject): { text: string; put(text: string): void } | undefined {
  const { toon, data, error } = item;
  if (typeof toon === "string") return { text: toon, put: (text) => item.toon = text };
  if (typeof data === "string") return { text: data, put: (text) => item.data = text };
  if (!isJsonObject(error) || typeof error.message !== "string") return undefined;
  return { text: error.message, put: (text) => error.message = text };
}

function cutItem(item: JsonObject, room: number): boolean {
  const cuttable = cuttableText(item);
  if (cuttable === undefined) return false;
  const { text, put } = cuttable;
  item._code_output_truncated = true;
  put("");
  put(longestThatFits(text, room - itemBytes(item)));
  return true;
}

/** The longest beginning whose JSON form takes at most `bytes` bytes, ending between characters. */
function longestThatFits(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (byteLength(JSON.stringify(text.slice(0, middle))) - 2 <= bytes) low = middle;
    else high = middle - 1;
  }
  const splitsPair = /[\ud800-\udbff]/.test(text[low - 1] ?? "");
  return text.slice(0, splitsPair ? low - 1 : low);
}
