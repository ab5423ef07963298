/** `gum.code` (spec 01 §3.8.4): hands a script to the sandbox, when this build has one. */

import type { ShapedResponse } from "../lib/dispatch/types.ts";
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
  const { confirmed, confirmation_token: token, ...script } = call.args;
  return dispatchCall(surface, call, {
    invocation: {
      opId: "gum.code",
      args: script,
      allowWrite: script.allow_write === true,
      allowDestructive: script.allow_destructive === true,
      confirmed: confirmed === true,
      confirmationToken: typeof token === "string" ? token : undefined,
    },
    dispatch: code,
    render: renderOutput,
  });
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
