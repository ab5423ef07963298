/** Confirmation, budget and scope of scripts, counted at the peer (spec 09 §6). */

import assert from "node:assert/strict";
import type { Invocation } from "../dispatch/types.ts";
import { op, refusalOf, tokenFor, variant } from "../dispatch/testdata/fixture.ts";
import { GumError } from "../errors/mod.ts";
import { googleError } from "../http/testdata/peer.ts";
import type { JsonObject } from "../json/mod.ts";
import { openGrants } from "./grants.ts";
import { type KernelRig, openKernelRig, scriptCall } from "./testdata/kernel_rig.ts";

const DELETE = (id: string) => `gum_call("drive.files.delete", {fileId: "${id}"})`;
const ASSERT = (id: string) => `gum_confirm_destructive("drive.files.delete", "${id}")`;
const grants = (budget: number, scope: JsonObject[] = []): JsonObject => ({
  allow_destructive: true,
  destructive_budget: budget,
  destructive_scope: scope,
});

async function confirmed(rig: KernelRig, call: Invocation): Promise<Invocation> {
  const token = await tokenFor(rig.fixture.kernel, call);
  return { ...call, confirmed: true, confirmationToken: token };
}

async function outputOf(rig: KernelRig, call: Invocation): Promise<string> {
  const response = await rig.fixture.kernel.dispatch(await confirmed(rig, call));
  return new TextDecoder().decode(response.body);
}

async function failureOf(rig: KernelRig, call: Invocation) {
  return await refusalOf(rig.fixture.kernel, await confirmed(rig, call));
}

Deno.test("TestCapabilityClassCodeExecution: the typed executor runs the script and answers its text", async () => {
  await using rig = openKernelRig();
  const response = await rig.fixture.kernel.dispatch(scriptCall("gum_print(1 + 2)"));
  assert.equal(new TextDecoder().decode(response.body), "3");
  assert.equal(response.format, "raw");
  assert.deepEqual(response.expression, {
    profile: "_default",
    op_id: "gum.code",
    variant_id: "gum.code.v1.risor",
    lossy: false,
    result_count: 1,
  });
  const silent = await rig.fixture.kernel.dispatch(scriptCall("nil"));
  assert.equal(silent.expression?.result_count, 0);
  const nested = await refusalOf(rig.fixture.kernel, scriptCall('gum_call("gum.code", {})'));
  assert.equal(nested.code, "UNSUPPORTED_CAPABILITY");
  assert.deepEqual(nested.details.unsupported_capabilities, ["code_execution"]);
});

Deno.test("TestCodeAcceptsRisor: both open languages run, with the same grants", async () => {
  await using rig = openKernelRig();
  const source = 'gum_print("hi")';
  for (const language of ["risor", "javascript"]) {
    const response = await rig.fixture.kernel.dispatch(scriptCall(source, { language }));
    assert.equal(new TextDecoder().decode(response.body), "hi");
  }
});

Deno.test("TestCodeReservedLanguageRejection: other words are refused before anything runs", async () => {
  await using rig = openKernelRig();
  for (const language of ["starlark", "yaegi", "js", "python", "lua", ""]) {
    const error = await refusalOf(rig.fixture.kernel, scriptCall("gum_print(1)", { language }));
    assert.equal(error.code, "INVALID_ARGS", language);
  }
  assert.deepEqual(rig.fixture.audit, []);
});

Deno.test("TestCodeRejectsScriptHeaderPragma: no pragma among the first comments, in any spelling", async () => {
  await using rig = openKernelRig();
  for (
    const source of [
      "// pragma: no_confirm\n1",
      "  #PRAGMA: x\n1",
      "# a comment\n\n// another\n\t// Pragma:allow\n1",
    ]
  ) {
    const error = await refusalOf(rig.fixture.kernel, scriptCall(source, grants(1)));
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.details.pragma, "rejected");
    assert.equal(error.details.confirmation_token, undefined, "refused before a token is issued");
  }
  for (const source of ["// a pragma is mentioned\n1", "gum_print(1)\n// pragma: too late"]) {
    await rig.fixture.kernel.dispatch(scriptCall(source));
  }
});

