/**
 * Refreshing the Discovery snapshot (spec 04 §3.13).
 *
 * - `--fetch --from <wheel | folder>` reads the documents that ship in the Python package
 *   `google-api-python-client` (the wheel itself, or a folder of `<api>.<version>.json` files).
 * - `--fetch` alone downloads each document from the URL of its `[apis.*]` table; it needs
 *   network permission for the hosts named there.
 *
 * Either way the documents are pruned to the methods that `overrides.toml` selects, written next
 * to `discovery.lock.json`, and the run stops. Hand-written documents (`source` = `authored` in
 * the lock) are re-digested, never replaced.
 *
 * @module
 */
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import type { DiscoveryDocument } from "../lib/catalog/derive/mod.ts";
import type { ApiTable, Overrides } from "./overrides.ts";
import { sha256Hex } from "../lib/digest/mod.ts";
import { selectedMethods } from "./select.ts";
import { pruneDocument } from "./prune.ts";
import { type DiscoveryLock, documentKey, readLock } from "./snapshot.ts";
import { zipMembers } from "./wheel.ts";

const FETCH_TIMEOUT_MS = 30_000;

/** Where documents come from. */
export interface FetchOptions {
  folder: URL;
  overrides: Overrides;
  /** Wheel file or folder; the documents' own URLs when absent. */
  from?: string;
  /** Only this `[apis.*]` table. */
  onlyApi?: string;
}

type DocumentSource = (api: ApiTable) => Promise<{ text: string; source: string }>;

/** Rewrites the snapshot and its lock; returns one line per document. */
export async function fetchSnapshot(options: FetchOptions): Promise<string[]> {
  const { folder, overrides } = options;
  const lock = await readLock(folder);
  const source = await openSource(options.from);
  const lines: string[] = [];
  const written = new Map<string, Set<string>>();
  for (const [service, api] of Object.entries(overrides.apis)) {
    if (options.onlyApi !== undefined && options.onlyApi !== service) continue;
    const key = documentKey(api);
    // Two services may share a document; its methods are then the union.
    const methods = written.get(key) ?? new Set<string>();
    for (const id of selectedMethods(overrides, service)) methods.add(id);
    written.set(key, methods);
    lines.push(await refresh(api, { folder, lock, source, methods }));
  }
  const sorted: DiscoveryLock = {
    schema_version: 1,
    documents: Object.fromEntries(
      Object.entries(lock.documents).sort(([a], [b]) => a < b ? -1 : 1),
    ),
  };
  await Deno.writeTextFile(
    new URL("discovery.lock.json", folder),
    `${JSON.stringify(sorted, null, 2)}\n`,
  );
  return lines;
}

async function refresh(
  api: ApiTable,
  context: {
    folder: URL;
    lock: DiscoveryLock;
    source: DocumentSource;
    methods: ReadonlySet<string>;
  },
): Promise<string> {
  const key = documentKey(api);
  const path = new URL(`${key}.json`, context.folder);
  if (context.lock.documents[key]?.source === "authored") {
    const bytes = await Deno.readFile(path);
    const document: DiscoveryDocument = JSON.parse(new TextDecoder().decode(bytes));
    context.lock.documents[key] = {
      revision: document.revision,
      sha256: await sha256Hex(bytes),
      url: api.discovery_url,
      source: "authored",
    };
    return `${key}: authored, revision ${document.revision}`;
  }
  const { text, source } = await context.source(api);
  const document = pruneDocument(JSON.parse(text), context.methods);
  const bytes = new TextEncoder().encode(`${JSON.stringify(document, null, 1)}\n`);
  await Deno.writeFile(path, bytes);
  context.lock.documents[key] = {
    revision: document.revision,
    sha256: await sha256Hex(bytes),
    url: api.discovery_url,
    source,
  };
  return `${key}: revision ${document.revision}, ${bytes.length} bytes`;
}

async function openSource(from: string | undefined): Promise<DocumentSource> {
  if (from === undefined) return download;
  const info = await Deno.stat(from);
  if (info.isDirectory) {
    return async (api) => ({
      text: await Deno.readTextFile(`${from}/${documentKey(api)}.json`),
      source: "folder",
    });
  }
  const members = new Map(
    zipMembers(await Deno.readFile(from)).map((member) => [member.name, member]),
  );
  const release = /([A-Za-z0-9_]+)-([0-9][0-9.]*)-/.exec(from.slice(from.lastIndexOf("/") + 1));
  const source = `${(release?.[1] ?? "wheel").replaceAll("_", "-")} ${release?.[2] ?? ""}`.trim();
  return async (api) => {
    const name = `googleapiclient/discovery_cache/documents/${documentKey(api)}.json`;
    const member = members.get(name);
    if (member === undefined) {
      throw new CatalogError("DISCOVERY_SNAPSHOT_INVALID", `${name} is not in the package`);
    }
    return { text: new TextDecoder().decode(await member.read()), source };
  };
}

async function download(api: ApiTable): Promise<{ text: string; source: string }> {
  const response = await fetch(api.discovery_url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new CatalogError(
      "DISCOVERY_SNAPSHOT_INVALID",
      `${api.discovery_url} answered ${response.status}`,
    );
  }
  return { text, source: "url" };
}
