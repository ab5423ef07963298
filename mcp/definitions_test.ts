import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { CONVENIENCE_ROWS } from "../lib/catalog/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import { toolDefinitions } from "./definitions.ts";
import { validatorSource } from "./generate_validators.ts";
import { OUTPUT_DEFS } from "./output_defs.ts";
import { outputSchema, REGISTERED_DEFS, wireDef } from "./output_schemas.ts";
import { CONVENIENCE_TOOLS, META_TOOLS, SKILL_TOOLS } from "./roster.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";
import type { ToolDefinition } from "./types.ts";

const AJV = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
} as const;

function readJson(path: string): JsonValue {
  return JSON.parse(Deno.readTextFileSync(new URL(path, import.meta.url)));
}

/** The definitions as a client receives them. */
function listed(): Promise<ToolDefinition[]> {
  return withPeer(fakeSession().session, {}, async (peer) => {
    const response = await peer.request("tools/list");
    const { tools, ...rest } = response.result as JsonObject;
    deepStrictEqual(rest, {});
    return tools as unknown as ToolDefinition[];
  });
}

Deno.test("TestMetaToolNamesReturnsExactly9: the roster file lists the nine meta-tools", () => {
  const roster = readJson("../docs/tier-a-roster.v1.json") as JsonObject;
  equal(META_TOOLS.length, 9);
  deepStrictEqual(roster.meta_tools, [...META_TOOLS]);
});

Deno.test("TestTierAConvenienceToolCount: eighteen snake_case convenience tools", () => {
  equal(CONVENIENCE_TOOLS.length, 18);
  for (const name of CONVENIENCE_TOOLS) ok(/^[a-z][a-z0-9_]+$/.test(name), name);
});

Deno.test("TestTierARosterManifest: the live list is the manifest plus the skill tools", async () => {
  const roster = readJson("../docs/tier-a-roster.v1.json") as JsonObject;
  const tools = await listed();
  equal(tools.length, 29);
  deepStrictEqual(tools.map((tool) => tool.name), [
    ...roster.meta_tools as string[],
    ...roster.convenience_tools as string[],
    ...SKILL_TOOLS,
  ]);
  deepStrictEqual(CONVENIENCE_ROWS.map((row) => row.tool), [...CONVENIENCE_TOOLS]);
});

Deno.test("TestTierARosterManifest: names are at most 40 characters", async () => {
  for (const { name } of await listed()) ok(name.length <= 40, name);
});

Deno.test("TestToolAnnotations: hints follow the class of the tool", async () => {
  const writes = new Set(
    CONVENIENCE_ROWS.filter((row) => row.confirmationPassthrough).map((row) => row.tool),
  );
  equal(writes.size, 8);
  for (const { name, annotations } of await listed()) {
    const destructive = name === "gum.destructive" || name === "gum.code";
    const changes = destructive || name === "gum.write" || writes.has(name);
    deepStrictEqual(
      annotations,
      { readOnlyHint: !changes, destructiveHint: destructive },
      name,
    );
  }
});

Deno.test("TestNoIconMetadataV01: definitions carry no key beyond the contract", async () => {
  const known = ["name", "description", "inputSchema", "outputSchema", "annotations", "_meta"];
  const tools = await listed();
  for (const tool of tools) {
    for (const key of Object.keys(tool)) ok(known.includes(key), `${tool.name}: ${key}`);
  }
  deepStrictEqual(tools.filter((tool) => tool._meta !== undefined).map((tool) => tool.name), [
    "skills_get",
  ]);
  deepStrictEqual(tools.at(-1)?._meta, { cache_control: { type: "ephemeral" } });
});

