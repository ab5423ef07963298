/** Starting plugins with a memory of what failed (spec 06 §3.17). */

import type { Clock } from "../../clock/mod.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import { findGumError, GumError } from "../../errors/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { TokenUnavailable } from "../environment/mod.ts";
import type { PluginHost, RunningPlugin } from "../host/mod.ts";
import type { PluginRegistry, StateRow } from "../types.ts";
import { enterCrash, type GateVerdict, liftQuarantine, quarantineGate } from "./ladder.ts";

/** A plugin that is quarantined; surfaces show it as `VARIANT_QUARANTINED`. */
export class PluginQuarantinedError extends Error {
  readonly code = "PLUGIN_QUARANTINED";
  readonly pluginId: string;
  /** RFC 3339; undefined when only an explicit command helps. */
  readonly nextRetryAt: string | undefined;

  constructor(pluginId: string, verdict: GateVerdict & { allowed: false }) {
    const until = verdict.reason === "waiting" ? ` until ${verdict.nextRetryAt}` : "";
    super(`plugin ${pluginId} is quarantined${until}`);
    this.name = "PluginQuarantinedError";
    this.pluginId = pluginId;
    this.nextRetryAt = verdict.reason === "waiting" ? verdict.nextRetryAt : undefined;
  }
}

/** What a supervisor is made from. */
export interface SupervisorOptions {
  host: Pick<PluginHost, "start">;
  registry: Pick<PluginRegistry, "loadSnapshot" | "writeTransaction">;
  audit: AuditSink;
  clock: Clock;
  log: Logger;
}

/** Starts plugins and keeps their quarantine. */
export interface PluginSupervisor {
  /** @throws PluginQuarantinedError before anything else; else what the host throws. */
  start(
    pluginId: string,
    options: { signal: AbortSignal; requireCredentials?: boolean },
  ): Promise<RunningPlugin>;
  /** @throws PluginQuarantinedError */
  checkGate(pluginId: string): Promise<void>;
  recordCrash(pluginId: string, code: string, options: { signal: AbortSignal }): Promise<void>;
  /** False when there was no row or nothing to lift. */
  clearQuarantine(pluginId: string, options: { signal: AbortSignal }): Promise<boolean>;
}

/** Codes that are kept as they are; every other failed start is `SERVICE_DOWN`. */
const RECORDED_CODES: ReadonlySet<string> = new Set([
  "PLUGIN_EXECUTABLE_UNTRUSTED",
  "PLUGIN_MANIFEST_INVALID",
  "PLUGIN_SHAPE_UNSUPPORTED",
  "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED",
  "PLUGIN_MANIFEST_NOT_FOUND",
  "PLUGIN_BINDING_INVALID",
]);

/** Conditions of this host or of the person, never the plugin's fault. */
const HOST_CONDITIONS: ReadonlySet<string> = new Set([
  "PLUGIN_SANDBOX_UNSUPPORTED",
  "PLUGIN_REGISTRY_INCONSISTENT",
  "PLUGIN_INSTALL_LOCK_TIMEOUT",
  "PLUGIN_CATALOG_SCHEMA_UNSUPPORTED",
  "PLUGIN_LOCK_SCHEMA_UNSUPPORTED",
  "PLUGIN_STATE_SCHEMA_UNSUPPORTED",
  "AUTH_REQUIRED",
  "AUTH_KEYCHAIN_UNAVAILABLE",
]);

const BLAMELESS_REASONS: ReadonlySet<unknown> = new Set([
  "plugin_not_installed",
  "runtime_changed",
]);

/** The code a failed start is recorded under; undefined when it is no crash of the plugin. */
export function crashCode(error: unknown): string | undefined {
  if (error instanceof TokenUnavailable || error instanceof PluginQuarantinedError) {
    return undefined;
  }
  if (error instanceof Deno.errors.NotCapable) return undefined;
  const known = error instanceof GumError ? error : findGumError(error);
  if (known === undefined) return "SERVICE_DOWN";
  if (HOST_CONDITIONS.has(known.code) || BLAMELESS_REASONS.has(known.details.reason)) {
    return undefined;
  }
  return RECORDED_CODES.has(known.code) ? known.code : "SERVICE_DOWN";
}

/** Makes a supervisor. */
export function createPluginSupervisor(options: SupervisorOptions): PluginSupervisor {
  const { registry, clock, audit } = options;

  const rowOf = async (pluginId: string): Promise<StateRow | undefined> =>
    (await registry.loadSnapshot()).state.plugins.find(({ name }) => name === pluginId);

  const pass = async (pluginId: string): Promise<StateRow | undefined> => {
    const row = await rowOf(pluginId);
    const verdict = quarantineGate(row, clock.now());
    if (!verdict.allowed) throw new PluginQuarantinedError(pluginId, verdict);
    return row;
  };

  const recordCrash: PluginSupervisor["recordCrash"] = async (pluginId, code, { signal }) => {
    let entered: StateRow | undefined;
    await registry.writeTransaction((draft) => {
      // A plugin that was never installed gets no row.
      if (!draft.lock.plugins.some(({ name }) => name === pluginId)) return false;
      const row = draft.state.plugins.find(({ name }) => name === pluginId);
      if (row === undefined) return false;
      enterCrash(row, { code, now: clock.now() });
      entered = row;
    }, { signal });
    if (entered === undefined) return;
    audit.append({
      event: "plugin_quarantined",
      plugin: pluginId,
      last_error_code: code,
      permanent: entered.permanent_quarantine,
    });
  };

  const clearQuarantine: PluginSupervisor["clearQuarantine"] = async (pluginId, { signal }) => {
    let wasQuarantined = false;
    const { changed } = await registry.writeTransaction((draft) => {
      const row = draft.state.plugins.find(({ name }) => name === pluginId);
      if (row === undefined || !needsClearing(row)) return false;
      wasQuarantined = row.quarantined || row.permanent_quarantine;
      liftQuarantine(row);
    }, { signal });
    if (wasQuarantined) audit.append({ event: "plugin_unquarantined", plugin: pluginId });
    return changed;
  };

  const failed = async (
    pluginId: string,
    failure: { error: unknown; signal: AbortSignal },
  ): Promise<unknown> => {
    const { error, signal } = failure;
    if (signal.aborted) return error;
    const code = crashCode(error);
    if (code === undefined) return error;
    try {
      await recordCrash(pluginId, code, { signal });
      return error;
    } catch (unrecorded) {
      return new AggregateError(
        [error, unrecorded],
        `plugin ${pluginId} failed, and its failure could not be recorded`,
        { cause: error },
      );
    }
  };

  return {
    recordCrash,
    clearQuarantine,
    async checkGate(pluginId) {
      await pass(pluginId);
    },
    async start(pluginId, { signal, requireCredentials }) {
      const row = await pass(pluginId);
      let plugin: RunningPlugin;
      try {
        plugin = await options.host.start(pluginId, { signal, requireCredentials });
      } catch (error) {
        throw await failed(pluginId, { error, signal });
      }
      if (row === undefined || !needsClearing(row)) return plugin;
      try {
        await clearQuarantine(pluginId, { signal });
      } catch (error) {
        await plugin.stop();
        throw error;
      }
      return plugin;
    },
  };
}

function needsClearing(row: StateRow): boolean {
  return row.quarantined === true || row.permanent_quarantine === true || row.backoff_step > 0;
}
