import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../clock/mod.ts";
import { createMemoryBucketStore, createRateLimiter, openBucketDatabase } from "./mod.ts";

const NEVER = new AbortController().signal;

function movable(): Clock & { advance(ms: number): void; waits: number[] } {
  let now = 1_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
    advance(ms) {
      now += ms;
    },
  };
}

Deno.test("a bucket starts full, empties, waits for a token, then refuses", async () => {
  const clock = movable();
  using limiter = createRateLimiter({ clock, capacity: 2, refillPerSecond: 1, maxWaitMs: 1500 });
  const take = () => limiter.take({ family: "f", opId: "o" }, NEVER);
  await take();
  await take();
  assert.deepEqual(clock.waits, []);
  await take();
  assert.deepEqual(clock.waits, [1000]);
});

Deno.test("callers that wait reserve their tokens; a refused one reserves nothing", async () => {
  const clock = movable();
  const store = createMemoryBucketStore();
  const waits: number[] = [];
  const still: Clock = {
    now: clock.now,
    sleep(ms) {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  using limiter = createRateLimiter({
    clock: still,
    capacity: 1,
    refillPerSecond: 1,
    maxWaitMs: 2000,
    openStore: () => store,
  });
  const take = () => limiter.take({ family: "f", opId: "o" }, NEVER);
  await take();
  await take();
  await take();
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(take(), (error: Error & { details?: Record<string, unknown> }) => {
      assert.equal(error.details?.retry_after_ms, 3000);
      return true;
    });
  }
  assert.deepEqual(waits, [1000, 2000]);
});

Deno.test("an aborted wait gives its token back", async () => {
  const clock = movable();
  using limiter = createRateLimiter({ clock, capacity: 1, refillPerSecond: 1, maxWaitMs: 5000 });
  await limiter.take({ family: "f", opId: "o" }, NEVER);
  const controller = new AbortController();
  const aborting: Clock = clock;
  const sleep = aborting.sleep;
  clock.sleep = () => {
    controller.abort("gone");
    return Promise.reject(controller.signal.reason);
  };
  await assert.rejects(
    limiter.take({ family: "f", opId: "o" }, controller.signal),
    (reason) => reason === "gone",
  );
  clock.sleep = sleep;
  await limiter.take({ family: "f", opId: "o" }, NEVER);
  assert.deepEqual(clock.waits, [1000]);
});

Deno.test("state survives a restart and is shared by two processes' stores", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/rate_limit.db`;
    const clock = movable();
    const open = () =>
      createRateLimiter({
        clock,
        capacity: 3,
        refillPerSecond: 0.001,
        maxWaitMs: 0,
        openStore: () => openBucketDatabase(path),
      });
    using first = open();
    using second = open();
    const call = { family: "f", opId: "o" };
    await first.take(call, NEVER);
    await second.take(call, NEVER);
    await first.take(call, NEVER);
    await assert.rejects(second.take(call, NEVER), { code: "RATE_LIMITED" });
    second.freeze("g", 50_000);
    using third = open();
    await assert.rejects(third.take({ family: "g", opId: "o" }, NEVER), { code: "RATE_LIMITED" });
    if (Deno.build.os !== "windows") {
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("a store that cannot be opened, or breaks later, falls back to memory with a warning", async () => {
  const warnings: string[] = [];
  const log = { log: (_level: string, message: string) => void warnings.push(message) };
  const clock = movable();
  using unopened = createRateLimiter({
    clock,
    log,
    openStore: () => openBucketDatabase("/nonexistent/folder/rate_limit.db"),
  });
  await unopened.take({ family: "f", opId: "o" }, NEVER);
  using breaking = createRateLimiter({
    clock,
    log,
    openStore: () => ({
      update() {
        throw new Error("disk full");
      },
      close() {},
    }),
  });
  await breaking.take({ family: "f", opId: "o" }, NEVER);
  assert.equal(warnings.length, 2);
});

Deno.test("a plugin's family has its own limits", async () => {
  const clock = movable();
  using limiter = createRateLimiter({
    clock,
    maxWaitMs: 0,
    familyLimits: (family) =>
      family === "plugin.x" ? { capacity: 1, refillPerSecond: 1 / 60 } : undefined,
  });
  await limiter.take({ family: "plugin.x", opId: "o" }, NEVER);
  await assert.rejects(limiter.take({ family: "plugin.x", opId: "o" }, NEVER));
  for (let call = 0; call < 100; call++) await limiter.take({ family: "g", opId: "o" }, NEVER);
});

Deno.test("law: over any sequence, no more pass than capacity plus refill, waits included", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 60 }),
      async (gaps) => {
        const clock = movable();
        const startedAt = clock.now();
        using limiter = createRateLimiter({
          clock,
          capacity: 5,
          refillPerSecond: 2,
          maxWaitMs: 700,
        });
        let passed = 0;
        for (const gap of gaps) {
          clock.advance(gap);
          await limiter.take({ family: "f", opId: "o" }, NEVER).then(() => passed++, () => {});
        }
        const elapsed = (clock.now() - startedAt) / 1000;
        assert.ok(passed <= 5 + elapsed * 2 + 1e-6);
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a pause that begins while a caller waits holds for that caller too", async () => {
  for (const pause of [2000, 60_000]) {
    const clock = movable();
    using limiter = createRateLimiter({ clock, capacity: 1, refillPerSecond: 1, maxWaitMs: 5000 });
    const call = { family: "f", opId: "o" };
    await limiter.take(call, NEVER);
    const sleep = clock.sleep;
    let frozen = false;
    clock.sleep = async (ms, signal) => {
      await sleep(ms, signal);
      if (!frozen) limiter.freeze("f", pause);
      frozen = true;
    };
    const taken = limiter.take(call, NEVER);
    if (pause === 2000) {
      await taken;
      assert.deepEqual(clock.waits, [1000, 2000]);
    } else {
      await assert.rejects(taken, { code: "RATE_LIMITED" });
      clock.advance(pause);
      // The refused caller gave its token back.
      await limiter.take(call, NEVER);
      assert.deepEqual(clock.waits, [1000]);
    }
  }
});

Deno.test("a pause of a clock that ran ahead ends with the error of the clock", async () => {
  const clock = movable();
  using limiter = createRateLimiter({ clock, maxWaitMs: 0 });
  clock.advance(10 * 365 * 86_400_000);
  limiter.freeze("f", 60_000);
  await assert.rejects(limiter.take({ family: "f", opId: "o" }, NEVER), { code: "RATE_LIMITED" });
  clock.advance(-10 * 365 * 86_400_000);
  await limiter.take({ family: "f", opId: "o" }, NEVER);
});

Deno.test("a file that is busy for a moment is used again afterwards", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/rate_limit.db`;
    const clock = movable();
    const log = { log() {} };
    using limiter = createRateLimiter({
      clock,
      log,
      capacity: 1,
      maxWaitMs: 0,
      openStore: () => openBucketDatabase(path),
    });
    await limiter.take({ family: "other", opId: "o" }, NEVER);
    const { DatabaseSync } = await import("node:sqlite");
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    await limiter.take({ family: "f", opId: "o" }, NEVER);
    holder.exec("ROLLBACK");
    holder.close();
    // The file knows nothing of that token, which shows that it is the file that is asked.
    await limiter.take({ family: "f", opId: "o" }, NEVER);
    await assert.rejects(limiter.take({ family: "f", opId: "o" }, NEVER), { code: "RATE_LIMITED" });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
