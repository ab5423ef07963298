/**
 * The credential store of one account profile: what the rest of `lib/auth` works with, and what a
 * place that keeps credentials must offer (spec 05 §3.3).
 */

import type { Secret } from "../../dispatch/types.ts";

/** A place that can keep credentials. */
export type BackendName =
  | "secret-service"
  | "macos-keychain"
  | "windows-credential-manager"
  | "vault";

/** Why a place cannot be used. */
export type StoreUnavailableReason =
  | "tool_missing"
  | "service_unreachable"
  | "locked"
  | "denied"
  | "timeout"
  | "vault_locked"
  | "vault_corrupt"
  | "read_only"
  | "unsupported_platform";

/** Every operation can be given up. */
export interface StoreCall {
  signal: AbortSignal;
}

/** Reading and writing entries by account name (see the functions of `account_names.ts`). */
export interface CredentialEntries {
  /** The value of an entry; null when there is none. @throws GumError `AUTH_KEYCHAIN_UNAVAILABLE` */
  get(account: string, call: StoreCall): Promise<Secret | null>;
  /** Adds or replaces an entry. */
  set(account: string, value: Secret, call: StoreCall): Promise<void>;
  /** Removes an entry; an absent one is no error. */
  delete(account: string, call: StoreCall): Promise<void>;
}

/** What a look at the place where credentials are kept found. It reads no secret and never asks. */
export interface StoreStatus {
  /** The place in use; undefined when none can be. */
  backend: BackendName | undefined;
  available: boolean;
  reason?: StoreUnavailableReason;
  /** Plain words for a person, never a secret. */
  detail?: string;
}

/**
 * The store of one account profile. Opening one costs nothing: the place is chosen on first use.
 *
 * A single {@link CredentialEntries.set} or `delete` is safe between processes by itself. What
 * depends on a value read before it belongs into {@link CredentialStore.exclusive}.
 */
export interface CredentialStore extends CredentialEntries {
  /** Account profile name. */
  readonly profileName: string;
  /**
   * Runs `work` while no other process can write. It must use the entries it is given, not the
   * store, which would wait for itself.
   *
   * @throws GumError `SERVICE_DOWN` with `source_error_code: "AUTH_STORE_BUSY"` after 10 s.
   */
  exclusive<T>(work: (entries: CredentialEntries) => Promise<T>, call: StoreCall): Promise<T>;
  /**
   * Changes with every write to the store, by any process; "" before the first one. Whatever was
   * derived from credentials holds as long as this stays the same.
   */
  generation(): Promise<string>;
  /** Whether the store could be used now. */
  probe(call: StoreCall & { timeoutMs?: number }): Promise<StoreStatus>;
  /** Names of the entries ever written and not deleted; values are not read. */
  accounts(): Promise<readonly string[]>;
}

/** One place that keeps credentials. Values are short ASCII texts; no locking, no caching. */
export interface CredentialBackend {
  readonly name: BackendName;
  /** Longest value an entry can take; longer ones are split by the caller. */
  readonly longestValue: number;
  get(account: string, call: StoreCall): Promise<string | null>;
  set(account: string, value: string, call: StoreCall): Promise<void>;
  delete(account: string, call: StoreCall): Promise<void>;
  probe(call: StoreCall & { timeoutMs?: number }): Promise<BackendStatus>;
}

/** What a backend says of itself. */
export type BackendStatus =
  | { available: true; detail?: string }
  | { available: false; reason: StoreUnavailableReason; detail?: string };

/** Asks a person for the vault's passphrase; undefined when nobody can be asked or nobody answers. */
export type PassphrasePrompt = (
  request: { profileName: string; purpose: "unlock" | "create" },
  signal: AbortSignal,
) => Promise<Secret | undefined>;

/** An access token kept between processes (spec 11 §10). */
export interface CachedAccessToken {
  token: Secret;
  /** Scopes the token carries, full URLs. */
  scopes: readonly string[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Principal the token belongs to. */
  subjectFingerprint: string;
  /** {@link CredentialStore.generation} when the grant behind the token was read. */
  generation: string;
}

/**
 * Access tokens between processes, encrypted on disk. A fault is a miss: reads and writes never
 * fail, and a `drop` that cannot rewrite the file removes it.
 */
export interface AccessTokenCache {
  /**
   * The token last written under this name, when it has more than 60 s to live and no credential
   * was written since.
   *
   * @param grant Any name that stands for one grant; the account name of its entry serves well.
   */
  read(grant: string, call: StoreCall): Promise<CachedAccessToken | undefined>;
  write(grant: string, token: CachedAccessToken, call: StoreCall): Promise<void>;
  /** Forgets one grant's token: after a logout, a revocation or a 401. */
  drop(grant: string, call: StoreCall): Promise<void>;
}
