/** Gathers what is set up in a profile, without the network and without showing a secret. */

import type { Variant } from "../catalog/types.ts";
import type { JsonObject } from "../json/mod.ts";
import type { ComponentFacts } from "./components.ts";
import type { GrantView } from "./grants/state.ts";
import { apiKeyAccount, developerTokenAccount, serviceAccountAccount } from "./store/mod.ts";
import { storedOrGiven } from "./stored_secret.ts";
import type { AuthParts } from "./types.ts";

/** The facts that the components of a variant are judged by. */
export async function componentFacts(
  parts: AuthParts,
  view: GrantView,
  about: {
    opId: string;
    variant: Variant;
    args?: JsonObject;
    /** Kinds that matter; others are not looked up. */
    kinds: ReadonlySet<string>;
    signal: AbortSignal;
  },
): Promise<ComponentFacts> {
  const { opId, variant, args, kinds, signal } = about;
  const wants = (...names: string[]) => names.some((name) => kinds.has(name));
  const grant = wants("oauth_client", "oauth_client_secret", "oauth_scopes")
    ? await view.current(signal)
    : undefined;
  const { acknowledged } = await view.config();
  const has = async (
    kind: string,
    entry: { account: string; variable: "GUM_API_KEY" | "GUM_GOOGLE_ADS_DEVELOPER_TOKEN" },
  ) => kinds.has(kind) && await storedOrGiven(parts, { ...entry, signal }) !== undefined;
  return {
    opId,
    variant,
    ...(args === undefined ? {} : { args }),
    client: grant?.client === undefined
      ? "none"
      : grant.client.secret === undefined
      ? "public"
      : "confidential",
    covered: grant?.covered ?? [],
    apiKey: await has("api_key", {
      account: apiKeyAccount(parts.profileName),
      variable: "GUM_API_KEY",
    }),
    developerToken: await has("developer_token", {
      account: developerTokenAccount(parts.profileName),
      variable: "GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
    }),
    serviceAccountKey: kinds.has("service_account_key") && await hasServiceAccount(parts, signal),
    acknowledged,
  };
}

async function hasServiceAccount(parts: AuthParts, signal: AbortSignal): Promise<boolean> {
  if (parts.environment.text("GUM_SERVICE_ACCOUNT_KEY") !== undefined) return true;
  return await parts.store.get(serviceAccountAccount(parts.profileName), { signal }) !== null;
}
