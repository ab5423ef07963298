import assert from "node:assert/strict";
import type { ExecutionSupport, Variant } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Invocation, KernelSettings } from "../types.ts";
import { FILES, op, openFixture, refusalOf, variant } from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const CREATE: Invocation = { opId: "drive.files.create", args: { name: "n" } };
const DELETE: Invocation = { opId: "drive.files.delete", args: { fileId: "a" } };

async function codeOf(
  invocation: Invocation,
  settings: Partial<KernelSettings> = {},
  variants?: Variant[],
): Promise<{ code: string; details: Readonly<JsonObject>; sent: number }> {
  const ops = variants === undefined ? FILES : [...FILES, op("x.y", variants)];
  await using fixture = openFixture({ settings, ops });
  try {
    const answer = await fixture.kernel.dispatch(invocation);
    return { code: "ok", details: answer.expression ?? {}, sent: fixture.peer.requests.length };
  } catch {
    const error = await refusalOf(fixture.kernel, invocation);
    return { code: error.code, details: error.details, sent: fixture.peer.requests.length };
  }
}

Deno.test("deny beats allow, and an allow list closes the rest", async () => {
  const denied = await codeOf(LIST, {
    denyOps: ["drive.files.list"],
    allowOps: ["drive.files.list"],
  });
  assert.deepEqual([denied.code, denied.details.reason], ["POLICY_DENIED", "op_id in deny_ops"]);
  const outside = await codeOf(LIST, { allowOps: ["drive.files.get"] });
  assert.deepEqual([outside.code, outside.details.reason], [
    "POLICY_DENIED",
    "op_id not in allow_ops",
  ]);
  assert.equal((await codeOf(LIST, { allowOps: ["drive.files.list"] })).code, "ok");
});

async function capabilityGate(support: ExecutionSupport) {
  const x = variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
    execution_support: support,
    unsupported_capabilities: ["media_download"],
  });
  return await codeOf({ opId: "x.y", args: {} }, {}, [x]);
}

Deno.test("TestCapabilityGateLetsFullAndPartialThrough: both reach the upstream once", async () => {
  for (const support of ["full", "partial"] as const) {
    const result = await capabilityGate(support);
    assert.equal(result.code, "ok", support);
    assert.equal(result.sent, 1, support);
  }
});

Deno.test("TestCapabilityGateRefusesBeforeTheUpstreamRequest: the blocked atoms, and no status", async () => {
  for (const support of ["typed_executor_required", "schema_only"] as const) {
    const result = await capabilityGate(support);
    assert.equal(result.code, "UNSUPPORTED_CAPABILITY", support);
    assert.equal(result.sent, 0, support);
    assert.equal(result.details.status, undefined);
    assert.equal(result.details.execution_support, support);
    assert.deepEqual(result.details.unsupported_capabilities, ["media_download"]);
  }
});

Deno.test("TestPartialVariantWarnsInTheExpressionEnvelope: a partial variant names what it cannot do", async () => {
  const x = variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
    execution_support: "partial",
    unsupported_capabilities: ["media_download"],
  });
  const result = await codeOf({ opId: "x.y", args: {} }, {}, [x]);
  assert.deepEqual(result.details._unsupported_capabilities, ["media_download"]);
});

Deno.test("TestFullVariantCarriesNoCapabilityWarning: a full variant has no such key", async () => {
  assert.ok(!("_unsupported_capabilities" in (await codeOf(LIST)).details));
});

Deno.test("TestRiskTierIgnoresCallerRiskFlags: the whole matrix of class and grants", async () => {
  const grants = [{}, { allowWrite: true }, { allowDestructive: true }, {
    allowWrite: true,
    allowDestructive: true,
  }];
  const expected: Record<string, string[]> = {
    read: ["ok", "gum.read", "gum.read", "gum.read"],
    write: ["gum.write", "ok", "gum.write", "ok"],
    destructive: ["gum.destructive", "gum.destructive", "confirm", "confirm"],
    unheard_of: ["none", "none", "none", "none"],
  };
  for (const [riskClass, outcomes] of Object.entries(expected)) {
    for (const [index, grant] of grants.entries()) {
      const x = variant("x.v", [riskClass as "read", "POST", "https://www.googleapis.com/x"]);
      const result = await codeOf(
        // Risk words among the arguments change nothing.
        {
          opId: "x.y",
          args: { allow_write: true, risk: "read", allow_destructive: true },
          ...grant,
        },
        {},
        [x],
      );
      const seen = result.code === "RISK_TOOL_MISMATCH"
        ? result.details.required_tool ?? "none"
        : result.code === "REQUIRES_CONFIRMATION"
        ? "confirm"
        : result.code;
      assert.equal(seen, outcomes[index], `${riskClass} with ${JSON.stringify(grant)}`);
      if (seen !== "ok") assert.equal(result.sent, 0);
    }
  }
});

