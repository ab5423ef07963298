/** What a health check is and what a report of them looks like (spec 05 §3.20). */

import type { Clock } from "../clock/mod.ts";
import type { ConfigWarning, LoadedConfig } from "../config/mod.ts";
import type { BaseDirectories } from "../config/directories.ts";
import type { Environment } from "../config/environment.ts";
import type { Logger } from "../log/mod.ts";

/** What a check may look at. It stays on this machine and asks nobody. */
export interface DoctorContext {
  profileName: string;
  /** Base directories, without a `gum` component. */
  directories: BaseDirectories;
  environment: Environment;
  os: string;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
}

/** The checks, by name. */
export type CheckName = "auth" | "audit" | "cache" | "plugin" | "config";

/** What the checks share beside it. */
export interface CheckContext extends DoctorContext {
  /** The profile's configuration, read once. @throws GumError when the file cannot be used. */
  configuration(): Promise<LoadedConfig>;
}

/** What a check found. A failed one always has a hint. */
export type DoctorFinding =
  & { summary: string; warnings?: ConfigWarning[] }
  & ({ ok: true; hint?: string } | { ok: false; hint: string });

/** One check. */
export interface DoctorCheck {
  name: CheckName;
  run(context: CheckContext): Promise<DoctorFinding>;
}

/** All checks, in order. */
export interface DoctorReport {
  ok: boolean;
  profile: string;
  checks: ({ name: string } & DoctorFinding)[];
}
