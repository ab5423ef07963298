/** Which upload endpoint and protocol a call takes (spec 02 §8.2). Pure. */

import type { AdapterRequest } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { buildRequest, httpBinding } from "./request.ts";

/** Largest file sent in one request. */
const MULTIPART_BYTES = 5 * 1024 * 1024;

/** How an upload travels. */
export type UploadWay = "multipart" | "resumable" | "x_goog_upload";

/** Small known content in one request, everything else through a session. */
export function uploadWay(
  request: AdapterRequest,
  size: number | undefined,
): { way: UploadWay; path: string } {
  const { media_upload: declared = {} } = httpBinding(request);
  const { multipart_path: multipart, resumable_path: resumable, protocol } = declared;
  const small = size !== undefined && size <= MULTIPART_BYTES;
  if (small && multipart !== undefined) return { way: "multipart", path: multipart };
  if (resumable !== undefined) return { way: protocol ?? "resumable", path: resumable };
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: "this operation takes small files only",
    details: {
      op_id: request.opId,
      unsupported_capabilities: ["resumable_upload"],
      max_bytes: MULTIPART_BYTES,
    },
    userMessage: "This operation takes files up to 5 MiB, and no standard input.",
    suggestion: "Upload a smaller file.",
  });
}

/** An upload as a dry run and a confirmation show it. */
export function uploadPreview(request: AdapterRequest, userAgent: string): JsonObject {
  const { _media: bound } = request.args;
  const size = isJsonObject(bound) && typeof bound.size === "number" ? bound.size : undefined;
  const { way, path } = uploadWay(request, size);
  const built = buildRequest(request, { userAgent, path });
  if (way !== "x_goog_upload") built.url.searchParams.set("uploadType", way);
  const metadata = built.body === undefined ? 0 : new TextEncoder().encode(built.body).length;
  return {
    url: built.url.href,
    body_bytes: metadata + (size ?? 0),
    upload: { protocol: way, ...(isJsonObject(bound) ? bound : {}) },
  };
}
