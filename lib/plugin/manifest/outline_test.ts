import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../json/mod.ts";
import { outlineValidatorSource } from "./generate_outline_validator.ts";
import { OUTLINE } from "./outline.ts";
import { validate } from "./outline_validator.ts";

Deno.test("manifest outline: the committed validator is the one of the schema", async () => {
  const path = new URL("./outline_validator.generated.js", import.meta.url);
  assert.equal(
    outlineValidatorSource(),
    await Deno.readTextFile(path),
    "run deno run -P=gen lib/plugin/manifest/generate_outline_validator.ts",
  );
});

Deno.test("manifest outline: compiled ahead or on the spot, the same is refused, and so said", () => {
  const onTheSpot = new Ajv2020({ strict: false, allErrors: true }).compile(OUTLINE);
  const plugin = { name: "word-count", version: "1.0.0", shape: "mcp-plugin" };
  const manifest = { manifest_schema_version: 1, plugin };
  const cases: JsonObject[] = [
    manifest,
    {},
    { ...manifest, manifest_schema_version: 2 },
    { ...manifest, plugin: { ...plugin, name: "Word Count", display_name: "🎉".repeat(80) } },
    { ...manifest, plugin: { ...plugin, display_name: "🎉".repeat(81), command: [] } },
    { ...manifest, tools: [{}, { risk_class: "harmless", scopes: [1] }] },
    { ...manifest, requirements: { rate_limit_per_minute: 0.5, canary: {} } },
    { ...manifest, package: { extra_artifacts: [{ checksum: "x" }] }, deno: { min_version: "2" } },
  ];
  const verdict = (check: typeof validate, value: JsonObject) => [
    check(value),
    (check.errors ?? []).map(({ instancePath, message }) => [instancePath, message]),
  ];
  for (const value of cases) {
    assert.deepEqual(verdict(validate, value), verdict(onTheSpot, value), JSON.stringify(value));
  }
  assert.deepEqual(cases.map((value) => validate(value)), [true, ...Array(7).fill(false)]);
});
