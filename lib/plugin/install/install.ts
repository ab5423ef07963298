/** Installing a plugin: the order of spec 06 §3.4. */

import { rfc3339 } from "../../clock/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { pathExists } from "../../files/mod.ts";
import { type PluginFileSystem, readBounded, realFileSystem } from "../file_system.ts";
import { fileSha256, treeSha256 } from "../digest.ts";
import { findProgram } from "../../programs/mod.ts";
import { loadManifest, MANIFEST_FILE_NAMES } from "../manifest/mod.ts";
import { checkNamespace, reservedPrefixes } from "../namespaces/mod.ts";
import { newTxid } from "../registry/mod.ts";
import {
  checkSchemaCollisions,
  type MaterializedBundle,
  materializeSchemas,
} from "../schemas/mod.ts";
import { operationsOf, resolveStatus } from "../status/mod.ts";
import type {
  ExecutableBinding,
  LoadedManifest,
  LockRow,
  PluginManifest,
  PluginVariantRow,
  PluginWarning,
  RegistryDraft,
  RegistrySnapshot,
} from "../types.ts";
import { untrusted } from "../untrusted.ts";
import { afterInstall } from "./after_install.ts";
import { normalizeCommand, type SelectedCommand } from "./command_selector.ts";
import { copyTree, executableMissing, writeOverlay } from "./copy_tree.ts";
import { type DenoRuntime, denoScriptArgv, findDenoRuntime } from "./deno_runtime.ts";
import { manifestDirectory } from "./manifest_directory.ts";
import { permissionLines } from "./permission_lines.ts";
import { withPluginLock } from "./plugin_lock.ts";
import { checkBundledProfiles, readBundledProfiles } from "./profiles.ts";
import { initialState, type InstalledFacts, lockRow, mergeRows, variantRows } from "./rows.ts";
import { type AcquiredPackage, acquirePackage } from "./sources/mod.ts";
import { storeSchemas } from "./store_schemas.ts";
import type { InstallParts, InstallRequest, InstallResult } from "./types.ts";

/** Everything that is known before anything is fetched. */
interface Prepared {
  loaded: LoadedManifest;
  bundles: MaterializedBundle[];
  variants: PluginVariantRow[];
  command: SelectedCommand;
  runtime: DenoRuntime | undefined;
  overlay: Map<string, Uint8Array>;
  warnings: PluginWarning[];
}

/**
 * Installs a plugin into a profile. The registry changes as a whole or not at all.
 *
 * @throws GumError with the codes of spec 06 §4.
 */
export async function installPlugin(
  request: InstallRequest,
  parts: InstallParts,
): Promise<InstallResult> {
  const { signal } = request;
  signal.throwIfAborted();
  const loaded = await loadManifest(await manifestDirectory(request.path));
  const prepared = await prepare(loaded, { request, parts });
  const { paths } = parts.registry;
  const fs = parts.fs ?? realFileSystem;
  request.onPlan?.({
    manifest: loaded.manifest,
    permissions: permissionLines(loaded.manifest, { paths }),
    warnings: prepared.warnings,
  });
  const pluginId = loaded.manifest.plugin.name;
  const committed = await withPluginLock(
    pluginId,
    { paths, fs, signal },
    () => publishPackage(prepared, { request, parts, fs }),
  );
  parts.auditSink.append({
    event: "plugin_installed",
    plugin: pluginId,
    version: loaded.manifest.plugin.version,
  });
  return await afterInstall(committed, {
    pluginId,
    request,
    parts,
    warnings: prepared.warnings,
    statusOf: resolveStatus,
  });
}

async function prepare(
  loaded: LoadedManifest,
  { request, parts }: { request: InstallRequest; parts: InstallParts },
): Promise<Prepared> {
  const { manifest, directory } = loaded;
  const snapshot = await parts.registry.loadSnapshot();
  claimNamespace(loaded, { rows: snapshot, request, parts });
  const refs = manifest.tools.flatMap(({ schema_ref: ref }) => ref === undefined ? [] : [ref]);
  const bundles = await materializeSchemas(directory, refs);
  await checkSchemaCollisions(bundles, {
    plugin: manifest.plugin.name,
    variants: snapshot.catalog.variants,
    embedded: parts.embeddedSchemas,
  });
  const variants = variantRows(manifest, bundles);
  const profiles = await readBundledProfiles(directory);
  await checkBundledProfiles(profiles, {
    tools: manifest.tools,
    ops: operationsOf(variants),
    catalog: parts.catalog,
  });
  const command = normalizeCommand(manifest, parts.settings);
  const runtime = manifest.plugin.shape === "deno-script"
    ? await findDenoRuntime({
      environment: parts.environment,
      settings: parts.settings,
      signal: request.signal,
      minVersion: manifest.deno?.min_version,
    })
    : undefined;
  const overlay = new Map<string, Uint8Array>([[loaded.fileName, loaded.bytes]]);
  for (const { schemaRef, source } of bundles) overlay.set(`schemas/${schemaRef}.json`, source);
  for (const { fileName, bytes } of profiles) overlay.set(`profiles/${fileName}`, bytes);
  const warnings = [
    ...loaded.warnings,
    ...await inheritanceWarnings(manifest, { rows: snapshot.lock.plugins, parts }),
  ];
  return { loaded, bundles, variants, command, runtime, overlay, warnings };
}

