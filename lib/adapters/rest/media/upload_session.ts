/** The loop that brings bytes through a resumable session (spec 02 §8.2). */

import { GumError } from "../../../errors/mod.ts";
import { TransportFailure, UpstreamFailure } from "../../../errors/wire/mod.ts";
import type { HttpAnswer } from "../../../http/mod.ts";
import { upstreamFailure } from "../../upstream_failure.ts";
import { type StreamDigest, streamDigest } from "./digest.ts";
import type { SessionAnswer, SessionProtocol } from "./session_protocol.ts";
import type { UploadMemory } from "./session_state.ts";
import type { UploadRun } from "./upload_run.ts";
import type { SourceChunk, UploadSource } from "./upload_source.ts";

const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** A finished upload. */
export interface UploadedBytes {
  answer: HttpAnswer;
  size: number;
  sha256: string;
  warnings: string[];
}

/** What the loop works with. */
export interface SessionTools {
  protocol: SessionProtocol;
  source: UploadSource;
  memory: UploadMemory;
  onProgress?: (progress: { bytes: number; total?: number }) => void;
}

/** The loop's place. */
interface Place {
  session: URL;
  offset: number;
  /** Failures in a row without a byte of progress. */
  failures: number;
  /** The last chunk went out, so the service may have acted. */
  finalSent: boolean;
  /** A lost session was replaced once already. */
  renewed: boolean;
  digest: StreamDigest;
  hashedTo: number;
}

/** Sends everything; resumes what `memory` remembers. */
export async function uploadThroughSession(
  run: UploadRun,
  tools: SessionTools,
  signal: AbortSignal,
): Promise<UploadedBytes> {
  const place = await firstPlace(run, tools, signal);
  for (;;) {
    if ("finished" in place) return place.finished;
    const chunk = await nextChunk(run, { place, tools });
    const outcome = await sendChunk(run, { place, tools, chunk }, signal);
    if (outcome.kind === "finished") {
      await tools.memory.forget();
      return {
        answer: outcome.answer,
        size: run.size ?? chunk.offset + chunk.bytes.length,
        sha256: run.sha256 ?? place.digest.sha256(),
        warnings: outcome.answerLost ? [ANSWER_LOST] : [],
      };
    }
  }
}

const ANSWER_LOST = "the upload had finished already; what the service answered then is not known";

/** A remembered session that still lives, or a new one. */
async function firstPlace(
  run: UploadRun,
  tools: SessionTools,
  signal: AbortSignal,
): Promise<Place | { finished: UploadedBytes }> {
  const fresh = {
    failures: 0,
    finalSent: false,
    renewed: false,
    digest: streamDigest(),
    hashedTo: 0,
  };
  const known = await tools.memory.recall();
  const session = known === undefined ? null : URL.parse(known.sessionUri);
  if (session !== null) {
    const finalSent = known?.finalSent ?? false;
    const place: Place = { ...fresh, finalSent, session, offset: 0 };
    const state = await askUntilKnown(run, { place, tools, lostIsFine: true }, signal);
    if (state.kind === "incomplete") return { ...place, failures: 0, offset: state.offset };
    // A credential that expired says nothing about the session: it is asked again with a new one.
    if (state.kind === "refused") throw failureOf(run, state.answer);
    await tools.memory.forget();
    if (state.kind === "lost" && finalSent) {
      throw failureOf(run, state.answer, { uncertain: true });
    }
    if (state.kind === "finished") {
      return {
        finished: {
          answer: state.answer,
          size: run.size ?? 0,
          sha256: run.sha256 ?? "",
          warnings: state.answerLost ? [ANSWER_LOST] : [],
        },
      };
    }
  }
  return { ...fresh, session: await open(tools, signal), offset: 0 };
}

async function open(tools: SessionTools, signal: AbortSignal): Promise<URL> {
  const session = await tools.protocol.start(signal);
  await tools.memory.remember({ sessionUri: session.href, offset: 0 });
  return session;
}

