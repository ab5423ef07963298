/** `service_account`: a key of the profile, signed assertions, no browser (spec 05 §3.12). */

import { AuthError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import type { GrantView } from "./grants/state.ts";
import { sortedScopes } from "./scopes.ts";
import {
  KEY_FILE_LIMIT,
  parseServiceAccountKey,
  type ServiceAccountKey,
} from "./service_account/key.ts";
import { serviceAccountToken } from "./service_account/tokens.ts";
import { serviceAccountAccount } from "./store/mod.ts";
import { createTokenMemory } from "./token_memory.ts";
import type { AuthParts, StrategyResolver } from "./types.ts";

const DEFAULT_LIFETIME_S = 3_600;
const NEXT = "gum auth use-service-account <key.json>";

/** Resolves service-account tokens. A bad key file matters only when one is asked for. */
export function createServiceAccountStrategy(
  parts: AuthParts,
  view: Pick<GrantView, "config">,
): StrategyResolver {
  const memory = createTokenMemory(parts.clock);
  let parsed: { text: string; key: ServiceAccountKey } | undefined;
  return {
    async resolve({ scopes, renew, signal }) {
      const text = await serviceAccountKeyText(parts, signal);
      if (parsed?.text !== text) parsed = { text, key: await parseServiceAccountKey(text) };
      const { key } = parsed;
      const { serviceAccountSubject: subject } = await view.config();
      const principal = await serviceAccountFingerprint(key.clientEmail, subject);
      const wanted = sortedScopes(scopes);
      return await memory.get(`${principal} ${wanted.join(" ")}`, { renew, signal }, async () => {
        const answer = await serviceAccountToken(parts, {
          key,
          scopes: wanted,
          subject,
          report: { code: "AUTH_SA_TOKEN_EXCHANGE_FAILED", strategy: "service_account" },
        }, parts.lifetime);
        return {
          token: answer.accessToken,
          expiresAt: parts.clock.now() + (answer.expiresIn ?? DEFAULT_LIFETIME_S) * 1_000,
          scopes: wanted,
          signInStrategy: "service_account",
          subjectFingerprint: principal,
        };
      });
    },
  };
}

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
    if (path === undefined) throw error;
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
