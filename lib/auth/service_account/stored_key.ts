/** The service-account key of a profile: where it lies, and whose it is (spec 05 §3.12). */

import { isGumError } from "../../errors/mod.ts";
import { AuthError } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import { serviceAccountAccount } from "../store/account_names.ts";
import type { AuthParts } from "../types.ts";
import { KEY_FILE_LIMIT } from "./key.ts";

const NEXT = "gum auth use-service-account <key.json>";

/** Fingerprint of an account, or of the user it acts for. */
export async function serviceAccountFingerprint(
  clientEmail: string,
  subject: string | undefined,
): Promise<string> {
  const delegated = subject === undefined ? "" : `|${subject}`;
  return await fingerprint("service_account", clientEmail + delegated);
}

/** The stored key, else the file of `GUM_SERVICE_ACCOUNT_KEY`. @throws AuthError */
export async function serviceAccountKeyText(
  parts: Pick<AuthParts, "store" | "environment" | "profileName">,
  signal: AbortSignal,
): Promise<string> {
  const path = parts.environment.text("GUM_SERVICE_ACCOUNT_KEY");
  try {
    const stored = await parts.store.get(serviceAccountAccount(parts.profileName), { signal });
    if (stored !== null) return stored.reveal();
  } catch (error) {
    if (path === undefined || !isGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")) throw error;
  }
  if (path !== undefined) return await readKeyFile(path);
  throw new AuthError({
    code: "AUTH_SA_KEY_NOT_CONFIGURED",
    strategy: "service_account",
    remediation: "no service-account key: store one with `gum auth use-service-account`, or name " +
      "its file in GUM_SERVICE_ACCOUNT_KEY",
    missingComponents: ["service_account_key"],
    nextCommand: NEXT,
  });
}

/** Reads a key file, at most 64 KiB. @throws AuthError */
export async function readKeyFile(path: string): Promise<string> {
  try {
    using file = await Deno.open(path, { read: true });
    const bytes = new Uint8Array(KEY_FILE_LIMIT + 1);
    let length = 0;
    for (;;) {
      const count = await file.read(bytes.subarray(length));
      if (count === null || count === 0) break;
      length += count;
    }
    if (length > KEY_FILE_LIMIT) throw keyFileError("AUTH_SA_KEY_INVALID", path, "is too large");
    return new TextDecoder().decode(bytes.subarray(0, length));
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw error instanceof Deno.errors.NotFound
      ? keyFileError("AUTH_SA_KEY_NOT_FOUND", path, "does not exist")
      : keyFileError("AUTH_SA_KEY_UNREADABLE", path, "cannot be read");
  }
}

function keyFileError(
  code: "AUTH_SA_KEY_INVALID" | "AUTH_SA_KEY_NOT_FOUND" | "AUTH_SA_KEY_UNREADABLE",
  path: string,
  what: string,
): AuthError {
  return new AuthError({
    code,
    strategy: "service_account",
    remediation: `the service-account key file ${what}: ${path}`,
    missingComponents: ["service_account_key"],
    nextCommand: NEXT,
    details: { path },
  });
}
