import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { type Caller, callerOf, readAll, refuses, testSeed } from "../drive/testdata/calling.ts";
import { createTasks } from "./mod.ts";

const tasks = (): Caller => callerOf(createTasks(testSeed()));
const MINE = { tasklist: "@default" };

async function all(
  call: Caller,
  query: Record<string, string> = {},
  params: Record<string, string> = MINE,
): Promise<JsonObject[]> {
  const { records } = await readAll((token) =>
    call("tasks.tasks.list", {
      params,
      query: { maxResults: "100", ...query, ...(token === undefined ? {} : { pageToken: token }) },
    }), "items");
  return records;
}

const EVERYTHING = { showHidden: "true", showDeleted: "true" };

Deno.test("emulated Tasks: lists and tasks resolve, with subtasks, due dates, hidden and deleted ones", async () => {
  const call = tasks();
  const lists = (await call("tasks.tasklists.list")).json.items as JsonObject[];
  assert.ok(lists.length >= 4);
  for (const list of lists) {
    assert.deepEqual(
      (await call("tasks.tasklists.get", { params: { tasklist: String(list.id) } })).json,
      list,
    );
  }
  const found = await all(call, EVERYTHING);
  assert.ok(found.length > 60);
  for (const task of found) {
    assert.deepEqual(
      (await call("tasks.tasks.get", { params: { ...MINE, task: String(task.id) } })).json,
      task,
    );
    if (task.due !== undefined) assert.match(String(task.due), /T00:00:00\.000Z$/);
  }
  const ids = new Set(found.map((task) => task.id));
  assert.ok(found.some((task) => task.parent !== undefined));
  assert.ok(found.every((task) => task.parent === undefined || ids.has(task.parent)));
  const plain = await all(call);
  assert.ok(plain.length < found.length);
  assert.ok(plain.every((task) => task.hidden !== true && task.deleted !== true));
  assert.ok(
    (await all(call, { showCompleted: "false" })).every((task) => task.status === "needsAction"),
  );
});

Deno.test("emulated Tasks: pages cover the list exactly once (property)", async () => {
  const call = tasks();
  const whole = (await all(call, EVERYTHING)).map((task) => task.id);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (size) => {
      assert.deepEqual(
        (await all(call, { ...EVERYTHING, maxResults: String(size) })).map((task) => task.id),
        whole,
      );
    }),
    { numRuns: 15 },
  );
});

Deno.test("emulated Tasks: due and updated windows filter like a look at every task", async () => {
  const call = tasks();
  const found = await all(call, EVERYTHING);
  const from = "2026-05-01T00:00:00Z", to = "2026-06-01T00:00:00Z";
  const due = await all(call, { ...EVERYTHING, dueMin: from, dueMax: to });
  const expected = found.filter((task) =>
    task.due !== undefined && String(task.due) >= "2026-05-01" && String(task.due) < "2026-06-01"
  );
  assert.deepEqual(due.map((task) => task.id), expected.map((task) => task.id));
  assert.ok(due.length > 0 && due.length < found.length);
  const fresh = await all(call, { ...EVERYTHING, updatedMin: "2026-04-20T00:00:00Z" });
  assert.ok(fresh.length > 0 && fresh.every((task) => String(task.updated) >= "2026-04-20"));
});

Deno.test("emulated Tasks: insert, complete, reopen, delete are visible to the next read", async () => {
  const call = tasks();
  const made = await call("tasks.tasks.insert", {
    params: MINE,
    body: { title: "Rad reparieren", notes: "Schlauch", due: "2026-05-25T18:30:00Z" },
  });
  const params = { ...MINE, task: String(made.json.id) };
  assert.equal(made.json.due, "2026-05-25T00:00:00.000Z");
  assert.equal((await all(call))[0]?.id, made.json.id);
  const done = await call("tasks.tasks.patch", { params, body: { status: "completed" } });
  assert.equal(done.json.completed, "2026-05-19T14:30:00.000Z");
  assert.notEqual(done.json.etag, made.json.etag);
  const open = await call("tasks.tasks.update", {
    params,
    body: { title: "Rad", status: "needsAction" },
  });
  assert.equal(open.json.completed, undefined);
  assert.equal(open.json.notes, undefined);
  assert.equal((await call("tasks.tasks.delete", { params })).status, 204);
  assert.ok(!(await all(call)).some((task) => task.id === made.json.id));
  assert.equal((await call("tasks.tasks.get", { params })).json.deleted, true);
});

