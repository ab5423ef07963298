/** What `gum plugin list` and `gum plugin info` print (spec 06 §3.22). */

import { DEFAULT_PROFILE, isProfileName } from "../lib/config/directories.ts";
import { GumError } from "../lib/errors/mod.ts";
import { jcs } from "../lib/format/jcs.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import type { LockRow, PluginPaths, RegistrySnapshot, StateRow } from "../lib/plugin/mod.ts";
import {
  openPluginView,
  pluginPaths,
  requireReadableVersions,
  resolveStatus,
} from "../lib/plugin/status/mod.ts";
import { pluginFormat, pluginProfileDir } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import type { CommandContext, CommandHost, Completion } from "./types.ts";

function openView(context: CommandContext) {
  const { host, profile, log } = context;
  const paths = pluginPaths(pluginProfileDir(host, profile));
  requireReadableVersions(paths);
  const view = openPluginView({
    paths,
    sessionStartedAt: host.factories.clock.now(),
    logger: log,
  });
  return { paths, view };
}

/** Runs `gum plugin list`. */
export async function runList(context: CommandContext): Promise<void> {
  const { host } = context;
  const format = pluginFormat(context);
  const { paths, view } = openView(context);
  if (format === "json") {
    return host.stdout.write(JSON.stringify({ plugins: view.rows() }, null, 2) + "\n");
  }
  const rows = await textRows(view.snapshot(), paths);
  if (rows.length === 0) {
    if (host.isTerminal("stderr")) host.stderr.write("gum: no plugin is installed\n");
    return;
  }
  const header = ["ID", "VERSION", "STATUS", "RETRIES", "NEXT-RETRY", "LAST-ERROR", "NAME"];
  const table = [header, ...rows.map((row) => row.cells)];
  const widths = header.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0))
  );
  for (const row of table) {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    host.stdout.write(oneLine(padded.join("  ").trimEnd()) + "\n");
  }
  const quarantined = rows.filter((row) => row.quarantined).length;
  if (quarantined > 0) {
    const many = quarantined === 1 ? "1 plugin is" : `${quarantined} plugins are`;
    host.stdout.write(
      `${many} quarantined; see gum plugin reload <id> and gum plugin unquarantine <id>\n`,
    );
  }
}

interface TextRow {
  cells: string[];
  quarantined: boolean;
}

async function textRows(snapshot: RegistrySnapshot, paths: PluginPaths): Promise<TextRow[]> {
  const names = new Set([
    ...snapshot.state.plugins.map(({ name }) => name),
    ...snapshot.lock.plugins.map(({ name }) => name),
    ...foldersOf(paths),
  ]);
  const rows: TextRow[] = [];
  for (const name of [...names].sort()) {
    const state: Partial<StateRow> | undefined = snapshot.state.plugins.find((row) =>
      row.name === name
    );
    const lock = snapshot.lock.plugins.find((row) => row.name === name);
    const root = lock?.executable?.install_root;
    const loadable = root !== undefined && await isLoadable(root);
    const word = statusWord(state, { loadable, locked: lock !== undefined });
    const retries = state?.retry_count ?? 0;
    rows.push({
      quarantined: state?.quarantined === true,
      cells: [
        name,
        lock?.version ?? "",
        word,
        retries === 0 ? "" : String(retries),
        state?.next_retry_at ?? "",
        state?.last_error_code ?? "",
        lock?.display_name ?? "",
      ].map((cell) => cell === "" ? "-" : cell),
    });
  }
  return rows;
}

function statusWord(
  state: Partial<StateRow> | undefined,
  { loadable, locked }: { loadable: boolean; locked: boolean },
): string {
  if (state === undefined) return loadable && locked ? "active" : "unloadable";
  if (state.quarantined === true) {
    return state.permanent_quarantine === true ? "quarantined-permanent" : "quarantined";
  }
  const status = resolveStatus(state);
  if (status === "needs_configuration") return "needs-configuration";
  if (status === "installed_pending_restart") return "pending-restart";
  return loadable ? "active" : "unloadable";
}