Deno.test("TestTierARegistrationScan: every roster tool registers both schemas", async () => {
  for (const tool of await listed()) {
    equal(tool.inputSchema.type, "object", tool.name);
    equal(tool.outputSchema === undefined, SKILL_TOOLS.some((name) => name === tool.name));
  }
  // One place registers tools: nothing else could slip in a tool without schemas.
  const registering: string[] = [];
  for (const entry of Deno.readDirSync(new URL(".", import.meta.url))) {
    if (!entry.name.endsWith(".ts") || entry.name.endsWith("_test.ts")) continue;
    const source = Deno.readTextFileSync(new URL(entry.name, import.meta.url));
    if (/\.addTool\(/.test(source)) registering.push(entry.name);
  }
  deepStrictEqual(registering, ["tools.ts"]);
});

Deno.test("TestTierARegistrationOutputSchemasValid: output schemas compile under a strict validator", async () => {
  for (const tool of await listed()) {
    if (tool.outputSchema === undefined) continue;
    equal(tool.outputSchema.type, "object");
    ok(isJsonObject(tool.outputSchema.$defs), tool.name);
    new Ajv2020(AJV).compile(tool.outputSchema);
  }
});

Deno.test("TestRegisteredResultSchemasMatchSpecDefs: registered forms derive from the definitions", () => {
  const expected = readJson("../testdata/mcp/wire-defs.json") as JsonObject;
  for (const name of REGISTERED_DEFS) {
    deepStrictEqual(wireDef(name), expected[name], name);
    deepStrictEqual(wireDef(name).required, OUTPUT_DEFS.$defs[name]?.required, name);
  }
  deepStrictEqual(Object.keys(expected).sort(), [...REGISTERED_DEFS].sort());
});

Deno.test("TestShapedBranchesUseAnyOfNotOneOf: several shapes are alternatives, not exclusive", async () => {
  const expression = { profile: "p", op_id: "o", variant_id: "v", lossy: false, result_count: 0 };
  const validate = new Ajv2020(AJV).compile(outputSchema(["SingleObjectResult", "RawJsonResult"]));
  ok(validate({ format: "json", data: {}, _expression: expression }));
  for (const tool of await listed()) {
    ok(tool.outputSchema === undefined || !Object.hasOwn(tool.outputSchema, "oneOf"), tool.name);
  }
});

Deno.test("TestTierABranchOutputSchemasKeepObjectRoot: every schema has an object root", async () => {
  for (const tool of await listed()) {
    if (tool.outputSchema !== undefined) equal(tool.outputSchema.type, "object", tool.name);
  }
});

Deno.test("TestGumCodeSchemaHasNoParallelResultsBranch: a batch is output of a script, not a shape", async () => {
  const tools = await listed();
  const code = tools.find((tool) => tool.name === "gum.code");
  deepStrictEqual(Object.keys(code?.outputSchema?.$defs as JsonObject).sort(), [
    "RawJsonResult",
  ]);
});

Deno.test("output schemas: what is said once means what it means when said in every shape", async () => {
  const ajv = () => new Ajv2020({ ...AJV, strict: false });
  const registered = Object.fromEntries(REGISTERED_DEFS.map((name) => [name, wireDef(name)]));
  const expression = { profile: "p", op_id: "o", variant_id: "v", lossy: false, result_count: 0 };
  const samples = [
    { format: "json", data: {}, _expression: expression },
    { format: "json", data: {}, _expression: { ...expression, op_id: undefined } },
    { format: "json", data: {}, _expression: 1 },
    { format: "xml", data: {}, _expression: expression },
    { format: "json", data: {} },
    { format: "toon", toon: "", _expression: expression },
    { format: "toon", toon: "", _expression: { profile: "p" } },
    { unchanged: true, etag: "e" },
  ].map((sample) => JSON.parse(JSON.stringify(sample)));
  const shapes = ["SingleObjectResult", "ToonResult", "UnchangedResult"] as const;
  for (const chosen of [shapes.slice(0, 1), shapes.slice(0, 2), shapes]) {
    const compact = ajv().compile(outputSchema(chosen));
    const named = ajv().compile({
      $defs: registered,
      anyOf: chosen.map((name) => ({ $ref: `#/$defs/${name}` })),
    });
    const verdicts = samples.map((one) => compact(one));
    deepStrictEqual(verdicts, samples.map((one) => named(one)));
    deepStrictEqual(verdicts.slice(0, 5), [true, false, false, false, false]);
  }
  for (const { name, outputSchema: schema } of await listed()) {
    const text = JSON.stringify(schema ?? {});
    for (const inner of ["ExpressionMeta", "Variant"]) {
      ok(text.split(`/${inner}"`).length !== 2, `${name}: ${inner} is referred to once`);
    }
  }
});

Deno.test("TestConfirmationEnvelopeIsNotASchemaBranch: no schema describes an error", async () => {
  const text = JSON.stringify((await listed()).map((tool) => tool.outputSchema));
  for (const word of ["confirmation_token", "error_code", "REQUIRES_CONFIRMATION"]) {
    ok(!text.includes(word), word);
  }
});

Deno.test("TestEveryRegisteredInputSchemaResolves: closed object roots without combinators", async () => {
  for (const { name, inputSchema } of await listed()) {
    equal(inputSchema.additionalProperties, false, name);
    ok(isJsonObject(inputSchema.properties), name);
    for (const key of ["oneOf", "anyOf", "allOf", "not", "$ref", "$defs"]) {
      ok(!Object.hasOwn(inputSchema, key), `${name}: ${key}`);
    }
    ok(!Array.isArray(inputSchema.required) || inputSchema.required.length > 0, name);
    new Ajv2020(AJV).compile(inputSchema);
  }
});

Deno.test("input schemas satisfy the strictest of the big consumers", async () => {
  const check = (schema: JsonValue, path: string): void => {
    if (!isJsonObject(schema)) throw new Error(`${path}: a schema must be an object`);
    ok(!Array.isArray(schema.type), `${path}: union types`);
    ok(!Object.hasOwn(schema, "$ref") && !Object.hasOwn(schema, "$defs"), path);
    if (schema.type === "array") ok(isJsonObject(schema.items), `${path}: items`);
    if (schema.enum !== undefined) equal(schema.type, "string", `${path}: enum`);
    if (schema.default !== undefined) checkDefault(schema, path);
    if (isJsonObject(schema.items)) check(schema.items, `${path}[]`);
    for (
      const [key, value] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})
    ) {
      check(value, `${path}.${key}`);
    }
  };
  for (const { name, inputSchema } of await listed()) check(inputSchema, name);
});