/** A removal keeps data and secrets under the plugin's name, whoever takes that name next. */
async function inheritanceWarnings(
  { plugin }: PluginManifest,
  { rows, parts }: { rows: readonly LockRow[]; parts: InstallParts },
): Promise<PluginWarning[]> {
  const holder = rows.find(({ name }) => name === plugin.name);
  if (holder?.namespace_owner === plugin.namespace_owner) return [];
  if (!await pathExists(parts.registry.paths.dataDir(plugin.name))) return [];
  return [{
    code: "earlier_data",
    message: `it is given the data and secrets that an earlier plugin ${plugin.name} left; ` +
      `\`gum plugin remove ${plugin.name} --purge\` deletes them first`,
  }];
}

function claimNamespace(
  { manifest }: LoadedManifest,
  { rows, request, parts }: {
    rows: Pick<RegistrySnapshot, "lock">;
    request: InstallRequest;
    parts: InstallParts;
  },
): void {
  checkNamespace({
    prefix: manifest.plugin.name,
    declaredOwner: manifest.plugin.namespace_owner,
    reserved: reservedPrefixes(parts.catalog.ops.map(({ op_id }) => op_id)),
    lock: rows.lock.plugins,
    isDev: parts.settings.isDev,
    allowConflict: request.allowNamespaceConflict ?? false,
  });
}

interface PublishParts {
  request: InstallRequest;
  parts: InstallParts;
  fs: PluginFileSystem;
}

