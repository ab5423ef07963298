/** The flat JSON form of a manifest (spec 06 §2.2.3). */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { invalidManifest } from "./refusals.ts";

const PLUGIN_KEYS = [
  "version",
  "namespace_owner",
  "shape",
  "executable",
  "description",
  "license",
  "tos",
  "risk",
  "command",
  "schema_ref",
] as const;

const KEPT = [
  "manifest_schema_version",
  "declared_capabilities",
  "requirements",
  "package",
] as const;

/** The canonical tree of a manifest that may be flat; a flat one has a `plugin_id` at the top. */
export function canonicalForm(tree: JsonObject): JsonObject {
  if (!Object.hasOwn(tree, "plugin_id")) return tree;
  if (Object.hasOwn(tree, "plugin")) {
    // Half of each form would hide a nested schema version from its gate.
    if (isJsonObject(tree.plugin) && Object.hasOwn(tree.plugin, "manifest_schema_version")) {
      return tree;
    }
    throw invalidManifest("/plugin", "plugin and plugin_id exclude each other");
  }
  const plugin: JsonObject = {};
  const canonical: JsonObject = { plugin };
  const given = (key: string, into: JsonObject, as = key) => {
    const value = tree[key];
    if (value !== undefined) into[as] = value;
  };
  given("plugin_id", plugin, "name");
  given("name", plugin, "display_name");
  for (const key of PLUGIN_KEYS) given(key, plugin);
  for (const key of KEPT) given(key, canonical);
  const { advertised_tools: tools } = tree;
  if (tools !== undefined) {
    canonical.tools = Array.isArray(tools) ? tools.map(toolOf) : tools;
  }
  const mapped = new Set<string>([
    ...PLUGIN_KEYS,
    ...KEPT,
    "plugin_id",
    "name",
    "advertised_tools",
  ]);
  // Whatever else is there stays, so that it is reported like an unknown key of the other form.
  for (const key of Object.keys(tree)) if (!mapped.has(key)) given(key, canonical);
  return canonical;
}

function toolOf(tool: JsonObject[string]): JsonObject[string] {
  if (!isJsonObject(tool)) return tool;
  const { name } = tool;
  // In this form one name serves both purposes, so an absent one is as wrong as a bad one.
  return { ...tool, name: name ?? "", tool_name: name ?? "" };
}
