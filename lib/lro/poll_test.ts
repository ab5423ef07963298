import assert from "node:assert/strict";
import fc from "fast-check";
import { createExplicitAuthResolver } from "../auth/mod.ts";
import { type Clock, systemClock } from "../clock/mod.ts";
import { jumpingClock } from "../dispatch/testdata/fixture.ts";
import { startEmulator } from "../emulator/mod.ts";
import { createHttpClient, type HttpClient } from "../http/mod.ts";
import { googleError, json, type Reply, type Script, sequence } from "../http/testdata/peer.ts";
import { POLL_TOTAL_MS } from "./mod.ts";
import { DONE, failureOf, NAME, openBench, RUNNING } from "./testdata/bench.ts";

Deno.test("TestPollProgressTokenContract: a tick after each fetch that is not final, time growing", async () => {
  await using bench = openBench(sequence(RUNNING, RUNNING, RUNNING, DONE));
  const ticks: number[] = [];
  const operation = await bench.poll(NAME, {
    onPending: (seconds) => {
      ticks.push(seconds);
      return Promise.resolve();
    },
  });
  assert.deepEqual(operation, { name: NAME, done: true, response: { ok: 1 }, metadata: { m: 2 } });
  assert.deepEqual(ticks, [0, 2, 5]);
  assert.equal(bench.requests.length, 4);
});

Deno.test("TestPollTimeoutAndCancellation: ten minutes, no fetch past them, and a handle to go on", async () => {
  const at: number[] = [];
  const clock = jumpingClock();
  const startedAt = clock.now();
  await using bench = openBench(() => {
    at.push(clock.now() - startedAt);
    return RUNNING;
  }, { clock });
  const error = await failureOf(bench.poll(NAME));
  assert.equal(error.code, "LRO_TIMEOUT");
  assert.equal(error.retryable, true);
  assert.equal(error.details.operation_name, NAME);
  assert.equal(error.details.resume_handle, NAME);
  assert.match(error.suggestion, /gum\.poll/);
  assert.equal(clock.now() - startedAt, POLL_TOTAL_MS);
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  assert.deepEqual(gaps.slice(0, 5), [2000, 3000, 4500, 6750, 10125]);
  assert.ok(gaps.every((gap, index) => gap <= 60_000 && gap >= (gaps[index - 1] ?? 0)));
  assert.ok(at.every((time) => time < POLL_TOTAL_MS));
});

