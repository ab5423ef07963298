/** Step 7c: what is kept of an answer or a failure, for recovery (spec 02 §3.10, 03 §3.14). */

import type { GumError } from "../errors/mod.ts";
import { UpstreamFailure } from "../errors/wire/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { parseJson } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { type Call, emit } from "./call.ts";
import { unmaskedBody } from "./dual_fetch.ts";
import type { Answer, AuthorizedCall } from "./stages.ts";
import type { ArtifactHandle, Shaper } from "./types.ts";

/** When artifacts are written. */
export type TeeMode = "off" | "failures" | "always";

const MODES: ReadonlySet<string> = new Set<TeeMode>(["off", "failures", "always"]);

/** The mode in force: the profile's, else the configured one, else what the recovery implies. */
export function effectiveTeeMode(
  profile: ResolvedProfile | undefined,
  configured: string | undefined,
): TeeMode {
  if (profile?.tee_mode !== undefined) return known(profile.tee_mode);
  // A profile that promises a link keeps its promise whatever is configured.
  if (profile?.recovery === "resource_link") return "always";
  if (configured !== undefined) return known(configured);
  return profile?.recovery !== undefined && profile.recovery !== "none" ? "always" : "off";
}

function known(mode: string): TeeMode {
  return MODES.has(mode) ? mode as TeeMode : "off";
}

/** The mode of a call; `off` where nothing can be written at all. */
function teeModeOf(call: Call, authorized: AuthorizedCall): TeeMode {
  if (!call.deps.artifacts.enabled) return "off";
  return effectiveTeeMode(authorized.profile, call.deps.settings.teeMode);
}

/**
 * Refuses the call while its artifact secret is unusable, before anything is spent or sent.
 *
 * @throws GumError `TEE_SECRET_CORRUPT`
 */
export async function checkArtifactSecret(call: Call, authorized: AuthorizedCall): Promise<void> {
  if (teeModeOf(call, authorized) !== "off") await call.deps.artifacts.checkSecret();
}

/** Whether a success of this call would be written. */
function keepsSuccess(
  call: Call,
  kept: { authorized: AuthorizedCall; shaper: Shaper },
): boolean {
  const { profile } = kept.authorized;
  if (profile === undefined || teeModeOf(call, kept.authorized) !== "always") return false;
  if (call.invocation.format === "raw" || call.invocation.shaping?.kind === "page") return false;
  const recoverable = profile.recovery !== undefined && profile.recovery !== "none";
  return recoverable || kept.shaper.isLossy(profile, call.invocation.maxItems);
}

/** {@link keepsSuccess}; what cannot tell costs the artifact, never the answer that is there. */
function wantsSuccess(call: Call, authorized: AuthorizedCall): boolean {
  try {
    return keepsSuccess(call, { authorized, shaper: call.deps.shaper });
  } catch (error) {
    const fields: JsonObject = { op_id: authorized.op.op_id, reason: `${error}` };
    emit(call, { level: "warn", message: "tee artifact write failed", fields });
    return false;
  }
}

/** Writes the success artifact; undefined when there is none, which never fails the call. */
export async function keepAnswer(
  call: Call,
  found: { authorized: AuthorizedCall; answer: Answer },
): Promise<ArtifactHandle | undefined> {
  const { authorized, answer } = found;
  if (answer.kind !== "body" || answer.format === "raw" || answer.body.length === 0) {
    return undefined;
  }
  if (!wantsSuccess(call, authorized)) return undefined;
  const dual = authorized.profile?.field_mask_mode === "dual_fetch" &&
    Object.hasOwn(authorized.wireArgs, "fields");
  const body = dual ? await unmaskedBody(call, authorized) : answer.body;
  return body === undefined ? undefined : await write(call, { authorized, body });
}

/** Writes the failure artifact and returns the error that names it. */
export async function keepFailure(
  call: Call,
  failed: { authorized: AuthorizedCall; error: GumError; thrown: unknown },
): Promise<GumError> {
  if (teeModeOf(call, failed.authorized) === "off") return failed.error;
  const body = failureBody(failed.error, failed.thrown);
  const handle = await write(call, { authorized: failed.authorized, body });
  return handle === undefined ? failed.error : failed.error.with({ full_result_path: handle.path });
}

/** The server's body verbatim when it is JSON, else its text as a JSON string, else the envelope. */
function failureBody(error: GumError, thrown: unknown): Uint8Array {
  const encoder = new TextEncoder();
  const upstream = [thrown, error.cause].find((candidate) => candidate instanceof UpstreamFailure);
  if (upstream === undefined || upstream.body.length === 0) {
    return encoder.encode(JSON.stringify(error.toEnvelope()));
  }
  const text = new TextDecoder().decode(upstream.body);
  return isJsonText(text) ? upstream.body : encoder.encode(JSON.stringify(text));
}

function isJsonText(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false; // kept as a JSON string instead
  }
}

async function write(
  call: Call,
  kept: { authorized: AuthorizedCall; body: Uint8Array },
): Promise<ArtifactHandle | undefined> {
  const { authorized, body } = kept;
  try {
    return await call.deps.artifacts.write({
      opId: authorized.op.op_id,
      variantId: authorized.resolved.variant.variant_id,
      argsCanonical: authorized.wireCanonical,
      fingerprint: authorized.fingerprint,
      body,
    });
  } catch (error) {
    const fields: JsonObject = { op_id: authorized.op.op_id, reason: `${error}` };
    emit(call, { level: "warn", message: "tee artifact write failed", fields });
    return undefined;
  }
}
