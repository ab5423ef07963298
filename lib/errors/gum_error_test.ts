import assert from "node:assert/strict";
import { findGumError, GumError, isGumError } from "./mod.ts";

Deno.test("the envelope is flat, in its fixed key order, and always says retryable", () => {
  const error = new GumError("RATE_LIMITED", {
    message: "upstream rate-limited (HTTP 429)",
    details: {
      retry_after_ms: 5000,
      op_id: "drive.files.list",
      // A detail can never replace what the error itself says.
      error_code: "OP_NOT_FOUND",
      message: "other",
      retryable: false,
    },
    suggestion: "wait",
    userMessage: "slow down",
  });
  assert.equal(
    JSON.stringify(error.toEnvelope()),
    '{"error_code":"RATE_LIMITED","message":"upstream rate-limited (HTTP 429)",' +
      '"op_id":"drive.files.list","retry_after_ms":5000,"suggestion":"wait",' +
      '"user_message":"slow down","retryable":true}',
  );
});

Deno.test("golden envelopes of OP_NOT_FOUND and SERVICE_DOWN", () => {
  const missing = new GumError("OP_NOT_FOUND", {
    message: "operation drive.files.lst is not in the catalog",
    details: { op_id: "drive.files.lst", suggestions: ["drive.files.list"] },
  });
  assert.equal(
    JSON.stringify(missing.toEnvelope()),
    '{"error_code":"OP_NOT_FOUND","message":"operation drive.files.lst is not in the catalog",' +
      '"op_id":"drive.files.lst","suggestion":"Look for it with `gum search <words>`.",' +
      '"suggestions":["drive.files.list"],' +
      '"user_message":"There is no such operation in the catalog.","retryable":false}',
  );
  const down = new GumError("SERVICE_DOWN", {
    message: "upstream service error (HTTP 500)",
    details: { op_id: "drive.files.list", http_status: 500 },
  });
  assert.equal(
    JSON.stringify(down.toEnvelope()),
    '{"error_code":"SERVICE_DOWN","message":"upstream service error (HTTP 500)",' +
      '"http_status":500,"op_id":"drive.files.list",' +
      '"suggestion":"Try again later; `gum doctor` checks this side.",' +
      '"user_message":"The service did not answer as it should.","retryable":false}',
  );
});

Deno.test("a GumError is found through causes and aggregates, cycles included", () => {
  const inner = new GumError("SCOPE_MISSING");
  const outer = new Error("a", { cause: new AggregateError([new Error("b", { cause: inner })]) });
  assert.equal(findGumError(outer), inner);
  assert.ok(isGumError(outer, "SCOPE_MISSING"));
  assert.ok(!isGumError(outer, "RATE_LIMITED"));
  const loop = new Error("loop");
  loop.cause = loop;
  assert.equal(findGumError(loop), undefined);
});

Deno.test("a restated error keeps its code and everything that is not said again", () => {
  const cause = new Error("below");
  const error = new GumError("RATE_LIMITED", {
    message: "too many",
    details: { op_id: "a.b" },
    userMessage: "Wait.",
    suggestion: "Later.",
    retryable: false,
    cause,
  });
  const said = error.restated({ suggestion: "Tomorrow." });
  assert.deepEqual(said.toEnvelope(), { ...error.toEnvelope(), suggestion: "Tomorrow." });
  assert.equal(said.cause, cause);
  assert.deepEqual(error.restated({ details: {} }).details, {});
});
