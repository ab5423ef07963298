/** The rows a manifest becomes in the three registry files (spec 06 §2.3, §3.4, §3.11). */

import { isExperimental } from "../../catalog/validate/mod.ts";
import { isGoogleTokenName, safeDescriptors } from "../manifest/mod.ts";
import type { MaterializedBundle } from "../schemas/mod.ts";
import type {
  ExecutableBinding,
  ExternalPrerequisite,
  LockRow,
  PluginManifest,
  PluginTool,
  PluginVariantRow,
  RegistryDraft,
  StateRow,
} from "../types.ts";

/** What an installation found out beyond the manifest. */
export interface InstalledFacts {
  executable: ExecutableBinding;
  manifestSha256: string;
  treeSha256: string;
  ref: string;
  checksum: string;
  risk: string;
  bundles: readonly MaterializedBundle[];
}

/** The operations of a plugin. */
export function variantRows(
  manifest: PluginManifest,
  bundles: readonly MaterializedBundle[],
): PluginVariantRow[] {
  return manifest.tools.map((tool) => variantRow(tool, { manifest, bundles }));
}

function variantRow(
  tool: PluginTool,
  { manifest, bundles }: { manifest: PluginManifest; bundles: readonly MaterializedBundle[] },
): PluginVariantRow {
  const { plugin, requirements } = manifest;
  const opId = `plug.${plugin.name}.${tool.name}`;
  const bundle = bundles.find(({ schemaRef }) => schemaRef === tool.schema_ref);
  const row: PluginVariantRow = {
    variant_id: `${opId}.v1`,
    op_id: opId,
    owner_plugin: plugin.name,
    title: `${tool.name} (${plugin.display_name} plugin)`,
    summary: tool.description || `${tool.name} of ${plugin.display_name}`,
    variant_schema_version: 1,
    version: "v1",
    stability: "alpha",
    interface_kind: isExperimental(tool.interface_kind) ? tool.interface_kind : "plugin-mcp",
    backend_kind: isExperimental(tool.backend_kind) ? tool.backend_kind : "mcp-plugin",
    risk_class: tool.risk_class,
    auth_strategy: tool.auth_strategy,
    capabilities: tool.capabilities,
    scopes: tool.scopes,
    execution_support: tool.execution_support,
    binding: {
      binding_schema_version: 1,
      adapter_key: "plugin.mcp",
      operation_key: opId,
      plugin_name: plugin.name,
      tool_name: tool.tool_name,
    },
  };
  if (tool.confirmation_policy === "high_stakes_write") {
    row.confirmation_policy = "high_stakes_write";
  }
  if (tool.unsupported_capabilities.length > 0) {
    row.unsupported_capabilities = tool.unsupported_capabilities;
  }
  if (tool.output_profile !== undefined) row.output_profile = tool.output_profile;
  if (tool.raw_result_allowed) row.raw_result_allowed = true;
  if (tool.null_elision_safe_fields.length > 0) {
    row.null_elision_safe_fields = tool.null_elision_safe_fields;
  }
  const { rate_limit_per_minute: rate, cache_ttl_seconds: ttl } = requirements;
  if (rate !== undefined) row.rate_limit_per_minute = rate;
  if (ttl !== undefined) row.cache_ttl_seconds = ttl;
  if (bundle !== undefined) {
    row.binding.request_ref = bundle.request.ref;
    row.binding.response_ref = bundle.response.ref;
    if (bundle.requestFields !== undefined) row.request_fields = bundle.requestFields;
    row.schema_hashes = {
      [bundle.request.ref]: bundle.request.hash,
      [bundle.response.ref]: bundle.response.hash,
    };
  }
  return row;
}

