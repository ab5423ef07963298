/** The pinned Discovery snapshot: documents and the lock file that vouches for them. */
import { sha256Hex } from "../lib/digest/mod.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import type { DiscoveryDocument } from "../lib/catalog/derive/mod.ts";
import type { ApiTable, Overrides } from "./overrides.ts";

/** What the lock says about one document. */
export interface LockEntry {
  revision: string;
  /** Lowercase hex digest of the committed file. */
  sha256: string;
  url: string;
  /** `authored` for a hand-written document, else the package or `url` it was fetched from. */
  source: string;
}

/** `discovery.lock.json`. */
export interface DiscoveryLock {
  schema_version: 1;
  /** By `<api>.<version>`. */
  documents: Record<string, LockEntry>;
}

/** File stem of an API's document. */
export function documentKey(api: ApiTable): string {
  return `${api.api}.${api.version}`;
}

/** Reads the lock; an empty one when the file does not exist. */
export async function readLock(folder: URL): Promise<DiscoveryLock> {
  try {
    const lock: DiscoveryLock = JSON.parse(
      await Deno.readTextFile(new URL("discovery.lock.json", folder)),
    );
    return lock;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { schema_version: 1, documents: {} };
    throw error;
  }
}

/**
 * Loads every document the overrides name, checked against lock and table.
 *
 * @throws CatalogError `DISCOVERY_SNAPSHOT_INVALID`.
 */
export async function loadSnapshot(
  folder: URL,
  overrides: Overrides,
): Promise<Map<string, DiscoveryDocument>> {
  const lock = await readLock(folder);
  const documents = new Map<string, DiscoveryDocument>();
  for (const [service, api] of Object.entries(overrides.apis)) {
    documents.set(service, await loadDocument(folder, { api, lock }));
  }
  return documents;
}

async function loadDocument(
  folder: URL,
  context: { api: ApiTable; lock: DiscoveryLock },
): Promise<DiscoveryDocument> {
  const { api, lock } = context;
  const key = documentKey(api);
  const invalid = (detail: string): CatalogError =>
    new CatalogError("DISCOVERY_SNAPSHOT_INVALID", `${key}: ${detail}`);
  const entry = lock.documents[key];
  if (entry === undefined) throw invalid("not in discovery.lock.json");
  const bytes = await Deno.readFile(new URL(`${key}.json`, folder));
  if (await sha256Hex(bytes) !== entry.sha256) throw invalid("digest differs from the lock");
  const document: DiscoveryDocument = JSON.parse(new TextDecoder().decode(bytes));
  if (document.name !== api.api || document.version !== api.version) {
    throw invalid(`the file holds ${document.name} ${document.version}`);
  }
  if (document.revision !== entry.revision) throw invalid("revision differs from the lock");
  if (api.discovery_url !== entry.url) throw invalid("URL differs from the lock");
  return document;
}
