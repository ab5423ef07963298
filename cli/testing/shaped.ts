/** A small kernel answer for tests of the surface alone. */

import type { ShapedResponse } from "../../lib/dispatch/types.ts";

/** One object, shaped to JSON, nothing left out. */
export const SHAPED: ShapedResponse = {
  body: new TextEncoder().encode('{"id":"m1"}'),
  format: "json",
  structuredContent: { id: "m1" },
  expression: {
    profile: "_default",
    op_id: "gmail.users.messages.list",
    variant_id: "gmail.v1.rest.users.messages.list",
    lossy: false,
    result_count: 0,
    omitted_count: 0,
  },
  opId: "gmail.users.messages.list",
  variantId: "gmail.v1.rest.users.messages.list",
  notice: { cli: "", mcp: "" },
  validationWarnings: [],
  droppedPaths: [],
  dedupedRows: 0,
  limitedRows: 0,
  annotationPaths: [],
};
