import assert from "node:assert/strict";
import fc from "fast-check";
import type { Logger } from "../log/mod.ts";
import { EMPTY_CATALOG } from "./load.ts";
import { requestRef } from "./validate/ids.ts";
import { createSnapshot, referencedSchemas } from "./snapshot.ts";
import { allScopes, scopesForOp, scopesForServices } from "./scopes.ts";
import { riskOverrides } from "./risk_overrides.ts";
import { testOp, testVariant } from "./testdata/ops.ts";
import type { Catalog, Op } from "./types.ts";

function catalogOf(...ops: Op[]): Catalog {
  return { ...EMPTY_CATALOG, ops };
}
const noSchemas = { requestSchema: () => undefined };

Deno.test("snapshot: exact ids win over deprecated ones, both find the canonical op", () => {
  const snapshot = createSnapshot(
    catalogOf(
      testOp("a.old", { title: "still here" }),
      testOp("b.new", { deprecated_op_ids: ["a.old", "b.former"] }),
    ),
    noSchemas,
  );
  assert.equal(snapshot.findOp("a.old")?.op_id, "a.old");
  assert.equal(snapshot.findOp("b.former")?.op_id, "b.new");
  assert.equal(snapshot.findOp("B.NEW"), undefined);
  assert.equal(snapshot.findOp("toString"), undefined);
});

Deno.test("snapshot: variants are found over all operations", () => {
  const snapshot = createSnapshot(catalogOf(testOp("a.one"), testOp("b.two")), noSchemas);
  const found = snapshot.findVariant("b.v1.rest.two");
  assert.equal(found?.op.op_id, "b.two");
  assert.equal(found?.variant.variant_id, "b.v1.rest.two");
  assert.equal(snapshot.findVariant("nope"), undefined);
});

Deno.test("snapshot: the old name of service_account is read, not kept", () => {
  const old = testOp("a.one", {
    variants: [
      testVariant("a.v1.rest.one", { auth_strategy: "service_account_key" as "service_account" }),
    ],
  });
  const snapshot = createSnapshot(catalogOf(old), noSchemas);
  assert.equal(snapshot.findOp("a.one")?.variants[0]?.auth_strategy, "service_account");
  assert.equal(snapshot.findVariant("a.v1.rest.one")?.variant.auth_strategy, "service_account");
});

Deno.test("snapshot: rows of this build join sorted, others are left out and logged", () => {
  const logged: unknown[] = [];
  const logger: Logger = { log: (_level, _message, fields) => logged.push(fields?.op_id) };
  const newer = testVariant("plug.b.v1");
  const snapshot = createSnapshot(catalogOf(testOp("m.first")), {
    ...noSchemas,
    logger,
    pluginOps: [
      testOp("plug.a"),
      testOp("plug.b", {
        variants: [{ ...newer, binding: { ...newer.binding, binding_schema_version: 2 } as never }],
      }),
      testOp("m.first", { title: "impostor" }),
      testOp("plug.c", { variants: [testVariant("m.v1.rest.first")] }),
      testOp("a.plug"),
    ],
  });
  assert.deepEqual(snapshot.ops.map(({ op_id }) => op_id), ["a.plug", "m.first", "plug.a"]);
  assert.deepEqual(logged, ["plug.b", "m.first", "plug.c"]);
  assert.notEqual(snapshot.findOp("m.first")?.title, "impostor");
});

Deno.test("TestSchemaResourceGrammarRejection: only well-formed refs that an operation names are asked for", () => {
  const asked: string[] = [];
  const variant = testVariant("a.v1.rest.one");
  const op = testOp("a.one", {
    variants: [{
      ...variant,
      binding: {
        binding_schema_version: 1,
        adapter_key: "x",
        operation_key: "x",
        request_ref: "a.one.request",
      },
    }],
  });
  const snapshot = createSnapshot(catalogOf(op), {
    requestSchema(ref) {
      asked.push(ref);
      return { $id: ref };
    },
  });
  assert.deepEqual(snapshot.requestSchema("a.one.request"), { $id: "a.one.request" });
  for (const ref of ["../a", "a..b", "A.one", "", "_a", "a/b", "a".repeat(129), "b.two.request"]) {
    assert.equal(snapshot.requestSchema(ref), undefined, ref);
  }
  assert.deepEqual(asked, ["a.one.request"]);
  assert.deepEqual(referencedSchemas(snapshot.ops), ["a.one.request"]);
});

Deno.test("request refs: lower-to-upper boundaries become underscores", () => {
  assert.equal(requestRef("calendar.calendarList.list"), "calendar.calendar_list.list.request");
  assert.equal(requestRef("tasks.tasks.insert"), "tasks.tasks.insert.request");
  assert.equal(requestRef("a.getHTTPInfo"), "a.get_httpinfo.request");
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z][a-z0-9]{0,8}(\.[A-Za-z][A-Za-z0-9]{0,8}){1,4}$/),
      (opId) => {
        assert.match(requestRef(opId), /^[a-z0-9][a-z0-9._-]{0,127}$/);
      },
    ),
  );
});

Deno.test("scopes: copies, unions and the reasons for none", () => {
  const ops = [
    testOp("a.one", { variants: [testVariant("a.v1.rest.one", { scopes: ["s/b", "s/a"] })] }),
    testOp("a.dangling", {
      default_variant_id: "gone",
      variants: [testVariant("x.v1", { scopes: ["s/c"] })],
    }),
    testOp("b.none", { variants: [testVariant("b.v1.rest.none", { scopes: ["", "s/a"] })] }),
    testOp("c.empty"),
  ];
  const scopes = scopesForOp("a.one", ops);
  assert.deepEqual(scopes, ["s/b", "s/a"]);
  scopes?.push("changed");
  assert.deepEqual(scopesForOp("a.one", ops), ["s/b", "s/a"]);
  assert.equal(scopesForOp("a.dangling", ops), undefined);
  assert.equal(scopesForOp("c.empty", ops), undefined);
  assert.equal(scopesForOp("nope", ops), undefined);
  assert.deepEqual(scopesForServices(["b", "c"], ops), ["s/a"]);
  assert.equal(scopesForServices(["c"], ops), undefined);
  assert.deepEqual(allScopes(ops), ["s/a", "s/b", "s/c"]);
});

Deno.test("risk overrides: overridden variants only, sorted, three keys", () => {
  const overridden = (id: string) =>
    testVariant(id, { risk_override: true, risk_override_reason: `why ${id}` });
  const rows = riskOverrides([
    testOp("a.x", { variants: [overridden("z.v1"), testVariant("y.v1")] }),
    testOp("b.x", {
      variants: [
        overridden("a.v1"),
        { ...overridden("a.v1"), risk_override_reason: "later" },
        overridden(""),
      ],
    }),
  ]);
  assert.deepEqual(rows, [
    { variant_id: "a.v1", risk_class: "read", risk_override_reason: "why a.v1" },
    { variant_id: "z.v1", risk_class: "read", risk_override_reason: "why z.v1" },
  ]);
});
