/** More scopes by a question to the MCP client's person (spec 05 §2.8, §3.17). */

import { sha256Hex } from "../digest/mod.ts";
import type { AuditSink, Invocation } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { jcs } from "../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { AuthError, sentence } from "./errors.ts";
import { grantAddress } from "./grants/address.ts";
import { obtainConsent, storeConsent, type VerifiedConsent } from "./login.ts";
import type { BrowserOpener } from "./oauth/browser.ts";
import type { SignInIo } from "./oauth/consent.ts";
import type { CompositeResolver } from "./resolver.ts";
import { scopeLabel, scopesSatisfied, sortedScopes } from "./scopes.ts";
import type { AuthParts } from "./types.ts";

/** What a reply is held against. Computed anew from every call, so a client has nothing to forge. */
export interface ScopeUpgradeBinding {
  formId: string;
  opId: string;
  variantId: string;
  profile: string;
  requiredScopes: readonly string[];
  expectedFingerprint: string;
  requestHash: string;
  /** For the person to read; it binds nothing. */
  address: string | undefined;
}

/** How the answered form ended, for the audit log. */
export type ScopeUpgradeOutcome =
  | "granted"
  | "declined"
  | "cancelled"
  | "not_approved"
  | "binding_mismatch"
  | "unknown_form"
  | "partial_grant"
  | "subject_mismatch"
  | "login_failed";

/** What an upgrade is made from. */
export interface ScopeUpgradeParts {
  parts: AuthParts;
  resolver: CompositeResolver;
  audit: AuditSink;
  io: SignInIo;
  openBrowser: BrowserOpener;
}

/** A client's answer to the form. */
export interface ScopeUpgradeReply {
  invocation: Invocation;
  /** Every input response of the retry, by key. */
  responses: JsonObject;
  signal: AbortSignal;
  /** Told now and then, while the person signs in, how many seconds have passed. */
  onWaiting?: (elapsedSeconds: number) => Promise<void>;
}

/** The form for a refusal; undefined when a sign-in here cannot help. */
export async function scopeUpgradeForm(
  made: ScopeUpgradeParts,
  asked: { refusal: GumError; invocation: Invocation; signal: AbortSignal },
): Promise<{ formId: string; params: JsonObject } | undefined> {
  const { refusal, invocation, signal } = asked;
  if (refusal.details.auth_strategy !== "byo_oauth" || await made.resolver.adcMode()) {
    return undefined;
  }
  const { client } = await made.resolver.view.current(signal);
  if (client === undefined) return undefined;
  const binding = await bindingOf(made, { refusal, invocation, signal });
  return { formId: binding.formId, params: formOf(binding) };
}

/** Judges a reply, signs in when it approves, and gives the envelope to show. */
export async function answerScopeUpgrade(
  made: ScopeUpgradeParts,
  asked: { refusal: GumError; reply: ScopeUpgradeReply },
): Promise<GumError> {
  const { refusal, reply } = asked;
  const { signal } = reply;
  const binding = await bindingOf(made, { refusal, invocation: reply.invocation, signal });
  let outcome: ScopeUpgradeOutcome | undefined = judgeReply(reply.responses, binding);
  try {
    outcome ??= await noticing(
      made,
      reply,
      () => consented(made, { binding, signal }),
    );
  } finally {
    const held = await heldScopes(made);
    made.audit.append({
      event: "managed_scope_reconsent",
      profile: binding.profile,
      op_id: binding.opId,
      request_hash: binding.requestHash,
      requested_scopes: [...binding.requiredScopes],
      granted_scopes: [...held.scopes],
      // Only an abort leaves the sign-in without an outcome of its own.
      outcome: outcome ?? "cancelled",
      auth_subject_fingerprint: held.fingerprint,
    });
  }
  return outcome === "granted" ? await grantedEnvelope(made, binding) : refusal;
}

/** What the call, the profile and its account amount to. */
export async function bindingOf(
  made: Pick<ScopeUpgradeParts, "parts" | "resolver">,
  asked: { refusal: GumError; invocation: Invocation; signal: AbortSignal },
): Promise<ScopeUpgradeBinding> {
  const { details } = asked.refusal;
  const config = await made.resolver.view.config();
  const state = await made.resolver.view.current(asked.signal);
  const opId = text(details.op_id) ?? asked.invocation.opId;
  const variantId = text(details.variant_id) ?? "";
  const profile = made.parts.profileName;
  const requiredScopes = sortedScopes(
    Array.isArray(details.required_scopes)
      ? details.required_scopes.filter((scope) => typeof scope === "string")
      : [],
  );
  const expectedFingerprint = config.expectedSubjects.byo_oauth ?? state.fingerprint;
  const requestHash = await sha256Hex(jcs({
    op_id: opId,
    variant_id: variantId,
    args: asked.invocation.args,
    profile,
    required_scopes: requiredScopes,
    expected_subject_fingerprint: expectedFingerprint,
  }));
  return {
    formId: `gum.scope_upgrade.${requestHash.slice(0, 16)}`,
    opId,
    variantId,
    profile,
    requiredScopes,
    expectedFingerprint,
    requestHash,
    address: grantAddress(state.grant),
  };
}