/** The chunk at the loop's offset. What passes by is hashed, so that nothing unconfirmed completes. */
async function nextChunk(
  run: UploadRun,
  at: { place: Place; tools: SessionTools },
): Promise<SourceChunk> {
  const { place, tools } = at;
  // A resumed upload starts in the middle; the bytes before it count for the hash all the same.
  while (place.hashedTo < place.offset) {
    const before = await tools.source.chunkAt(place.hashedTo);
    if (before === undefined || before.bytes.length === 0) throw changed();
    const useful = before.bytes.subarray(0, place.offset - place.hashedTo);
    place.digest.update(useful);
    place.hashedTo += useful.length;
  }
  const chunk = await tools.source.chunkAt(place.offset);
  if (chunk === undefined) throw unreadable(place);
  const unseen = chunk.bytes.subarray(place.hashedTo - place.offset);
  place.digest.update(unseen);
  place.hashedTo += unseen.length;
  if (run.size !== undefined && chunk.bytes.length === 0 && !chunk.last) throw changed();
  if (chunk.last && run.sha256 !== undefined) requireSame(run, { place, chunk });
  return chunk;
}

/** Before the last chunk: the file must still be what the call was confirmed for. */
function requireSame(run: UploadRun, at: { place: Place; chunk: SourceChunk }): void {
  const { place, chunk } = at;
  const size = chunk.offset + chunk.bytes.length;
  const sha256 = place.digest.sha256();
  // A digest gives its result once; later rounds of the last chunk add nothing to it.
  place.digest = {
    update() {},
    sha256: () => sha256,
    md5: () => undefined,
    crc32c: () => undefined,
  };
  if (size !== run.size || sha256 !== run.sha256) throw changed();
}

type ChunkOutcome =
  | { kind: "finished"; answer: HttpAnswer; answerLost?: boolean }
  | { kind: "moved" };

async function sendChunk(
  run: UploadRun,
  at: { place: Place; tools: SessionTools; chunk: SourceChunk },
  signal: AbortSignal,
): Promise<ChunkOutcome> {
  const { place, tools, chunk } = at;
  const { source, protocol } = tools;
  const total = source.size;
  if (chunk.last && !place.finalSent) {
    place.finalSent = true;
    // Before it goes out: whoever comes later must know that it may have acted.
    await tools.memory.remember({
      sessionUri: place.session.href,
      offset: place.offset,
      finalSent: true,
    });
  }
  // An answer to a question about the session says nothing of the chunk before it.
  let isSecondHand = false;
  let outcome: SessionAnswer;
  try {
    outcome = await protocol.send(place.session, { ...chunk, total }, signal);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    await pause(run, { place, failure: error }, signal);
    isSecondHand = true;
    outcome = await askUntilKnown(run, { place, tools, lostIsFine: false }, signal);
  }
  if (outcome.kind === "failed") {
    const failure = failureOf(run, outcome.answer, { uncertain: place.finalSent });
    await pause(run, { place, failure }, signal);
    isSecondHand = true;
    outcome = await askUntilKnown(run, { place, tools, lostIsFine: false }, signal);
  }
  switch (outcome.kind) {
    case "finished":
      return outcome;
    case "lost":
      await renew(run, { place, tools, answer: outcome.answer }, signal);
      return { kind: "moved" };
    case "incomplete": {
      if (outcome.offset > place.offset) place.failures = 0;
      else await pause(run, { place, failure: stuck(outcome.offset) }, signal);
      place.offset = outcome.offset;
      await tools.memory.remember({
        sessionUri: place.session.href,
        offset: place.offset,
        finalSent: place.finalSent,
      });
      tools.onProgress?.({ bytes: place.offset, total });
      return { kind: "moved" };
    }
    default:
      throw failureOf(run, outcome.answer, { uncertain: isSecondHand && place.finalSent });
  }
}

/** Asks how far the service has come, until it says so. */
async function askUntilKnown(
  run: UploadRun,
  at: { place: Place; tools: SessionTools; lostIsFine: boolean },
  signal: AbortSignal,
): Promise<Exclude<SessionAnswer, { kind: "failed" }>> {
  const { place, tools } = at;
  for (;;) {
    let failure: TransportFailure | UpstreamFailure;
    try {
      const state = await tools.protocol.query(place.session, tools.source.size, signal);
      if (state.kind === "refused" && at.lostIsFine && state.answer.status !== 401) {
        return { kind: "lost", answer: state.answer };
      }
      if (state.kind !== "failed") return state;
      failure = failureOf(run, state.answer, { uncertain: place.finalSent });
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      failure = error;
    }
    await pause(run, { place, failure }, signal);
  }
}

