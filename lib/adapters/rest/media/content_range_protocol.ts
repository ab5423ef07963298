/** Google's usual resumable session: `Location`, `Content-Range`, 308 (spec 02 §8.2). */

import { GumError } from "../../../errors/mod.ts";
import { type HttpAnswer, sendWithAttempts } from "../../../http/mod.ts";
import { withCredentials } from "../request.ts";
import {
  chunkTimeoutMs,
  refusalOf,
  type SessionAnswer,
  type SessionChunk,
  type SessionProtocol,
} from "./session_protocol.ts";
import type { UploadRun } from "./upload_run.ts";

/** The protocol of one call. */
export function contentRangeProtocol(run: UploadRun): SessionProtocol {
  const put = async (
    session: URL,
    part: { range: string; bytes: Uint8Array<ArrayBuffer>; replaySafe: boolean },
    signal: AbortSignal,
  ): Promise<SessionAnswer> => {
    const answer = await run.http.send({
      method: "PUT",
      ...credentialed(run, session, { "content-range": part.range }),
      body: part.bytes,
      replaySafe: part.replaySafe,
      timeoutMs: chunkTimeoutMs(part.bytes.length, run.attemptTimeoutMs),
    }, signal);
    return readAnswer(answer);
  };
  return {
    start: (signal) => start(run, signal),
    send(session, chunk, signal) {
      // The last chunk acts; a repeat of it may find the session gone.
      const part = { range: rangeOf(chunk), bytes: chunk.bytes, replaySafe: !chunk.last };
      return put(session, part, signal);
    },
    query(session, total, signal) {
      const range = `bytes */${total ?? "*"}`;
      return put(session, { range, bytes: new Uint8Array(), replaySafe: true }, signal);
    },
  };
}

async function start(run: UploadRun, signal: AbortSignal): Promise<URL> {
  const { built, contentType, size } = run;
  const url = new URL(built.url);
  url.searchParams.set("uploadType", "resumable");
  const headers: Record<string, string> = {
    ...built.headers,
    "x-upload-content-type": contentType,
    ...(size === undefined ? {} : { "x-upload-content-length": String(size) }),
  };
  return await openSession(run, { url, headers, addressIn: "location" }, signal);
}

/** Asks for a session and returns its address. It changes nothing yet, so it may be repeated. */
export async function openSession(
  run: UploadRun,
  opening: { url?: URL; headers: Record<string, string>; addressIn: string },
  signal: AbortSignal,
): Promise<URL> {
  const { built } = run;
  const { url = built.url, headers, addressIn } = opening;
  const answer = await sendWithAttempts(run.http, {
    request: {
      method: built.method,
      ...withCredentials({ ...built, url, headers }, run.request.credentials),
      body: built.body,
      timeoutMs: run.attemptTimeoutMs,
    },
    repeatable: true,
    clock: run.clock,
    random: run.random,
  }, signal);
  return sessionAddress(answer, addressIn);
}

/** Whether a credential may go to the address is judged by the HTTP client. */
function sessionAddress(answer: HttpAnswer, header: string): URL {
  const address = answer.headers.get(header);
  const url = address === null ? null : URL.parse(address, answer.url);
  if (url !== null) return url;
  throw new GumError("SERVICE_DOWN", {
    message: "the service opened no upload session",
    details: { reason: "decode", http_status: answer.status },
    userMessage: "The service did not accept the upload as it should; nothing was sent.",
    suggestion: "Try again later.",
    retryable: false,
  });
}

/** A session address is a secret, so the host rule holds for it even where no credential travels. */
export function credentialed(
  run: UploadRun,
  session: URL,
  headers: Record<string, string>,
): { url: URL; headers: Record<string, string>; credentialed: boolean } {
  const built = {
    method: "PUT",
    url: session,
    headers: { "user-agent": run.userAgent, ...headers },
    warnings: [],
  };
  return { ...withCredentials(built, run.request.credentials), credentialed: true };
}

function rangeOf(chunk: SessionChunk): string {
  const { offset, bytes, total } = chunk;
  const whole = total ?? "*";
  return bytes.length === 0
    ? `bytes */${whole}`
    : `bytes ${offset}-${offset + bytes.length - 1}/${whole}`;
}

function readAnswer(answer: HttpAnswer): SessionAnswer {
  if (answer.status === 308) {
    const range = /^bytes=0-([0-9]+)$/.exec(answer.headers.get("range") ?? "");
    return { kind: "incomplete", offset: range === null ? 0 : Number(range[1]) + 1 };
  }
  return refusalOf(answer) ?? { kind: "finished", answer };
}
