/**
 * What an operator does with the credentials of an account profile: sign in and out, register
 * clients and keys, look at the state (spec 05 §3.6, §3.9, §3.19).
 *
 * @module
 */

import type { AuthStrategy, Variant } from "../../catalog/types.ts";
import type { AuditSink, Secret } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { AuthError, toStructuredError } from "../errors.ts";
import type { LoginRequest, LoginResult } from "../login.ts";
import type { LogoutResult } from "../logout.ts";
import { openAuthParts, type ProfileAuthOptions } from "../parts.ts";
import { adcOptedIn } from "../adc/source.ts";
import { createGrantView } from "../grants/state.ts";
import type { CompositeResolver } from "../resolver.ts";
import { adcReadiness } from "../readiness/mod.ts";
import { secret } from "../secret.ts";
import {
  apiKeyAccount,
  developerTokenAccount,
  openCredentialStore,
  serviceAccountAccount,
} from "../store/mod.ts";
import type { ClientCheck } from "./client_check.ts";
import type { SetupReport } from "./setup_report.ts";

export { setupDocument, type SetupReport } from "./setup_report.ts";
export type { ClientCheck } from "./client_check.ts";
export type { LoginRequest, LoginResult } from "../login.ts";
export type { LogoutResult } from "../logout.ts";
export type { SignInIo } from "../oauth/consent.ts";
export type { BrowserOpener } from "../oauth/browser.ts";
export {
  normaliseScopes,
  pruneLoginScopes,
  scopeLabel,
  scopesMissing,
  sortedScopes,
} from "../scopes.ts";
export { readKeyFile } from "../service_account/stored_key.ts";

/** What a secret command stores. */
export type StoredSecretKind = "api_key" | "developer_token";

/** What a probe got, without the secret itself. */
export interface ProbedCredential {
  strategy: AuthStrategy;
  scopes: readonly string[];
  tokenBytes: number;
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined;
  subjectFingerprint: string;
}

/** The credentials of one profile in the hands of its operator. Every failure is a GumError. */
export interface OperatorAuth {
  login(
    request: Omit<LoginRequest, "openBrowser"> & {
      openBrowser: LoginRequest["openBrowser"] | "system";
    },
  ): Promise<LoginResult>;
  logout(
    request: { forgetClient: boolean; keepRemote: boolean; signal: AbortSignal },
  ): Promise<LogoutResult>;
  useOAuthClient(
    request: {
      id: string;
      secret?: Secret;
      /** Beside the ordinary one, for agents that somebody else hosts. */
      hosted?: boolean;
      signal: AbortSignal;
    },
  ): Promise<void>;
  /** Asks Google's token service whether it knows the registered client; nothing is changed. */
  checkClient(signal: AbortSignal): Promise<ClientCheck>;
  storeSecret(
    request: { kind: StoredSecretKind; value: Secret; signal: AbortSignal },
  ): Promise<void>;
  /** Checks the key offline and stores it; returns whose it is. */
  useServiceAccount(
    request: { keyText: string; subject?: string; signal: AbortSignal },
  ): Promise<{ fingerprint: string; clientEmail: string }>;
  /** Switches the host's identity on or off; names the source that would be used. */
  useAdc(on: boolean): Promise<{ source: string }>;
  adcMode(): Promise<boolean>;
  acknowledge(request: { opId: string; kinds: readonly string[] }): Promise<void>;
  setup(request: { opId: string; variant: Variant; signal: AbortSignal }): Promise<SetupReport>;
  status(request: { scopes: readonly string[]; signal: AbortSignal }): Promise<JsonObject>;
  probe(
    request: { scopes: readonly string[]; strategy: AuthStrategy | "auto"; signal: AbortSignal },
  ): Promise<ProbedCredential>;
  close(): void;
}

/** Where rows about signing in and out go; it may be opened as late as the first one. */
export interface OperatorAudit {
  append(...row: Parameters<AuditSink["append"]>): void | Promise<void>;
}

