/** What `batchUpdate` of the editors has in common: write control, all or nothing, request kinds. */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { type EmulatedCall, EmulatedError } from "../service.ts";
import type { NativeFile } from "./native_files.ts";
import { bodyObject, invalid, objectMember, objectsMember, textMember } from "./requests.ts";

/** A document that is edited in batches. */
export interface RevisedDocument {
  revision: number;
}

/** Carries out one request of a batch and returns its reply. */
export type RequestRunner<Context> = (given: JsonObject, context: Context) => JsonObject;

/** Runs a batch over a copy, so that a refused request leaves nothing behind. */
export function batchUpdate<Document extends RevisedDocument>(
  call: EmulatedCall,
  editing: {
    document: Document;
    /** The file in Drive, whose modified time follows. */
    file: NativeFile;
    revisionId: (document: Document) => string;
    run: (request: JsonObject, draft: Document) => JsonObject;
  },
): JsonObject {
  const { document, file, revisionId, run } = editing;
  const body = bodyObject(call);
  const wanted = textMember(objectMember(body, "writeControl") ?? {}, "requiredRevisionId");
  if (wanted !== undefined && wanted !== revisionId(document)) {
    throw new EmulatedError(
      400,
      `The required revision ID '${wanted}' does not match the latest revision.`,
      { reason: "failedPrecondition", status: "FAILED_PRECONDITION" },
    );
  }
  const draft = structuredClone(document);
  const replies = objectsMember(body, "requests").map((request) => run(request, draft));
  if (replies.length > 0) {
    draft.revision += 1;
    Object.assign(document, draft);
    file.modifiedAt = Math.max(call.now, file.modifiedAt);
  }
  return { replies, writeControl: { requiredRevisionId: revisionId(document) } };
}

/** Runs one request by its kind; 400 for none, several or an unknown one. */
export function runBatchRequest<Context>(
  request: JsonObject,
  batch: {
    context: Context;
    runners: Readonly<Record<string, RequestRunner<Context>>>;
    /** Kinds that are accepted and show nothing. */
    withoutEffect: ReadonlySet<string>;
  },
): JsonObject {
  const [kind, ...others] = Object.keys(request);
  if (kind === undefined || others.length > 0) {
    throw invalid("Invalid requests[0]: exactly one request kind must be set.", "badRequest");
  }
  const given = request[kind];
  const runner = batch.runners[kind];
  if (runner !== undefined) return runner(isJsonObject(given) ? given : {}, batch.context);
  if (batch.withoutEffect.has(kind)) return {};
  throw invalid(
    `Invalid JSON payload received. Unknown name "${kind}" at 'requests[0]': Cannot find field.`,
    "badRequest",
  );
}

/** The refusal of one request of a batch. */
export function refusedRequest(kind: string, message: string): EmulatedError {
  return invalid(`Invalid requests[0].${kind}: ${message}`, "badRequest");
}
