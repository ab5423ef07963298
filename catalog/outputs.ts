/** Output files: where they go, staging, and comparison with what is committed. */
import type { JsonObject } from "../lib/json/mod.ts";
import { buildIndex, encodeIndex, type SearchIndex } from "../lib/catalog/mod.ts";
import type { Catalog } from "../lib/catalog/types.ts";
import type { BuiltCatalog } from "./build.ts";
import type { Overrides } from "./overrides.ts";
import { byCodeUnit, catalogText, checksumText } from "./serialise.ts";
import { sha256Hex } from "../lib/digest/mod.ts";
import { jcs } from "../lib/format/jcs.ts";

/** Files by path relative to the output folder. */
export type OutputFiles = Map<string, Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

/** Renders every output of a full run, and how many terms the index has. */
export async function renderOutputs(
  built: BuiltCatalog,
  overrides: Overrides,
): Promise<{ files: OutputFiles; indexTerms: number }> {
  const files: OutputFiles = new Map();
  const catalogBytes = encoder.encode(catalogText(built.catalog));
  const digest = await sha256Hex(catalogBytes);
  files.set("catalog.json", catalogBytes);
  files.set("catalog.json.sha256", encoder.encode(checksumText(digest)));
  for (const [path, bytes] of renderSchemas(built.schemas)) files.set(path, bytes);
  const index = indexOf(built.catalog, { overrides, digest });
  files.set("index/bm25.bin", encodeIndex(index));
  files.set("default-fields-schema.json", renderProjections(built));
  return { files, indexTerms: index.terms.length };
}

/** The request schema documents. */
export function renderSchemas(schemas: ReadonlyMap<string, JsonObject>): OutputFiles {
  const sorted = [...schemas].sort(([a], [b]) => byCodeUnit(a, b));
  return new Map(
    sorted.map(([ref, schema]) => [`schemas/${ref}.json`, encoder.encode(jcs(schema))]),
  );
}

/** The search index, from the operations the catalog bytes hold. */
function indexOf(
  catalog: Catalog,
  context: { overrides: Overrides; digest: string },
): SearchIndex {
  return buildIndex(catalog.ops, {
    catalogSha256: context.digest,
    tables: {
      service_aliases: context.overrides.search?.service_aliases ?? {},
      synonyms: context.overrides.search?.synonyms ?? {},
    },
  });
}

/** Skeletons of the responses that a mask is checked against: operations with `default_fields`. */
export function renderProjections(built: BuiltCatalog): Uint8Array<ArrayBuffer> {
  const masked = built.catalog.ops.filter((op) =>
    op.variants.some((variant) => variant.default_fields !== undefined)
  );
  const trees = Object.fromEntries(masked.map((op) => [op.op_id, built.projections[op.op_id]]));
  return encoder.encode(`${JSON.stringify(trees, null, 1)}\n`);
}

/**
 * Writes all files, or none: everything is staged beside its target first and renamed at the end.
 * Schema files that are no longer produced disappear.
 */
export async function writeOutputs(folder: URL, files: OutputFiles): Promise<void> {
  const staged: { from: URL; to: URL }[] = [];
  try {
    for (const [path, bytes] of files) {
      const to = new URL(path, folder);
      const from = new URL(`${path}.staged`, folder);
      await Deno.mkdir(new URL(".", to), { recursive: true });
      await Deno.writeFile(from, bytes);
      staged.push({ from, to });
    }
  } catch (error) {
    for (const { from } of staged) await Deno.remove(from);
    throw error;
  }
  for (const { from, to } of staged) await Deno.rename(from, to);
  for (const path of await staleSchemas(folder, files)) await Deno.remove(new URL(path, folder));
}

/** Differences between produced and committed files, one line each. */
export async function compareOutputs(folder: URL, files: OutputFiles): Promise<string[]> {
  const lines: string[] = [];
  for (const [path, bytes] of files) {
    const committed = await readIfPresent(new URL(path, folder));
    if (committed === undefined) lines.push(`missing: ${path}`);
    else if (!equalBytes(committed, bytes)) lines.push(`differs: ${path}`);
  }
  for (const path of await staleSchemas(folder, files)) lines.push(`stale: ${path}`);
  return lines;
}

async function staleSchemas(folder: URL, files: OutputFiles): Promise<string[]> {
  if (![...files.keys()].some((path) => path.startsWith("schemas/"))) return [];
  const stale: string[] = [];
  try {
    for await (const entry of Deno.readDir(new URL("schemas/", folder))) {
      const path = `schemas/${entry.name}`;
      if (entry.isFile && !entry.name.startsWith("_") && !files.has(path)) stale.push(path);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return stale.sort(byCodeUnit);
}

/** Bytes of a file; undefined when it does not exist. */
export async function readIfPresent(path: URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