/** The package, executable and namespace lease of a plugin. */
export function lockRow(manifest: PluginManifest, facts: InstalledFacts): LockRow {
  const { plugin, package: source } = manifest;
  return {
    name: plugin.name,
    version: plugin.version,
    display_name: plugin.display_name,
    description: plugin.description,
    namespace_owner: plugin.namespace_owner,
    prefix: plugin.name,
    shape: plugin.shape,
    license: plugin.license,
    tos: plugin.tos,
    risk: facts.risk,
    variant_count: manifest.tools.length,
    package: {
      source: source.source,
      ref: facts.ref,
      checksum: facts.checksum,
      ...(source.repository === "" ? {} : { repository: source.repository }),
      ...(source.artifact === "" ? {} : { artifact: source.artifact }),
    },
    executable: facts.executable,
    executable_sha256: facts.executable.executable_sha256,
    manifest_sha256: facts.manifestSha256,
    tree_sha256: facts.treeSha256,
    declared_capabilities: manifest.declared_capabilities,
    canary: manifest.requirements.canary,
  };
}

/** The state of a plugin right after its installation. */
export function initialState(manifest: PluginManifest, { now }: { now: string }): StateRow {
  const { plugin, requirements } = manifest;
  const arms = requirements.needs_user_creds.some((name) => !isGoogleTokenName(name));
  const row: StateRow = {
    name: plugin.name,
    status: arms ? "needs_configuration" : "installed_pending_restart",
    installed_at: now,
    activated_at: null,
    needs_configuration: arms,
    quarantined: false,
    permanent_quarantine: false,
    retry_count: 0,
    backoff_step: 0,
  };
  if (!arms) return row;
  row.reason = "missing_credentials";
  row.credential_descriptors = safeDescriptors(requirements.credential_descriptors);
  const prerequisites = externalPrerequisites(manifest);
  if (prerequisites.length > 0) row.prerequisites = prerequisites;
  return row;
}

/** Components that no prompt collects and the host does not supply. */
export function externalPrerequisites({ requirements }: PluginManifest): ExternalPrerequisite[] {
  const aliases = new Set(requirements.credential_descriptors.map(({ alias }) => alias));
  return requirements.auth_components
    .filter(({ kind, credential_alias: alias }) =>
      kind !== "google_access_token" && (alias === undefined || !aliases.has(alias))
    )
    .map(({ kind, display_name: displayName, setup_hint: setupHint }) => ({
      kind,
      display_name: displayName ?? kind.replaceAll("_", " "),
      setup_hint: setupHint ?? "",
    }));
}

/** Fields of a quarantine, which an installation never lifts. */
const QUARANTINE_FIELDS = [
  "quarantined",
  "permanent_quarantine",
  "quarantined_at",
  "last_error_code",
  "next_retry_at",
  "retry_count",
  "backoff_step",
] as const;

/** Puts a plugin's rows into a draft in place of its older ones. */
export function mergeRows(
  draft: RegistryDraft,
  rows: { variants: readonly PluginVariantRow[]; lock: LockRow; state: StateRow },
): void {
  const { name } = rows.lock;
  draft.catalog.variants = [
    ...draft.catalog.variants.filter((row) => row.owner_plugin !== name),
    ...rows.variants,
  ];
  const oldLock = draft.lock.plugins.find((row) => row.name === name);
  const lock = oldLock?.transfer_history === undefined
    ? rows.lock
    : { ...rows.lock, transfer_history: oldLock.transfer_history };
  draft.lock.plugins = [...draft.lock.plugins.filter((row) => row.name !== name), lock];
  const oldState = draft.state.plugins.find((row) => row.name === name);
  const state: StateRow = { ...rows.state };
  for (const field of QUARANTINE_FIELDS) {
    if (oldState?.[field] !== undefined) Object.assign(state, { [field]: oldState[field] });
  }
  draft.state.plugins = [...draft.state.plugins.filter((row) => row.name !== name), state];
}

/** Takes every row of a plugin out of a draft; false when there was none. */
export function dropRows(draft: RegistryDraft, name: string): boolean {
  const before = draft.catalog.variants.length + draft.lock.plugins.length +
    draft.state.plugins.length;
  draft.catalog.variants = draft.catalog.variants.filter((row) => row.owner_plugin !== name);
  draft.lock.plugins = draft.lock.plugins.filter((row) => row.name !== name);
  draft.state.plugins = draft.state.plugins.filter((row) => row.name !== name);
  return before !== draft.catalog.variants.length + draft.lock.plugins.length +
      draft.state.plugins.length;
}
