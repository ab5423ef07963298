import assert from "node:assert/strict";
import type { BatchElement } from "./batch_envelope.ts";
import { batchEnvelope, withoutNamedMask } from "./batch_envelope.ts";

function element(expression: Record<string, unknown>): BatchElement {
  return {
    opId: "a.list",
    variantId: "a.v1",
    result: {
      kind: "answer",
      response: {
        body: new TextEncoder().encode("{}"),
        format: "json",
        structuredContent: {},
        opId: "a.list",
        variantId: "a.v1",
        notice: { cli: "", mcp: "" },
        validationWarnings: [],
        droppedPaths: [],
        dedupedRows: 0,
        limitedRows: 0,
        annotationPaths: [],
        expression: {
          profile: "a.list.v1",
          op_id: "a.list",
          variant_id: "a.v1",
          lossy: true,
          result_count: 0,
          ...expression,
        },
      },
    },
  };
}

Deno.test("batch metadata: the mask of a built-in profile is left out, one of the user's own stays", () => {
  const items = [
    element({ field_mask: "id" }),
    element({ field_mask: "id", profile_source: "user-global" }),
  ]
    .map(withoutNamedMask);
  const envelope = batchEnvelope("0123abcd", items, 1 << 20);
  const [named, own] = envelope.results as { _expression: Record<string, unknown> }[];
  assert.equal(named?._expression.field_mask, undefined);
  assert.equal(own?._expression.field_mask, "id");
  const failed: BatchElement = {
    opId: "a.list",
    variantId: undefined,
    result: { kind: "cancelled" },
  };
  assert.equal(withoutNamedMask(failed), failed);
});
