/** The Keyword Planner executor (spec 02 §3.11.4). */

import { type Clock, systemClock } from "../../clock/mod.ts";
import type { Adapter, AdapterRequest, AdapterResponse, Secret } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import { OversizeFailure, UpstreamFailure } from "../../errors/wire/mod.ts";
import type { HttpAnswer, HttpClient } from "../../http/mod.ts";
import { type JsonObject, parseJson } from "../../json/mod.ts";
import { adapterResponse } from "../adapter_response.ts";
import { bindingInvalid, credentialMissing } from "../refusals.ts";
import { expandPath } from "../rest/path.ts";
import { sendKeywordCall } from "./attempts.ts";
import { annotateCloseVariants } from "./close_variants.ts";
import { adsRefusal } from "./failures.ts";
import {
  KEYWORD_METHODS,
  type KeywordMethod,
  type KeywordRequest,
  keywordRequest,
  requestedKeywords,
} from "./keyword_request.ts";

const RESPONSE_CAP = 16 * 1024 * 1024;

/** What the executor is made from. */
export interface GoogleAdsOptions {
  http: HttpClient;
  /** Version of GUM, for `User-Agent`. */
  version: string;
  /** Waits between attempts and dates the default forecast window; default the machine's clock. */
  clock?: Clock;
  /** Milliseconds an attempt may take, body included; default 30 000. */
  attemptTimeoutMs?: number;
}

/** Makes the adapters of the `googleads.*` keys. */
export function createGoogleAdsAdapters(options: GoogleAdsOptions): Record<string, Adapter> {
  return Object.fromEntries(
    KEYWORD_METHODS.map((method) => [`googleads.${method}`, keywordAdapter(method, options)]),
  );
}

function keywordAdapter(method: KeywordMethod, options: GoogleAdsOptions): Adapter {
  const clock = options.clock ?? systemClock;
  const adapter: Adapter = {
    checkArgs(args) {
      keywordRequest(method, { args, now: clock.now() });
    },
    execute: (request, signal) => execute({ method, options, request, clock }, signal),
    preview: (request) => preview({ method, request, options, now: clock.now() }),
  };
  if (method !== "generateKeywordHistoricalMetrics") return adapter;
  return {
    ...adapter,
    annotateResponse: ({ args }, body) => annotateCloseVariants(body, requestedKeywords(args)),
  };
}

interface KeywordCall {
  method: KeywordMethod;
  options: GoogleAdsOptions;
  request: AdapterRequest;
  clock: Clock;
}

async function execute(call: KeywordCall, signal: AbortSignal): Promise<AdapterResponse> {
  const { request, options, clock } = call;
  const { url, built, headers } = outgoing({ ...call, now: clock.now() });
  const { bearer, developerToken } = requireCredentials(request);
  const { max_response_bytes: cap } = request.resolved.variant;
  const http = {
    method: "POST",
    url,
    headers: {
      ...headers,
      authorization: `Bearer ${bearer.reveal()}`,
      "developer-token": developerToken.reveal(),
    },
    body: built.body,
    credentialed: true,
    capBytes: cap ?? RESPONSE_CAP,
    timeoutMs: options.attemptTimeoutMs,
  };
  try {
    const answer = await sendKeywordCall(options.http, { request: http, clock }, signal);
    return response(answer, built.warnings);
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) throw adsRefusal(thrown, request.opId);
    throw thrown instanceof OversizeFailure ? tooLarge(thrown, request.opId) : thrown;
  }
}

/** The request without its credentials. */
function outgoing(
  call: Omit<KeywordCall, "clock"> & { now: number },
): { url: URL; built: KeywordRequest; headers: Record<string, string> } {
  const { request, method, options, now } = call;
  const template = keywordTarget(request, method);
  const built = keywordRequest(method, { args: request.args, now });
  return {
    url: expandPath(template, { customerId: built.customerId }),
    built,
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": `gum/${options.version} (gzip)`,
      ...(built.loginCustomerId === undefined
        ? {}
        : { "login-customer-id": built.loginCustomerId }),
    },
  };
}

/** The path template of the binding, whose custom method must be this adapter's. */
function keywordTarget(request: AdapterRequest, method: KeywordMethod): string {
  const { adapterKey, variant } = request.resolved;
  const path = variant.binding?.http?.path ?? "";
  const suffix = path.slice(path.lastIndexOf(":") + 1);
  if (suffix === method && variant.binding?.http?.method === "POST") return path;
  throw bindingInvalid({
    adapterKey,
    opId: request.opId,
    why: `the binding of ${variant.variant_id} is no POST of ${method}`,
  });
}

function requireCredentials(
  request: AdapterRequest,
): { bearer: Secret; developerToken: Secret } {
  const { credentials, opId } = request;
  const bearer = credentials?.token;
  if (bearer === undefined) {
    throw credentialMissing(opId, {
      component: "oauth_scopes",
      message: "Google Ads needs a signed-in account.",
    });
  }
  const developerToken = credentials?.developerToken;
  if (developerToken === undefined) {
    throw credentialMissing(opId, {
      component: "developer_token",
      message: "Google Ads needs a developer token.",
      nextCommand: "gum auth use-ads-developer-token",
    });
  }
  return { bearer, developerToken };
}

function response(answer: HttpAnswer, warnings: string[]): AdapterResponse {
  return {
    ...adapterResponse(answer),
    upstreamRequestId: answer.headers.get("request-id") ?? undefined,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function tooLarge(failure: OversizeFailure, opId: string): GumError {
  return new GumError("RESPONSE_TOO_LARGE", {
    message: failure.message,
    details: { op_id: opId, cap_bytes: failure.capBytes, http_status: failure.status },
    suggestion: "Ask for less at a time: a smaller pageSize, then pageToken for what follows.",
    retryable: false,
    cause: failure,
  });
}

/** The request as it would be sent: header names only. */
function preview(call: Omit<KeywordCall, "clock"> & { now: number }): JsonObject {
  const { url, built, headers } = outgoing(call);
  return {
    method: "POST",
    url: url.href,
    headers: [...Object.keys(headers), "authorization", "developer-token"].sort(),
    body_bytes: new TextEncoder().encode(built.body).length,
    body: parseJson(built.body),
  };
}