function checkDefault(schema: JsonObject, path: string): void {
  const value = schema.default;
  const type = Array.isArray(value)
    ? "array"
    : typeof value === "number" && Number.isInteger(value)
    ? "integer"
    : typeof value;
  equal(type, schema.type, path);
}

Deno.test("TestGumCodeSchemaDestructiveScopeDefaultsToEmptyArray: scope and budget limits", async () => {
  const code = (await listed()).find((tool) => tool.name === "gum.code");
  const properties = code?.inputSchema.properties as Record<string, JsonObject>;
  deepStrictEqual(properties.destructive_scope?.default, []);
  equal(properties.destructive_scope?.maxItems, 20);
  deepStrictEqual(properties.destructive_budget, {
    type: "integer",
    default: 0,
    minimum: 0,
    maximum: 20,
  });
  deepStrictEqual(properties.language?.enum, ["risor", "javascript"]);
});

Deno.test("TestTierATokenBudget: the whole list fits its budget as sent", async () => {
  const count = await loadTokenCounter();
  const tools = await listed();
  const all = count(JSON.stringify({ tools }));
  const roster = count(JSON.stringify({ tools: tools.slice(0, 27) }));
  ok(all <= 8000, `${all} tokens`);
  ok(roster <= 6000, `${roster} tokens for the roster`);
});

Deno.test("TestTierAPerToolInputSchemaBudget: each tool fits its own budget", async () => {
  const count = await loadTokenCounter();
  for (const tool of await listed()) {
    const meta = META_TOOLS.some((name) => name === tool.name);
    const schema = count(JSON.stringify(tool.inputSchema));
    const whole = count(JSON.stringify(tool));
    ok(schema <= (meta ? 190 : 100), `${tool.name}: schema ${schema}`);
    ok(whole <= (meta ? 360 : 280), `${tool.name}: definition ${whole}`);
  }
});

Deno.test("TestTierAPerToolInputSchemaBudget: gum.write says what cannot be undone", async () => {
  const count = await loadTokenCounter();
  const write = (await listed()).find((tool) => tool.name === "gum.write");
  const description = write?.description ?? "";
  ok(description.includes("Some writes cannot be undone."));
  ok(description.includes("Note: high-stakes writes may require confirmation"));
  ok(count(description) <= 80);
});

Deno.test("TestTierABaselineJSONLoads: the baseline names tools in order with token counts", () => {
  const baseline = readJson("../testdata/tier-a-token-baseline.json") as JsonObject;
  deepStrictEqual(Object.keys(baseline), Object.keys(baseline).sort());
  for (const [tool, tokens] of Object.entries(baseline)) {
    ok(typeof tokens === "number" && Number.isInteger(tokens) && tokens > 0, tool);
  }
});

