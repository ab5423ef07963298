import assert from "node:assert/strict";
import fc from "fast-check";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { createConfirmationService } from "../../confirmation/mod.ts";
import { googleError, json } from "../../http/testdata/peer.ts";
import { createRateLimiter } from "../../limiter/mod.ts";
import { canonicalScope } from "../mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Adapter, Invocation } from "../types.ts";
import {
  FILES,
  op,
  openFixture,
  refusalOf,
  temporaryDirectory,
  tokenFor,
  variant,
} from "../testdata/fixture.ts";

const DELETE: Invocation = {
  opId: "drive.files.delete",
  args: { fileId: "abc" },
  allowDestructive: true,
};
const SEND: Invocation = {
  opId: "gmail.users.messages.send",
  args: { userId: "me", raw: "aGk" },
  allowWrite: true,
};

const CODE_OP = op("gum.code", [
  variant("gum.code.v1", ["read", "GET", "https://unused.invalid/"], {
    auth_strategy: "none",
    binding: { binding_schema_version: 1, adapter_key: "code.risor", operation_key: "gum.code" },
  }),
]);

const SCRIPT: Adapter = {
  execute: () =>
    Promise.resolve({
      body: new TextEncoder().encode('{"ok":true}'),
      format: "json",
      status: 200,
      bytesIn: 0,
      bytesOut: 0,
    }),
};

function confirmed(call: Invocation, token: string): Invocation {
  return { ...call, confirmed: true, confirmationToken: token };
}

Deno.test("TestConfirmationEnvelopeIsNotASchemaBranch: first contact is an error that shows what would happen", async () => {
  await using fixture = openFixture();
  const error = await refusalOf(fixture.kernel, DELETE);
  const envelope = error.toEnvelope();
  assert.deepEqual(Object.keys(envelope), [
    "error_code",
    "message",
    "args_hash",
    "confirmation_expires_at",
    "confirmation_purpose",
    "confirmation_token",
    "op_id",
    "pending_request",
    "risk_class",
    "suggestion",
    "user_message",
    "variant_id",
    "retryable",
  ]);
  assert.equal(envelope.retryable, false);
  assert.deepEqual(envelope.pending_request, {
    method: "DELETE",
    target: "https://www.googleapis.com/drive/v3/files/abc",
    body_bytes: 0,
  });
  const token = String(envelope.confirmation_token).split(".");
  assert.equal(token.length, 7);
  assert.match(token[3] ?? "", /^[0-9a-f]{32}$/);
  assert.equal(Number(token[2]) - Number(token[1]), 300_000);
  assert.equal(fixture.peer.requests.length, 0);
  assert.deepEqual(fixture.audit, [], "nothing was executed, so nothing is audited");
});

Deno.test("TestConfirmationTokenBinding: a token fits one call of one profile only", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path });
  await using other = openFixture({
    dataDir: directory.path,
    settings: { profileName: "other" },
    clock: fixture.clock,
  });
  const mismatches: [string, Invocation, typeof fixture][] = [
    ["argument", { ...DELETE, args: { fileId: "abd" } }, fixture],
    ["operation", { ...DELETE, opId: "drive.files.emptyTrash", args: {} }, fixture],
    ["purpose", SEND, fixture],
    ["profile", DELETE, other],
  ];
  for (const [what, call, target] of mismatches) {
    const token = await tokenFor(fixture.kernel, DELETE);
    const error = await refusalOf(target.kernel, confirmed(call, token));
    assert.equal(error.code, "CONFIRMATION_TOKEN_INVALID", what);
    assert.equal(error.details.reason, "mismatch", what);
    assert.equal(error.retryable, false);
  }
  assert.equal(fixture.peer.requests.length + other.peer.requests.length, 0);
});

Deno.test("TestConfirmationTokenBinding: replay within its life is replayed, after it expired", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path });
  const token = await tokenFor(fixture.kernel, DELETE);
  await fixture.kernel.dispatch(confirmed(DELETE, token));
  const again = await refusalOf(fixture.kernel, confirmed(DELETE, token));
  assert.equal(again.details.reason, "replayed");
  // Another kernel of the same user reads the same key and the same markers.
  await using second = openFixture({ dataDir: directory.path, clock: fixture.clock });
  assert.equal(
    (await refusalOf(second.kernel, confirmed(DELETE, token))).details.reason,
    "replayed",
  );
  fixture.clock.advance(300_001);
  assert.equal(
    (await refusalOf(fixture.kernel, confirmed(DELETE, token))).details.reason,
    "expired",
  );
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("TestConfirmationTokenBinding: a fresh token of one kernel works in another of the same user", async () => {
  await using directory = await temporaryDirectory();
  await using first = openFixture({ dataDir: directory.path });
  await using second = openFixture({ dataDir: directory.path, clock: first.clock });
  await second.kernel.dispatch(confirmed(DELETE, await tokenFor(first.kernel, DELETE)));
  assert.equal(second.peer.requests.length, 1);
});