/** A new session once, and only while nothing can have come of the old one. */
async function renew(
  run: UploadRun,
  at: { place: Place; tools: SessionTools; answer: HttpAnswer },
  signal: AbortSignal,
): Promise<void> {
  const { place, tools, answer } = at;
  await tools.memory.forget();
  const restartable = await tools.source.chunkAt(0) !== undefined;
  if (place.finalSent) {
    throw failureOf(run, answer, { uncertain: true });
  }
  if (place.renewed || !restartable) throw gone(answer);
  place.renewed = true;
  place.session = await open(tools, signal);
  place.offset = 0;
}

async function pause(
  run: UploadRun,
  at: { place: Place; failure: TransportFailure | UpstreamFailure },
  signal: AbortSignal,
): Promise<void> {
  const { place, failure } = at;
  if (place.failures >= MOST_FAILURES) throw interrupted(run, at);
  const asked = failure instanceof UpstreamFailure ? failure.facts.retryAfterMs ?? 0 : 0;
  const grown = FIRST_PAUSE_MS * 1.5 ** place.failures * (0.5 + run.random());
  place.failures++;
  await run.clock.sleep(Math.min(Math.max(asked, grown), LONGEST_PAUSE_MS), signal);
}

function failureOf(
  run: UploadRun,
  answer: HttpAnswer,
  state: { uncertain?: boolean } = {},
): UpstreamFailure {
  return upstreamFailure(answer, run.clock.now(), { priorAttemptUncertain: state.uncertain });
}

/** A question that never left does not undo the last chunk, which did. */
function started(failure: TransportFailure): TransportFailure {
  const { reason, message, status } = failure;
  return new TransportFailure(reason, { message, requestStarted: true, status, cause: failure });
}

function stuck(offset: number): TransportFailure {
  return new TransportFailure("decode", {
    message: `the service stays at byte ${offset} of the upload`,
    requestStarted: true,
  });
}

/** Without the last chunk nothing was created, which is worth more than "may have happened". */
function interrupted(
  run: UploadRun,
  at: { place: Place; failure: TransportFailure | UpstreamFailure },
): Error {
  const { place, failure } = at;
  if (place.finalSent) return failure instanceof TransportFailure ? started(failure) : failure;
  const resumable = run.options.uploadsDirectory !== undefined && run.size !== undefined;
  return new GumError("SERVICE_DOWN", {
    message: `the upload stopped at byte ${place.offset}`,
    details: {
      uploaded_bytes: place.offset,
      ...(failure instanceof TransportFailure
        ? { reason: failure.reason }
        : { http_status: failure.status }),
    },
    userMessage: "The upload was interrupted; nothing was created yet.",
    suggestion: resumable
      ? "Run the same call again within seven days: it goes on where it stopped."
      : "Run the call again.",
    retryable: true,
    cause: failure,
  });
}

function gone(answer: HttpAnswer): GumError {
  return new GumError("SERVICE_DOWN", {
    message: "the service lost the upload session",
    details: { reason: "upload_session_lost", http_status: answer.status },
    userMessage: "The service lost the upload; nothing was created.",
    suggestion: "Run the call again.",
    retryable: true,
  });
}

function changed(): GumError {
  return new GumError("INVALID_ARGS", {
    message: "the file changed while it was uploaded",
    details: {
      field: "upload",
      reason: "source_changed",
      missing: [],
      unknown: [],
      type_errors: [],
    },
    userMessage: "The file to upload changed under way; the upload was not completed.",
    suggestion: "Run the call again once the file is at rest.",
  });
}

function unreadable(place: Place): GumError {
  return new GumError("SERVICE_DOWN", {
    message: `the service asks for byte ${place.offset} again, which a stream cannot give`,
    details: {
      reason: "upload_not_rewindable",
      ...(place.finalSent ? { write_outcome: "unknown" } : {}),
    },
    userMessage: "The upload cannot go on: the service lost bytes that are gone.",
    suggestion: "Save the content to a file and upload that.",
    retryable: false,
  });
}
