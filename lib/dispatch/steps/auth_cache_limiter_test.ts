import assert from "node:assert/strict";
import { createExplicitAuthResolver, secret } from "../../auth/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { googleError, json } from "../../http/testdata/peer.ts";
import { createRateLimiter } from "../../limiter/mod.ts";
import type { AuthResolver, Credentials, Invocation } from "../types.ts";
import {
  FILES,
  op,
  openFixture,
  refusalOf,
  temporaryDirectory,
  variant,
} from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {} };
const CREATE: Invocation = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };

function as(fingerprint: string, signInStrategy = "byo_oauth"): AuthResolver {
  const credentials: Credentials = {
    token: secret("t"),
    subjectFingerprint: fingerprint,
    signInStrategy,
  };
  return { resolve: () => Promise.resolve(credentials) };
}

Deno.test("TestDispatchRefusesACredentialFromAnotherAccount: before any request, and audited", async () => {
  await using fixture = openFixture({
    deps: { auth: as("fp-other") },
    settings: { expectedSubjects: { byo_oauth: "fp-one" } },
  });
  const error = await refusalOf(fixture.kernel, LIST);
  assert.equal(error.code, "AUTH_SUBJECT_MISMATCH");
  assert.deepEqual(
    [error.details.expected_subject_fingerprint, error.details.actual_subject_fingerprint],
    ["fp-one", "fp-other"],
  );
  assert.equal(error.details.setup_command, "gum login --switch-account");
  assert.equal(fixture.peer.requests.length, 0);
  assert.deepEqual(fixture.audit.map((row) => row.event), ["credential_subject_changed"]);
  const append = () => {
    throw new Error("disk full");
  };
  await using unaudited = openFixture({
    deps: { auth: as("fp-other"), audit: { append } },
    settings: { expectedSubjects: { byo_oauth: "fp-one" } },
  });
  assert.equal((await refusalOf(unaudited.kernel, LIST)).code, "AUTH_SUBJECT_MISMATCH");
  assert.ok(unaudited.logs.some(({ message }) => message === "audit row lost"));
});

Deno.test("TestDispatchKeepsSubjectExpectationsPerStrategy: another strategy's record is not this one's", async () => {
  await using fixture = openFixture({
    deps: { auth: as("fp-other", "adc") },
    settings: { expectedSubjects: { byo_oauth: "fp-one" } },
  });
  await fixture.kernel.dispatch(LIST);
});

Deno.test("TestDispatchIgnoresAnEmptyFingerprint: an unknown subject is not compared", async () => {
  await using fixture = openFixture({
    deps: { auth: as("") },
    settings: { expectedSubjects: { byo_oauth: "fp-one" } },
  });
  await fixture.kernel.dispatch(LIST);
});

Deno.test("a resolver's own errors: structured ones pass, others become AUTH_REQUIRED with their code", async () => {
  const failing = (error: unknown): AuthResolver => ({ resolve: () => Promise.reject(error) });
  const own = new GumError("AUTH_KEYCHAIN_UNAVAILABLE", { details: { backend: "x" } });
  await using structured = openFixture({ deps: { auth: failing(own) } });
  assert.equal((await refusalOf(structured.kernel, LIST)).code, "AUTH_KEYCHAIN_UNAVAILABLE");
  const coded = Object.assign(new Error("grant is gone"), { code: "NO_REFRESH_TOKEN" });
  await using other = openFixture({ deps: { auth: failing(coded) } });
  const error = await refusalOf(other.kernel, LIST);
  assert.equal(error.code, "AUTH_REQUIRED");
  assert.equal(error.message, "grant is gone");
  assert.equal(error.details.source_error_code, "NO_REFRESH_TOKEN");
  assert.equal(error.details.setup_command, "gum auth setup drive.files.list");
  assert.deepEqual(error.details.missing_components, ["oauth_scopes"]);
  const talking = new Error(`refused: Bearer ya29.leaked at https://x.example/t?key=AIzaLeaked1`);
  await using leaking = openFixture({ deps: { auth: failing(talking) } });
  const envelope = JSON.stringify((await refusalOf(leaking.kernel, LIST)).toEnvelope());
  assert.match(envelope, /refused/);
  assert.doesNotMatch(envelope, /ya29|AIzaLeaked/);
});

