/** From an invocation to a tool outcome: roots, kernel, rendering (spec 01 §3.7, §3.10). */

import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import { findGumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import {
  askInWords,
  confirmationForm,
  declined,
  formsFail,
  keepWaiting,
  otherResponses,
  showsForms,
  takeAnswer,
} from "./confirm_form.ts";
import { rememberOperation, rememberResult } from "./connection.ts";
import { ACCOUNT_TOOLS } from "./meta_schemas.ts";
import { pickedAccount } from "./picked_account.ts";
import { jsonOrText, renderResponse } from "./render.ts";
import { negotiateRoots, rootPaths, ROOTS_KEY, selectRoot } from "./roots.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ScopeReply, ToolCall, ToolOutcome, ToolResult } from "./types.ts";

/** Runs something that answers like the kernel. */
export type Dispatch = (
  invocation: Invocation,
  signal: AbortSignal,
) => Promise<ShapedResponse>;

/** How {@link dispatchCall} runs and renders; defaults are the kernel and the common rendering. */
export interface DispatchCallOptions {
  dispatch?: Dispatch;
  render?: (response: ShapedResponse) => ToolResult;
}

/** Asks for roots when they are needed and unknown, then dispatches and renders. */
export async function dispatchCall(
  surface: ConnectedSurface,
  call: ToolCall,
  request: { invocation: Invocation } & DispatchCallOptions,
): Promise<ToolOutcome> {
  const negotiated = await negotiateRoots(call);
  if (negotiated.kind === "ask") return { kind: "input", input: negotiated.input };
  const root = selectRoot(negotiated.roots, call.meta.gumRoot);
  const { kernel } = surface.session;
  const dispatch = request.dispatch ??
    ((invocation, signal) => kernel.dispatch(invocation, signal));
  const asked: Invocation = {
    ...request.invocation,
    ...root,
    ...pickedAccount(call.meta, ACCOUNT_TOOLS.has(call.tool) ? call.args : {}),
    mediaRoots: rootPaths(negotiated.roots),
    ...(marksUntrusted(surface) ? { markUntrusted: true } : {}),
    caller: "mcp",
  };
  const answer = takeAnswer(call.connection, call.inputResponses);
  if (answer.kind === "no") throw declined(asked.opId);
  const invocation = answer.kind === "yes"
    ? { ...asked, confirmed: true, confirmationToken: answer.token }
    : asked;
  let response: ShapedResponse;
  try {
    response = await dispatch(invocation, call.signal);
  } catch (error) {
    const form = offerForm(surface, call, { error, asked: answer.kind !== "none" });
    const confirmed = answer.kind === "yes" ? answer.token : undefined;
    return form ?? await offerConsent(surface, call, { error, invocation, confirmed });
  }
  rememberAnswer(surface, call, { response, account: invocation.account });
  const render = request.render ??
    ((shaped) => renderResponse(shaped, surface.form(call.clientName)));
  return { kind: "result", result: render(response) };
}

function marksUntrusted({ options, session }: ConnectedSurface): boolean {
  return options.markUntrusted === true || session.untrustedText === "mark";
}

/** A confirmation that is needed becomes one question to a client that can ask its user. */
function offerForm(
  surface: ConnectedSurface,
  call: ToolCall,
  failed: { error: unknown; asked: boolean },
): ToolOutcome | undefined {
  const refusal = findGumError(failed.error, "REQUIRES_CONFIRMATION");
  const wanted = surface.options.confirmByForm !== false && showsForms(call.clientCapabilities);
  if (refusal === undefined || !wanted) return undefined;
  const now = surface.session.clock.now();
  if (failed.asked || formsFail(call.connection, now)) throw askInWords(refusal);
  const input = confirmationForm(refusal, call, { now });
  return input === undefined ? undefined : { kind: "input", input };
}

/**
 * A missing scope becomes one question to a client that can ask its user; everything else, and
 * every later round, is the error itself.
 */
async function offerConsent(
  surface: ConnectedSurface,
  call: ToolCall,
  failed: { error: unknown; invocation: Invocation; confirmed: string | undefined },
): Promise<ToolOutcome> {
  const { error, invocation, confirmed } = failed;
  const { scopeUpgrade } = surface.session;
  const refusal = findGumError(error, "SCOPE_MISSING");
  const now = surface.session.clock.now();
  const canAsk = isJsonObject(call.clientCapabilities.elicitation);
  // A script's inner calls never ask: only the call the client made may.
  if (!refusal || !scopeUpgrade || !canAsk || invocation.opId === "gum.code") throw error;
  const { [ROOTS_KEY]: _roots, ...answered } = call.inputResponses ?? {};
  const responses = otherResponses(answered);
  if (Object.keys(responses).length > 0) {
    const onWaiting = waitingNotice(call);
    const reply = { invocation, responses, signal: call.signal, onWaiting };
    throw await scopeUpgrade.answer(refusal, reply);
  }
  if (formsFail(call.connection, now)) throw error;
  const form = await scopeUpgrade.form(refusal, invocation);
  if (form === undefined) throw error;
  // A person who has said yes to the call already is not asked that again in the next round.
  keepWaiting(call.connection, form.formId, {
    askedAt: now,
    ...(confirmed === undefined ? {} : { token: confirmed }),
  });
  return {
    kind: "input",
    input: {
      inputRequests: { [form.formId]: { method: "elicitation/create", params: form.params } },
    },
  };
}

/** Seconds that a sign-in may take; the `total` of its progress. */
const SIGN_IN_SECONDS = 300;

/** Progress while the person signs in, for a client that asked for it. */
function waitingNotice({ progress }: ToolCall): ScopeReply["onWaiting"] {
  return progress === undefined ? undefined : (elapsed) =>
    progress({
      progress: elapsed,
      total: SIGN_IN_SECONDS,
      message: "waiting for the sign-in in the browser",
    });
}

function rememberAnswer(
  surface: ConnectedSurface,
  call: ToolCall,
  { response, account }: { response: ShapedResponse; account: string | undefined },
): void {
  const resource = response.expression?.full_result_resource;
  if (typeof resource === "string") rememberResult(call.connection, resource);
  const name = operationName(response.structuredContent, surface, response);
  if (name !== undefined) {
    rememberOperation(call.connection, {
      name,
      opId: response.opId,
      variantId: response.variantId,
      ...(account === undefined ? {} : { account }),
    });
  }
}

/** The handle of a long-running operation, when the answer is one. */
function operationName(
  shaped: JsonValue | undefined,
  surface: ConnectedSurface,
  response: ShapedResponse,
): string | undefined {
  const declared = surface.session.kernel.returnsLro(response.opId);
  if (looksLikeOperation(shaped, declared)) return shaped.name;
  if (!declared || response.upstreamBytes === undefined) return undefined;
  const upstream = jsonOrText(new TextDecoder().decode(response.upstreamBytes));
  return looksLikeOperation(upstream, declared) ? upstream.name : undefined;
}

function looksLikeOperation(
  value: JsonValue | undefined,
  declared: boolean,
): value is JsonObject & { name: string } {
  return isJsonObject(value) && typeof value.name === "string" && value.name !== "" &&
    (declared || typeof value.done === "boolean");
}
