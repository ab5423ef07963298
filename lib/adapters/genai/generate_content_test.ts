import assert from "node:assert/strict";
import { op, refusalOf, variant } from "../../dispatch/testdata/fixture.ts";
import type { Fixture } from "../../dispatch/testdata/fixture.ts";
import { json, type Script, sequence } from "../../http/testdata/peer.ts";
import { openKeyFixture } from "../testdata/key_fixture.ts";
import { createGenAiAdapters } from "./mod.ts";

const KEY = "canary-genai-key";
const ROOT = "https://generativelanguage.googleapis.com/v1beta/models/{model}";
const OP = "genai.models.generate_content";

function openGenAi(
  script: Script,
  options: { verb?: string; adapterKey?: string; strategy?: "none" } = {},
): Fixture {
  const path = `${ROOT}:${options.verb ?? "generateContent"}`;
  const generate = variant("genai.v1beta.generate_content", ["read", "POST", path], {
    backend_kind: "gen-ai",
    auth_strategy: options.strategy ?? "api_key",
    binding: {
      binding_schema_version: 1,
      adapter_key: options.adapterKey ?? OP,
      operation_key: OP,
      http: { method: "POST", path },
    },
  });
  const field = (name: string) => ({ name, location: "arg", type: "string" }) as const;
  return openKeyFixture({
    script,
    apiKey: KEY,
    ops: [op(OP, [generate], { request_fields: [field("model"), field("prompt")] })],
    make: createGenAiAdapters,
  });
}

Deno.test("TestBackendKindGenAI: the prompt goes out, the answer comes back as it is", async () => {
  const body = { candidates: [{ content: { parts: [{ text: "hej" }] } }], modelVersion: "m" };
  await using fixture = openGenAi(() => json(body));
  for (const model of ["models/gemini-2.5-flash", "gemini-2.5-flash"]) {
    const answer = await fixture.kernel.dispatch({
      opId: OP,
      args: { model, prompt: 'say "hej"' },
      format: "json",
    });
    assert.deepEqual(answer.structuredContent, body);
  }
  for (const request of fixture.peer.requests) {
    assert.equal(request.target, "/v1beta/models/gemini-2.5-flash:generateContent");
    assert.equal(request.host, "generativelanguage.googleapis.com");
    assert.equal(request.headers.get("x-goog-api-key"), KEY);
    assert.equal(request.body, '{"contents":[{"role":"user","parts":[{"text":"say \\"hej\\""}]}]}');
  }
  assert.equal(fixture.peer.requests.length, 2);
});

Deno.test("TestBackendKindGenAI: refused before any request", async () => {
  await using fixture = openGenAi(() => json({}));
  const missing = await refusalOf(fixture.kernel, { opId: OP, args: { model: " ", prompt: "" } });
  assert.deepEqual(missing.details.missing, ["model", "prompt"]);
  for (const model of ["..", "models/..", "a/../../b", "x?key=1", "models/models/x"]) {
    const error = await refusalOf(fixture.kernel, { opId: OP, args: { model, prompt: "p" } });
    assert.equal(error.details.field, "model", model);
  }
  await using keyless = openGenAi(() => json({}), { strategy: "none" });
  const key = await refusalOf(keyless.kernel, { opId: OP, args: { model: "m", prompt: "p" } });
  assert.equal(key.code, "AUTH_REQUIRED");
  assert.deepEqual(key.details.missing_components, ["api_key"]);
  assert.equal(fixture.peer.requests.length + keyless.peer.requests.length, 0);
});

Deno.test("TestBackendKindGenAI: a POST that is not repeatable is sent once", async () => {
  await using fixture = openGenAi(sequence(json({ error: { code: 500 } }, { status: 500 })));
  const error = await refusalOf(fixture.kernel, { opId: OP, args: { model: "m", prompt: "p" } });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("TestBackendBindingGenAIGenerateContent: other methods and keys are refused unsent", async () => {
  const call = { opId: OP, args: { model: "m", prompt: "p" } };
  await using other = openGenAi(() => json({}), { verb: "countTokens" });
  assert.equal((await refusalOf(other.kernel, call)).details.reason, "binding_invalid");
  await using unknown = openGenAi(() => json({}), { adapterKey: "genai.models.embed_content" });
  assert.equal(
    (await refusalOf(unknown.kernel, call)).details.adapter_key,
    "genai.models.embed_content",
  );
  assert.equal(other.peer.requests.length + unknown.peer.requests.length, 0);
});