Deno.test("one forced refresh after a 401, for reads and writes; a second 401 is the answer", async () => {
  let refreshes = 0;
  const auth: AuthResolver = {
    resolve: () =>
      Promise.resolve({
        token: secret("stale"),
        subjectFingerprint: "f",
        signInStrategy: "byo_oauth",
      }),
    refresh: () => {
      refreshes++;
      return Promise.resolve({
        token: secret("fresh"),
        subjectFingerprint: "f",
        signInStrategy: "byo_oauth",
      });
    },
  };
  for (const call of [LIST, CREATE]) {
    await using fixture = openFixture({
      deps: { auth },
      script: (request) =>
        request.headers.get("authorization") === "Bearer fresh" ? json({}) : googleError(401),
    });
    await fixture.kernel.dispatch(call);
    assert.deepEqual(
      fixture.peer.requests.map((request) => request.headers.get("authorization")),
      ["Bearer stale", "Bearer fresh"],
    );
  }
  assert.equal(refreshes, 2);
  await using stubborn = openFixture({ deps: { auth }, script: () => googleError(401) });
  assert.equal((await refusalOf(stubborn.kernel, LIST)).code, "AUTH_REQUIRED");
  assert.equal(stubborn.peer.requests.length, 2);
  await using keyless = openFixture({ script: () => googleError(401) });
  await refusalOf(keyless.kernel, LIST);
  assert.equal(keyless.peer.requests.length, 1, "a resolver without refresh is asked once");
});

Deno.test("TestPrincipalScopedRecoveryAndCache: principals, variants and masks never share an answer", async () => {
  await using fixture = openFixture();
  const twoWays = op("x.y", [
    variant("x.one", ["read", "GET", "https://www.googleapis.com/one"]),
    variant("x.two", ["read", "GET", "https://www.googleapis.com/two"]),
  ]);
  await using variants = openFixture({ ops: [twoWays] });
  await variants.kernel.dispatch({ opId: "x.y", args: {} });
  await variants.kernel.dispatch({ opId: "x.y", args: {}, requestedVariantId: "x.two" });
  assert.equal(variants.peer.requests.length, 2);
  await fixture.kernel.dispatch(LIST);
  await fixture.kernel.dispatch({ ...LIST, authSubjectFingerprint: "fp-two" });
  await fixture.kernel.dispatch({ ...LIST, args: { fields: "files(id)" } });
  await fixture.kernel.dispatch({ ...LIST, args: { q: "x" } });
  assert.equal(fixture.peer.requests.length, 4);
  await fixture.kernel.dispatch(LIST);
  await fixture.kernel.dispatch({ ...LIST, args: { pageSize: 100 } });
  assert.equal(fixture.peer.requests.length, 4, "a spelled-out default is the same call");
});

Deno.test("a hit takes no limiter token, is shaped and recorded, and refuses a bad format alike", async () => {
  let taken = 0;
  await using fixture = openFixture({
    deps: { limiter: { take: () => Promise.resolve(void taken++), freeze() {} } },
    script: () => json({ files: [{ id: "a" }] }),
  });
  const cold = await fixture.kernel.dispatch({ ...LIST, format: "json" });
  const warm = await fixture.kernel.dispatch({ ...LIST, format: "json" });
  assert.equal(taken, 1);
  assert.deepEqual(warm.structuredContent, cold.structuredContent);
  assert.deepEqual(fixture.gain.map((row) => row.cacheStatus), ["miss", "hit"]);
  assert.equal(fixture.audit.length, 2);
  const bad = await refusalOf(fixture.kernel, { ...LIST, format: "xml" as never });
  assert.equal(bad.details.field, "format");
});