Deno.test("emulated Tasks: move sets parent and place, and changes the list", async () => {
  const call = tasks();
  const make = async (title: string, query: Record<string, string> = {}) =>
    String((await call("tasks.tasks.insert", { params: MINE, query, body: { title } })).json.id);
  const a = await make("a");
  const b = await make("b", { previous: a });
  const c = await make("c", { parent: a });
  const order = async () => (await all(call)).map((task) => task.title).slice(0, 3);
  assert.deepEqual(await order(), ["a", "c", "b"]);
  await call("tasks.tasks.move", {
    params: { ...MINE, task: b },
    query: { parent: a, previous: c },
  });
  assert.equal((await call("tasks.tasks.get", { params: { ...MINE, task: b } })).json.parent, a);
  assert.deepEqual(await order(), ["a", "c", "b"]);
  await refuses(call("tasks.tasks.move", { params: { ...MINE, task: a }, query: { parent: c } }), {
    status: 400,
  });
  await refuses(
    call("tasks.tasks.move", { params: { ...MINE, task: b }, query: { previous: "none" } }),
    { status: 400 },
  );
  const other = await call("tasks.tasklists.insert", { body: { title: "Zweite" } });
  const tasklist = String(other.json.id);
  await call("tasks.tasks.move", {
    params: { ...MINE, task: b },
    query: { destinationTasklist: tasklist },
  });
  assert.deepEqual((await all(call, {}, { tasklist })).map((task) => task.title), ["b"]);
  await refuses(call("tasks.tasks.get", { params: { ...MINE, task: b } }), { status: 404 });
  await call("tasks.tasks.delete", { params: { ...MINE, task: a } });
  assert.equal(
    (await call("tasks.tasks.get", { params: { ...MINE, task: c } })).json.deleted,
    true,
  );
});

Deno.test("emulated Tasks: clear hides what is completed and keeps it readable", async () => {
  const call = tasks();
  const done = (await all(call)).filter((task) => task.status === "completed");
  assert.ok(done.length > 0);
  assert.equal((await call("tasks.tasks.clear", { params: MINE })).status, 204);
  assert.ok((await all(call)).every((task) => task.status === "needsAction"));
  const hidden = (await all(call, { showHidden: "true" })).filter((task) => task.hidden === true)
    .map((task) => task.id);
  for (const task of done) assert.ok(hidden.includes(task.id));
});

Deno.test("emulated Tasks: lists are made, renamed and deleted; the default one stays", async () => {
  const call = tasks();
  const made = await call("tasks.tasklists.insert", { body: { title: "Neu" } });
  const params = { tasklist: String(made.json.id) };
  assert.equal(
    (await call("tasks.tasklists.update", { params, body: { title: "Neuer" } })).json.title,
    "Neuer",
  );
  assert.deepEqual(await all(call, {}, params), []);
  assert.equal((await call("tasks.tasklists.delete", { params })).status, 204);
  await refuses(call("tasks.tasklists.get", { params }), { status: 404 });
  await refuses(call("tasks.tasklists.delete", { params: MINE }), { status: 400 });
  await refuses(call("tasks.tasklists.insert", { body: {} }), { status: 400 });
  await refuses(
    call("tasks.tasks.insert", { params: MINE, body: { title: "x", status: "paused" } }),
    { status: 400 },
  );
  await refuses(call("tasks.tasks.list", { params: MINE, query: { pageToken: "x" } }), {
    status: 400,
  });
});

Deno.test("emulated Tasks: same seed, same tasks", async () => {
  const world = async (seed: number) =>
    JSON.stringify(await all(callerOf(createTasks(testSeed({ seed }))), EVERYTHING));
  assert.equal(await world(1), await world(1));
  assert.notEqual(await world(1), await world(2));
});
