/**
 * Media over the emulated wire: downloads with ranges, and the upload protocols.
 *
 * A service keeps one {@link UploadSessions}, and routes every request under its `/upload/…` path
 * (POST, PUT, PATCH) through {@link receiveUpload}; it only supplies what to do with whole bytes.
 */

import { isJsonObject, type JsonObject, parseJson } from "../json/mod.ts";
import { concatBytes, indexOfBytes, utf8 } from "./encoding.ts";
import { crc32c, md5 } from "./checksum.ts";
import { hashHex } from "./random.ts";
import { type EmulatedAnswer, type EmulatedCall, EmulatedError } from "./service.ts";

/** A whole upload. */
export interface UploadedMedia {
  /** The JSON part; empty for `uploadType=media`. */
  metadata: JsonObject;
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
}

/** One resumable session. */
export interface UploadSession {
  id: string;
  metadata: JsonObject;
  contentType: string;
  /** Declared length; undefined when the client did not know it. */
  total?: number;
  received: Uint8Array<ArrayBuffer>;
  /** The answer of the completed upload, for a client that asks again. */
  finished?: EmulatedAnswer;
  /** Path parameters and query of the initiating request. */
  params: Record<string, string>;
  query: string;
  method: string;
}

/** Resumable sessions of one service. */
export class UploadSessions {
  #sessions = new Map<string, UploadSession>();
  #count = 0;

