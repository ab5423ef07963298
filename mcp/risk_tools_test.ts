import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { GumError } from "../lib/errors/mod.ts";
import type { JsonValue } from "../lib/json/mod.ts";
import { fakeSession, smallCatalog, smallOp } from "./testdata/fake_session.ts";
import { envelopeOf, withPeer } from "./testdata/raw_peer.ts";
import { LIST, refused } from "./testdata/refusals.ts";

Deno.test("TestUnstructuredAdapterErrorGetsEnvelope: anything thrown becomes an envelope", async () => {
  const { session } = fakeSession({
    answer: () => {
      throw new Error("socket fell over");
    },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
  const envelope = envelopeOf(result);
  equal(envelope.error_code, "SERVICE_DOWN");
  equal(envelope.op_id, LIST);
  equal(envelope.retryable, false);
  equal(envelope.message, "socket fell over");
});

Deno.test("TestStructuredAdapterErrorPassesThrough: key order and details are kept", async () => {
  const { session } = fakeSession({
    answer: () => {
      throw new Error("wrapped", {
        cause: new GumError("RATE_LIMITED", { details: { retry_after_ms: 5, op_id: LIST } }),
      });
    },
  });
  const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
  const envelope = envelopeOf(result);
  equal(envelope.error_code, "RATE_LIMITED");
  const keys = Object.keys(envelope);
  deepStrictEqual(keys.slice(0, 2), ["error_code", "message"]);
  equal(keys.at(-1), "retryable");
  deepStrictEqual(keys.slice(2, -1), keys.slice(2, -1).toSorted());
});

Deno.test("TestGumReadRejectsPinnedHigherRiskVariant: the variant that runs decides", async () => {
  const catalog = smallCatalog();
  const op = smallOp("sample.things.touch", { riskClass: "read" });
  const [base] = op.variants;
  if (base === undefined) throw new Error("an op has a variant");
  op.variants.push(
    { ...base, variant_id: "sample.write", risk_class: "write" },
    { ...base, variant_id: "sample.destroy", risk_class: "destructive" },
  );
  catalog.ops.push(op);
  const cases = [
    ["gum.read", "sample.write", "gum.write"],
    ["gum.read", "sample.destroy", "gum.destructive"],
    ["gum.write", "sample.destroy", "gum.destructive"],
    ["gum.destructive", "sample.write", "gum.write"],
  ];
  for (const [tool = "", variant = "", required] of cases) {
    const fake = fakeSession({ catalog });
    await withPeer(fake.session, {}, async (peer) => {
      const envelope = envelopeOf(
        await peer.call(tool, {
          op_id: op.op_id,
          args: { risk_class: "read", allow_write: true, confirmed: true },
          variant_id: variant,
        }),
      );
      equal(envelope.error_code, "RISK_TOOL_MISMATCH");
      equal(envelope.required_tool, required);
      equal(envelope.variant_id, variant);
      ok(String(envelope.message).includes(String(required)));
    });
    deepStrictEqual(fake.asked, []);
  }
});

Deno.test("TestGumWriteRejectsPinnedDestructiveVariant: gum.write on a destructive default", async () => {
  const envelope = await refused("gum.write", { op_id: "gmail.users.labels.delete", args: {} });
  equal(envelope.error_code, "RISK_TOOL_MISMATCH");
  equal(envelope.variant_risk_class, "destructive");
});

Deno.test("TestRiskTierIgnoresCallerRiskFlags: flags inside args change nothing", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, (peer) =>
    peer.call("gum.read", {
      op_id: LIST,
      args: { allowWrite: true, allow_destructive: true, confirmed: true },
    }));
  const [invocation] = fake.asked;
  deepStrictEqual(
    [invocation?.allowWrite, invocation?.allowDestructive, invocation?.confirmed],
    [false, false, false],
  );
});

Deno.test("gum.code is refused through gum.read, unknown operations get suggestions", async () => {
  const code = await refused("gum.read", { op_id: "gum.code" });
  equal(code.error_code, "RISK_TOOL_MISMATCH");
  equal(code.required_tool, "gum.code");
  const unknown = await refused("gum.read", { op_id: "gmial.users.messages.list" });
  equal(unknown.error_code, "OP_NOT_FOUND");
  equal((unknown.suggestions as string[])[0], LIST);
  deepStrictEqual((await refused("gum.read", { op_id: "zzzzzzzzzzzzzzz" })).suggestions, []);
});

Deno.test("operations of inactive plugins say why they cannot run", async () => {
  const statuses = {
    quarantined: "VARIANT_QUARANTINED",
    installed_pending_restart: "UNSUPPORTED_CAPABILITY",
    needs_configuration: "UNSUPPORTED_CAPABILITY",
  } as const;
  for (const [status, code] of Object.entries(statuses)) {
    const { session } = fakeSession({
      seams: {
        plugins: {
          rows: () => [],
          canaries: () => [],
          lookup: () => ({ status: status as never, reason: "why", pluginName: "sample" }),
          record: () => undefined,
          schema: () => undefined,
          schemaRefs: () => [],
        },
      },
    });
    const envelope = await withPeer(
      session,
      {},
      async (peer) => envelopeOf(await peer.call("gum.read", { op_id: "sample.op" })),
    );
    equal(envelope.error_code, code);
    equal(envelope.unsupported_capabilities, undefined);
    if (code === "UNSUPPORTED_CAPABILITY") equal(envelope.status, status);
  }
});

Deno.test("a confirmation token travels to the kernel beside the arguments", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, {}, async (peer) => {
    const first = await peer.call("gmail_send", { userId: "me", message: { raw: "x" } });
    equal(first.isError, true);
    const envelope = envelopeOf(first);
    equal(envelope.error_code, "REQUIRES_CONFIRMATION");
    const second = await peer.call("gmail_send", {
      userId: "me",
      message: { raw: "x" },
      confirmed: true,
      confirmation_token: envelope.confirmation_token as JsonValue,
    });
    equal(second.isError, undefined);
  });
  deepStrictEqual(fake.asked.map((invocation) => invocation.args), [
    { userId: "me", body: { raw: "x" } },
    { userId: "me", body: { raw: "x" } },
  ]);
  equal(fake.asked[1]?.confirmationToken, "token-1");
});

Deno.test("TestDispatchAndShapeAlwaysEmitsErrorCode: whatever is thrown has a code", async () => {
  for (
    const thrown of [new Error("x"), "text", undefined, { odd: true }, new GumError("CANCELLED")]
  ) {
    const { session } = fakeSession({
      answer: () => {
        throw thrown;
      },
    });
    const result = await withPeer(session, {}, (peer) => peer.call("gum.read", { op_id: LIST }));
    const expected = thrown instanceof GumError ? "CANCELLED" : "SERVICE_DOWN";
    equal(envelopeOf(result).error_code, expected);
    equal(result.structuredContent, undefined);
  }
});

Deno.test("a read-only server refuses changes that were not listed", async () => {
  const fake = fakeSession();
  await withPeer(fake.session, { readOnly: true }, async (peer) => {
    for (
      const [name, args] of [
        ["gum.write", { op_id: "calendar.events.insert", args: {} }],
        ["gmail_send", { userId: "me", message: {} }],
        ["gum.code", { language: "risor", source: "1" }],
      ] as const
    ) {
      const envelope = envelopeOf(await peer.call(name, args));
      equal(envelope.error_code, "POLICY_DENIED", name);
      equal(envelope.set_by, "--read-only");
    }
    equal((await peer.call("gmail_search", { userId: "me" })).isError, undefined);
  });
  equal(fake.asked.length, 1);
});
