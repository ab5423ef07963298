import assert from "node:assert/strict";
import { CONVENIENCE_ROWS, convenienceRow } from "./convenience.ts";
import { defaultVariant } from "./describe/mod.ts";
import { loadCatalog } from "./load.ts";
import type { Op } from "./types.ts";

const byId = new Map(loadCatalog().ops.map((op) => [op.op_id, op]));

function backingOp(opId: string): Op {
  const op = byId.get(opId);
  assert.ok(op, `${opId} is not in the catalog`);
  return op;
}

const SYSTEM_PARAMETERS = new Set(["fields"]);

Deno.test("TestTierAConvenienceABI: eighteen tools over live operations, every argument accepted", () => {
  assert.equal(CONVENIENCE_ROWS.length, 18);
  assert.equal(new Set(CONVENIENCE_ROWS.map(({ tool }) => tool)).size, 18);
  for (const row of CONVENIENCE_ROWS) {
    assert.match(row.tool, /^[a-z][a-z0-9_]+$/);
    const op = backingOp(row.opId);
    if (row.variantRule === "default") assert.ok(defaultVariant(op), row.tool);
    else {
      const { fixed } = row.variantRule;
      assert.ok(op.variants.some(({ variant_id }) => variant_id === fixed), row.tool);
    }
    const mapped = new Set([row.bodyArg, ...row.bodyFields ?? []]);
    const accepted = new Set((op.request_fields ?? []).map(({ name }) => name));
    for (const name of [...row.required, ...row.optional]) {
      assert.ok(
        mapped.has(name) || accepted.has(name) || SYSTEM_PARAMETERS.has(name),
        `${row.tool} ${name}`,
      );
    }
    for (const name of Object.keys(row.defaults ?? {})) assert.ok(row.optional.includes(name));
  }
  assert.equal(convenienceRow("gmail_send")?.opId, "gmail.users.messages.send");
  assert.equal(convenienceRow("nope"), undefined);
});

Deno.test("TestConvenienceHighStakesConfirmation: high-stakes rows pass confirmation through, eight do", () => {
  assert.equal(CONVENIENCE_ROWS.filter((row) => row.confirmationPassthrough).length, 8);
  for (const row of CONVENIENCE_ROWS) {
    const variant = defaultVariant(backingOp(row.opId));
    if (variant?.confirmation_policy === "high_stakes_write") {
      assert.ok(row.confirmationPassthrough, row.tool);
    }
    assert.equal(row.confirmationPassthrough, variant?.risk_class !== "read", row.tool);
  }
});

Deno.test("TestConvenienceRequiredPathParamsAreAdvertised: each path parameter is a required argument", () => {
  for (const row of CONVENIENCE_ROWS) {
    for (const field of backingOp(row.opId).request_fields ?? []) {
      if (field.location === "path") {
        assert.ok(row.required.includes(field.name), `${row.tool} ${field.name}`);
      }
    }
  }
});

Deno.test("TestConvenienceBodyArgsMapToRealBodyFields: a mapping iff the operation has a body", () => {
  for (const row of CONVENIENCE_ROWS) {
    const fields = backingOp(row.opId).request_fields ?? [];
    const body = new Set(
      fields.filter(({ location }) => location === "body").map(({ name }) => name),
    );
    const mapped = row.bodyArg !== undefined || row.bodyFields !== undefined;
    assert.equal(mapped, body.size > 0, row.tool);
    for (const name of row.bodyFields ?? []) {
      assert.ok(body.has(name), `${row.tool} ${name}`);
      assert.ok(row.required.includes(name) || row.optional.includes(name));
    }
    if (row.bodyArg !== undefined) assert.ok(row.required.includes(row.bodyArg), row.tool);
  }
});

Deno.test("TestTierAConvenienceABI: a format control only where the operation has no format of its own", () => {
  for (const row of CONVENIENCE_ROWS) {
    assert.ok(row.formats.length >= 1);
    const own = (backingOp(row.opId).request_fields ?? []).some(({ name }) => name === "format");
    const named = [...row.required, ...row.optional].includes("format");
    assert.equal(named, own, row.tool);
  }
});
