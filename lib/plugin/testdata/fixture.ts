/** Plugins on disk, profiles to install them into, and what a test watches. */

import { embeddedRequestSchema, loadCatalog } from "../../catalog/mod.ts";
import type { Catalog } from "../../catalog/types.ts";
import { type Clock, systemClock } from "../../clock/mod.ts";
import { environmentOf } from "../../config/environment.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { LogFields, Logger, LogLevel } from "../../log/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { installPlugin } from "../install/mod.ts";
import type { InstallParts, InstallRequest, InstallResult } from "../install/types.ts";
import { type PluginFileSystem, realFileSystem } from "../file_system.ts";
import { openPluginRegistry, type OwnPluginRegistry } from "../registry/mod.ts";
import type { PluginVariantRow, StateRow } from "../types.ts";

/** A directory that is gone afterwards. */
export async function inTemporary<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-plugin-" }));
  try {
    return await run(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** A signal nobody aborts. */
export const never = (): AbortSignal => new AbortController().signal;

/** One log record. */
export interface LogRecord {
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** A logger that keeps its records. */
export function recordingLogger(): Logger & { records: LogRecord[] } {
  const records: LogRecord[] = [];
  return {
    records,
    log: (level, message, fields = {}) => void records.push({ level, message, fields }),
  };
}

/** An audit sink that keeps its rows. */
export function recordingAudit(): { append(row: JsonObject): void; rows: JsonObject[] } {
  const rows: JsonObject[] = [];
  return { rows, append: (row) => void rows.push(row) };
}

/** A clock that stands still until it is moved; waits are real and short. */
export function fixedClock(at = "2026-03-04T05:06:07Z"): Clock & { set(instant: string): void } {
  let now = Date.parse(at);
  return {
    now: () => now,
    set: (instant) => now = Date.parse(instant),
    sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
  };
}

/** A small catalog: prefixes to reserve and a schema to collide with come from the real one. */
let catalog: Catalog | undefined;

/** The embedded catalog, loaded once. */
export function embeddedCatalog(): Catalog {
  return catalog ??= loadCatalog();
}

/** The manifest tree of a plugin that needs nothing. */
export function manifestTree(more: {
  plugin?: JsonObject;
  package?: JsonObject;
  requirements?: JsonObject;
  declared_capabilities?: JsonObject;
  tools?: JsonObject[];
  top?: JsonObject;
} = {}): JsonObject {
  return {
    manifest_schema_version: 1,
    plugin: {
      name: "echo-box",
      display_name: "Echo Box",
      version: "1.2.0",
      description: "Says <what> & how",
      namespace_owner: "io.example.echo",
      shape: "mcp-plugin",
      executable: "bin/echo-mcp",
      license: "MIT",
      tos: "unofficial",
      risk: "low",
      ...more.plugin,
    },
    ...(more.package === undefined ? {} : { package: more.package }),
    ...(more.requirements === undefined ? {} : { requirements: more.requirements }),
    ...(more.declared_capabilities === undefined
      ? {}
      : { declared_capabilities: more.declared_capabilities }),
    tools: more.tools ?? [{ tool_name: "echo", description: "Says it again", risk_class: "read" }],
    ...more.top,
  };
}

/** A bundle whose halves are as given. */
export function schemaBundle(more: { request?: JsonObject; response?: JsonObject } = {}): string {
  return JSON.stringify({
    $defs: {
      request: more.request ?? {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      },
      response: more.response ?? { type: "object" },
    },
  });
}

/** Writes a plugin's directory. */
export async function writePlugin(
  directory: string,
  given: { tree?: JsonObject; files?: Record<string, string> } = {},
): Promise<string> {
  const files = {
    "manifest.json": JSON.stringify(given.tree ?? manifestTree()),
    "bin/echo-mcp": "#!/bin/sh\nexec cat\n",
    ...given.files,
  };
  for (const [path, content] of Object.entries(files)) {
    const target = `${directory}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, content);
  }
  return directory;
}

/** A profile that plugins are installed into. */
export interface TestProfile {
  profileDir: string;
  registry: OwnPluginRegistry;
  parts: InstallParts;
  logger: ReturnType<typeof recordingLogger>;
  audit: ReturnType<typeof recordingAudit>;
  clock: ReturnType<typeof fixedClock>;
  install(path: string, request?: Partial<InstallRequest>): Promise<InstallResult>;
}

/** Opens a profile below a directory. */
export function testProfile(
  directory: string,
  more: Partial<InstallParts> & { name?: string } = {},
): TestProfile {
  const profileDir = `${directory}/data/gum/${more.name ?? "default"}`;
  const logger = recordingLogger();
  const audit = recordingAudit();
  const clock = fixedClock();
  const fs: PluginFileSystem = more.fs ?? realFileSystem;
  const registry = openPluginRegistry({ profileDir, clock, logger, auditSink: audit, fs });
  const parts: InstallParts = {
    registry,
    catalog: embeddedCatalog(),
    embeddedSchemas: embeddedRequestSchema,
    settings: { isDev: false },
    environment: environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
    http: createHttpClient(),
    clock,
    logger,
    auditSink: audit,
    ...more,
  };
  return {
    profileDir,
    registry,
    parts,
    logger,
    audit,
    clock,
    install: (path, request = {}) => installPlugin({ path, signal: never(), ...request }, parts),
  };
}

/** A state row of a healthy active plugin. */
export function stateRow(name: string, more: Partial<StateRow> = {}): StateRow {
  return {
    name,
    status: "active",
    installed_at: "2026-01-01T00:00:00Z",
    activated_at: "2026-01-02T00:00:00Z",
    needs_configuration: false,
    quarantined: false,
    permanent_quarantine: false,
    retry_count: 0,
    backoff_step: 0,
    ...more,
  };
}

/** A variant row. */
export function variantRow(
  owner: string,
  name: string,
  more: Partial<PluginVariantRow> = {},
): PluginVariantRow {
  const opId = `plug.${owner}.${name}`;
  return {
    variant_id: `${opId}.v1`,
    op_id: opId,
    owner_plugin: owner,
    title: name,
    summary: `${name} of ${owner}`,
    variant_schema_version: 1,
    version: "v1",
    stability: "alpha",
    interface_kind: "plugin-mcp",
    backend_kind: "mcp-plugin",
    risk_class: "read",
    auth_strategy: "plugin_managed",
    capabilities: ["json_request", "json_response"],
    scopes: [],
    execution_support: "full",
    binding: {
      binding_schema_version: 1,
      adapter_key: "plugin.mcp",
      operation_key: opId,
      plugin_name: owner,
      tool_name: name,
    },
    ...more,
  };
}

/** The process died: nothing after this point happened. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/** One file operation that changes something. */
export interface FileOperation {
  index: number;
  name: string;
  path: string;
}

/**
 * A file system that carries out its first `survive` operations and then is dead: the operation on
 * which it dies may be half done, and no cleanup after it has any effect.
 */
export function dyingFileSystem(
  survive: number,
): PluginFileSystem & { log: FileOperation[]; died(): boolean } {
  const log: FileOperation[] = [];
  let dead = false;
  const step = async <T>(
    operation: { name: string; path: string },
    work: () => Promise<T>,
    half: () => Promise<void> = () => Promise.resolve(),
  ): Promise<T> => {
    if (dead) throw new Killed(operation.name);
    if (log.length === survive) {
      dead = true;
      await half();
      throw new Killed(`${operation.name} ${operation.path}`);
    }
    log.push({ index: log.length, ...operation });
    return await work();
  };
  return {
    log,
    died: () => dead,
    makeDirectory: (path, mode) =>
      step({ name: "mkdir", path }, () => realFileSystem.makeDirectory(path, mode)),
    createFile: (path, mode) =>
      step({ name: "create", path }, async () => {
        const file = await realFileSystem.createFile(path, mode);
        return {
          write: (bytes) =>
            step(
              { name: "write", path },
              () => file.write(bytes),
              () => file.write(bytes.subarray(0, bytes.length >> 1)),
            ),
          sync: () => step({ name: "sync", path }, () => file.sync()),
          close: () => file.close(),
        };
      }),
    rename: (from, to) => step({ name: "rename", path: to }, () => realFileSystem.rename(from, to)),
    remove: (path) => step({ name: "remove", path }, () => realFileSystem.remove(path)),
    chmod: (path, mode) => step({ name: "chmod", path }, () => realFileSystem.chmod(path, mode)),
    syncDirectory: (path) =>
      step({ name: "syncdir", path }, () => realFileSystem.syncDirectory(path)),
  };
}

/** Every file below a directory, relative and sorted. */
export async function filesBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string) => {
    try {
      for await (const entry of Deno.readDir(`${root}/${folder}`)) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory) await walk(path);
        else found.push(path);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  await walk("");
  return found.sort();
}
