/** The adapter of plugin operations: one tool call of a live process (spec 02 §3.11.6, 06 §3.19). */

import type { Variant } from "../../catalog/types.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import { findGumError, GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { checkPluginSelectors } from "../../plugin/selectors/mod.ts";
import type { RunningPlugin } from "../../plugin/host/mod.ts";
import type { PluginRuntime } from "../../plugin/runtime/mod.ts";
import type { InactiveOperation } from "../../plugin/status/mod.ts";
import {
  callError,
  type FailedCall,
  quarantinedError,
  reportedError,
  startError,
  toonVersionError,
} from "./failures.ts";
import { typedArguments } from "./typed_arguments.ts";

/** The key under which the adapter is registered. */
export const PLUGIN_ADAPTER_KEY = "plugin.mcp";

const CALL_TIMEOUT_MS = 60_000;

/** What the adapter is made from. */
export interface PluginAdapterOptions {
  /** Loads what runs plugins; called with the first plugin call. */
  runtime: () => Promise<Pick<PluginRuntime, "handles" | "supervisor">>;
  /** The live registry: whether an operation's plugin may run now. */
  lookup: (
    query: { opId?: string; variantId?: string; pluginName?: string },
  ) => InactiveOperation | undefined;
  /** A schema error of a call's arguments; undefined when they are fine or nothing describes them. */
  checkArguments?: (variant: Variant, args: JsonObject) => GumError | undefined;
  /** Notes on an answer that does not fit its schema. */
  checkAnswer?: (variant: Variant, text: string) => string[];
  timeoutMs?: number;
}

/** Makes the adapter. Nothing of the process host is loaded before the first call. */
export function createPluginAdapter(options: PluginAdapterOptions): Adapter {
  const timeoutMs = options.timeoutMs ?? CALL_TIMEOUT_MS;
  return {
    checkArgs(args, variant) {
      const refusal = variant === undefined ? undefined : options.checkArguments?.(variant, args);
      if (refusal !== undefined) throw refusal;
    },
    preview: ({ args, resolved }) => ({
      plugin_name: resolved.variant.binding?.plugin_name ?? "",
      tool_name: resolved.variant.binding?.tool_name ?? "",
      arguments: args,
    }),
    async execute(request, signal): Promise<AdapterResponse> {
      const binding = requireBinding(request);
      const { variant } = request.resolved;
      const call: FailedCall = {
        opId: request.opId,
        variantId: variant.variant_id,
        pluginName: binding.pluginName,
        authStrategy: variant.auth_strategy,
        riskClass: variant.risk_class,
        redact: (text) => text,
      };
      // An operation of GUM's own that a plugin serves is in no plugin's rows; its plugin is.
      const inactive = options.lookup({ variantId: call.variantId }) ??
        options.lookup({ pluginName: binding.pluginName });
      refuseInactive(inactive, call);
      const { judgeToolResult, CallFailure } = await import("../../plugin/host/mod.ts");
      const { PluginQuarantinedError } = await import("../../plugin/supervisor/mod.ts");
      const { handles, supervisor } = await options.runtime();
      let began = false;
      try {
        // Another process may have quarantined a plugin that is still running here.
        if (inactive?.status === "quarantined") await supervisor.checkGate(binding.pluginName);
        return await handles.use(binding.pluginName, async (plugin: RunningPlugin) => {
          began = true;
          call.redact = plugin.redact;
          const args = typedArguments(request.resolved.op.request_fields ?? [], request.args);
          const result = await plugin.callTool(binding.toolName, args, {
            signal,
            timeoutMs,
          });
          const verdict = judgeToolResult(result);
          switch (verdict.kind) {
            case "body":
              return answer(verdict.text, { request, options });
            case "toon_version":
              throw toonVersionError(verdict.version, call);
            case "failed":
              throw reportedError(verdict, call);
          }
        }, { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof PluginQuarantinedError) {
          throw quarantinedError(call, { detail: error.message, nextRetryAt: error.nextRetryAt });
        }
        if (!began) throw startError(error, call);
        if (error instanceof CallFailure) {
          throw callError({ reason: error.reason, message: error.message, cause: error }, call);
        }
        throw error;
      }
    },
  };
}

function answer(
  text: string,
  { request, options }: { request: AdapterRequest; options: PluginAdapterOptions },
): AdapterResponse {
  const body = new TextEncoder().encode(text);
  const warnings = options.checkAnswer?.(request.resolved.variant, text) ?? [];
  return {
    body,
    format: "json",
    status: 200,
    contentType: "application/json",
    bytesIn: body.length,
    bytesOut: JSON.stringify(request.args).length,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** The rule of the manifest gate, asked again of what is stored. */
function requireBinding(request: AdapterRequest): { pluginName: string; toolName: string } {
  const { binding, backend_kind } = request.resolved.variant;
  const pluginName = binding?.plugin_name ?? "";
  const place = {
    adapter_key: PLUGIN_ADAPTER_KEY,
    op_id: request.opId,
    plugin_name: pluginName.slice(0, 64),
  };
  try {
    checkPluginSelectors({ ...binding }, backend_kind);
  } catch (error) {
    throw findGumError(error, "PLUGIN_BINDING_INVALID")?.with(place) ?? error;
  }
  if (/^[a-z][a-z0-9-]{0,63}$/.test(pluginName)) {
    return { pluginName, toolName: binding?.tool_name ?? "" };
  }
  throw new GumError("PLUGIN_BINDING_INVALID", {
    message: `the binding of ${request.opId} names no plugin that could be called`,
    details: { ...place, tool_name: (binding?.tool_name ?? "").slice(0, 128) },
  });
}

function refuseInactive(inactive: InactiveOperation | undefined, call: FailedCall): void {
  if (inactive === undefined) return;
  const { status, reason, pluginName } = inactive;
  if (status === "quarantined") return;
  const waiting = status === "installed_pending_restart";
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `plugin ${pluginName} is installed but not active`,
    details: {
      op_id: call.opId,
      variant_id: call.variantId,
      plugin_name: pluginName,
      status,
      reason,
      ...(inactive.credentialAliases === undefined
        ? {}
        : { credential_aliases: inactive.credentialAliases }),
    },
    userMessage: waiting
      ? "The plugin that offers this operation becomes active after a restart."
      : "The plugin that offers this operation is not set up yet.",
    suggestion: waiting ? "Restart GUM." : `Run \`gum plugin setup ${pluginName}\`.`,
  });
}
