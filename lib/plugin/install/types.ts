/** What installing needs and gives. */

import type { Catalog } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import type { Environment } from "../../config/environment.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import type { StreamingHttpClient } from "../../http/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import type { OwnPluginRegistry } from "../registry/mod.ts";
import type { EmbeddedSchemas } from "../schemas/mod.ts";
import type {
  CanaryOutcome,
  ExecutableBinding,
  LiveCanary,
  LockRow,
  PluginManifest,
  PluginSettings,
  PluginStatus,
  PluginWarning,
  SandboxReport,
} from "../types.ts";
import type { PackageOrigins } from "./sources/mod.ts";

/** One installation. */
export interface InstallRequest {
  /** A directory with a manifest, or the manifest itself. */
  path: string;
  signal: AbortSignal;
  /** `--dev-allow-namespace-conflict`. */
  allowNamespaceConflict?: boolean;
  /** False: `--no-canary`. */
  runCanary?: boolean;
  /** Told what is about to be installed, before anything is fetched or written. */
  onPlan?: (plan: InstallPlan) => void;
}

/** What is about to be installed. */
export interface InstallPlan {
  manifest: PluginManifest;
  /** Lines that say what the plugin will be allowed to do. */
  permissions: string[];
  warnings: readonly PluginWarning[];
}

/** What an installer is made from. */
export interface InstallParts {
  registry: OwnPluginRegistry;
  /** The embedded catalog. */
  catalog: Catalog;
  embeddedSchemas: EmbeddedSchemas;
  settings: PluginSettings;
  environment: Environment;
  http: StreamingHttpClient;
  clock: Clock;
  logger: Logger;
  auditSink: AuditSink;
  /** Default: the real one. */
  fs?: PluginFileSystem;
  /** Default: the public hosts. */
  origins?: PackageOrigins;
  /** Supplied by the process host; absent: no canary is run and a warning says so. */
  canary?: LiveCanary;
  /** Supplied by the process host: the confinement a plugin would get. */
  sandbox?: (row: LockRow, signal: AbortSignal) => Promise<SandboxReport | undefined>;
}

/** What was installed. */
export interface InstallResult {
  plugin_id: string;
  version: string;
  status: PluginStatus;
  install_generation: number;
  install_txid: string;
  risk: string;
  executable: ExecutableBinding;
  sandbox: SandboxReport | null;
  warnings: PluginWarning[];
  /** Present when a canary ran. */
  canary?: CanaryOutcome;
}
