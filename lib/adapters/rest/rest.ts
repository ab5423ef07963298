/** The one REST executor (spec 02 §3.11.1 to §3.11.3). */

import type { Variant } from "../../catalog/types.ts";
import type { Clock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import { type HttpAnswer, type HttpClient, sendWithAttempts } from "../../http/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { mapsFailure } from "./maps_status.ts";
import { buildRequest, isMapsWebService, wireParts, withCredentials } from "./request.ts";

const REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);

/** What the executor is made from. */
export interface RestAdapterOptions {
  http: HttpClient;
  /** Version of GUM, for `User-Agent`. */
  version: string;
  /** Waits between attempts; default the machine's clock. */
  clock?: Clock;
  /** In [0, 1); spreads the waits. */
  random?: () => number;
  /** Milliseconds an attempt may take, body included; default 30 000. */
  attemptTimeoutMs?: number;
}

/** Makes the executor behind the `rest.*` adapter keys. */
export function createRestAdapter(options: RestAdapterOptions): Adapter {
  const userAgent = `gum/${options.version} (gzip)`;
  return {
    execute: (request, signal) => execute({ request, options, userAgent }, signal),
    preview: (request) => preview(request, userAgent),
    checkArgs(args, variant) {
      // Whatever cannot travel is the caller's mistake, told before anything else happens.
      if (variant?.binding?.http !== undefined) wireParts(variant.binding.http, args);
    },
  };
}

async function execute(
  run: { request: AdapterRequest; options: RestAdapterOptions; userAgent: string },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { request, options, userAgent } = run;
  refuseMedia(request);
  const { variant } = request.resolved;
  const built = buildRequest(request, { userAgent });
  const { url, headers, credentialed } = withCredentials(built, request.credentials);
  const answer = await sendWithAttempts(options.http, {
    request: {
      method: built.method,
      url,
      headers,
      body: built.body,
      credentialed,
      capBytes: variant.max_response_bytes,
      timeoutMs: options.attemptTimeoutMs,
    },
    repeatable: isRepeatable(built.method, variant),
    conditional: request.ifNoneMatch !== undefined,
    clock: options.clock,
    random: options.random,
  }, signal);
  if (isMapsWebService(built.url)) {
    const failure = mapsFailure(answer.body, request.opId);
    if (failure !== undefined) throw failure;
  }
  return response(answer, built.warnings);
}

/** Repeating a request is harmless by its method, or because the catalog says so of a read. */
export function isRepeatable(method: string, variant: Variant): boolean {
  return REPEATABLE_METHODS.has(method) ||
    (variant.risk_class === "read" && variant.annotations?.idempotent === true);
}

function response(answer: HttpAnswer, warnings: string[]): AdapterResponse {
  return {
    body: answer.body,
    format: "json",
    status: answer.status,
    contentType: answer.headers.get("content-type") ?? undefined,
    etag: answer.headers.get("etag") ?? undefined,
    bytesIn: answer.bytesIn,
    bytesOut: answer.bytesOut,
    upstreamRequestId: answer.headers.get("x-goog-request-id") ?? bodyRequestId(answer.body),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

const LARGEST_RECEIPT = 64 * 1024;

/** Services without the header name the request in the body (`requestId`); receipts are short. */
function bodyRequestId(body: Uint8Array): string | undefined {
  if (body.length === 0 || body.length > LARGEST_RECEIPT) return undefined;
  const text = new TextDecoder().decode(body);
  return /^\s*\{[^{}[\]]*"requestId"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1];
}

/** The request as it would be sent: header names only, no credential anywhere. */
function preview(request: AdapterRequest, userAgent: string): JsonObject {
  const built = buildRequest(request, { userAgent });
  const { headers } = withCredentialNames(built.headers, request);
  const bodyBytes = built.body === undefined ? 0 : new TextEncoder().encode(built.body).length;
  return {
    method: built.method,
    url: built.url.href,
    headers,
    body_bytes: bodyBytes,
    ...(built.body === undefined ? {} : { body: request.args.body ?? null }),
  };
}

function withCredentialNames(
  headers: Record<string, string>,
  request: AdapterRequest,
): { headers: string[] } {
  const { credentials } = request;
  const names = [
    ...Object.keys(headers),
    ...(credentials?.token === undefined ? [] : ["authorization"]),
    ...(credentials?.apiKey === undefined ? [] : ["x-goog-api-key"]),
    ...(credentials?.quotaProjectId === undefined ? [] : ["x-goog-user-project"]),
  ];
  return { headers: names.sort() };
}

/** Bytes in and out need a path of their own; pretending with the JSON path would lose them. */
function refuseMedia(request: AdapterRequest): void {
  if (request.media === undefined) return;
  const capability = request.media.kind === "download" ? "media_download" : "media_upload";
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `${capability} is not available on this path`,
    details: { op_id: request.opId, unsupported_capabilities: [capability] },
  });
}