Deno.test("TestConfirmationTokenBinding: a script's token is bound to flags, budget and scope", async () => {
  await using rig = openKernelRig();
  const source = `${ASSERT("a")}\n${DELETE("a")}`;
  const scope = [{ op_id: "drive.files.delete", resource_key: "a" }];
  const base = scriptCall(source, grants(1, scope));
  const token = await tokenFor(rig.fixture.kernel, base);
  const changes: JsonObject[] = [
    grants(2, scope),
    grants(1, []),
    grants(1, [...scope, { op_id: "drive.files.delete", resource_key: "b" }]),
    { ...grants(1, scope), allow_write: true },
    { ...grants(1, scope), language: "javascript" },
  ];
  for (const change of changes) {
    const other = { ...scriptCall(source, change), confirmed: true, confirmationToken: token };
    const error = await refusalOf(rig.fixture.kernel, other);
    assert.equal(error.code, "CONFIRMATION_TOKEN_INVALID");
    assert.equal(error.details.reason, "mismatch");
  }
  assert.equal(rig.fixture.peer.requests.length, 0);
  // The same grants in another spelling are the same grants.
  const respelled = scriptCall(source, grants(1, [...scope, { ...scope[0] }]));
  await rig.fixture.kernel.dispatch({ ...respelled, confirmed: true, confirmationToken: token });
  assert.equal(rig.fixture.peer.requests.length, 1);
  const again = { ...base, confirmed: true, confirmationToken: token };
  const replay = await refusalOf(rig.fixture.kernel, again);
  assert.deepEqual([replay.code, replay.details.reason], [
    "CONFIRMATION_TOKEN_INVALID",
    "replayed",
  ]);
});

Deno.test("TestConfirmationTokenSourceRehash: with another source nothing runs", async () => {
  await using rig = openKernelRig();
  const call = scriptCall(`${ASSERT("a")}\n${DELETE("a")}`, grants(1));
  const token = await tokenFor(rig.fixture.kernel, call);
  const other = scriptCall(`${ASSERT("b")}\n${DELETE("b")}`, grants(1));
  const error = await refusalOf(rig.fixture.kernel, {
    ...other,
    confirmed: true,
    confirmationToken: token,
  });
  assert.deepEqual([error.code, error.details.reason], ["CONFIRMATION_TOKEN_INVALID", "mismatch"]);
  assert.equal(rig.fixture.peer.requests.length, 0);
});

Deno.test("TestCodeDestructiveBudgetAbortsAtNplus1: two units, three calls, two requests", async () => {
  await using rig = openKernelRig();
  const source = ["a", "b", "c"].flatMap((id) => [ASSERT(id), DELETE(id)]).join("\n");
  const error = await failureOf(rig, scriptCall(source, grants(2)));
  assert.equal(error.code, "DESTRUCTIVE_BUDGET_EXCEEDED");
  assert.equal(error.details.destructive_budget, 0);
  assert.equal(error.details.completed_calls, 2);
  assert.equal(error.details.line, 6);
  assert.equal(rig.fixture.peer.requests.length, 2);
});

Deno.test("TestCodeDestructiveBudgetNoUpstreamOnExceeded: a unit is spent even when the call fails", async () => {
  await using rig = openKernelRig({ script: () => googleError(404) });
  const source = `${ASSERT("a")}\ntry { ${DELETE("a")} } catch (e) { gum_print(e.code()) }\n${
    ASSERT("b")
  }\n${DELETE("b")}`;
  const error = await failureOf(rig, scriptCall(source, grants(1)));
  assert.equal(error.code, "DESTRUCTIVE_BUDGET_EXCEEDED");
  assert.equal(error.details.partial_output, "RESOURCE_NOT_FOUND");
  assert.equal(rig.fixture.peer.requests.length, 1);
});