async function isLoadable(root: string): Promise<boolean> {
  try {
    const { loadManifest } = await import("../lib/plugin/manifest/mod.ts");
    await loadManifest(root);
    return true;
  } catch (error) {
    if (error instanceof GumError) return false;
    throw error;
  }
}

function foldersOf(paths: PluginPaths): string[] {
  try {
    return [...Deno.readDirSync(paths.plugins)]
      .filter((entry) => entry.isDirectory && !entry.name.startsWith("."))
      .map((entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Runs `gum plugin info`. @throws GumError `RESOURCE_NOT_FOUND` */
export async function runInfo(context: CommandContext): Promise<void> {
  const { words, host } = context;
  const name = words[0] ?? "";
  const format = pluginFormat(context);
  const { view } = openView(context);
  const record = view.record(name);
  const lock = view.snapshot().lock.plugins.find((row) => row.name === name);
  if (record === undefined) {
    throw new GumError("RESOURCE_NOT_FOUND", {
      message: `no plugin ${JSON.stringify(name)} is installed`,
      details: { name },
      suggestion: "gum plugin list shows every plugin.",
    });
  }
  if (format === "json") return host.stdout.write(jcs(record) + "\n");
  const lines = [
    ...Object.keys(record).map((key) => `${key}: ${shown(record[key] ?? null)}`),
    ...permissionsOf(record),
    ...await sandboxOfInstalled(context, lock),
    ...driftOf(lock),
    ...remedy(record),
  ];
  host.stdout.write(lines.map(oneLine).join("\n") + "\n");
}

/** What confines it here; a row that is not whole cannot be judged. */
async function sandboxOfInstalled(
  context: CommandContext,
  lock: LockRow | undefined,
): Promise<string[]> {
  if (lock?.executable === undefined || lock.declared_capabilities === undefined) return [];
  const { NO_SANDBOX, sandboxLine, sandboxOf } = await import("./plugin_canary.ts");
  const report = await sandboxOf(context)(lock, context.signal);
  return [`sandbox: ${report === undefined ? NO_SANDBOX : sandboxLine(report)}`];
}

/** A server that describes its tools differently than when it was first started. */
function driftOf(lock: LockRow | undefined): string[] {
  const { tools } = lock ?? {};
  return tools?.drifted_at === undefined ? [] : [
    `tool_drift: its tools/list differs from the first one, seen ${tools.drifted_at}`,
  ];
}

function shown(value: JsonValue): string {
  return typeof value === "string" ? value : jcs(value);
}

/** The flags that confine a script are part of its recorded command. */
function permissionsOf(record: JsonObject): string[] {
  if (record.shape !== "deno-script") return [];
  const { executable } = record;
  const argv = typeof executable === "object" && executable !== null &&
      "argv_normalized" in executable && Array.isArray(executable.argv_normalized)
    ? executable.argv_normalized
    : [];
  const flags = argv.filter((word) => typeof word === "string" && word.startsWith("--allow-"));
  return [`permissions: ${flags.join(" ")}`];
}

function remedy({ status, name }: JsonObject): string[] {
  switch (status) {
    case "quarantined":
      return [`next: gum plugin reload ${name}, or gum plugin unquarantine ${name}`];
    case "needs_configuration":
      return [`next: gum plugin setup ${name}`];
    case "installed_pending_restart":
      return ["next: restart the MCP server"];
    default:
      return [];
  }
}

/** Every plugin of the profile, for completion: no network, no lock, no plugin started. */
export function installedNames(host: CommandHost): Completion {
  const chosen = host.environment.text("GUM_PROFILE") ?? DEFAULT_PROFILE;
  if (!isProfileName(chosen)) return { candidates: [] };
  let profileDir: string;
  try {
    profileDir = pluginProfileDir(host, chosen);
  } catch (error) {
    if (error instanceof GumError) return { candidates: [] };
    throw error;
  }
  const { rows } = openPluginView({ paths: pluginPaths(profileDir) });
  return { candidates: rows().map(({ name, status }) => ({ value: name, description: status })) };
}
