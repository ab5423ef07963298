import assert from "node:assert/strict";
import type { Clock } from "../clock/mod.ts";
import { UpstreamFailure } from "../errors/wire/mod.ts";
import { createHttpClient, createRetryBudget, sendWithAttempts } from "./mod.ts";

function stoppedClock(): Clock & { at: number } {
  return {
    at: 0,
    now() {
      return this.at;
    },
    sleep: () => Promise.resolve(),
  };
}

Deno.test("retry budget: a family's retries run out and come back with time, others are untouched", () => {
  const clock = stoppedClock();
  const budget = createRetryBudget(clock);
  const granted = Array.from({ length: 12 }, () => budget.take("workspace"));
  assert.deepEqual(granted, [...Array(10).fill(true), false, false]);
  assert.equal(budget.take("youtube"), true);
  clock.at = 4_900;
  assert.equal(budget.take("workspace"), false);
  clock.at = 5_000;
  assert.equal(budget.take("workspace"), true);
  assert.equal(budget.take("workspace"), false);
});

Deno.test("retry budget: eight workers in an outage do not multiply the retries", async () => {
  let requests = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    requests++;
    return new Response("down", { status: 503 });
  });
  const client = createHttpClient();
  const clock = stoppedClock();
  const budget = createRetryBudget(clock);
  const url = new URL(`http://127.0.0.1:${server.addr.port}/`);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () =>
      sendWithAttempts(client, {
        request: { method: "GET", url, headers: {} },
        repeatable: true,
        clock,
        mayRetry: () => budget.take("workspace"),
      }, new AbortController().signal)),
  );
  for (const outcome of outcomes) {
    assert.equal(outcome.status, "rejected");
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof UpstreamFailure);
  }
  // Eight first attempts and the ten retries of the budget, instead of eight times four.
  assert.equal(requests, 18);
  client.close();
  await server.shutdown();
});
