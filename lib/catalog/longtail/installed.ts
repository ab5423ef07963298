/** Updates of the pack on disk: `<data>/gum/<profile>/longtail/` (spec 04 §10 "Freshness"). */

import { folderSource } from "./files.ts";
import type { PackSource } from "./types.ts";

/** File that names the revision in use; absent: the shipped pack alone. */
export const CURRENT_FILE = "current";
/** Grammar of a revision, which is also a folder's name. */
export const REVISION = /^[0-9]{8}(?:-[a-z0-9]{1,16})?$/;

/** Revision in use, when there is one. */
export function currentRevision(updates: string): string | undefined {
  try {
    const text = Deno.readTextFileSync(`${updates}/${CURRENT_FILE}`).trim();
    return REVISION.test(text) ? text : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw error;
  }
}

/** The services that an update replaced, as a pack; undefined without one. */
export function updatedSource(updates: string | undefined): PackSource | undefined {
  const revision = updates === undefined ? undefined : currentRevision(updates);
  return revision === undefined ? undefined : folderSource(folderUrl(`${updates}/${revision}`));
}

/** A data folder may have any name; in an address `#` and `?` would end the path. */
function folderUrl(path: string): URL {
  const slashed = Deno.build.os === "windows" ? path.replaceAll("\\", "/") : path;
  const spelled = encodeURI(slashed).replaceAll(/[?#]/g, encodeURIComponent);
  return new URL(`file://${spelled.startsWith("/") ? "" : "/"}${spelled}/`);
}
