/** Files of a call, before anything is hashed or sent (spec 02 §8.1, §8.2). */

import type { Op, Variant } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { fieldRefusal } from "./arguments/problems.ts";
import type { Call } from "./call.ts";
import type { MediaFiles, MediaRequest } from "./types.ts";

/** The argument that binds a file's content into the hash of a call; never sent. */
export const MEDIA_ARG = "_media";

/** The file side of a call and the arguments it implies. */
export interface InspectedMedia {
  /** With its path resolved; undefined when the call moves no file. */
  request: MediaRequest | undefined;
  /** Arguments for step 1. */
  args: JsonObject;
  /** Value of {@link MEDIA_ARG}. */
  bound?: JsonObject;
}

/**
 * Judges the path, then reads what an upload would send, so that a confirmation binds its content.
 * A file is not read before the path is allowed and the call may write.
 *
 * @throws GumError `POLICY_DENIED`, `INVALID_ARGS`
 */
export function inspectMedia(
  call: Call,
  chosen: { op: Op; variant: Variant | undefined },
): Promise<InspectedMedia> | InspectedMedia {
  const { media, args } = call.invocation;
  if (Object.hasOwn(args, MEDIA_ARG)) throw reservedArgument(chosen.op);
  return media === undefined
    ? { request: undefined, args }
    : inspectFile(call, { ...chosen, media });
}

async function inspectFile(
  call: Call,
  chosen: { op: Op; variant: Variant | undefined; media: MediaRequest },
): Promise<InspectedMedia> {
  const { media } = chosen;
  const { args } = call.invocation;
  const request = await allowed(call, media);
  return request.kind === "download"
    ? { request, args: downloadArgs(chosen.op, { args, request }) }
    : await inspectUpload(call, { ...chosen, request });
}

function downloadArgs(
  op: Op,
  { args, request }: { args: JsonObject; request: MediaRequest & { kind: "download" } },
): JsonObject {
  if (request.decodeField !== undefined) return args;
  const declaresAlt = op.request_fields?.some((field) => field.name === "alt") ?? false;
  return declaresAlt ? { ...args, alt: "media" } : args;
}

async function inspectUpload(
  call: Call,
  upload: {
    op: Op;
    variant: Variant | undefined;
    request: MediaRequest & { kind: "upload" };
  },
): Promise<InspectedMedia> {
  const { op, variant, request } = upload;
  if (request.contentType !== undefined) requireMediaType(request.contentType, op);
  const { allowWrite, allowDestructive, args } = call.invocation;
  const file = request.source === "-" || !(allowWrite || allowDestructive)
    ? undefined
    : await files(call).describe(request.source, call.signal);
  const contentType = request.contentType ?? messageType(variant) ?? file?.contentType ??
    "application/octet-stream";
  return {
    request: { ...request, contentType },
    args: uploadArgs(op, { args, name: file?.name }),
    bound: file === undefined
      ? { content_type: contentType }
      : { sha256: file.sha256, size: file.sizeBytes, content_type: contentType },
  };
}

/** It goes out in headers and between the parts of a message, where a line break is a new line. */
function requireMediaType(given: string, op: Op): void {
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(\s*;[\x20-\x7e]*)?$/.test(given)) return;
  throw fieldRefusal("upload_type", {
    message: "the upload type is no media type such as text/plain",
    value: given.slice(0, 100).toWellFormed(),
    opId: op.op_id,
  });
}

/** A service that takes messages only is not helped by a type guessed from a file name. */
function messageType(variant: Variant | undefined): string | undefined {
  const accept = variant?.binding?.http?.media_upload?.accept ?? [];
  return accept.length > 0 && accept.every((type) => type.startsWith("message/"))
    ? "message/rfc822"
    : undefined;
}

/** The file stands for required body fields; a new resource is named after it unless told so. */
function uploadArgs(
  op: Op,
  { args, name }: { args: JsonObject; name: string | undefined },
): JsonObject {
  const given: JsonObject = Object.hasOwn(args, "body") ? args : { ...args, body: {} };
  const creates = op.variants.some((variant) => variant.binding?.http?.method === "POST");
  const named = op.request_fields?.some((field) =>
    field.name === "name" && field.location === "body"
  );
  const { body } = given;
  const hasName = Object.hasOwn(given, "name") ||
    (typeof body === "object" && body !== null && Object.hasOwn(body, "name"));
  return creates && named && !hasName && name !== undefined ? { ...given, name } : given;
}

/** The request with its path resolved; people at a terminal choose for themselves. */
async function allowed(call: Call, media: MediaRequest): Promise<MediaRequest> {
  const path = media.kind === "download" ? media.target : media.source;
  const { caller, mediaRoots = [], projectRootPath } = call.invocation;
  if (caller === "cli") return media;
  const directories = [
    ...call.deps.settings.mediaDirs ?? [],
    ...mediaRoots,
    ...projectRootPath === undefined ? [] : [projectRootPath],
  ];
  const located = path === "-" ? undefined : await files(call).locate(path, directories);
  if (located === undefined) throw pathDenied(call, { media, directories });
  return media.kind === "download" ? { ...media, target: located } : { ...media, source: located };
}

function files(call: Call): MediaFiles {
  const { media } = call.deps;
  if (media !== undefined) return media;
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: "this session moves no files",
    details: { op_id: call.known.opId ?? "" },
  });
}

function pathDenied(
  call: Call,
  denied: { media: MediaRequest; directories: readonly string[] },
): GumError {
  const download = denied.media.kind === "download";
  return new GumError("POLICY_DENIED", {
    message: download
      ? "the download target is outside the allowed directories"
      : "the file to upload is outside the allowed directories",
    details: {
      op_id: call.known.opId ?? "",
      reason: download ? "download_path_not_allowed" : "upload_path_not_allowed",
      allowed_directories: [...denied.directories],
    },
    userMessage: "GUM reads and writes files for this client in its allowed directories only.",
    suggestion: denied.directories.length > 0
      ? "Use a path inside one of allowed_directories."
      : "An operator can allow a directory: gum config set media.dirs=/absolute/path.",
  });
}

function reservedArgument(op: Op): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${MEDIA_ARG} is set by GUM and cannot be given`,
    details: { op_id: op.op_id, missing: [], unknown: [MEDIA_ARG], type_errors: [] },
  });
}
