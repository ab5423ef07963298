/** The one routing entry of a gRPC call (spec 02 §3.11.5, 04 §3.2 rule 16). Pure. */

import type { Binding } from "../../catalog/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { wireText } from "../rest/path.ts";

/** Metadata key that tells Google's front end where a request belongs. */
export const ROUTING_KEY = "x-goog-request-params";

/**
 * `a=1&b=x%2Fy` for the fields a binding routes by, in declaration order; undefined when none of
 * them has a value.
 */
export function routingParameters(
  binding: Binding | undefined,
  message: JsonObject,
): string | undefined {
  const entries = (binding?.routing_headers ?? []).flatMap((path) => {
    const text = routingValue(message, path);
    return text === undefined ? [] : [`${path}=${encodeURIComponent(text)}`];
  });
  return entries.length === 0 ? undefined : entries.join("&");
}

/** The scalar at a dotted path; undefined when absent, empty or no scalar. */
function routingValue(message: JsonObject, path: string): string | undefined {
  let value: JsonValue | undefined = message;
  for (const name of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  const text = wireText(value);
  return text === undefined || text === "" ? undefined : text.toWellFormed();
}
