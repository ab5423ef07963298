/**
 * The encrypted vault file.
 *
 * @module
 */
export {
  type PassphraseKdf,
  type VaultBackend,
  vaultBackend,
  type VaultHeader,
  type VaultOptions,
} from "./backend.ts";
export { importAesKey, seal, type Sealed, unseal } from "./file_format.ts";
export { keySourceConfigured, SHORTEST_PASSPHRASE, type VaultKeySources } from "./keys.ts";
