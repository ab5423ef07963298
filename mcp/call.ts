/** The `tools/call` pipeline: name, arguments, handler, envelope (spec 01 §3.6). */

import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { invalidParams } from "./jsonrpc_error.ts";
import { nearestWords } from "../lib/spelling/mod.ts";
import { normaliseArguments } from "./normalise.ts";
import { renderError } from "./render.ts";
import { riskTool } from "./roster.ts";
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
    suggestion: instead(surface, name),
    details: { tool: typeof name === "string" ? name : "" },
  });
}

/** Operations are called through a tool, and a near miss is most likely a slip. */
function instead(surface: ConnectedSurface, name: unknown): string {
  if (typeof name !== "string") return "Use a name from tools/list.";
  const op = surface.catalog.findOp(name);
  if (op !== undefined) {
    const risk = op.variants.find(({ variant_id: id }) => id === op.default_variant_id)?.risk_class;
    const tool = riskTool(risk ?? "read");
    return `This is an operation: call ${tool} with op_id ${JSON.stringify(op.op_id)}.`;
  }
  const known = surface.tools.tools.map(({ definition }) => definition.name);
  const [near] = nearestWords(canonicalName(name).slice(0, 64), known, { within: 3, most: 1 });
  return near === undefined ? "Use a name from tools/list." : `Did you mean ${near}?`;
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
