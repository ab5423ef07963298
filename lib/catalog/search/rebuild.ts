/** Rebuilding the index in memory when the shipped one is unusable. Off the normal start-up path. */

import { readAssetText } from "../../assets/mod.ts";
import { loadCatalog } from "../load.ts";
import type { Op } from "../types.ts";
import { buildIndex, EMPTY_TABLES } from "./build.ts";
import { salvageTables } from "./index_file.ts";
import type { SearchIndex, SearchTables } from "./types.ts";

/** What is known when a rebuild starts. */
export interface RebuildOptions {
  /** The unusable file, when it could be read at all. */
  damaged?: Uint8Array;
  /** Operations to index; default: the embedded catalog's. */
  ops?: readonly Op[];
  /** Digest for the new index. */
  catalogSha256: string;
}

/** An index over the catalog, undefined when the catalog is empty. */
export async function rebuildIndex(options: RebuildOptions): Promise<SearchIndex | undefined> {
  const ops = options.ops ?? loadCatalog().ops;
  if (ops.length === 0) return undefined;
  const tables = (options.damaged && salvageTables(options.damaged)) ?? await manifestTables();
  return buildIndex(ops, { catalogSha256: options.catalogSha256, tables });
}

/** The tables as their authors wrote them; a build without the manifest searches without them. */
async function manifestTables(): Promise<SearchTables> {
  let manifest: string;
  try {
    manifest = readAssetText("catalog/overrides.toml");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return EMPTY_TABLES;
    throw error;
  }
  const { parse } = await import("smol-toml");
  return { ...EMPTY_TABLES, ...(parse(manifest).search as Partial<SearchTables> | undefined) };
}