Deno.test("writes and opaque answers are never stored; a write drops the service's answers", async () => {
  await using fixture = openFixture();
  await fixture.kernel.dispatch(LIST);
  await fixture.kernel.dispatch(CREATE);
  await fixture.kernel.dispatch(LIST);
  assert.equal(fixture.peer.requests.length, 3, "the list is fetched again after the write");
  await fixture.kernel.dispatch(CREATE);
  assert.equal(fixture.peer.requests.length, 4);
  await using failing = openFixture({
    script: (request) => request.method === "POST" ? googleError(500) : json({}),
  });
  await failing.kernel.dispatch(LIST);
  await refusalOf(failing.kernel, CREATE);
  await failing.kernel.dispatch(LIST);
  assert.equal(
    failing.peer.requests.length,
    3,
    "a failed write that reached the service counts too",
  );
});

Deno.test("what cannot be cached is not applicable, never a miss", async () => {
  await using unknown = openFixture({ deps: { auth: as("") } });
  await unknown.kernel.dispatch(LIST);
  await unknown.kernel.dispatch(LIST);
  assert.equal(unknown.peer.requests.length, 2);
  assert.deepEqual(unknown.gain.map((row) => row.cacheStatus), [
    "not_applicable",
    "not_applicable",
  ]);
  await using lro = openFixture({
    ops: [op("x.y", [
      variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
        capabilities: ["lro_return"],
      }),
    ])],
  });
  await lro.kernel.dispatch({ opId: "x.y", args: {} });
  assert.equal(lro.gain[0]?.cacheStatus, "not_applicable");
  assert.equal(lro.kernel.returnsLro("x.y"), true);
});

Deno.test("dates collapse to one row only with the switch on", async () => {
  for (const [normalizeDatetimes, requests] of [[true, 1], [false, 2]] as const) {
    await using fixture = openFixture({ settings: { normalizeDatetimes } });
    await fixture.kernel.dispatch({ ...LIST, args: { q: "2026-05-19T20:00:00+05:30" } });
    await fixture.kernel.dispatch({ ...LIST, args: { q: "2026-05-19T14:30:00Z" } });
    assert.equal(fixture.peer.requests.length, requests);
    assert.match(
      fixture.peer.requests[0]?.target ?? "",
      /20%3A00%3A00%2B05%3A30/,
      "the wire keeps the spelling",
    );
  }
});

Deno.test("a cache that fails is a miss and a warning", async () => {
  const broken = () => Promise.reject(new Error("disk"));
  await using fixture = openFixture({
    deps: {
      cache: {
        get: broken,
        put: broken,
        renew: broken,
        evict: broken,
        invalidate: broken,
        stats: () => ({}),
      },
    },
  });
  await fixture.kernel.dispatch(LIST);
  await fixture.kernel.dispatch(CREATE);
  const warnings = fixture.logs.filter((record) => record.level === "warn").map((record) =>
    record.message
  );
  assert.deepEqual(warnings, ["cache_read_failed", "cache_write_failed", "cache_write_failed"]);
});

Deno.test("a stored body that no longer parses is evicted and fetched again", async () => {
  await using fixture = openFixture({ script: () => json({ files: [] }) });
  await fixture.kernel.dispatch(LIST);
  const original = fixture.deps.cache.get;
  let evicted = 0;
  Object.assign(fixture.deps.cache, {
    get: async (key: string) => {
      const entry = await original(key);
      return entry === undefined
        ? undefined
        : { ...entry, body: new TextEncoder().encode('{"cut') };
    },
    evict: () => Promise.resolve(void evicted++),
  });
  await fixture.kernel.dispatch(LIST);
  assert.deepEqual([evicted, fixture.peer.requests.length], [1, 2]);
});

const TAGGED = (etag = '"v1"') => (request: { headers: Headers }) =>
  request.headers.get("if-none-match") === etag
    ? { kind: "answer" as const, status: 304, headers: { etag } }
    : json({ files: [{ id: "a" }] }, { headers: { etag } });

