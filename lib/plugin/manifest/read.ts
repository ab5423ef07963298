/** Finding and decoding a manifest file: the first gate (spec 06 §3.1, gate 1). */

import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { readIfPresent } from "../file_system.ts";
import { canonicalForm } from "./flat_form.ts";
import { invalidManifest } from "./refusals.ts";

const MANIFEST_LIMIT = 256 * 1024;

/** Names under which a manifest may lie. */
export const MANIFEST_FILE_NAMES = ["plugin.toml", "manifest.json"] as const;

/** A manifest file. */
export interface ManifestFile {
  directory: string;
  fileName: typeof MANIFEST_FILE_NAMES[number];
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The manifest file of a directory.
 *
 * @throws GumError `PLUGIN_MANIFEST_NOT_FOUND`, or `PLUGIN_MANIFEST_INVALID` when there are two.
 */
export async function findManifestFile(directory: string): Promise<ManifestFile> {
  const found: ManifestFile[] = [];
  for (const fileName of MANIFEST_FILE_NAMES) {
    const bytes = await readSmall(`${directory}/${fileName}`);
    if (bytes !== undefined) found.push({ directory, fileName, bytes });
  }
  const [only, second] = found;
  if (second !== undefined) {
    throw invalidManifest("", "plugin.toml and manifest.json are both there");
  }
  if (only === undefined) {
    throw new GumError("PLUGIN_MANIFEST_NOT_FOUND", {
      message: `no plugin.toml or manifest.json in ${directory}`,
    });
  }
  return only;
}

async function readSmall(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const { size, isFile } = await Deno.stat(path);
    if (!isFile) return undefined;
    if (size > MANIFEST_LIMIT) throw invalidManifest("", "larger than 256 KiB");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
  return await readIfPresent(path);
}

/**
 * The tree of a manifest in canonical form, whatever the file's form.
 *
 * @throws GumError `PLUGIN_MANIFEST_INVALID` and nothing else, whatever the bytes.
 */
export async function decodeManifest(
  file: Pick<ManifestFile, "fileName" | "bytes">,
): Promise<JsonObject> {
  if (file.bytes.length > MANIFEST_LIMIT) throw invalidManifest("", "larger than 256 KiB");
  let tree: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(file.bytes);
    const parsed = file.fileName === "plugin.toml"
      ? (await import("smol-toml")).parse(text)
      : JSON.parse(text);
    // One plain tree, whatever the parser made: dates become text, odd numbers become null.
    tree = JSON.parse(JSON.stringify(parsed));
  } catch (error) {
    throw invalidManifest("", `${file.fileName} cannot be parsed`, error);
  }
  if (!isJsonObject(tree)) throw invalidManifest("", "the manifest is not a table");
  return file.fileName === "manifest.json" ? canonicalForm(tree) : tree;
}
