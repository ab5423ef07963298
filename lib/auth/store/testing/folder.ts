/** Temporary profile folders and stores over them, for tests. */

import { environmentOf, type VariableName } from "../../../config/environment.ts";
import type { Logger } from "../../../log/mod.ts";
import { type CredentialStoreOptions, openCredentialStore } from "../store.ts";
import type { CredentialStore } from "../types.ts";

/** A key for vaults in tests. */
export const TEST_VAULT_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/** Calls `body` with a fresh folder and removes it afterwards. */
export async function withTempFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-store-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A logger that keeps every record as text, to search it. */
export function recordingLogger(): Logger & { text(): string } {
  const lines: string[] = [];
  return {
    log: (level, message, fields) => lines.push(JSON.stringify({ level, message, fields })),
    text: () => lines.join("\n"),
  };
}

/** A store whose only place is a vault opened by {@link TEST_VAULT_KEY}. */
export function vaultStore(
  folder: string,
  more: Partial<CredentialStoreOptions> & {
    variables?: Partial<Record<VariableName, string>>;
  } = {},
): CredentialStore {
  const { variables, ...options } = more;
  return openCredentialStore({
    profileName: "work",
    directory: `${folder}/gum/work`,
    environment: environmentOf(variables ?? { GUM_VAULT_KEY: TEST_VAULT_KEY }),
    choice: "vault",
    ...options,
  });
}

/** A call that nobody gives up. */
export const CALL = { signal: new AbortController().signal };
