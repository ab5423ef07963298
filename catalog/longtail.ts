/**
 * The long-tail pack: built from the documents of the pinned Python client package, and checked
 * against its digests (spec 04 §10). `generate.ts --include-long-tail --from <wheel>` writes
 * `catalog/longtail/`; every other run leaves it alone, and `--check` verifies it offline.
 *
 * @module
 */
import { sha256Hex } from "../lib/digest/mod.ts";
import type { DiscoveryDocument } from "../lib/catalog/derive/mod.ts";
import { findGumError } from "../lib/errors/mod.ts";
import {
  type BuildContext,
  buildPack,
  type BuiltPack,
  type CuratedService,
  type EarlierPack,
} from "../lib/catalog/longtail/build/mod.ts";
import { CatalogError, validateOp } from "../lib/catalog/validate/mod.ts";
import {
  CHECKSUM_FILE,
  folderSource,
  openLongTail,
  openLongTailSearch,
  PACK_FILES,
  packRenames,
  placedOperations,
  type Renames,
} from "../lib/catalog/longtail/mod.ts";
import type { Catalog, Op } from "../lib/catalog/types.ts";
import { type OutputFiles, readIfPresent, writeOutputs } from "./outputs.ts";
import { riskReview } from "./longtail_risk.ts";
import type { Overrides } from "./overrides.ts";
import { selectedMethods } from "./select.ts";
import { zipMembers } from "./wheel.ts";

/** `catalog/longtail/longtail.lock`: what the pack was built from. */
export interface LongTailLock {
  schema_version: 1;
  package: string;
  version: string;
  /** Digest of the package file. */
  sha256: string;
  counts: BuiltPack["counts"];
  /** Old ids that still work, and since when they are old. */
  renames: Renames;
  /** By `<api>.<version>`. */
  documents: Record<string, { revision: string; sha256: string }>;
}

/** Documents of a wheel, and their digests. */
async function readWheel(
  path: string,
): Promise<{ documents: DiscoveryDocument[]; lock: Omit<LongTailLock, "counts" | "renames"> }> {
  const archive = await Deno.readFile(path);
  const release = /([A-Za-z0-9_]+)-([0-9][0-9.]*)-[^/]*\.whl$/.exec(path);
  if (release === null) {
    throw new CatalogError("DISCOVERY_SNAPSHOT_INVALID", `${path} is not a wheel`);
  }
  const documents: DiscoveryDocument[] = [];
  const digests: [string, { revision: string; sha256: string }][] = [];
  for (const member of zipMembers(archive)) {
    const name = /^googleapiclient\/discovery_cache\/documents\/(.+)\.json$/.exec(member.name)?.[1];
    if (name === undefined || name === "index") continue;
    const bytes = new Uint8Array(await member.read());
    const document: DiscoveryDocument = JSON.parse(new TextDecoder().decode(bytes));
    documents.push(document);
    digests.push([name, { revision: document.revision, sha256: await sha256Hex(bytes) }]);
  }
  digests.sort(([a], [b]) => a < b ? -1 : 1);
  return {
    documents,
    lock: {
      schema_version: 1,
      package: (release[1] ?? "").replaceAll("_", "-"),
      version: release[2] ?? "",
      sha256: await sha256Hex(archive),
      documents: Object.fromEntries(digests),
    },
  };
}

/** What the curated tier tells the long tail. */
function curatedServices(overrides: Overrides): CuratedService[] {
  return Object.entries(overrides.apis).map(([service, api]) => {
    const { discovery_url: _url, include: _include, auth_strategy: _auth, ...known } = api;
    return { ...known, service, methodIds: selectedMethods(overrides, service) };
  });
}

/** What a build needs beside documents and curated ids; shipped, so that updates build alike. */
function packContext(overrides: Overrides): Omit<BuildContext, "curatedOpIds"> {
  const { search, risk = {}, exclude = [] } = overrides;
  return {
    curated: curatedServices(overrides),
    exclude,
    risk,
    aliases: { ...search?.service_aliases, ...search?.long_tail_aliases },
    synonyms: search?.long_tail_synonyms ?? {},
  };
}

/** Builds the pack from a wheel; `ops` are the curated operations, `earlier` the pack before. */
async function buildLongTail(
  path: string,
  { overrides, ops, earlier }: {
    overrides: Overrides;
    ops: readonly Op[];
    earlier: EarlierPack | undefined;
  },
): Promise<{ built: BuiltPack; lock: LongTailLock }> {
  const { documents, lock } = await readWheel(path);
  const context = packContext(overrides);
  const built = await buildPack(documents, {
    ...context,
    curatedOpIds: new Set(ops.map(({ op_id }) => op_id)),
    ...(earlier === undefined ? {} : { earlier }),
  });
  const { documents: digests, ...source } = lock;
  const { counts, renames } = built;
  return { built, lock: { ...source, counts, renames, documents: digests } };
}

