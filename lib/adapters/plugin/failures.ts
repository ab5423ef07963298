/** From a plugin's failures to GUM's codes (spec 06 §3.19). */

import { findGumError, GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { pluginNotInstalled } from "../../plugin/status/mod.ts";

/** The call that failed. */
export interface FailedCall {
  opId: string;
  variantId: string;
  pluginName: string;
  authStrategy: string;
  riskClass: string;
  /** The plugin's text without its secrets. */
  redact: (text: string) => string;
}

/** A failure that the plugin reported itself. */
export interface ReportedFailure {
  sourceErrorCode: string;
  message: string;
  retryable: boolean;
  retryAfterMs?: number;
}

const MESSAGE_LENGTH = 512;
const CODE_LENGTH = 64;

interface Mapping {
  code: "RATE_LIMITED" | "AUTH_REQUIRED" | "SERVICE_DOWN" | "INVALID_ARGS";
  /** Whether the plugin's word on repeating counts. */
  keepsRetryable: boolean;
  keepsWait: boolean;
}

const MAPPINGS: Readonly<Record<string, Mapping>> = {
  RATE_LIMIT: { code: "RATE_LIMITED", keepsRetryable: true, keepsWait: true },
  AUTH_EXPIRED: { code: "AUTH_REQUIRED", keepsRetryable: false, keepsWait: false },
  PARSE_FAILURE: { code: "SERVICE_DOWN", keepsRetryable: true, keepsWait: false },
  SERVICE_DOWN: { code: "SERVICE_DOWN", keepsRetryable: true, keepsWait: true },
  INVALID_INPUT: { code: "INVALID_ARGS", keepsRetryable: false, keepsWait: false },
};

const UNKNOWN: Mapping = { code: "SERVICE_DOWN", keepsRetryable: false, keepsWait: false };

/** The error of a failure that the plugin reported. */
export function reportedError(failure: ReportedFailure, call: FailedCall): GumError {
  const mapping = Object.hasOwn(MAPPINGS, failure.sourceErrorCode)
    ? MAPPINGS[failure.sourceErrorCode] ?? UNKNOWN
    : UNKNOWN;
  const details: JsonObject = {
    op_id: call.opId,
    variant_id: call.variantId,
    plugin_name: call.pluginName,
    source_error_code: safeCode(call.redact(failure.sourceErrorCode)),
  };
  if (mapping.keepsWait && failure.retryAfterMs !== undefined) {
    details.retry_after_ms = failure.retryAfterMs;
  }
  if (mapping.code === "AUTH_REQUIRED") Object.assign(details, setupDetails(call));
  if (mapping.code === "INVALID_ARGS") {
    Object.assign(details, { missing: [], unknown: [], type_errors: [] });
  }
  if (mapping.code === "RATE_LIMITED") details.source = "upstream";
  // Like an HTTP 5xx: the plugin failed somewhere on the way, perhaps behind the change.
  if (mapping.code === "SERVICE_DOWN" && call.riskClass !== "read") {
    details.write_outcome = "unknown";
  }
  const message = safeMessage(failure.message, call.redact) ||
    `plugin ${call.pluginName} reported a failure`;
  return new GumError(mapping.code, {
    message,
    details,
    suggestion: mapping.code === "AUTH_REQUIRED"
      ? `Run \`gum plugin setup ${call.pluginName}\`.`
      : mapping.code === "SERVICE_DOWN"
      ? "Look at the plugin with `gum plugin list`."
      : undefined,
    retryable: mapping.keepsRetryable && failure.retryable,
  });
}

function setupDetails(call: FailedCall): JsonObject {
  return {
    auth_strategy: call.authStrategy,
    setup_command: `gum auth setup ${call.opId}`,
    next_command: `gum plugin setup ${call.pluginName}`,
  };
}

/** At most 64 harmless characters. */
export function safeCode(code: string): string {
  return [...code].slice(0, CODE_LENGTH).join("").replace(/[^A-Za-z0-9_.-]/gu, "_");
}

/** A plugin's words: no secrets, nothing that steers a terminal, not endless. */
export function safeMessage(text: string, redact: (text: string) => string): string {
  // A secret may hold a control character, so both orders are needed.
  // deno-lint-ignore no-control-regex -- removing them is the point
  const plain = redact(redact(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, ""));
  return [...plain].slice(0, MESSAGE_LENGTH).join("");
}

/** A document in a version of the format that nobody here reads. */
export function toonVersionError(version: number, call: FailedCall): GumError {
  return new GumError("TOON_VERSION_UNSUPPORTED", {
    message: `plugin ${call.pluginName} answered in TOON format_version ${version}`,
    details: {
      op_id: call.opId,
      plugin_name: call.pluginName,
      format_version: version,
      supported: [1],
      ...(call.riskClass === "read" ? {} : { write_outcome: "succeeded" }),
    },
    suggestion: "Update the plugin or GUM.",
    retryable: false,
  });
}

/** A plugin in quarantine: a local state, and the ways out of it. */
export function quarantinedError(
  call: Pick<FailedCall, "variantId" | "pluginName">,
  why: { detail: string; nextRetryAt?: string },
): GumError {
  const { pluginName, variantId } = call;
  return new GumError("VARIANT_QUARANTINED", {
    message: why.detail,
    details: {
      adapter_key: "plugin.mcp",
      plugin_name: pluginName,
      variant_id: variantId,
      reason: "plugin_quarantined",
      detail: why.detail,
      ...(why.nextRetryAt === undefined ? {} : { next_retry_at: why.nextRetryAt }),
    },
    userMessage: `The plugin ${pluginName} is quarantined on this machine.`,
    suggestion: `The plugin is quarantined locally; the service behind it may be up. Look with ` +
      `\`gum plugin list\`, try it again with \`gum plugin reload ${pluginName}\`, or lift the ` +
      `quarantine with \`gum plugin unquarantine ${pluginName}\`.`,
    retryable: false,
  });
}

/** A plugin that could not be started; a typed error keeps its code. */
export function startError(error: unknown, call: FailedCall): GumError {
  const common: JsonObject = { adapter_key: "plugin.mcp", plugin_name: call.pluginName };
  const known = findGumError(error);
  if (known !== undefined && known.code !== "PLUGIN_MANIFEST_NOT_FOUND") {
    const asked: JsonObject = known.code === "AUTH_REQUIRED" &&
        typeof known.details.plugin_name === "string"
      ? setupDetails(call)
      : {};
    return known.restated({
      details: { ...asked, ...known.details, ...common },
      retryable: false,
      cause: error,
    });
  }
  if (known?.details.reason === "plugin_not_installed") {
    return pluginNotInstalled(call.pluginName, { opId: call.opId, variantId: call.variantId });
  }
  const detail = safeMessage(error instanceof Error ? error.message : String(error), call.redact);
  return new GumError("SERVICE_DOWN", {
    message: detail,
    details: { ...common, reason: "plugin_start_failed", detail },
    suggestion: "Look at the plugin with `gum plugin list`.",
    retryable: false,
    cause: error,
  });
}

/** A call that got no answer. */
export function callError(
  failure: { reason: string; message: string; cause: unknown },
  call: FailedCall,
): GumError {
  const detail = safeMessage(failure.message, call.redact);
  const uncertain: JsonObject = call.riskClass === "read" ? {} : { write_outcome: "unknown" };
  return new GumError("SERVICE_DOWN", {
    message: `plugin ${call.pluginName} gave no answer: ${detail}`,
    details: {
      adapter_key: "plugin.mcp",
      op_id: call.opId,
      plugin_name: call.pluginName,
      reason: failure.reason,
      detail,
      ...uncertain,
    },
    suggestion: "Look at the plugin with `gum plugin list`.",
    retryable: failure.reason === "call_timeout" && call.riskClass === "read",
    cause: failure.cause,
  });
}
