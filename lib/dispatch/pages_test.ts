import assert from "node:assert/strict";
import fc from "fast-check";
import {
  call,
  type MediaFixture,
  objectOf,
  openMedia,
} from "../adapters/rest/media/testdata/media_fixture.ts";
import { recordKey } from "../format/mod.ts";
import { GumError } from "../errors/mod.ts";
import { json } from "../http/testdata/peer.ts";
import { isRawNumber, type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import {
  jumpingClock,
  op,
  openFixture,
  snapshotOf,
  temporaryDirectory,
  variant,
} from "./testdata/fixture.ts";
import { maskKeeping } from "./page_mask.ts";
import { dispatchPages, eachPage, type PageLimits, type PageLoopDeps } from "./pages.ts";
import type { Invocation, ShapedResponse } from "./types.ts";

const FILES = "/drive/v3/files";

function depsOf(world: MediaFixture): PageLoopDeps {
  return {
    dispatch: (invocation, signal) => world.kernel.dispatch(invocation, signal),
    catalog: world.deps.catalog,
    clock: world.clock,
    recordKey,
  };
}

function list(args: JsonObject = {}, parts: Partial<Invocation> = {}): Invocation {
  return call("drive.files.list", { args: { pageSize: 7, ...args }, ...parts });
}

function pages(
  world: MediaFixture,
  invocation: Invocation,
  limits: PageLimits = {},
  signal?: AbortSignal,
) {
  return dispatchPages(depsOf(world), { invocation, limits }, signal);
}

function ids(value: JsonValue | undefined): string[] {
  const { files } = value as { files: { id: string }[] };
  return files.map((file) => file.id);
}

async function everything(world: MediaFixture): Promise<string[]> {
  const answer = await world.kernel.dispatch(list({ pageSize: 1000 }, { maxItems: "all" }));
  world.emulator.clearJournal();
  return ids(answer.structuredContent);
}

Deno.test("TestPageLoop: all pages become one answer, in order, each a call of its own", async () => {
  await using world = await openMedia();
  const all = await everything(world);
  world.audit.length = 0;
  const { response, error } = await pages(world, list({}, { maxItems: "all" }), { pageLimit: 0 });
  assert.equal(error, undefined);
  assert.ok(all.length > 20);
  assert.deepEqual(ids(response.structuredContent), all);
  const count = Math.ceil(all.length / 7);
  assert.deepEqual(response.pagination, { pages: count, items: all.length, complete: true });
  assert.equal(world.emulator.journal.length, count);
  assert.equal(world.audit.length, count);
  assert.equal(response.expression?.result_count, all.length);
  assert.equal(objectOf(response).nextPageToken, undefined);
});

Deno.test("TestPageLoop: every page looks into the cache and shares one batch", async () => {
  await using world = await openMedia();
  const batches: (Invocation["batch"])[] = [];
  world.deps.gain.record = (entry) => void batches.push(entry.batch);
  await pages(world, list(), { pageLimit: 3 });
  const asked = world.emulator.journal.length;
  await pages(world, list(), { pageLimit: 3 });
  assert.deepEqual([asked, world.emulator.journal.length], [3, 3], "the second round was all hits");
  assert.deepEqual(batches.map((batch) => batch?.index), [0, 1, 2, 0, 1, 2]);
  assert.equal(new Set(batches.map((batch) => batch?.batchId)).size, 2);
});

Deno.test("TestPageLoop: sorting, removing duplicates and limits act on the whole", async () => {
  await using world = await openMedia();
  const all = await everything(world);
  const outputProfile = {
    name: "p",
    keep_fields: ["files.id", "files.mimeType"],
    dedupe: { by: ["mimeType"] },
    sort_by: "mimeType",
    limit: 3,
  };
  const { response } = await pages(world, list({}, { outputProfile }), { pageLimit: 0 });
  const { files } = objectOf(response) as unknown as { files: { mimeType: string }[] };
  const types = files.map((file) => file.mimeType);
  assert.equal(types.length, 3);
  assert.deepEqual(types, [...new Set(types)].sort());
  assert.ok(response.dedupedRows > 0 && response.limitedRows > 0);
  assert.equal(response.pagination?.items, all.length);
  const whole = await world.kernel.dispatch(
    list({ pageSize: 1000 }, { outputProfile, maxItems: "all" }),
  );
  assert.deepEqual(response.structuredContent, whole.structuredContent);
});

Deno.test("TestPageLoop: the loop ends at its page limit, ten unless told otherwise", async () => {
  await using world = await openMedia();
  const { response } = await pages(world, list({ pageSize: 1 }));
  const facts = response.pagination;
  assert.deepEqual([facts?.pages, facts?.items, facts?.complete, facts?.stopped_by], [
    10,
    10,
    false,
    "page_limit",
  ]);
  assert.equal(facts?.next_page_token, objectOf(response).nextPageToken);
  const more = await pages(world, list({ pageSize: 1, pageToken: facts?.next_page_token ?? "" }), {
    pageLimit: 1,
  });
  assert.deepEqual(ids(more.response.structuredContent), [(await everything(world))[10]]);
});

Deno.test("TestPageLoop: a record limit stops the fetching, and its token loses no record", async () => {
  await using world = await openMedia();
  const all = await everything(world);
  const first = await pages(world, list({}, { maxItems: "all" }), { items: 10 });
  assert.deepEqual(ids(first.response.structuredContent), all.slice(0, 10));
  assert.deepEqual([first.response.pagination?.items, first.response.pagination?.stopped_by], [
    10,
    "item_limit",
  ]);
  assert.equal(world.emulator.journal.length, 2);
  const token = first.response.pagination?.next_page_token ?? "";
  const rest = await pages(world, list({ pageToken: token }, { maxItems: "all" }), {
    pageLimit: 0,
  });
  assert.deepEqual(
    [...new Set([...all.slice(0, 10), ...ids(rest.response.structuredContent)])],
    all,
  );
  const exact = await pages(world, list(), { items: 14 });
  assert.equal(exact.response.pagination?.stopped_by, "item_limit");
});

Deno.test("TestPageLoop: a repeated token ends the loop with a warning", async () => {
  await using world = await openMedia();
  world.emulator.addFault({
    times: Infinity,
    match: { path: FILES },
    effect: { kind: "repeat_page_token" },
  });
  const { response } = await pages(world, list(), { pageLimit: 0 });
  assert.deepEqual([response.pagination?.stopped_by, response.pagination?.complete], [
    "repeated_token",
    false,
  ]);
  assert.equal(world.emulator.journal.length, 2);
  assert.ok(response.validationWarnings.some((warning) => /token/.test(warning)));
});

Deno.test("TestPageLoop: a caller's mask and a profile's are extended by the token, nothing else", async () => {
  await using world = await openMedia();
  const own = await pages(world, list({ fields: "files(id,name)" }, { maxItems: "all" }), {
    pageLimit: 2,
  });
  assert.equal(own.response.pagination?.pages, 2);
  assert.deepEqual(
    world.emulator.journal.map((entry) => entry.query.fields),
    [["files(id,name),nextPageToken"], ["files(id,name),nextPageToken"]],
  );
  world.emulator.clearJournal();
  const outputProfile = { name: "p", field_mask: "files/id" };
  const masked = await pages(world, list({}, { outputProfile }), { pageLimit: 2 });
  assert.equal(masked.response.pagination?.pages, 2);
  assert.deepEqual(world.emulator.journal[1]?.query.fields, ["files/id,nextPageToken"]);
});

Deno.test("TestPageMask: a mask is extended only when it would drop the token", () => {
  const kept: [string, string][] = [
    ["items(id,nextPageToken)", "items(id,nextPageToken),nextPageToken"],
    ["nextPageToken,items", "nextPageToken,items"],
    ["items , nextPageToken", "items , nextPageToken"],
    ["*", "*"],
    ["", ""],
    ["a/nextPageToken", "a/nextPageToken,nextPageToken"],
    ["nextPageTokenX", "nextPageTokenX,nextPageToken"],
    ["places.id,nextPageToken", "places.id,nextPageToken"],
  ];
  for (const [mask, expected] of kept) assert.equal(maskKeeping(mask, "nextPageToken"), expected);
  fc.assert(fc.property(fc.string(), (mask) => {
    const once = maskKeeping(mask, "t");
    assert.equal(maskKeeping(once, "t").startsWith(mask), true);
  }));
});

Deno.test("TestPageLoop: 'slow down' is waited for once a page, then what came is given", async () => {
  await using world = await openMedia();
  const slow = (times: number) =>
    world.emulator.addFault({
      times,
      match: { path: FILES },
      effect: { kind: "status", status: 429, retryAfter: "40" },
    });
  const deps = depsOf(world);
  const before = world.clock.now();
  let seen = 0;
  const end = await eachPage(deps, {
    invocation: list(),
    limits: { pageLimit: 3 },
    onPage() {
      // Pages two and three are each refused once.
      if (++seen < 3) slow(1);
    },
  });
  assert.deepEqual([end.facts.pages, end.facts.stopped_by, end.error], [
    3,
    "page_limit",
    undefined,
  ]);
  assert.ok(world.clock.now() - before >= 80_000);

  world.emulator.clearFaults();
  seen = 0;
  const limited = await eachPage(deps, {
    invocation: list({ pageSize: 6 }),
    limits: { pageLimit: 0 },
    onPage: () => void (++seen === 2 && slow(Infinity)),
  });
  assert.deepEqual([limited.facts.pages, limited.facts.stopped_by, limited.error?.code], [
    2,
    "error",
    "RATE_LIMITED",
  ]);
});

Deno.test("TestPageLoop: a later failure keeps the pages before it, a first failure is the failure", async () => {
  await using world = await openMedia();
  let calls = 0;
  const deps: PageLoopDeps = {
    ...depsOf(world),
    dispatch(invocation, signal) {
      if (invocation.shaping?.kind === "page" && ++calls === 3) {
        return Promise.reject(new GumError("SERVICE_DOWN", { message: "third page" }));
      }
      return world.kernel.dispatch(invocation, signal);
    },
  };
  const { response, error } = await dispatchPages(deps, {
    invocation: list({}, { maxItems: "all" }),
  });
  assert.equal(error?.message, "third page");
  assert.equal(ids(response.structuredContent).length, 14);
  assert.deepEqual([response.pagination?.complete, response.pagination?.stopped_by], [
    false,
    "error",
  ]);
  assert.equal(typeof response.pagination?.next_page_token, "string");
  calls = 2;
  await assert.rejects(dispatchPages(deps, { invocation: list() }), /third page/);
});

Deno.test("TestPageLoop: an abort between pages gives what was gathered", async () => {
  await using world = await openMedia();
  const controller = new AbortController();
  const deps = depsOf(world);
  const aborting: PageLoopDeps = {
    ...deps,
    async dispatch(invocation, signal) {
      const answer = await deps.dispatch(invocation, signal);
      if (invocation.batch?.index === 1) controller.abort(new Error("SIGINT"));
      return answer;
    },
  };
  const { response } = await dispatchPages(
    aborting,
    { invocation: list({}, { maxItems: "all" }) },
    controller.signal,
  );
  assert.deepEqual([ids(response.structuredContent).length, response.pagination?.stopped_by], [
    14,
    "abort",
  ]);
});

/** A service of scripted pages behind a dispatch function. */
function scripted(
  bodies: string[],
  operation = op("x.list", [
    variant("x.v", ["read", "GET", "https://www.googleapis.com/x"]),
  ]),
) {
  const asked: JsonObject[] = [];
  const clock = jumpingClock();
  const answer = (body: Uint8Array): ShapedResponse => ({
    body,
    format: "raw",
    opId: "x.list",
    variantId: "x.v",
    notice: { cli: "", mcp: "" },
    validationWarnings: [],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
  });
  const deps: PageLoopDeps = {
    catalog: snapshotOf([operation]),
    clock,
    recordKey,
    dispatch({ args, shaping }) {
      if (shaping?.kind === "gathered") return Promise.resolve(answer(shaping.body));
      asked.push(args);
      const body = bodies[asked.length - 1] ?? "{}";
      return Promise.resolve(answer(new TextEncoder().encode(body)));
    },
  };
  const run = async (invocation: Partial<Invocation> = {}, limits: PageLimits = {}) => {
    const { response } = await dispatchPages(deps, {
      invocation: { opId: "x.list", args: {}, ...invocation },
      limits,
    });
    return {
      merged: parseJson(new TextDecoder().decode(response.body)) as JsonObject,
      facts: response.pagination,
    };
  };
  return { deps, asked, run, clock };
}

Deno.test("TestPageLoop: other fields come from the last page; pages without records are pages", async () => {
  const { run } = scripted([
    '{"items":[1],"etag":"a","nextPageToken":"2"}',
    '{"etag":"b","nextPageToken":"3"}',
    '{"items":[2,3],"etag":"c","nextPageToken":""}',
  ]);
  const { merged, facts } = await run();
  assert.deepEqual(merged, { items: [1, 2, 3], etag: "c", nextPageToken: "" });
  assert.deepEqual(facts, { pages: 3, items: 3, complete: true });
});

Deno.test("TestPageLoop: long integers survive the joining", async () => {
  const { run } = scripted([
    '{"items":[{"id":12345678901234567890}],"nextPageToken":"2"}',
    '{"items":[{"id":9007199254740993}]}',
  ]);
  const { merged } = await run();
  const found = (merged.items as { id: unknown }[]).map(({ id }) =>
    isRawNumber(id) ? id.rawJSON : id
  );
  assert.deepEqual(found, ["12345678901234567890", "9007199254740993"]);
});

Deno.test("TestPageLoop: tokens travel by the name and in the place the operation declares", async () => {
  const base = variant("x.v", ["read", "POST", "https://www.googleapis.com/x"]);
  const field = (name: string, location: "query" | "body") => ({
    request_fields: [{ name, location, type: "string" as const }],
  });
  const snake = scripted(
    ['{"results":[1],"next_page_token":"t"}', "{}"],
    op("x.list", [base], field("page_token", "query")),
  );
  await snake.run();
  assert.deepEqual(snake.asked, [{}, { page_token: "t" }]);
  const body = scripted(
    ['{"results":[1],"nextPageToken":"t"}', "{}"],
    op("x.list", [base], field("pageToken", "body")),
  );
  await body.run({ args: { body: { q: 1, pageToken: "start" } } });
  assert.deepEqual(body.asked, [
    { body: { q: 1, pageToken: "start" } },
    { body: { q: 1, pageToken: "t" } },
  ]);
  const numbered = scripted(
    ['{"items":[1],"queries":{"nextPage":[{"startIndex":11}]}}', '{"items":[2],"queries":{}}'],
    op("x.list", [{
      ...base,
      pagination: { request: "start", response: "queries.nextPage.0.startIndex" },
    }], { request_fields: [{ name: "start", location: "query", type: "integer" }] }),
  );
  assert.deepEqual((await numbered.run()).facts, { pages: 2, items: 2, complete: true });
  assert.deepEqual(numbered.asked, [{}, { start: 11 }]);
});

Deno.test("TestPageLoop: the size limit, the pause between pages, and refusals", async () => {
  const page = (next: number) =>
    JSON.stringify({ items: ["x".repeat(1000)], nextPageToken: `${next}` });
  const many = Array.from({ length: 9 }, (_, index) => page(index));
  const bounded = scripted(many);
  const { facts } = await bounded.run({}, { pageLimit: 0, gatheredBytes: 3000 });
  assert.deepEqual([facts?.pages, facts?.stopped_by], [3, "size_limit"]);
  const paced = scripted(many);
  const before = paced.clock.now();
  await paced.run({}, { pageLimit: 4, delayMs: 250 });
  assert.equal(paced.clock.now() - before, 750);
  const write = scripted(many);
  await assert.rejects(write.run({ allowWrite: true }), /only read operations/);
  const closed = scripted(
    many,
    op("x.list", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])], {
      request_fields: [],
    }),
  );
  await assert.rejects(closed.run(), /has no pages/);
  assert.deepEqual([write.asked, closed.asked], [[], []]);
});

