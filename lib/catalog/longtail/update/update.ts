/** Fetching what changed, building its pack, and putting it in use in one step. */

import { sha256Hex } from "../../../digest/mod.ts";
import { findGumError, GumError } from "../../../errors/mod.ts";
import { ensurePrivateDir, writeFileAtomic } from "../../../files/mod.ts";
import type { DiscoveryDocument } from "../../derive/mod.ts";
import type { BuildContext } from "../build/build.ts";
import type { EarlierPack } from "../build/renames.ts";
import { embeddedSource } from "../files.ts";
import { CURRENT_FILE, currentRevision, REVISION, updatedSource } from "../installed.ts";
import { packRenames, placedOperations } from "../methods.ts";
import { serviceKey } from "../naming.ts";
import type { PackSource } from "../types.ts";
import { type DocumentList, type ListedDocument, verifiedList } from "./signed_list.ts";

/** Everything an update works with. */
export interface UpdateContext {
  /** `<data>/gum/<profile>/longtail`. */
  updates: string;
  /** Where the list is; its signature is at the same address with `.sig`. */
  listUrl: string;
  /** Ed25519 key of the release channel, 32 bytes. */
  publicKey: Uint8Array<ArrayBuffer>;
  /** Digests of the documents that the shipped pack was built from, by `<api>.<version>`. */
  shipped: Readonly<Record<string, { sha256: string }>>;
  /** Reviewed facts, as for a build. */
  build: BuildContext;
  /** Body of a 200 answer. @throws GumError for every other one */
  download: (url: string) => Promise<Uint8Array<ArrayBuffer>>;
}

/** What an update did. */
export interface UpdateReport {
  revision: string;
  status: "updated" | "up_to_date" | "rolled_back";
  downloaded: number;
  services: string[];
  operations: number;
}

/** Brings the long tail up to the release channel's list. */
export async function updateLongTail(context: UpdateContext): Promise<UpdateReport> {
  const [bytes, signature] = await Promise.all([
    context.download(context.listUrl),
    context.download(`${context.listUrl}.sig`),
  ]);
  const list = await verifiedList({ bytes, signature }, context.publicKey);
  const installed = currentRevision(context.updates);
  if (installed !== undefined && list.revision < installed) {
    throw new GumError("POLICY_DENIED", {
      message: `the list of ${list.revision} is older than what is installed`,
      details: { reason: "revision_older", installed, offered: list.revision },
      suggestion: "To go back, run: gum catalog update --rollback",
    });
  }
  const services = changedServices(list, context.shipped);
  const nothing = { revision: list.revision, downloaded: 0, services: [], operations: 0 };
  if (list.revision === installed || (services.size === 0 && installed === undefined)) {
    return { ...nothing, status: "up_to_date" };
  }
  if (services.size === 0 && installed !== undefined) {
    // What ships is what is listed, as after an upgrade of GUM; the update would only hide it.
    await stopUsing(context.updates, installed);
    return { ...nothing, status: "updated" };
  }
  // A service is built whole: its other versions become variants.
  const wanted = list.documents.filter(({ api }) => services.has(serviceKey(api)));
  const documents: DiscoveryDocument[] = [];
  for (const listed of wanted) documents.push(await checkedDocument(listed, context));
  const { buildPack } = await import("../build/mod.ts");
  const earlier = earlierPack(context.updates, services);
  const built = await buildPack(documents, { ...context.build, earlier });
  await install(context.updates, { revision: list.revision, files: built.files });
  return {
    revision: list.revision,
    status: "updated",
    downloaded: documents.length,
    services: [...services].sort(),
    operations: built.counts.operations,
  };
}

function changedServices(
  list: DocumentList,
  shipped: UpdateContext["shipped"],
): ReadonlySet<string> {
  const changed = list.documents.filter(({ api, version, sha256 }) =>
    shipped[`${api}.${version}`]?.sha256 !== sha256
  );
  return new Set(changed.map(({ api }) => serviceKey(api)));
}

