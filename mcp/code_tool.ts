/** `gum.code` (spec 01 §3.8.4): hands a script to the sandbox, when this build has one. */

import type { ScriptProgressListener, ShapedResponse } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { dispatchCall } from "./dispatch_call.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolOutcome, ToolResult } from "./types.ts";

/** Runs a script. */
export function runCode(surface: ConnectedSurface, call: ToolCall): Promise<ToolOutcome> {
  const { code } = surface.session;
  if (code === undefined) {
    throw new GumError("UNSUPPORTED_CAPABILITY", {
      message: "this build has no script sandbox",
      userMessage: "Scripts cannot be run in this build.",
      suggestion: "Call the operations one by one with gum.read, gum.write or gum.destructive.",
      details: { op_id: "gum.code", unsupported_capabilities: ["code_execution"] },
    });
  }
  const { confirmed, confirmation_token: token, account: _account, ...script } = call.args;
  return dispatchCall(surface, call, {
    invocation: {
      opId: "gum.code",
      args: script,
      allowWrite: script.allow_write === true,
      allowDestructive: script.allow_destructive === true,
      confirmed: confirmed === true,
      confirmationToken: typeof token === "string" ? token : undefined,
      onScriptProgress: progressListener(surface, call),
    },
    dispatch: code,
    render: renderOutput,
  });
}

/** Shortest time between two notifications. */
const PROGRESS_MS = 500;

/** Calls that are over, of those asked for so far; a notification only where that number grew. */
function progressListener(
  surface: ConnectedSurface,
  call: ToolCall,
): ScriptProgressListener | undefined {
  const { progress, signal } = call;
  if (progress === undefined) return undefined;
  const { clock, log } = surface.session;
  let told = -1;
  let toldAt = -Infinity;
  return ({ phase, done, asked }) => {
    const now = clock.now();
    if (signal.aborted || done <= told || now - toldAt < PROGRESS_MS) return;
    told = done;
    toldAt = now;
    const message = phase === "starting"
      ? "the script is starting"
      : `${done} of ${asked} calls of the script are done`;
    progress({ progress: done, ...(asked === 0 ? {} : { total: asked }), message }).catch((error) =>
      log.log("debug", "mcp: progress was not delivered", { reason: `${error}` })
    );
  };
}

/** Prints and final value as one string, in both places. */
function renderOutput(response: ShapedResponse): ToolResult {
  const text = new TextDecoder().decode(response.body);
  const { expression } = response;
  const structured: JsonObject = { format: "json", data: text };
  // Nothing but the output budget makes the answer of a script lossy.
  if (expression?.lossy === true) structured._code_output_truncated = true;
  structured._expression = expression ?? {};
  return { content: [{ type: "text", text }], structuredContent: structured };
}