Deno.test("TestPageLoop: joining pages loses and invents nothing, wherever a list is cut", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.array(fc.integer(), { maxLength: 5 }), { minLength: 1, maxLength: 8 }),
    async (chunks) => {
      const bodies = chunks.map((items, index) =>
        JSON.stringify({
          ...(items.length > 0 || index === 0 ? { items } : {}),
          ...(index < chunks.length - 1 ? { nextPageToken: `p${index}` } : {}),
        })
      );
      const { merged, facts } = await scripted(bodies).run();
      assert.deepEqual(merged.items, chunks.flat());
      assert.deepEqual(facts, {
        pages: chunks.length,
        items: chunks.flat().length,
        complete: true,
      });
    },
  ));
});

Deno.test("TestPageLoop: a page that lacks its list, or has another one, mixes nothing", async () => {
  const { run } = scripted([
    '{"items":[1],"prefixes":["a"],"nextPageToken":"2"}',
    '{"prefixes":["b"],"nextPageToken":"3"}',
    '{"items":[2],"prefixes":["c"]}',
  ]);
  const { merged, facts } = await run();
  assert.deepEqual(merged, { items: [1, 2], prefixes: ["c"] });
  assert.deepEqual(facts, { pages: 3, items: 2, complete: true });
  const late = scripted([
    '{"prefixes":["a"],"nextPageToken":"2"}',
    '{"items":[1],"prefixes":["b"]}',
  ]);
  assert.deepEqual((await late.run()).merged.items, [1]);
  const joined = scripted([
    '{"services":[1],"nextPageToken":"2"}',
    '{"services":[2],"unreachable":["zone"],"nextPageToken":"3"}',
    '{"services":[3]}',
  ]);
  assert.deepEqual((await joined.run()).merged, { services: [1, 2, 3], unreachable: ["zone"] });
});

