import assert from "node:assert/strict";
import { googleError, json, type Reply } from "../../http/testdata/peer.ts";
import type { Invocation } from "../types.ts";
import {
  CANARY_TOKEN,
  op,
  openFixture,
  refusalOf,
  tokenFor,
  variant,
} from "../testdata/fixture.ts";

/** One fault, and what a call that meets it must come to. */
interface FaultCase {
  name: string;
  reply: Reply;
  code: string;
  /** Requests the server sees for a read or PUT, and for a POST or PATCH. */
  sent: [repeatable: number, once: number];
  /** What a write is told about its outcome; undefined: it certainly did not happen. */
  outcome: "unknown" | "succeeded" | undefined;
}

const FAULTS: readonly FaultCase[] = [
  {
    name: "drop before headers",
    reply: { kind: "drop" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "unknown",
  },
  {
    name: "half a status line",
    reply: { kind: "half_status_line" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "unknown",
  },
  {
    name: "truncated body",
    reply: { kind: "short_body" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "succeeded",
  },
  {
    name: "broken gzip",
    reply: { kind: "bad_gzip" },
    code: "SERVICE_DOWN",
    sent: [4, 1],
    outcome: "succeeded",
  },
  { name: "500", reply: googleError(500), code: "SERVICE_DOWN", sent: [4, 1], outcome: "unknown" },
  {
    name: "503 with delay",
    reply: googleError(503, { retryAfter: "40" }),
    code: "RATE_LIMITED",
    sent: [2, 1],
    outcome: "unknown",
  },
  { name: "429", reply: googleError(429), code: "RATE_LIMITED", sent: [2, 2], outcome: undefined },
  {
    name: "rate 403",
    reply: googleError(403, { reason: "rateLimitExceeded" }),
    code: "RATE_LIMITED",
    sent: [2, 2],
    outcome: undefined,
  },
  {
    name: "404",
    reply: googleError(404),
    code: "RESOURCE_NOT_FOUND",
    sent: [1, 1],
    outcome: undefined,
  },
  {
    name: "409",
    reply: googleError(409),
    code: "UPSTREAM_REJECTED",
    sent: [1, 1],
    outcome: undefined,
  },
  {
    name: "oversize",
    reply: json({ x: "y".repeat(4000) }),
    code: "RESPONSE_TOO_LARGE",
    sent: [1, 1],
    outcome: "succeeded",
  },
];

const KINDS = [
  ["read", "read", "GET", true],
  ["idempotent write", "write", "PUT", true],
  ["write", "write", "PATCH", false],
  ["create", "write", "POST", false],
  ["delete", "destructive", "DELETE", true],
  ["destructive POST", "destructive", "POST", false],
] as const;

for (const fault of FAULTS) {
  Deno.test(`TestTypedRestUncertainWriteIsNotReplayed: ${fault.name}, under every kind of call`, async () => {
    for (const [kind, risk, method, repeatable] of KINDS) {
      const target = op("x.y", [
        variant("x.v", [risk, method, "https://www.googleapis.com/x"], {
          max_response_bytes: 2000,
        }),
      ], { request_fields: [{ name: "n", location: "body", type: "string" }] });
      await using fixture = openFixture({ ops: [target], script: () => fault.reply });
      const call: Invocation = {
        opId: "x.y",
        args: method === "GET" || method === "DELETE" ? {} : { n: "1" },
        allowWrite: risk === "write",
        allowDestructive: risk === "destructive",
      };
      const token = risk === "destructive" ? await tokenFor(fixture.kernel, call) : undefined;
      const confirmed = token === undefined
        ? call
        : { ...call, confirmed: true, confirmationToken: token };
      const error = await refusalOf(fixture.kernel, confirmed);
      const label = `${fault.name} / ${kind}`;
      assert.equal(error.code, fault.code, label);
      assert.equal(fixture.peer.requests.length, fault.sent[repeatable ? 0 : 1], label);
      assert.equal(error.details.write_outcome, risk === "read" ? undefined : fault.outcome, label);
      assert.equal(fixture.audit.length, 1, label);
      assert.equal(fixture.audit[0]?.error_code, fault.code, label);
      assert.equal(fixture.audit[0]?.write_outcome, error.details.write_outcome, label);
      if (token !== undefined) {
        const again = await refusalOf(fixture.kernel, confirmed);
        assert.equal(again.details.reason, "replayed", `${label}: the token is spent`);
      }
      assert.ok(!JSON.stringify(error.toEnvelope()).includes(CANARY_TOKEN));
    }
  });
}

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: after a 429 the second send is the last, whatever it meets", async () => {
  const seconds: Reply[] = [
    { kind: "drop" },
    { kind: "short_body" },
    googleError(500),
    googleError(429),
  ];
  for (const second of seconds) {
    for (const opId of ["drive.files.create", "drive.files.update"]) {
      await using fixture = openFixture({
        script: (_request, index) => index === 0 ? googleError(429) : second,
      });
      await refusalOf(fixture.kernel, {
        opId,
        args: { name: "n", ...(opId.endsWith("update") ? { fileId: "a" } : {}) },
        allowWrite: true,
      });
      assert.equal(fixture.peer.requests.length, 2);
    }
  }
});

Deno.test("a DELETE that meets 404 after a lost first answer says so", async () => {
  await using fixture = openFixture({
    script: (_request, index) => index === 0 ? { kind: "drop" } : googleError(404),
  });
  const call: Invocation = {
    opId: "drive.files.delete",
    args: { fileId: "a" },
    allowDestructive: true,
  };
  const token = await tokenFor(fixture.kernel, call);
  const error = await refusalOf(fixture.kernel, {
    ...call,
    confirmed: true,
    confirmationToken: token,
  });
  assert.equal(error.code, "RESOURCE_NOT_FOUND");
  assert.equal(error.details.write_outcome, "unknown");
});

Deno.test("a time-out is a transport failure, not a cancel", async () => {
  await using fixture = openFixture({ script: () => ({ kind: "hang" }), attemptTimeoutMs: 20 });
  const error = await refusalOf(fixture.kernel, {
    opId: "drive.files.create",
    args: { name: "n" },
    allowWrite: true,
  });
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.reason, "timeout");
  assert.equal(error.details.write_outcome, "unknown");
});

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: whatever ends the retries, the first send is not forgotten", async () => {
  const lost: Reply = { kind: "drop" };
  const broken: Reply = { kind: "short_body" };
  const cases: [first: Reply, then: Reply, code: string, outcome: string][] = [
    [lost, googleError(412), "UPSTREAM_REJECTED", "unknown"],
    [lost, googleError(403), "UPSTREAM_REJECTED", "unknown"],
    [lost, googleError(400), "INVALID_ARGS", "unknown"],
    [lost, googleError(429, { retryAfter: "60" }), "RATE_LIMITED", "unknown"],
    [broken, googleError(412), "UPSTREAM_REJECTED", "succeeded"],
    [broken, googleError(500), "SERVICE_DOWN", "succeeded"],
    [broken, lost, "SERVICE_DOWN", "succeeded"],
  ];
  for (const [first, then, code, outcome] of cases) {
    await using fixture = openFixture({ script: (_request, index) => index === 0 ? first : then });
    const error = await refusalOf(fixture.kernel, {
      opId: "drive.files.replace",
      args: { fileId: "a", name: "n" },
      allowWrite: true,
    });
    assert.deepEqual([error.code, error.details.write_outcome], [code, outcome]);
    assert.equal(fixture.audit[0]?.write_outcome, outcome);
    await using reading = openFixture({ script: (_request, index) => index === 0 ? first : then });
    const read = await refusalOf(reading.kernel, {
      opId: "drive.files.get",
      args: { fileId: "a" },
    });
    assert.equal(read.details.write_outcome, undefined);
  }
});

