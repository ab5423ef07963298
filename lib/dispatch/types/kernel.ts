/** The kernel, its settings and everything it calls (spec 02 §2.6). */

import type { CatalogSnapshot, Format } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import type { AdapterRegistry, AuthResolver } from "./execution.ts";
import type { Invocation, MediaFiles } from "./invocation.ts";
import type { ShapedResponse } from "./response.ts";
import type {
  ArtifactStore,
  AuditSink,
  ConfirmationService,
  GainSink,
  OperationMemory,
  PluginInventory,
  RateLimiter,
  ResponseCache,
} from "./services.ts";
import type { ProfileResolver, Shaper } from "./shaping.ts";

/** Settings the kernel reads (spec 02 §2.6). */
export interface KernelSettings {
  /** Account profile name; bound into confirmation tokens. */
  profileName: string;
  allowOps?: string[];
  denyOps?: string[];
  /** Scopes recorded at login; undefined when nothing was recorded. */
  grantedScopes?: () => readonly string[] | undefined;
  unknownReadParamsAllowlist?: Record<string, string[]>;
  strictValidation?: boolean;
  preferredInterfaceKinds?: string[];
  normalizeDatetimes?: boolean;
  diffOnly?: boolean;
  /** Expected principal per auth strategy. */
  expectedSubjects?: Record<string, string>;
  defaultFormat?: Format;
  teeMode?: "off" | "failures" | "always";
  policyMode?: "read_only" | "draft_only" | "no_delete" | "full";
  adminWrites?: "confirm" | "fixture_only" | "off";
  /** A `policy.*` key whose value cannot be used; nothing is dispatched until it is corrected. */
  invalidPolicyKey?: string;
  /** Absolute directories that clients other than the command line may read and write files in. */
  mediaDirs?: readonly string[];
}

/** Everything the kernel calls, by construction. */
export interface KernelDeps {
  catalog: CatalogSnapshot;
  profiles: ProfileResolver;
  auth: AuthResolver;
  limiter: RateLimiter;
  cache: ResponseCache;
  adapters: AdapterRegistry;
  shaper: Shaper;
  artifacts: ArtifactStore;
  audit: AuditSink;
  gain: GainSink;
  confirm: ConfirmationService;
  clock: Clock;
  settings: KernelSettings;
  inventory?: PluginInventory;
  /** Absent: calls that move files are refused. */
  media?: MediaFiles;
  /** Absent: nothing is remembered, and polls find operations by their names alone. */
  operations?: OperationMemory;
  /** Absent: the process default of `lib/log`. */
  log?: Logger;
}

/** The kernel: every operation from every surface runs through `dispatch`. */
export interface Kernel {
  /** Runs one call through the nine steps. Every rejection is a GumError. */
  dispatch(invocation: Invocation, signal?: AbortSignal): Promise<ShapedResponse>;
  /** "" when unknown. */
  serviceFamily(opId: string): string;
  /** Whether the default variant returns a long-running operation. */
  returnsLro(opId: string): boolean;
  cacheStats(): JsonObject;
}
