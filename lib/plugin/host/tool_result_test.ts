import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { judgeToolResult } from "./tool_result.ts";

const said = (...texts: string[]): JsonObject => ({
  content: texts.map((text) => ({ type: "text", text })),
});

function bodyOf(result: JsonObject): unknown {
  const verdict = judgeToolResult(result);
  return verdict.kind === "body" ? JSON.parse(verdict.text) : verdict;
}

Deno.test("tool result: structured content, JSON text, plain text and mixed blocks", () => {
  assert.deepEqual(bodyOf({ ...said("x"), structuredContent: { a: 1 } }), { a: 1 });
  assert.deepEqual(bodyOf(said('{"a":[1]}')), { a: [1] });
  assert.deepEqual(bodyOf(said(" [1,2]")), [1, 2]);
  assert.deepEqual(bodyOf(said("hello")), { text: "hello" });
  assert.deepEqual(bodyOf(said("{not json")), { text: "{not json" });
  assert.deepEqual(bodyOf(said("a", "b")), said("a", "b"));
  assert.deepEqual(bodyOf({}), { content: [] });
});

Deno.test("tool result: JSON text is passed on as it was written, every digit of it", () => {
  const text = '{"id":12345678901234567890}';
  assert.deepEqual(judgeToolResult(said(text)), { kind: "body", text });
});

Deno.test("TestPluginErrorCodeMapping: a failure is recognised with and without isError", () => {
  const failure = { success: false, error_code: "RATE_LIMIT", error: "slow", message: "other" };
  const expected = {
    kind: "failed",
    sourceErrorCode: "RATE_LIMIT",
    message: "slow",
    retryable: true,
    retryAfterMs: 5000,
  };
  const full = { ...failure, retryable: true, retry_after_ms: 5000 };
  assert.deepEqual(judgeToolResult({ ...said(JSON.stringify(full)), isError: true }), expected);
  assert.deepEqual(judgeToolResult(said(JSON.stringify(full))), expected);
  assert.deepEqual(judgeToolResult({ content: [], structuredContent: full }), expected);
  assert.deepEqual(judgeToolResult({ ...said("boom"), isError: true }), {
    kind: "failed",
    sourceErrorCode: "",
    message: "boom",
    retryable: false,
  });
  // A body may say `success: false` of itself without being a failure.
  assert.deepEqual(bodyOf(said('{"success":false}')), { success: false });
});

const toon = (version: string, rows = "1,x\n2,y\n") =>
  `op: plug.a.b\nvariant: plug.a.b.v1\nformat_version: ${version}\ncount: 2\nfields: id,name\n\n${rows}`;

Deno.test("TestToonVersionUnsupported: version 1 is decoded, every other integer is refused", () => {
  assert.deepEqual(bodyOf(said(toon("1"))), {
    items: [{ id: 1, name: "x" }, { id: 2, name: "y" }],
  });
  for (const version of [2, 0, -1, 999]) {
    assert.deepEqual(judgeToolResult(said(toon(String(version)))), {
      kind: "toon_version",
      version,
    });
  }
  const broken = judgeToolResult(said(toon("1", "1\n")));
  assert.equal(broken.kind === "failed" && broken.sourceErrorCode, "PARSE_FAILURE");
  // Without both header lines it is just text.
  assert.deepEqual(bodyOf(said("op: x\n\nformat_version: 9\n")), {
    text: "op: x\n\nformat_version: 9\n",
  });
});

Deno.test("tool result: nothing a plugin sends makes the judge throw", () => {
  fc.assert(fc.property(
    fc.oneof(
      fc.jsonValue().map((value) => ({ content: value, isError: true })),
      fc.jsonValue().map((value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] })),
      fc.string().map((text) => said(`op: a\nformat_version: 1\n\n${text}`)),
      fc.jsonValue().map((structuredContent) => ({ structuredContent })),
    ),
    (result) => {
      const verdict = judgeToolResult(result as JsonObject);
      if (verdict.kind === "body") JSON.parse(verdict.text);
    },
  ));
});