Deno.test("TestPollTimeoutAndCancellation: an abort ends a wait, a fetch and a tick at once", async () => {
  const realClock = { ...systemClock, advance() {} };
  const hanging: Script = (_request, index) => index === 0 ? RUNNING : { kind: "hang" };
  const places: [string, Script, Clock["sleep"], "ticks" | "stays"][] = [
    ["in the wait", () => RUNNING, systemClock.sleep, "ticks"],
    ["in a fetch", hanging, () => Promise.resolve(), "ticks"],
    ["in a tick", () => RUNNING, systemClock.sleep, "stays"],
  ];
  for (const [place, script, sleep, tick] of places) {
    const caller = new AbortController();
    await using bench = openBench(script, { clock: { ...realClock, sleep } });
    const pending = Promise.withResolvers<void>();
    const call = failureOf(bench.poll(NAME, {
      signal: caller.signal,
      onPending: () => {
        pending.resolve();
        return tick === "ticks" ? Promise.resolve() : new Promise(() => {});
      },
    }));
    await pending.promise;
    const deadline = Date.now() + 5000;
    while (place === "in a fetch" && bench.requests.length < 2 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const abortedAt = performance.now();
    caller.abort(new Error("enough"));
    const error = await call;
    assert.ok(performance.now() - abortedAt < 100, place);
    assert.equal(error.code, "CANCELLED");
    assert.equal(error.details.cancelled, true);
    assert.equal((error.cause as Error).message, "enough");
  }
  const caller = new AbortController();
  caller.abort();
  await using bench = openBench(() => DONE);
  assert.equal((await failureOf(bench.poll(NAME, { signal: caller.signal }))).code, "CANCELLED");
  assert.equal(bench.requests.length, 0);
});

Deno.test("a failed operation is an error", async () => {
  const failure = { code: 9, message: "disk full", details: [] };
  await using bench = openBench(() => json({ name: NAME, done: true, error: failure }));
  const error = await failureOf(bench.poll(NAME));
  assert.equal(error.code, "LRO_FAILED");
  assert.equal(error.retryable, false);
  assert.deepEqual(error.details, { operation_name: NAME, error: failure });
});

Deno.test("three transient failures in a row are ticks, the fourth ends the poll", async () => {
  const broken: Reply[] = [
    googleError(503),
    googleError(429, { retryAfter: "7" }),
    { kind: "short_body", body: "{" },
  ];
  await using patient = openBench(sequence(...broken, RUNNING, ...broken, DONE));
  const ticks: number[] = [];
  await patient.poll(NAME, {
    onPending: (seconds) => {
      ticks.push(seconds);
      return Promise.resolve();
    },
  });
  assert.equal(ticks.length, 7);
  assert.equal((ticks[2] ?? 0) - (ticks[1] ?? 0), 7, "Retry-After is kept");
  await using hopeless = openBench(() => googleError(500));
  const error = await failureOf(hopeless.poll(NAME));
  assert.equal(error.code, "SERVICE_DOWN");
  assert.equal(error.details.operation_name, NAME);
  assert.equal(error.details.op_id, "gum.poll");
  assert.equal("write_outcome" in error.details, false);
  assert.equal(hopeless.requests.length, 4);
});

Deno.test("other refusals end the poll as they would end a call", async () => {
  const rows: [Reply, string][] = [
    [googleError(403, { reason: "forbidden" }), "UPSTREAM_REJECTED"],
    [googleError(400), "INVALID_ARGS"],
    [googleError(401), "AUTH_REQUIRED"],
    [{ kind: "endless_body" }, "RESPONSE_TOO_LARGE"],
  ];
  for (const [reply, code] of rows) {
    await using bench = openBench(() => reply);
    const error = await failureOf(bench.poll(NAME));
    assert.equal(error.code, code);
    assert.equal(bench.requests.length, 1);
    assert.doesNotMatch(JSON.stringify(error.toEnvelope()), /canary/);
    if (code === "RESPONSE_TOO_LARGE") assert.equal(error.details.cap_bytes, 4 * 1024 * 1024);
  }
});

Deno.test("property: intervals grow to a minute and nothing is fetched past the deadline", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 29_000 }), { minLength: 1, maxLength: 8 }),
      async (durations) => {
        const clock = jumpingClock();
        const startedAt = clock.now();
        const fetches: { at: number; timeoutMs: number }[] = [];
        const waits: number[] = [];
        await using bench = openBench(() => RUNNING, {
          clock: {
            ...clock,
            sleep(ms, signal) {
              waits.push(ms);
              return clock.sleep(ms, signal);
            },
          },
        });
        const http: HttpClient = {
          ...bench.http,
          send(request) {
            const at = clock.now() - startedAt;
            const timeoutMs = request.timeoutMs ?? Infinity;
            fetches.push({ at, timeoutMs });
            const duration = durations[fetches.length % durations.length] ?? 0;
            clock.advance(Math.min(duration, timeoutMs));
            return Promise.resolve({
              status: 200,
              statusText: "",
              headers: new Headers(),
              body: new TextEncoder().encode(JSON.stringify({ name: NAME, done: false })),
              bytesIn: 0,
              bytesOut: 0,
              url: request.url,
            });
          },
        };
        const ticks: number[] = [];
        const onPending = (seconds: number) => Promise.resolve(void ticks.push(seconds));
        const error = await failureOf(bench.poll(NAME, { http, onPending }));
        assert.equal(error.code, "LRO_TIMEOUT");
        assert.ok(ticks.every((seconds) => seconds * 1000 < POLL_TOTAL_MS));
        assert.equal(clock.now() - startedAt, POLL_TOTAL_MS);
        for (const { at, timeoutMs } of fetches) {
          assert.ok(at < POLL_TOTAL_MS && at + timeoutMs <= POLL_TOTAL_MS && timeoutMs <= 30_000);
        }
        for (const [index, wait] of waits.slice(0, -1).entries()) {
          assert.equal(wait, Math.min(2000 * 1.5 ** index, 60_000));
        }
      },
    ),
    { numRuns: 25 },
  );
});

Deno.test("the emulator's operations finish after their polls, fail, and are unknown", async () => {
  const emulator = await startEmulator();
  using http = createHttpClient({ rewriteOrigin: (url) => emulator.rewrite(url) });
  try {
    await using bench = openBench(() => RUNNING);
    const auth = createExplicitAuthResolver(emulator.credentials);
    emulator.startOperation?.({ name: NAME, polls: 2, response: { made: "yes" } });
    assert.deepEqual(await bench.poll(NAME, { http, auth }), {
      name: NAME,
      done: true,
      response: { made: "yes" },
    });
    const polls = emulator.journal.filter(({ path }) => path.endsWith("/operations/abc"));
    assert.equal(polls.length, 3);
    const failing = "projects/p/zones/z/operations/bad";
    emulator.startOperation?.({ name: failing, polls: 0, error: { code: 3, message: "no" } });
    const failed = await failureOf(bench.poll(failing, { http, auth }));
    assert.equal(failed.code, "LRO_FAILED");
    assert.equal(emulator.journal.at(-1)?.host, "compute.googleapis.com");
    const unknown = await failureOf(bench.poll("operations/nobody", { http, auth }));
    assert.equal(unknown.code, "LRO_UNROUTABLE");
  } finally {
    await emulator.close();
  }
});