async function publishPackage(
  prepared: Prepared,
  { request, parts, fs }: PublishParts,
): Promise<RegistrySnapshot> {
  const { registry, logger } = parts;
  const { paths } = registry;
  const { manifest } = prepared.loaded;
  const pluginId = manifest.plugin.name;
  const txid = newTxid();
  const installRoot = paths.installRoot(pluginId, txid);
  const staging = `${paths.staging}/${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const tidy = async (path: string) => {
    try {
      await fs.remove(path);
    } catch (error) {
      // The next installation of this plugin sweeps what stays behind.
      logger.log("warn", "a directory of a plugin installation stays behind", {
        path,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  };
  let committed = false;
  try {
    await fs.makeDirectory(staging, 0o700);
    const acquired = await acquirePackage({
      loaded: prepared.loaded,
      staging,
      installRoot,
      isDev: parts.settings.isDev,
      signal: request.signal,
    }, { ...parts, fs });
    const facts = await placeFiles(prepared, { acquired, installRoot, request, parts, fs });
    const commit = await registry.writeTransaction(async (draft) => {
      await record(draft, { prepared, facts, request, parts, fs });
    }, { signal: request.signal, txid });
    committed = true;
    return commit.snapshot;
  } finally {
    if (!committed) await tidy(installRoot);
    await tidy(staging);
    if (committed) await sweepOldRoots(paths.pluginRoot(pluginId), { keep: txid, fs });
  }
}

async function record(
  draft: RegistryDraft,
  { prepared, facts, request, parts, fs }: PublishParts & {
    prepared: Prepared;
    facts: InstalledFacts;
  },
): Promise<void> {
  const { manifest } = prepared.loaded;
  claimNamespace(prepared.loaded, { rows: draft, request, parts });
  await checkSchemaCollisions(prepared.bundles, {
    plugin: manifest.plugin.name,
    variants: draft.catalog.variants,
    embedded: parts.embeddedSchemas,
  });
  // Under the lock, so that nobody sweeps them before the rows that name them are there.
  await storeSchemas(prepared.bundles, { paths: parts.registry.paths, fs });
  mergeRows(draft, {
    variants: prepared.variants,
    lock: lockRow(manifest, facts),
    state: initialState(manifest, { now: rfc3339(parts.clock.now()) }),
  });
}

async function placeFiles(
  prepared: Prepared,
  { acquired, installRoot, request, parts, fs }: PublishParts & {
    acquired: AcquiredPackage;
    installRoot: string;
  },
): Promise<InstalledFacts> {
  const { loaded, command, overlay } = prepared;
  const { manifest } = loaded;
  const relative = command.kind === "package" ? command.relativePath : undefined;
  if (acquired.tree !== undefined) {
    if (acquired.tree !== loaded.directory) await requireSameManifest(acquired.tree, loaded);
    await copyTree(fs, {
      from: acquired.tree,
      to: installRoot,
      executable: manifest.plugin.shape === "deno-script" ? undefined : relative,
      overlay,
      signal: request.signal,
    });
  }
  await writeOverlay(fs, installRoot, overlay);
  const executable = await bindExecutable(prepared, { installRoot, request, parts });
  const tree = await treeSha256(installRoot);
  const isUntrusted = acquired.untrusted || executable.dev_unverified === true;
  return {
    executable,
    manifestSha256: await sha256Hex(loaded.bytes),
    treeSha256: tree,
    ref: acquired.ref,
    checksum: acquired.checksum ?? `sha256:${tree}`,
    risk: isUntrusted ? "dev-untrusted" : manifest.plugin.risk,
    bundles: prepared.bundles,
  };
}

/** A package that carries a manifest must carry this one. */
async function requireSameManifest(tree: string, loaded: LoadedManifest): Promise<void> {
  for (const fileName of MANIFEST_FILE_NAMES) {
    const own = await readBounded(`${tree}/${fileName}`, loaded.bytes.length);
    if (own === "absent") continue;
    const same = typeof own !== "string" && fileName === loaded.fileName &&
      own.length === loaded.bytes.length &&
      own.every((byte, index) => byte === loaded.bytes[index]);
    if (same) continue;
    throw untrusted("manifest_mismatch", {
      message: "the package carries another manifest than the one being installed",
      details: { file: fileName },
      suggestion: "Install with the manifest that the package was released with.",
    });
  }
}

async function bindExecutable(
  { loaded, command, runtime }: Prepared,
  { installRoot, request, parts }: {
    installRoot: string;
    request: InstallRequest;
    parts: InstallParts;
  },
): Promise<ExecutableBinding> {
  if (command.kind === "unverified") {
    const program = await realProgram(command.program, parts);
    return {
      executable_path: program,
      executable_sha256: await fileSha256(program),
      argv_normalized: [program, ...command.residual],
      install_root: installRoot,
      dev_unverified: true,
    };
  }
  request.signal.throwIfAborted();
  const path = `${installRoot}/${command.relativePath}`;
  await requireProgram(path, installRoot);
  const digest = await fileSha256(path);
  if (runtime === undefined) {
    return {
      executable_path: path,
      executable_sha256: digest,
      argv_normalized: [path, ...command.residual],
      install_root: installRoot,
    };
  }
  const { manifest } = loaded;
  return {
    executable_path: runtime.path,
    executable_sha256: runtime.sha256,
    argv_normalized: denoScriptArgv({
      runtimePath: runtime.path,
      installRoot,
      dataDir: parts.registry.paths.dataDir(manifest.plugin.name),
      entryPath: path,
      residual: command.residual,
      capabilities: manifest.declared_capabilities,
    }),
    install_root: installRoot,
    entry_path: path,
    entry_sha256: digest,
    runtime_version: runtime.version,
  };
}

async function requireProgram(path: string, installRoot: string): Promise<void> {
  try {
    const info = await Deno.lstat(path);
    const inside = (await Deno.realPath(path)).startsWith(await Deno.realPath(installRoot));
    if (info.isFile && inside) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw executableMissing(path.slice(installRoot.length + 1));
}

async function realProgram(program: string, { environment }: InstallParts): Promise<string> {
  const found = /[\\/]/.test(program) ? program : await findProgram(program, environment);
  try {
    if (found !== undefined) return await Deno.realPath(found);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw untrusted("executable_missing", {
    message: `${JSON.stringify(program)} is not on this machine`,
    details: { selector: program },
  });
}

/** Removes what earlier installations left; whoever still runs from one keeps its open files. */
async function sweepOldRoots(
  pluginRoot: string,
  { keep, fs }: { keep: string; fs: PluginFileSystem },
): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(pluginRoot)) {
      if (name !== keep) await fs.remove(`${pluginRoot}/${name}`);
    }
  } catch {
    // In use or gone; the next installation tries again.
  }
}
