/**
 * Shapes of the plugin host: the manifest, the three registry files, and the seams between
 * installing a plugin and running one (spec 06 §2).
 *
 * Keys keep the spelling of the files they stand for.
 *
 * @module
 */

import type { AuthComponent, ExecutionSupport, RequestField, RiskClass } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type { AuditSink } from "../dispatch/types.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";

/** How a plugin is executed. */
export type PluginShape = "mcp-plugin" | "deno-script";

/** Where a plugin's files come from. */
export type PackageSource = "local" | "git" | "github_release" | "pypi";

/** What a stored secret of a plugin is. */
export type CredentialKind = "api_key" | "oauth_token" | "cookie" | "session" | "other";

/** One secret a plugin needs. The variable's name never leaves the manifest. */
export interface CredentialDescriptor {
  alias: string;
  env: string;
  kind: CredentialKind;
  display_name: string;
  setup_hint: string;
}

/** The part of a {@link CredentialDescriptor} that may be stored and shown. */
export type SafeCredentialDescriptor = Omit<CredentialDescriptor, "env">;

/** Something outside GUM that a person must see to. */
export interface ExternalPrerequisite {
  kind: string;
  display_name: string;
  setup_hint: string;
}

/** What the plugin says it needs of the machine; defaults are the most restrictive values. */
export interface DeclaredCapabilities {
  network: boolean;
  net_hosts: string[];
  /** Relative to the plugin's data directory; "" is that directory itself. */
  fs_write_dir: string;
  env_allow: string[];
}

/** The call that proves a plugin works. */
export interface CanaryDeclaration {
  tool: string;
  args: JsonObject;
  timeout_ms: number;
  /** Passive interval such as `6h`. */
  schedule?: string;
}

/** A further file that a package needs, verified like the package itself. */
export interface ExtraArtifact {
  repository: string;
  ref: string;
  artifact: string;
  checksum: string;
}

/** One advertised tool, with defaults filled in. */
export interface PluginTool {
  /** Suffix of the operation id. */
  name: string;
  /** Live MCP tool name. */
  tool_name: string;
  description: string;
  risk_class: RiskClass;
  confirmation_policy: "none" | "high_stakes_write";
  auth_strategy: string;
  backend_kind: string;
  interface_kind: string;
  capabilities: string[];
  execution_support: ExecutionSupport;
  unsupported_capabilities: string[];
  scopes: string[];
  /** The tool's own, else the plugin's default. */
  schema_ref?: string;
  output_profile?: string;
  raw_result_allowed: boolean;
  null_elision_safe_fields: string[];
}

/** A manifest that passed every gate of spec 06 §3.1, normalized. */
export interface PluginManifest {
  manifest_schema_version: 1;
  plugin: {
    name: string;
    display_name: string;
    version: string;
    description: string;
    /** "" when the manifest names none; installing needs one. */
    namespace_owner: string;
    shape: PluginShape;
    /** Relative artifact path; for `pypi` the console script. */
    executable: string;
    command: string[];
    license: string;
    tos: string;
    risk: string;
    schema_ref?: string;
  };
  package: {
    source: PackageSource;
    repository: string;
    ref: string;
    artifact: string;
    subdir: string;
    /** Lowercase hex without a prefix; "" when absent. */
    checksum: string;
    extra_artifacts: ExtraArtifact[];
  };
  requirements: {
    rate_limit_per_minute?: number;
    cache_ttl_seconds?: number;
    needs_user_creds: string[];
    credential_descriptors: CredentialDescriptor[];
    auth_components: AuthComponent[];
    canary: CanaryDeclaration | null;
  };
  declared_capabilities: DeclaredCapabilities;
  /** Oldest runtime a `deno-script` works with, e.g. `2.4.0`. */
  deno?: { min_version: string };
  tools: PluginTool[];
}

/** Something an installer should know that does not stop the installation. */
export interface PluginWarning {
  /** Stable word, e.g. `unknown_key`. */
  code: string;
  message: string;
}

/** A manifest as read from a directory. */
export interface LoadedManifest {
  manifest: PluginManifest;
  /** Absolute directory that holds it. */
  directory: string;
  fileName: "plugin.toml" | "manifest.json";
  /** The file, byte for byte. */
  bytes: Uint8Array;
  warnings: PluginWarning[];
}

