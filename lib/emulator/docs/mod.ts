/**
 * Emulated Google Docs: documents with headings, styled runs, lists, tables and images, and edits
 * by index (spec 00 §7, §10).
 *
 * @module
 */

import type { JsonObject } from "../../json/mod.ts";
import {
  batchUpdate,
  bodyObject,
  flag,
  invalid,
  nativeFilesOf,
  opaqueId,
  openedDocuments,
  textMember,
} from "../drive/mod.ts";
import type { EmulatedCall, EmulatedService, ServiceSeed } from "../service.ts";
import { runRequest } from "./batch_requests.ts";
import { documentView, revisionId, type StoredDocument } from "./document_view.ts";
import { markdownText, plainText } from "./export_text.ts";
import { emptyDocument, seededDocument } from "./world.ts";

const HOST = "docs.googleapis.com";
const SUGGESTION_MODES = [
  "DEFAULT_FOR_CURRENT_ACCESS",
  "SUGGESTIONS_INLINE",
  "PREVIEW_SUGGESTIONS_ACCEPTED",
  "PREVIEW_WITHOUT_SUGGESTIONS",
];

/** Makes the service over the world's documents. */
export function createDocs(seed: ServiceSeed): EmulatedService {
  const native = nativeFilesOf(seed);
  const ids = seed.random.fork("new documents");
  const { fileOf, open, known } = openedDocuments(native, {
    kind: "document",
    make: (file): StoredDocument =>
      file.seeded === undefined
        ? emptyDocument(file.id, file.imported)
        : seededDocument({ ...seed, content: native.content }, file),
  });
  const read = (document: StoredDocument, query: URLSearchParams): JsonObject => {
    const suggestions = query.get("suggestionsViewMode") ?? "DEFAULT_FOR_CURRENT_ACCESS";
    if (!SUGGESTION_MODES.includes(suggestions)) {
      throw invalid(`Invalid value at 'suggestions_view_mode' (TYPE_ENUM), "${suggestions}"`);
    }
    return documentView(document, {
      title: fileOf(document.id).title,
      tabs: flag(query, "includeTabsContent"),
      suggestions: suggestions === "DEFAULT_FOR_CURRENT_ACCESS"
        ? "SUGGESTIONS_INLINE"
        : suggestions,
    });
  };
  const edited = (call: EmulatedCall): JsonObject => {
    const document = open(call.params.documentId ?? "");
    const answer = batchUpdate(call, {
      document,
      file: fileOf(document.id),
      revisionId,
      run: (request, draft) => runRequest(request, { document: draft, ids }),
    });
    return { ...answer, documentId: document.id };
  };
  native.exporters.set("document", (id, mimeType) => {
    const document = open(id);
    if (mimeType === "text/plain") return plainText(document.blocks);
    return mimeType === "text/markdown" || mimeType === "text/x-markdown"
      ? markdownText(document.blocks)
      : undefined;
  });
  return {
    name: "docs",
    routes: [
      {
        methodId: "docs.documents.create",
        method: "POST",
        host: HOST,
        pattern: "/v1/documents",
        handle(call) {
          const id = `1${opaqueId(ids, 43)}`;
          const title = textMember(bodyObject(call), "title") ?? "Untitled document";
          native.add({ id, kind: "document", title, createdAt: call.now, modifiedAt: call.now });
          return { body: read(open(id), new URLSearchParams()) };
        },
      },
      {
        methodId: "docs.documents.batchUpdate",
        method: "POST",
        host: HOST,
        pattern: "/v1/documents/{documentId}:batchUpdate",
        handle: (call) => ({ body: edited(call) }),
      },
      {
        methodId: "docs.documents.get",
        method: "GET",
        host: HOST,
        pattern: "/v1/documents/{documentId}",
        handle: (call) => ({ body: read(open(call.params.documentId ?? ""), call.query) }),
      },
    ],
    inspect: (): JsonObject => ({
      documents: native.list("document").map((file): JsonObject => {
        const document = known(file.id);
        return {
          id: file.id,
          title: file.title,
          ...(document === undefined
            ? {}
            : { revision: document.revision, text: plainText(document.blocks) }),
        };
      }),
    }),
  };
}
