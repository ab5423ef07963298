/** The operator's own OAuth client, as registered for a profile (spec 05 §2.5). */

import { isJsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";
import { secret } from "../secret.ts";
import {
  byoClientAccount,
  type CredentialEntries,
  hostedClientAccount,
  type StoreCall,
} from "../store/mod.ts";

/** A registered client. */
export interface RegisteredClient {
  id: string;
  /** Absent for a public client. */
  secret?: string;
  /** RFC 3339. */
  registeredAt: string;
}

/**
 * The profile's client; undefined when none is registered.
 *
 * @throws AuthError `BYO_OAUTH_CLIENT_LOAD_FAILED` for an entry that cannot be read.
 */
export async function loadClient(
  entries: Pick<CredentialEntries, "get">,
  profileName: string,
  call: StoreCall,
): Promise<RegisteredClient | undefined> {
  const stored = await entries.get(byoClientAccount(profileName), call);
  return stored === null ? undefined : parseClient(stored.reveal());
}

/** Id of the client for hosted agents; undefined when there is none. */
export async function hostedClientId(
  entries: Pick<CredentialEntries, "get">,
  profileName: string,
  call: StoreCall,
): Promise<string | undefined> {
  const stored = await entries.get(hostedClientAccount(profileName), call);
  return stored === null ? undefined : parseClient(stored.reveal()).id;
}

/** Stores a client; grants of other clients are not touched. */
export async function storeClient(
  entries: Pick<CredentialEntries, "set">,
  registration: {
    profileName: string;
    client: RegisteredClient;
    /** For agents that somebody else hosts, beside the ordinary one. */
    hosted?: boolean;
  },
  call: StoreCall,
): Promise<void> {
  const { id, secret: clientSecret, registeredAt } = registration.client;
  const text = JSON.stringify({
    v: 1,
    client_id: id,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    registered_at: registeredAt,
  });
  const { profileName, hosted } = registration;
  const account = hosted ? hostedClientAccount(profileName) : byoClientAccount(profileName);
  await entries.set(account, secret(text), call);
}

function parseClient(text: string): RegisteredClient {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // refused below, like every other text that is no client
  }
  const { client_id: id, client_secret: clientSecret, registered_at: registeredAt } =
    isJsonObject(value) ? value : {};
  if (typeof id !== "string" || id === "") {
    throw new AuthError({
      code: "BYO_OAUTH_CLIENT_LOAD_FAILED",
      strategy: "byo_oauth",
      remediation: "the stored OAuth client is damaged; register it again",
      missingComponents: ["oauth_client"],
      nextCommand: "gum auth use-oauth-client --client-id <id> --secret-stdin",
    });
  }
  return {
    id,
    ...(typeof clientSecret === "string" && clientSecret !== "" ? { secret: clientSecret } : {}),
    registeredAt: typeof registeredAt === "string" ? registeredAt : "",
  };
}