/** The pair that all three registry files carry. */
export interface RegistryStamp {
  install_generation: number;
  /** 8 lowercase hex digits; "" before the first write. */
  install_txid: string;
}

/** `plugin-catalog.json`. */
export interface PluginCatalogFile extends RegistryStamp {
  plugin_catalog_schema_version: 1;
  updated_at: string;
  /** Sorted by `variant_id`. */
  variants: PluginVariantRow[];
}

/** One operation of a plugin. */
export interface PluginVariantRow {
  variant_id: string;
  op_id: string;
  owner_plugin: string;
  title: string;
  summary: string;
  variant_schema_version: 1;
  version: "v1";
  stability: "alpha";
  interface_kind: string;
  backend_kind: string;
  risk_class: RiskClass;
  confirmation_policy?: "high_stakes_write";
  auth_strategy: string;
  capabilities: string[];
  scopes: string[];
  execution_support: ExecutionSupport;
  unsupported_capabilities?: string[];
  output_profile?: string;
  raw_result_allowed?: boolean;
  null_elision_safe_fields?: string[];
  rate_limit_per_minute?: number;
  cache_ttl_seconds?: number;
  /** Arguments, where the request schema is a plain list of them. */
  request_fields?: RequestField[];
  binding: {
    binding_schema_version: 1;
    adapter_key: "plugin.mcp";
    operation_key: string;
    plugin_name: string;
    tool_name: string;
    request_ref?: string;
    response_ref?: string;
  };
  /** Served ref to lowercase hex SHA-256. */
  schema_hashes?: Record<string, string>;
}

/** `plugins.lock`. */
export interface PluginsLockFile extends RegistryStamp {
  plugins_lock_schema_version: 1;
  /** Sorted by `name`. */
  plugins: LockRow[];
}

/** Which file runs, and with what words. */
export interface ExecutableBinding {
  /** Absolute. For `deno-script` the verified `deno`. */
  executable_path: string;
  executable_sha256: string;
  /**
   * `[executable_path, …]`. For `deno-script` the whole `deno run …` command except
   * `--allow-env`, which depends on the names that a spawn really injects.
   */
  argv_normalized: string[];
  install_root: string;
  /** `deno-script` only. */
  entry_path?: string;
  entry_sha256?: string;
  /** `deno-script` only: version of the pinned runtime. */
  runtime_version?: string;
  dev_unverified?: true;
}

/** Digests of a plugin's `tools/list` (spec 06 §8.3). */
export interface ToolsRecord {
  /** Lowercase hex SHA-256 of the first one in canonical JSON. */
  sha256: string;
  /** The last one that differed, and when it was first seen. */
  drifted_sha256?: string;
  drifted_at?: string;
}

/** Package, executable and namespace lease of one plugin. */
export interface LockRow {
  name: string;
  version: string;
  display_name: string;
  description: string;
  /** Absent after a release. */
  namespace_owner?: string;
  /** Equals the plugin id. */
  prefix: string;
  shape: PluginShape;
  license: string;
  tos: string;
  /** The manifest's word, or `dev-untrusted`. */
  risk: string;
  variant_count: number;
  package: {
    source: PackageSource;
    ref: string;
    checksum: string;
    repository?: string;
    artifact?: string;
  };
  executable: ExecutableBinding;
  /** Mirror of `executable.executable_sha256`. */
  executable_sha256: string;
  manifest_sha256: string;
  tree_sha256: string;
  declared_capabilities: DeclaredCapabilities;
  canary: CanaryDeclaration | null;
  /** What it told of its tools at its first start, and whether that changed without a new install. */
  tools?: ToolsRecord;
  transfer_history?: { from: string; to: string; at: string }[];
}

/** `plugin-state.json`. */
export interface PluginStateFile extends RegistryStamp {
  plugin_state_schema_version: 1;
  /** Sorted by `name`. */
  plugins: StateRow[];
}

/** Closed set of statuses on every surface. */
export type PluginStatus =
  | "active"
  | "installed_pending_restart"
  | "needs_configuration"
  | "quarantined";

