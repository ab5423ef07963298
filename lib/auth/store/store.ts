/** The credential store of one account profile (spec 05 §3.3). */

import { type Clock, systemClock } from "../../clock/mod.ts";
import type { Secret } from "../../dispatch/types.ts";
import { findGumError } from "../../errors/mod.ts";
import { defaultLogger } from "../../log/mod.ts";
import { entriesOver } from "./entries.ts";
import { type Place, placeOf, type PlaceOptions } from "./place.ts";
import type {
  BackendName,
  CredentialBackend,
  CredentialEntries,
  CredentialStore,
  StoreCall,
  StoreStatus,
  StoreUnavailableReason,
} from "./types.ts";

/** How long a value read may be used again without asking the place, at most. */
const MEMORY_MS = 30_000;

/** How to open a store. */
export type CredentialStoreOptions =
  & Pick<PlaceOptions, "profileName" | "directory" | "environment" | "prompt" | "timeoutMs">
  & Partial<Pick<PlaceOptions, "choice" | "clock" | "log" | "os" | "lockTimeoutMs">>;

/** Opens the store of a profile. Nothing is read or started before it is used. */
export function openCredentialStore(options: CredentialStoreOptions): CredentialStore {
  const given = withDefaults(options);
  return storeOver(placeOf(given), given);
}

/** Fills in what a caller left to the process. */
export function withDefaults(options: CredentialStoreOptions): PlaceOptions {
  return {
    ...options,
    choice: options.choice ?? "auto",
    clock: options.clock ?? systemClock,
    log: options.log ?? defaultLogger(),
    os: options.os ?? Deno.build.os,
  };
}

interface Remembered {
  value: Secret | null;
  generation: string;
  readAt: number;
}

/** A store over a place. */
export function storeOver(
  place: Place,
  options: Pick<PlaceOptions, "clock" | "log">,
): CredentialStore {
  const { clock, log } = options;
  const memory = new Map<string, Remembered>();

  const exclusive: CredentialStore["exclusive"] = (work, call) =>
    place.locked(async () => {
      const backend = await place.chosen(call);
      const changes = trackedEntries(entriesOver(backend, { log }));
      try {
        return await work(changes.entries);
      } finally {
        if (changes.any()) {
          memory.clear();
          await recordChanges(place, { backend, ...changes });
        }
      }
    }, call);

  return {
    profileName: place.profileName,
    exclusive,
    async get(account, call) {
      const generation = await place.generation();
      const known = memory.get(account);
      if (known !== undefined && fresh(known, { generation, clock })) return known.value;
      memory.delete(account);
      const backend = await place.chosen(call);
      const value = await entriesOver(backend, { log }).get(account, call);
      memory.set(account, { value, generation, readAt: clock.now() });
      return value;
    },
    set: (account, value, call) => exclusive((entries) => entries.set(account, value, call), call),
    delete: (account, call) => exclusive((entries) => entries.delete(account, call), call),
    generation: () => place.generation(),
    probe: (call) => probeStore(place, call),
    accounts: async () => (await place.marker())?.accounts ?? [],
  };
}

function fresh(known: Remembered, now: { generation: string; clock: Clock }): boolean {
  return known.generation === now.generation && now.clock.now() - known.readAt < MEMORY_MS;
}

interface TrackedChanges {
  entries: CredentialEntries;
  written: ReadonlySet<string>;
  removed: ReadonlySet<string>;
  any(): boolean;
}

function trackedEntries(entries: CredentialEntries): TrackedChanges {
  const written = new Set<string>();
  const removed = new Set<string>();
  return {
    written,
    removed,
    any: () => written.size + removed.size > 0,
    entries: {
      get: (account, call) => entries.get(account, call),
      async set(account, value, call) {
        await entries.set(account, value, call);
        written.add(account);
        removed.delete(account);
      },
      async delete(account, call) {
        await entries.delete(account, call);
        removed.add(account);
        written.delete(account);
      },
    },
  };
}

/** Writes the marker when there is something to mark, then the generation that readers watch. */
async function recordChanges(
  place: Place,
  changes: {
    backend: CredentialBackend;
    written: ReadonlySet<string>;
    removed: ReadonlySet<string>;
  },
): Promise<void> {
  const { backend, written, removed } = changes;
  const known = await place.marker();
  if (known !== undefined || written.size > 0) {
    // A forced place keeps its own entries; those of another place are not its own.
    const before = known?.backend === backend.name ? known.accounts : [];
    const kept = before.filter((name) => !removed.has(name));
    if (known?.backend === backend.name || written.size > 0) {
      await place.writeMarker({ backend: backend.name, accounts: [...kept, ...written] });
    }
  }
  await place.renewGeneration();
}

async function probeStore(
  place: Place,
  call: StoreCall & { timeoutMs?: number },
): Promise<StoreStatus> {
  let backend: CredentialBackend;
  try {
    backend = await place.chosen(call);
  } catch (error) {
    const refusal = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
    if (refusal === undefined) throw error;
    // Both were put there by `keychainUnavailable`.
    const reason = refusal.details.reason as StoreUnavailableReason;
    const named = refusal.details.backend as BackendName | undefined;
    return { backend: named, available: false, reason, detail: refusal.message };
  }
  return { backend: backend.name, ...await backend.probe(call) };
}
