/** One exchange: credential check, redirects by hand, time limit, size cap. */

import { OversizeFailure, TransportFailure } from "../errors/wire/mod.ts";
import {
  bodyFailure,
  describeUrl,
  ERROR_BODY_CAP,
  fetchFailure,
  readBody,
  REASON_TEXT,
  RESPONSE_CAP,
} from "./body.ts";
import {
  CREDENTIAL_HEADERS,
  CREDENTIAL_PARAMETERS,
  requireCredentialHost,
} from "./credential_host.ts";
import { type HttpStream, openStream, type StreamRequest } from "./stream.ts";

const ATTEMPT_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** One request. Credentials, if any, are in `headers` or the `key` parameter. */
export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Text or bytes to send; its `Content-Type` is among `headers`. */
  body?: string | Uint8Array<ArrayBuffer>;
  /**
   * Sending it twice cannot act twice, as with a chunk at a fixed offset. Its body then goes out
   * without the copy that otherwise keeps `fetch` from repeating a request (spec 12 §6.1).
   */
  replaySafe?: boolean;
  /** True when a credential travels: the host rule applies. */
  credentialed?: boolean;
  /** Bytes of a successful answer; default 64 MiB. */
  capBytes?: number;
  /** Milliseconds, body included; default 30 000. */
  timeoutMs?: number;
  /** Redirects that are followed; default 10. */
  maxRedirects?: number;
}

/** A complete answer, whatever its status. */
export interface HttpAnswer {
  status: number;
  statusText: string;
  headers: Headers;
  /** Whole body of a success; the first 1 MiB of anything else. */
  body: Uint8Array;
  bytesIn: number;
  bytesOut: number;
  /** The address that answered, after redirects. */
  url: URL;
}

