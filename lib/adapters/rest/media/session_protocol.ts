/** Resumable sessions as the upload loop sees them, whatever their wire form (spec 02 §8.2). */

import type { HttpAnswer } from "../../../http/mod.ts";

/** One chunk to send. */
export interface SessionChunk {
  offset: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** Size of the whole; undefined while the end of a stream was not seen. */
  total: number | undefined;
  /** No byte follows. */
  last: boolean;
}

/** What a session answered. */
export type SessionAnswer =
  /** The service has everything and answered the call. */
  | { kind: "finished"; answer: HttpAnswer; answerLost?: boolean }
  /** It has the bytes before `offset`. */
  | { kind: "incomplete"; offset: number }
  /** It does not know the session, or no longer. */
  | { kind: "lost"; answer: HttpAnswer }
  /** It failed in a way that may pass: 5xx or "slow down". */
  | { kind: "failed"; answer: HttpAnswer }
  /** It refused. */
  | { kind: "refused"; answer: HttpAnswer };

/** The wire form of a session. Session addresses are bearer secrets: never logged or shown. */
export interface SessionProtocol {
  start(signal: AbortSignal): Promise<URL>;
  send(session: URL, chunk: SessionChunk, signal: AbortSignal): Promise<SessionAnswer>;
  /** How far the service has come; `total` when it is known. */
  query(session: URL, total: number | undefined, signal: AbortSignal): Promise<SessionAnswer>;
}

/** What a status alone says; undefined for success and 308, which each protocol reads itself. */
export function refusalOf(answer: HttpAnswer): SessionAnswer | undefined {
  const { status } = answer;
  if (status === 404 || status === 410) return { kind: "lost", answer };
  if (status === 429 || status === 408 || status >= 500) return { kind: "failed", answer };
  return status >= 400 || (status >= 300 && status !== 308)
    ? { kind: "refused", answer }
    : undefined;
}

/** Slow lines need longer than the usual attempt: at least 64 KiB a second are hoped for. */
export function chunkTimeoutMs(bytes: number, attemptTimeoutMs = 30_000): number {
  return Math.max(attemptTimeoutMs, Math.ceil(bytes / 65_536) * 1000);
}
