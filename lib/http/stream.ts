/**
 * Bodies too large for memory: a successful answer is handed over as it arrives, bounded by how long
 * the line may stay silent instead of by how long the whole may take (spec 02 §8.1).
 */

import { TransportFailure } from "../errors/wire/mod.ts";
import type { Attempter } from "./attempts.ts";
import { bodyFailure, describeUrl, ERROR_BODY_CAP, readBody } from "./body.ts";
import type { HttpAnswer, HttpRequest, StreamingHttpClient } from "./client.ts";

/** Milliseconds without a byte after which a streamed exchange counts as broken. */
const STALL_TIMEOUT_MS = 30_000;

/** A request whose successful body is read by the caller. */
export interface StreamRequest extends HttpRequest {
  /** Milliseconds of silence, headers included; default {@link STALL_TIMEOUT_MS}. */
  stallMs?: number;
}

/** An answer whose body is still on its way. */
export interface HttpStream extends HttpAnswer {
  /** Pieces of a successful body; absent for anything else, whose start is in `body`. */
  pieces?: AsyncIterableIterator<Uint8Array>;
  /** Bytes the answer declared, when it did. */
  declaredBytes?: number;
  /** Gives up a body that will not be read. */
  discard(): Promise<void>;
}

/** The streaming half of a client, for `sendWithAttempts`. */
export function streaming(client: StreamingHttpClient, stallMs?: number): Attempter<HttpStream> {
  return { send: (request, signal) => client.open({ stallMs, ...request }, signal) };
}

/** The parts of a client that a streamed exchange needs. */
export interface StreamExchange {
  signal: AbortSignal;
  /** Sends and follows redirects under the client's host rule. */
  exchange(
    signal: AbortSignal,
    finish: (response: Response, hop: { url: URL }) => Promise<HttpStream>,
  ): Promise<HttpStream>;
}

/** Opens a stream; everything before its first piece fails the call, the rest fails the reading. */
export async function openStream(
  request: StreamRequest,
  { signal, exchange }: StreamExchange,
): Promise<HttpStream> {
  signal.throwIfAborted();
  const stallMs = request.stallMs ?? STALL_TIMEOUT_MS;
  const watch = watchSilence(stallMs, request.url);
  const limit = AbortSignal.any([signal, watch.signal]);
  try {
    return await exchange(limit, async (response, { url }) => {
      const { status, statusText, headers } = response;
      const answer = {
        status,
        statusText,
        headers,
        url,
        bytesIn: 0,
        bytesOut: 0,
        discard: () => Promise.resolve(),
      };
      if (!response.ok) {
        const body = await errorBody(response);
        watch.stop();
        return { ...answer, body, bytesIn: body.length };
      }
      let begun = false;
      const declared = headers.get("content-length");
      return {
        ...answer,
        body: new Uint8Array(),
        pieces: piecesOf(response, { url, watch, limit, begin: () => begun = true }),
        async discard() {
          watch.stop();
          // A body under way is given up by leaving the loop over it.
          if (!begun) await response.body?.cancel();
        },
        ...(declared === null ? {} : { declaredBytes: Number(declared) }),
      };
    });
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** The status decides how a refusal is treated; its broken body only costs detail. */
async function errorBody(response: Response): Promise<Uint8Array> {
  try {
    return await readBody(response, { capBytes: ERROR_BODY_CAP, pastCap: "cut" });
  } catch {
    return new Uint8Array();
  }
}

interface Watch {
  signal: AbortSignal;
  /** Starts the silence anew. */
  heard(): void;
  stop(): void;
}

function watchSilence(stallMs: number, url: URL): Watch {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(
      new TransportFailure("timeout", {
        message: `no byte came for ${stallMs} ms (${describeUrl(url)})`,
        requestStarted: true,
      }),
    );
  let timer = setTimeout(expire, stallMs);
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(expire, stallMs);
    },
    stop: () => clearTimeout(timer),
  };
}

async function* piecesOf(
  response: Response,
  reading: { url: URL; watch: Watch; limit: AbortSignal; begin: () => void },
): AsyncGenerator<Uint8Array, void> {
  const { url, watch, limit } = reading;
  reading.begin();
  try {
    // Leaving the loop early cancels the stream, which closes the connection.
    for await (const piece of response.body ?? []) {
      // A slow reader is not a silent line.
      watch.stop();
      yield piece;
      watch.heard();
    }
  } catch (error) {
    if (limit.aborted) throw limit.reason;
    throw bodyFailure(error, { url, status: response.status });
  } finally {
    watch.stop();
  }
}
