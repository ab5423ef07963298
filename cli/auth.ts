/** `gum auth …`: what a profile signs in with (spec 05 §3.19). */

import { SECRET_FLAGS } from "./auth_flags.ts";
import { SIGNING_IN } from "./sign_in.ts";
import type { CommandSpec, FlagSpec } from "./types.ts";

const LOOKS = ["read", "env"] as const;
/** The credential store may start a keychain tool and checks who owns its files. */
const STORE = ["read", "write", "run", "env", "sys"] as const;

const JSON_OR_TEXT: FlagSpec = {
  name: "format",
  type: "string",
  default: "text",
  help: "text or json",
  complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
};

const useApiKey: CommandSpec = {
  name: "use-api-key",
  summary: "Store an API key",
  examples: ["gum auth use-api-key < key.txt", "pass show google/key | gum auth use-api-key"],
  args: [],
  flags: SECRET_FLAGS,
  children: [],
  secretInput: true,
  permissions: STORE,
  run: async (context) => (await import("./auth_run.ts")).runUseApiKey(context),
};

const useDeveloperToken: CommandSpec = {
  name: "use-ads-developer-token",
  summary: "Store a Google Ads developer token",
  args: [],
  flags: SECRET_FLAGS,
  children: [],
  secretInput: true,
  permissions: STORE,
  run: async (context) => (await import("./auth_run.ts")).runUseDeveloperToken(context),
};

const useAdc: CommandSpec = {
  name: "use-adc",
  summary: "Use the application default credentials of this machine",
  description: "The profile then signs in as whoever the host is set up for. No keychain is used.",
  args: [],
  flags: [{ name: "off", type: "bool", help: "stop using them" }],
  children: [],
  permissions: ["read", "write", "env"],
  run: async (context) => (await import("./auth_run.ts")).runUseAdc(context),
};

const profiles: CommandSpec = {
  name: "profiles",
  summary: "List account profiles",
  args: [],
  flags: [JSON_OR_TEXT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./auth_run.ts")).runProfiles(context),
};

const KDF: FlagSpec = {
  name: "kdf",
  type: "string",
  default: "scrypt",
  help: "how a key is made of the passphrase: scrypt or pbkdf2",
  complete: () => ({ candidates: [{ value: "scrypt" }, { value: "pbkdf2" }] }),
};

const vault: CommandSpec = {
  name: "vault",
  summary: "Keep credentials in an encrypted file",
  description: "For hosts without a keychain. The key comes from GUM_VAULT_KEY, " +
    "GUM_VAULT_PASSPHRASE, GUM_VAULT_PASSPHRASE_FILE or a prompt.",
  args: [],
  flags: [],
  permissions: LOOKS,
  children: [
    {
      name: "init",
      summary: "Begin a vault",
      args: [],
      flags: [KDF],
      children: [],
      secretInput: true,
      permissions: STORE,
      run: async (context) => (await import("./vault_run.ts")).runInit(context),
    },
    {
      name: "status",
      summary: "Show where credentials are kept",
      args: [],
      flags: [],
      children: [],
      permissions: STORE,
      run: async (context) => (await import("./vault_run.ts")).runStatus(context),
    },
    {
      name: "rekey",
      summary: "Encrypt the vault anew under another key",
      description: "The old key comes from the usual sources, the new one from --new-key-file, " +
        "from standard input or from a prompt.",
      args: [],
      flags: [
        KDF,
        { name: "new-key-file", type: "string", help: "read the new passphrase from this file" },
        { name: "raw-key", type: "bool", help: "the new key is 32 bytes in base64url" },
      ],
      children: [],
      secretInput: true,
      permissions: STORE,
      run: async (context) => (await import("./vault_run.ts")).runRekey(context),
    },
    {
      name: "migrate",
      summary: "Move all credentials into or out of the vault",
      args: [],
      flags: [{
        name: "to",
        type: "string",
        required: true,
        help: "keychain or vault",
        complete: () => ({ candidates: [{ value: "keychain" }, { value: "vault" }] }),
      }],
      children: [],
      permissions: STORE,
      run: async (context) => (await import("./vault_run.ts")).runMigrate(context),
    },
  ],
};

/** Sub-commands that only store something. */
const STORING: readonly CommandSpec[] = [
  useApiKey,
  useDeveloperToken,
  useAdc,
  vault,
  profiles,
];

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "auth",
  group: "auth",
  summary: "Set up what a profile signs in with",
  args: [],
  flags: [],
  children: [...SIGNING_IN, ...STORING],
  permissions: LOOKS,
}];