/** The form: flat values, and each binding a list of one, so that the reply has to echo it. */
function formOf(binding: ScopeUpgradeBinding): JsonObject {
  const echoed = echoedFields(binding);
  const properties: JsonObject = {
    approve: { type: "boolean", title: "Grant these scopes", default: false },
  };
  for (const [name, value] of Object.entries(echoed)) {
    properties[name] = { type: "string", enum: [value], default: value };
  }
  const scopes = binding.requiredScopes.map(scopeLabel).join(", ");
  const account = [`profile ${binding.profile}`, binding.address ?? ""].filter(Boolean).join(", ");
  return {
    mode: "form",
    message: `GUM (${account}) needs more access for ${binding.opId}: ${scopes}. ` +
      "Approve to open a browser sign-in on the machine that runs GUM.",
    requestedSchema: {
      type: "object",
      properties,
      required: ["approve", ...Object.keys(echoed)],
    },
  };
}

function echoedFields(binding: ScopeUpgradeBinding): Record<string, string> {
  return {
    form_id: binding.formId,
    op_id: binding.opId,
    profile: binding.profile,
    required_scopes: binding.requiredScopes.join(" "),
    expected_subject_fingerprint: binding.expectedFingerprint,
    request_hash: binding.requestHash,
  };
}

/** Why a reply is no approval; undefined when it is one. */
function judgeReply(
  responses: JsonObject,
  binding: ScopeUpgradeBinding,
): ScopeUpgradeOutcome | undefined {
  const keys = Object.keys(responses);
  if (keys.length !== 1 || keys[0] !== binding.formId) return "unknown_form";
  const response = responses[binding.formId];
  if (!isJsonObject(response)) return "binding_mismatch";
  if (response.action === "decline") return "declined";
  if (response.action === "cancel") return "cancelled";
  if (response.action !== "accept" || !isJsonObject(response.content)) return "binding_mismatch";
  const { content } = response;
  if (content.approve !== true) return "not_approved";
  const echoed = Object.entries(echoedFields(binding));
  return echoed.every(([name, value]) => content[name] === value) ? undefined : "binding_mismatch";
}

const NOTICE_MS = 5_000;

/** Runs the sign-in, and says meanwhile that it is still waited for. */
async function noticing<T>(
  { parts }: ScopeUpgradeParts,
  { onWaiting, signal }: Pick<ScopeUpgradeReply, "onWaiting" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  if (onWaiting === undefined) return await work();
  const over = new AbortController();
  const notices = (async () => {
    const until = AbortSignal.any([signal, over.signal]);
    for (let elapsed = 0; !until.aborted; elapsed += NOTICE_MS / 1_000) {
      await onWaiting(elapsed);
      await parts.clock.sleep(NOTICE_MS, until);
    }
  })().catch((error) => {
    // The end of the sign-in ends the waiting; a client that hears nothing loses nothing.
    if (!over.signal.aborted && !signal.aborted) {
      parts.log.log("debug", "progress was not delivered", { reason: `${error}` });
    }
  });
  try {
    return await work();
  } finally {
    over.abort();
    await notices;
  }
}

async function consented(
  made: ScopeUpgradeParts,
  asked: { binding: ScopeUpgradeBinding; signal: AbortSignal },
): Promise<ScopeUpgradeOutcome> {
  const { binding, signal } = asked;
  const { view } = made.resolver;
  let consent: VerifiedConsent;
  try {
    consent = await obtainConsent(made.parts, view, {
      scopes: binding.requiredScopes,
      openBrowser: made.openBrowser,
      io: made.io,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AuthError && error.code === "AUTH_SUBJECT_MISMATCH") {
      return "subject_mismatch";
    }
    made.parts.log.log("warn", "the sign-in for more scopes failed", {
      code: error instanceof AuthError ? error.code : "unknown",
    });
    return "login_failed";
  }
  const { expectedFingerprint, requiredScopes } = binding;
  if (expectedFingerprint !== "" && consent.principal.fingerprint !== expectedFingerprint) {
    return "subject_mismatch";
  }
  if (!scopesSatisfied(consent.grant.scopes, requiredScopes)) return "partial_grant";
  try {
    await storeConsent(made.parts, view, { consent, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return "login_failed";
  }
  return "granted";
}

async function heldScopes(
  made: ScopeUpgradeParts,
): Promise<{ scopes: readonly string[]; fingerprint: string }> {
  try {
    const state = await made.resolver.view.current(made.parts.lifetime);
    return { scopes: state.grant?.scopes ?? [], fingerprint: state.fingerprint };
  } catch {
    // The store failed in between; the row says that nothing is known to be held.
    return { scopes: [], fingerprint: "" };
  }
}

async function grantedEnvelope(
  made: ScopeUpgradeParts,
  binding: ScopeUpgradeBinding,
): Promise<GumError> {
  const held = await heldScopes(made);
  return new GumError("SCOPE_GRANTED", {
    message: `more access was granted for ${binding.opId}; the operation has not run`,
    details: {
      auth_strategy: "byo_oauth",
      auth_subject_fingerprint: held.fingerprint,
      granted_scopes: [...held.scopes],
      op_id: binding.opId,
      profile: binding.profile,
      request_hash: binding.requestHash,
    },
    userMessage: sentence("the access was granted. Repeat the call"),
    retryable: true,
  });
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
