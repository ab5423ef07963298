/**
 * Account profile names and the directories that belong to one (spec 05 §3.1).
 *
 * Pure: nothing here touches the disk, so a bad name can never leave anything behind.
 *
 * @module
 */

import { GumError } from "../errors/mod.ts";
import type { Environment } from "./environment.ts";

/** Profile used when nothing selects another. */
export const DEFAULT_PROFILE = "default";

const NAME_GRAMMAR = /^[A-Za-z0-9._-]{1,64}$/;

/** `profiles` is the folder of user-global expression profiles. */
const RESERVED_NAMES = new Set(["profiles"]);

const WINDOWS_DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;

/**
 * Checks an account profile name and returns it; the empty string means {@link DEFAULT_PROFILE}.
 *
 * @throws GumError `PROFILE_NAME_INVALID`
 */
export function profileName(given: string, os: string = Deno.build.os): string {
  if (given === "") return DEFAULT_PROFILE;
  const problem = nameProblem(given, os);
  if (problem === undefined) return given;
  const shown = JSON.stringify(given.length > 80 ? given.slice(0, 80) + "…" : given);
  throw new GumError("PROFILE_NAME_INVALID", {
    message: `invalid profile name ${shown}: ${problem}`,
    suggestion: "Use 1 to 64 letters, digits, dots, underscores or hyphens.",
  });
}

/** True for a name that {@link profileName} would accept as it stands. */
export function isProfileName(given: string, os: string = Deno.build.os): boolean {
  return given !== "" && nameProblem(given, os) === undefined;
}

function nameProblem(name: string, os: string): string | undefined {
  if (!NAME_GRAMMAR.test(name)) return "only letters, digits, '.', '_' and '-', at most 64";
  if (name === "." || name.includes("..")) return "it would name another directory";
  if (RESERVED_NAMES.has(name.toLowerCase())) return "the name is reserved";
  if (os === "windows" && (WINDOWS_DEVICES.test(name) || name.endsWith("."))) {
    return "Windows reserves the name";
  }
  return undefined;
}

/**
 * Chooses the account profile: the flag when it was given, else `GUM_PROFILE`, else the default.
 *
 * @throws GumError `PROFILE_NAME_INVALID`
 */
export function selectProfile(
  choice: { flag: string | undefined; environment: Environment },
): string {
  return profileName(choice.flag ?? choice.environment.text("GUM_PROFILE") ?? "");
}

/** The three base directories, without a `gum` component. */
export interface BaseDirectories {
  config: string;
  data: string;
  cache: string;
}

/**
 * The home directory: `HOME`, else `USERPROFILE`. A relative one would scatter files over whatever
 * directory a command happens to run in, so it counts as none.
 */
export function homeDirectory(environment: Environment): string | undefined {
  return [environment.text("HOME"), environment.text("USERPROFILE")]
    .find((home) => home !== undefined && isAbsolutePath(home));
}

/** Raised where a home directory is needed; `variable` is another way to say where files go. */
export function homeUnresolved(environment: Environment, variable?: string): GumError {
  const set = environment.text("HOME") !== undefined ||
    environment.text("USERPROFILE") !== undefined;
  return new GumError("HOME_UNRESOLVED", {
    message: set
      ? "no home directory: HOME is not an absolute path"
      : "no home directory: neither HOME nor USERPROFILE is set",
    details: variable === undefined ? {} : { variable },
    suggestion: variable === undefined
      ? "Set HOME to an absolute path."
      : `Set HOME, or ${variable} to an absolute path.`,
  });
}

/**
 * Base directories by the XDG rules: an absolute `XDG_*_HOME`, else the usual folder under the
 * home directory. The same layout serves every operating system.
 *
 * @throws GumError `HOME_UNRESOLVED` when a base needs a home directory and there is none.
 */
export function baseDirectories(environment: Environment): BaseDirectories {
  const home = homeDirectory(environment);
  const base = (
    variable: "XDG_CONFIG_HOME" | "XDG_DATA_HOME" | "XDG_CACHE_HOME",
    below: string,
  ) => {
    const explicit = environment.text(variable)?.trim();
    if (explicit !== undefined && explicit !== "" && isAbsolutePath(explicit)) return explicit;
    if (home === undefined) throw homeUnresolved(environment, variable);
    return joinPath(home, below);
  };
  return {
    config: base("XDG_CONFIG_HOME", ".config"),
    data: base("XDG_DATA_HOME", ".local/share"),
    cache: base("XDG_CACHE_HOME", ".cache"),
  };
}

/** The directories of one account profile: `<base>/gum/<profile>`. */
export function profileDirectories(bases: BaseDirectories, profile: string): BaseDirectories {
  const own = (base: string) => joinPath(base, `gum/${profile}`);
  return { config: own(bases.config), data: own(bases.data), cache: own(bases.cache) };
}

/** True for a POSIX path from the root, a drive path or a UNC path. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

// `node:path` would cost more at start-up than everything else here together.
function joinPath(base: string, below: string): string {
  return base.replace(/[\\/]+$/, "") + "/" + below;
}