Deno.test("a token without confirmed is first contact again; confirmed without a token is missing", async () => {
  await using fixture = openFixture();
  const token = await tokenFor(fixture.kernel, DELETE);
  const unconfirmed = await refusalOf(fixture.kernel, { ...DELETE, confirmationToken: token });
  assert.equal(unconfirmed.code, "REQUIRES_CONFIRMATION");
  for (
    const bad of [undefined, "", "v1", "v2.1.2.a.gum_confirm_destructive.b.c", "v1.x.2.a.b.c.d"]
  ) {
    const error = await refusalOf(fixture.kernel, {
      ...DELETE,
      confirmed: true,
      confirmationToken: bad,
    });
    assert.equal(error.details.reason, "missing", bad ?? "no token");
  }
});

Deno.test("TestConfirmationTokenUnknownPurposeCheckedFirst: a forged purpose is named before any other check", async () => {
  await using fixture = openFixture();
  const fields = (await tokenFor(fixture.kernel, DELETE)).split(".");
  fields[4] = "high_stakes_write";
  fields[2] = "1";
  const error = await refusalOf(fixture.kernel, confirmed(DELETE, fields.join(".")));
  assert.equal(error.details.reason, "unknown_purpose");
});

Deno.test("TestPolicyHighStakesWriteRequiresConfirmationToken: curated and convenience writes ask, others do not", async () => {
  await using fixture = openFixture();
  const asked = await refusalOf(fixture.kernel, SEND);
  assert.equal(asked.details.risk_class, "high_stakes_write");
  assert.equal(asked.details.confirmation_purpose, "gum_confirm_write");
  const create: Invocation = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };
  await fixture.kernel.dispatch(create);
  const convenience = await refusalOf(fixture.kernel, {
    ...create,
    requireWriteConfirmation: true,
  });
  assert.equal(convenience.code, "REQUIRES_CONFIRMATION");
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("TestPolicyHighStakesWriteTokenDoesNotSatisfyDestructive: nor another write", async () => {
  await using fixture = openFixture();
  const token = await tokenFor(fixture.kernel, SEND);
  for (const call of [DELETE, { ...SEND, args: { userId: "me", raw: "b3RoZXI" } }]) {
    assert.equal(
      (await refusalOf(fixture.kernel, confirmed(call, token))).details.reason,
      "mismatch",
    );
  }
  await fixture.kernel.dispatch(confirmed(SEND, token));
});

Deno.test("TestConfirmationTokenSourceRehash: a script's token is bound to its source and its grants", async () => {
  await using fixture = openFixture({ ops: [CODE_OP], adapters: { "code.risor": SCRIPT } });
  const call: Invocation = {
    opId: "gum.code",
    args: {
      language: "risor",
      source: "gum_call('drive.files.delete', {})",
      destructive_budget: 1,
      destructive_scope: [{ op_id: "b", resource_key: "1" }, { op_id: "a" }],
    },
    allowDestructive: true,
  };
  const first = await refusalOf(fixture.kernel, call);
  assert.equal(first.details.risk_class, "gum.code");
  assert.equal(first.details.confirmation_purpose, "gum_code_destructive");
  assert.deepEqual(Object.keys(first.details.pending_request as object), [
    "language",
    "source_sha256",
    "allow_write",
    "allow_destructive",
    "destructive_budget",
    "destructive_scope",
  ]);
  const token = String(first.details.confirmation_token);
  const changed: Partial<Invocation>[] = [
    { args: { ...call.args, source: "other" } },
    { args: { ...call.args, destructive_budget: 2 } },
    { args: { ...call.args, destructive_scope: [{ op_id: "a" }] } },
    { allowWrite: true },
  ];
  for (const change of changed) {
    const error = await refusalOf(fixture.kernel, confirmed({ ...call, ...change }, token));
    assert.equal(error.details.reason, "mismatch", JSON.stringify(change));
  }
  // The order of the scope and duplicate entries mean nothing.
  const reordered: JsonObject[] = [{ op_id: "a", resource_key: "" }, {
    op_id: "b",
    resource_key: "1",
  }, {
    op_id: "a",
  }];
  await fixture.kernel.dispatch(
    confirmed({ ...call, args: { ...call.args, destructive_scope: reordered } }, token),
  );
  const write = await refusalOf(fixture.kernel, {
    ...call,
    allowDestructive: false,
    allowWrite: true,
  });
  assert.equal(write.details.confirmation_purpose, "gum_code_write");
  await fixture.kernel.dispatch({ ...call, allowDestructive: false });
});

Deno.test("TestConfirmationTokenIsProfileScopedNotPrincipalScoped: another subject is stopped at step 4", async () => {
  await using fixture = openFixture();
  const token = await tokenFor(fixture.kernel, DELETE);
  const asOther = createExplicitAuthResolver({ bearer: "t", subjectFingerprint: "fp-two" });
  await using strict = openFixture({
    deps: { auth: asOther, confirm: fixture.deps.confirm },
    settings: { expectedSubjects: { byo_oauth: "fp-one" } },
    clock: fixture.clock,
  });
  const stopped = await refusalOf(strict.kernel, confirmed(DELETE, token));
  assert.equal(stopped.code, "AUTH_SUBJECT_MISMATCH");
  await using loose = openFixture({
    deps: { auth: asOther, confirm: fixture.deps.confirm },
    clock: fixture.clock,
  });
  await loose.kernel.dispatch(confirmed(DELETE, token));
  assert.equal(loose.peer.requests.length, 1);
});

Deno.test("nothing local burns a token: no credential, a local limit, a bad secret, a missing adapter, a cancel", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path });
  const token = await tokenFor(fixture.kernel, DELETE);
  const call = confirmed(DELETE, token);
  const empty = createRateLimiter({ clock: fixture.clock, capacity: 0, maxWaitMs: 0 });
  const broken = [
    { deps: { auth: createExplicitAuthResolver({}) }, code: "AUTH_REQUIRED" },
    { deps: { limiter: empty }, code: "RATE_LIMITED" },
    { deps: { adapters: { find: () => undefined } }, code: "SERVICE_DOWN" },
  ];
  for (const { deps, code } of broken) {
    await using attempt = openFixture({
      deps: { ...deps, confirm: fixture.deps.confirm },
      clock: fixture.clock,
    });
    assert.equal((await refusalOf(attempt.kernel, call)).code, code);
  }
  await using corrupt = openFixture({
    dataDir: directory.path,
    settings: { teeMode: "always" },
    clock: fixture.clock,
  });
  await Deno.mkdir(`${directory.path}/gum/default`, { recursive: true });
  await Deno.writeTextFile(`${directory.path}/gum/default/tee.secret`, "junk");
  assert.equal((await refusalOf(corrupt.kernel, call)).code, "TEE_SECRET_CORRUPT");
  await Deno.remove(`${directory.path}/gum/default/tee.secret`);
  const controller = new AbortController();
  await using cancelling = openFixture({
    clock: fixture.clock,
    deps: {
      confirm: fixture.deps.confirm,
      auth: {
        resolve: () => {
          controller.abort();
          return Promise.resolve(undefined);
        },
      },
    },
  });
  assert.equal((await refusalOf(cancelling.kernel, call, controller.signal)).code, "CANCELLED");
  await fixture.kernel.dispatch(call);
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("a used token is refused in step 2, before any credential is asked for", async () => {
  await using fixture = openFixture();
  const call = confirmed(DELETE, await tokenFor(fixture.kernel, DELETE));
  await fixture.kernel.dispatch(call);
  Object.assign(fixture.deps, { auth: createExplicitAuthResolver({}) });
  assert.equal((await refusalOf(fixture.kernel, call)).details.reason, "replayed");
});

