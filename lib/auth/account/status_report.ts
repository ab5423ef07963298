/** `gum auth status`: what this profile can sign in with. Local, no network (spec 05 §3.19). */

import type { AuthStrategy } from "../../catalog/types.ts";
import { findGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { AuthError, loginCommand } from "../errors.ts";
import { apiKeyFingerprint } from "../fingerprint.ts";
import { adcOptedIn } from "../adc/source.ts";
import { adcReadiness, gcloudCredentialsPath } from "../readiness/mod.ts";
import { hostedClientId } from "../grants/client.ts";
import type { GrantView } from "../grants/state.ts";
import { expandGranted, scopesMissing } from "../scopes.ts";
import { parseServiceAccountKey } from "../service_account/key.ts";
import { serviceAccountFingerprint, serviceAccountKeyText } from "../service_account/stored_key.ts";
import { apiKeyAccount } from "../store/mod.ts";
import { storedOrGiven } from "../stored_secret.ts";
import type { AuthParts } from "../types.ts";

/** One strategy's line. */
interface StrategyStatus {
  strategy: AuthStrategy;
  ready: boolean;
  source?: string;
  scopes?: readonly string[];
  fingerprint?: string;
  nextCommand?: string;
  /** Why its secret could not be looked at, where the store is to blame. */
  storeReason?: string;
}

/** The report for these scopes, as it is printed. */
export async function statusDocument(
  parts: AuthParts,
  view: GrantView,
  asked: { scopes: readonly string[]; signal: AbortSignal },
): Promise<JsonObject> {
  const { scopes, signal } = asked;
  const config = await view.config();
  const adcOn = adcOptedIn(parts.environment, config);
  const store = await parts.store.probe({ signal, timeoutMs: 2_000 });
  const lines = [
    await byoStatus(view, asked),
    await serviceAccountStatus(parts, { subject: config.serviceAccountSubject, signal }),
    await apiKeyStatus(parts, signal),
  ];
  const adc = await adcReadiness({
    environment: parts.environment,
    os: Deno.build.os,
    adcEnabled: config.adcEnabled,
  });
  lines.push({
    strategy: "adc",
    ready: adcOn && adc.path !== undefined,
    ...(adc.path === undefined ? {} : { source: adc.path }),
    ...(adcOn ? {} : { nextCommand: "gum auth use-adc" }),
  });
  // Whether a vault's key fits shows only when something is read from it.
  const storeReason = store.reason ??
    lines.find((line) => line.storeReason !== undefined)?.storeReason;
  const provider = adcOn
    ? lines.find(({ strategy }) => strategy === "adc")
    : lines.find(({ ready, strategy }) => ready && strategy !== "adc");
  const granted = provider?.strategy === "byo_oauth"
    ? expandGranted(provider.scopes ?? [])
    : provider?.ready
    ? [...scopes]
    : [];
  const gcloud = gcloudCredentialsPath({ environment: parts.environment, os: Deno.build.os });
  const named = parts.environment.text("GOOGLE_APPLICATION_CREDENTIALS");
  return {
    profile: parts.profileName,
    provider: provider?.strategy ?? "none",
    source: provider?.source ?? "",
    credential_store: {
      backend: store.backend ?? "none",
      available: store.available && storeReason === undefined,
      ...(storeReason === undefined ? {} : { reason: storeReason }),
    },
    scopes_requested: [...scopes],
    scopes_covered: scopes.filter((scope) => granted.includes(scope)),
    scopes_missing: scopesMissing(granted, scopes),
    strategies: lines.map((line) => statusLine(line, config.expectedSubjects)),
    ...(named === undefined ? {} : { google_application_credentials: named }),
    gcloud_cache_path: gcloud ?? "",
    gcloud_cache_present: named === undefined && adc.path !== undefined,
    adc_enabled: adcOn,
    ...(store.available && storeReason === undefined ? await hostedClient(parts, signal) : {}),
    ...(provider === undefined ? { hint: hintFor(lines, storeReason) } : {}),
  };
}

/** The second client, where one is registered. */
async function hostedClient(parts: AuthParts, signal: AbortSignal): Promise<JsonObject> {
  const id = await hostedClientId(parts.store, parts.profileName, { signal });
  return id === undefined ? {} : { hosted_client_id: id };
}

function statusLine(
  line: StrategyStatus,
  expected: Readonly<Record<string, string>>,
): JsonObject {
  const wanted = expected[line.strategy];
  return {
    strategy: line.strategy,
    ready: line.ready,
    ...(line.source === undefined ? {} : { source: line.source }),
    ...(line.scopes === undefined ? {} : { granted_scopes: [...line.scopes] }),
    ...(line.fingerprint === undefined ? {} : { subject_fingerprint: line.fingerprint }),
    ...(wanted === undefined ? {} : {
      expected_subject_fingerprint: wanted,
      subject_matches: line.fingerprint === undefined || line.fingerprint === wanted,
    }),
    ...(line.nextCommand === undefined ? {} : { next_command: line.nextCommand }),
  };
}

function hintFor(lines: readonly StrategyStatus[], storeReason: string | undefined): string {
  if (storeReason?.startsWith("vault_")) {
    return `the vault cannot be read (${storeReason}); gum doctor says what helps`;
  }
  const next = lines.find(({ nextCommand }) => nextCommand !== undefined)?.nextCommand;
  return `nothing is set up yet; start with ${next ?? "gum auth use-oauth-client"}`;
}

async function byoStatus(
  view: GrantView,
  asked: { scopes: readonly string[]; signal: AbortSignal },
): Promise<StrategyStatus> {
  const strategy = "byo_oauth";
  try {
    const state = await view.current(asked.signal);
    if (state.client === undefined) {
      return {
        strategy,
        ready: false,
        nextCommand: "gum auth use-oauth-client --client-id <id> --secret-stdin",
      };
    }
    if (state.grant === undefined) {
      return {
        strategy,
        ready: false,
        source: "client",
        nextCommand: loginCommand("gum login", asked.scopes),
      };
    }
    return {
      strategy,
      ready: true,
      source: "grant",
      scopes: state.grant.scopes,
      fingerprint: state.fingerprint,
    };
  } catch (error) {
    return { strategy, ready: false, ...repairOf(error, asked.signal) };
  }
}

async function serviceAccountStatus(
  parts: AuthParts,
  look: { subject: string | undefined; signal: AbortSignal },
): Promise<StrategyStatus> {
  const strategy = "service_account";
  try {
    const key = await parseServiceAccountKey(await serviceAccountKeyText(parts, look.signal));
    return {
      strategy,
      ready: true,
      source: "key",
      fingerprint: await serviceAccountFingerprint(key.clientEmail, look.subject),
    };
  } catch (error) {
    return { strategy, ready: false, ...repairOf(error, look.signal) };
  }
}

async function apiKeyStatus(parts: AuthParts, signal: AbortSignal): Promise<StrategyStatus> {
  const strategy = "api_key";
  try {
    const found = await storedOrGiven(parts, {
      account: apiKeyAccount(parts.profileName),
      variable: "GUM_API_KEY",
      signal,
    });
    return found === undefined
      ? { strategy, ready: false, nextCommand: "gum auth use-api-key --stdin" }
      : {
        strategy,
        ready: true,
        source: found.source === "store" ? "store" : "GUM_API_KEY",
        fingerprint: await apiKeyFingerprint(found.value.reveal()),
      };
  } catch (error) {
    return { strategy, ready: false, ...repairOf(error, signal) };
  }
}

/** A report names what is broken instead of failing with it. */
function repairOf(
  error: unknown,
  signal: AbortSignal,
): Pick<StrategyStatus, "nextCommand" | "storeReason"> {
  signal.throwIfAborted();
  if (error instanceof AuthError) {
    const { nextCommand } = error.fields;
    return nextCommand === undefined ? {} : { nextCommand };
  }
  const known = findGumError(error);
  if (known === undefined) throw error;
  const { setup_command: command, backend, reason } = known.details;
  if (known.code === "AUTH_KEYCHAIN_UNAVAILABLE") {
    return {
      ...(typeof reason === "string" ? { storeReason: reason } : {}),
      // The host's own credentials are another strategy; this one needs a place for its secret.
      ...(backend === "vault" ? {} : { nextCommand: "gum auth vault init" }),
    };
  }
  return typeof command === "string" ? { nextCommand: command } : {};
}
