/** Whether Google knows the registered client, found out before anybody is sent to a page. */

import { loadClient } from "../grants/client.ts";
import { requestToken } from "../oauth/token_client.ts";
import type { AuthParts } from "../types.ts";

/** What the token service said of a client. */
export type ClientCheck =
  | { kind: "known" }
  /** `problem` is plain words. */
  | { kind: "refused"; problem: string }
  /** It could not be asked, or no client is registered. */
  | { kind: "unchecked" };

/** A refresh token that nobody has: the service looks at the client before it looks at the token. */
const NO_TOKEN = "1//gum-checks-the-client-only";

/** Asks the token service. Nothing is stored, and no grant is touched. */
export async function checkClient(parts: AuthParts, signal: AbortSignal): Promise<ClientCheck> {
  const client = await loadClient(parts.store, parts.profileName, { signal });
  if (client === undefined) return { kind: "unchecked" };
  const answer = await requestToken(parts.http, {
    url: parts.endpoints.token,
    form: {
      grant_type: "refresh_token",
      refresh_token: NO_TOKEN,
      client_id: client.id,
      client_secret: client.secret,
    },
  }, signal);
  if (answer.kind !== "refused") return { kind: "unchecked" };
  const said = `${answer.error} ${answer.description}`.toLowerCase();
  if (said.includes("client_secret is missing")) {
    return { kind: "refused", problem: "it needs its secret" };
  }
  if (said.includes("deleted_client")) {
    return { kind: "refused", problem: "it was deleted in its project" };
  }
  if (said.includes("invalid_client") || said.includes("unauthorized_client")) {
    return { kind: "refused", problem: "Google does not know this id with this secret" };
  }
  return { kind: answer.error === "invalid_grant" ? "known" : "unchecked" };
}