/** What the services were before: in the update that is in use, else as shipped. */
function earlierPack(updates: string, services: ReadonlySet<string>): EarlierPack {
  const shipped = packState(embeddedSource(), (service) => services.has(service));
  const update = updatedSource(updates);
  if (update === undefined) return shipped;
  try {
    const updated = packState(update, (service) => services.has(service));
    const replaced = new Set(updated.operations.map(({ service }) => service));
    return {
      operations: [
        ...updated.operations,
        ...shipped.operations.filter(({ service }) => !replaced.has(service)),
      ],
      renames: { ...shipped.renames, ...updated.renames },
    };
  } catch (error) {
    // An update by another version of GUM; this one replaces it.
    if (findGumError(error, "CATALOG_SCHEMA_UNSUPPORTED") === undefined) throw error;
    return shipped;
  }
}

function packState(source: PackSource, wanted: (service: string) => boolean): EarlierPack {
  return { operations: placedOperations(source, wanted), renames: packRenames(source) };
}

async function checkedDocument(
  listed: ListedDocument,
  context: UpdateContext,
): Promise<DiscoveryDocument> {
  const bytes = await context.download(listed.url);
  if (await sha256Hex(bytes) !== listed.sha256) throw mismatch(listed, "digest_mismatch");
  const document: DiscoveryDocument = JSON.parse(new TextDecoder().decode(bytes));
  if (document.name !== listed.api || document.version !== listed.version) {
    throw mismatch(listed, "another_document");
  }
  return document;
}

function mismatch(listed: ListedDocument, reason: string): GumError {
  return new GumError("POLICY_DENIED", {
    message: `the document of ${listed.api} ${listed.version} is not the one that was signed`,
    details: { reason, api: listed.api, version: listed.version },
    userMessage: "The update was refused: a document differs from the signed list.",
    suggestion: "The operations in use stay as they are; try again later.",
  });
}

/** The folder appears whole, then the name of it; a crash between leaves the old one in use. */
async function install(
  updates: string,
  { revision, files }: { revision: string; files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> },
): Promise<void> {
  await ensurePrivateDir(updates);
  const staged = await Deno.makeTempDir({ dir: updates, prefix: ".staged-" });
  try {
    for (const [name, content] of files) {
      await Deno.writeFile(`${staged}/${name}`, content, { mode: 0o600 });
    }
    await Deno.remove(`${updates}/${revision}`, { recursive: true }).catch(ignoreMissing);
    await Deno.rename(staged, `${updates}/${revision}`);
  } catch (error) {
    await Deno.remove(staged, { recursive: true }).catch(ignoreMissing);
    throw error;
  }
  await putInUse(updates, revision);
}

async function putInUse(updates: string, revision: string): Promise<void> {
  await writeFileAtomic(`${updates}/${CURRENT_FILE}`, new TextEncoder().encode(`${revision}\n`));
}

/** Puts another update in its place, or the shipped pack. */
async function stopUsing(
  updates: string,
  revision: string,
  { instead }: { instead?: string } = {},
): Promise<void> {
  if (instead === undefined) await Deno.remove(`${updates}/${CURRENT_FILE}`).catch(ignoreMissing);
  else await putInUse(updates, instead);
  // Kept, a bad update would come back as the one before the next.
  await Deno.remove(`${updates}/${revision}`, { recursive: true }).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Goes back to the update before, or to the shipped pack when there is none. */
export async function rollBack(updates: string): Promise<UpdateReport> {
  const installed = currentRevision(updates);
  const report = { status: "rolled_back" as const, downloaded: 0, services: [], operations: 0 };
  if (installed === undefined) return { ...report, revision: "shipped" };
  const older: string[] = [];
  for await (const entry of Deno.readDir(updates)) {
    if (entry.isDirectory && REVISION.test(entry.name) && entry.name < installed) {
      older.push(entry.name);
    }
  }
  const previous = older.sort().at(-1);
  await stopUsing(updates, installed, { instead: previous });
  return { ...report, revision: previous ?? "shipped" };
}
