import assert from "node:assert/strict";
import { type FailedAnswer, readGoogleError, retryAfterMs } from "./mod.ts";

function facts(body: unknown, extra: Partial<FailedAnswer> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readGoogleError({
    status: 400,
    statusText: "Bad Request",
    body: new TextEncoder().encode(text),
    now: 0,
    ...extra,
  });
}

Deno.test("every body form of a failed answer gives its message", () => {
  const inner = { code: 400, status: "INVALID_ARGUMENT", message: "no" };
  assert.equal(facts({ error: inner }).message, "no");
  assert.equal(facts([{ error: inner }]).googleStatus, "INVALID_ARGUMENT");
  assert.equal(facts({ error: "invalid_grant", error_description: "gone" }).message, "gone");
  assert.deepEqual(facts({ error: "invalid_grant" }).reasons, ["invalid_grant"]);
  assert.equal(facts({ code: 3, message: "grpc", details: [] }).message, "grpc");
  assert.equal(
    facts("<html><title>502</title> <b>Bad</b>\n gateway</html>").message,
    "HTTP 400 Bad Request: 502 Bad gateway",
  );
  assert.equal(facts("").message, "HTTP 400 Bad Request");
  assert.equal(facts("[1,2").message, "HTTP 400 Bad Request: [1,2");
});

Deno.test("messages are cut to 512 characters and text excerpts to 200", () => {
  assert.equal(facts({ error: { message: "x".repeat(2000) } }).message.length, 512);
  assert.equal(facts("y".repeat(2000)).message, `HTTP 400 Bad Request: ${"y".repeat(200)}`);
});

Deno.test("details of google.rpc are read, whatever order they come in", () => {
  const read = facts({
    error: {
      message: "m",
      errors: [{ reason: "legacyReason" }],
      details: [
        { "@type": "type.googleapis.com/google.rpc.Help", links: [{ url: "https://help" }] },
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "RATE_LIMIT_EXCEEDED",
          metadata: { service: "s", quota_metric: "q", quota_limit: "l", activationUrl: "no" },
        },
        { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "r-1" },
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ field: "a.b", description: "bad", reason: "R" }, 7],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" },
      ],
    },
  }, { retryAfter: "1" });
  assert.equal(read.upstreamReason, "RATE_LIMIT_EXCEEDED");
  assert.ok(read.reasons.includes("legacyReason"));
  assert.deepEqual([read.service, read.quotaMetric, read.quotaLimit], ["s", "q", "l"]);
  assert.equal(read.requestId, "r-1");
  assert.equal(read.helpUrl, "https://help");
  assert.equal(read.retryAfterMs, 2500);
  assert.deepEqual(read.fieldViolations, [{ field: "a.b", description: "bad", reason: "R" }]);
});

Deno.test("Retry-After is read as seconds or date, clamped, and never negative", () => {
  const now = Date.parse("2026-05-19T12:00:00Z");
  assert.equal(retryAfterMs("5", now), 5000);
  assert.equal(retryAfterMs("-5", now), 0);
  assert.equal(retryAfterMs("9999", now), 300_000);
  assert.equal(retryAfterMs("Tue, 19 May 2026 12:00:07 GMT", now), 7000);
  assert.equal(retryAfterMs("Tue, 19 May 2026 11:00:00 GMT", now), 0);
  assert.equal(retryAfterMs("soon", now), 0);
  assert.equal(retryAfterMs(undefined, now), 0);
  assert.equal(facts({}, { retryAfter: "0" }).retryAfterMs, undefined);
});

Deno.test("hostile bodies never throw", () => {
  const hostile = [
    null,
    [],
    [[]],
    { error: null },
    { error: [] },
    { error: { details: { a: 1 }, errors: "x", message: 7 } },
    { error: { details: [null, 1, { "@type": 5 }, { "@type": "google.rpc.Help", links: null }] } },
    { error: { details: [{ "@type": "google.rpc.RetryInfo", retryDelay: { seconds: "x" } }] } },
  ];
  for (const body of hostile) assert.equal(typeof facts(body).message, "string");
  assert.equal(
    readGoogleError({
      status: 500,
      statusText: "",
      body: Uint8Array.of(0xff, 0xfe, 0x00),
      now: 0,
    }).httpStatus,
    500,
  );
});

Deno.test("a bare legacy message is told with the parameter beside it", () => {
  const legacy = (entry: Record<string, string>) =>
    facts({
      error: { message: "Invalid Value", errors: [{ message: "Invalid Value", ...entry }] },
    });
  assert.deepEqual(legacy({ locationType: "parameter", location: "q" }).fieldViolations, [
    { field: "q", description: "Invalid Value" },
  ]);
  // A header is not something a caller gave.
  const header = legacy({ locationType: "header", location: "Authorization" });
  assert.deepEqual(header.fieldViolations, []);
  assert.deepEqual(legacy({ location: "q" }).fieldViolations, []);
});
