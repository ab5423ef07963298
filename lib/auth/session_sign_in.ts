/** Signing in from within a running session: after a refusal, by a person or through a client. */

import type { AuditSink, Invocation } from "../dispatch/types.ts";
import type { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { LoginResult } from "./login.ts";
import type { BrowserOpener } from "./oauth/browser.ts";
import type { SignInIo } from "./oauth/consent.ts";
import type { ProfileAuth } from "./profile_auth.ts";
import type { ScopeUpgradeReply } from "./scope_upgrade.ts";

/** A sign-in that a refusal makes sensible. */
export interface SignInOffer {
  /** Everything the operation needs. */
  scopes: readonly string[];
  /** Those not granted yet. */
  missing: readonly string[];
  /** Label of the account it is for; absent for the session's own. */
  account?: string;
}

/** What a session can do about a missing login. */
export interface SessionSignIn {
  /** The sign-in that could lift a refusal; undefined when none can. */
  offer(refusal: GumError, signal: AbortSignal): Promise<SignInOffer | undefined>;
  /** Runs the browser flow. @throws AuthError */
  login(
    request: {
      scopes: readonly string[];
      io: SignInIo;
      signal: AbortSignal;
      /** As in the offer. */
      account?: string;
    },
  ): Promise<LoginResult>;
}

/** Consent for missing scopes through an MCP client (the seam of `mcp/`). */
export interface ScopeUpgrade {
  form(
    refusal: GumError,
    invocation: Invocation,
  ): Promise<{ formId: string; params: JsonObject } | undefined>;
  answer(refusal: GumError, reply: ScopeUpgradeReply): Promise<GumError>;
}

/** Components that no sign-in can provide. */
const ADMINISTRATORS_ONLY: readonly string[] = ["workspace_admin_trust", "org_policy_exception"];

/** Sign-in for the command line. */
export function createSessionSignIn(
  auth: ProfileAuth,
  options: { audit: AuditSink; openBrowser?: BrowserOpener | "system" },
): SessionSignIn {
  return {
    async offer(refusal, signal) {
      const { code, details } = refusal;
      if (code !== "AUTH_REQUIRED" && code !== "SCOPE_MISSING") return undefined;
      if (details.auth_strategy !== "byo_oauth") return undefined;
      const components = Array.isArray(details.missing_components)
        ? details.missing_components
        : [];
      // A login cannot bring a client, a token or an administrator's consent.
      if (components.some((kind) => ADMINISTRATORS_ONLY.includes(String(kind)))) return undefined;
      if (!components.includes("oauth_scopes")) return undefined;
      // Nor does one help before the clock is right.
      if (details.failure === "clock_skew") return undefined;
      const scopes = Array.isArray(details.required_scopes)
        ? details.required_scopes.filter((scope) => typeof scope === "string")
        : [];
      if (scopes.length === 0) return undefined;
      const { resolver } = await auth.open();
      if (await resolver.adcMode()) return undefined;
      const state = await resolver.view.current(signal);
      if (state.client === undefined) return undefined;
      const { scopesMissing } = await import("./scopes.ts");
      const missing = scopesMissing(state.grant?.scopes ?? [], scopes);
      return { scopes, missing: missing.length === 0 ? scopes : missing };
    },
    async login({ scopes, io, signal }) {
      const [{ parts, resolver }, { signIn }, { AuthError }] = await Promise.all([
        auth.open(),
        import("./login.ts"),
        import("./errors.ts"),
      ]);
      const openBrowser = await browser(options.openBrowser, parts.environment);
      const record = (outcome: string, result?: LoginResult) =>
        options.audit.append({
          event: "auth_login",
          profile: parts.profileName,
          auth_strategy: "byo_oauth",
          outcome,
          auth_subject_fingerprint: result?.subjectFingerprint ?? "",
          granted_scopes: [...result?.scopes ?? []],
        });
      try {
        const result = await signIn(parts, resolver.view, { scopes, openBrowser, io, signal });
        record("granted", result);
        return result;
      } catch (error) {
        // Somebody else's account at the page is worth a row, whichever command led there.
        if (error instanceof AuthError) record(error.code);
        throw error;
      }
    },
  };
}

/**
 * Scope upgrades for `mcp/`. Where no browser can be opened there is no form: nobody could finish
 * the sign-in.
 */
export function createScopeUpgrade(
  auth: ProfileAuth,
  options: { audit: AuditSink; io: SignInIo; openBrowser?: BrowserOpener | "system" },
): ScopeUpgrade {
  const made = async () => {
    const [{ parts, resolver }, upgrade] = await Promise.all([
      auth.open(),
      import("./scope_upgrade.ts"),
    ]);
    const openBrowser = await browser(options.openBrowser, parts.environment);
    return openBrowser === undefined ? undefined : {
      upgrade,
      over: { parts, resolver, audit: options.audit, io: options.io, openBrowser },
    };
  };
  return {
    async form(refusal, invocation) {
      const found = await made();
      if (found === undefined) return undefined;
      const { signal } = new AbortController();
      return await found.upgrade.scopeUpgradeForm(found.over, { refusal, invocation, signal });
    },
    async answer(refusal, reply) {
      const found = await made();
      if (found === undefined) return refusal;
      return await found.upgrade.answerScopeUpgrade(found.over, { refusal, reply });
    },
  };
}

async function browser(
  choice: BrowserOpener | "system" | undefined,
  environment: Parameters<typeof import("./oauth/browser.ts").systemBrowser>[0],
): Promise<BrowserOpener | undefined> {
  if (choice !== "system") return choice;
  return (await import("./oauth/browser.ts")).systemBrowser(environment);
}
