/** What the environment of a plugin is made from (spec 06 §3.13, §3.14; spec 05 §3.15). */

import type { AmbientVariables } from "../../config/environment.ts";
import type { AuditSink, Secret } from "../../dispatch/types.ts";
import type { LockRow, PluginManifest } from "../types.ts";

/** A Google access token for a plugin, and whose it is. */
export interface ForwardedToken {
  token: Secret;
  subjectFingerprint: string;
  /** Full URLs. */
  scopes: readonly string[];
  /** Milliseconds since the epoch. */
  expiresAt?: number;
}

/** Gives a plugin the profile's token; null when nobody is logged in. */
export type TokenResolver = (
  request: { profile: string; plugin: string; scopes: readonly string[] },
  signal: AbortSignal,
) => Promise<ForwardedToken | null>;

/** Reads one stored secret of a plugin; null when there is none. */
export type StoredSecret = (
  credential: { plugin: string; alias: string },
  signal: AbortSignal,
) => Promise<Secret | null>;

/** Where values come from. */
export interface EnvironmentSources {
  profileName: string;
  ambient: AmbientVariables;
  /** Absent: nothing is stored. */
  storedSecret?: StoredSecret;
  /** Absent: no token is ever forwarded. */
  tokenResolver?: TokenResolver;
  audit: AuditSink;
}

/** One spawn. */
export interface SpawnRequest {
  lock: LockRow;
  manifest: PluginManifest;
  /** Absolute data directory of the plugin. */
  dataDir: string;
  /** Set when the sandbox confines writes. */
  temporaryDir?: string;
  /** A missing credential refuses the spawn; otherwise its variable stays unset. */
  requireCredentials: boolean;
}

/** A finished environment and what must never be shown of it. */
export interface SpawnEnvironment {
  variables: Record<string, string>;
  /** Values to redact from everything the plugin says. */
  secrets: readonly string[];
  /** Milliseconds since the epoch, when a forwarded token expires at a known time. */
  tokenExpiresAt?: number;
  /**
   * Records that a token was handed over. To be called once the process runs; does nothing when
   * no token is in the environment.
   */
  recordForwarding(): void;
}
