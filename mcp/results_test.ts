import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { isJsonObject, type JsonObject, parseJson } from "../lib/json/mod.ts";
import { OUTPUT_DEFS } from "./output_defs.ts";
import { type Answer, fakeSession, shaped, smallCatalog } from "./testdata/fake_session.ts";
import { textOf, withPeer } from "./testdata/raw_peer.ts";
import { catalogSession } from "./testdata/real_session.ts";
import type { SurfaceSeams, ToolDefinition } from "./types.ts";

const LIST = "gmail.users.messages.list";
const AJV = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
} as const;

/** A validator of a full definition. */
function definition(name: string): ValidateFunction {
  const { $id, $defs } = OUTPUT_DEFS;
  return new Ajv2020({ ...AJV, strict: false }).compile({
    $id,
    $defs,
    $ref: `#/$defs/${name}`,
  });
}

function valid(name: string, value: unknown): boolean {
  const validate = definition(name);
  const accepted = validate(value);
  return accepted;
}

/** Runs `gum.read` against one answer and gives the result. */
function read(answer: Answer, args: JsonObject = {}): Promise<JsonObject> {
  return withPeer(
    fakeSession({ answer }).session,
    {},
    (peer) => peer.call("gum.read", { op_id: LIST, ...args }),
  );
}

function structuredOf(result: JsonObject): JsonObject {
  if (!isJsonObject(result.structuredContent)) throw new Error("no structured content");
  return result.structuredContent;
}

Deno.test("TestToonVariantHeader: a table carries operation, variant and page token", async () => {
  const result = await read(() =>
    shaped(LIST, { messages: [{ id: "a" }, { id: "b" }], nextPageToken: "p2" }, {
      format: "toon",
      variantId: "gmail.v1.rest.users.messages.list",
    })
  );
  const structured = structuredOf(result);
  ok(valid("ToonResult", structured));
  equal(structured.op, LIST);
  equal(structured.variant, "gmail.v1.rest.users.messages.list");
  equal(structured.next_page_token, "p2");
  equal(structured.toon, textOf(result));
  ok(textOf(result).startsWith(`op: ${LIST}\nvariant: gmail.v1.rest.users.messages.list\n`));
  equal(Object.hasOwn(structured, "count") || Object.hasOwn(structured, "fields"), false);
});

Deno.test("TestToonVariantHeader: a page token survives a profile that drops it", async () => {
  const result = await read(() =>
    shaped(LIST, { messages: [{ id: "a" }] }, {
      format: "toon",
      upstreamBytes: new TextEncoder().encode('{"messages":[],"nextPageToken":"p3"}'),
    })
  );
  equal(structuredOf(result).next_page_token, "p3");
});

Deno.test("TestStructuredContentCarriesShapedValue: the shaped tree, never the upstream one", async () => {
  const result = await read(() =>
    shaped(LIST, { kept: 1 }, {
      upstreamBytes: new TextEncoder().encode('{"kept":1,"dropped":2}'),
    })
  );
  const structured = structuredOf(result);
  ok(valid("SingleObjectResult", structured));
  deepStrictEqual(structured.data, { kept: 1 });
  equal(textOf(result), '{"kept":1}');
  equal(result.isError, undefined);
});

Deno.test("TestCSVResultCarriesCSVText: data is the text, no toon key", async () => {
  const result = await read(() => shaped(LIST, "a,b\n1,2\n", { format: "csv" }));
  const structured = structuredOf(result);
  ok(valid("SingleObjectResult", structured));
  equal(structured.format, "csv");
  equal(structured.data, "a,b\n1,2\n");
  equal(Object.hasOwn(structured, "toon"), false);
});

Deno.test("TestMarkdownResultCarriesMarkdownText: data is the text", async () => {
  const result = await read(() => shaped(LIST, "# A\n", { format: "markdown" }));
  ok(valid("SingleObjectResult", structuredOf(result)));
  equal(structuredOf(result).data, "# A\n");
});

