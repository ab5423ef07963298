/** The one REST executor (spec 02 §3.11.1 to §3.11.3). */

import { type Clock, systemClock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse } from "../../dispatch/types.ts";
import {
  type HttpAnswer,
  type RetryBudget,
  sendWithAttempts,
  type StreamingHttpClient,
} from "../../http/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { adapterResponse } from "../adapter_response.ts";
import { annotateAnswer } from "../annotators/mod.ts";
import { choosesExportType, exportTypeFor, withExportHint } from "./drive_exports.ts";
import { mapsFailure } from "./maps_status.ts";
import type { MediaOptions } from "./media/mod.ts";
import { isRepeatable } from "./repeatable.ts";
import { buildRequest, isMapsWebService, wireParts, withCredentials } from "./request.ts";
import { uploadPreview } from "./upload_way.ts";

export { isRepeatable } from "./repeatable.ts";

/** What the executor is made from. */
export interface RestAdapterOptions {
  http: StreamingHttpClient;
  /** Version of GUM, for `User-Agent`. */
  version: string;
  /** Waits between attempts; default the machine's clock. */
  clock?: Clock;
  /** In [0, 1); spreads the waits. */
  random?: () => number;
  /** Milliseconds an attempt may take, body included; default 30 000. */
  attemptTimeoutMs?: number;
  /** Shared by all calls of the process; absent: every call has its own retries. */
  retryBudget?: RetryBudget;
  /** How calls that move files behave (spec 02 §8.1, §8.2). */
  media?: MediaOptions;
}

/** Makes the executor behind the `rest.*` adapter keys. */
export function createRestAdapter(options: RestAdapterOptions): Adapter {
  const userAgent = `gum/${options.version} (gzip)`;
  return {
    async execute(request, signal) {
      try {
        const run = await withExportType({ request, options, userAgent }, signal);
        const answer = request.media === undefined
          ? await execute(run, signal)
          : await executeMedia(run, signal);
        const { note } = run;
        return note === undefined
          ? answer
          : { ...answer, warnings: [...answer.warnings ?? [], note] };
      } catch (error) {
        throw withExportHint(error, request);
      }
    },
    preview: (request) => preview(request, userAgent),
    annotateResponse: annotateAnswer,
    checkArgs(args, variant) {
      // Whatever cannot travel is the caller's mistake, told before anything else happens.
      if (variant?.binding?.http !== undefined) wireParts(variant.binding.http, args);
    },
  };
}

interface RestRun {
  request: AdapterRequest;
  options: RestAdapterOptions;
  userAgent: string;
  /** Overrides the cap of the variant. */
  capBytes?: number;
  /** What the caller should know of a choice that was made for the call. */
  note?: string;
}

/** The export type that nobody named, by the kind of the file. */
async function withExportType(run: RestRun, signal: AbortSignal): Promise<RestRun> {
  const { request, options, userAgent } = run;
  if (!choosesExportType(request)) return run;
  const { driveFacts } = await import("./media/mod.ts");
  const facts = await driveFacts({ ...attemptParts(options), request, userAgent }, signal);
  const mimeType = exportTypeFor(facts.mimeType);
  const args = { ...request.args, mimeType };
  const chosen: RestRun = { ...run, request: { ...request, args } };
  return facts.mimeType === undefined
    ? { ...chosen, note: `the kind of the file could not be read, so ${mimeType} was chosen` }
    : chosen;
}

function attemptParts(options: RestAdapterOptions) {
  return {
    http: options.http,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    attemptTimeoutMs: options.attemptTimeoutMs,
  };
}

/** The bytes' own path; its modules load with the first call that needs them. */
async function executeMedia(run: RestRun, signal: AbortSignal): Promise<AdapterResponse> {
  const { request, options, userAgent } = run;
  const { moveMedia } = await import("./media/mod.ts");
  return await moveMedia({
    request,
    userAgent,
    ...attemptParts(options),
    options: options.media ?? {},
    sendPlain: () => execute({ ...run, capBytes: ENCODED_FILE_CAP }, signal),
  }, signal);
}

/** JSON that carries a whole file as text may be longer than other answers. */
const ENCODED_FILE_CAP = 256 * 1024 * 1024;

async function execute(run: RestRun, signal: AbortSignal): Promise<AdapterResponse> {
  const { request, options, userAgent } = run;
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
      capBytes: run.capBytes ?? variant.max_response_bytes,
      timeoutMs: options.attemptTimeoutMs,
    },
    repeatable: isRepeatable(built.method, variant),
    conditional: request.ifNoneMatch !== undefined,
    clock: options.clock,
    random: options.random,
    mayRetry: () => options.retryBudget?.take(request.resolved.op.service_family) ?? true,
  }, signal);
  if (isMapsWebService(built.url)) {
    const failure = mapsFailure(answer.body, request.opId);
    if (failure !== undefined) throw failure;
  }
  return response(answer, built.warnings);
}

function response(answer: HttpAnswer, warnings: string[]): AdapterResponse {
  return {
    ...adapterResponse(answer),
    etag: answer.headers.get("etag") ?? undefined,
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
  const upload = request.media?.kind === "upload" ? uploadPreview(request, userAgent) : {};
  const bodyBytes = built.body === undefined ? 0 : new TextEncoder().encode(built.body).length;
  return {
    method: built.method,
    url: built.url.href,
    headers,
    body_bytes: bodyBytes,
    ...(built.body === undefined ? {} : { body: request.args.body ?? null }),
    ...upload,
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
