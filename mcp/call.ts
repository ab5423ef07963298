/** The `tools/call` pipeline: name, arguments, handler, envelope (spec 01 §3.6). */

import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { invalidParams } from "./jsonrpc_error.ts";
import { normaliseArguments } from "./normalise.ts";
import { renderError } from "./render.ts";
import type { ConnectedSurface } from "./surface.ts";
import { canonicalName, showName } from "./tool_names.ts";
import { isChangingTool } from "./read_only.ts";
import type { RegisteredTool, ToolCall, ToolOutcome } from "./types.ts";
import { checkArguments, validatorOf } from "./validation.ts";

/** What the server knows of a request before the tool is found. */
export type CallRequest = Omit<ToolCall, "tool" | "args">;

/**
 * Serves one call. Failures of the tool are results; only an unknown tool or malformed parameters
 * are protocol errors.
 *
 * @throws JsonRpcError
 */
export async function callTool(
  surface: ConnectedSurface,
  params: JsonObject,
  request: CallRequest,
): Promise<ToolOutcome> {
  const tool = findTool(surface, params.name);
  const given = params.arguments ?? {};
  const form = surface.form(request.clientName);
  const name = tool.definition.name;
  if (!isJsonObject(given)) {
    throw invalidParams("Invalid params", {
      userMessage: `The arguments of ${name} are not an object.`,
      suggestion: "Set params.arguments to a JSON object.",
      details: { tool: name },
    });
  }
  try {
    refuseChanges(surface, tool);
    const schema = tool.definition.inputSchema;
    const args = normaliseArguments(given, schema);
    checkArguments(await compiled(tool), { tool: showName(name, form), args, schema });
    return await tool.handler({ ...request, tool: name, args }, surface);
  } catch (error) {
    const opId = typeof given.op_id === "string" ? given.op_id : undefined;
    surface.session.log.log("debug", "mcp: tool call failed", { tool: name });
    return { kind: "result", result: renderError(error, { form, opId }) };
  }
}

function findTool(surface: ConnectedSurface, name: unknown): RegisteredTool {
  const tool = typeof name === "string" ? surface.tools.find(canonicalName(name)) : undefined;
  if (tool !== undefined) return tool;
  throw invalidParams("Unknown tool", {
    userMessage: "There is no such tool.",
    suggestion: "Use a name from tools/list.",
    details: { tool: typeof name === "string" ? name : "" },
  });
}

/** `--read-only` holds whatever was listed, and before anything is looked at (spec 11 §7). */
function refuseChanges(surface: ConnectedSurface, tool: RegisteredTool): void {
  const { name, annotations } = tool.definition;
  if (!isChangingTool(annotations, surface.options)) return;
  throw new GumError("POLICY_DENIED", {
    message: `${name} is refused: this server was started with --read-only`,
    userMessage: "This server only reads.",
    suggestion: "An operator can start gum mcp --stdio without --read-only.",
    details: { tool: name, reason: "read_only", rule: "policy.mode", set_by: "--read-only" },
    retryable: false,
  });
}

async function compiled(tool: RegisteredTool): ReturnType<typeof validatorOf> {
  try {
    return await validatorOf(tool);
  } catch (cause) {
    const { name } = tool.definition;
    throw new GumError("SERVICE_DOWN", {
      message: `the input schema of ${name} cannot be used`,
      userMessage: "This tool is broken in this build; the others work.",
      suggestion: "Report this.",
      details: { tool: name },
      retryable: false,
      cause,
    });
  }
}