const PINNED = op("pin.op", [
  variant("pin.read", ["read", "GET", "https://www.googleapis.com/r"]),
  variant("pin.write", ["write", "POST", "https://www.googleapis.com/w"]),
  variant("pin.destroy", ["destructive", "DELETE", "https://www.googleapis.com/d"]),
]);

Deno.test("TestGumReadRejectsPinnedHigherRiskVariant: the gate judges the pinned variant", async () => {
  await using fixture = openFixture({ ops: [PINNED] });
  for (const pin of ["pin.write", "pin.destroy"]) {
    const error = await refusalOf(fixture.kernel, {
      opId: "pin.op",
      args: {},
      requestedVariantId: pin,
      confirmed: true,
      confirmationToken: "v1.1.2.aa.gum_confirm_write.b.c",
    });
    assert.equal(error.code, "RISK_TOOL_MISMATCH", "neither confirmation nor token is a grant");
    assert.equal(error.details.variant_id, pin);
  }
  assert.equal(fixture.peer.requests.length, 0);
});

Deno.test("TestGumWriteRejectsPinnedDestructiveVariant: a write grant is no destructive grant", async () => {
  await using fixture = openFixture({ ops: [PINNED] });
  const error = await refusalOf(fixture.kernel, {
    opId: "pin.op",
    args: {},
    requestedVariantId: "pin.destroy",
    allowWrite: true,
  });
  assert.equal(error.details.required_tool, "gum.destructive");
});

Deno.test("granted scopes: first missing one is named; other strategies and no record are not judged", async () => {
  const scoped = (strategy: Variant["auth_strategy"]) =>
    variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
      auth_strategy: strategy,
      scopes: ["s/a", "s/b"],
    });
  const call = { opId: "x.y", args: {} };
  const some = { grantedScopes: () => ["s/a"] };
  const missing = await codeOf(call, some, [scoped("byo_oauth")]);
  assert.equal(missing.code, "SCOPE_MISSING");
  assert.deepEqual(missing.details.required_scope, "s/b");
  assert.deepEqual(missing.details.scopes_missing, ["s/b"]);
  assert.deepEqual(missing.details.have_scopes, ["s/a"]);
  assert.equal(missing.details.setup_command, "gum auth setup x.y");
  assert.equal(
    (await codeOf(call, { grantedScopes: () => ["s/a", "s/b"] }, [scoped("byo_oauth")])).code,
    "ok",
  );
  for (const strategy of ["adc", "service_account", "none"] as const) {
    assert.equal((await codeOf(call, some, [scoped(strategy)])).code, "ok", strategy);
  }
  assert.equal(
    (await codeOf(call, { grantedScopes: () => undefined }, [scoped("byo_oauth")])).code,
    "ok",
  );
  const managed = await codeOf(call, some, [scoped("gum_oauth")]);
  assert.match(String(managed.details.setup_command), /^gum auth login/);
});

Deno.test("without any recorded login step 4 says AUTH_REQUIRED", async () => {
  await using fixture = openFixture({
    deps: { auth: (await import("../../auth/mod.ts")).createExplicitAuthResolver({}) },
  });
  const error = await refusalOf(fixture.kernel, LIST);
  assert.equal(error.code, "AUTH_REQUIRED");
  assert.deepEqual(error.details.missing_components, ["oauth_scopes"]);
  assert.equal(error.details.setup_command, "gum auth setup drive.files.list");
});

const ADMIN = variant("admin.v", [
  "destructive",
  "DELETE",
  "https://admin.googleapis.com/admin/directory/v1/users/{userKey}",
], {
  admin_policy: {
    blast_radius: "admin_high_blast_write",
    fixture_ownership_required: true,
    fixture_marker_prefix: "gum-fixture-",
    fixture_resource_keys: ["userKey"],
  },
});

