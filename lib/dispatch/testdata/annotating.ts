/** An operation whose adapter answers a fixed body and annotates it. */

import type { Op } from "../../catalog/types.ts";
import type { Adapter } from "../types.ts";
import { op, variant } from "./fixture.ts";

/** `x.y`, run by the adapter `test.adapter`. */
export function adapterOp(extra: Partial<Parameters<typeof variant>[2]> = {}): Op {
  return op("x.y", [
    variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
      binding: { binding_schema_version: 1, adapter_key: "test.adapter", operation_key: "x" },
      ...extra,
    }),
  ]);
}

/** An adapter over a fixed body, with an annotator. */
export function annotating(
  body: string,
  addedPaths: string[],
  format: "json" | "raw" = "json",
): Adapter {
  return {
    execute: () =>
      Promise.resolve({
        body: new TextEncoder().encode(body),
        format,
        status: 200,
        bytesIn: body.length,
        bytesOut: 0,
      }),
    annotateResponse: (_request, parsed) => ({
      body: { ...parsed as Record<string, never>, added: "yes", other: "too" },
      addedPaths,
    }),
  };
}
