/** Reading answers with a cap, and naming transport faults. */

import { GumError } from "../errors/mod.ts";
import { OversizeFailure, TransportFailure, type TransportReason } from "../errors/wire/mod.ts";

/** Bytes of a successful answer kept in memory unless the caller says otherwise. */
export const RESPONSE_CAP = 64 * 1024 * 1024;

/** Bytes of a failed answer kept for the failure artifact; the rest is dropped. */
export const ERROR_BODY_CAP = 1024 * 1024;

/** Scheme and host: all that a message may say of a URL, whose query can hold a key. */
export function describeUrl(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

/** How {@link readBody} reads. */
export interface ReadBodyOptions {
  capBytes: number;
  /** Past the cap: `refuse` throws {@link OversizeFailure}, `cut` keeps the first part. */
  pastCap: "refuse" | "cut";
}

/** Reads a body as a stream so that memory stays bounded by the cap. */
export async function readBody(response: Response, options: ReadBodyOptions): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length") ?? "0");
  if (options.pastCap === "refuse" && declared > options.capBytes) {
    await response.body?.cancel();
    throw new OversizeFailure(options.capBytes, response.status);
  }
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream, which closes the connection.
  for await (const chunk of response.body) {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= options.capBytes) continue;
    if (options.pastCap === "refuse") throw new OversizeFailure(options.capBytes, response.status);
    break;
  }
  return joined(chunks, Math.min(size, options.capBytes));
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1 && only.length === size) return only;
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, size - offset);
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/**
 * Names a rejected `fetch`. Deno gives no code, only text in the cause, so this is the one place
 * that reads it (spec 12 §6.2).
 */
export function fetchFailure(error: unknown, url: URL): Error {
  if (error instanceof Deno.errors.NotCapable) return permissionFailure(error, url);
  if (!(error instanceof TypeError)) return error instanceof Error ? error : new Error(`${error}`);
  const text = error.cause instanceof Error ? error.cause.message : error.message;
  const started = !text.includes("(Connect)");
  const reason = reasonOf(text, started);
  return new TransportFailure(reason, {
    message: `${REASON_TEXT[reason]} (${describeUrl(url)})`,
    requestStarted: started,
    cause: error,
  });
}

/** Deno itself refused: nothing was sent, and trying again cannot help. */
function permissionFailure(error: Error, url: URL): GumError {
  return new GumError("SERVICE_DOWN", {
    message: `this process may not connect to ${url.host}`,
    details: { reason: "connect" },
    userMessage: "GUM was started without the permission to reach this host.",
    suggestion: `Start it with --allow-net=${url.host}, or with the permission set "gum".`,
    cause: error,
  });
}

function reasonOf(text: string, started: boolean): TransportReason {
  if (started) return /invalid|parse/i.test(text) ? "decode" : "reset";
  if (/dns error/i.test(text)) return "dns";
  if (/tcp connect|timed out|unreachable|refused/i.test(text)) return "connect";
  return /tls|certificate|corrupt|handshake|cert/i.test(text) ? "tls" : "connect";
}

/** Names a body that broke while it was read. */
export function bodyFailure(error: unknown, seen: { url: URL; status: number }): Error {
  if (!(error instanceof TypeError)) return error instanceof Error ? error : new Error(`${error}`);
  const reason = /reading a body/i.test(error.message) ? "truncated_body" : "decode";
  return new TransportFailure(reason, {
    message: `${REASON_TEXT[reason]} (${describeUrl(seen.url)})`,
    requestStarted: true,
    status: seen.status,
    cause: error,
  });
}

/** One sentence a reason, without addresses. */
export const REASON_TEXT: Readonly<Record<TransportReason, string>> = {
  timeout: "no complete answer within the time limit",
  dns: "the host name could not be resolved",
  connect: "no connection could be made",
  tls: "no trusted TLS connection could be made",
  reset: "the connection ended before an answer came",
  truncated_body: "the answer broke off before its end",
  decode: "the answer could not be decoded",
  redirect: "the redirect was not followed",
};