Deno.test("an upstream 500 leaves the token spent", async () => {
  await using fixture = openFixture({ script: () => googleError(500) });
  const call = confirmed(DELETE, await tokenFor(fixture.kernel, DELETE));
  assert.equal((await refusalOf(fixture.kernel, call)).code, "SERVICE_DOWN");
  assert.equal((await refusalOf(fixture.kernel, call)).details.reason, "replayed");
});

Deno.test("50 uses of one token at once: one winner, one request", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path, script: () => json({}) });
  const call = confirmed(DELETE, await tokenFor(fixture.kernel, DELETE));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => fixture.kernel.dispatch(call)),
  );
  assert.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 1);
  assert.equal(fixture.peer.requests.length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") assert.equal(outcome.reason.details.reason, "replayed");
  }
});

Deno.test("a dry run neither asks for nor uses a confirmation", async () => {
  await using fixture = openFixture();
  const answer = await fixture.kernel.dispatch({ ...DELETE, dryRun: true, format: "json" });
  const report = answer.structuredContent as Record<string, unknown>;
  assert.equal(report.confirmation_required, true);
  assert.deepEqual(report.request, {
    method: "DELETE",
    url: "https://www.googleapis.com/drive/v3/files/abc",
    headers: ["accept", "authorization", "user-agent"],
    body_bytes: 0,
  });
  assert.equal(fixture.peer.requests.length, 0);
  assert.equal(
    (await refusalOf(fixture.kernel, { ...DELETE, dryRun: true, allowDestructive: false })).code,
    "RISK_TOOL_MISMATCH",
  );
});