/** Opens a profile's credentials for its operator. */
export async function openOperatorAuth(
  options: ProfileAuthOptions & { audit: OperatorAudit },
): Promise<OperatorAuth> {
  const lifetime = new AbortController();
  const parts = await openAuthParts(options, lifetime.signal);
  const view = createGrantView(parts);
  // Every strategy comes with it; who only looks at what is stored needs none.
  let opened: Promise<CompositeResolver> | undefined;
  const resolver = () =>
    opened ??= import("../resolver.ts").then(({ createCompositeResolver }) =>
      createCompositeResolver(parts, { view })
    );
  const adcMode = async () => adcOptedIn(parts.environment, await view.config());
  const { profileName, audit } = options;

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toStructuredError(error, { profile: profileName });
    }
  };
  const logEvent = async (event: "auth_login" | "auth_logout", row: JsonObject) =>
    await audit.append({ event, profile: profileName, auth_strategy: "byo_oauth", ...row });

  return {
    login: (request) =>
      guarded(async () => {
        // Signing in and out bring the whole of OAuth along; most commands only look.
        const [{ signIn }, { systemBrowser }] = await Promise.all([
          import("../login.ts"),
          import("../oauth/browser.ts"),
        ]);
        const openBrowser = request.openBrowser === "system"
          ? systemBrowser(parts.environment)
          : request.openBrowser;
        try {
          const result = await signIn(parts, view, { ...request, openBrowser });
          await logEvent("auth_login", {
            outcome: "granted",
            auth_subject_fingerprint: result.subjectFingerprint,
            granted_scopes: [...result.scopes],
          });
          return result;
        } catch (error) {
          if (error instanceof AuthError) {
            await logEvent("auth_login", {
              outcome: error.code,
              auth_subject_fingerprint: "",
              granted_scopes: [],
            });
          }
          throw error;
        }
      }),
    logout: (request) =>
      guarded(async () => {
        const { data } = options.directories;
        const [{ signOut }, { sharedWithOtherProfile }] = await Promise.all([
          import("../logout.ts"),
          import("./shared_grant.ts"),
        ]);
        const result = await signOut(parts, view, {
          ...request,
          sharedElsewhere: (grant) =>
            sharedWithOtherProfile({
              folder: data === undefined ? undefined : `${data}/gum`,
              profileName,
              signal: request.signal,
              openStore: (other) =>
                openCredentialStore({
                  profileName: other,
                  directory: `${data}/gum/${other}`,
                  environment: parts.environment,
                  clock: parts.clock,
                  log: parts.log,
                }),
            }, grant),
        });
        await logEvent("auth_logout", {
          outcome: result.grantCleared ? "cleared" : "nothing_stored",
          auth_subject_fingerprint: "",
          granted_scopes: [],
        });
        return result;
      }),
    useOAuthClient: ({ id, secret: clientSecret, hosted, signal }) =>
      guarded(async () => {
        const { storeClient } = await import("../grants/client.ts");
        const registeredAt = new Date(parts.clock.now()).toISOString();
        const client = {
          id,
          ...(clientSecret === undefined ? {} : { secret: clientSecret.reveal() }),
          registeredAt,
        };
        await storeClient(parts.store, { profileName, client, hosted }, { signal });
        view.forget();
      }),
    checkClient: (signal) =>
      guarded(async () => (await import("./client_check.ts")).checkClient(parts, signal)),
    storeSecret: ({ kind, value, signal }) =>
      guarded(async () => {
        const account = kind === "api_key"
          ? apiKeyAccount(profileName)
          : developerTokenAccount(profileName);
        await parts.store.set(account, value, { signal });
      }),
    useServiceAccount: ({ keyText, subject, signal }) =>
      guarded(async () => {
        const [{ parseServiceAccountKey }, { serviceAccountFingerprint }] = await Promise.all([
          import("../service_account/key.ts"),
          import("../service_account/stored_key.ts"),
        ]);
        const key = await parseServiceAccountKey(keyText);
        const fingerprint = await serviceAccountFingerprint(key.clientEmail, subject);
        await parts.store.set(serviceAccountAccount(profileName), secret(keyText), { signal });
        await parts.config.change({
          serviceAccountSubject: subject ?? null,
          expectedSubject: { strategy: "service_account", fingerprint },
        });
        view.forget();
        return { fingerprint, clientEmail: key.clientEmail };
      }),
    useAdc: (on) =>
      guarded(async () => {
        await parts.config.change({ adcEnabled: on ? true : null });
        view.forget();
        const { path } = await adcReadiness({
          environment: parts.environment,
          os: Deno.build.os,
          adcEnabled: on,
        });
        return { source: path ?? "metadata server" };
      }),
    adcMode: () => guarded(adcMode),
    acknowledge: ({ opId, kinds }) =>
      guarded(async () => {
        const { acknowledged } = await parts.config.read();
        const entries = kinds.map((kind) => `${opId}:${kind}`);
        await parts.config.change({
          acknowledged: [...new Set([...acknowledged, ...entries])].sort(),
        });
        view.forget();
      }),
    setup: (request) =>
      guarded(async () =>
        (await import("./setup_report.ts")).setupReport(parts, { view, adcMode }, request)
      ),
    status: (request) =>
      guarded(async () =>
        await (await import("./status_report.ts")).statusDocument(parts, view, request)
      ),
    probe: ({ scopes, strategy, signal }) =>
      guarded(async () => {
        const name = strategy !== "auto" ? strategy : await adcMode() ? "adc" : "byo_oauth";
        const resolved = await (await resolver()).strategy(name).resolve({ scopes, signal });
        if (resolved === undefined) {
          throw new GumError("AUTH_REQUIRED", { message: `${name} gives no credential` });
        }
        const { scopes: held, expiresAt, subjectFingerprint } = resolved;
        const tokenBytes = (resolved.token ?? resolved.apiKey)?.reveal().length ?? 0;
        return { strategy: name, scopes: held, tokenBytes, expiresAt, subjectFingerprint };
      }),
    close: () => lifetime.abort(new DOMException("closed", "AbortError")),
  };
}
