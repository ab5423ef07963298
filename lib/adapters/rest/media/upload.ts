/** Bytes from a file or a stream into a service (spec 02 §8.2). */

import type { AdapterResponse, MediaRequest } from "../../../dispatch/types.ts";
import { GumError } from "../../../errors/mod.ts";
import { type HttpAnswer, sendWithAttempts } from "../../../http/mod.ts";
import { isJsonObject } from "../../../json/mod.ts";
import { buildRequest, httpBinding, withCredentials } from "../request.ts";
import { type UploadWay, uploadWay } from "../upload_way.ts";
import { isRepeatable } from "../repeatable.ts";
import { typeAccepted } from "./content_types.ts";
import { contentRangeProtocol } from "./content_range_protocol.ts";
import { streamDigest } from "./digest.ts";
import { googUploadProtocol } from "./goog_upload_protocol.ts";
import { openRegular } from "./media_files.ts";
import type { MediaRun } from "./run.ts";
import { chunkTimeoutMs } from "./session_protocol.ts";
import { withUploadMemory } from "./session_state.ts";
import { fileSource, isBegun, streamSource, type UploadSource } from "./upload_source.ts";
import type { UploadRun } from "./upload_run.ts";
import { type UploadedBytes, uploadThroughSession } from "./upload_session.ts";

const CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_UNIT = 256 * 1024;

/** Sends the file of a call together with its metadata. */
export async function upload(
  run: MediaRun & { media: MediaRequest & { kind: "upload" } },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const bound = boundContent(run);
  const { way, path } = uploadWay(run.request, bound.size);
  checkContent(run, bound);
  const { media, ...rest } = run;
  const whole: UploadRun = {
    ...rest,
    ...bound,
    built: buildRequest(run.request, { userAgent: run.userAgent, path }),
    metadata: isJsonObject(run.request.args.body) ? run.request.args.body : {},
  };
  const uploaded = way === "multipart"
    ? await sendMultipart(whole, media, signal)
    : await sendResumable(whole, { media, way }, signal);
  return responseOf(whole, uploaded);
}

/** What the kernel bound into the arguments. */
function boundContent(run: MediaRun & { media: MediaRequest & { kind: "upload" } }) {
  const { _media: bound } = run.request.args;
  const facts = isJsonObject(bound) ? bound : {};
  const { sha256, size, content_type: type } = facts;
  return {
    contentType: typeof type === "string"
      ? type
      : run.media.contentType ?? "application/octet-stream",
    size: typeof size === "number" ? size : undefined,
    sha256: typeof sha256 === "string" ? sha256 : undefined,
  };
}

function checkContent(
  run: MediaRun,
  content: { contentType: string; size: number | undefined },
): void {
  const { accept, max_bytes: cap } = httpBinding(run.request).media_upload ?? {};
  if (!typeAccepted(content.contentType, accept)) {
    throw invalid("type_not_accepted", {
      message: `${content.contentType} is none of ${(accept ?? []).join(", ")}`,
      suggestion: "Give the right type with --upload-type.",
    });
  }
  if (cap !== undefined && content.size !== undefined && content.size > cap) {
    throw invalid("source_too_large", {
      message: `the file has ${content.size} bytes, more than the ${cap} this operation takes`,
      suggestion: "Upload a smaller file.",
    });
  }
}

async function sendMultipart(
  run: UploadRun,
  media: MediaRequest & { kind: "upload" },
  signal: AbortSignal,
): Promise<UploadedBytes> {
  const bytes = await readConfirmed(run, media.source);
  const url = new URL(run.built.url);
  url.searchParams.set("uploadType", "multipart");
  const { body, boundary } = multipartBody(run, bytes);
  const headers = {
    ...run.built.headers,
    "content-type": `multipart/related; boundary=${boundary}`,
  };
  const answer = await sendWithAttempts(run.http, {
    request: {
      method: run.built.method,
      ...withCredentials({ ...run.built, url, headers }, run.request.credentials),
      body,
      timeoutMs: chunkTimeoutMs(body.length, run.attemptTimeoutMs),
    },
    repeatable: isRepeatable(run.built.method, run.request.resolved.variant),
    clock: run.clock,
    random: run.random,
  }, signal);
  media.onProgress?.({ bytes: bytes.length, total: bytes.length });
  return { answer, size: bytes.length, sha256: run.sha256 ?? "", warnings: [] };
}

