/**
 * The files around a profile's credentials: which place is in use, the write lock and the
 * generation (spec 05 §3.1, §3.3).
 */

import type { Clock } from "../../clock/mod.ts";
import type { Environment } from "../../config/environment.ts";
import { GumError } from "../../errors/mod.ts";
import {
  ensurePrivateDir,
  FileLockTimeout,
  withFileLock,
  writeFileAtomic,
} from "../../files/mod.ts";
import { isJsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { macosKeychainBackend } from "./macos_keychain.ts";
import { secretServiceBackend } from "./secret_service.ts";
import type { BackendName, CredentialBackend, PassphrasePrompt, StoreCall } from "./types.ts";
import { keychainUnavailable } from "./unavailable.ts";
import { keySourceConfigured, type VaultBackend, vaultBackend } from "./vault/mod.ts";
import { windowsCredentialBackend } from "./windows_credentials.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** `auth.credential_store` of the configuration. */
export type StoreChoice = "auto" | "keychain" | "vault";

/** What a place is made from. */
export interface PlaceOptions {
  profileName: string;
  /** `<data>/gum/<profile>`; undefined when no home directory is known. */
  directory: string | undefined;
  environment: Environment;
  choice: StoreChoice;
  prompt?: PassphrasePrompt;
  clock: Clock;
  log: Logger;
  os: string;
  /** Longest a keychain tool may take, milliseconds. */
  timeoutMs?: number;
  /** Longest wait for the write lock, milliseconds; default 10 s. */
  lockTimeoutMs?: number;
}

/** Content of `credential-store.json`. */
export interface StoreMarker {
  backend: BackendName;
  /** Names of the entries written; keychains cannot list theirs. */
  accounts: readonly string[];
}

/** One profile's place for credentials. */
export interface Place {
  readonly profileName: string;
  readonly native: CredentialBackend;
  readonly vault: VaultBackend;
  readonly choice: StoreChoice;
  /** The folder; throws where there is none. */
  directory(): string;
  /** The backend to use, chosen by configuration, marker or probe, in that order. */
  chosen(call: StoreCall & { timeoutMs?: number }): Promise<CredentialBackend>;
  /** @throws GumError `AUTH_KEYCHAIN_UNAVAILABLE` when the file is there and makes no sense. */
  marker(): Promise<StoreMarker | undefined>;
  writeMarker(marker: StoreMarker): Promise<void>;
  generation(): Promise<string>;
  renewGeneration(): Promise<void>;
  locked<T>(work: () => Promise<T>, call: StoreCall): Promise<T>;
}

/** The place of one account profile. Nothing is touched before it is used. */
export function placeOf(options: PlaceOptions): Place {
  const { environment, profileName } = options;
  const directory = () => {
    if (options.directory !== undefined) return options.directory;
    throw keychainUnavailable({
      backend: undefined,
      reason: "read_only",
      detail: "no home directory is known",
      suggestion: "Set HOME, or XDG_DATA_HOME to an absolute path.",
    });
  };
  const marker = async () => await readMarker(`${directory()}/credential-store.json`);
  const native = nativeBackend(options);
  const vault = vaultBackend({
    path: `${options.directory ?? ""}/credentials.vault`,
    profileName,
    environment,
    prompt: options.prompt,
    clock: options.clock,
    log: options.log,
    expected: async () => (await marker())?.backend === "vault",
  });
  let decided: { generation: string; backend: CredentialBackend } | undefined;

  const decide = async (call: StoreCall & { timeoutMs?: number }): Promise<CredentialBackend> => {
    if (options.choice !== "auto") return options.choice === "vault" ? vault : native;
    const known = await marker();
    if (known !== undefined) return named(known.backend);
    const status = await native.probe(call);
    if (status.available) return native;
    if (await vault.exists() || keySourceConfigured(environment)) return vault;
    throw keychainUnavailable({ backend: native.name, ...status });
  };
  // Never another place than the one that was written to: credentials would seem to have vanished.
  const named = (backend: BackendName): CredentialBackend => {
    if (backend === "vault") return vault;
    if (backend === native.name) return native;
    throw keychainUnavailable({
      backend,
      reason: "unsupported_platform",
      detail: "the credentials of this profile were stored on another system",
    });
  };
  const generation = async () => await readText(`${directory()}/auth.generation`);

  return {
    profileName,
    native,
    vault,
    choice: options.choice,
    directory,
    marker,
    generation,
    async chosen(call) {
      const now = await generation();
      if (decided?.generation === now) return decided.backend;
      const backend = await decide(call);
      decided = { generation: now, backend };
      return backend;
    },
    async writeMarker({ backend, accounts }) {
      const content = { v: 1, backend, accounts: [...new Set(accounts)].sort() };
      await writePrivate(`${directory()}/credential-store.json`, JSON.stringify(content) + "\n");
    },
    async renewGeneration() {
      decided = undefined;
      await writePrivate(`${directory()}/auth.generation`, crypto.randomUUID() + "\n");
    },
    async locked(work, { signal }) {
      const path = `${directory()}/auth.lock`;
      const wait = { timeoutMs: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS, signal };
      let entered = false;
      try {
        await ensurePrivateDir(directory());
        return await withFileLock(path, wait, () => {
          entered = true;
          return work();
        });
      } catch (error) {
        if (error instanceof FileLockTimeout && error.path === path) throw busy(path, error);
        // Without a place for the lock nothing may be written anywhere.
        if (!entered && !signal.aborted) throw notWritable(error);
        throw error;
      }
    },
  };
}

function nativeBackend(options: PlaceOptions): CredentialBackend {
  if (options.os === "darwin") return macosKeychainBackend(options);
  return options.os === "windows"
    ? windowsCredentialBackend(options)
    : secretServiceBackend(options);
}

const BACKENDS: readonly BackendName[] = [
  "secret-service",
  "macos-keychain",
  "windows-credential-manager",
  "vault",
];

function readMarker(path: string): StoreMarker | undefined {
  const text = readText(path);
  if (text === "") return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const backend = isJsonObject(parsed)
      ? BACKENDS.find((name) => name === parsed.backend)
      : undefined;
    if (isJsonObject(parsed) && parsed.v === 1 && backend !== undefined) {
      const listed = Array.isArray(parsed.accounts) ? parsed.accounts : [];
      return { backend, accounts: listed.filter((name) => typeof name === "string") };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw keychainUnavailable({
    backend: undefined,
    reason: "denied",
    detail: "credential-store.json is damaged, so it is not known where the credentials are",
    suggestion: "Restore credential-store.json, or remove it to choose a place anew.",
  });
}

function readText(path: string): string {
  try {
    // A few bytes, asked for with every credential: handing it to another thread costs more.
    return Deno.readTextFileSync(path).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw keychainUnavailable({
      backend: undefined,
      reason: "denied",
      detail: "the data directory of this profile cannot be read " +
        `(${error instanceof Error ? error.name : "unknown"})`,
      suggestion: "Run gum as the user who owns the data directory, as with `docker run --user`, " +
        "or point XDG_DATA_HOME at one that this user owns.",
      cause: error,
    });
  }
}

async function writePrivate(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, new TextEncoder().encode(text), { mode: 0o600 });
}

function notWritable(cause: unknown): GumError {
  return keychainUnavailable({
    backend: undefined,
    reason: "read_only",
    detail: "the data directory of this profile cannot be written",
    suggestion: "Make the data directory writable, or point XDG_DATA_HOME at one that is.",
    cause,
  });
}

function busy(path: string, cause: unknown): GumError {
  return new GumError("SERVICE_DOWN", {
    message: "another process is changing the credentials of this profile",
    details: { path, source_error_code: "AUTH_STORE_BUSY" },
    userMessage: "Another gum process is changing the stored credentials.",
    suggestion: "Try again in a moment.",
    retryable: true,
    cause,
  });
}
