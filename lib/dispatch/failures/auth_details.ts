/** The fields every credential refusal carries (spec 05 §2.3). */

import type { Variant } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";

/** The command that sets a variant's credential up. */
export function setupCommand(variant: Variant, opId: string): string {
  if (variant.auth_strategy !== "gum_oauth") return `gum auth setup ${opId}`;
  const scopes = (variant.scopes ?? []).map((scope) => ` --scope ${scope}`).join("");
  return `gum auth login${scopes}`;
}

/** The component a refusal is about when nothing more precise is known. */
export function missingComponent(variant: Variant): string {
  switch (variant.auth_strategy) {
    case "api_key":
      return "api_key";
    case "service_account":
      return "service_account_key";
    default:
      return "oauth_scopes";
  }
}

/** `auth_strategy`, `missing_components` and `setup_command` of a refusal. */
export function authDetails(
  variant: Variant,
  refusal: { opId: string; components?: readonly string[] },
): JsonObject {
  return {
    op_id: refusal.opId,
    auth_strategy: variant.auth_strategy,
    missing_components: [...refusal.components ?? [missingComponent(variant)]],
    setup_command: setupCommand(variant, refusal.opId),
  };
}
