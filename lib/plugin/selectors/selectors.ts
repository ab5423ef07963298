/** The names by which a plugin's tools are called (spec 06 §3.1, gate 10). */

import { GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";

// deno-lint-ignore no-control-regex -- control characters are what a selector may not hold
const BAD_CHARACTER = /[\s\u0000-\u001f\u007f-\u009f/\\]/u;

/** True for 1 to 128 characters without white space, control characters and path separators. */
export function isToolSelector(value: unknown): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= 128 &&
    !BAD_CHARACTER.test(value);
}

/**
 * Checks the selectors of a stored or declared plugin binding; runs at installation and again
 * before every call.
 *
 * @throws GumError `PLUGIN_BINDING_INVALID`
 */
export function checkPluginSelectors(
  binding: {
    plugin_name?: unknown;
    tool_name?: unknown;
    rpc_service?: unknown;
    rpc_method?: unknown;
  },
  backendKind: string,
): void {
  const needed = backendKind === "grpc-plugin"
    ? (["plugin_name", "rpc_service", "rpc_method"] as const)
    : (["plugin_name", "tool_name"] as const);
  for (const key of needed) if (!isToolSelector(binding[key])) throw badSelector(key, binding[key]);
}

/** The refusal of one selector. */
export function badSelector(key: string, value: unknown): GumError {
  const details: JsonObject = { tool_name: typeof value === "string" ? value.slice(0, 128) : null };
  return new GumError("PLUGIN_BINDING_INVALID", {
    message: `${key} is missing or is not a plain name`,
    details,
  });
}