Deno.test("TestExpressionEnvelopeOnRawIsSentinel: raw passes through, parsed or as one string", async () => {
  const sentinel = {
    profile: "_raw",
    op_id: LIST,
    variant_id: "v",
    lossy: false,
    result_count: 0,
  };
  for (const [body, data] of [['{"a":[1]}', { a: [1] }], ["plain text", "plain text"]] as const) {
    const result = await read(() =>
      shaped(LIST, body, { format: "raw", expression: sentinel, variantId: "v" })
    );
    const structured = structuredOf(result);
    ok(valid("RawJsonResult", structured));
    deepStrictEqual(structured, { format: "json", data, _expression: sentinel });
    equal(textOf(result), body);
  }
});

Deno.test("an unchanged answer has its own shape and no envelope", async () => {
  const result = await read(() => shaped(LIST, {}, { unchanged: { etag: 'W/"1"' } }));
  deepStrictEqual(structuredOf(result), { unchanged: true, etag: 'W/"1"' });
  ok(valid("UnchangedResult", structuredOf(result)));
  equal(textOf(result), '{"unchanged":true,"etag":"W/\\"1\\""}');
});

Deno.test("big integers travel as strings, in structure and in text", async () => {
  const value = parseJson('{"id":9007199254740993}');
  const result = await read(() => {
    const response = shaped(LIST, value);
    if (response.expression) response.expression.big_integer_paths = ["id"];
    return response;
  });
  deepStrictEqual(structuredOf(result).data, { id: "9007199254740993" });
  equal(textOf(result), '{"id":"9007199254740993"}');
});

Deno.test("a deeply nested answer travels as text, in a message that every client can read", async () => {
  for (const depth of [99, 101, 100_000]) {
    const text = "[".repeat(depth) + "]".repeat(depth);
    for (const format of ["raw", "json"] as const) {
      const { session } = fakeSession({
        answer: ({ opId }) => ({
          ...shaped(opId, null, { format: "raw" }),
          format,
          body: new TextEncoder().encode(text),
          structuredContent: format === "json" ? JSON.parse(text) : undefined,
        }),
      });
      await withPeer(session, {}, async (peer) => {
        const result = await peer.call("gum.read", { op_id: "gmail.users.messages.list" });
        equal(textOf(result), text);
        const { data } = result.structuredContent as JsonObject;
        if (depth < 100) deepStrictEqual(data, JSON.parse(text));
        else equal(data, text, `${format} ${depth}`);
      });
    }
  }
});

Deno.test("an operation that answers with text where a handle was declared still answers", async () => {
  const { session } = fakeSession({
    answer: ({ opId }) => ({
      ...shaped(opId, "accepted", { format: "raw" }),
      upstreamBytes: new TextEncoder().encode("accepted"),
    }),
  });
  session.kernel.returnsLro = () => true;
  await withPeer(session, {}, async (peer) => {
    const result = await peer.call("gum.read", { op_id: "gmail.users.messages.list" });
    equal(result.isError, undefined, textOf(result));
  });
});

Deno.test("the shaping notice is its own block, or absent", async () => {
  const quiet = await read(() => shaped(LIST, {}));
  equal((quiet.content as unknown[]).length, 1);
  const told = await read(() =>
    shaped(LIST, {}, { notice: { cli: "", mcp: "3 rows were limited." } })
  );
  deepStrictEqual((told.content as JsonObject[])[1], {
    type: "text",
    text: "3 rows were limited.",
  });
});

Deno.test("TestRecoveryResourceLinkContentBlock: one link, last, with the envelope's URI", async () => {
  const answer = (opId: string): Answer => () => {
    const response = shaped(opId, {}, {
      notice: { cli: "", mcp: "1 field was dropped." },
      fullResultSize: 1234,
    });
    if (response.expression) response.expression.full_result_resource = "gum://results/ab12";
    return response;
  };
  const result = await read(answer(LIST));
  const content = result.content as JsonObject[];
  equal(content.length, 3);
  deepStrictEqual(content[2], {
    type: "resource_link",
    uri: "gum://results/ab12",
    name: "full_result",
    mimeType: "application/json",
    description: `Unshaped result of ${LIST}`,
    size: 1234,
  });
  equal((structuredOf(result)._expression as JsonObject).full_result_resource, content[2]?.uri);
  const long = await read(answer("a".repeat(200)));
  const description = String((long.content as JsonObject[])[2]?.description);
  equal(description.length, 120);
  ok(description.endsWith("..."));
});