/** Sends requests. Holds connections; close it when its owner ends. */
export interface HttpClient extends Disposable {
  /**
   * Makes one attempt.
   *
   * @throws TransportFailure, OversizeFailure, GumError `POLICY_DENIED`, or the signal's reason.
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

/** A client that can also hand a body over as it arrives. */
export interface StreamingHttpClient extends HttpClient {
  /**
   * Makes one attempt whose successful body is read by the caller, piece by piece.
   *
   * @throws as {@link HttpClient.send}
   */
  open(request: StreamRequest, signal: AbortSignal): Promise<HttpStream>;
}

/** What a client is made from. */
export interface HttpClientOptions {
  /** Hosts beyond googleapis.com that may see a credential: host, `host:port` or origin. */
  extraCredentialHosts?: readonly string[];
  /** Moves every request to loopback, after the host rule; anything but loopback is refused. */
  rewriteOrigin?: (url: URL) => URL;
}

/** Makes a client. */
export function createHttpClient(options: HttpClientOptions = {}): StreamingHttpClient {
  // fetch repeats a request on its own when a reused connection dies, writes included. A body in a
  // Blob prevents that; without a body only a fresh connection does (spec 12 §6.1).
  let freshConnections: Deno.HttpClient | undefined;
  const fresh = () => freshConnections ??= Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const close = () => {
    freshConnections?.close();
    freshConnections = undefined;
  };
  return {
    send: (request, signal) => sendOnce({ request, options, fresh }, signal),
    open: (request, signal) =>
      openStream(request, {
        signal,
        exchange: (limit, finish) =>
          followHops({ request, options, fresh }, { signal: limit, finish }),
      }),
    close,
    [Symbol.dispose]: close,
  };
}

interface Exchange {
  request: HttpRequest;
  options: HttpClientOptions;
  fresh: () => Deno.HttpClient;
}

/** A hop of an exchange: what is sent to one address. */
interface Hop {
  method: string;
  url: URL;
  headers: Headers;
  body: Blob | Uint8Array<ArrayBuffer> | undefined;
  credentialed: boolean;
}

async function sendOnce(exchange: Exchange, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const timeoutMs = exchange.request.timeoutMs ?? ATTEMPT_TIMEOUT_MS;
  const limit = new AbortController();
  const timeout = () =>
    new TransportFailure("timeout", {
      message: `${REASON_TEXT.timeout} of ${timeoutMs} ms (${describeUrl(exchange.request.url)})`,
      requestStarted: true,
    });
  const timer = setTimeout(() => limit.abort(timeout()), timeoutMs);
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    return await followHops(exchange, {
      signal: either,
      finish: (response, hop) => readAnswer({ response, hop, exchange }, either),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Sends, follows redirects, and hands the last response to `finish`. */
async function followHops<T>(
  exchange: Exchange,
  { signal, finish }: {
    signal: AbortSignal;
    finish: (response: Response, hop: Hop) => Promise<T>;
  },
): Promise<T> {
  let hop = firstHop(exchange.request);
  for (let followed = 0;; followed++) {
    if (hop.credentialed) {
      requireCredentialHost(hop.url, exchange.options.extraCredentialHosts ?? []);
    }
    const response = await fetchHop({ hop, exchange }, signal);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return await finish(response, hop);
    await response.body?.cancel();
    if (followed >= (exchange.request.maxRedirects ?? MAX_REDIRECTS)) {
      throw redirectFailure("too many redirects", hop.url);
    }
    hop = nextHop(hop, { status: response.status, location });
  }
}

function firstHop(request: HttpRequest): Hop {
  const body = bodyOf(request);
  return {
    method: request.method,
    url: request.url,
    headers: new Headers(request.headers),
    body: body === undefined || sizeOf(body) === 0 ? undefined : body,
    credentialed: request.credentialed ?? false,
  };
}

function bodyOf(request: HttpRequest): Hop["body"] {
  const { body, replaySafe } = request;
  if (body === undefined) return undefined;
  return replaySafe && typeof body !== "string" ? body : new Blob([body]);
}

function sizeOf(body: NonNullable<Hop["body"]>): number {
  return body instanceof Blob ? body.size : body.length;
}

async function fetchHop(
  { hop, exchange }: { hop: Hop; exchange: Exchange },
  signal: AbortSignal,
): Promise<Response> {
  const target = exchange.options.rewriteOrigin === undefined
    ? hop.url
    : loopbackOnly(exchange.options.rewriteOrigin(hop.url));
  const isRead = hop.method === "GET" || hop.method === "HEAD";
  try {
    return await fetch(target, {
      method: hop.method,
      headers: hop.headers,
      body: hop.body,
      redirect: "manual",
      signal,
      ...(isRead || hop.body !== undefined ? {} : { client: exchange.fresh() }),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw fetchFailure(error, hop.url);
  }
}

async function readAnswer(
  { response, hop, exchange }: { response: Response; hop: Hop; exchange: Exchange },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { status, statusText, headers } = response;
  let body: Uint8Array;
  try {
    body = await readBody(
      response,
      response.ok
        ? { capBytes: exchange.request.capBytes ?? RESPONSE_CAP, pastCap: "refuse" }
        : { capBytes: ERROR_BODY_CAP, pastCap: "cut" },
    );
  } catch (error) {
    if (signal.aborted) throw timedOutWhileReading(signal.reason, status);
    // The status alone decides how a refusal is treated; its broken body only costs detail.
    if (!response.ok && !(error instanceof OversizeFailure)) body = new Uint8Array();
    else {throw error instanceof OversizeFailure
        ? error
        : bodyFailure(error, { url: hop.url, status });}
  }
  const bytesOut = hop.body === undefined ? 0 : sizeOf(hop.body);
  return { status, statusText, headers, body, bytesIn: body.length, bytesOut, url: hop.url };
}

/** Keeps the status that was seen, so that a write that answered 2xx is not called unknown. */
function timedOutWhileReading(reason: unknown, status: number): unknown {
  if (!(reason instanceof TransportFailure)) return reason;
  return new TransportFailure(reason.reason, {
    message: reason.message,
    requestStarted: true,
    status,
    cause: reason,
  });
}

function nextHop(hop: Hop, redirect: { status: number; location: string }): Hop {
  const url = URL.canParse(redirect.location, hop.url)
    ? new URL(redirect.location, hop.url)
    : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw redirectFailure("the redirect has no usable target", hop.url);
  }
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw redirectFailure("the redirect leaves https", hop.url);
  }
  // A fragment is for readers; it never travels, so it is no reason to refuse the hop.
  url.hash = "";
  const sameHost = url.host === hop.url.host;
  const keepsMethod = redirect.status === 307 || redirect.status === 308;
  if (keepsMethod && !sameHost && hop.method !== "GET" && hop.method !== "HEAD") {
    throw redirectFailure("the redirect would send a write to another host", hop.url);
  }
  const next: Hop = { ...hop, url, headers: new Headers(hop.headers) };
  if (!keepsMethod && hop.method !== "HEAD") {
    next.method = "GET";
    next.body = undefined;
    next.headers.delete("content-type");
  }
  if (!sameHost) {
    for (const name of CREDENTIAL_HEADERS) next.headers.delete(name);
    for (const name of CREDENTIAL_PARAMETERS) next.url.searchParams.delete(name);
    next.credentialed = false;
  }
  return next;
}

function redirectFailure(why: string, url: URL): TransportFailure {
  return new TransportFailure("redirect", {
    message: `${why} (${describeUrl(url)})`,
    requestStarted: true,
  });
}

function loopbackOnly(url: URL): URL {
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) return url;
  throw new TypeError("an origin rewriter may only target loopback");
}
