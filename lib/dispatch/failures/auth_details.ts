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
function missingComponent(variant: Variant): string {
  switch (variant.auth_strategy) {
    case "api_key":
      return "api_key";
    case "service_account":
      return "service_account_key";
    default:
      return "oauth_scopes";
  }
}

/** What every refusal for a missing credential or permission says (spec 05 §2.3). */
export function authDetails(
  variant: Variant,
  refusal: { opId: string; components?: readonly string[]; profileName?: string },
): JsonObject {
  const scopes = variant.scopes ?? [];
  return {
    op_id: refusal.opId,
    variant_id: variant.variant_id,
    auth_strategy: variant.auth_strategy,
    missing_components: [...refusal.components ?? [missingComponent(variant)]],
    setup_command: setupCommand(variant, refusal.opId),
    ...(scopes.length === 0 ? {} : { required_scopes: [...scopes].sort() }),
    ...(refusal.profileName === undefined ? {} : { profile: refusal.profileName }),
  };
}

/** One sentence on what is missing, and the command that sets it up. */
export function authUserMessage(
  variant: Variant,
  refusal: { opId: string; because?: string },
): string {
  const because = refusal.because ?? "This operation needs an account that is set up for it.";
  return `${because} Set it up with \`${setupCommand(variant, refusal.opId)}\`.`;
}
