/** Bytes from a service into a file or a sink (spec 02 §8.1). */

import type { AdapterResponse, MediaRequest } from "../../../dispatch/types.ts";
import { GumError } from "../../../errors/mod.ts";
import { TransportFailure, UpstreamFailure } from "../../../errors/wire/mod.ts";
import { type HttpStream, sendWithAttempts, streaming } from "../../../http/mod.ts";
import { buildRequest, type BuiltRequest, withCredentials } from "../request.ts";
import { extensionOfType } from "./content_types.ts";
import { type Checksums, checksumsOf, type StreamDigest, streamDigest } from "./digest.ts";
import { type DriveFacts, driveFacts } from "./drive_facts.ts";
import { dispositionName, safeFileName } from "./file_name.ts";
import { type MediaRun, summaryResponse } from "./run.ts";
import { type ByteTarget, checkTarget, openTarget } from "./target.ts";

const MOST_RESUMES = 5;
const FIRST_PAUSE_MS = 500;

/** Default of `media.max_download_bytes`. */
export const MAX_DOWNLOAD_BYTES = 2 * 1024 ** 3;

/** Streams the answer of a call into its target. */
export async function download(
  run: MediaRun & { media: MediaRequest & { kind: "download" } },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { media, request, userAgent } = run;
  const checked = await checkTarget(media);
  const built = buildRequest(request, { userAgent });
  built.headers.accept = "*/*";
  // Checksums and ranges speak of the stored bytes, so nothing may be packed on the way.
  built.headers["accept-encoding"] = "identity";
  const first = await open(run, { built }, signal);
  let target: ByteTarget | undefined;
  try {
    requireWithinCap(run, first.declaredBytes);
    const facts = await lateFacts(
      run,
      { answer: first, needsName: checked.kind === "directory" },
      signal,
    );
    const name = nameOf(run, { answer: first, facts });
    target = await openTarget(checked, { name, signal });
    const moved = await receive(run, { built, first, target }, signal);
    verify(moved, facts);
    const path = await target.commit();
    const shownName = path === "-" ? name : path.split(/[/\\]/).at(-1) ?? name;
    const { size: sizeBytes, sha256, contentType, resumed } = moved;
    return summaryResponse({
      path,
      name: shownName,
      content_type: contentType,
      size_bytes: sizeBytes,
      sha256,
      resumed,
    }, { media: { sizeBytes, sha256 }, bytesIn: sizeBytes, warnings: built.warnings });
  } catch (error) {
    await first.discard();
    await target?.discard();
    throw error;
  }
}

/** Where to go on: the bytes already there and the tag of what they belong to. */
interface Resumption {
  offset: number;
  etag: string;
}

async function open(
  run: MediaRun,
  part: { built: BuiltRequest; resume?: Resumption },
  signal: AbortSignal,
): Promise<HttpStream> {
  const { built, resume } = part;
  const { url, headers, credentialed } = withCredentials(built, run.request.credentials);
  if (resume !== undefined) {
    headers.range = `bytes=${resume.offset}-`;
    headers["if-range"] = resume.etag;
  }
  return await sendWithAttempts(streaming(run.http, run.options.stallMs), {
    request: { method: built.method, url, headers, body: built.body, credentialed },
    repeatable: true,
    clock: run.clock,
    random: run.random,
  }, signal);
}

interface Moved {
  size: number;
  sha256: string;
  resumed: number;
  contentType: string;
  expected: Checksums;
  md5: string | undefined;
  crc32c: string | undefined;
}

/** A body under way: what is written, and what the first answer of this version promised. */
interface Progress {
  size: number;
  digest: StreamDigest;
  expected: Checksums;
  etag: string | undefined;
  total: number | undefined;
  contentType: string;
}

function progressOf(answer: HttpStream): Progress {
  const expected = checksumsOf(answer.headers);
  const etag = answer.headers.get("etag") ?? undefined;
  return {
    size: 0,
    expected,
    // Without a checksum of its own the answer may still be checked against Drive's metadata.
    digest: streamDigest({
      md5: true,
      crc32c: expected.md5 === undefined && expected.crc32c !== undefined,
    }),
    // A weak tag does not promise the same bytes (RFC 9110 §13.1.5).
    etag: etag?.startsWith('"') ? etag : undefined,
    total: answer.declaredBytes,
    contentType: answer.headers.get("content-type") ?? "application/octet-stream",
  };
}

async function receive(
  run: MediaRun & { media: MediaRequest & { kind: "download" } },
  part: { built: BuiltRequest; first: HttpStream; target: ByteTarget },
  signal: AbortSignal,
): Promise<Moved> {
  const { built, target } = part;
  let answer = part.first;
  let progress = progressOf(answer);
  for (let resumed = 0;; resumed++) {
    try {
      await pump(run, { answer, progress, target });
      return {
        size: progress.size,
        sha256: progress.digest.sha256(),
        md5: progress.digest.md5(),
        crc32c: progress.digest.crc32c(),
        expected: progress.expected,
        contentType: progress.contentType,
        resumed,
      };
    } catch (error) {
      if (!(error instanceof TransportFailure) || resumed === MOST_RESUMES) throw error;
    }
    await run.clock.sleep(FIRST_PAUSE_MS * 1.5 ** resumed * (0.5 + run.random()), signal);
    answer = await reopen(run, { built, progress }, signal).catch(async (error) => {
      // The call is repeated with a fresh credential, which begins at the first byte.
      const repeats = error instanceof UpstreamFailure && error.status === 401;
      throw repeats && !await target.restart() ? givenOut(error) : error;
    });
    const continues = answer.status === 206 && continuesAt(answer, progress);
    if (continues) continue;
    if (answer.status === 206) {
      // The service ignored what was asked; only a whole answer helps now.
      await answer.discard();
      answer = await open(run, { built }, signal);
    }
    requireWithinCap(run, answer.declaredBytes);
    if (!await target.restart()) {
      await answer.discard();
      throw givenOut(undefined, { status: answer.status });
    }
    progress = progressOf(answer);
  }
}