/** Lifecycle of one plugin. */
export interface StateRow {
  name: string;
  status: Exclude<PluginStatus, "quarantined">;
  installed_at: string;
  activated_at: string | null;
  needs_configuration: boolean;
  reason?: string;
  credential_descriptors?: SafeCredentialDescriptor[];
  prerequisites?: ExternalPrerequisite[];
  quarantined: boolean;
  permanent_quarantine: boolean;
  quarantined_at?: string;
  last_error_code?: string;
  next_retry_at?: string;
  retry_count: number;
  /** 0 when healthy. */
  backoff_step: number;
}

/** The three files as one value; what a transaction changes. */
export interface PluginRegistryFiles {
  catalog: PluginCatalogFile;
  lock: PluginsLockFile;
  state: PluginStateFile;
}

/** A consistent read of the registry. */
export interface RegistrySnapshot extends PluginRegistryFiles {
  generation: number;
  txid: string;
  /** False: no complete generation exists, so nothing may be activated or dispatched. */
  ok: boolean;
}

/** Where one profile keeps its plugins. */
export interface PluginPaths {
  /** `<data>/gum/<profile>`. */
  profileDir: string;
  catalog: string;
  lock: string;
  state: string;
  installLock: string;
  orphans: string;
  plugins: string;
  staging: string;
  schemas: string;
  /** Install roots of one plugin. */
  pluginRoot(pluginId: string): string;
  installRoot(pluginId: string, txid: string): string;
  /** The only directory a plugin may write. */
  dataDir(pluginId: string): string;
  profilesDir(pluginId: string): string;
  /** File of a served schema. */
  schemaFile(ref: string, sha256: string): string;
}

/**
 * Changes a draft under the registry lock. Returning `false` ends the transaction without writing
 * a generation; throwing writes nothing.
 */
export type RegistryMutation = (
  draft: RegistryDraft,
) => Promise<boolean | void> | boolean | void;

/** What a mutation may look at and change. */
export interface RegistryDraft extends PluginRegistryFiles {
  /** The pair that the publish will stamp, for naming files beforehand. */
  readonly next: RegistryStamp;
}

/** The registry of one profile. */
export interface PluginRegistry {
  readonly paths: PluginPaths;
  /** Lock-free and consistent; waits briefly for a publish in progress. */
  loadSnapshot(): Promise<RegistrySnapshot>;
  /** Changes all three files or none (spec 06 §3.7). */
  writeTransaction(
    mutate: RegistryMutation,
    options: { signal: AbortSignal; lockTimeoutMs?: number },
  ): Promise<RegistryCommit>;
}

/** Outcome of a transaction. */
export type RegistryCommit =
  | { changed: false; snapshot: RegistrySnapshot }
  | { changed: true; snapshot: RegistrySnapshot };

/** What a registry is made from. */
export interface RegistryOptions {
  profileDir: string;
  clock: Clock;
  /** Default: the process logger. */
  logger?: Logger;
  /** Event rows; default: none are kept. */
  auditSink?: AuditSink;
}

/** Confinement in force for a plugin (spec 06 §3.15). */
export interface SandboxReport {
  backend: string;
  fs: "enforced" | "none";
  network: "enforced" | "partial" | "declared" | "none";
}

/** What a canary found (spec 06 §3.18). */
export type CanaryOutcome =
  | {
    ok: true;
    plugin_id: string;
    live: boolean;
    latency_ms: number;
    sandbox: SandboxReport;
    stop_error?: string;
  }
  | {
    ok: false;
    plugin_id: string;
    error_code: string;
    source_error_code: string;
    message: string;
    sandbox?: SandboxReport;
    /** This machine or the person kept it from being tried; nothing was learned of the plugin. */
    host_condition?: true;
  };

/**
 * Starts an installed plugin without the quarantine gate, makes its live canary call and stops it.
 * Supplied by the process host; rejects only when the signal aborts.
 */
export type LiveCanary = (pluginId: string, signal: AbortSignal) => Promise<CanaryOutcome>;

/** Settings of the profile that the plugin host reads (`profile.is_dev`, `plugins.*`). */
export interface PluginSettings {
  isDev: boolean;
  /** `plugins.deno_path`. */
  denoPath?: string;
  /** Where `gum plugin runtime install` puts a runtime; absent: nowhere to look. */
  runtimeDir?: string;
}
