/**
 * The live inventory of a profile's plugins, for the kernel and the MCP surface (spec 06 §2.6).
 *
 * Reading is synchronous and remembered by the files' times and sizes: completion asks on every key
 * that is typed.
 */

import type { PluginInventory } from "../../dispatch/types.ts";
import { isSchemaRef } from "../../catalog/ids/mod.ts";
import { sha256HexSync } from "../../digest/mod.ts";
import { fileSignature } from "../../files/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { defaultLogger, type Logger } from "../../log/mod.ts";
import { readInventory } from "../registry/inventory.ts";
import type { LockRow, PluginPaths, PluginStatus, RegistrySnapshot } from "../types.ts";
import { pluginRecord } from "./record.ts";
import { activePlugins, resolveStatus } from "./resolve.ts";

/** What the last passive run of a plugin's canary found; supplied by the canary runner. */
export interface CanaryResult {
  status: "passing" | "failing";
  last_run_at: string;
  latency_ms?: number;
  error_code?: string;
}

/** A row of `gum://plugins` and `gum plugin list`. */
export interface PluginListRow {
  name: string;
  version: string;
  shape: string;
  /** A {@link PluginStatus}. */
  status: string;
  tos: string;
  risk: string;
  variant_count: number;
}

/** A row of `gum://status/canaries`. */
export interface PluginCanaryRow {
  canary_id: string;
  op_id: string;
  variant_id: string;
  status: "stale" | "passing" | "failing";
  last_run_at?: string;
  latency_ms?: number;
  error_code?: string;
}

/** An operation of a plugin that may not run now. */
export interface InactiveOperation {
  status: Exclude<PluginStatus, "active">;
  reason: string;
  pluginName: string;
  credentialAliases?: string[];
}

/** What to look an inactive operation up by. */
export interface InactiveQuery {
  opId?: string;
  variantId?: string;
  pluginName?: string;
}

/** Live answers; the MCP surface's plugin seam and the kernel's inventory are both this. */
export interface LivePluginView extends PluginInventory {
  rows(): PluginListRow[];
  canaries(): PluginCanaryRow[];
  /** By operation, by variant, or whatever a plugin offers. */
  lookup(query: InactiveQuery): InactiveOperation | undefined;
  record(name: string): JsonObject | undefined;
  /** A schema of an active plugin whose bytes still have their digest. */
  schema(ref: string): JsonObject | undefined;
  schemaRefs(): string[];
}

/** A view and the files behind it. */
export interface OpenPluginView extends LivePluginView {
  /** The files as they are now. */
  snapshot(): RegistrySnapshot;
}

/** What a view is made from. */
export interface PluginViewOptions {
  paths: PluginPaths;
  /** Milliseconds since the epoch; activations after it do not count. */
  sessionStartedAt?: number;
  logger?: Logger;
  /** Results of the passive canary runner; absent: every row is stale. */
  canaryResult?: (pluginId: string) => CanaryResult | undefined;
}