/** The pack in the tree; undefined where there is none, or one of another format. */
function committedPack(folder: URL): EarlierPack | undefined {
  const source = folderSource(folder);
  try {
    return { operations: placedOperations(source, () => true), renames: packRenames(source) };
  } catch (error) {
    const unreadable = findGumError(error, "CATALOG_SCHEMA_UNSUPPORTED") !== undefined;
    if (unreadable || error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Largest pack that a build may ship (spec 04 §10). */
const PACK_LIMIT = 4_000_000;

const LOCK_FILE = "longtail.lock";
const CONTEXT_FILE = "longtail.context";

/**
 * Builds the pack and writes it, its lock and the risk review; returns the summary line.
 *
 * @throws CatalogError without a wheel, or when the pack outgrows its limit.
 */
export async function writeLongTail(
  request: {
    wheel: string | undefined;
    folder: URL;
    overrides: Overrides;
    ops: readonly Op[];
  },
): Promise<string> {
  if (request.wheel === undefined) {
    throw new CatalogError(
      "DISCOVERY_SNAPSHOT_INVALID",
      "--include-long-tail needs --from <wheel>",
    );
  }
  const earlier = committedPack(new URL("longtail/", request.folder));
  const { built, lock } = await buildLongTail(request.wheel, { ...request, earlier });
  const bytes = [...built.files.values()].reduce((sum, file) => sum + file.length, 0);
  if (bytes > PACK_LIMIT) {
    const sizes = [...built.files].map(([name, file]) => `${name} ${file.length}`).join(", ");
    throw new CatalogError("CATALOG_REGRESSION", `the pack has ${bytes} bytes: ${sizes}`);
  }
  const encoder = new TextEncoder();
  const files: OutputFiles = new Map(
    [...built.files].map(([name, content]) => [`longtail/${name}`, content]),
  );
  const context = JSON.stringify(packContext(request.overrides));
  files.set(`longtail/${CONTEXT_FILE}`, encoder.encode(`${context}\n`));
  files.set(`longtail/${LOCK_FILE}`, encoder.encode(`${JSON.stringify(lock, null, 1)}\n`));
  await writeOutputs(request.folder, files);
  await writeOutputs(
    new URL("../docs/", request.folder),
    new Map([["longtail-risk-review.tsv", encoder.encode(riskReview(built))]]),
  );
  const { operations, variants, services, documents } = built.counts;
  return `gen-catalog: long tail: ${operations} ops, ${variants} variants, ${services} services, ` +
    `${documents} documents, ${bytes} bytes`;
}

/**
 * What is wrong with a committed pack: digests, size, and whether every operation materialises into
 * a record that the catalog's rules accept and that the index names.
 */
export async function checkLongTail(folder: URL, catalog: Catalog): Promise<string[]> {
  const sums = await readIfPresent(new URL(CHECKSUM_FILE, folder));
  if (sums === undefined) return [`${CHECKSUM_FILE} is missing`];
  const stated = new TextDecoder().decode(sums);
  const problems: string[] = [];
  let bytes = sums.length;
  for (const name of PACK_FILES) {
    const content = await readIfPresent(new URL(name, folder));
    if (content === undefined) problems.push(`${name} is missing`);
    else {
      bytes += content.length;
      const line = `${await sha256Hex(content)}  ${name}\n`;
      if (!stated.includes(line)) problems.push(`${name} differs from ${CHECKSUM_FILE}`);
    }
  }
  if (bytes > PACK_LIMIT) problems.push(`${bytes} bytes, more than ${PACK_LIMIT}`);
  return problems.length > 0 ? problems : checkOperations(folder, catalog);
}

function checkOperations(folder: URL, catalog: Catalog): string[] {
  const source = folderSource(folder);
  const pack = openLongTail(source, { exposure: "all" });
  const search = openLongTailSearch(source, { exposure: "all", synonyms: new Map() });
  const curated = new Set(catalog.ops.flatMap((op) => op.variants.map((v) => v.variant_id)));
  const curatedOps = new Set(catalog.ops.map((op) => op.op_id));
  const problems: string[] = [];
  let count = 0;
  for (const service of pack.services()) {
    for (const opId of pack.operationIds(service)) {
      count++;
      const op = pack.findOp(opId);
      if (op === undefined) {
        problems.push(`${opId} cannot be looked up`);
        continue;
      }
      try {
        validateOp(op);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
      // A curated operation of the same id simply wins; a shared variant id would be ambiguous.
      if (!curatedOps.has(opId) && op.variants.some((v) => curated.has(v.variant_id))) {
        problems.push(`${opId} shares a variant id with a curated operation`);
      }
    }
  }
  if (count !== search.size) problems.push(`${count} operations, but ${search.size} index rows`);
  return problems;
}