Deno.test("TestDiffOnlyModeEtagReplay: a 304 renews; only a session that saw the body is told 'unchanged'", async () => {
  await using fixture = openFixture({ script: TAGGED(), settings: { diffOnly: true } });
  const call: Invocation = { ...LIST, format: "json", diffOnlyAllowed: true };
  const first = await fixture.kernel.dispatch(call);
  fixture.clock.advance(400_000);
  const second = await fixture.kernel.dispatch(call);
  assert.equal(fixture.peer.requests[1]?.headers.get("if-none-match"), '"v1"');
  assert.deepEqual(second.structuredContent, { unchanged: true, etag: '"v1"' });
  assert.deepEqual(second.unchanged, { etag: '"v1"' });
  assert.equal(second.expression, undefined);
  assert.equal(second.fullResultPath, undefined);
  assert.equal(fixture.gain[1]?.cacheStatus, "etag_304");
  // Renewed: the next call does not ask at all.
  const third = await fixture.kernel.dispatch(call);
  assert.equal(fixture.peer.requests.length, 2);
  assert.deepEqual(third.structuredContent, first.structuredContent);
});

Deno.test("TestDiffOnlyModeEtagReplay: without the switch or the surface's word a 304 gives the whole body", async () => {
  for (const [diffOnly, diffOnlyAllowed] of [[false, true], [true, false]] as const) {
    await using fixture = openFixture({ script: TAGGED(), settings: { diffOnly } });
    const call: Invocation = { ...LIST, format: "json", diffOnlyAllowed };
    await fixture.kernel.dispatch(call);
    fixture.clock.advance(400_000);
    const again = await fixture.kernel.dispatch(call);
    assert.deepEqual(again.structuredContent, { files: [{ id: "a" }] });
    assert.equal(fixture.gain[1]?.cacheStatus, "hit");
  }
});

Deno.test("TestDiffOnlyModeEtagReplay: another principal or mask asks without a condition", async () => {
  await using fixture = openFixture({ script: TAGGED() });
  await fixture.kernel.dispatch(LIST);
  fixture.clock.advance(400_000);
  await fixture.kernel.dispatch({ ...LIST, authSubjectFingerprint: "fp-two" });
  await fixture.kernel.dispatch({ ...LIST, args: { fields: "x" } });
  assert.equal(fixture.peer.requests[1]?.headers.get("if-none-match"), null);
  assert.equal(fixture.peer.requests[2]?.headers.get("if-none-match"), null);
});

Deno.test("an ETag in the body serves when there is no header", async () => {
  await using fixture = openFixture({ script: () => json({ etag: '"body"', files: [] }) });
  await fixture.kernel.dispatch(LIST);
  fixture.clock.advance(400_000);
  await fixture.kernel.dispatch(LIST);
  assert.equal(fixture.peer.requests[1]?.headers.get("if-none-match"), '"body"');
});

Deno.test("a local refusal says so and reaches nobody", async () => {
  await using fixture = openFixture();
  using limiter = createRateLimiter({
    clock: fixture.clock,
    capacity: 1,
    refillPerSecond: 0.1,
    maxWaitMs: 50,
  });
  Object.assign(fixture.deps, { limiter });
  await fixture.kernel.dispatch(LIST);
  const error = await refusalOf(fixture.kernel, { ...LIST, args: { q: "other" } });
  assert.equal(error.code, "RATE_LIMITED");
  assert.equal(error.details.source, "local");
  assert.equal(error.details.family, "workspace");
  assert.equal(error.retryable, true);
  assert.equal(error.details.retry_after_ms, 10_000);
  assert.equal(fixture.peer.requests.length, 1);
});

