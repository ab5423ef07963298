/** `gum.poll` (spec 01 §3.8.5): waits for a long-running operation and reports progress. */

import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { stringifyBigIntegers } from "../lib/shape/mod.ts";
import { pickedAccount } from "./picked_account.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolResult } from "./types.ts";

/** Seconds that a poll may take in all; the `total` of its progress. */
const TOTAL_SECONDS = 600;

/** Polls until the operation is done. */
export async function poll(surface: ConnectedSurface, call: ToolCall): Promise<ToolResult> {
  const operationName = String(call.args.operation_name);
  checkHandle(operationName);
  const { poll: wait } = surface.session;
  if (wait === undefined) {
    throw new GumError("UNSUPPORTED_CAPABILITY", {
      message: "this build cannot wait for long-running operations",
      userMessage: "Waiting for long-running operations is not available in this build.",
      suggestion: "Read the operation's state with the service's own get operation.",
      details: { operation_name: operationName, unsupported_capabilities: ["lro_return"] },
    });
  }
  let reported = -1;
  const finished = await wait({
    operationName,
    handles: call.connection.operationHandles,
    ...pollingAccount(call, operationName),
    onPending: async (elapsedSeconds) => {
      // Progress must grow: two fetches within one second report once.
      if (call.progress === undefined || elapsedSeconds <= reported) return;
      reported = elapsedSeconds;
      await call.progress({
        progress: elapsedSeconds,
        total: TOTAL_SECONDS,
        message: `${operationName}: RUNNING`,
      });
    },
  }, call.signal);
  return finishedResult(stringifyBigIntegers(finished) as JsonObject);
}

/** The account that the call picks, else the one that started the operation. */
function pollingAccount(call: ToolCall, operationName: string): { account?: string } {
  const picked = pickedAccount(call.meta);
  if (picked.account !== undefined) return picked;
  const started = call.connection.operationHandles.find(({ name }) => name === operationName);
  return started?.account === undefined ? {} : { account: started.account };
}

function finishedResult(data: JsonObject): ToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(data) }],
    structuredContent: {
      format: "json",
      data,
      _expression: {
        profile: "gum.poll",
        op_id: "gum.poll",
        variant_id: "gum.poll.v1",
        lossy: false,
        result_count: 0,
      },
    },
  };
}

/** A relative handle becomes part of a URL path: no empty or dot segments. */
function checkHandle(operationName: string): void {
  if (operationName.startsWith("https://")) return;
  const segments = operationName.split("/");
  if (!segments.some((segment) => segment === "" || segment === "." || segment === "..")) return;
  throw new GumError("INVALID_ARGS", {
    message: "gum.poll: operation_name has an empty or dot segment",
    userMessage: "The arguments of gum.poll are not valid.",
    suggestion: "Pass the name exactly as an earlier call returned it.",
    details: {
      tool: "gum.poll",
      missing: [],
      unknown: [],
      type_errors: [],
      invalid: [{ path: "/operation_name", rule: "segments" }],
    },
    retryable: false,
  });
}
