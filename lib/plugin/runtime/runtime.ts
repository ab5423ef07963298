/** The parts that run a profile's plugins, put together once. */

import type { Clock } from "../../clock/mod.ts";
import type { Environment } from "../../config/environment.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { type CanaryRequest, runCanary } from "../canary/mod.ts";
import { credentialsComplete, type EnvironmentSources } from "../environment/mod.ts";
import {
  createPluginHandles,
  createPluginHost,
  createToolMemory,
  type HostTiming,
  type PluginHandles,
  type PluginHost,
} from "../host/mod.ts";
import { loadManifest } from "../manifest/mod.ts";
import type { SandboxSettings } from "../sandbox/mod.ts";
import { createPluginSupervisor, type PluginSupervisor } from "../supervisor/mod.ts";
import type { CanaryOutcome, LiveCanary, PluginRegistry } from "../types.ts";

/** What a runtime is made from. */
export interface PluginRuntimeOptions {
  registry: Pick<PluginRegistry, "paths" | "loadSnapshot" | "writeTransaction">;
  environment: Environment;
  sources: Omit<EnvironmentSources, "audit">;
  sandbox: SandboxSettings;
  /** GUM's own directories. */
  hidden: readonly string[];
  audit: AuditSink;
  clock: Clock;
  log: Logger;
  version: string;
  /** Milliseconds after which an unused process is stopped; absent: never. */
  idleMs?: number;
  timing?: Partial<HostTiming>;
}

/** Everything that runs plugins of one profile in this process. */
export interface PluginRuntime {
  host: PluginHost;
  supervisor: PluginSupervisor;
  handles: PluginHandles;
  /** For installing and setting up: without the quarantine gate. */
  liveCanary: LiveCanary;
  /** For `gum canary` and the passive runner: behind the gate. */
  gatedCanary(
    request: Pick<CanaryRequest, "pluginId" | "live" | "signal"> & { overrides?: JsonObject },
  ): Promise<CanaryOutcome>;
  /** Whether an installed plugin has a value for everything it asks for. */
  credentialsComplete(pluginId: string, signal: AbortSignal): Promise<boolean>;
  /** Stops every process. */
  close(): Promise<void>;
}

/** Puts a runtime together. Nothing is started. */
export function createPluginRuntime(options: PluginRuntimeOptions): PluginRuntime {
  const { registry, clock, log, audit } = options;
  const host = createPluginHost({
    registry,
    environment: options.environment,
    sources: { ...options.sources, audit },
    sandbox: options.sandbox,
    hidden: options.hidden,
    clock,
    log,
    version: options.version,
    timing: options.timing,
    onStarted: createToolMemory({ registry, clock, log }),
  });
  const supervisor = createPluginSupervisor({ host, registry, audit, clock, log });
  const closing = new AbortController();
  const handles = createPluginHandles({
    start: (pluginId, signal) => supervisor.start(pluginId, { signal, requireCredentials: true }),
    onStorm: (pluginId) =>
      supervisor.recordCrash(pluginId, "SERVICE_DOWN", { signal: closing.signal }),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    clock,
    log,
  });
  const parts = { host, clock, log };
  return {
    host,
    supervisor,
    handles,
    liveCanary: (pluginId, signal) => runCanary({ pluginId, live: true, signal }, parts),
    gatedCanary: (request) =>
      runCanary({ ...request, gate: () => supervisor.checkGate(request.pluginId) }, parts),
    async credentialsComplete(pluginId, signal) {
      const { lock } = await registry.loadSnapshot();
      const row = lock.plugins.find(({ name }) => name === pluginId);
      if (row === undefined) return false;
      const { manifest } = await loadManifest(row.executable.install_root);
      return await credentialsComplete(manifest, {
        sources: { ...options.sources, audit },
        signal,
      });
    },
    async close() {
      await handles.close();
      closing.abort(new DOMException("GUM is closing", "AbortError"));
      await host.close();
    },
  };
}
