/** One started plugin: process, session and what must stay secret, as one thing. */

import { GumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Clock } from "../../clock/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { toolsDigest } from "./tool_drift.ts";
import { redactor, type SpawnEnvironment } from "../environment/mod.ts";
import type { PlannedCommand } from "../sandbox/mod.ts";
import type { PluginManifest, SandboxReport } from "../types.ts";
import { type PluginChild, startChild } from "./child.ts";
import { connectPlugin, type LineTransport, type PluginConnection } from "./connection.ts";
import { createMessageLines } from "./message_lines.ts";
import { createStderrTail } from "./stderr_tail.ts";
import {
  CallFailure,
  type HostTiming,
  type RunningPlugin,
  STREAM_LIMITS,
  type ToolCallOptions,
} from "./types.ts";

/** Everything that was decided before the spawn. */
export interface PlannedSpawn {
  manifest: PluginManifest;
  sandbox: SandboxReport;
  command: PlannedCommand;
  cwd: string;
  environment: SpawnEnvironment;
  timing: HostTiming;
  version: string;
  clock: Clock;
  log: Logger;
}

/** Starts the process and opens the session; a failure leaves no process behind. */
export async function runPlugin(plan: PlannedSpawn, signal: AbortSignal): Promise<RunningPlugin> {
  signal.throwIfAborted();
  const pluginId = plan.manifest.plugin.name;
  const redact = redactor(plan.environment.secrets);
  const tail = createStderrTail(STREAM_LIMITS.stderrBytes);
  const session = createSession(plan, { pluginId, tail: tail.take });
  plan.environment.recordForwarding();
  try {
    const connection = await connectPlugin(session.transport, {
      version: plan.version,
      timeoutMs: plan.timing.handshakeMs,
      signal,
    });
    requireAdvertised(plan.manifest, connection.toolNames);
    void session.child.exited.then(() => logStderr(plan, { pluginId, text: redact(tail.text()) }));
    const toolsSha256 = await toolsDigest(connection.tools);
    return runningPlugin(plan, { session, connection, redact, toolsSha256 });
  } catch (error) {
    session.child.kill();
    const exit = await session.child.exited;
    signal.throwIfAborted();
    if (error instanceof GumError) throw error;
    const why = session.overflow() ?? (error instanceof Error ? error.message : String(error));
    plan.log.log("warn", "a plugin could not be started", {
      plugin: pluginId,
      error: redact(why),
      exit_code: exit.code,
      stderr: redact(tail.text()),
    });
    throw new Error(`plugin ${pluginId} did not finish its start: ${redact(why)}`, {
      cause: error,
    });
  }
}

interface Session {
  child: PluginChild;
  transport: LineTransport;
  readonly alive: boolean;
  /** Why the host ended the session, when it did. */
  overflow(): string | undefined;
}

function createSession(
  plan: PlannedSpawn,
  given: { pluginId: string; tail: (piece: Uint8Array) => void },
): Session {
  const { pluginId } = given;
  let alive = true;
  let overflow: string | undefined;
  const encoder = new TextEncoder();
  const end = () => {
    if (!alive) return;
    alive = false;
    transport.onclose?.();
  };
  const cutOff = (reason: string) => {
    if (overflow !== undefined) return;
    overflow = reason;
    plan.log.log("warn", "a plugin's output was cut off", { plugin: pluginId, reason });
    child.kill();
    end();
  };
  const lines = createMessageLines({
    frameBytes: STREAM_LIMITS.frameBytes,
    junkLines: STREAM_LIMITS.junkLines,
    onMessage: (message) => transport.onmessage?.(message as never),
    onJunk: (bytes) => plan.log.log("debug", "a plugin wrote no message", { pluginId, bytes }),
    onOverflow: cutOff,
  });
  const child = startChild({
    command: plan.command,
    cwd: plan.cwd,
    variables: plan.environment.variables,
    graceMs: plan.timing.graceMs,
    clock: plan.clock,
    log: plan.log,
    onOutput: lines,
    onErrorOutput: given.tail,
    onEnd: end,
  });
  void child.exited.then(end);
  let unread = 0;
  const send = async (message: unknown): Promise<void> => {
    const bytes = encoder.encode(JSON.stringify(message) + "\n");
    // Whoever asks and never reads the answers would have them pile up here.
    if (unread + bytes.length > STREAM_LIMITS.unreadBytes && unread > 0) {
      cutOff("more requests than it reads answers to");
      throw new Error("the plugin does not read its input");
    }
    unread += bytes.length;
    try {
      await child.write(bytes);
    } finally {
      unread -= bytes.length;
    }
  };
  const transport: LineTransport = {
    start: () => Promise.resolve(),
    send,
    close() {
      end();
      return Promise.resolve();
    },
  };
  return {
    child,
    transport,
    get alive() {
      return alive;
    },
    overflow: () => overflow,
  };
}

function runningPlugin(
  plan: PlannedSpawn,
  parts: {
    session: Session;
    connection: PluginConnection;
    redact: (text: string) => string;
    toolsSha256: string | undefined;
  },
): RunningPlugin {
  const { session, connection, redact } = parts;
  const { child } = session;
  const pluginId = plan.manifest.plugin.name;
  let stopped: Promise<void> | undefined;
  const stop = () =>
    stopped ??= (async () => {
      const stopping = child.stop();
      await connection.close();
      await stopping;
    })();
  return {
    pluginId,
    manifest: plan.manifest,
    sandbox: plan.sandbox,
    toolsSha256: parts.toolsSha256,
    get alive() {
      return session.alive && stopped === undefined;
    },
    tokenExpiresAt: plan.environment.tokenExpiresAt,
    async callTool(toolName: string, args: JsonObject, options: ToolCallOptions) {
      if (!session.alive) {
        throw new CallFailure("connection_closed", `plugin ${pluginId} is not running any more`);
      }
      try {
        return await connection.call(toolName, args, options);
      } catch (error) {
        const cut = session.overflow();
        if (cut === undefined || options.signal.aborted) throw error;
        throw new CallFailure("connection_closed", `plugin ${pluginId} wrote ${cut}`, {
          cause: error,
        });
      }
    },
    redact,
    exited: child.exited,
    stop,
  };
}

/** Every advertised tool must be there, or its operations would fail one by one. */
function requireAdvertised(manifest: PluginManifest, listed: ReadonlySet<string>): void {
  const missing = manifest.tools.find(({ tool_name: name }) => !listed.has(name));
  if (missing === undefined) return;
  throw new GumError("PLUGIN_BINDING_INVALID", {
    message: `plugin ${manifest.plugin.name} does not offer the tool ${missing.tool_name}`,
    details: { plugin_name: manifest.plugin.name, tool_name: missing.tool_name },
  });
}

function logStderr(plan: PlannedSpawn, said: { pluginId: string; text: string }): void {
  if (said.text === "") return;
  plan.log.log("debug", "a plugin wrote to stderr", { plugin: said.pluginId, stderr: said.text });
}