/** Opens a live view. Nothing is read before it is asked. */
export function openPluginView(options: PluginViewOptions): OpenPluginView {
  const { paths, sessionStartedAt } = options;
  const snapshot = rememberedInventory(options);
  const at = () => ({ snapshot: snapshot(), sessionStartedAt });
  return {
    snapshot,
    rows: () => listRows(at()),
    canaries: () => canaryRows(snapshot(), options.canaryResult ?? (() => undefined)),
    lookup: (query) => lookup(query, at()),
    record: (name) => /^[^/?#]{1,256}$/u.test(name) ? pluginRecord(name, at()) : undefined,
    schema: (ref) => servedSchema(ref, { ...at(), paths }),
    schemaRefs: () => [...servedRefs(at()).keys()].sort(),
  };
}

interface At {
  snapshot: RegistrySnapshot;
  sessionStartedAt?: number;
}

function rememberedInventory({ paths, logger }: PluginViewOptions): () => RegistrySnapshot {
  let known: { key: string; snapshot: RegistrySnapshot } | undefined;
  const complained = new Set<string>();
  return () => {
    const key = [paths.catalog, paths.lock, paths.state].map(fileKey).join("|");
    if (known?.key === key) return known.snapshot;
    const snapshot = readInventory(paths, (path, error) => {
      if (complained.has(path)) return;
      complained.add(path);
      (logger ?? defaultLogger()).log("warn", "a plugin registry file cannot be read", {
        event: "plugin_registry_unreadable",
        path,
        error: error instanceof Error ? error.message : String(error),
      });
    });
    // Another process may be between two renames: the last whole picture is better than half of one.
    if (!snapshot.ok && known?.snapshot.ok) return known.snapshot;
    known = { key, snapshot };
    return snapshot;
  };
}

function fileKey(path: string): string {
  try {
    return fileSignature(Deno.statSync(path));
  } catch {
    // Absent or unreadable: reading it says which.
    return "-";
  }
}

/** Rows of every plugin, sorted by name. */
function listRows({ snapshot, sessionStartedAt }: At): PluginListRow[] {
  const locks = new Map<string, Partial<LockRow>>(
    snapshot.lock.plugins.map((row) => [row.name, row]),
  );
  return snapshot.state.plugins
    .map((state) => {
      const lock = locks.get(state.name);
      return {
        name: state.name,
        version: lock?.version ?? "",
        shape: lock?.shape ?? "",
        status: resolveStatus(state, sessionStartedAt),
        tos: lock?.tos ?? "",
        risk: lock?.risk ?? "",
        variant_count: lock?.variant_count ?? 0,
      };
    })
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

function canaryRows(
  snapshot: RegistrySnapshot,
  resultOf: (pluginId: string) => CanaryResult | undefined,
): PluginCanaryRow[] {
  return snapshot.lock.plugins
    .map(({ name, canary }): PluginCanaryRow => {
      const own = snapshot.catalog.variants.filter((row) => row.owner_plugin === name);
      const target = own.find((row) => row.binding?.tool_name === canary?.tool) ?? own[0];
      return {
        canary_id: name,
        op_id: target?.op_id ?? "",
        variant_id: target?.variant_id ?? "",
        status: "stale",
        ...resultOf(name),
      };
    })
    .sort((a, b) => a.canary_id < b.canary_id ? -1 : a.canary_id > b.canary_id ? 1 : 0);
}

const PENDING = "Plugin installed but MCP server not yet restarted; restart to invoke.";
const UNCONFIGURED =
  "Plugin requires credential setup and a successful live canary before activation.";

function lookup(
  query: InactiveQuery,
  { snapshot, sessionStartedAt }: At,
): InactiveOperation | undefined {
  const { opId, variantId } = query;
  const pluginName = query.pluginName ??
    snapshot.catalog.variants.find((candidate) =>
      variantId !== undefined ? candidate.variant_id === variantId : candidate.op_id === opId
    )?.owner_plugin;
  const state = snapshot.state.plugins.find(({ name }) => name === pluginName);
  if (pluginName === undefined || state === undefined) return undefined;
  const status = resolveStatus(state, sessionStartedAt);
  switch (status) {
    case "active":
      return undefined;
    case "quarantined":
      return {
        status,
        pluginName,
        reason: state.reason ?? state.last_error_code ?? "plugin_quarantined",
      };
    case "installed_pending_restart":
      return { status, pluginName, reason: PENDING };
    case "needs_configuration":
      return {
        status,
        pluginName,
        reason: UNCONFIGURED,
        credentialAliases: (state.credential_descriptors ?? []).map(({ alias }) => alias),
      };
  }
}

/** Ref to digest, for every schema of an active plugin. */
function servedRefs({ snapshot, sessionStartedAt }: At): Map<string, string> {
  const active = activePlugins(snapshot, sessionStartedAt);
  const refs = new Map<string, string>();
  for (const row of snapshot.catalog.variants) {
    if (!active.has(row.owner_plugin)) continue;
    for (const [ref, hash] of Object.entries(row.schema_hashes ?? {})) refs.set(ref, hash);
  }
  return refs;
}

function servedSchema(ref: string, at: At & { paths: PluginPaths }): JsonObject | undefined {
  // Before any path: the ref could be anything.
  if (!isSchemaRef(ref)) return undefined;
  const hash = servedRefs(at).get(ref);
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  try {
    const bytes = Deno.readFileSync(at.paths.schemaFile(ref, hash));
    if (sha256HexSync(bytes) !== hash) return undefined;
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    // Missing or damaged: not served.
    return undefined;
  }
}
