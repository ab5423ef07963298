import assert from "node:assert/strict";
import { json } from "../http/testdata/peer.ts";
import { isGumError } from "../errors/mod.ts";
import { createRateLimiter } from "../limiter/mod.ts";
import { shaper } from "../shape/mod.ts";
import type { Invocation, KernelDeps } from "./types.ts";
import { openFixture, realClock, refusalOf, tokenFor } from "./testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const WITHIN_MS = 100;

/** Where a step meets the world: an abort there must end the call at that boundary. */
const BOUNDARIES: [string, (abort: () => void, deps: KernelDeps) => Partial<KernelDeps>][] = [
  ["profile lookup (step 1)", (abort) => ({
    profiles: {
      resolve() {
        abort();
        return { profile: undefined, warnings: [] };
      },
    },
  })],
  ["policy (step 2)", (abort, deps) => ({
    settings: {
      ...deps.settings,
      grantedScopes() {
        abort();
        return undefined;
      },
    },
  })],
  ["credentials (step 4)", (abort) => ({
    auth: {
      resolve() {
        abort();
        return new Promise(() => {});
      },
    },
  })],
  ["cache (step 5)", (abort, deps) => ({
    cache: {
      ...deps.cache,
      get() {
        abort();
        return new Promise(() => {});
      },
    },
  })],
  ["limiter (step 6)", (abort) => ({
    limiter: {
      take() {
        abort();
        return new Promise(() => {});
      },
      freeze() {},
    },
  })],
  ["adapter (step 7)", (abort) => ({
    adapters: {
      find: () => ({
        execute() {
          abort();
          return new Promise(() => {});
        },
      }),
    },
  })],
  ["shaper (step 8)", (abort) => ({
    shaper: {
      ...shaper,
      shape(request) {
        abort();
        return shaper.shape(request);
      },
    },
  })],
  ["records (step 9)", (abort) => ({
    gain: {
      record() {
        abort();
      },
    },
  })],
];

for (const [where, change] of BOUNDARIES) {
  Deno.test(`TestExecutorContextPropagation: abort at the ${where} gives CANCELLED at once`, async () => {
    await using fixture = openFixture({ clock: realClock });
    const controller = new AbortController();
    let abortedAt = 0;
    const abort = () => {
      abortedAt = performance.now();
      controller.abort(new Error("the client went away"));
    };
    Object.assign(fixture.deps, change(abort, fixture.deps));
    const error = await refusalOf(fixture.kernel, LIST, controller.signal);
    assert.ok(performance.now() - abortedAt <= WITHIN_MS);
    assert.equal(error.code, "CANCELLED");
    assert.equal(error.details.cancelled, true);
    assert.equal(error.retryable, false);
    assert.equal(error.cause, controller.signal.reason);
    assert.ok(isGumError(error, "CANCELLED"));
  });
}

Deno.test("TestExecutorContextPropagation: a call that starts aborted does nothing", async () => {
  await using fixture = openFixture();
  const error = await refusalOf(fixture.kernel, LIST, AbortSignal.abort("whatever reason"));
  assert.equal(error.code, "CANCELLED");
  assert.equal(error.cause, "whatever reason");
  assert.equal(fixture.peer.requests.length, 0);
});

for (const kind of ["hang", "stall_body"] as const) {
  Deno.test(`TestExecutorContextPropagation: abort of a real request (${kind}) closes its socket`, async () => {
    const reached = Promise.withResolvers<void>();
    await using fixture = openFixture({
      clock: realClock,
      script: () => {
        reached.resolve();
        return { kind };
      },
    });
    const controller = new AbortController();
    const ending = refusalOf(fixture.kernel, LIST, controller.signal);
    await reached.promise;
    const abortedAt = performance.now();
    controller.abort();
    assert.equal((await ending).code, "CANCELLED");
    assert.ok(performance.now() - abortedAt <= WITHIN_MS);
    while (fixture.peer.abandoned() === 0) {
      assert.ok(performance.now() - abortedAt < 5000, "the peer never saw the client leave");
      await new Promise((resume) => setTimeout(resume, 1));
    }
    assert.equal(fixture.audit[0]?.error_code, "CANCELLED");
  });
}

Deno.test("abort during a limiter wait and during a retry wait leaves no timer", async () => {
  await using fixture = openFixture({ clock: realClock, script: () => ({ kind: "drop" }) });
  using limiter = createRateLimiter({
    clock: realClock,
    capacity: 1,
    refillPerSecond: 0.5,
    maxWaitMs: 5000,
  });
  let waiting = false;
  const watched: KernelDeps["limiter"] = {
    take(request, signal) {
      waiting = true;
      return limiter.take(request, signal);
    },
    freeze: (family, ms) => limiter.freeze(family, ms),
  };
  for (const deps of [{}, { limiter: watched }]) {
    Object.assign(fixture.deps, deps);
    if ("limiter" in deps) {
      await limiter.take({ family: "workspace", opId: "x" }, new AbortController().signal);
    }
    const controller = new AbortController();
    const before = fixture.peer.requests.length;
    const ending = refusalOf(
      fixture.kernel,
      { ...LIST, args: { q: `${before}` } },
      controller.signal,
    );
    const startedAt = performance.now();
    const underWay = () => "limiter" in deps ? waiting : fixture.peer.requests.length > before;
    while (!underWay()) {
      assert.ok(performance.now() - startedAt < 5000);
      await new Promise((resume) => setTimeout(resume, 1));
    }
    controller.abort();
    const abortedAt = performance.now();
    assert.equal((await ending).code, "CANCELLED");
    assert.ok(performance.now() - abortedAt <= WITHIN_MS);
  }
});

Deno.test("a write that was under way when the caller left says so, and is audited once", async () => {
  const reached = Promise.withResolvers<void>();
  await using fixture = openFixture({
    clock: realClock,
    script: () => {
      reached.resolve();
      return { kind: "hang" };
    },
  });
  const call: Invocation = {
    opId: "drive.files.delete",
    args: { fileId: "a" },
    allowDestructive: true,
  };
  const token = await tokenFor(fixture.kernel, call);
  const controller = new AbortController();
  const ending = refusalOf(
    fixture.kernel,
    { ...call, confirmed: true, confirmationToken: token },
    controller.signal,
  );
  await reached.promise;
  controller.abort();
  const error = await ending;
  assert.equal(error.details.write_outcome, "unknown");
  assert.deepEqual(fixture.audit.map((row) => [row.error_code, row.write_outcome]), [[
    "CANCELLED",
    "unknown",
  ]]);
});

Deno.test("one caller's abort does not touch another call", async () => {
  await using fixture = openFixture({ clock: realClock, script: () => json({ ok: true }) });
  const controller = new AbortController();
  const [first, second] = await Promise.allSettled([
    fixture.kernel.dispatch(LIST, controller.signal),
    fixture.kernel.dispatch({ ...LIST, args: { q: "b" } }),
    Promise.resolve().then(() => controller.abort()),
  ]);
  assert.equal(first.status, "rejected");
  assert.equal(second.status, "fulfilled");
});