Deno.test("TestCodeDestructiveScopeEnforced: operation, asserted key and arguments must agree", async (t) => {
  const scope = [{ op_id: "drive.files.delete", resource_key: "a" }];
  const cases: [string, string, JsonObject[], string, string?][] = [
    ["another key", `${ASSERT("b")}\n${DELETE("b")}`, scope, "DESTRUCTIVE_SCOPE_MISMATCH"],
    [
      "another operation",
      `${ASSERT("a")}\n${DELETE("a")}`,
      [{ op_id: "drive.files.emptyTrash" }],
      "DESTRUCTIVE_SCOPE_MISMATCH",
    ],
    [
      "the key is asserted, the arguments name another file",
      `${ASSERT("a")}\n${DELETE("b")}`,
      scope,
      "DESTRUCTIVE_SCOPE_MISMATCH",
      "resource_key_not_in_args",
    ],
    [
      "no key is asserted where the scope has one",
      `gum_confirm_destructive("drive.files.delete")\n${DELETE("a")}`,
      scope,
      "DESTRUCTIVE_SCOPE_MISMATCH",
    ],
  ];
  for (const [name, source, entries, code, reason] of cases) {
    await t.step(name, async () => {
      await using rig = openKernelRig();
      const error = await failureOf(rig, scriptCall(source, grants(2, entries)));
      assert.equal(error.code, code);
      assert.equal(error.details.reason, reason);
      assert.equal(rig.fixture.peer.requests.length, 0);
    });
  }
  await t.step("what the scope names runs", async () => {
    await using rig = openKernelRig();
    const source = `${ASSERT("a")}\n${DELETE("a")}\ngum_print("done")`;
    assert.equal(await outputOf(rig, scriptCall(source, grants(1, scope))), "done");
    const anyFile = scriptCall(
      `gum_confirm_destructive("drive.files.delete")\n${DELETE("z")}`,
      grants(1, [{ op_id: "drive.files.delete" }]),
    );
    await outputOf(rig, anyFile);
    assert.equal(rig.fixture.peer.requests.length, 2);
  });
});

Deno.test("an assertion serves one destructive call; reads and writes leave it alone", async () => {
  await using rig = openKernelRig();
  const read = 'gum_call("drive.files.list", {})';
  const write = 'gum_call("drive.files.create", {name: "n"})';
  const source = `${ASSERT("a")}\n${read}\n${write}\n${DELETE("a")}\n${DELETE("a")}`;
  const error = await failureOf(
    rig,
    scriptCall(source, { ...grants(5), allow_write: true }),
  );
  assert.equal(error.code, "REQUIRES_CONFIRMATION");
  assert.match(error.message, /gum_confirm_destructive/);
  assert.equal(error.details.completed_calls, 3);
  assert.equal(rig.fixture.peer.requests.length, 3);
  const mismatch = `gum_confirm_destructive("drive.files.emptyTrash")
try { ${DELETE("a")} } catch (e) { gum_print(e.details().confirmed_op_id) }
gum_call("drive.files.emptyTrash", {})`;
  const consumed = await failureOf(rig, scriptCall(mismatch, grants(5)));
  assert.equal(consumed.details.partial_output, "drive.files.emptyTrash");
  assert.equal(consumed.code, "REQUIRES_CONFIRMATION");
  assert.equal(rig.fixture.peer.requests.length, 3);
});

Deno.test("without the flag a class is refused by the kernel; without confirmation by the host", async () => {
  await using rig = openKernelRig();
  const cases: [string, string][] = [
    ['gum_call("drive.files.create", {name: "n"})', "gum.write"],
    [DELETE("a"), "gum.destructive"],
  ];
  for (const [source, tool] of cases) {
    const error = await refusalOf(rig.fixture.kernel, scriptCall(source));
    assert.deepEqual([error.code, error.details.required_tool], ["RISK_TOOL_MISMATCH", tool]);
  }
  const unarmed = await refusalOf(rig.fixture.kernel, scriptCall(ASSERT("a")));
  assert.equal(unarmed.code, "REQUIRES_CONFIRMATION");
  assert.equal(rig.fixture.peer.requests.length, 0);
});

Deno.test("a high-stakes write inside a confirmed script obtains and spends its own token", async () => {
  await using rig = openKernelRig();
  const source =
    'gum_call("gmail.users.messages.send", {userId: "me", raw: "aGk"})\ngum_print("ok")';
  assert.equal(await outputOf(rig, scriptCall(source, { allow_write: true })), "ok");
  assert.equal(rig.fixture.peer.requests.length, 1);
});

