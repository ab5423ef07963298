/** Puts the parts of a profile's auth together; everything loads here and nothing earlier. */

import type { Clock } from "../clock/mod.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig, setting } from "../config/mod.ts";
import type { HttpClient } from "../http/mod.ts";
import type { Logger } from "../log/mod.ts";
import { profileConfigSource } from "./config_source.ts";
import { GOOGLE_ENDPOINTS, type OAuthEndpoints } from "./oauth/endpoints.ts";
import {
  createAccessTokenCache,
  openCredentialStore,
  type PassphrasePrompt,
  type StoreChoice,
} from "./store/mod.ts";
import type { AuthParts } from "./types.ts";

/** What a profile's auth is opened with. */
export interface ProfileAuthOptions {
  profileName: string;
  /** Base directories, without a `gum` component. */
  directories: { config?: string; data?: string };
  environment: Environment;
  http: HttpClient;
  clock: Clock;
  log: Logger;
  /** Asks for a vault's passphrase; absent where nobody can be asked. */
  prompt?: PassphrasePrompt;
  /** Test peers only: there is no variable and no key for them. */
  endpoints?: OAuthEndpoints;
  managedClientId?: string;
}

/** Opens the parts. Nothing is read but the configuration, for the choice of the store. */
export async function openAuthParts(
  options: ProfileAuthOptions,
  lifetime: AbortSignal,
): Promise<AuthParts> {
  const { profileName, directories, environment, clock, log, prompt } = options;
  const folder = (base: string | undefined) =>
    base === undefined ? undefined : `${base}/gum/${profileName}`;
  const directory = folder(directories.data);
  const configDirectory = folder(directories.config);
  const { config } = await loadConfig({ profileName, directory: configDirectory, log });
  const store = openCredentialStore({
    profileName,
    directory,
    environment,
    choice: setting(config, "auth.credential_store") as StoreChoice, // an enum of the key table
    ...(prompt === undefined ? {} : { prompt }),
    clock,
    log,
  });
  return {
    profileName,
    store,
    config: profileConfigSource({ profileName, directory: configDirectory, log }),
    environment,
    http: options.http,
    clock,
    log,
    endpoints: options.endpoints ?? GOOGLE_ENDPOINTS,
    ...(directory === undefined ? {} : {
      tokenCache: createAccessTokenCache({ store, directory, clock, log }),
      lockDirectory: directory,
    }),
    ...(options.managedClientId === undefined ? {} : { managedClientId: options.managedClientId }),
    lifetime,
  };
}
