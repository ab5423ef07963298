/** Operations of the embedded catalog that a plugin serves (spec 06 §3.2). */

import type { Op } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";

/** The plugin behind an operation; undefined for one that GUM serves itself. */
export function pluginOf(op: Op): string | undefined {
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  return variant?.backend_kind === "mcp-plugin" ? variant.binding?.plugin_name : undefined;
}

/** What to do about a plugin that is not there: it does not ship with GUM. */
export function installHint(pluginName: string): string {
  return `Plugin ${pluginName} is not installed and does not ship with GUM. Get it from its ` +
    `author, or write one (\`gum plugin new ${pluginName}\`), then run ` +
    `\`gum plugin install <dir> --yes\`.`;
}

/** The refusal of a call whose plugin is not installed in this profile. */
export function pluginNotInstalled(
  pluginName: string,
  place: { opId?: string; variantId?: string } = {},
): GumError {
  return new GumError("SERVICE_DOWN", {
    message: `plugin ${pluginName} is not installed in this profile`,
    details: {
      adapter_key: "plugin.mcp",
      plugin_name: pluginName,
      reason: "plugin_not_installed",
      ...(place.opId === undefined ? {} : { op_id: place.opId }),
      ...(place.variantId === undefined ? {} : { variant_id: place.variantId }),
    },
    userMessage: `Plugin ${pluginName} is not installed.`,
    suggestion: installHint(pluginName),
    retryable: false,
  });
}
