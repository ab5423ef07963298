import assert from "node:assert/strict";
import fc from "fast-check";
import type { RequestField } from "../types.ts";
import { CatalogError, decodeDefault, templateNames, validate } from "./mod.ts";
import { minimalCatalog, minimalOp } from "./testdata/minimal.ts";

const ID: RequestField = { name: "id", location: "path", type: "string", required: true };

function codeFor(fields: RequestField[]): string {
  try {
    validate(minimalCatalog({}, minimalOp({ request_fields: fields })));
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError);
    return error.code;
  }
}

Deno.test("request fields: names, locations, types, enums", () => {
  const query = (changes: Partial<RequestField>): RequestField[] => [
    ID,
    { name: "q", location: "query", type: "string", ...changes },
  ];
  assert.equal(codeFor(query({})), "ok");
  assert.equal(codeFor(query({ name: "" })), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor(query({ name: "id" })), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor(query({ location: "cookie" as "query" })), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor(query({ type: "date" as "string" })), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor(query({ enum: ["a", ""] })), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor([{ ...ID, required: false }]), "REQUEST_FIELD_INVALID");
});

Deno.test("request fields: the path template and the path fields are the same set", () => {
  assert.deepEqual(templateNames("https://x.googleapis.com/{+parent}/y/{id}:go"), ["parent", "id"]);
  assert.equal(codeFor([]), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor([ID, { ...ID, name: "other" }]), "REQUEST_FIELD_INVALID");
  assert.equal(
    codeFor([ID, { name: "mask", location: "header", type: "string" }]),
    "REQUEST_FIELD_INVALID",
  );
});

Deno.test("request fields: a pattern is anchored, quick to match, and of a reserved placeholder", () => {
  const code = (pattern: string, changes: Partial<RequestField> = {}) => {
    const op = minimalOp({ request_fields: [{ ...ID, pattern, ...changes }] });
    const http = op.variants[0]?.binding?.http;
    assert.ok(http !== undefined);
    if (changes.name === undefined) http.path = http.path.replace("{id}", "{+id}");
    try {
      validate(minimalCatalog({}, op));
      return "ok";
    } catch (error) {
      assert.ok(error instanceof CatalogError);
      return error.code;
    }
  };
  assert.equal(code("^things/[^/]+$"), "ok");
  assert.equal(code("^things/[^/]+$", { host_default: "things/mine" }), "ok");
  const refused = ["things/[^/]+", "^.*$", "^(a+)+$", "^[$", `^${"a".repeat(600)}$`];
  for (const pattern of refused) assert.equal(code(pattern), "REQUEST_FIELD_INVALID", pattern);
  assert.equal(code("^things/[^/]+$", { host_default: "me" }), "REQUEST_FIELD_INVALID");
  assert.equal(codeFor([{ ...ID, pattern: "^things/[^/]+$" }]), "REQUEST_FIELD_INVALID");
});

Deno.test("request fields: defaults decode, fit their type and are optional", () => {
  const code = (changes: Partial<RequestField>) =>
    codeFor([ID, { name: "n", location: "query", type: "integer", ...changes }]);
  assert.equal(code({ default: "10" }), "ok");
  assert.equal(code({ default: "1.5" }), "REQUEST_FIELD_INVALID");
  assert.equal(code({ default: "10", required: true }), "REQUEST_FIELD_INVALID");
  assert.equal(code({ type: "string", enum: ["a"], default: "b" }), "REQUEST_FIELD_INVALID");
  assert.equal(code({ type: "string", enum: ["a"], default: "a" }), "ok");
  assert.equal(code({ type: "array", default: '{"a":1}', item_type: "object" }), "ok");
  assert.equal(code({ type: "array", default: "[1" }), "REQUEST_FIELD_INVALID");
});

Deno.test("decodeDefault: the table of types", () => {
  const decode = (type: RequestField["type"], text: string, item_type?: string) =>
    decodeDefault({ name: "f", type, default: text, ...(item_type ? { item_type } : {}) });
  assert.equal(decode("integer", "42"), 42);
  assert.equal(decode("number", "2.5"), 2.5);
  assert.equal(decode("boolean", "1"), true);
  assert.equal(decode("boolean", "false"), false);
  assert.equal(decode("string", "  x "), "  x ");
  assert.deepEqual(decode("object", '{"a":[1]}'), { a: [1] });
  assert.deepEqual(decode("array", " [1,2]"), [1, 2]);
  assert.deepEqual(decode("array", "7", "integer"), [7]);
  assert.deepEqual(decode("array", "x"), ["x"]);
  for (
    const [type, text] of [
      ["integer", "0x10"],
      ["number", "Infinity"],
      ["number", ""],
      ["boolean", "yes"],
      ["object", "[1]"],
      ["object", "null"],
    ] as const
  ) {
    assert.throws(() => decode(type, text), /f/, `${type} ${text}`);
  }
  assert.throws(
    () => decodeDefault({ name: "f", type: "string" }),
    (error: unknown) => error instanceof CatalogError && error.code === "NO_DEFAULT_DECLARED",
  );
});

Deno.test("decodeDefault: an integer survives the trip through text", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => {
    assert.equal(decodeDefault({ name: "n", type: "integer", default: String(value) }), value);
  }));
});

Deno.test("request fields: the allow-list of operations without fields is exact", () => {
  const catalog = minimalCatalog();
  validate(catalog, { fieldlessOps: [] });
  assert.throws(() => validate(catalog, { fieldlessOps: ["demo.things.get"] }), CatalogError);
  assert.throws(() => validate(catalog, { requireSomeDefault: true }), /default/);
});
