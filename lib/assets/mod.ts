/**
 * The read-only files that ship with GUM: catalog, index, schemas, help, skills, profiles.
 *
 * They are read from beside the sources, and from inside the compiled executable, by the same
 * relative place: this module sits two folders below the root in the tree, and so do the chunks of
 * the bundle that `deno task compile` makes. No override path exists on the user's disk.
 *
 * @module
 */

const ROOT = new URL("../../", import.meta.url);

/** URL of a shipped file, by its path from the root, e.g. `catalog/catalog.json`. */
export function assetUrl(path: string): URL {
  return new URL(path, ROOT);
}

/** Bytes of a shipped file. @throws Deno.errors.NotFound when it does not exist. */
export function readAsset(path: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(assetUrl(path));
}

/** Text of a shipped file. @throws Deno.errors.NotFound when it does not exist. */
export function readAssetText(path: string): string {
  return Deno.readTextFileSync(assetUrl(path));
}
