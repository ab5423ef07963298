/** Maps web services report failure inside a 200 (spec 02 §3.11.5). Pure. */

import { type ErrorCode, GumError } from "../../errors/mod.ts";
import { UpstreamFailure } from "../../errors/wire/mod.ts";
import type { JsonObject } from "../../json/mod.ts";

const FAILURES: Readonly<Record<string, { code: ErrorCode; suggestion?: string } | undefined>> = {
  OVER_QUERY_LIMIT: { code: "RATE_LIMITED" },
  OVER_DAILY_LIMIT: { code: "RATE_LIMITED" },
  REQUEST_DENIED: {
    code: "AUTH_REQUIRED",
    suggestion: "Check the API key and which Maps APIs it may call.",
  },
  INVALID_REQUEST: { code: "INVALID_ARGS" },
  NOT_FOUND: { code: "RESOURCE_NOT_FOUND" },
  UNKNOWN_ERROR: { code: "SERVICE_DOWN" },
};

/** The error a Maps body stands for; undefined for a success. */
export function mapsFailure(body: Uint8Array, opId: string): GumError | undefined {
  const read = statusOf(body);
  const failure = FAILURES[read.status ?? ""];
  if (read.status === undefined || failure === undefined) return undefined;
  const details: JsonObject = { op_id: opId, http_status: 200, upstream_reason: read.status };
  if (failure.code === "INVALID_ARGS") {
    Object.assign(details, { source: "upstream", missing: [], unknown: [], type_errors: [] });
  }
  if (failure.code === "RATE_LIMITED") details.source = "upstream";
  if (failure.code === "AUTH_REQUIRED") details.missing_components = ["api_key"];
  return new GumError(failure.code, {
    message: (read.message ?? `the service answered ${read.status}`).slice(0, 512),
    details,
    suggestion: failure.suggestion,
    cause: new UpstreamFailure({
      status: 200,
      statusText: "",
      body,
      contentType: "application/json",
      now: 0,
    }),
  });
}

function statusOf(body: Uint8Array): { status?: string; message?: string } {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof parsed !== "object" || parsed === null) return {};
    const status = "status" in parsed ? parsed.status : undefined;
    const message = "error_message" in parsed ? parsed.error_message : undefined;
    return {
      ...(typeof status === "string" ? { status } : {}),
      ...(typeof message === "string" ? { message } : {}),
    };
  } catch {
    return {}; // not JSON: shown as inline media later
  }
}
