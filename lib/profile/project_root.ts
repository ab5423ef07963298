/** Which directory a project's profiles come from (spec 03 §3.3). */

import { GumError } from "../errors/mod.ts";

/**
 * The profiles directory of the nearest ancestor of `start` that has a `.gum` folder. Undefined when
 * there is none, or when the folder belongs to somebody else.
 */
export function projectProfilesDirectory(
  start: string,
  options: { uid?: number | null } = {},
): string | undefined {
  if (start === "") return undefined;
  for (let directory = start;;) {
    const folder = `${directory === "/" ? "" : directory}/.gum`;
    if (isDirectory(folder)) {
      const profiles = `${folder}/profiles`;
      return isOwn(folder, options.uid) && isOwn(profiles, options.uid) ? profiles : undefined;
    }
    const parent = parentOf(directory);
    if (parent === undefined) return undefined;
    directory = parent;
  }
}

function parentOf(directory: string): string | undefined {
  const trimmed = directory.replace(/[/\\]+$/, "");
  const cut = Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\"));
  if (cut < 0 || trimmed === "") return undefined;
  return cut === 0 ? "/" : trimmed.slice(0, cut);
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

/** Whether a directory belongs to the user; unknown owners (Windows) and absent ones pass. */
export function isOwn(path: string, uid: number | null | undefined): boolean {
  if (uid === null || uid === undefined) return true;
  try {
    const owner = Deno.statSync(path).uid;
    return owner === null || owner === uid;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/** The roots table of an MCP session. */
export interface RootChoice {
  /** `file://` roots of the client, as sent. */
  fileRoots: readonly string[];
  /** `_meta.gumRoot` of the call. */
  gumRoot?: string;
}

/**
 * The root whose profiles apply to a call; undefined disables the project layer.
 *
 * @throws GumError `PROJECT_ROOT_REQUIRED` when the call must name a root or named a wrong one.
 */
export function chooseProjectRoot(choice: RootChoice): string | undefined {
  const { fileRoots, gumRoot } = choice;
  if (fileRoots.length === 0) return undefined;
  if (gumRoot === undefined) {
    if (fileRoots.length === 1) return fileRoots[0];
    throw rootRequired("missing_gumroot_in_multi_root_session", choice);
  }
  if (!gumRoot.startsWith("file://")) throw rootRequired("gumroot_not_file_uri", choice);
  if (!fileRoots.includes(gumRoot)) throw rootRequired("gumroot_not_in_negotiated_set", choice);
  return gumRoot;
}

function rootRequired(reason: string, choice: RootChoice): GumError {
  return new GumError("PROJECT_ROOT_REQUIRED", {
    message: `the project root of this call is not clear: ${reason}`,
    details: {
      reason,
      negotiated_roots: [...choice.fileRoots],
      supplied_root: choice.gumRoot ?? null,
    },
    userMessage: "It is not clear which project this call belongs to.",
    suggestion: "Pass one of the negotiated roots as _meta.gumRoot.",
  });
}