Deno.test("law: any changed argument makes a token a mismatch", async () => {
  const target = op("x.y", [
    variant("x.v", ["destructive", "POST", "https://www.googleapis.com/x"]),
  ]);
  await using fixture = openFixture({ ops: [...FILES, target] });
  const args = fc.dictionary(
    // `key` would be a credential, which is refused before any token is looked at.
    fc.stringMatching(/^[a-z]{1,4}$/).filter((name) => name !== "key"),
    fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null)),
    { maxKeys: 4 },
  );
  await fc.assert(
    fc.asyncProperty(args, args, async (first, second) => {
      const call = { opId: "x.y", args: { ...first }, allowDestructive: true };
      const token = await tokenFor(fixture.kernel, call);
      const hash = (await refusalOf(fixture.kernel, call)).details.args_hash;
      const other = { ...call, args: { ...second } };
      const otherHash = (await refusalOf(fixture.kernel, other)).details.args_hash;
      fc.pre(hash !== otherHash);
      const error = await refusalOf(fixture.kernel, confirmed(other, token));
      assert.equal(error.details.reason, "mismatch");
    }),
    { numRuns: 40 },
  );
});

Deno.test("a scope has one spelling", () => {
  assert.equal(canonicalScope(undefined), "[]");
  assert.equal(
    canonicalScope([{ op_id: "b", extra: 1 }, { op_id: "a", resource_key: "z" }, { op_id: "b" }]),
    '[{"op_id":"a","resource_key":"z"},{"op_id":"b"}]',
  );
});

Deno.test("a token for one purpose is no other's, even over the same binding", async () => {
  const clock = { now: () => 1_000_000, sleep: () => Promise.resolve() };
  const service = createConfirmationService({ profileName: "p", clock });
  const binding = { opId: "o", variantId: "v", argsHash: "h", scope: "[]" };
  const { token } = await service.issue({ ...binding, purpose: "gum_code_write" });
  for (
    const purpose of [
      "gum_code_destructive",
      "gum_confirm_destructive",
      "gum_confirm_write",
    ] as const
  ) {
    await assert.rejects(service.verify(token, { ...binding, purpose }), {
      code: "CONFIRMATION_TOKEN_INVALID",
    });
  }
  const write = await service.issue({ ...binding, purpose: "gum_confirm_write", scope: "[1]" });
  await service.verify(write.token, { ...binding, purpose: "gum_confirm_write", scope: "[2]" });
});

Deno.test("TestConfirmationTokenSourceRehash: a script's own words grant it nothing, confirmed or not", async () => {
  let told: boolean[] = [];
  const spy: Adapter = {
    execute(request, signal) {
      told.push(request.grants.confirmed);
      return SCRIPT.execute(request, signal);
    },
  };
  await using fixture = openFixture({ ops: [CODE_OP], adapters: { "code.risor": spy } });
  const script = { language: "risor", source: "1" };
  const asked: [JsonObject, Partial<Invocation>][] = [
    [{ allow_write: true }, {}],
    [{ allow_destructive: true, destructive_budget: 1 }, {}],
    [{ allow_destructive: true, destructive_budget: 1 }, { allowWrite: true }],
    [{ allow_write: true }, { allowDestructive: true }],
  ];
  for (const [args, granted] of asked) {
    for (const proof of [{}, { confirmed: true }, { confirmed: true, confirmationToken: "x" }]) {
      const call = { opId: "gum.code", args: { ...script, ...args }, ...granted, ...proof };
      const error = await refusalOf(fixture.kernel, call);
      assert.equal(error.code, "RISK_TOOL_MISMATCH");
      assert.equal(error.details.required_tool, "gum.code");
    }
  }
  assert.deepEqual(told, []);
  // Saying that one is confirmed does not make it so: the adapter hears of verified tokens only.
  await fixture.kernel.dispatch({ opId: "gum.code", args: script, confirmed: true });
  assert.deepEqual(told, [false]);
  told = [];
  const call: Invocation = {
    opId: "gum.code",
    args: { ...script, allow_write: true },
    allowWrite: true,
  };
  await fixture.kernel.dispatch(confirmed(call, await tokenFor(fixture.kernel, call)));
  assert.deepEqual(told, [true]);
});
