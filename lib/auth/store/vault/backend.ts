/** Credentials in one encrypted file, for hosts without a keychain (spec 05 §3.3). */

import { type Clock, rfc3339 } from "../../../clock/mod.ts";
import { jcs } from "../../../format/jcs.ts";
import { ensurePrivateDir, parentDir, pathExists, writeFileAtomic } from "../../../files/mod.ts";
import type { Logger } from "../../../log/mod.ts";
import { readTrustedFile, type TrustProblem, UntrustedFile } from "../trusted_file.ts";
import type { BackendStatus, CredentialBackend } from "../types.ts";
import { keychainUnavailable } from "../unavailable.ts";
import {
  freshKdf,
  newDataKey,
  type OpenVault,
  parseVault,
  sealEntries,
  unsealEntries,
  unwrapDataKey,
  VAULT_LIMIT,
  vaultBytes,
  VaultCorrupt,
  type VaultEntries,
  type VaultFile,
  VaultUnauthentic,
} from "./file_format.ts";
import {
  deriveKek,
  kdfFor,
  keySourceConfigured,
  SHORTEST_PASSPHRASE,
  vaultKeyMaterial,
  VaultKeyProblem,
  type VaultKeySources,
} from "./keys.ts";

/** Key derivation a person may choose for a passphrase. */
export type PassphraseKdf = "scrypt" | "pbkdf2-sha256";

/** What a vault is made from. */
export interface VaultOptions extends VaultKeySources {
  /** `<data>/gum/<profile>/credentials.vault` */
  path: string;
  clock: Clock;
  log: Logger;
  /** Whether the profile is known to use this vault: then a missing file is damage, not a beginning. */
  expected: () => Promise<boolean>;
}

/** The header of a vault, for a status report. */
export interface VaultHeader {
  kdf: VaultFile["kdf"]["name"];
  updatedAt: string;
}

/** A vault as a place for credentials; the caller holds the write lock around every change. */
export interface VaultBackend extends CredentialBackend {
  /** True when the file is there, readable or not. */
  exists(): Promise<boolean>;
  /** The header, without any key; undefined when there is no file. */
  header(): Promise<VaultHeader | undefined>;
  /** Account names in it. */
  accounts(signal: AbortSignal): Promise<string[]>;
  /** Makes an empty vault; the caller has checked that there is none. */
  create(request: { kdf: PassphraseKdf; signal: AbortSignal }): Promise<VaultHeader>;
  /** Encrypts everything anew under a new key from `sources`. */
  rekey(
    request: { kdf: PassphraseKdf; sources: VaultKeySources; signal: AbortSignal },
  ): Promise<VaultHeader>;
}

/** The vault of one account profile. */
export function vaultBackend(options: VaultOptions): VaultBackend {
  const { path, profileName, clock, log } = options;
  let opened: OpenVault | undefined;

  const load = async (): Promise<VaultFile | undefined> => {
    try {
      return parseVault(
        await readTrustedFile(path, {
          limit: VAULT_LIMIT,
          looseMode: "tighten",
          onTightened: () =>
            log.log("warn", "the vault was readable by others; mode set to 600", { path }),
        }),
      );
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      const judged = error instanceof VaultCorrupt || error instanceof UntrustedFile;
      throw judged ? refusal(error) : unreadable(error);
    }
  };

  const unlock = async (vault: VaultFile, signal: AbortSignal): Promise<OpenVault> => {
    if (opened !== undefined && sameHeader(opened.header, vault)) return opened;
    const kek = await keyFor(options, { kdf: vault.kdf, signal });
    opened = await unwrapDataKey(kek, { profileName, vault });
    return opened;
  };

  const entriesOf = async (vault: VaultFile, signal: AbortSignal): Promise<VaultEntries> => {
    try {
      return await unsealEntries(await unlock(vault, signal), { profileName, vault });
    } catch (error) {
      throw refusal(error);
    }
  };

  const read = async (signal: AbortSignal): Promise<VaultEntries | undefined> => {
    const vault = await load();
    if (vault !== undefined) return await entriesOf(vault, signal);
    if (await options.expected()) throw missing();
    if (!keySourceConfigured(options.environment)) {
      throw refusal(new VaultKeyProblem("there is no vault yet and no key source is set"));
    }
    return undefined;
  };

  const write = async (into: OpenVault, entries: VaultEntries): Promise<VaultHeader> => {
    const updatedAt = rfc3339(clock.now());
    const vault = await sealEntries(into, { profileName, entries, updatedAt });
    await ensurePrivateDir(parentDir(path));
    try {
      await writeFileAtomic(path, vaultBytes(vault), { mode: 0o600 });
    } catch (cause) {
      throw readOnly(cause);
    }
    opened = into;
    return { kdf: vault.kdf.name, updatedAt };
  };

  const fresh = async (
    sources: VaultKeySources,
    request: { kdf: PassphraseKdf; signal: AbortSignal },
  ): Promise<OpenVault> => {
    try {
      const { signal } = request;
      const material = await vaultKeyMaterial(sources, { purpose: "create", signal });
      if (material === undefined) throw new VaultKeyProblem("no passphrase was given");
      if (material.kind === "passphrase" && material.text.reveal().length < SHORTEST_PASSPHRASE) {
        throw new VaultKeyProblem(
          `a new passphrase has at least ${SHORTEST_PASSPHRASE} characters`,
          { suggestion: "Choose a longer passphrase, such as four words." },
        );
      }
      const kdf = freshKdf(kdfFor(material, request.kdf));
      return await newDataKey(await deriveKek(material, kdf), { profileName, kdf });
    } catch (error) {
      throw refusal(error);
    }
  };

  const change = async (
    signal: AbortSignal,
    edit: (entries: VaultEntries) => VaultEntries | undefined,
  ): Promise<void> => {
    const vault = await load();
    if (vault === undefined && await options.expected()) throw missing();
    if (vault === undefined) {
      const entries = edit({});
      if (entries !== undefined) {
        await write(await fresh(options, { kdf: "scrypt", signal }), entries);
      }
      return;
    }
    const entries = edit(await entriesOf(vault, signal));
    if (entries !== undefined) await write(await unlock(vault, signal), entries);
  };

  return {
    name: "vault",
    longestValue: Number.POSITIVE_INFINITY,
    async get(account, { signal }) {
      const entries = await read(signal);
      return entries !== undefined && Object.hasOwn(entries, account)
        ? entries[account] ?? null
        : null;
    },
    set: (account, value, { signal }) =>
      change(signal, (entries) => ({ ...entries, [account]: value })),
    delete: (account, { signal }) =>
      change(signal, (entries) => {
        if (!Object.hasOwn(entries, account)) return undefined;
        const { [account]: _removed, ...rest } = entries;
        return rest;
      }),
    probe: () => probeVault(load, options),
    exists: () => pathExists(path),
    async header() {
      const vault = await load();
      return vault && { kdf: vault.kdf.name, updatedAt: vault.updated_at };
    },
    async accounts(signal) {
      return Object.keys(await read(signal) ?? {}).sort();
    },
    create: async (request) => await write(await fresh(options, request), {}),
    async rekey({ kdf, sources, signal }) {
      const entries = await read(signal);
      if (entries === undefined) throw missing();
      return await write(await fresh(sources, { kdf, signal }), entries);
    },
  };
}