Deno.test("TestRecoveryResourceLinkContentBlock: a local artifact never becomes a link", async () => {
  const result = await read(() => shaped(LIST, {}, { fullResultPath: "/tmp/x" }));
  ok((result.content as JsonObject[]).every((block) => block.type === "text"));
});

Deno.test("TestDescribeOpResultValidatesForEveryCatalogOp: the whole catalog", async () => {
  const { session } = await catalogSession();
  const validate = definition("DescribeOpResult");
  const { ops } = loadCatalog();
  ok(ops.length > 100);
  await withPeer(session, {}, async (peer) => {
    for (const { op_id } of ops) {
      const { structuredContent } = await peer.call("gum.describe_op", { op_id });
      ok(validate(structuredContent), `${op_id}: ${JSON.stringify(validate.errors)}`);
      const described = structuredContent as JsonObject;
      equal(described.op_id, op_id);
      ok(!("status" in described) && !("reason" in described));
    }
  });
});

Deno.test("TestDescribeOpTruncatesVariantsToFive: default first, counts say what is missing", async () => {
  const catalog = smallCatalog();
  const [op] = catalog.ops;
  const [base] = op?.variants ?? [];
  if (op === undefined || base === undefined) throw new Error("the catalog has an operation");
  for (let index = 1; index < 7; index++) {
    op.variants.push({ ...base, variant_id: `${base.variant_id}.${index}` });
  }
  for (const [maximum, shown] of [[undefined, 5], [2, 2], [99, 7]] as const) {
    const { session } = fakeSession({
      catalog,
      seams: { tuning: { describeMaxVariants: maximum } },
    });
    await withPeer(session, {}, async (peer) => {
      const described = structuredOf(await peer.call("gum.describe_op", { op_id: op.op_id }));
      equal((described.variants as unknown[]).length, shown);
      equal(described.variants_total, 7);
      equal(described.variants_omitted_count, 7 - shown);
      equal((described.variants as JsonObject[])[0]?.variant_id, op.default_variant_id);
    });
  }
});

/** One successful call of every tool. */
const CALLS: Record<string, JsonObject> = {
  "gum.search_apis": { query: "gmail" },
  "gum.describe_op": { op_id: LIST },
  "gum.read": { op_id: LIST },
  "gum.write": { op_id: "calendar.events.insert", args: {} },
  "gum.destructive": { op_id: "gmail.users.labels.delete", args: {} },
  "gum.code": { language: "risor", source: "1" },
  "gum.poll": { operation_name: "operations/1" },
  "gum.cache_stats": {},
  "gum.gain": {},
  gmail_search: { userId: "me" },
  gmail_get_message: { userId: "me", id: "1" },
  gmail_send: { userId: "me", message: {} },
  gmail_create_draft: { userId: "me", message: {} },
  drive_find: {},
  drive_get_file: { fileId: "1" },
  drive_share: { fileId: "1", permission: {} },
  calendar_upcoming: { calendarId: "primary" },
  calendar_create_event: { calendarId: "primary", event: {} },
  calendar_update_event: { calendarId: "primary", eventId: "1", event: {} },
  docs_get: { documentId: "1" },
  docs_create: { document: {} },
  sheets_read: { spreadsheetId: "1", range: "A1" },
  sheets_write: { spreadsheetId: "1", range: "A1", values: [[1]], valueInputOption: "RAW" },
  slides_get: { presentationId: "1" },
  tasks_list: { tasklist: "1" },
  tasks_create: { tasklist: "1", task: {} },
  flights_search: { origin: "BER", destination: "LIS", departure_date: "2026-03-01" },
  skills_list: {},
  skills_get: { name: "core" },
};

const GAIN: JsonObject = {
  mode: "summary",
  window: "last-30-sessions",
  baseline_tokens: 10,
  actual_tokens: 4,
  savings_tokens: 6,
  savings_pct: 60,
  end_to_end_savings: 60,
  batch_envelope_overhead: 0,
  tokenizer: "cl100k_base",
  sessions: [],
};

const SEAMS: SurfaceSeams = {
  poll: () => Promise.resolve({ name: "operations/1", done: true }),
  gain: () => Promise.resolve(GAIN),
  code: () => Promise.resolve(shaped("gum.code", "1", { format: "raw" })),
};