async function readConfirmed(run: UploadRun, path: string): Promise<Uint8Array> {
  const bytes = new Uint8Array((run.size ?? 0) + 1);
  using file = await openRegular(path);
  let filled = 0;
  while (filled < bytes.length) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  const digest = streamDigest();
  digest.update(bytes.subarray(0, filled));
  if (filled === run.size && digest.sha256() === run.sha256) return bytes.subarray(0, filled);
  throw invalid("source_changed", {
    message: "the file changed since the call began; nothing was sent",
    suggestion: "Run the call again once the file is at rest.",
  });
}

/** Two parts, metadata and bytes, behind a boundary that neither of them holds. */
export function multipartBody(
  run: Pick<UploadRun, "metadata" | "contentType">,
  bytes: Uint8Array,
): { body: Uint8Array<ArrayBuffer>; boundary: string } {
  const encoder = new TextEncoder();
  const metadata = JSON.stringify(run.metadata);
  const content = new TextDecoder("latin1").decode(bytes);
  let boundary: string;
  do {
    boundary = `gum-${crypto.getRandomValues(new Uint8Array(18)).toHex()}`;
  } while (metadata.includes(boundary) || content.includes(boundary));
  const head = encoder.encode(
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${metadata}\r\n` +
      `--${boundary}\r\nContent-Type: ${run.contentType}\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const body = new Uint8Array(head.length + bytes.length + tail.length);
  body.set(head);
  body.set(bytes, head.length);
  body.set(tail, head.length + bytes.length);
  return { body, boundary };
}

async function sendResumable(
  run: UploadRun,
  { media, way }: { media: MediaRequest & { kind: "upload" }; way: UploadWay },
  signal: AbortSignal,
): Promise<UploadedBytes> {
  const protocol = way === "x_goog_upload" ? googUploadProtocol(run) : contentRangeProtocol(run);
  await using source = await sourceOf(run, media);
  return await withUploadMemory(
    run,
    (memory) =>
      uploadThroughSession(run, {
        protocol,
        source,
        memory,
        onProgress: media.onProgress,
      }, signal),
  );
}

async function sourceOf(
  run: UploadRun,
  media: MediaRequest & { kind: "upload" },
): Promise<UploadSource> {
  const { chunkBytes = CHUNK_BYTES } = run.options;
  if (chunkBytes % CHUNK_UNIT !== 0) throw new RangeError("chunks are multiples of 256 KiB");
  if (run.size !== undefined) return await fileSource(media.source, { size: run.size, chunkBytes });
  if (media.input !== undefined) {
    if (isBegun(media.input)) throw notRewindable();
    return streamSource(media.input, { chunkBytes });
  }
  throw invalid("no_input", {
    message: "this caller gives no standard input",
    suggestion: "Name a file.",
  });
}

/** A call is repeated with a fresh credential after a 401; what a stream gave by then is gone. */
function notRewindable(): GumError {
  return new GumError("AUTH_REQUIRED", {
    message: "the login ended while a stream was sent, and a stream cannot be sent twice",
    details: { reason: "upload_not_rewindable" },
    userMessage: "The login ended under way; nothing was created. It has been renewed meanwhile.",
    suggestion: "Run the call again, or save the content to a file and upload that.",
    retryable: false,
  });
}

function responseOf(run: UploadRun, uploaded: UploadedBytes): AdapterResponse {
  const { answer, size, sha256 } = uploaded;
  const warnings = [...run.built.warnings, ...uploaded.warnings];
  return {
    body: answer.body,
    format: "json",
    ...answerFacts(answer),
    bytesOut: size,
    media: { sizeBytes: size, sha256 },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function answerFacts(answer: HttpAnswer) {
  return {
    status: answer.status,
    contentType: answer.headers.get("content-type") ?? undefined,
    etag: answer.headers.get("etag") ?? undefined,
    bytesIn: answer.bytesIn,
    upstreamRequestId: answer.headers.get("x-goog-request-id") ?? undefined,
  };
}

function invalid(
  reason: string,
  words: { message: string; suggestion: string },
): GumError {
  return new GumError("INVALID_ARGS", {
    message: words.message,
    details: { field: "upload", reason, missing: [], unknown: [], type_errors: [] },
    userMessage: `${words.message.charAt(0).toUpperCase()}${words.message.slice(1)}.`,
    suggestion: words.suggestion,
  });
}
