import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { loadCatalog } from "../load.ts";
import { createSnapshot } from "../snapshot.ts";
import { searchRow } from "../search_rows.ts";
import { requiredNames } from "../arguments.ts";
import { testOp, testVariant } from "../testdata/ops.ts";
import type { Op, RequestField, Variant } from "../types.ts";
import schema from "./testdata/describe_op_result.schema.json" with { type: "json" };
import {
  describeMetaTool,
  describeOp,
  exampleArgs,
  opResource,
  schemaResource,
  type ToolContract,
  variantResource,
} from "./mod.ts";

const conforms = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
  .compile(schema);

function assertConforms(result: unknown): void {
  assert.ok(conforms(result), JSON.stringify(conforms.errors));
}

function field(name: string, changes: Partial<RequestField> = {}): RequestField {
  return { name, location: "query", type: "string", ...changes };
}

function withVariant(changes: Partial<Variant>): Op {
  return testOp("a.one", { variants: [testVariant("a.v1.rest.one", changes)] });
}

const POLL: ToolContract = {
  name: "gum.poll",
  description: "Wait for a long-running operation to finish.",
  inputSchema: {
    type: "object",
    properties: {
      operation_name: {
        type: "string",
        description: "Long-running operation handle: the `name` an earlier call returned.",
      },
    },
    required: ["operation_name"],
  },
  annotations: { readOnlyHint: true, destructiveHint: false },
};

Deno.test("TestDescribeOpResultValidatesForEveryCatalogOp: every shipped operation, strictly", () => {
  const { ops } = loadCatalog();
  assert.ok(ops.length >= 227);
  for (const op of ops) {
    const result = describeOp(op);
    assertConforms(result);
    assert.equal(result.op_id, op.op_id);
    assert.equal("status" in result || "reason" in result || "op_schema_version" in result, false);
  }
});

