/** Whose grant it is: principal of a login, checked against the expected one (spec 05 §3.6, §3.8). */

import { AuthError } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import type { Identity } from "../oauth/id_token.ts";

/** The account behind a login. */
export interface Principal {
  principal?: string;
  principalKind?: "email" | "sub";
  sub?: string;
  /** "" without a principal. */
  fingerprint: string;
}

/**
 * Chooses the identity that the fingerprint is derived from: one that gives the expected
 * fingerprint, so that logins with and without the e-mail scope agree, else the first of e-mail
 * and subject.
 */
export async function choosePrincipal(
  identity: Identity,
  expected: string | undefined,
): Promise<Principal> {
  if (identity.kind !== "identity") return { fingerprint: "" };
  const candidates: { kind: "email" | "sub"; text: string }[] = [
    ...(identity.email === undefined ? [] : [{ kind: "email" as const, text: identity.email }]),
    { kind: "sub", text: identity.sub },
  ];
  const named = await Promise.all(
    candidates.map(async ({ kind, text }) => ({
      principal: text,
      principalKind: kind,
      sub: identity.sub,
      fingerprint: await fingerprint("byo_oauth", text),
    })),
  );
  return named.find((principal) => principal.fingerprint === expected) ?? named[0] ??
    { fingerprint: "" };
}

/** The refusal for a credential of another account. Fingerprints only, never addresses. */
export function subjectMismatch(
  found: {
    strategy: "byo_oauth" | "gum_oauth" | "service_account";
    expected: string;
    actual: string;
  },
): AuthError {
  return new AuthError({
    code: "AUTH_SUBJECT_MISMATCH",
    strategy: found.strategy,
    remediation: "the sign-in belongs to another account than this profile's",
    setupCommand: "gum login --switch-account",
    missingComponents: [],
    userMessage: "You signed in with another account than the one this profile belongs to. " +
      "Nothing was stored. Use `gum login --switch-account` if the change is intended.",
    details: {
      expected_subject_fingerprint: found.expected,
      actual_subject_fingerprint: found.actual,
    },
  });
}
