/** The `auth` check: there is something to sign in with, and it is the right account. */

import { authReadiness } from "../auth/readiness/mod.ts";
import { openCredentialStore } from "../auth/store/mod.ts";
import { expectedSubjects, setting } from "../config/mod.ts";
import { profileDirectories } from "../config/directories.ts";
import { findGumError } from "../errors/mod.ts";
import type { AuthReadiness } from "../auth/readiness/mod.ts";
import type { DoctorCheck, DoctorFinding } from "./types.ts";

/** Longest the credential store may take. */
const STORE_LIMIT_MS = 2_000;

/** Looks at the credential store, the environment and application default credentials. */
export const authCheck: DoctorCheck = {
  name: "auth",
  async run(context) {
    const { profileName, directories } = context;
    const own = profileDirectories(directories, profileName);
    try {
      const { config } = await context.configuration();
      const store = openCredentialStore({
        profileName,
        directory: own.data,
        environment: context.environment,
        choice: setting(config, "auth.credential_store"),
        timeoutMs: STORE_LIMIT_MS,
        clock: context.clock,
        log: context.log,
        os: context.os,
      });
      const readiness = await authReadiness({
        store,
        environment: context.environment,
        os: context.os,
        adcEnabled: setting(config, "auth.adc.enabled"),
        expectedSubjects: expectedSubjects(config),
        // A timer of one's own would load what node has around it: milliseconds.
      }, { signal: AbortSignal.any([context.signal, AbortSignal.timeout(STORE_LIMIT_MS)]) });
      return findingOf(readiness);
    } catch (error) {
      const problem = findGumError(error);
      if (problem === undefined) throw error;
      const summary =
        "the configuration decides which account is the right one, and cannot be read";
      return { ok: false, summary, hint: problem.message };
    }
  },
};

/** What to say of a readiness. */
export function findingOf(readiness: AuthReadiness): DoctorFinding {
  const { sources, clientRegistered, subjectMismatch, storeProblem, storeAdvice, adc } = readiness;
  const [source] = sources;
  if (subjectMismatch !== undefined) {
    return {
      ok: false,
      summary: "the stored grant belongs to another account than this profile expects",
      hint: "gum login --switch-account",
    };
  }
  if (source !== undefined) {
    const scopes = source === "byo_oauth" ? `, ${readiness.grantedScopes} scopes` : "";
    return {
      ok: true,
      summary: `credential found: ${source}${scopes}`,
      ...(storeProblem === undefined ? {} : { hint: storeProblem }),
    };
  }
  return { ok: false, ...whatIsMissing({ clientRegistered, storeProblem, storeAdvice, adc }) };
}

function whatIsMissing(
  { clientRegistered, storeProblem, storeAdvice, adc }: Pick<
    AuthReadiness,
    "clientRegistered" | "storeProblem" | "storeAdvice" | "adc"
  >,
): { summary: string; hint: string } {
  if (adc.enabled) {
    return {
      summary: "application default credentials are on and no file is there",
      hint: "run gum on a host with a metadata server, or gum auth use-adc --off",
    };
  }
  if (storeProblem !== undefined) {
    return {
      summary: "stored credentials cannot be read",
      hint: `${storeProblem}; ${
        storeAdvice ?? "without a keychain: gum auth vault init, or gum auth use-adc"
      }`,
    };
  }
  if (clientRegistered) {
    return {
      summary: "an OAuth client is registered, nobody has signed in",
      hint: "gum login --service gmail,drive,calendar",
    };
  }
  if (adc.path !== undefined) {
    return {
      summary: "application default credentials are there and not enabled",
      hint: "gum auth use-adc",
    };
  }
  return {
    summary: "nothing to sign in with",
    hint: "gum auth use-oauth-client --client-id <id> --secret-stdin, then gum login",
  };
}