Deno.test("TestGainOutputSchema: a summary fits its definition", () => {
  ok(valid("GainResult", GAIN));
  ok(!valid("GainResult", { ...GAIN, operations: [] }));
  ok(!valid("GainResult", { ...GAIN, mode: "history" }));
});

Deno.test("TestEveryRegisteredToolPairsOutputSchemaWithStructuredContent: live list, every tool", async () => {
  for (const format of ["json", "toon"] as const) {
    const { session } = fakeSession({
      seams: SEAMS,
      answer: ({ opId, allowedFormats }) =>
        shaped(opId, [{ id: "a" }], {
          format: allowedFormats?.includes(format) ?? true ? format : "json",
        }),
    });
    await withPeer(session, {}, async (peer) => {
      const { result } = await peer.request("tools/list");
      const tools = (result as JsonObject).tools as unknown as ToolDefinition[];
      deepStrictEqual(tools.map(({ name }) => name).toSorted(), Object.keys(CALLS).toSorted());
      for (const { name, outputSchema } of tools) {
        const called = await peer.call(name, CALLS[name] ?? {});
        equal(called.isError, undefined, `${name}: ${textOf(called)}`);
        if (outputSchema === undefined) {
          equal(called.structuredContent, undefined, name);
          continue;
        }
        const registered = new Ajv2020(AJV).compile(outputSchema);
        ok(registered(called.structuredContent), `${name}: ${JSON.stringify(registered.errors)}`);
        const full = shapesOf(outputSchema).some((shape) => valid(shape, called.structuredContent));
        ok(full, `${name} fits no full definition`);
      }
    });
  }
});

/** The full definitions a registered schema stands for. */
function shapesOf(schema: JsonObject): string[] {
  const references = Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
  return references.map((reference) =>
    String(isJsonObject(reference) ? reference.$ref : "").split("/").at(-1) ?? ""
  );
}

Deno.test("TestTierABranchOutputSchemasCoverEveryShapedBranch: every shape of gum.read", async () => {
  const { session } = fakeSession();
  const schema = await withPeer(session, {}, async (peer) => {
    const { result } = await peer.request("tools/list");
    const tools = (result as JsonObject).tools as unknown as ToolDefinition[];
    return tools.find(({ name }) => name === "gum.read")?.outputSchema;
  });
  if (schema === undefined) throw new Error("gum.read has an output schema");
  const validate = new Ajv2020(AJV).compile(schema);
  const answers: Answer[] = [
    () => shaped(LIST, [{ a: 1 }], { format: "toon" }),
    () => shaped(LIST, { a: 1 }),
    () => shaped(LIST, "a", { format: "csv" }),
    () => shaped(LIST, "a", { format: "markdown" }),
    () => shaped(LIST, "a", { format: "raw" }),
    () => shaped(LIST, {}, { unchanged: { etag: "e" } }),
  ];
  for (const answer of answers) {
    const result = await read(answer);
    ok(validate(result.structuredContent), JSON.stringify(result.structuredContent));
  }
});

Deno.test("TestParallelResultItemSchema: required keys, siblings, and what a table refuses", () => {
  const item = { _idx: 0, _expression: {}, format: "json", data: {} };
  ok(valid("ParallelResultItem", item));
  ok(valid("ParallelResultItem", { ...item, _code_output_truncated: true }));
  const { _idx, ...without } = item;
  equal(_idx, 0);
  ok(!valid("ParallelResultItem", without));
  ok(!valid("ParallelResultItem", { ...item, _expression: { _code_output_truncated: true } }));
  ok(!valid("ToonResult", item));
});

Deno.test("TestTierAResponseShapeConformance: broken shapes are refused by the definitions", () => {
  const _expression = { profile: "p", op_id: "o", variant_id: "v", lossy: false, result_count: 0 };
  ok(valid("SingleObjectResult", { format: "json", data: null, _expression }));
  ok(!valid("SingleObjectResult", { format: "csv", data: {}, _expression }));
  ok(!valid("SingleObjectResult", { format: "json", data: null, _expression: {} }));
  ok(!valid("ToonResult", { format: "toon", toon: "x", count: 1, _expression }));
  ok(!valid("ToonResult", { unchanged: true, etag: "e" }));
});
