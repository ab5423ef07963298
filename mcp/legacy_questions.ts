/**
 * Questions of a call on the 2025 revisions, put by requests of the server's own (spec 01 §3.15).
 * The SDK would do it too, but turns a question that fails into prose where a refusal belongs, and a
 * client whose form is broken could then never confirm anything.
 */

import type { ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import type { Logger } from "../lib/log/mod.ts";
import type { CallRequest } from "./call.ts";
import { passThrough } from "./pass_through.ts";
import type { InputNeeded, ToolOutcome } from "./types.ts";

/** How long a person may take to answer. */
const ANSWER_TIMEOUT_MS = 600_000;

/** How clients say why they cancel a call that took too long for them. */
const TIMED_OUT = /time[ds]?[ -]?out/i;

/** What a client that did not answer is taken to have done. */
const CLOSED: JsonObject = { action: "cancel" };

/** Serves one round of a call. */
export type CallRound = (request: CallRequest) => Promise<ToolOutcome>;

/**
 * Repeats a call with the answers to what it asks, until it asks nothing more. A call asks twice at
 * most: whether it may be done, and for the access it then lacks.
 */
export async function answeredCall(
  run: CallRound,
  request: CallRequest,
  client: { context: ServerContext; log: Logger },
): Promise<ToolOutcome> {
  let outcome = await run(request);
  while (outcome.kind === "input") {
    const inputResponses = await answersOf(outcome.input, { ...client, request });
    outcome = await run({ ...request, inputResponses });
  }
  return outcome;
}

interface Asking {
  context: ServerContext;
  log: Logger;
  request: CallRequest;
}

async function answersOf(input: InputNeeded, asking: Asking): Promise<JsonObject> {
  const answers: JsonObject = {};
  for (const [key, question] of Object.entries(input.inputRequests)) {
    answers[key] = await answerTo(question, asking);
  }
  return answers;
}

async function answerTo(
  question: InputNeeded["inputRequests"][string],
  { context, log, request }: Asking,
): Promise<JsonValue> {
  const { signal } = context.mcpReq;
  try {
    return await context.mcpReq.send(question as never, passThrough, {
      signal,
      timeout: ANSWER_TIMEOUT_MS,
      resetTimeoutOnProgress: true,
      onprogress: () => {},
    }) as JsonValue;
  } catch (error) {
    // A person who stops a call has seen the form; a client that ran out of time has not shown it.
    if (!signal.aborted || TIMED_OUT.test(String(signal.reason))) {
      request.connection.formsFail = true;
    }
    if (signal.aborted) throw error;
    log.log("info", "mcp: the client did not answer a question", {
      method: question.method,
      reason: error instanceof Error ? error.message : String(error),
    });
    return CLOSED;
  }
}