Deno.test("TestGumParallel429ServiceFamilyIsolation: a pause freezes its own family only", async () => {
  const other = op(
    "maps.x",
    [variant("maps.v", ["read", "GET", "https://maps.googleapis.com/x"])],
    {
      service_family: "maps",
    },
  );
  await using fixture = openFixture({
    ops: [...FILES, other],
    script: (request) =>
      request.host === "maps.googleapis.com" ? json({}) : googleError(429, { retryAfter: "60" }),
  });
  using limiter = createRateLimiter({ clock: fixture.clock, maxWaitMs: 100 });
  Object.assign(fixture.deps, { limiter });
  const upstream = await refusalOf(fixture.kernel, LIST);
  assert.deepEqual([upstream.details.source, upstream.details.retry_after_ms], [
    "upstream",
    60_000,
  ]);
  const local = await refusalOf(fixture.kernel, LIST);
  assert.equal(local.details.source, "local");
  assert.equal(fixture.peer.requests.length, 1);
  await fixture.kernel.dispatch({ opId: "maps.x", args: {} });
  fixture.clock.advance(60_001);
  assert.equal((await refusalOf(fixture.kernel, LIST)).details.source, "upstream");
});

Deno.test("TestTeeFailuresStep6VsStep7: a local refusal leaves no artifact, a 429 does", async () => {
  await using directory = await temporaryDirectory();
  let entered = 0;
  await using fixture = openFixture({
    dataDir: directory.path,
    settings: { teeMode: "failures" },
    script: () => {
      entered++;
      return googleError(429, { retryAfter: "60" });
    },
  });
  using limiter = createRateLimiter({ clock: fixture.clock, maxWaitMs: 0 });
  Object.assign(fixture.deps, { limiter });
  const upstream = await refusalOf(fixture.kernel, LIST);
  assert.equal(typeof upstream.details.full_result_path, "string");
  const local = await refusalOf(fixture.kernel, LIST);
  assert.equal(local.details.full_result_path, undefined);
  assert.equal(entered, 1);
});

Deno.test("explicit credentials reach only the strategies they fit", async () => {
  const auth = createExplicitAuthResolver({ apiKey: "AIzaKEY" });
  await using fixture = openFixture({
    ops: [
      op("x.key", [
        variant("x.k", ["read", "GET", "https://www.googleapis.com/k"], {
          auth_strategy: "api_key",
        }),
      ]),
      op("x.open", [
        variant("x.o", ["read", "GET", "https://www.googleapis.com/o"], { auth_strategy: "none" }),
      ]),
      ...FILES,
    ],
    deps: { auth },
  });
  await fixture.kernel.dispatch({ opId: "x.key", args: {} });
  await fixture.kernel.dispatch({ opId: "x.open", args: {} });
  assert.equal(fixture.peer.requests[0]?.headers.get("x-goog-api-key"), "AIzaKEY");
  assert.equal(fixture.peer.requests[1]?.headers.get("authorization"), null);
  assert.equal((await refusalOf(fixture.kernel, LIST)).code, "AUTH_REQUIRED");
});

Deno.test("an answer that was under way while a write ended is not kept", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let reads = 0;
  await using fixture = openFixture({
    async script(request) {
      if (request.method !== "GET") return json({ id: "a" });
      if (++reads > 1) return json({ version: "new" });
      asked.resolve();
      await release.promise;
      return json({ version: "old" });
    },
  });
  const read = { opId: "drive.files.get", args: { fileId: "a" }, format: "json" } as const;
  const early = fixture.kernel.dispatch(read);
  await asked.promise;
  await fixture.kernel.dispatch({
    opId: "drive.files.update",
    args: { fileId: "a", name: "n" },
    allowWrite: true,
  });
  release.resolve();
  assert.deepEqual((await early).structuredContent, { version: "old" });
  assert.deepEqual((await fixture.kernel.dispatch(read)).structuredContent, { version: "new" });
  // What is asked for after the write is kept as ever.
  await fixture.kernel.dispatch(read);
  assert.equal(reads, 2);
});

Deno.test("an ETag that no header can carry is not kept", async () => {
  await using fixture = openFixture({ script: () => json({ etag: "ü\n" }) });
  const read = { opId: "drive.files.get", args: { fileId: "a" }, format: "json" } as const;
  await fixture.kernel.dispatch(read);
  fixture.clock.advance(3_600_000);
  await fixture.kernel.dispatch(read);
  assert.equal(fixture.peer.requests[1]?.headers.get("if-none-match"), null);
});
