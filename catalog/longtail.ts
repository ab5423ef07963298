/**
 * The long-tail pack: built from the documents of the pinned Python client package, and checked
 * against its digests (spec 04 §10). `generate.ts --include-long-tail --from <wheel>` writes
 * `catalog/longtail/`; every other run leaves it alone, and `--check` verifies it offline.
 *
 * @module
 */
import type { DiscoveryDocument } from "../lib/catalog/derive/mod.ts";
import { buildPack, type BuiltPack, sha256 } from "../lib/catalog/longtail/build/build.ts";
import type { CuratedService } from "../lib/catalog/longtail/build/select.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { Overrides } from "./overrides.ts";
import { selectedMethods } from "./select.ts";
import { zipMembers } from "./wheel.ts";

/** `catalog/longtail/longtail.lock.json`: what the pack was built from. */
export interface LongTailLock {
  schema_version: 1;
  package: string;
  version: string;
  /** Digest of the package file. */
  sha256: string;
  counts: BuiltPack["counts"];
  /** By `<api>.<version>`. */
  documents: Record<string, { revision: string; sha256: string }>;
}

/** Documents of a wheel, and their digests. */
export async function readWheel(
  path: string,
): Promise<{ documents: DiscoveryDocument[]; lock: Omit<LongTailLock, "counts"> }> {
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
    digests.push([name, { revision: document.revision, sha256: await sha256(bytes) }]);
  }
  digests.sort(([a], [b]) => a < b ? -1 : 1);
  return {
    documents,
    lock: {
      schema_version: 1,
      package: (release[1] ?? "").replaceAll("_", "-"),
      version: release[2] ?? "",
      sha256: await sha256(archive),
      documents: Object.fromEntries(digests),
    },
  };
}

/** What the curated tier tells the long tail. */
export function curatedServices(overrides: Overrides): CuratedService[] {
  return Object.entries(overrides.apis).map(([service, api]) => ({
    ...api,
    service,
    methodIds: selectedMethods(overrides, service),
  }));
}

/** Builds the pack from a wheel. */
export async function buildLongTail(
  path: string,
  overrides: Overrides,
): Promise<{ built: BuiltPack; lock: LongTailLock }> {
  const { documents, lock } = await readWheel(path);
  const built = await buildPack(documents, {
    curated: curatedServices(overrides),
    curatedOpIds: new Set(loadCatalog().ops.map(({ op_id }) => op_id)),
    exclude: overrides.exclude ?? [],
    risk: overrides.risk ?? {},
    aliases: {
      ...overrides.search?.service_aliases,
      ...overrides.search?.long_tail_aliases,
    },
  });
  return { built, lock: { ...lock, counts: built.counts } };
}