Deno.test("malformed grants are INVALID_ARGS with the field, before any token", async () => {
  await using rig = openKernelRig();
  const cases: [JsonObject, string][] = [
    [{ allow_destructive: true }, "destructive_budget"],
    [{ allow_destructive: true, destructive_budget: 21 }, "destructive_budget"],
    [{ destructive_budget: 1 }, "destructive_budget"],
    [{ destructive_scope: [{ op_id: "a.b" }] }, "destructive_scope"],
    [grants(1, ["drive.files.delete" as unknown as JsonObject]), "destructive_scope"],
    [grants(1, [{}]), "destructive_scope"],
    [grants(1, [{ op_id: "" }]), "destructive_scope"],
    [grants(1, [{ op_id: "a.b", resource_key: 5 }]), "destructive_scope"],
    [grants(1, Array.from({ length: 21 }, (_, n) => ({ op_id: `a.b${n}` }))), "destructive_scope"],
  ];
  for (const [args, field] of cases) {
    const error = await refusalOf(rig.fixture.kernel, scriptCall("1", args));
    assert.equal(error.code, "INVALID_ARGS", JSON.stringify(args));
    const named = error.details.field === field ||
      JSON.stringify(error.details).includes(field);
    assert.ok(named, JSON.stringify(error.details));
    assert.equal(error.details.confirmation_token, undefined);
  }
});

Deno.test("the audit row of a script names its grants and hash; inner rows name their parent", async () => {
  await using rig = openKernelRig();
  const source = 'gum_call("drive.files.list", {})';
  await outputOf(rig, scriptCall(source, { allow_write: true }));
  const [inner, outer] = rig.fixture.audit;
  assert.equal(inner?.client_id, "risor");
  assert.equal(inner?.parent_request_id, outer?.request_id);
  assert.equal(outer?.op_id, "gum.code");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  assert.equal(outer?.source_sha256, new Uint8Array(digest).toHex());
  assert.deepEqual(
    [outer?.allow_write, outer?.allow_destructive, outer?.destructive_budget],
    [true, false, 0],
  );
  assert.deepEqual(outer?.destructive_scope, []);
  assert.ok(!JSON.stringify(rig.fixture.audit).includes("gum_call"), "never the source");
  const [innerGain, outerGain] = rig.fixture.gain;
  assert.deepEqual([innerGain?.opId, outerGain?.opId], ["drive.files.list", "gum.code"]);
  assert.deepEqual(outerGain?.innerBodies, [innerGain?.shapedBody]);
});

Deno.test("a script without the grant is told how to get it, not to use another tool", async () => {
  await using rig = openKernelRig();
  const create = 'gum_call("drive.files.create", {name: "x"})';
  const write = await refusalOf(rig.fixture.kernel, scriptCall(create));
  assert.deepEqual([write.code, write.details.required_tool], ["RISK_TOOL_MISMATCH", "gum.write"]);
  assert.match(write.suggestion, /again with allow_write \(--allow-write\)/);
  const destructive = await refusalOf(rig.fixture.kernel, scriptCall(DELETE("a")));
  assert.equal(destructive.code, "RISK_TOOL_MISMATCH");
  assert.match(destructive.suggestion, /again with allow_destructive and a destructive_budget/);
  assert.equal(rig.fixture.peer.requests.length, 0);
});

Deno.test("without path parameters a scope's key is named by an argument of the operation itself", () => {
  const remove = op("datamanager.audienceMembers.remove", [
    variant("dm.remove", ["destructive", "POST", "https://datamanager.googleapis.com/v1/x:remove"]),
  ], { request_fields: [{ name: "requestId", location: "query", type: "string" }] });
  const spend = (args: JsonObject) => {
    const opId = remove.op_id;
    const granted = openGrants({
      language: "risor",
      source: "1",
      allowWrite: false,
      allowDestructive: true,
      destructiveBudget: 1,
      destructiveScope: [{ op_id: opId, resource_key: "r1" }],
    }, true);
    granted.arm(opId, "r1");
    granted.spend({ opId, op: remove, args });
  };
  spend({ requestId: "r1" });
  const others: JsonObject[] = [{ requestId: "r2", quotaUser: "r1" }, { fields: "r1" }, {
    body: "r1",
  }];
  for (const args of others) {
    assert.throws(
      () => spend(args),
      (error) => error instanceof GumError && error.details.reason === "resource_key_not_in_args",
    );
  }
});