Deno.test("a DELETE whose first answer broke after its success is told that it was done", async () => {
  await using fixture = openFixture({
    script: (_request, index) => index === 0 ? { kind: "short_body" } : googleError(404),
  });
  const call: Invocation = {
    opId: "drive.files.delete",
    args: { fileId: "a" },
    allowDestructive: true,
  };
  const error = await refusalOf(fixture.kernel, {
    ...call,
    confirmed: true,
    confirmationToken: await tokenFor(fixture.kernel, call),
  });
  assert.equal(error.details.write_outcome, "succeeded");
});

Deno.test("a service that goes away after a lost answer leaves the write in doubt", async () => {
  const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = new URL(`http://127.0.0.1:${(gone.addr as Deno.NetAddr).port}/`);
  gone.close();
  let sent = 0;
  await using fixture = openFixture({
    script: () => ({ kind: "drop" }),
    rewriteOrigin: (url) => sent++ === 0 ? fixture.peer.rewrite(url) : closed,
  });
  const error = await refusalOf(fixture.kernel, {
    opId: "drive.files.replace",
    args: { fileId: "a", name: "n" },
    allowWrite: true,
  });
  assert.deepEqual([error.details.reason, error.details.write_outcome, sent], [
    "connect",
    "unknown",
    4,
  ]);
});