Deno.test("TestTierAPerToolTokenDelta: descriptions do not grow past their baseline", async () => {
  const count = await loadTokenCounter();
  const baseline = readJson("../testdata/tier-a-token-baseline.json") as Record<string, number>;
  const tools = await listed();
  const findings: string[] = [];
  for (const { name, description } of tools) {
    const allowed = baseline[name];
    if (allowed === undefined) findings.push(`MISSING_BASELINE ${name}`);
    else if (count(description) > allowed) findings.push(`TOKEN_DELTA_REGRESSION ${name}`);
  }
  for (const name of Object.keys(baseline)) {
    if (!tools.some((tool) => tool.name === name)) findings.push(`ORPHAN_BASELINE ${name}`);
  }
  deepStrictEqual(findings, []);
});

Deno.test("committed validators are fresh", () => {
  const committed = Deno.readTextFileSync(new URL("./validators.generated.js", import.meta.url));
  equal(committed, validatorSource(), "run: deno run -P=gen mcp/generate_validators.ts");
  ok(!/\brequire\(|from "ajv/.test(committed));
});

Deno.test("gum.search_apis shows the effective default of k", () => {
  const [search] = toolDefinitions(9);
  const properties = search?.inputSchema.properties as Record<string, JsonObject>;
  equal(properties.k?.default, 9);
});

Deno.test("TestRegisteredResultSchemasMatchSpecDefs: what the full form accepts, the registered form accepts", () => {
  const expression = { profile: "p", op_id: "o", variant_id: null, lossy: true, result_count: 1 };
  const counters = { hits: 0, misses: 0, entries: 0, bytes: 0 };
  const gain = {
    baseline_tokens: 0,
    actual_tokens: 0,
    savings_tokens: 0,
    savings_pct: null,
    end_to_end_savings: null,
    batch_envelope_overhead: 0,
    tokenizer: "cl100k_base",
  };
  const described = {
    op_id: "o",
    title: "t",
    summary: "s",
    default_variant_id: "v",
    variants: [{ variant_id: "v", stability: "stable" }],
    variants_total: 1,
    variants_omitted_count: 0,
    risk_class: "read",
    scopes: [],
    schema_refs: {},
  };
  const examples: Record<string, unknown[]> = {
    ExpressionMeta: [expression],
    ToonResult: [{ format: "toon", toon: "", op: "o", variant: "v", _expression: expression }],
    SingleObjectResult: [
      { format: "json", data: [], _expression: expression },
      { format: "csv", data: "", _expression: expression },
    ],
    RawJsonResult: [{ format: "json", data: 1, _expression: expression }],
    UnchangedResult: [{ unchanged: true, etag: "e" }],
    Variant: [{ variant_id: "v", stability: "beta", execution_support: "partial" }],
    DescribeOpResult: [
      { ...described, execution_support: "full" },
      { ...described, execution_support: "partial", unsupported_capabilities: ["x"] },
    ],
    GainResult: [
      { ...gain, mode: "summary", window: "last-30-sessions", sessions: [] },
      { ...gain, mode: "session", window: "session:0123abcd", operations: [] },
      { ...gain, mode: "history", window: "history", history: [] },
    ],
    CacheStatsResult: [{
      semantic: { ...counters, evictions: 0 },
      http: counters,
      prompt: { supported: false, hits_estimate: null },
      audit_broken: false,
    }],
  };
  const ajv = () => new Ajv2020({ ...AJV, strict: false });
  const registered = Object.fromEntries(REGISTERED_DEFS.map((name) => [name, wireDef(name)]));
  for (const name of REGISTERED_DEFS) {
    const $ref = `#/$defs/${name}`;
    const full = ajv().compile({ $defs: OUTPUT_DEFS.$defs, $ref });
    const wire = ajv().compile({ $defs: registered, $ref });
    ok(examples[name]?.length, name);
    for (const example of examples[name] ?? []) {
      ok(full(example), `${name}: ${JSON.stringify(full.errors)}`);
      ok(wire(example), `${name}: ${JSON.stringify(wire.errors)}`);
    }
  }
  const wire = ajv().compile({ $defs: registered, $ref: "#/$defs/DescribeOpResult" });
  ok(!wire({ ...described, execution_support: "full", status: "x" }));
  ok(!wire({ ...described, execution_support: "full", unsupported_capabilities: ["x"] }));
  ok(!wire({ ...described, execution_support: "partial" }));
});
