/** gRPC statuses as the HTTP answers the kernel's table knows (spec 02 §3.11.5). Pure. */

import { UpstreamFailure } from "../../errors/wire/mod.ts";

/** Canonical status codes by number. */
const NAMES = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

const HTTP_STATUS: Partial<Record<typeof NAMES[number], number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  INVALID_ARGUMENT: 400,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
};

/** The failure of a call that ended with a gRPC status; undefined when `thrown` carries none. */
export function grpcFailure(thrown: unknown, now: number): UpstreamFailure | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  const { code } = thrown;
  const name = typeof code === "number" && code > 0 ? NAMES[code] : undefined;
  if (name === undefined) return undefined;
  const status = HTTP_STATUS[name] ?? 500;
  const text = "details" in thrown && typeof thrown.details === "string" && thrown.details !== ""
    ? thrown.details
    : thrown.message;
  const body = JSON.stringify({ error: { code: status, status: name, message: text } });
  return new UpstreamFailure({
    status,
    statusText: name,
    body: new TextEncoder().encode(body),
    contentType: "application/json",
    now,
  });
}
