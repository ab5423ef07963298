/** What an operator does with the vault: begin one, look at it, change its key, move in or out. */

import { GumError } from "../../errors/mod.ts";
import {
  apiKeyAccount,
  byoClientAccount,
  byoGrantAccount,
  developerTokenAccount,
  hostedClientAccount,
  managedIndexAccount,
  managedSubjectAccount,
  serviceAccountAccount,
  tokenCacheKeyAccount,
} from "./account_names.ts";
import { entriesOver } from "./entries.ts";
import { type Place, placeOf } from "./place.ts";
import { type CredentialStoreOptions, storeOver, withDefaults } from "./store.ts";
import type {
  BackendName,
  CredentialBackend,
  CredentialEntries,
  StoreCall,
  StoreStatus,
} from "./types.ts";
import type { PassphraseKdf, VaultHeader, VaultKeySources } from "./vault/mod.ts";

/** Where a profile's credentials are and what its vault is. */
export interface VaultReport {
  path: string;
  /** Undefined when there is no vault file. */
  vault: VaultHeader | undefined;
  /** The place in use. */
  store: StoreStatus;
}

/** What a move did. */
export interface Migration {
  from: BackendName;
  to: BackendName;
  /** Names of the entries that were moved. */
  moved: string[];
  /** Entries of the old place that could not be removed after the move. */
  left: string[];
}

/** The operator's commands over one profile's store. */
export interface StoreAdministration {
  initVault(request: StoreCall & { kdf: PassphraseKdf }): Promise<VaultHeader & { inUse: boolean }>;
  vaultReport(call: StoreCall & { timeoutMs?: number }): Promise<VaultReport>;
  rekeyVault(
    request: StoreCall & { kdf: PassphraseKdf; newKey: VaultKeySources },
  ): Promise<VaultHeader>;
  migrate(request: StoreCall & { to: "keychain" | "vault" }): Promise<Migration>;
}

/** Opens a profile's store for its operator. */
export function administerStore(options: CredentialStoreOptions): StoreAdministration {
  const given = withDefaults(options);
  const place = placeOf(given);
  const vaultPath = () => `${place.directory()}/credentials.vault`;
  return {
    initVault: ({ kdf, signal }) =>
      place.locked(async () => {
        if (await place.vault.exists()) {
          throw new GumError("CLI_ARG_INVALID", {
            message: "this profile has a vault already",
            details: { path: vaultPath() },
            suggestion: "`gum auth vault rekey` changes its key.",
          });
        }
        const header = await place.vault.create({ kdf, signal });
        const known = await place.marker();
        if (known === undefined) {
          await place.writeMarker({ backend: "vault", accounts: [] });
          await place.renewGeneration();
        }
        return { ...header, inUse: known === undefined || known.backend === "vault" };
      }, { signal }),
    async vaultReport(call) {
      const present = await place.vault.exists();
      return {
        path: vaultPath(),
        vault: present ? await place.vault.header() : undefined,
        store: await storeOver(place, given).probe(call),
      };
    },
    rekeyVault: ({ kdf, newKey, signal }) =>
      place.locked(async () => {
        const header = await place.vault.rekey({ kdf, sources: newKey, signal });
        await place.renewGeneration();
        return header;
      }, { signal }),
    migrate: ({ to, signal }) =>
      place.locked(() => move(place, { to, signal, log: given.log }), { signal }),
  };
}

async function move(
  place: Place,
  request: StoreCall & { to: "keychain" | "vault"; log: ReturnType<typeof withDefaults>["log"] },
): Promise<Migration> {
  const { to, signal, log } = request;
  const call = { signal };
  const source = await place.chosen(call);
  const target = to === "vault" ? place.vault : place.native;
  if (source.name === target.name) {
    return { from: source.name, to: target.name, moved: [], left: [] };
  }
  const from = entriesOver(source, { log });
  const into = entriesOver(target, { log });
  const names = await knownAccounts(place, { source, from, signal });
  const moved: string[] = [];
  for (const account of names) {
    const value = await from.get(account, call);
    if (value === null) continue;
    await into.set(account, value, call);
    if ((await into.get(account, call))?.reveal() !== value.reveal()) {
      throw new GumError("AUTH_KEYCHAIN_UNAVAILABLE", {
        message: `${target.name} did not keep ${account}; nothing was removed from ${source.name}`,
        details: { backend: target.name, reason: "denied", setup_command: "gum auth use-adc" },
      });
    }
    moved.push(account);
  }
  // The new place counts from here on: a crash below leaves copies, never a loss.
  await place.writeMarker({ backend: target.name, accounts: moved });
  await place.renewGeneration();
  const left: string[] = [];
  for (const account of moved) {
    try {
      await from.delete(account, call);
    } catch (error) {
      log.log("warn", "a moved credential stays behind", {
        account,
        error: error instanceof Error ? error.name : "unknown",
      });
      left.push(account);
    }
  }
  if (source.name === "vault" && left.length === 0) {
    await Deno.remove(`${place.directory()}/credentials.vault`);
  }
  return { from: source.name, to: target.name, moved, left };
}

/** Everything written through the store, and what an older marker may not list. */
async function knownAccounts(
  place: Place,
  at: { source: CredentialBackend; from: CredentialEntries; signal: AbortSignal },
): Promise<string[]> {
  const profile = place.profileName;
  const names = new Set([
    ...(await place.marker())?.accounts ?? [],
    ...[
      byoClientAccount,
      managedSubjectAccount,
      managedIndexAccount,
      apiKeyAccount,
      serviceAccountAccount,
      developerTokenAccount,
      tokenCacheKeyAccount,
      hostedClientAccount,
    ].map((name) => name(profile)),
    // A vault can say what it holds, and it is removed after the move: nothing may stay behind.
    ...(at.source.name === place.vault.name ? await place.vault.accounts(at.signal) : []),
  ]);
  const client = await at.from.get(byoClientAccount(profile), at);
  const clientId = client === null ? undefined : clientIdOf(client.reveal());
  if (clientId !== undefined) names.add(await byoGrantAccount(profile, clientId));
  const index = await at.from.get(managedIndexAccount(profile), at);
  for (const line of index?.reveal().split("\n") ?? []) if (line !== "") names.add(line);
  return [...names].sort();
}

function clientIdOf(item: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(item);
    return typeof parsed === "object" && parsed !== null && "client_id" in parsed &&
        typeof parsed.client_id === "string"
      ? parsed.client_id
      : undefined;
  } catch {
    return undefined; // A damaged registration names no grant; it is moved as it is.
  }
}
