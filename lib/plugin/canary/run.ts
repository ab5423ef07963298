/** One canary of one plugin (spec 06 §3.18). */

import type { Clock } from "../../clock/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { judgeToolResult, type PluginHost, type RunningPlugin } from "../host/mod.ts";
import { crashCode, PluginQuarantinedError } from "../supervisor/mod.ts";
import type { CanaryDeclaration, CanaryOutcome } from "../types.ts";
import { resolveCanaryArgs } from "./args.ts";

/** A whole canary, start and stop included. */
const CANARY_TOTAL_MS = 30_000;

/** What a canary is run with. */
export interface CanaryParts {
  host: Pick<PluginHost, "start">;
  clock: Clock;
  log: Logger;
}

/** One canary. */
export interface CanaryRequest {
  pluginId: string;
  /** Also call the declared tool. */
  live: boolean;
  /** Replace declared arguments by name. */
  overrides?: JsonObject;
  /** Called first; what it throws is the outcome. */
  gate?: () => Promise<void>;
  signal: AbortSignal;
}

/** A canary that failed by what the plugin answered. */
class CanaryFailure extends Error {
  override readonly name = "CanaryFailure";
}

/**
 * Starts the plugin, calls its canary tool when asked to, and stops it. Records nothing.
 *
 * @throws the signal's reason when it aborts, and nothing else.
 */
export async function runCanary(
  request: CanaryRequest,
  parts: CanaryParts,
): Promise<CanaryOutcome> {
  const { pluginId, live, signal } = request;
  const overtime = new AbortController();
  const limited = AbortSignal.any([signal, overtime.signal]);
  const finished = new AbortController();
  const waiting = parts.clock.sleep(CANARY_TOTAL_MS, finished.signal).then(
    () => overtime.abort(new CanaryFailure(`the canary took more than ${CANARY_TOTAL_MS} ms`)),
    () => {},
  );
  let plugin: RunningPlugin | undefined;
  try {
    await request.gate?.();
    const before = performance.now();
    plugin = await parts.host.start(pluginId, { signal: limited, requireCredentials: false });
    if (live) await callTool(plugin, { request, now: parts.clock.now(), signal: limited });
    const latency = Math.round(performance.now() - before);
    const stopError = await stopped(plugin);
    return {
      ok: true,
      plugin_id: pluginId,
      live,
      latency_ms: latency,
      sandbox: plugin.sandbox,
      ...(stopError === undefined ? {} : { stop_error: stopError }),
    };
  } catch (error) {
    if (plugin !== undefined) await stopped(plugin);
    signal.throwIfAborted();
    return failed(error, { pluginId, plugin, log: parts.log });
  } finally {
    finished.abort();
    await waiting;
  }
}

async function callTool(
  plugin: RunningPlugin,
  given: { request: CanaryRequest; now: number; signal: AbortSignal },
): Promise<void> {
  const { canary } = plugin.manifest.requirements;
  // Without a declared call the handshake is all there is to prove.
  if (canary === null) return;
  const { tool, timeout_ms: timeoutMs } = canary;
  const args = resolveCanaryArgs(mergedArgs(canary, given.request), given.now);
  const result = await plugin.callTool(tool, args, { signal: given.signal, timeoutMs });
  const verdict = judgeToolResult(result);
  if (verdict.kind === "body") return;
  const said = verdict.kind === "failed" ? verdict.message : `TOON version ${verdict.version}`;
  const code = verdict.kind === "failed" ? verdict.sourceErrorCode : "TOON_VERSION_UNSUPPORTED";
  throw new CanaryFailure(`${tool} answered ${code || "an error"}: ${said}`);
}

function mergedArgs({ args }: CanaryDeclaration, { overrides }: CanaryRequest): JsonObject {
  return { ...args, ...overrides };
}

async function stopped(plugin: RunningPlugin): Promise<string | undefined> {
  try {
    await plugin.stop();
    return undefined;
  } catch (error) {
    return plugin.redact(error instanceof Error ? error.message : String(error));
  }
}

function failed(
  error: unknown,
  given: { pluginId: string; plugin: RunningPlugin | undefined; log: Logger },
): CanaryOutcome {
  const { pluginId, plugin, log } = given;
  const raw = error instanceof Error ? error.message : String(error);
  const message = oneLine(plugin === undefined ? raw : plugin.redact(raw));
  log.log("debug", "a canary failed", { plugin: pluginId, error: message });
  const quarantined = error instanceof PluginQuarantinedError;
  return {
    ok: false,
    plugin_id: pluginId,
    error_code: quarantined ? "VARIANT_QUARANTINED" : "SERVICE_DOWN",
    source_error_code: sourceCode(error),
    message,
    ...(plugin === undefined ? {} : { sandbox: plugin.sandbox }),
    ...(plugin === undefined && !quarantined && crashCode(error) === undefined
      ? { host_condition: true }
      : {}),
  };
}

const SOURCE_CODES: Readonly<Record<string, string>> = {
  PLUGIN_MANIFEST_NOT_FOUND: "ErrManifestNotFound",
  PLUGIN_MANIFEST_INVALID: "ErrManifestInvalid",
  PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED: "ErrManifestInvalid",
  PLUGIN_SHAPE_UNSUPPORTED: "ErrManifestInvalid",
  PLUGIN_BINDING_INVALID: "ErrManifestInvalid",
  PLUGIN_EXECUTABLE_UNTRUSTED: "ErrExecutableUntrusted",
  PLUGIN_SANDBOX_UNSUPPORTED: "ErrSandboxUnsupported",
};

function sourceCode(error: unknown): string {
  if (error instanceof PluginQuarantinedError) return "ErrPluginQuarantined";
  if (error instanceof CanaryFailure) return "ErrCanaryFailed";
  const known = findGumError(error);
  if (known === undefined) return error instanceof Error ? "ErrCanaryFailed" : "Unknown";
  return SOURCE_CODES[known.code] ?? "Unknown";
}

function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex -- a plugin's words must not steer a terminal
  return [...text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")].slice(0, 512).join("");
}
