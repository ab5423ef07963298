/** What a write acted on, for the audit row. */

import type { AuthorizedCall } from "./stages.ts";

/** Path-parameter values in the order of the path, joined by `/`; "" when there are none. */
export function resourceKey(authorized: AuthorizedCall): string {
  const path = authorized.resolved.variant.binding?.http?.path ?? "";
  return [...path.matchAll(/\{\+?([^}]+)\}/g)]
    .map((match) => authorized.wireArgs[match[1] ?? ""])
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join("/");
}