Deno.test("administrator writes: fixture_only wants the marker in the name, never in the domain", async () => {
  const run = (userKey: string) =>
    codeOf(
      { opId: "x.y", args: { userKey }, allowDestructive: true },
      { adminWrites: "fixture_only" },
      [ADMIN],
    );
  for (const owned of ["gum-fixture-a", " GUM-Fixture-a@example.com ", "orgs/x/gum-fixture-b"]) {
    assert.equal((await run(owned)).code, "REQUIRES_CONFIRMATION", owned);
  }
  for (const foreign of ["alice@gum-fixture-example.com", "alice", "my-gum-fixture-a"]) {
    const refused = await run(foreign);
    assert.equal(refused.code, "POLICY_DENIED", foreign);
    assert.deepEqual(refused.details.fixture_resource_keys, ["userKey"]);
    assert.equal(refused.details.blast_radius, "admin_high_blast_write");
  }
});

Deno.test("administrator writes: the marker may be in the body; off refuses all; confirm asks", async () => {
  const insert = variant("x.v", ["write", "POST", "https://admin.googleapis.com/users"], {
    admin_policy: {
      blast_radius: "admin_reversible_write",
      fixture_marker_prefix: "gum-fixture-",
      fixture_resource_keys: ["primaryEmail"],
    },
  });
  const call = {
    opId: "x.y",
    args: { body: { primaryEmail: "gum-fixture-x@e.com" } },
    allowWrite: true,
  };
  assert.equal((await codeOf(call, { adminWrites: "fixture_only" }, [insert])).code, "ok");
  assert.equal((await codeOf(call, { adminWrites: "off" }, [insert])).code, "POLICY_DENIED");
  const asked = await codeOf(call, {}, [insert]);
  assert.equal(asked.code, "REQUIRES_CONFIRMATION");
  assert.equal(asked.details.risk_class, "high_stakes_write");
  await using fixture = openFixture({ ops: [op("x.y", [insert])] });
  const error = await refusalOf(fixture.kernel, call);
  assert.match(error.userMessage, /primaryEmail gum-fixture-x@e\.com.*admin reversible write/);
});

Deno.test("policy modes refuse what their name says and nothing else", async () => {
  const send: Invocation = {
    opId: "gmail.users.messages.send",
    args: { userId: "me", raw: "x" },
    allowWrite: true,
  };
  const create = { ...CREATE, allowWrite: true };
  const remove = { ...DELETE, allowDestructive: true };
  const table: [NonNullable<KernelSettings["policyMode"]>, Invocation, string][] = [
    ["read_only", LIST, "ok"],
    ["read_only", create, "POLICY_DENIED"],
    ["read_only", remove, "POLICY_DENIED"],
    ["draft_only", LIST, "ok"],
    ["draft_only", create, "ok"],
    ["draft_only", send, "POLICY_DENIED"],
    ["draft_only", remove, "POLICY_DENIED"],
    ["no_delete", create, "ok"],
    ["no_delete", send, "REQUIRES_CONFIRMATION"],
    ["no_delete", remove, "POLICY_DENIED"],
    ["full", remove, "REQUIRES_CONFIRMATION"],
  ];
  for (const [policyMode, call, expected] of table) {
    const result = await codeOf(call, { policyMode });
    assert.equal(result.code, expected, `${policyMode} ${call.opId}`);
    if (expected === "POLICY_DENIED") {
      assert.equal(result.details.rule, "policy.mode");
      assert.equal(result.sent, 0);
    }
  }
});

Deno.test("TestDualFetchReadOnlyIdempotentGate: only an idempotent read may be asked twice", async () => {
  const profile = { name: "p", field_mask: "a", field_mask_mode: "dual_fetch" as const };
  await using fixture = openFixture({ profile });
  const write = await refusalOf(fixture.kernel, { ...CREATE, allowWrite: true });
  assert.equal(write.code, "INVALID_ARGS");
  assert.deepEqual(
    [write.details.field, write.details.value, write.details.variant_id],
    ["field_mask_mode", "dual_fetch", "drive.v3.rest.files.create"],
  );
  assert.equal(fixture.peer.requests.length, 0);
  await fixture.kernel.dispatch(LIST);
});

Deno.test("TestDualFetchGateRejectsNonIdempotentVariant: a read without the annotation is refused", async () => {
  const x = variant("x.v", ["read", "POST", "https://www.googleapis.com/x"]);
  await using fixture = openFixture({
    ops: [op("x.y", [x])],
    profile: { name: "p", field_mask: "a", field_mask_mode: "dual_fetch" },
  });
  assert.equal(
    (await refusalOf(fixture.kernel, { opId: "x.y", args: {} })).details.field,
    "field_mask_mode",
  );
});
