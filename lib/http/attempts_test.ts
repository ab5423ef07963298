import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../clock/mod.ts";
import { OversizeFailure, TransportFailure, UpstreamFailure } from "../errors/wire/mod.ts";
import { type HttpAnswer, type HttpClient, sendWithAttempts } from "./mod.ts";

const NEVER = new AbortController().signal;

/** What one attempt meets. */
type Meeting =
  | { status: number; reason?: string; retryAfter?: string }
  | { transport: "reset" | "timeout" | "truncated_body" | "redirect" | "connect"; seen?: number }
  | "oversize";

/** A client that meets a fixed list, and a clock whose waits are written down. */
function scripted(meetings: readonly Meeting[]) {
  const waits: number[] = [];
  let now = Date.parse("2026-05-19T12:00:00Z");
  let sent = 0;
  const clock: Clock = {
    now: () => now,
    sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
  const client: HttpClient = {
    send(request) {
      const meeting = meetings[Math.min(sent++, meetings.length - 1)];
      if (meeting === "oversize" || meeting === undefined) {
        return Promise.reject(new OversizeFailure(1, 200));
      }
      if ("transport" in meeting) {
        return Promise.reject(
          new TransportFailure(meeting.transport, {
            message: "broke",
            requestStarted: meeting.transport !== "connect",
            status: meeting.seen,
          }),
        );
      }
      const body = meeting.reason === undefined
        ? ""
        : JSON.stringify({ error: { errors: [{ reason: meeting.reason }], message: "m" } });
      const answer: HttpAnswer = {
        status: meeting.status,
        statusText: "",
        headers: new Headers(
          meeting.retryAfter === undefined ? {} : { "retry-after": meeting.retryAfter },
        ),
        body: new TextEncoder().encode(body),
        bytesIn: 0,
        bytesOut: 0,
        url: request.url,
      };
      return Promise.resolve(answer);
    },
    close() {},
    [Symbol.dispose]() {},
  };
  return { client, clock, waits, sent: () => sent };
}

async function attempt(meetings: readonly Meeting[], repeatable: boolean) {
  const script = scripted(meetings);
  const outcome: unknown = await sendWithAttempts(script.client, {
    request: { method: "GET", url: new URL("https://www.googleapis.com/"), headers: {} },
    repeatable,
    clock: script.clock,
    random: () => 0.5,
  }, NEVER).then((answer) => answer.status, (error) => error);
  return { outcome, sent: script.sent(), waits: script.waits };
}

Deno.test("TestDataManagerReadFailureRetry: repeatable requests get three more tries, growing waits", async () => {
  for (
    const meeting of [{ status: 500 }, { transport: "reset" }, {
      transport: "truncated_body",
    }] as const
  ) {
    const run = await attempt([meeting], true);
    assert.equal(run.sent, 4);
    assert.deepEqual(run.waits, [500, 750, 1125]);
    assert.ok(run.outcome instanceof Error);
  }
  assert.deepEqual((await attempt([{ status: 503 }, { status: 200 }], true)).outcome, 200);
});

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: others are sent once, or twice after slow down", async () => {
  for (
    const meeting of [
      { status: 500 },
      { transport: "reset" },
      { transport: "truncated_body" },
      "oversize",
    ] as const
  ) {
    assert.equal((await attempt([meeting], false)).sent, 1);
    assert.equal((await attempt([{ status: 429 }, meeting], false)).sent, 2);
  }
  assert.equal((await attempt([{ status: 429 }, { status: 429 }], false)).sent, 2);
  assert.equal((await attempt([{ status: 429 }, { status: 200 }], false)).outcome, 200);
});

Deno.test("429, 503, 200 in a row ends well for a repeatable request", async () => {
  const run = await attempt(
    [{ status: 429, retryAfter: "2" }, { status: 503 }, { status: 200 }],
    true,
  );
  assert.equal(run.outcome, 200);
  assert.deepEqual(run.waits, [2000, 500]);
});

Deno.test("a rate 403 is tried once more, a plain 403 is not", async () => {
  assert.equal((await attempt([{ status: 403, reason: "userRateLimitExceeded" }], false)).sent, 2);
  assert.equal((await attempt([{ status: 403, reason: "forbidden" }], true)).sent, 1);
});

Deno.test("Retry-After: seconds, dates, past dates; a pause over 30 s goes to the caller at once", async () => {
  assert.deepEqual(
    (await attempt([{ status: 429, retryAfter: "3" }, { status: 200 }], false)).waits,
    [3000],
  );
  const date = "Tue, 19 May 2026 12:00:09 GMT";
  assert.deepEqual(
    (await attempt([{ status: 429, retryAfter: date }, { status: 200 }], false)).waits,
    [9000],
  );
  const past = "Tue, 19 May 2026 11:00:00 GMT";
  assert.deepEqual(
    (await attempt([{ status: 429, retryAfter: past }, { status: 200 }], false)).waits,
    [500],
  );
  for (const long of ["31", "301"]) {
    const run = await attempt([{ status: 429, retryAfter: long }], true);
    assert.deepEqual([run.sent, run.waits], [1, []]);
    assert.ok(run.outcome instanceof UpstreamFailure);
  }
});

