import assert from "node:assert/strict";
import { GumError } from "../errors/mod.ts";
import { silentLogger } from "../log/mod.ts";
import { EMPTY_CATALOG, readCatalog } from "./load.ts";
import { parseCatalog } from "./parse.ts";
import { testOp, testVariant } from "./testdata/ops.ts";
import type { Op } from "./types.ts";

function refused(catalog: unknown): GumError {
  try {
    parseCatalog(JSON.stringify(catalog));
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    return error;
  }
  assert.fail("the catalog was accepted");
}
const withOp = (op: unknown) => ({ ...EMPTY_CATALOG, ops: [op] });
const withVariant = (changes: Record<string, unknown>): unknown =>
  withOp(testOp("a.one", { variants: [{ ...testVariant("a.v1.rest.one"), ...changes } as never] }));
const WRONG_VERSIONS = [0, 2, 9999, 1.5, "1", "1.0.1", null, true];

Deno.test("TestCatalogABIVersionsRejected: catalog versions other than the integer 1", () => {
  for (const version of [...WRONG_VERSIONS, undefined]) {
    const error = refused({ ...EMPTY_CATALOG, catalog_schema_version: version });
    assert.equal(error.code, "CATALOG_SCHEMA_UNSUPPORTED", String(version));
  }
  assert.equal(refused([]).code, "CATALOG_SCHEMA_UNSUPPORTED");
  assert.equal(refused({ catalog_schema_version: 1 }).code, "CATALOG_FIELD_REQUIRED");
});

Deno.test("TestCatalogABIVersionsRejected: operation and variant versions, with their place", () => {
  for (
    const [version, code] of [
      [9999, "CATALOG_SCHEMA_UNSUPPORTED"],
      ["1", "CATALOG_SCHEMA_UNSUPPORTED"],
      [1.5, "CATALOG_SCHEMA_UNSUPPORTED"],
      [0, "CATALOG_FIELD_REQUIRED"],
      [-1, "CATALOG_FIELD_REQUIRED"],
      [undefined, "CATALOG_FIELD_REQUIRED"],
    ] as const
  ) {
    const ofOp = refused(withOp({ ...testOp("a.one"), op_schema_version: version }));
    assert.equal(ofOp.code, code, String(version));
    assert.equal(ofOp.details.op_id, "a.one");
    const ofVariant = refused(withVariant({ variant_schema_version: version }));
    assert.equal(ofVariant.code, code, String(version));
    assert.equal(ofVariant.details.variant_id, "a.v1.rest.one");
  }
});

Deno.test("TestBindingSchemaVersionInteger: only the integer 1, whatever the backend", () => {
  for (
    const backend_kind of ["typed-rest-sdk", "raw-http", "grpc-sdk", "mcp-plugin", "google-ads-sdk"]
  ) {
    for (const version of [...WRONG_VERSIONS, undefined]) {
      const binding = { binding_schema_version: version, adapter_key: "x", operation_key: "x" };
      const error = refused(withVariant({ backend_kind, binding }));
      assert.equal(error.code, "BINDING_SCHEMA_UNSUPPORTED", `${backend_kind} ${version}`);
      assert.match(error.message, /a\.one a\.v1\.rest\.one/);
    }
  }
});

Deno.test("catalog decoding: none, two, and keys outside the binding are refused", () => {
  for (
    const changes of [
      { binding: undefined },
      { binding: [testVariant("x").binding, testVariant("x").binding] },
      { bindings: [] },
      { http: { method: "GET", path: "https://x.googleapis.com/" } },
      { tool_name: "t" },
    ]
  ) {
    assert.equal(
      refused(withVariant(changes)).code,
      "CATALOG_SCHEMA_UNSUPPORTED",
      JSON.stringify(changes),
    );
  }
  const stub = testVariant("a.v1.rest.one", {
    binding: undefined,
    execution_support: "schema_only",
  });
  const parsed = parseCatalog(JSON.stringify(withOp(testOp("a.one", { variants: [stub] }))));
  assert.equal(parsed.ops.length, 1);
});

Deno.test("catalog loading: no bytes, no JSON and no file are an empty catalog, not a failure", () => {
  const missing = () => Deno.readFileSync("/nonexistent/catalog.json");
  for (const read of [() => new Uint8Array(), () => new TextEncoder().encode("{"), missing]) {
    assert.deepEqual(readCatalog(read, silentLogger).ops, []);
  }
  const future = () => new TextEncoder().encode('{"catalog_schema_version":2,"ops":[]}');
  assert.throws(() => readCatalog(future, silentLogger), GumError);
});

Deno.test("catalog loading: the old auth name is normalised and unknown keys survive", () => {
  const op = testOp("a.one") as Op & { future?: string };
  op.future = "kept";
  const [variant] = op.variants;
  (variant as { auth_strategy: string }).auth_strategy = "service_account_key";
  const [parsed] = parseCatalog(new TextEncoder().encode(JSON.stringify(withOp(op)))).ops;
  assert.equal(parsed?.variants[0]?.auth_strategy, "service_account");
  assert.equal((parsed as typeof op).future, "kept");
});