Deno.test("TestPageLoop: pages without a list of records are joined all the same", async () => {
  const maps = scripted([
    '{"items":{"zones/a":{"disks":[1]},"zones/b":{"warning":{}}},"id":"x","nextPageToken":"2"}',
    '{"items":{"zones/b":{"disks":[2]},"zones/c":{"disks":[3]}},"id":"y"}',
  ]);
  assert.deepEqual((await maps.run()).merged, {
    items: {
      "zones/a": { disks: [1] },
      "zones/b": { warning: {}, disks: [2] },
      "zones/c": { disks: [3] },
    },
    id: "y",
  });
});

Deno.test("TestPageLoop: a login that ends under way costs the pages to come, not those that came", async () => {
  await using world = await openMedia();
  const { auth } = world.deps;
  const { resolve } = auth;
  let asked = 0;
  auth.resolve = (request, signal) =>
    ++asked > 2
      ? Promise.reject(new GumError("AUTH_REQUIRED", { message: "the grant was revoked" }))
      : resolve.call(auth, request, signal);
  const { response, error } = await pages(world, list({}, { maxItems: "all" }), { pageLimit: 0 });
  assert.equal(error?.code, "AUTH_REQUIRED");
  assert.equal(ids(response.structuredContent).length, 14);
  assert.equal(response.fullResultPath, undefined);
});

Deno.test("TestPageLoop: what another record limit gathered is another full result", async () => {
  await using home = await temporaryDirectory();
  await using fixture = openFixture({
    ops: [
      op("x.list", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])]),
    ],
    dataDir: home.path,
    profile: { name: "p", recovery: "resource_link", tee_mode: "always" },
    script: () => json({ files: [{ id: 1 }, { id: 2 }, { id: 3 }] }),
  });
  const deps: PageLoopDeps = {
    dispatch: fixture.kernel.dispatch,
    catalog: fixture.deps.catalog,
    clock: fixture.clock,
    recordKey,
  };
  const kept = async (items?: number) => {
    const invocation = { opId: "x.list", args: {} };
    const { response } = await dispatchPages(deps, { invocation, limits: { items } });
    return response.fullResultPath;
  };
  const paths = [await kept(1), await kept(2), await kept(), await kept(1)];
  assert.ok(paths.every((path) => path !== undefined));
  assert.equal(new Set(paths).size, 3);
  assert.equal(paths[0], paths[3]);
});
