/** Which directory a project's profiles come from (spec 03 §3.3). */

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
      const { uid } = options;
      return isPresentAndOwn(folder, uid) && isPresentAndOwn(profiles, uid) ? profiles : undefined;
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

/** A folder that may not be looked at is nobody's project: every command walks past it. */
function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    const { NotFound, NotADirectory, PermissionDenied, FilesystemLoop } = Deno.errors;
    if (
      [NotFound, NotADirectory, PermissionDenied, FilesystemLoop].some((kind) =>
        error instanceof kind
      )
    ) return false;
    throw error;
  }
}

/**
 * Whether a directory is there and belongs to the user. Unknown owners (Windows) pass, and so does
 * what cannot be looked at: whoever reads it says why.
 */
export function isPresentAndOwn(path: string, uid: number | null | undefined): boolean {
  try {
    const owner = Deno.statSync(path).uid;
    return uid === null || uid === undefined || owner === null || owner === uid;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
