/** Step 4: the credential of the variant's strategy, and whose it is. */

import { findGumError, GumError, isKnownErrorCode } from "../../errors/mod.ts";
import { type Call, emit } from "../call.ts";
import { authDetails, authUserMessage, setupCommand } from "../failures/auth_details.ts";
import { scrubbed } from "../failures/unexpected.ts";
import type { AuthorizedCall, RoutedCall } from "../stages.ts";
import type { AuthResolver, Credentials } from "../types.ts";

/** Runs step 4. */
export async function resolveAuth(call: Call, routed: RoutedCall): Promise<AuthorizedCall> {
  if (call.invocation.shaping?.kind === "gathered") return await resolveForShaping(call, routed);
  const credentials = await askResolver(call, { routed, ask: call.deps.auth.resolve });
  return authorized(call, { routed, credentials });
}

/** What was gathered is shaped without a request: a login that ended meanwhile does not lose it. */
async function resolveForShaping(call: Call, routed: RoutedCall): Promise<AuthorizedCall> {
  try {
    const credentials = await askResolver(call, { routed, ask: call.deps.auth.resolve });
    return authorized(call, { routed, credentials });
  } catch (error) {
    if (call.signal.aborted) throw error;
    return { ...routed, credentials: undefined, fingerprint: "", principalLost: true };
  }
}

/** One forced refresh after the service refused the token; undefined when there is no way to. */
export async function refreshAuth(
  call: Call,
  routed: RoutedCall,
): Promise<AuthorizedCall | undefined> {
  const refresh = call.deps.auth.refresh;
  if (refresh === undefined) return undefined;
  const credentials = await askResolver(call, { routed, ask: refresh });
  return credentials === undefined ? undefined : authorized(call, { routed, credentials });
}

async function askResolver(
  call: Call,
  question: { routed: RoutedCall; ask: AuthResolver["resolve"] },
): Promise<Credentials | undefined> {
  const { op, resolved: { variant }, args } = question.routed;
  try {
    return await question.ask.call(
      call.deps.auth,
      { opId: op.op_id, variant, args },
      call.signal,
    );
  } catch (error) {
    if (call.signal.aborted || error instanceof GumError) throw error;
    const known = findGumError(error);
    if (known !== undefined) throw known;
    throw unexpected(error, {
      routed: question.routed,
      profileName: call.deps.settings.profileName,
    });
  }
}

/** A resolver's own error keeps its text and code, under the code that says what to do. */
function unexpected(
  error: unknown,
  asked: { routed: RoutedCall; profileName: string },
): GumError {
  const { op, resolved: { variant } } = asked.routed;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const command = setupCommand(variant, op.op_id);
  return new GumError("AUTH_REQUIRED", {
    message: error instanceof Error
      ? scrubbed(error.message)
      : "the credential could not be resolved",
    details: {
      ...authDetails(variant, { opId: op.op_id, profileName: asked.profileName }),
      ...(typeof code === "string" && isKnownErrorCode(code) ? { source_error_code: code } : {}),
    },
    userMessage: authUserMessage(variant, { opId: op.op_id }),
    suggestion: `Run \`${command}\`.`,
    cause: error,
  });
}

function authorized(
  call: Call,
  found: { routed: RoutedCall; credentials: Credentials | undefined },
): AuthorizedCall {
  const { routed, credentials } = found;
  if (credentials !== undefined) checkSubject(call, { routed, credentials });
  const fingerprint = call.invocation.authSubjectFingerprint ||
    credentials?.subjectFingerprint || "";
  return { ...routed, credentials, fingerprint };
}

/** Another account than the one this profile logged in with must not act in its name. */
function checkSubject(
  call: Call,
  found: { routed: RoutedCall; credentials: Credentials },
): void {
  const { signInStrategy, subjectFingerprint } = found.credentials;
  const expected = call.deps.settings.expectedSubjects?.[signInStrategy];
  if (expected === undefined || subjectFingerprint === "" || subjectFingerprint === expected) {
    return;
  }
  const opId = found.routed.op.op_id;
  const { profileName } = call.deps.settings;
  try {
    call.deps.audit.append({
      event: "credential_subject_changed",
      op_id: opId,
      auth_strategy: signInStrategy,
      expected_subject_fingerprint: expected,
      actual_subject_fingerprint: subjectFingerprint,
      profile: profileName,
      request_id: call.requestId,
    });
  } catch (error) {
    // The refusal says what is wrong; a broken audit log must not take its place.
    const fields = { request_id: call.requestId, op_id: opId, reason: `${error}` };
    emit(call, { level: "warn", message: "audit row lost", fields });
  }
  throw new GumError("AUTH_SUBJECT_MISMATCH", {
    message: "the credential belongs to another account than this profile's login",
    // A key belongs to whoever it names; no sign-in changes that.
    ...signInStrategy === "service_account"
      ? {
        suggestion: "If the change is meant, take the key over: " +
          "`gum auth use-service-account <key.json>`, with --subject for a delegated account.",
      }
      : {},
    details: {
      op_id: opId,
      auth_strategy: signInStrategy,
      expected_subject_fingerprint: expected,
      actual_subject_fingerprint: subjectFingerprint,
      profile: profileName,
      setup_command: "gum login --switch-account",
    },
  });
}
