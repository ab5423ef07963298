/** `gum.read`, `gum.write`, `gum.destructive` (spec 01 §3.8.3). */

import type { Op, RiskClass, Variant } from "../lib/catalog/types.ts";
import type {
  Invocation,
  MediaProgressListener,
  MediaRequest,
  OutputFormat,
} from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import type { InactiveOperation } from "../lib/plugin/status/mod.ts";
import { opNotFound } from "./describe_tool.ts";
import { dispatchCall } from "./dispatch_call.ts";
import { RISK_TOOLS, riskTool } from "./roster.ts";
import type { ConnectedSurface } from "./surface.ts";
import type { ToolCall, ToolOutcome } from "./types.ts";

/** Runs an operation whose executing variant has the tool's risk class. */
export function runRiskTool(surface: ConnectedSurface, call: ToolCall): Promise<ToolOutcome> {
  const { args } = call;
  const riskClass = RISK_TOOLS[call.tool];
  if (riskClass === undefined) throw new Error(`${call.tool} is not a risk tool`);
  const op = findOperation(surface, String(args.op_id));
  checkRisk(op, { riskClass, pinned: textArg(args, "variant_id") });
  const invocation: Invocation = {
    opId: op.op_id,
    args: operationArgs(op, args),
    requestedVariantId: textArg(args, "variant_id"),
    format: textArg(args, "format") as OutputFormat | undefined,
    maxItems: rowCap(args),
    confirmed: args.confirmed === true,
    confirmationToken: textArg(args, "confirmation_token"),
    allowWrite: riskClass === "write",
    allowDestructive: riskClass === "destructive",
    requireWriteConfirmation: false,
    diffOnlyAllowed: riskClass === "read",
    media: mediaRequest(surface, call),
  };
  return dispatchCall(surface, call, { invocation });
}

/** The file that a call moves; where it may lie is the kernel's to judge (spec 02 §8.1, §8.2). */
function mediaRequest(surface: ConnectedSurface, call: ToolCall): MediaRequest | undefined {
  const target = textArg(call.args, "download_to");
  const source = textArg(call.args, "upload_from");
  const onProgress = progressListener(surface, call);
  if (target !== undefined) return { kind: "download", target, onProgress };
  return source === undefined ? undefined : { kind: "upload", source, onProgress };
}

const PROGRESS_MS = 1000;

/** Progress notifications, at most one a second, and only where the end is known. */
function progressListener(
  surface: ConnectedSurface,
  call: ToolCall,
): MediaProgressListener | undefined {
  const { progress } = call;
  if (progress === undefined) return undefined;
  const { clock, log } = surface.session;
  let toldAt = -Infinity;
  return ({ bytes, total }) => {
    const now = clock.now();
    if (total === undefined || now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    progress({ progress: bytes, total, message: `${bytes} of ${total} bytes` }).catch((error) =>
      log.log("debug", "mcp: progress was not delivered", { reason: `${error}` })
    );
  };
}

/** The operation of the snapshot, or the error that says why it cannot run. */
function findOperation(surface: ConnectedSurface, opId: string): Op {
  if (opId === "gum.code") {
    throw new GumError("RISK_TOOL_MISMATCH", {
      message: "gum.code runs through its own tool; call gum.code",
      userMessage: "Scripts run through their own tool.",
      suggestion: "Call gum.code.",
      details: { op_id: opId, required_tool: "gum.code" },
    });
  }
  const op = surface.catalog.findOp(opId);
  if (op !== undefined) return op;
  const inactive = surface.session.plugins?.lookup({ opId });
  throw inactive === undefined ? opNotFound(surface, opId) : inactiveError(inactive, opId);
}

function inactiveError(inactive: InactiveOperation, opId: string): GumError {
  if (inactive.status === "quarantined") {
    return new GumError("VARIANT_QUARANTINED", {
      message: `${opId} belongs to a quarantined plugin`,
      userMessage: "The plugin behind this operation is quarantined.",
      suggestion: `The plugin is quarantined locally; the service behind it may be up. Look with ` +
        `\`gum plugin list\`, try it again with \`gum plugin reload ${inactive.pluginName}\`, or ` +
        `lift the quarantine with \`gum plugin unquarantine ${inactive.pluginName}\`.`,
      details: {
        op_id: opId,
        adapter_key: "plugin.mcp",
        plugin_name: inactive.pluginName,
        reason: "plugin_quarantined",
        detail: inactive.reason,
      },
    });
  }
  const pending = inactive.status === "installed_pending_restart";
  return new GumError("UNSUPPORTED_CAPABILITY", {
    message: `${opId} belongs to a plugin that is not active`,
    userMessage: "The plugin behind this operation is not active yet.",
    suggestion: pending
      ? "Restart the MCP server."
      : `Run: gum plugin setup ${inactive.pluginName}`,
    details: {
      op_id: opId,
      plugin_name: inactive.pluginName,
      status: inactive.status,
      reason: inactive.reason,
      ...(inactive.credentialAliases && { credential_aliases: inactive.credentialAliases }),
    },
  });
}

/**
 * Refuses a variant of another class before anything is asked of the client. Only variants that
 * certainly run are judged here; the kernel repeats the check on the one it resolves.
 */
function checkRisk(op: Op, request: { riskClass: RiskClass; pinned: string | undefined }): void {
  const variant = certainVariant(op, request.pinned);
  if (variant === undefined || variant.risk_class === request.riskClass) return;
  const required = riskTool(variant.risk_class);
  throw new GumError("RISK_TOOL_MISMATCH", {
    message: `${variant.variant_id} is a ${variant.risk_class} variant; call ${required}`,
    userMessage: "This operation needs the tool of its risk class.",
    suggestion: `Call ${required} instead.`,
    details: {
      op_id: op.op_id,
      variant_id: variant.variant_id,
      variant_risk_class: variant.risk_class,
      required_tool: required,
    },
  });
}

function certainVariant(op: Op, pinned: string | undefined): Variant | undefined {
  const wanted = pinned ?? op.default_variant_id;
  const variant = op.variants.find((candidate) => candidate.variant_id === wanted);
  if (variant === undefined || variant.quarantined) return undefined;
  if (pinned !== undefined) return variant;
  const executable = variant.execution_support === undefined ||
    variant.execution_support === "full" || variant.execution_support === "partial";
  const deprecated = op.deprecated_variant_ids?.includes(variant.variant_id) ?? false;
  return executable && !deprecated ? variant : undefined;
}

/** Copies `args` and lays the host controls over same-named keys. */
function operationArgs(op: Op, args: JsonObject): JsonObject {
  const given: JsonObject = { ...(isJsonObject(args.args) ? args.args : {}) };
  if (typeof args.fields === "string") given.fields = args.fields;
  if (typeof args.page_token === "string") given.pageToken = args.page_token;
  if (typeof args.page_size === "number") given[pageSizeName(op)] = args.page_size;
  return given;
}

function pageSizeName(op: Op): string {
  const declared = new Set([
    ...(op.request_fields ?? []).map((field) => field.name),
    ...[...(op.params_required ?? []), ...(op.params_optional ?? [])].map(([name]) => name),
  ]);
  return !declared.has("pageSize") && declared.has("maxResults") ? "maxResults" : "pageSize";
}

function rowCap(args: JsonObject): number | "all" | undefined {
  const cap = textArg(args, "max_items");
  return cap === undefined ? undefined : cap === "all" ? "all" : Number(cap);
}

function textArg(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}
