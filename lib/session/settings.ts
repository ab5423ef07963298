/** A profile's configuration as the parts of a session want it (spec 05 §3.2, §8). */

import type { ArtifactOptions } from "../artifact/mod.ts";
import {
  emptyConfig,
  expectedSubjects,
  invalidPolicyKey,
  loadConfig,
  type ProfileConfig,
  setting,
  settingFamily,
} from "../config/mod.ts";
import type { CodeLimits } from "../code/types.ts";
import type { AuthResolver, KernelSettings } from "../dispatch/types.ts";
import { findGumError, type GumError } from "../errors/mod.ts";
import { gainSwitch } from "../gain/mod.ts";
import type { RateLimiterOptions } from "../limiter/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { LocalStateSettings } from "./local_state.ts";
import type { Session, SessionOptions } from "./types.ts";

/** The configuration of a session; an unreadable file leaves an empty one and the reason. */
export interface SessionConfiguration {
  config: ProfileConfig;
  problem: GumError | undefined;
}

/** Loads the profile's file. Never rejects for what is in it. */
export async function sessionConfiguration(
  options: Pick<SessionOptions, "profileName" | "directories"> & { log: Logger },
): Promise<SessionConfiguration> {
  const { profileName, directories, log } = options;
  const directory = directories?.config === undefined
    ? undefined
    : `${directories.config}/gum/${profileName}`;
  try {
    const { config } = await loadConfig({ profileName, directory, log });
    return { config, problem: undefined };
  } catch (error) {
    const problem = findGumError(error);
    if (problem === undefined) throw error;
    return { config: emptyConfig(profileName), problem };
  }
}

/** What the kernel reads. A limit of the session itself can only narrow the profile's. */
export function kernelSettings(
  config: ProfileConfig,
  options: Pick<SessionOptions, "policyMode" | "mediaDirs" | "emulator">,
): KernelSettings {
  return {
    profileName: config.profileName,
    allowOps: [...setting(config, "policy.allow_ops")],
    denyOps: [...setting(config, "policy.deny_ops")],
    invalidPolicyKey: invalidPolicyKey(config),
    policyMode: narrowerMode(options.policyMode, setting(config, "policy.mode")),
    adminWrites: setting(config, "policy.admin_writes"),
    strictValidation: setting(config, "validation.strict"),
    unknownReadParamsAllowlist: Object.fromEntries(
      [...settingFamily(config, "validation.unknown_read_params_allowlist.<op_id>")]
        .map(([opId, names]) => [opId, [...names]]),
    ),
    preferredInterfaceKinds: [...setting(config, "dispatch.preferred_interface_kinds")],
    normalizeDatetimes: setting(config, "cache.normalize_datetimes"),
    diffOnly: setting(config, "cache.diff_only"),
    // The emulator's account is nobody's, so there is nobody to be confused with.
    expectedSubjects: options.emulator ? {} : { ...expectedSubjects(config) },
    defaultFormat: setting(config, "output.default_format"),
    teeMode: setting(config, "output.tee_mode"),
    mediaDirs: options.mediaDirs ?? setting(config, "media.dirs"),
  };
}

type PolicyMode = NonNullable<KernelSettings["policyMode"]>;

/** Each mode allows what the one before it allows, and more. */
const MODES: readonly PolicyMode[] = ["read_only", "draft_only", "no_delete", "full"];

/** The stricter of two policy modes. */
export function narrowerMode(one: PolicyMode | undefined, other: PolicyMode): PolicyMode {
  return one !== undefined && MODES.indexOf(one) < MODES.indexOf(other) ? one : other;
}

/** How the MCP surface shows things in this profile; names of `mcp/` (spec 05 §8). */
export function surfaceSettings(
  config: ProfileConfig,
): Pick<Session, "tuning" | "untrustedText"> {
  return {
    tuning: {
      searchK: setting(config, "meta_tools.search_apis.k"),
      searchMaxItems: setting(config, "meta_tools.search_apis.collapse_arrays.max_items"),
      searchTruncateChars: setting(config, "meta_tools.search_apis.truncate_strings.default_chars"),
      describeMaxVariants: setting(config, "meta_tools.describe_op.max_variants"),
    },
    untrustedText: setting(config, "output.untrusted_text"),
  };
}

/** Limits of scripts. What one command asks for wins over the profile. */
export function codeLimits(
  config: ProfileConfig,
  options: Pick<SessionOptions, "codeTimeoutMs">,
): CodeLimits {
  return {
    timeoutMs: options.codeTimeoutMs ?? setting(config, "code.timeout_seconds") * 1000,
    maxSteps: setting(config, "code.max_steps"),
    memoryBytes: setting(config, "code.memory_mb") * 1024 * 1024,
    outputBytes: setting(config, "code.output_limit_bytes"),
    concurrency: setting(config, "code.parallel_concurrency"),
  };
}

/** Pacing. */
export function limiterSettings(
  config: ProfileConfig,
): Pick<RateLimiterOptions, "capacity" | "refillPerSecond" | "maxWaitMs"> {
  return {
    capacity: setting(config, "rate_limit.capacity"),
    refillPerSecond: setting(config, "rate_limit.refill_per_second"),
    maxWaitMs: setting(config, "rate_limit.max_wait_ms"),
  };
}

/** Recovery artifacts. */
export function artifactSettings(config: ProfileConfig): Pick<ArtifactOptions, "retentionHours"> {
  return { retentionHours: setting(config, "output.tee_retention_hours") };
}

/** Cache, audit log and token accounting. `gainDisabled` is the environment's word, which wins. */
export function localStateSettings(
  config: ProfileConfig,
  options: { gainDisabled: boolean },
): LocalStateSettings {
  return {
    cache: {
      enabled: setting(config, "cache.enabled"),
      persist: setting(config, "cache.persist"),
      maxSizeMb: setting(config, "cache.max_size_mb"),
      maxEntries: setting(config, "cache.max_entries"),
      ttl: Object.fromEntries(settingFamily(config, "cache.ttl.<op_id>")),
      etagRetentionHours: setting(config, "cache.etag_retention_hours"),
    },
    gain: gainSwitch({
      disabledByEnvironment: options.gainDisabled,
      configured: setting(config, "gain.enabled"),
    }),
    audit: {
      maxSizeMb: setting(config, "audit.max_size_mb"),
      maxFiles: setting(config, "audit.max_files"),
      retentionDays: setting(config, "audit.retention_days"),
      unbounded: setting(config, "audit.unbounded"),
      drainTimeoutSeconds: setting(config, "audit.drain_timeout_seconds"),
    },
  };
}

/**
 * Refuses every credential while the configuration cannot be read, because the file may hold the
 * check of whose credential it must be. What needs no credential still runs.
 */
export function withConfigurationGate(
  auth: AuthResolver,
  problem: GumError | undefined,
): AuthResolver {
  if (problem === undefined) return auth;
  return {
    resolve(request, signal) {
      const strategy = request.variant.auth_strategy;
      return strategy === "none" || strategy === "plugin_managed"
        ? auth.resolve(request, signal)
        : Promise.reject(problem);
    },
  };
}