Deno.test("retries stop before the total passes 60 s", async () => {
  const run = await attempt([{ status: 503, retryAfter: "25" }], true);
  assert.deepEqual(run.waits, [25_000, 25_000]);
});

Deno.test("redirect trouble, 4xx and oversize are never retried", async () => {
  for (
    const meeting of [
      { transport: "redirect" },
      { status: 404 },
      { status: 409 },
      "oversize",
    ] as const
  ) {
    assert.equal((await attempt([meeting], true)).sent, 1);
  }
});

Deno.test("a 404 after an uncertain attempt remembers it", async () => {
  const { outcome } = await attempt([{ transport: "reset" }, { status: 404 }], true);
  assert.ok(outcome instanceof UpstreamFailure && outcome.priorAttemptUncertain);
  const plain = await attempt([{ status: 404 }], true);
  assert.ok(plain.outcome instanceof UpstreamFailure && !plain.outcome.priorAttemptUncertain);
});

Deno.test("an abort during a wait rejects with its reason", async () => {
  const script = scripted([{ status: 503 }]);
  const controller = new AbortController();
  const waiting: Clock = {
    now: script.clock.now,
    sleep: (_ms, signal) => {
      controller.abort("stop");
      return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve();
    },
  };
  await assert.rejects(
    sendWithAttempts(script.client, {
      request: { method: "GET", url: new URL("https://www.googleapis.com/"), headers: {} },
      repeatable: true,
      clock: waiting,
    }, controller.signal),
    (reason) => reason === "stop",
  );
  assert.equal(script.sent(), 1);
});

Deno.test("law: what is not repeatable is never sent more than twice, and twice only after slow down", async () => {
  const meeting: fc.Arbitrary<Meeting> = fc.oneof(
    fc.record({
      status: fc.constantFrom(200, 204, 400, 401, 403, 404, 409, 429, 500, 502, 503, 504),
      reason: fc.option(fc.constantFrom("rateLimitExceeded", "forbidden"), { nil: undefined }),
      retryAfter: fc.option(fc.constantFrom("0", "1", "29", "31", "junk"), { nil: undefined }),
    }),
    fc.record({ transport: fc.constantFrom("reset", "timeout", "truncated_body", "redirect") }),
    fc.constant("oversize" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(meeting, { minLength: 1, maxLength: 6 }), async (meetings) => {
      const run = await attempt(meetings, false);
      assert.ok(run.sent <= 2);
      if (run.sent < 2) return;
      const [first] = meetings;
      assert.ok(
        typeof first === "object" && "status" in first &&
          (first.status === 429 || (first.status === 403 && first.reason === "rateLimitExceeded")),
      );
    }),
    { numRuns: 200 },
  );
});

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: a last attempt that never left does not undo the first", async () => {
  const refused = { transport: "connect" } as const;
  const after = await attempt([{ transport: "reset" }, refused], true);
  assert.ok(after.outcome instanceof TransportFailure && after.outcome.requestStarted);
  assert.equal(after.outcome.reason, "connect");
  const seen = await attempt([{ transport: "truncated_body", seen: 200 }, refused], true);
  assert.ok(seen.outcome instanceof TransportFailure);
  assert.equal(seen.outcome.status, 200);
  const never = await attempt([refused], true);
  assert.ok(never.outcome instanceof TransportFailure && !never.outcome.requestStarted);
});

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: a refusal after a broken success remembers the success", async () => {
  const { outcome } = await attempt(
    [{ transport: "truncated_body", seen: 204 }, { transport: "reset" }, { status: 404 }],
    true,
  );
  assert.ok(outcome instanceof UpstreamFailure);
  assert.deepEqual([outcome.priorAttemptUncertain, outcome.priorSuccessStatus], [true, 204]);
});

Deno.test("a date in Retry-After counts from the answer, however long it took", async () => {
  const script = scripted([
    { status: 429, retryAfter: "Tue, 19 May 2026 12:00:29 GMT" },
    { status: 200 },
  ]);
  const slow: HttpClient = {
    ...script.client,
    async send(request, signal) {
      await script.clock.sleep(20_000, signal);
      return await script.client.send(request, signal);
    },
  };
  await sendWithAttempts(slow, {
    request: { method: "GET", url: new URL("https://www.googleapis.com/"), headers: {} },
    repeatable: true,
    clock: script.clock,
    random: () => 0.5,
  }, NEVER);
  assert.deepEqual(script.waits, [20_000, 9_000, 20_000]);
});
