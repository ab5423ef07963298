/** Which requests may be sent twice (spec 02 §3.11.3). Pure. */

import type { Variant } from "../../catalog/types.ts";

const REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);

/** Repeating a request is harmless by its method, or because the catalog says so of a read. */
export function isRepeatable(method: string, variant: Variant): boolean {
  return REPEATABLE_METHODS.has(method) ||
    (variant.risk_class === "read" && variant.annotations?.idempotent === true);
}
