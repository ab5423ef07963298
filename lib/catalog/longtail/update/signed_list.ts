/** The signed list of documents, as the release channel publishes it. */

import { GumError } from "../../../errors/mod.ts";
import { isJsonObject } from "../../../json/mod.ts";
import { REVISION } from "../installed.ts";

/** One listed document. */
export interface ListedDocument {
  api: string;
  version: string;
  revision: string;
  /** Digest of the document as it is served, in lower-case hex. */
  sha256: string;
  url: string;
}

/** A verified list. */
export interface DocumentList {
  /** Date of the list, `YYYYMMDD`, maybe with a suffix. */
  revision: string;
  documents: ListedDocument[];
}

/**
 * Checks the signature over the exact bytes, then reads the list.
 *
 * @throws GumError `POLICY_DENIED` for a bad signature, `CATALOG_SCHEMA_UNSUPPORTED` for a list that
 * this build cannot read
 */
export async function verifiedList(
  signed: { bytes: Uint8Array<ArrayBuffer>; signature: Uint8Array<ArrayBuffer> },
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<DocumentList> {
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  if (!await crypto.subtle.verify("Ed25519", key, signed.signature, signed.bytes)) {
    throw new GumError("POLICY_DENIED", {
      message: "the list of API documents is not signed by this build's release channel",
      details: { reason: "signature_invalid" },
      userMessage: "The update was refused: its signature does not match.",
      suggestion: "The operations in use stay as they are; try again later.",
    });
  }
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(signed.bytes));
  } catch (cause) {
    throw unreadable("it is not JSON", cause);
  }
  if (!isJsonObject(list) || list.schema_version !== 1) throw unreadable("another schema version");
  const { revision, documents } = list;
  if (typeof revision !== "string" || !REVISION.test(revision)) throw unreadable("no revision");
  if (!Array.isArray(documents)) throw unreadable("no documents");
  return { revision, documents: documents.map(listedDocument) };
}

function listedDocument(entry: unknown): ListedDocument {
  const { api, version, revision, sha256, url } = entry as Partial<ListedDocument>;
  const texts = [api, version, revision, sha256, url];
  if (!texts.every((text) => typeof text === "string") || !/^[0-9a-f]{64}$/.test(sha256 ?? "")) {
    throw unreadable("a document is described incompletely");
  }
  const target = URL.parse(url ?? "");
  const host = target?.hostname ?? "";
  if (target?.protocol !== "https:" || !/(?:^|\.)googleapis\.com$/.test(host)) {
    throw unreadable(`a document comes from ${host || "nowhere"}`);
  }
  return { api, version, revision, sha256, url } as ListedDocument;
}

function unreadable(reason: string, cause?: unknown): GumError {
  return new GumError("CATALOG_SCHEMA_UNSUPPORTED", {
    message: `the list of API documents cannot be used: ${reason}`,
    details: { reason },
    cause,
  });
}
