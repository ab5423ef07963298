/** The refusal when no place for credentials can be used (spec 05 §3.3). */

import { GumError } from "../../errors/mod.ts";
import type { BackendName, StoreUnavailableReason } from "./types.ts";

/** What is known about the place that cannot be used. */
export interface Unavailable {
  backend: BackendName | undefined;
  reason: StoreUnavailableReason;
  /** Plain words, no secret. */
  detail?: string;
  /** Replaces the usual advice for the backend. */
  suggestion?: string;
  cause?: unknown;
}

const ADVICE: Readonly<Record<BackendName, string>> = {
  "secret-service":
    "Install the Secret Service client (package libsecret-tools), start and unlock the keyring, " +
    "or create a vault with `gum auth vault init`.",
  "macos-keychain": "Unlock the login keychain, or create a vault with `gum auth vault init`.",
  "windows-credential-manager":
    "Sign in to Windows interactively once, or create a vault with `gum auth vault init`.",
  vault: "Give the vault its key: GUM_VAULT_KEY, GUM_VAULT_PASSPHRASE or " +
    "GUM_VAULT_PASSPHRASE_FILE; a new vault starts with `gum auth vault init`.",
};

/** An `AUTH_KEYCHAIN_UNAVAILABLE` that names the place, the reason and the ways out. */
export function keychainUnavailable(given: Unavailable): GumError {
  const place = given.backend ?? "any credential store";
  const detail = given.detail === undefined ? "" : `: ${given.detail}`;
  return new GumError("AUTH_KEYCHAIN_UNAVAILABLE", {
    message: `${place} cannot be used (${given.reason})${detail}`,
    details: {
      ...(given.backend === undefined ? {} : { backend: given.backend }),
      reason: given.reason,
      setup_command: "gum auth use-adc",
    },
    userMessage: "Stored credentials cannot be read on this machine right now. On a host without " +
      "a keychain, `gum auth use-adc` uses the credentials of the host instead.",
    suggestion: given.suggestion ?? ADVICE[given.backend ?? "vault"],
    cause: given.cause,
  });
}