Deno.test("TestDescribeOpTruncatesVariantsToFive: default first, the rest in catalog order", () => {
  const ids = ["a.v1.r.x", "a.v2.r.x", "a.v3.r.x", "a.v4.r.x", "a.v5.r.x", "a.v6.r.x", "a.v7.r.x"];
  const op = testOp("a.x", {
    default_variant_id: "a.v4.r.x",
    deprecated_variant_ids: ["a.v1.r.x"],
    variants: ids.map((id) => testVariant(id)),
  });
  const shown = (maxVariants?: number) => describeOp(op, { maxVariants });
  assert.deepEqual(shown().variants.map(({ variant_id }) => variant_id), [
    "a.v4.r.x",
    "a.v1.r.x",
    "a.v2.r.x",
    "a.v3.r.x",
    "a.v5.r.x",
  ]);
  assert.equal(shown().variants_total, 7);
  assert.equal(shown().variants_omitted_count, 2);
  assert.deepEqual(shown().variants.map(({ deprecated }) => deprecated), [
    undefined,
    true,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(shown(0).variants.length, 1);
  assert.equal(shown(99).variants.length, 7);
  assert.equal(shown(Number.NaN).variants.length, 5);
  assertConforms(shown());
});

Deno.test("TestDescribeOpCarriesRiskOverride: only when the variant declares it", () => {
  const result = describeOp(withVariant({ risk_override: true, risk_override_reason: "because" }));
  assert.equal(result.risk_override, true);
  assert.equal(result.risk_override_reason, "because");
  assertConforms(result);
  const plain = describeOp(withVariant({}));
  assert.equal("risk_override" in plain || "risk_override_reason" in plain, false);
});

Deno.test("TestDescribeOpExcludesPluginStatusFields: plugin state never shows in a description", () => {
  const op = { ...withVariant({}), status: "needs_configuration", reason: "x" } as Op;
  const result = describeOp(op);
  assert.equal("status" in result || "reason" in result, false);
  assertConforms(result);
});

Deno.test("TestDescribeOpResultWarnsOnBlockedCapabilityClasses: one sentence per blocked atom", () => {
  const result = describeOp(withVariant({
    capabilities: ["json_response", "media_download", "webhook_channel"],
    execution_support: "partial",
    unsupported_capabilities: ["media_download", "webhook_channel"],
  }));
  assert.equal(result.capability_class_warnings?.length, 2);
  assert.match(result.capability_class_warnings?.[0] ?? "", /^media_download: .+\.$/);
  assertConforms(result);
});

Deno.test("TestDescribeOpResultOmitsWarningsWhenNothingIsBlocked: full support has neither list", () => {
  for (const execution_support of [undefined, "full"] as const) {
    const result = describeOp(withVariant({ execution_support }));
    assert.equal(result.execution_support, "full");
    assert.equal("unsupported_capabilities" in result, false);
    assert.equal("capability_class_warnings" in result, false);
    assertConforms(result);
  }
});

Deno.test("TestDescribeOpResultAcceptsPartialExecutionSupport: partial with its list validates", () => {
  assertConforms(describeOp(withVariant({
    execution_support: "partial",
    unsupported_capabilities: ["media_download"],
  })));
});

Deno.test("TestDescribeOpResultPartialRequiresUnsupportedCapabilities: without or with an empty list it does not", () => {
  const partial = describeOp(withVariant({
    execution_support: "partial",
    unsupported_capabilities: ["media_download"],
  }));
  const { unsupported_capabilities: _, ...without } = partial;
  assert.equal(conforms(without), false);
  assert.equal(conforms({ ...partial, unsupported_capabilities: [] }), false);
});

Deno.test("TestDescribeOpResultUsesDeclaredUnsupportedCapabilities: the blocked atoms, not all", () => {
  const result = describeOp(withVariant({
    capabilities: ["json_response", "query_params", "media_download"],
    execution_support: "partial",
    unsupported_capabilities: ["media_download"],
  }));
  assert.deepEqual(result.unsupported_capabilities, ["media_download"]);
});

Deno.test("describe: params come required first, with host defaults lifted and told", () => {
  const op = testOp("a.one", {
    request_fields: [
      field("q"),
      field("userId", { location: "path", required: true, host_default: "me" }),
      field("kind", { required: true, enum: ["x", "y"] }),
      field("rows", { type: "integer", default: "1000" }),
      field("title", { location: "body", required: true }),
    ],
  });
  const result = describeOp(op);
  assert.deepEqual(result.params, [
    { name: "kind", type: "string", required: true, in: "query", enum: ["x", "y"] },
    { name: "title", type: "string", required: true, in: "body" },
    { name: "q", type: "string", in: "query" },
    { name: "userId", type: "string", in: "path", description: "default me" },
    { name: "rows", type: "integer", in: "query", description: "default 1000" },
  ]);
  assert.deepEqual(requiredNames(op), ["kind", "body"]);
  assertConforms(result);
});

Deno.test("describe: at most forty params, the rest counted", () => {
  const request_fields = Array.from({ length: 43 }, (_, at) => field(`f${at}`));
  const result = describeOp(testOp("a.one", { request_fields }));
  assert.equal(result.params?.length, 40);
  assert.equal(result.params_omitted_count, 3);
  assertConforms(result);
  assert.equal("params" in describeOp(testOp("a.one", { request_fields: [] })), false);
});

Deno.test("describe: legacy name and type pairs are read with today's type names", () => {
  const op = testOp("a.one", {
    params_required: [["n", "int"]],
    params_optional: [["b", "bool"], ["n", "string"]],
  });
  assert.deepEqual(describeOp(op).params, [
    { name: "n", type: "integer", required: true },
    { name: "b", type: "boolean" },
  ]);
});

Deno.test("describe: schema refs are names, and the default variant speaks for the operation", () => {
  const result = describeOp(withVariant({
    risk_class: "write",
    confirmation_policy: "high_stakes_write",
    scopes: ["s"],
    output_profile: "p.v1",
    binding: {
      binding_schema_version: 1,
      adapter_key: "a",
      operation_key: "o",
      request_ref: "a.one.request",
    },
  }));
  assert.equal(result.risk_class, "write");
  assert.equal(result.confirmation_policy, "high_stakes_write");
  assert.deepEqual(result.scopes, ["s"]);
  assert.equal(result.output_profile, "p.v1");
  assert.deepEqual(result.schema_refs, { input: "a.one.request" });
  assertConforms(result);
  assert.equal(
    describeOp({ ...withVariant({}), default_variant_id: "gone" }).default_variant_id,
    "a.v1.rest.one",
  );
});

Deno.test("describe: a meta-tool has a synthetic record with its arguments' descriptions", () => {
  const result = describeMetaTool(POLL);
  assertConforms(result);
  assert.equal(result.default_variant_id, "gum.poll.v1");
  assert.equal(result.risk_class, "read");
  assert.deepEqual(result.params, [{
    name: "operation_name",
    type: "string",
    required: true,
    description: "Long-running operation handle: the `name` an earlier call returned.",
  }]);
  const risk = (readOnlyHint: boolean, destructiveHint: boolean) =>
    describeMetaTool({ ...POLL, annotations: { readOnlyHint, destructiveHint } }).risk_class;
  assert.equal(risk(false, false), "write");
  assert.equal(risk(false, true), "destructive");
});

Deno.test("describe: an operation with its own tool shows the tool's arguments", () => {
  const result = describeOp(
    testOp("gum.code", { request_fields: [field("source", { location: "arg" })] }),
    {
      tool: POLL,
    },
  );
  assert.equal(result.op_id, "gum.code");
  assert.equal(result.params?.[0]?.name, "operation_name");
  assertConforms(result);
});

Deno.test("example arguments: one value per required argument, by type and name", () => {
  const required = { required: true } as const;
  const op = testOp("a.one", {
    params_required: [["legacy", "int"]],
    request_fields: [
      field("userId", { ...required, location: "path", host_default: "me" }),
      field("pageSize", { ...required, type: "integer" }),
      field("row_count", { ...required, type: "number" }),
      field("depth", { ...required, type: "integer" }),
      field("flag", { ...required, type: "boolean" }),
      field("mode", { ...required, enum: ["first", "second"] }),
      field("ids", { ...required, type: "array", item_type: "string" }),
      field("parts", { ...required, type: "array", enum: ["snippet", "id"] }),
      field("matrix", { ...required, type: "array", item_type: "array" }),
      field("numbers", { ...required, type: "array", item_type: "integer" }),
      field("name", required),
      field("optional"),
      field("title", { ...required, location: "body" }),
      field("when", { ...required, location: "body", type: "object" }),
    ],
    variants: [testVariant("a.v1.rest.one", {
      binding: {
        binding_schema_version: 1,
        adapter_key: "a",
        operation_key: "o",
        http: { method: "POST", path: "https://a.googleapis.com/{+resourceName}/{userId}:go" },
      },
    })],
  });
  assert.deepEqual(exampleArgs(op), {
    userId: "me",
    pageSize: 10,
    row_count: 10,
    depth: 1,
    flag: false,
    mode: "first",
    ids: ["<ids>"],
    parts: ["snippet"],
    matrix: [[]],
    numbers: [1],
    name: "<name>",
    body: { title: "<title>", when: {} },
    legacy: 1,
    resourceName: "<resourceName>",
  });
});

Deno.test("example arguments: every shipped operation has its path placeholders and required names", () => {
  for (const op of loadCatalog().ops) {
    const example = exampleArgs(op);
    for (const { name, required, location } of op.request_fields ?? []) {
      if (!required) continue;
      const place = location === "body" ? example.body as Record<string, unknown> : example;
      assert.ok(Object.hasOwn(place, name), `${op.op_id} ${name}`);
    }
  }
});

Deno.test("search rows: five string columns, required names in location order", () => {
  const op = testOp("a.b.one", {
    request_fields: [
      field("title", { location: "body", required: true }),
      field("mask", { location: "header", required: true }),
      field("q", { required: true }),
      field("id", { location: "path", required: true }),
      field("other", { location: "body", required: true }),
    ],
  });
  assert.deepEqual(searchRow(op), {
    api: "a",
    expected_response: "",
    op: "a.b.one",
    params_required: "id q mask body",
    summary: "Reaches a.b.one.",
  });
  assert.equal(searchRow(withVariant({ output_profile: "x.v1" })).expected_response, "x.v1");
});

Deno.test("TestSchemaResourceGrammarRejection: malformed refs never reach a lookup", () => {
  let asked = 0;
  const op = withVariant({
    binding: {
      binding_schema_version: 1,
      adapter_key: "a",
      operation_key: "o",
      request_ref: "a.one.request",
    },
  });
  const snapshot = createSnapshot(
    { catalog_schema_version: 1, generated_at: "", generator_version: "", ops: [op] },
    { requestSchema: (ref) => (asked++, { $id: ref }) },
  );
  for (const ref of ["", "..", "a..b", "%2e%2e", "a%2Fb", "a%00", "%", "A", "x".repeat(129)]) {
    const lookup = schemaResource(ref, snapshot);
    assert.equal(lookup.kind, "malformed", ref);
    assert.match(lookup.kind === "malformed" ? lookup.detail : "", /grammar/);
  }
  assert.equal(asked, 0);
  assert.deepEqual(schemaResource("a%2Eone.request", snapshot), {
    kind: "found",
    ref: "a.one.request",
    document: { $id: "a.one.request" },
  });
  const absent = schemaResource("b.two.request", snapshot);
  assert.match(absent.kind === "absent" ? absent.detail : "", /not in active snapshot/);
  assert.equal(opResource("a.one", snapshot), op);
  assert.deepEqual(variantResource("a.v1.rest.one", snapshot), {
    op_id: "a.one",
    variant: op.variants[0],
  });
  assert.equal(variantResource("nope", snapshot), undefined);
});

Deno.test("describe: an argument that is a resource name shows its form, once and short", () => {
  const catalog = loadCatalog();
  const found = catalog.ops.find(({ op_id }) => op_id === "chat.spaces.messages.delete");
  assert.ok(found !== undefined);
  const param = describeOp(found).params?.find(({ name }) => name === "name");
  assert.equal(param?.description, "spaces/{space}/messages/{message}");
  assert.equal(exampleArgs(found).name, "spaces/<space>/messages/<message>");
  // One plain segment needs no words.
  const album = catalog.ops.find(({ op_id }) => op_id === "photoslibrary.albums.get");
  assert.ok(album !== undefined);
  assert.equal(describeOp(album).params?.[0]?.description, undefined);
});
