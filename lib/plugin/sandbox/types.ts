/** Confining a plugin's process with what the host offers (spec 06 §3.15). */

import type { Environment } from "../../config/environment.ts";
import type { SandboxReport } from "../types.ts";

/** Programs that can confine another one. */
export type BackendName = "bubblewrap" | "landlock" | "landrun" | "sandbox-exec";

/** What one plugin may do. */
export interface ConfinementPolicy {
  /** Writable directories, absolute, existing. */
  writable: readonly string[];
  /** False: no network at all. */
  network: boolean;
  /** Directories the plugin must not look into, except {@link readable}. */
  hidden: readonly string[];
  /** Directories inside hidden ones, or outside the system's, that it needs to read. */
  readable: readonly string[];
  /** Only system folders and {@link readable} may be read. */
  strictRead: boolean;
}

/** A command before or after it was wrapped. */
export interface PlannedCommand {
  /** Absolute path of the program. */
  program: string;
  args: readonly string[];
}

/** How one backend wraps a command. */
export interface Backend {
  name: BackendName;
  /** Name of the program on the search path, or an absolute path. */
  program: string;
  os: readonly string[];
  /** Whether it enforces {@link ConfinementPolicy.strictRead}. */
  limitsReads: boolean;
  wrap(command: PlannedCommand, plan: BackendPlan): PlannedCommand;
}

/** What a backend needs beside the command. */
export interface BackendPlan {
  /** Absolute path of the backend's program. */
  program: string;
  policy: ConfinementPolicy;
  cwd: string;
  /** Take every capability away, where a probe found that to work: those of root undo confinement. */
  dropCapabilities?: boolean;
  /** `unshare` in front cuts the network; absolute path, when a probe found it to work. */
  unshare?: string;
}

/** What a probe found that a backend really does on this host. */
export interface ProbeResult {
  usable: boolean;
  writes: boolean;
  network: boolean;
  /** Why it cannot be used; for `gum doctor`. */
  reason?: string;
}

/** `plugins.sandbox`, `plugins.sandbox_network` and `plugins.sandbox_read`. */
export interface SandboxSettings {
  isDev: boolean;
  /** `auto`, `off` or the name of a backend. */
  backend: string;
  network: "strict" | "best_effort";
  read: "open" | "strict";
}

/** What a sandbox is chosen with. */
export interface SandboxParts {
  environment: Environment;
  settings: SandboxSettings;
  /** Configuration and data of GUM itself. */
  hidden: readonly string[];
  os?: string;
}

/** The chosen confinement of one plugin. */
export interface ChosenSandbox {
  report: SandboxReport;
  /** Whether writes outside the plugin's directory fail. */
  confinesWrites: boolean;
  wrap(command: PlannedCommand, plan: { policy: ConfinementPolicy; cwd: string }): PlannedCommand;
}
