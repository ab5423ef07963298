/** The credential store of the profile a command runs for. */

import type { CredentialStoreOptions } from "../lib/auth/store/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, type ProfileConfig, setting } from "../lib/config/mod.ts";
import { passphrasePrompt } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** What a command needs to work with the profile's credentials. */
export interface CommandStore {
  options: CredentialStoreOptions;
  config: ProfileConfig;
  /** `<config>/gum/<profile>` and `<data>/gum/<profile>`. */
  directories: { config: string; data: string };
}

/**
 * Options of the store that the profile's configuration asks for.
 *
 * @param request.prompt Whether a person may be asked for the vault's passphrase; never true for a
 * server on standard input.
 */
export async function commandStore(
  context: CommandContext,
  request: { prompt: boolean },
): Promise<CommandStore> {
  const { host, profile, log } = context;
  const directories = profileDirectories(baseDirectories(host.environment), profile);
  const { config } = await loadConfig({ profileName: profile, directory: directories.config, log });
  return {
    config,
    directories,
    options: {
      profileName: profile,
      directory: directories.data,
      environment: host.environment,
      choice: setting(config, "auth.credential_store"),
      prompt: request.prompt ? passphrasePrompt(context) : undefined,
      clock: host.factories.clock,
      log,
    },
  };
}
