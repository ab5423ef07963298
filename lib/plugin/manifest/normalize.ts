/** From a checked tree to a manifest with every default filled in. */

import { CAPABILITY_ORDER } from "../../catalog/validate/mod.ts";
import type { AuthComponent, ExecutionSupport, RiskClass } from "../../catalog/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { bareDigest } from "../digest.ts";
import type {
  CanaryDeclaration,
  CredentialDescriptor,
  PackageSource,
  PluginManifest,
  PluginShape,
  PluginTool,
} from "../types.ts";

/** What a tool of unknown abilities can do: take JSON and give JSON. */
const DEFAULT_CAPABILITIES = ["json_request", "json_response"];

const CANARY_TIMEOUT_MS = 20_000;

/** Builds the manifest. The tree has passed the structural gate, so the casts hold. */
export function normalizeManifest(
  tree: JsonObject,
  descriptors: CredentialDescriptor[],
): PluginManifest {
  const plugin = table(tree.plugin);
  const source = table(tree.package);
  const requirements = table(tree.requirements);
  const capabilities = table(tree.declared_capabilities);
  const name = text(plugin.name);
  const executable = normalizedPath(text(plugin.executable));
  const command = texts(plugin.command);
  return {
    manifest_schema_version: 1,
    plugin: {
      name,
      display_name: text(plugin.display_name) || name,
      version: text(plugin.version),
      description: text(plugin.description),
      namespace_owner: text(plugin.namespace_owner),
      shape: plugin.shape as PluginShape,
      executable,
      command: command.length > 0 ? command : [executable],
      license: text(plugin.license),
      tos: text(plugin.tos) || "unspecified",
      risk: text(plugin.risk) || "unspecified",
      ...optionalText("schema_ref", plugin.schema_ref),
    },
    package: {
      source: (source.source ?? "local") as PackageSource,
      repository: text(source.repository),
      ref: text(source.ref),
      artifact: text(source.artifact),
      subdir: text(source.subdir),
      checksum: bareDigest(text(source.checksum)),
      extra_artifacts: tables(source.extra_artifacts).map((extra) => ({
        repository: text(extra.repository),
        ref: text(extra.ref),
        artifact: text(extra.artifact),
        checksum: bareDigest(text(extra.checksum)),
      })),
    },
    requirements: {
      ...optionalNumber("rate_limit_per_minute", requirements.rate_limit_per_minute),
      ...optionalNumber("cache_ttl_seconds", requirements.cache_ttl_seconds),
      needs_user_creds: texts(requirements.needs_user_creds),
      credential_descriptors: descriptors,
      auth_components: authComponents(requirements.auth_components),
      canary: canaryOf(requirements.canary),
    },
    declared_capabilities: {
      network: capabilities.network === true,
      net_hosts: texts(capabilities.net_hosts),
      fs_write_dir: text(capabilities.fs_write_dir),
      env_allow: texts(capabilities.env_allow),
    },
    ...denoOf(table(tree.deno)),
    tools: tables(tree.tools).map((tool) => toolOf(tool, plugin)),
  };
}

function denoOf({ min_version: least }: JsonObject): Pick<PluginManifest, "deno"> {
  return typeof least === "string" ? { deno: { min_version: least } } : {};
}

function toolOf(tool: JsonObject, plugin: JsonObject): PluginTool {
  const own = texts(tool.capabilities);
  return {
    name: text(tool.name ?? tool.tool_name),
    tool_name: text(tool.tool_name),
    description: text(tool.description),
    risk_class: tool.risk_class as RiskClass,
    confirmation_policy: tool.confirmation_policy === "high_stakes_write"
      ? "high_stakes_write"
      : "none",
    auth_strategy: text(tool.auth_strategy) || "plugin_managed",
    backend_kind: text(tool.backend_kind) || "mcp-plugin",
    interface_kind: text(tool.interface_kind) || "plugin-mcp",
    capabilities: inOrder(own.length > 0 ? own : DEFAULT_CAPABILITIES),
    execution_support: (tool.execution_support ?? "full") as ExecutionSupport,
    unsupported_capabilities: inOrder(texts(tool.unsupported_capabilities)),
    scopes: [...new Set(texts(tool.scopes))].sort(),
    ...optionalText("schema_ref", tool.schema_ref ?? plugin.schema_ref),
    ...optionalText("output_profile", tool.output_profile),
    raw_result_allowed: tool.raw_result_allowed === true,
    null_elision_safe_fields: texts(tool.null_elision_safe_fields),
  };
}

function inOrder(atoms: readonly string[]): string[] {
  const order: readonly string[] = CAPABILITY_ORDER;
  const place = (atom: string) => order.includes(atom) ? order.indexOf(atom) : order.length;
  return [...new Set(atoms)].sort((a, b) => place(a) - place(b));
}

function authComponents(value: JsonValue | undefined): AuthComponent[] {
  return (Array.isArray(value) ? value : []).flatMap((entry): AuthComponent[] => {
    if (typeof entry === "string") return [{ kind: entry }];
    if (!isJsonObject(entry)) return [];
    return [{
      kind: text(entry.kind),
      ...(entry.optional === true ? { optional: true } : {}),
      ...optionalText("display_name", entry.display_name),
      ...optionalText("setup_hint", entry.setup_hint),
      ...(Array.isArray(entry.scopes) ? { scopes: texts(entry.scopes) } : {}),
      ...optionalText("credential_alias", entry.credential_alias),
    }];
  });
}

function canaryOf(value: JsonValue | undefined): CanaryDeclaration | null {
  if (!isJsonObject(value)) return null;
  return {
    tool: text(value.tool),
    args: table(value.args),
    timeout_ms: typeof value.timeout_ms === "number" ? value.timeout_ms : CANARY_TIMEOUT_MS,
    ...optionalText("schedule", value.schedule),
  };
}

/** A relative path in its plain spelling: no `./`, no doubled or trailing slash. */
function normalizedPath(path: string): string {
  const parts = path.trim().split("/").filter((part) => part !== "" && part !== ".");
  return (path.trim().startsWith("/") ? "/" : "") + parts.join("/");
}

function table(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function tables(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

// Absent stays absent: the registry and the catalog tell "not said" from "said so".
function optionalText<K extends string>(
  key: K,
  value: JsonValue | undefined,
): { [P in K]?: string } {
  return typeof value === "string" ? { [key]: value } as { [P in K]?: string } : {};
}

function optionalNumber<K extends string>(
  key: K,
  value: JsonValue | undefined,
): { [P in K]?: number } {
  return typeof value === "number" ? { [key]: value } as { [P in K]?: number } : {};
}
