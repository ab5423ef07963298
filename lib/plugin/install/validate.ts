/** Judging a plugin's directory without installing it: `gum plugin validate` (spec 06 §8.3). */

import type { Catalog } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import {
  type CheckedManifest,
  decodeManifest,
  findManifestFile,
  inspectManifest,
  type ManifestFile,
} from "../manifest/mod.ts";
import { checkNamespace, reservedPrefixes } from "../namespaces/mod.ts";
import {
  checkSchemaCollisions,
  type EmbeddedSchemas,
  type MaterializedBundle,
  materializeSchemas,
} from "../schemas/mod.ts";
import { operationsOf } from "../status/mod.ts";
import type { PluginRegistry, PluginSettings, PluginWarning } from "../types.ts";
import { normalizeCommand } from "./command_selector.ts";
import { treeProblems } from "./copy_tree.ts";
import { manifestDirectory } from "./manifest_directory.ts";
import { permissionLines } from "./permission_lines.ts";
import { checkBundledProfiles, readBundledProfiles } from "./profiles.ts";
import { variantRows } from "./rows.ts";

/** What a plugin is judged against. */
export interface ValidateParts {
  registry: Pick<PluginRegistry, "paths" | "loadSnapshot">;
  /** The embedded catalog. */
  catalog: Catalog;
  embeddedSchemas: EmbeddedSchemas;
  settings: PluginSettings;
}

/** One broken rule. */
export interface PluginViolation extends JsonObject {
  code: string;
  message: string;
}

/** What was found. */
export interface PluginValidation {
  ok: boolean;
  /** Absent when no manifest could be read that far. */
  plugin_id?: string;
  version?: string;
  violations: PluginViolation[];
  warnings: PluginWarning[];
  /** What it would be allowed to do; empty unless the manifest holds. */
  permissions: string[];
}

/** Gathers every broken rule. Writes nothing, fetches nothing, starts nothing. */
export async function validatePlugin(
  request: { path: string; signal: AbortSignal },
  parts: ValidateParts,
): Promise<PluginValidation> {
  request.signal.throwIfAborted();
  const found: GumError[] = [];
  const gather = async <T>(check: () => Promise<T> | T): Promise<T | undefined> => {
    request.signal.throwIfAborted();
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof GumError)) throw error;
      found.push(error);
      return undefined;
    }
  };
  const file = await gather(async () => findManifestFile(await manifestDirectory(request.path)));
  const tree = file && await gather(() => decodeManifest(file));
  if (file === undefined || tree === undefined) return report(found, {});
  const { violations, checked } = await inspectManifest(tree);
  found.push(...violations);
  const bundles: MaterializedBundle[] = [];
  for (const ref of schemaRefs(tree, checked)) {
    bundles.push(...await gather(() => materializeSchemas(file.directory, [ref])) ?? []);
  }
  if (checked !== undefined) await judge(checked, { file, bundles, parts, gather });
  return report(found, { tree, checked, parts });
}

interface Judging {
  file: ManifestFile;
  bundles: readonly MaterializedBundle[];
  parts: ValidateParts;
  gather: <T>(check: () => Promise<T> | T) => Promise<T | undefined>;
}

/** What needs the registry, the catalog or the directory beside the manifest. */
async function judge(
  { manifest }: CheckedManifest,
  { file, bundles, parts, gather }: Judging,
): Promise<void> {
  const { directory } = file;
  const snapshot = await parts.registry.loadSnapshot();
  await gather(() =>
    checkNamespace({
      prefix: manifest.plugin.name,
      declaredOwner: manifest.plugin.namespace_owner,
      reserved: reservedPrefixes(parts.catalog.ops.map(({ op_id }) => op_id)),
      lock: snapshot.lock.plugins,
      isDev: parts.settings.isDev,
      allowConflict: false,
    })
  );
  await gather(() =>
    checkSchemaCollisions(bundles, {
      plugin: manifest.plugin.name,
      variants: snapshot.catalog.variants,
      embedded: parts.embeddedSchemas,
    })
  );
  const ops = operationsOf(variantRows(manifest, bundles));
  const profiles = await gather(() => readBundledProfiles(directory));
  await gather(() =>
    checkBundledProfiles(profiles ?? [], { tools: manifest.tools, ops, catalog: parts.catalog })
  );
  const command = await gather(() => normalizeCommand(manifest, parts.settings));
  // Only a package of this machine is here to be looked at.
  if (manifest.package.source !== "local") return;
  const executable = command?.kind === "package" ? command.relativePath : undefined;
  for (const problem of await treeProblems(directory, executable)) {
    await gather(() => Promise.reject(problem));
  }
}

/** The refs as they are written, when the manifest itself does not hold. */
function schemaRefs(tree: JsonObject, checked: CheckedManifest | undefined): Set<string> {
  const tools = checked?.manifest.tools ?? (Array.isArray(tree.tools) ? tree.tools : []);
  return new Set(
    tools.flatMap((tool) =>
      isJsonObject(tool) && typeof tool.schema_ref === "string" ? [tool.schema_ref] : []
    ),
  );
}

function report(
  found: readonly GumError[],
  known: { tree?: JsonObject; checked?: CheckedManifest; parts?: ValidateParts },
): PluginValidation {
  const { tree, checked, parts } = known;
  const plugin = isJsonObject(tree?.plugin) ? tree.plugin : {};
  return {
    ok: found.length === 0,
    ...(typeof plugin.name === "string" ? { plugin_id: plugin.name } : {}),
    ...(typeof plugin.version === "string" ? { version: plugin.version } : {}),
    violations: found.map(({ code, message, details }) => ({ ...details, code, message })),
    warnings: checked?.warnings ?? [],
    permissions: checked === undefined || parts === undefined
      ? []
      : permissionLines(checked.manifest, { paths: parts.registry.paths }),
  };
}