/** A sink has no second beginning. */
function givenOut(refused: UpstreamFailure | undefined, seen: { status?: number } = {}): Error {
  const why = refused === undefined
    ? "the file changed while it was downloaded"
    : "the login ended while the file was downloaded";
  return new TransportFailure("truncated_body", {
    message: `${why}, and bytes already given out cannot be taken back`,
    requestStarted: true,
    ...seen,
    cause: refused,
  });
}

/** Asks for the rest; a service that refuses the range is asked for the whole. */
async function reopen(
  run: MediaRun,
  part: { built: BuiltRequest; progress: Progress },
  signal: AbortSignal,
): Promise<HttpStream> {
  const { built, progress: { size, etag } } = part;
  const resume = etag === undefined || size === 0 ? undefined : { offset: size, etag };
  try {
    return await open(run, { built, resume }, signal);
  } catch (error) {
    const refused = error instanceof UpstreamFailure && error.status === 416;
    if (!refused || resume === undefined) throw error;
    return await open(run, { built }, signal);
  }
}

function continuesAt(answer: HttpStream, progress: Progress): boolean {
  const range = /^bytes ([0-9]+)-[0-9]+\/([0-9]+|\*)$/.exec(
    answer.headers.get("content-range") ?? "",
  );
  if (range === null || Number(range[1]) !== progress.size) return false;
  return range[2] === "*" || progress.total === undefined || Number(range[2]) === progress.total;
}

async function pump(
  run: MediaRun & { media: MediaRequest & { kind: "download" } },
  part: { answer: HttpStream; progress: Progress; target: ByteTarget },
): Promise<void> {
  const { answer, progress, target } = part;
  for await (const piece of answer.pieces ?? []) {
    if (progress.size + piece.length > capOf(run)) throw tooLarge(run, { status: answer.status });
    progress.digest.update(piece);
    await target.write(piece);
    progress.size += piece.length;
    run.media.onProgress?.({ bytes: progress.size, total: progress.total });
  }
  if (progress.total !== undefined && progress.size !== progress.total) {
    throw new TransportFailure("truncated_body", {
      message: `${progress.size} of ${progress.total} bytes came`,
      requestStarted: true,
      status: answer.status,
    });
  }
}

function capOf(run: MediaRun): number {
  return run.options.maxDownloadBytes ?? MAX_DOWNLOAD_BYTES;
}

function requireWithinCap(run: MediaRun, declared: number | undefined): void {
  if (declared !== undefined && declared > capOf(run)) {
    throw tooLarge(run, { declared, status: 200 });
  }
}

function tooLarge(run: MediaRun, seen: { declared?: number; status: number }): GumError {
  const cap = capOf(run);
  return new GumError("RESPONSE_TOO_LARGE", {
    message: seen.declared === undefined
      ? `the file is larger than ${cap} bytes`
      : `the file has ${seen.declared} bytes, more than the ${cap} allowed`,
    details: {
      cap_bytes: cap,
      http_status: seen.status,
      ...(seen.declared === undefined ? {} : { size_bytes: seen.declared }),
    },
    userMessage: "The file is larger than downloads may be; nothing was kept.",
    suggestion: "Raise media.max_download_bytes with `gum config set`.",
    retryable: false,
  });
}

/** What Drive knows of a file, asked for only when the answer itself does not say it. */
async function lateFacts(
  run: MediaRun,
  seen: { answer: HttpStream; needsName: boolean },
  signal: AbortSignal,
): Promise<DriveFacts> {
  const { headers } = seen.answer;
  const sums = checksumsOf(headers);
  const named = !seen.needsName ||
    dispositionName(headers.get("content-disposition")) !== undefined;
  const summed = sums.md5 !== undefined || sums.crc32c !== undefined;
  return named && summed ? {} : await driveFacts(run, signal);
}

function nameOf(run: MediaRun, seen: { answer: HttpStream; facts: DriveFacts }): string {
  const { headers } = seen.answer;
  const given = dispositionName(headers.get("content-disposition")) ?? seen.facts.name;
  return given === undefined
    ? fallbackName(run, headers.get("content-type") ?? "")
    : safeFileName(given);
}

/** The id the call was about, with the ending of its type. */
export function fallbackName(run: MediaRun, contentType: string): string {
  const path = run.request.resolved.variant.binding?.http?.path ?? "";
  const last = [...path.matchAll(/\{\+?([^}]+)\}/g)].at(-1)?.[1] ?? "";
  const value = run.request.args[last];
  const stem = typeof value === "string" ? safeFileName(value) : "download";
  return safeFileName(`${stem}${extensionOfType(contentType)}`);
}

function verify(moved: Moved, facts: DriveFacts): void {
  const { expected } = moved;
  const pairs: [string, string | undefined, string | undefined][] = [
    ["md5", expected.md5 ?? facts.md5, moved.md5],
    ["crc32c", expected.crc32c, moved.crc32c],
    ["sha256", facts.sha256, moved.sha256],
  ];
  for (const [name, wanted, got] of pairs) {
    if (wanted === undefined || got === undefined || wanted === got) continue;
    throw new GumError("SERVICE_DOWN", {
      message: `the ${name} checksum of the received bytes is not the one the service gave`,
      details: { reason: "checksum_mismatch", checksum: name, size_bytes: moved.size },
      userMessage: "The file arrived damaged; nothing was kept.",
      suggestion: "Try again. If it stays, the stored file itself may be damaged.",
      retryable: true,
    });
  }
}
