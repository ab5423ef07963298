/** Running plugins: what a started one offers (spec 06 §3.16). */

import type { Environment } from "../../config/environment.ts";
import type { Clock } from "../../clock/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { EnvironmentSources } from "../environment/mod.ts";
import type { SandboxSettings } from "../sandbox/mod.ts";
import type { LockRow, PluginManifest, PluginRegistry, SandboxReport } from "../types.ts";

/** What a host is made from. */
export interface PluginHostOptions {
  registry: Pick<PluginRegistry, "paths" | "loadSnapshot">;
  environment: Environment;
  sources: EnvironmentSources;
  sandbox: SandboxSettings;
  /** GUM's own directories, which a plugin has no business in. */
  hidden: readonly string[];
  clock: Clock;
  log: Logger;
  /** Build version, told to plugins. */
  version: string;
  timing?: Partial<HostTiming>;
  /** Told of every start that succeeded; its own failures are its own business. */
  onStarted?: (plugin: RunningPlugin, signal: AbortSignal) => Promise<void>;
}

/** Waits in milliseconds; tests shorten them. */
export interface HostTiming {
  handshakeMs: number;
  /** Between closing the input, SIGTERM and SIGKILL. */
  graceMs: number;
}

/** Limits of a plugin's output. */
export const STREAM_LIMITS = {
  /** Bytes of one line. */
  frameBytes: 10 * 1024 * 1024,
  /** Lines that are no message. */
  junkLines: 100,
  /** Bytes written to a plugin that it has not read. */
  unreadBytes: 32 * 1024 * 1024,
  /** Bytes of stderr kept. */
  stderrBytes: 16 * 1024,
} as const;

/** Starts plugins. */
export interface PluginHost {
  /**
   * Starts an installed plugin and finishes the handshake. Knows nothing of quarantine.
   *
   * @throws GumError with a code of spec 06 §4, or a plain error for a plugin that does not work.
   */
  start(pluginId: string, options: StartOptions): Promise<RunningPlugin>;
  /** The confinement an installed plugin would get. @throws GumError `PLUGIN_SANDBOX_UNSUPPORTED` */
  sandboxOf(row: LockRow): Promise<SandboxReport>;
  /** Waits until everything this host started is gone. */
  close(): Promise<void>;
}

/** How to start. */
export interface StartOptions {
  signal: AbortSignal;
  /** Refuse the start when a credential is missing (calls), or leave it out (canaries). */
  requireCredentials?: boolean;
}

/** What the process ended with. */
export interface PluginExit {
  code: number;
  signal: string | null;
  /** True when {@link RunningPlugin.stop} brought it about. */
  expected: boolean;
}

/** One call of a tool. */
export interface ToolCallOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

/** A running plugin. */
export interface RunningPlugin {
  readonly pluginId: string;
  readonly manifest: PluginManifest;
  readonly sandbox: SandboxReport;
  /** Digest of its `tools/list` in canonical JSON; undefined when that has no canonical form. */
  readonly toolsSha256?: string;
  /** False once the plugin closed its output, exited or was stopped. */
  readonly alive: boolean;
  /** Milliseconds since the epoch; undefined without a forwarded token of known life. */
  readonly tokenExpiresAt: number | undefined;
  /** The result as the plugin gave it, unchecked. @throws CallFailure, or the signal's reason */
  callTool(toolName: string, args: JsonObject, options: ToolCallOptions): Promise<JsonObject>;
  /** A text without the secrets that this plugin was given. */
  redact(text: string): string;
  /** Resolves when the process is gone. */
  readonly exited: Promise<PluginExit>;
  /** Stops it: end of input, SIGTERM, SIGKILL, the whole group. May be called many times. */
  stop(): Promise<void>;
}

/** Why a call got no result. */
export type CallFailureReason = "call_timeout" | "call_failed" | "connection_closed";

/** A call that got no result. */
export class CallFailure extends Error {
  readonly reason: CallFailureReason;

  constructor(reason: CallFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallFailure";
    this.reason = reason;
  }
}