  /** Opens a session. */
  open(session: Omit<UploadSession, "id" | "received">, salt: string): UploadSession {
    const id = `AHmUCY${hashHex(`${salt} upload ${++this.#count}`, 60)}`;
    const opened: UploadSession = { ...session, id, received: new Uint8Array() };
    this.#sessions.set(id, opened);
    return opened;
  }

  /** The session with this id. @throws EmulatedError 404 when it is unknown or was lost. */
  get(id: string): UploadSession {
    const session = this.#sessions.get(id);
    if (session === undefined) {
      throw new EmulatedError(404, "Upload session not found.", { reason: "notFound" });
    }
    return session;
  }

  /** Forgets every open session, as a server that lost them would. */
  loseAll(): void {
    this.#sessions.clear();
  }

  /** Ids in order of opening. */
  ids(): string[] {
    return [...this.#sessions.keys()];
  }
}

/** What a service does with a whole upload; `call.params` are those of the initiating request. */
export type FinishUpload = (
  media: UploadedMedia,
  call: EmulatedCall,
) => EmulatedAnswer | Promise<EmulatedAnswer>;

/**
 * Runs one request of an upload: `uploadType=media|multipart|resumable`, or the `X-Goog-Upload-*`
 * protocol. Call it from every route under the upload path.
 *
 * @throws EmulatedError 400 for a malformed upload, 404 for a lost session.
 */
export async function receiveUpload(
  sessions: UploadSessions,
  call: EmulatedCall,
  finish: FinishUpload,
): Promise<EmulatedAnswer> {
  const command = call.headers.get("x-goog-upload-command");
  const sessionId = call.query.get("upload_id");
  if (command !== null || call.headers.has("x-goog-upload-protocol")) {
    return await receiveGoogUpload(sessions, call, { command: command ?? "start", finish });
  }
  if (sessionId !== null) return await receiveChunk(sessions.get(sessionId), call, finish);
  const uploadType = call.query.get("uploadType");
  switch (uploadType) {
    case "media":
      return await finish({
        metadata: {},
        bytes: new Uint8Array(call.bodyBytes),
        contentType: call.headers.get("content-type") ?? "application/octet-stream",
      }, call);
    case "multipart":
      return await finish(parseMultipartRelated(call), call);
    case "resumable": {
      const session = openSession(sessions, call, {
        contentType: call.headers.get("x-upload-content-type"),
        total: call.headers.get("x-upload-content-length"),
      });
      return {
        status: 200,
        headers: sessionHeaders(session, call),
        contentType: "text/plain",
        body: new Uint8Array(),
      };
    }
    default:
      throw new EmulatedError(400, `Unsupported uploadType: ${uploadType ?? "(absent)"}`, {
        reason: "badRequest",
      });
  }
}

function openSession(
  sessions: UploadSessions,
  call: EmulatedCall,
  declared: { contentType: string | null; total: string | null },
): UploadSession {
  const total = Number(declared.total ?? "NaN");
  return sessions.open({
    metadata: isJsonObject(call.body ?? null) ? call.body as JsonObject : {},
    contentType: declared.contentType ?? "application/octet-stream",
    ...(Number.isSafeInteger(total) ? { total } : {}),
    params: call.params,
    query: call.query.toString(),
    method: call.method,
  }, `${call.host}${call.path}`);
}

function sessionHeaders(session: UploadSession, call: EmulatedCall): Record<string, string> {
  return {
    location: sessionUrl(session, call),
    "x-guploader-uploadid": session.id,
  };
}

function sessionUrl(session: UploadSession, call: EmulatedCall): string {
  const query = new URLSearchParams(call.query);
  query.set("upload_id", session.id);
  return `https://${call.host}${call.path}?${query}`;
}

async function receiveChunk(
  session: UploadSession,
  call: EmulatedCall,
  finish: FinishUpload,
): Promise<EmulatedAnswer> {
  if (session.finished) return session.finished;
  if (call.method === "DELETE") return { status: 499 };
  const header = call.headers.get("content-range");
  const range = /^bytes (?:([0-9]+)-([0-9]+)|\*)\/([0-9]+|\*)$/.exec(header ?? "");
  if (header !== null && range === null) {
    throw new EmulatedError(400, "Failed to parse Content-Range header.", {
      reason: "badRequest",
    });
  }
  const total = range?.[3] === undefined || range[3] === "*" ? session.total : Number(range[3]);
  if (range !== null && range[1] === undefined) {
    // A query for the state, or the close of an upload whose length was unknown until now.
    return total !== undefined && total === session.received.length && range[3] !== "*" &&
        session.total === undefined
      ? await complete(session, call, finish)
      : incomplete(session);
  }
  const start = range === null ? 0 : Number(range[1]);
  if (start > session.received.length) {
    throw new EmulatedError(400, "Invalid request. There were bytes missing before this chunk.", {
      reason: "badRequest",
    });
  }
  const fresh = call.bodyBytes.subarray(session.received.length - start);
  session.received = concatBytes([session.received, fresh]);
  const declared = range === null ? session.received.length : total;
  if (declared !== undefined && session.received.length >= declared && range?.[3] !== "*") {
    return await complete(session, call, finish);
  }
  return incomplete(session);
}

function incomplete(session: UploadSession): EmulatedAnswer {
  const headers: Record<string, string> = { "x-guploader-uploadid": session.id };
  if (session.received.length > 0) headers.range = `bytes=0-${session.received.length - 1}`;
  return { status: 308, headers, contentType: "text/plain", body: new Uint8Array() };
}

async function complete(
  session: UploadSession,
  call: EmulatedCall,
  finish: FinishUpload,
): Promise<EmulatedAnswer> {
  const answer = await finish({
    metadata: session.metadata,
    bytes: session.received,
    contentType: session.contentType,
  }, {
    ...call,
    method: session.method,
    params: session.params,
    query: new URLSearchParams(session.query),
  });
  session.finished = answer;
  return answer;
}

async function receiveGoogUpload(
  sessions: UploadSessions,
  call: EmulatedCall,
  options: { command: string; finish: FinishUpload },
): Promise<EmulatedAnswer> {
  const commands = options.command.split(",").map((command) => command.trim());
  const empty = new Uint8Array();
  if (call.headers.get("x-goog-upload-protocol") === "raw") {
    return await options.finish({
      metadata: {},
      bytes: new Uint8Array(call.bodyBytes),
      contentType: call.headers.get("x-goog-upload-content-type") ?? "application/octet-stream",
    }, call);
  }
  if (commands.includes("start")) {
    const session = openSession(sessions, call, {
      contentType: call.headers.get("x-goog-upload-header-content-type") ??
        call.headers.get("x-goog-upload-content-type"),
      total: call.headers.get("x-goog-upload-header-content-length") ??
        call.headers.get("x-goog-upload-raw-size"),
    });
    return {
      status: 200,
      contentType: "text/plain",
      body: empty,
      headers: {
        "x-goog-upload-url": sessionUrl(session, call),
        "x-goog-upload-status": "active",
        "x-goog-upload-chunk-granularity": "262144",
      },
    };
  }
  const session = sessions.get(call.query.get("upload_id") ?? "");
  if (commands.includes("query")) {
    return {
      status: 200,
      contentType: "text/plain",
      body: empty,
      headers: {
        "x-goog-upload-status": session.finished ? "final" : "active",
        "x-goog-upload-size-received": String(session.received.length),
      },
    };
  }
  if (commands.includes("upload") && !session.finished) {
    const offset = Number(call.headers.get("x-goog-upload-offset") ?? "0");
    if (offset !== session.received.length) {
      throw new EmulatedError(400, "Invalid upload offset.", { reason: "badRequest" });
    }
    session.received = concatBytes([session.received, call.bodyBytes]);
  }
  if (!commands.includes("finalize")) {
    return {
      status: 200,
      contentType: "text/plain",
      body: empty,
      headers: {
        "x-goog-upload-status": "active",
        "x-goog-upload-size-received": String(session.received.length),
      },
    };
  }
  const answer = session.finished ?? await complete(session, call, options.finish);
  return { ...answer, headers: { ...answer.headers, "x-goog-upload-status": "final" } };
}

/**
 * Splits a `multipart/related` body into its JSON and its media part.
 *
 * @throws EmulatedError 400 when it is not one.
 */
function parseMultipartRelated(call: EmulatedCall): UploadedMedia {
  const refuse = (message: string): never => {
    throw new EmulatedError(400, message, { reason: "badRequest" });
  };
  const type = call.headers.get("content-type") ?? "";
  const found = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const boundary = found?.[1] ?? found?.[2];
  if (!/^multipart\//i.test(type) || boundary === undefined) {
    return refuse("Missing multipart boundary in Content-Type.");
  }
  const parts = splitParts(call.bodyBytes, boundary);
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length !== 2) {
    return refuse("Malformed multipart body.");
  }
  let metadata: JsonObject = {};
  try {
    const parsed = parseJson(new TextDecoder().decode(first.bytes));
    if (isJsonObject(parsed)) metadata = parsed;
    else refuse("Metadata part is not an object.");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    refuse("Metadata part is not JSON.");
  }
  return {
    metadata,
    bytes: second.bytes,
    contentType: second.headers["content-type"] ?? "application/octet-stream",
  };
}

function splitParts(
  body: Uint8Array,
  boundary: string,
): { headers: Record<string, string>; bytes: Uint8Array<ArrayBuffer> }[] {
  const parts = [];
  const delimiter = utf8(`--${boundary}`);
  const blank = utf8("\r\n\r\n");
  let at = indexOfBytes(body, delimiter);
  while (at !== -1) {
    const start = at + delimiter.length;
    if (body[start] === 0x2d && body[start + 1] === 0x2d) break;
    const next = indexOfBytes(body, delimiter, start);
    if (next === -1) break;
    const headEnd = indexOfBytes(body, blank, start);
    if (headEnd !== -1 && headEnd < next) {
      const headers: Record<string, string> = {};
      for (const line of new TextDecoder().decode(body.subarray(start, headEnd)).split("\r\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) {
          headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
        }
      }
      parts.push({
        headers,
        bytes: new Uint8Array(
          body.subarray(headEnd + blank.length, Math.max(next - 2, headEnd + 4)),
        ),
      });
    }
    at = next;
  }
  return parts;
}

/**
 * A media download: whole, or the part that `Range` asks for while `If-Range` still holds.
 * Carries `ETag`, `Accept-Ranges` and `X-Goog-Hash` of the whole.
 *
 * @throws EmulatedError 416 for a range beyond the end.
 */
export function downloadAnswer(
  call: EmulatedCall,
  media: { bytes: Uint8Array; contentType: string; etag?: string; fileName?: string },
): EmulatedAnswer {
  const { bytes } = media;
  const digest = md5(bytes);
  const etag = media.etag ?? `"${digest.toHex()}"`;
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    etag,
    "x-goog-hash": `crc32c=${crc32c(bytes).toBase64()},md5=${digest.toBase64()}`,
  };
  if (media.fileName !== undefined) {
    headers["content-disposition"] = `attachment; filename*=UTF-8''${
      encodeURIComponent(media.fileName)
    }`;
  }
  const range = /^bytes=([0-9]*)-([0-9]*)$/.exec(call.headers.get("range") ?? "");
  const ifRange = call.headers.get("if-range");
  const wanted = range !== null && (range[1] !== "" || range[2] !== "") &&
    (ifRange === null || ifRange === etag);
  if (!wanted) return { status: 200, body: bytes, contentType: media.contentType, headers };
  const suffix = range[1] === "";
  const start = suffix ? Math.max(0, bytes.length - Number(range[2])) : Number(range[1]);
  const end = suffix || range[2] === ""
    ? bytes.length - 1
    : Math.min(Number(range[2]), bytes.length - 1);
  if (start > end) {
    throw new EmulatedError(416, "Request range not satisfiable", {
      reason: "requestedRangeNotSatisfiable",
      status: "OUT_OF_RANGE",
    });
  }
  headers["content-range"] = `bytes ${start}-${end}/${bytes.length}`;
  return {
    status: 206,
    body: bytes.subarray(start, end + 1),
    contentType: media.contentType,
    headers,
  };
}
