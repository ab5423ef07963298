/** Google's own file kinds have no bytes: what to export them as, and how to say so (spec 11 §4). */

import type { AdapterRequest } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import { UpstreamFailure } from "../../errors/wire/mod.ts";
import type { JsonObject } from "../../json/mod.ts";

/** The value of `mimeType` that leaves the choice to GUM. */
const EXPORT_AUTO = "auto";

const EXPORT_PATH = "https://www.googleapis.com/drive/v3/files/{fileId}/export";

/** Whether this is an export whose type is to be chosen by the kind of the file. */
export function choosesExportType(request: AdapterRequest): boolean {
  const { mimeType } = request.args;
  return request.resolved.variant.binding?.http?.path === EXPORT_PATH &&
    (mimeType === undefined || mimeType === EXPORT_AUTO);
}

/** Text that models read for documents, rows for spreadsheets, PDF for everything else. */
export function exportTypeFor(fileType: string | undefined): string {
  switch (fileType) {
    case "application/vnd.google-apps.document":
      return "text/markdown";
    case "application/vnd.google-apps.spreadsheet":
      return "text/csv";
    default:
      return "application/pdf";
  }
}

/** A refusal to give a native file's bytes becomes directions; everything else stays as it is. */
export function withExportHint(thrown: unknown, request: AdapterRequest): unknown {
  const native = thrown instanceof UpstreamFailure && thrown.status === 403 &&
    thrown.facts.reasons.includes("fileNotDownloadable");
  if (!native) return thrown;
  const { fileId } = request.args;
  const details: JsonObject = {
    http_status: thrown.status,
    upstream_reason: "fileNotDownloadable",
    use_op_id: "drive.files.export",
    export_types: {
      document: ["text/markdown", "text/plain", "application/pdf"],
      spreadsheet: ["text/csv", "application/pdf"],
      presentation: ["application/pdf", "text/plain"],
    },
    ...(thrown.facts.googleStatus === undefined
      ? {}
      : { google_status: thrown.facts.googleStatus }),
    ...(thrown.facts.requestId === undefined ? {} : { request_id: thrown.facts.requestId }),
  };
  const id = typeof fileId === "string" ? fileId : "...";
  return new GumError("UPSTREAM_REJECTED", {
    message: thrown.message,
    details,
    userMessage: "This is a Google document, sheet or slide deck: it has no bytes of its own.",
    suggestion: exportCall(id, request),
    retryable: false,
    cause: thrown,
  });
}

/** The export in the words of whoever called; without a type GUM picks the one that suits. */
function exportCall(fileId: string, { caller }: AdapterRequest): string {
  const args = JSON.stringify({ fileId });
  return caller === "cli"
    ? `Export it instead: gum read drive.files.export --args ${
      JSON.stringify(args)
    } --download <file>`
    : `Export it instead: drive.files.export with args ${args}.`;
}