async function keyFor(
  sources: VaultKeySources,
  request: { kdf: VaultFile["kdf"]; signal: AbortSignal },
): Promise<CryptoKey> {
  const { kdf, signal } = request;
  const material = await vaultKeyMaterial(sources, { purpose: "unlock", signal });
  if (material === undefined) throw new VaultKeyProblem("no key was given and nobody can be asked");
  return await deriveKek(material, kdf);
}

// No key is derived and nobody is asked: whether a key fits shows when it is used.
async function probeVault(
  load: () => Promise<VaultFile | undefined>,
  options: VaultOptions,
): Promise<BackendStatus> {
  let vault: VaultFile | undefined;
  try {
    vault = await load();
  } catch (error) {
    const detail = error instanceof Error ? error.message : "it cannot be read";
    return { available: false, reason: "vault_corrupt", detail };
  }
  if (vault === undefined && await options.expected()) {
    return { available: false, reason: "vault_corrupt", detail: "the vault file is missing" };
  }
  if (!keySourceConfigured(options.environment) && options.prompt === undefined) {
    const detail = vault === undefined ? "there is no vault" : "no key source is set";
    return { available: false, reason: "vault_locked", detail };
  }
  return { available: true };
}

function sameHeader(one: OpenVault["header"], other: OpenVault["header"]): boolean {
  const text = ({ kdf, dek }: OpenVault["header"]) => jcs({ kdf: { ...kdf }, dek: { ...dek } });
  return text(one) === text(other);
}

function refusal(error: unknown): unknown {
  if (error instanceof VaultUnauthentic) {
    return keychainUnavailable({
      backend: "vault",
      reason: "vault_locked",
      detail: "the key does not fit, or the file was changed",
      suggestion: "Give the key or passphrase that this vault was made with. If it is lost, move " +
        "credentials.vault away and run `gum auth vault init`.",
      cause: error,
    });
  }
  if (error instanceof VaultKeyProblem) {
    return keychainUnavailable({
      backend: "vault",
      reason: "vault_locked",
      detail: error.message,
      suggestion: error.suggestion,
      cause: error,
    });
  }
  if (error instanceof UntrustedFile) {
    return keychainUnavailable({
      backend: "vault",
      reason: "denied",
      detail: `the file is refused: ${error.problem}`,
      suggestion: TRUST_ADVICE[error.problem] ?? START_ANEW,
      cause: error,
    });
  }
  if (error instanceof VaultCorrupt) {
    return keychainUnavailable({
      backend: "vault",
      reason: "vault_corrupt",
      detail: error.message,
      suggestion: START_ANEW,
      cause: error,
    });
  }
  return error;
}

const START_ANEW = "Restore credentials.vault from a backup, or move it away and run " +
  "`gum auth vault init`.";

/** What helps where the vault itself is sound: nobody should throw it away for its owner's sake. */
const TRUST_ADVICE: Partial<Record<TrustProblem, string>> = {
  "owned by someone else":
    "Run gum as the user who owns credentials.vault, as with `docker run --user`, or give the " +
    "file to this user with `chown`.",
  "readable by others": "Make credentials.vault private: `chmod 600`.",
  "symbolic link": "Put credentials.vault itself in its place; a link to it is not followed.",
};

function unreadable(cause: unknown) {
  return keychainUnavailable({
    backend: "vault",
    reason: "denied",
    detail: `the vault file cannot be read (${cause instanceof Error ? cause.name : "unknown"})`,
    suggestion: "Run gum as the user who owns credentials.vault, or give the file to this user.",
    cause,
  });
}

function missing() {
  return keychainUnavailable({
    backend: "vault",
    reason: "vault_corrupt",
    detail: "the vault file is missing",
    suggestion: "Restore credentials.vault from a backup, or start anew with " +
      "`gum auth vault init`.",
  });
}

function readOnly(cause: unknown) {
  return keychainUnavailable({
    backend: "vault",
    reason: "read_only",
    detail: "the vault file cannot be written",
    cause,
  });
}
