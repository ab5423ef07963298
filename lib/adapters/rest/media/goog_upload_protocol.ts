/** The `X-Goog-Upload-*` session that Photos and YouTube speak (spec 02 §8.2). */

import type { HttpAnswer } from "../../../http/mod.ts";
import { credentialed, openSession } from "./content_range_protocol.ts";
import {
  chunkTimeoutMs,
  refusalOf,
  type SessionAnswer,
  type SessionProtocol,
} from "./session_protocol.ts";
import type { UploadRun } from "./upload_run.ts";

/** The protocol of one call. */
export function googUploadProtocol(run: UploadRun): SessionProtocol {
  const post = async (
    session: URL,
    part: { command: string; offset?: number; bytes: Uint8Array<ArrayBuffer> },
    signal: AbortSignal,
  ): Promise<HttpAnswer> =>
    await run.http.send({
      method: "POST",
      ...credentialed(run, session, {
        "x-goog-upload-command": part.command,
        ...(part.offset === undefined ? {} : { "x-goog-upload-offset": String(part.offset) }),
      }),
      body: part.bytes,
      timeoutMs: chunkTimeoutMs(part.bytes.length, run.attemptTimeoutMs),
    }, signal);
  return {
    start: (signal) => start(run, signal),
    async send(session, { offset, bytes, last }, signal) {
      const command = last ? "upload, finalize" : "upload";
      const answer = await post(session, { command, offset, bytes }, signal);
      const refused = refusalOf(answer);
      if (refused !== undefined) return refused;
      return last ? { kind: "finished", answer } : receivedOf(answer, offset + bytes.length);
    },
    async query(session, _total, signal) {
      const answer = await post(session, { command: "query", bytes: new Uint8Array() }, signal);
      const refused = refusalOf(answer);
      if (refused !== undefined) return refused;
      // The answer of the finished upload is not repeated; that it finished is.
      return answer.headers.get("x-goog-upload-status")?.toLowerCase() === "final"
        ? { kind: "finished", answer, answerLost: answer.body.length === 0 }
        : receivedOf(answer, 0);
    },
  };
}

async function start(run: UploadRun, signal: AbortSignal): Promise<URL> {
  const { built, contentType, size } = run;
  const headers: Record<string, string> = {
    ...built.headers,
    "x-goog-upload-protocol": "resumable",
    "x-goog-upload-command": "start",
    "x-goog-upload-header-content-type": contentType,
    "x-goog-upload-content-type": contentType,
    ...(size === undefined ? {} : {
      "x-goog-upload-header-content-length": String(size),
      "x-goog-upload-raw-size": String(size),
    }),
  };
  return await openSession(run, { headers, addressIn: "x-goog-upload-url" }, signal);
}

function receivedOf(answer: HttpAnswer, otherwise: number): SessionAnswer {
  const text = answer.headers.get("x-goog-upload-size-received");
  const offset = text === null ? otherwise : Number(text);
  return { kind: "incomplete", offset: Number.isSafeInteger(offset) ? offset : otherwise };
}
