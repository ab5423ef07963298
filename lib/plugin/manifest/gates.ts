/** The gates a manifest passes, in order; the first failing one speaks (spec 06 §3.1). */

import { AUTH_COMPONENT_KINDS, isKnownOrExperimental } from "../../catalog/validate/mod.ts";
import type { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { CredentialDescriptor, PluginManifest, PluginWarning } from "../types.ts";
import { validateCredentialDescriptors } from "./credentials.ts";
import { checkCrossFields } from "./cross_fields.ts";
import { isDeniedEnvName, isGoogleTokenName, isVariableName } from "./env_gate.ts";
import { normalizeManifest } from "./normalize.ts";
import { attempt, type Refusals, refused, thrown } from "./refusals.ts";
import { badSelector, isToolSelector } from "../selectors/mod.ts";
import { checkStructure, unknownKeys } from "./structure.ts";
import { checkToolEnums } from "./tool_enums.ts";

/** Shapes this build runs. */
const SHAPES: readonly unknown[] = ["mcp-plugin", "deno-script"];

/** A manifest that passed, and what its author should know. */
export interface CheckedManifest {
  manifest: PluginManifest;
  warnings: PluginWarning[];
}

/** Takes a decoded tree through gates 2 to 10. @throws GumError with the gate's code */
export async function checkManifest(tree: JsonObject): Promise<CheckedManifest> {
  return finished(tree, await passGates(tree, thrown));
}

/** Every refusal of gates 2 to 10, not only the first; `checked` when there is none. */
export async function inspectManifest(
  tree: JsonObject,
): Promise<{ violations: GumError[]; checked?: CheckedManifest }> {
  const violations: GumError[] = [];
  // Its own gate says more about a version than the outline does.
  const told = new Set<unknown>(["/manifest_schema_version"]);
  const descriptors = await passGates(tree, (error) => {
    const { path } = error.details;
    // Several keys may be missing at one place.
    const isPlace = path !== undefined && !error.message.includes("required property");
    // A value of the wrong type breaks later rules too; the first one says what is wrong with it.
    if (isPlace && told.has(path)) return;
    if (isPlace) told.add(path);
    violations.push(error);
  });
  return violations.length > 0 ? { violations } : {
    violations,
    checked: finished(tree, descriptors),
  };
}

async function passGates(tree: JsonObject, to: Refusals): Promise<CredentialDescriptor[]> {
  attempt(to, () => checkSchemaVersion(tree));
  attempt(to, () => checkShape(tree));
  await checkStructure(tree, to);
  checkCrossFields(tree, to);
  for (const tool of toolsOf(tree)) checkToolEnums(tool, to);
  const requirements = isJsonObject(tree.requirements) ? tree.requirements : {};
  const needs = textsOf(requirements.needs_user_creds);
  const pluginName = nameOf(tree);
  checkEnvironment(needs, { pluginName, to });
  attempt(to, () => checkCompound(tree, { needs, requirements, pluginName }));
  checkAuthComponents(requirements, to);
  const descriptors = validateCredentialDescriptors(
    needs,
    Array.isArray(requirements.credential_descriptors) ? requirements.credential_descriptors : [],
    to,
  );
  for (const { tool_name: toolName } of toolsOf(tree)) {
    if (!isToolSelector(toolName)) to(badSelector("tool_name", toolName));
  }
  return descriptors;
}

function finished(tree: JsonObject, descriptors: CredentialDescriptor[]): CheckedManifest {
  const manifest = normalizeManifest(tree, descriptors);
  const warnings = [...keyWarnings(tree), ...toolWarnings(manifest)];
  return { manifest: withoutDenied(manifest, warnings), warnings };
}

function checkSchemaVersion(tree: JsonObject): void {
  const nested = isJsonObject(tree.plugin) &&
    Object.hasOwn(tree.plugin, "manifest_schema_version");
  const version = tree.manifest_schema_version;
  if (version === 1 && !nested) return;
  throw refused(
    "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED",
    nested
      ? "manifest_schema_version belongs to the top level only"
      : `manifest_schema_version ${JSON.stringify(version ?? null)} is not supported`,
    { found: version ?? null, supported: [1] },
  );
}

function checkShape(tree: JsonObject): void {
  const shape = isJsonObject(tree.plugin) ? tree.plugin.shape : undefined;
  const grpcTool = toolsOf(tree).some((tool) => tool.backend_kind === "grpc-plugin");
  if (isJsonObject(tree.plugin) && !SHAPES.includes(shape)) {
    throw refused("PLUGIN_SHAPE_UNSUPPORTED", `shape ${JSON.stringify(shape ?? null)}`, {
      shape: typeof shape === "string" ? shape : null,
    });
  }
  if (grpcTool) {
    throw refused("PLUGIN_SHAPE_UNSUPPORTED", "a tool has the backend grpc-plugin", {
      shape: "grpc-plugin",
    });
  }
}

function checkEnvironment(
  needs: readonly string[],
  { pluginName, to }: { pluginName: string; to: Refusals },
): void {
  for (const denied of needs.filter((name) => isDeniedEnvName(name))) {
    // The author of the manifest needs the entry; nothing at run time ever names one.
    to(refused("PLUGIN_ENV_PROHIBITED", `${pluginName} may not ask for ${denied}`, {
      plugin_name: pluginName,
    }));
  }
}

function checkCompound(
  tree: JsonObject,
  given: { needs: readonly string[]; requirements: JsonObject; pluginName: string },
): void {
  if (!declaresGoogleToken(given.needs, given.requirements)) return;
  const tools = toolsOf(tree);
  const other = tools.find((tool) => tool.auth_strategy !== "compound");
  if (tools.length > 0 && other === undefined) return;
  throw refused(
    "PLUGIN_ENV_PROHIBITED",
    tools.length === 0
      ? `${given.pluginName} asks for a Google token and advertises no tool`
      : `${given.pluginName} asks for a Google token, so every tool must be compound`,
    { plugin_name: given.pluginName },
  );
}

function declaresGoogleToken(needs: readonly string[], requirements: JsonObject): boolean {
  const components = Array.isArray(requirements.auth_components)
    ? requirements.auth_components
    : [];
  return needs.some(isGoogleTokenName) ||
    components.some((entry) =>
      (isJsonObject(entry) ? entry.kind : entry) === "google_access_token"
    );
}

/** True when a plugin is to be handed the profile's Google access token (spec 06 §3.14). */
export function wantsGoogleToken({ requirements }: PluginManifest): boolean {
  return requirements.needs_user_creds.some(isGoogleTokenName) ||
    requirements.auth_components.some(({ kind }) => kind === "google_access_token");
}

function checkAuthComponents(requirements: JsonObject, to: Refusals): void {
  const entries = Array.isArray(requirements.auth_components) ? requirements.auth_components : [];
  for (const entry of entries) {
    const kind = isJsonObject(entry) ? entry.kind : entry;
    if (isKnownOrExperimental(kind, AUTH_COMPONENT_KINDS)) continue;
    to(refused("AUTH_COMPONENT_UNKNOWN", `auth component ${JSON.stringify(kind ?? null)}`, {
      kind: typeof kind === "string" ? kind : null,
    }));
  }
}

function withoutDenied(manifest: PluginManifest, warnings: PluginWarning[]): PluginManifest {
  const capabilities = manifest.declared_capabilities;
  const kept = capabilities.env_allow.filter((name) =>
    isVariableName(name) && !isDeniedEnvName(name)
  );
  const dropped = capabilities.env_allow.length - kept.length;
  if (dropped === 0) return manifest;
  warnings.push({
    code: "env_allow_denied",
    message: `${dropped} entr${dropped === 1 ? "y" : "ies"} of env_allow may not be passed on`,
  });
  return { ...manifest, declared_capabilities: { ...capabilities, env_allow: kept } };
}

function keyWarnings(tree: JsonObject): PluginWarning[] {
  return unknownKeys(tree).map((path) => ({
    code: "unknown_key",
    message: `${path} means nothing to this version`,
  }));
}

function toolWarnings({ tools, declared_capabilities: capabilities, plugin }: PluginManifest) {
  const warnings: PluginWarning[] = [];
  for (const tool of tools) {
    if (tool.output_profile === undefined && !tool.raw_result_allowed) {
      warnings.push({
        code: "no_output_profile",
        message: `${tool.name} names no output_profile and does not allow raw results`,
      });
    }
    if (tool.schema_ref === undefined) {
      warnings.push({ code: "no_request_schema", message: `${tool.name} accepts any arguments` });
    }
  }
  if (
    plugin.shape === "deno-script" && capabilities.network && capabilities.net_hosts.length === 0
  ) {
    warnings.push({
      code: "network_unrestricted",
      message: "the script may reach every host, because net_hosts names none",
    });
  }
  return warnings;
}

/** Descriptors without what must not be stored. */
export function safeDescriptors(
  descriptors: readonly CredentialDescriptor[],
): Omit<CredentialDescriptor, "env">[] {
  return descriptors.map(({ alias, kind, display_name, setup_hint }) => ({
    alias,
    kind,
    display_name,
    setup_hint,
  }));
}

function toolsOf(tree: JsonObject): JsonObject[] {
  return Array.isArray(tree.tools) ? tree.tools.filter(isJsonObject) : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function nameOf(tree: JsonObject): string {
  const name = isJsonObject(tree.plugin) ? tree.plugin.name : undefined;
  // The outline wants a name; only what is gathered beyond a missing one comes here without.
  return typeof name === "string" ? name : "the plugin";
}
