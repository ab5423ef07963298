/**
 * Where credentials are kept: the desktop's keychain or an encrypted vault file, one choice for a
 * profile and no silent change between them (spec 05 §3.3).
 *
 * ```ts
 * import { apiKeyAccount, openCredentialStore } from "./mod.ts";
 *
 * const store = openCredentialStore({ profileName: "work", directory, environment });
 * const key = await store.get(apiKeyAccount("work"), { signal });
 * ```
 *
 * @module
 */
export {
  apiKeyAccount,
  byoClientAccount,
  byoGrantAccount,
  developerTokenAccount,
  encodeNamePart,
  hostedClientAccount,
  managedGrantAccount,
  managedIndexAccount,
  managedSubjectAccount,
  pluginCredentialAccount,
  serviceAccountAccount,
} from "./account_names.ts";
export { type CredentialStoreOptions, openCredentialStore } from "./store.ts";
export { type AccessTokenCacheOptions, createAccessTokenCache } from "./token_cache.ts";
export {
  administerStore,
  type Migration,
  type StoreAdministration,
  type VaultReport,
} from "./administration.ts";
export { readTrustedFile, type TrustedFileOptions, UntrustedFile } from "./trusted_file.ts";
export type { StoreChoice } from "./place.ts";
export type { PassphraseKdf, VaultHeader, VaultKeySources } from "./vault/mod.ts";
export { keychainUnavailable } from "./unavailable.ts";
export type {
  AccessTokenCache,
  BackendName,
  CachedAccessToken,
  CredentialEntries,
  CredentialStore,
  PassphrasePrompt,
  StoreCall,
  StoreStatus,
  StoreUnavailableReason,
} from "./types.ts";
