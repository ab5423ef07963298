/** A profile's plugins as a session uses them: what is active, and how it is run (spec 06 §3.10). */

import { createPluginAdapter, createSchemaChecks, PLUGIN_ADAPTER_KEY } from "../adapters/mod.ts";
import { embeddedRequestSchema } from "../catalog/mod.ts";
import type { Op, Variant } from "../catalog/types.ts";
import { setting } from "../config/mod.ts";
import type { Adapter, AuthResolver, Kernel } from "../dispatch/types.ts";
import type { HealthSample } from "../health/types.ts";
import type { JsonObject } from "../json/mod.ts";
import { promotePending } from "../plugin/activation/mod.ts";
import type { PassiveRunner } from "../plugin/canary/mod.ts";
import type { PluginRuntime } from "../plugin/runtime/mod.ts";
import { pluginPaths } from "../plugin/status/mod.ts";
import {
  type LivePluginView,
  openPluginView,
  pluginOps,
  pluginProfiles,
} from "../plugin/status/mod.ts";
import type { Profile } from "../profile/mod.ts";
import {
  openPluginRuntime,
  type PluginConnections,
  type SessionPluginOptions,
} from "./plugin_runtime.ts";

/** Calls a minute of a plugin that declares none. */
const DEFAULT_RATE = 60;

/** The plugins of one session. */
export interface SessionPlugins {
  /** Operations of active plugins, fixed for the session. */
  readonly ops: readonly Op[];
  /** The live inventory; absent without a data directory. */
  readonly view: LivePluginView | undefined;
  profiles(): Promise<ReadonlyMap<string, Profile>>;
  /** A schema of GUM's own or of an active plugin. */
  requestSchema(ref: string): JsonObject | undefined;
  rateLimits(family: string): { capacity: number; refillPerSecond: number } | undefined;
  /** Milliseconds that an operation's answers are kept; undefined for operations of GUM's own. */
  cacheTtl(opId: string): number | undefined;
  /** Adapters by key; empty without a data directory. */
  adapters(connections: PluginConnections): Record<string, Adapter>;
  /** A kernel that has a plugin's schemas at hand before it judges a call. */
  kernel(kernel: Kernel): Kernel;
  canaryHealth(): HealthSample;
  /** Stops every process that was started. */
  close(): Promise<void>;
}

/** Activates what waited for this start and looks at what is there. Starts nothing. */
export async function sessionPlugins(options: SessionPluginOptions): Promise<SessionPlugins> {
  const { session, clock, log, audit } = options;
  const data = session.directories?.data;
  if (data === undefined) return noPlugins();
  const sessionStartedAt = clock.now();
  const profileDir = `${data}/gum/${session.profileName}`;
  await promotePending({ data: profileDir }, {
    clock,
    sessionStartedAt,
    logger: log,
    auditSink: audit,
  });
  let passive: PassiveRunner | undefined;
  let watching: Promise<void> | undefined;
  const view = openPluginView({
    paths: pluginPaths(profileDir),
    sessionStartedAt,
    logger: log,
    canaryResult: (pluginId) => passive?.result(pluginId),
  });
  const snapshot = view.snapshot();
  const ops = pluginOps(snapshot, sessionStartedAt);
  const rows = new Map(snapshot.catalog.variants.map((row) => [row.op_id, row]));
  const checks = createSchemaChecks({ schema: (ref) => view.schema(ref), log });
  let connections: PluginConnections = { emulator: undefined, profileAuth: undefined };
  let opening: Promise<PluginRuntime> | undefined;
  const runtime = () => opening ??= openPluginRuntime({ ...options, profileDir, connections });
  const watchesCanaries = session.serving === true &&
    setting(options.config, "canary.passive_enabled");
  return {
    ops,
    view,
    profiles: () => pluginProfiles(snapshot, { sessionStartedAt, logger: log }),
    requestSchema: (ref) => embeddedRequestSchema(ref) ?? view.schema(ref),
    rateLimits(family) {
      const plugin = /^plugin\.(.+)$/.exec(family)?.[1];
      if (plugin === undefined) return undefined;
      const declared = snapshot.catalog.variants.find((row) => row.owner_plugin === plugin);
      const rate = declared?.rate_limit_per_minute ?? DEFAULT_RATE;
      return { capacity: rate, refillPerSecond: rate / 60 };
    },
    cacheTtl(opId) {
      const row = rows.get(opId);
      return row === undefined ? undefined : (row.cache_ttl_seconds ?? 0) * 1000;
    },
    adapters(given) {
      connections = given;
      if (watchesCanaries) watching = watch();
      return {
        [PLUGIN_ADAPTER_KEY]: createPluginAdapter({
          runtime,
          lookup: view.lookup,
          checkArguments: checks.checkArguments,
          checkAnswer: checks.checkAnswer,
        }),
      };
    },
    kernel: (kernel) => ({
      ...kernel,
      async dispatch(invocation, signal) {
        const op = ops.find(({ op_id }) => op_id === invocation.opId);
        for (const variant of op?.variants ?? []) await checks.prepare(variant);
        return await kernel.dispatch(invocation, signal);
      },
    }),
    canaryHealth: () =>
      passive?.health() ??
        { status: "healthy", detail: idleDetail(snapshot.lock.plugins.length) },
    async close() {
      await watching;
      await passive?.stop();
      if (opening === undefined) return;
      // What failed to open was reported to the call that asked for it.
      const opened = await opening.catch(() => undefined);
      await opened?.close();
    },
  };

  async function watch(): Promise<void> {
    const { startPassiveRunner } = await import("../plugin/canary/mod.ts");
    passive = startPassiveRunner({
      plugins: () =>
        view.snapshot().lock.plugins
          .filter(({ name }) => view.rows().some((row) => row.name === name && isActive(row)))
          .map(({ name, canary }) => ({ pluginId: name, schedule: canary?.schedule })),
      run: async (pluginId, signal) =>
        await (await runtime()).gatedCanary({ pluginId, live: false, signal }),
      clock,
      log,
    });
  }
}

/** A plugin's parts of a compound credential are checked where it is started, not before. */
export function withPluginCredentials(auth: AuthResolver): AuthResolver {
  const own = ({ binding, auth_strategy: strategy }: Variant) =>
    binding?.adapter_key === PLUGIN_ADAPTER_KEY && strategy === "compound";
  return {
    resolve: (request, signal) =>
      own(request.variant) ? Promise.resolve(undefined) : auth.resolve(request, signal),
    ...(auth.refresh === undefined ? {} : {
      refresh: async (request, signal) =>
        own(request.variant) ? undefined : await auth.refresh?.(request, signal),
    }),
  };
}

function isActive({ status }: { status: string }): boolean {
  return status === "active";
}

function idleDetail(installed: number): string {
  return installed === 0
    ? "no plugin canaries"
    : `${installed} plugin canaries stale: the passive runner is off`;
}

function noPlugins(): SessionPlugins {
  return {
    ops: [],
    view: undefined,
    profiles: () => Promise.resolve(new Map()),
    requestSchema: embeddedRequestSchema,
    rateLimits: () => undefined,
    cacheTtl: () => undefined,
    adapters: () => ({}),
    kernel: (kernel) => kernel,
    canaryHealth: () => ({ status: "healthy", detail: "no plugin canaries" }),
    close: () => Promise.resolve(),
  };
}
