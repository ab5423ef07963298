import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { type Caller, callerOf, readAll, refuses, testSeed } from "../drive/testdata/calling.ts";
import { createCalendar } from "./mod.ts";

const calendar = (): Caller => callerOf(createCalendar(testSeed()));
const ROOMS = "räume/nord 2+3 100%@group.calendar.example.com";
const PRIMARY = { calendarId: "primary" };

async function events(
  call: Caller,
  query: Record<string, string> = {},
  calendarId = "primary",
): Promise<JsonObject[]> {
  const { records } = await readAll((token) =>
    call("calendar.events.list", {
      params: { calendarId },
      query: { maxResults: "2500", ...query, ...(token === undefined ? {} : { pageToken: token }) },
    }), "items");
  return records;
}

async function calendars(call: Caller): Promise<JsonObject[]> {
  const { json } = await call("calendar.calendarList.list", { query: { showHidden: "true" } });
  return json.items as JsonObject[];
}

const when = (event: JsonObject, side: "start" | "end" = "start") => event[side] as JsonObject;

Deno.test("emulated Calendar: about 300 events over several calendars, every id resolves in get", async () => {
  const call = calendar();
  const list = await calendars(call);
  assert.ok(list.length >= 6);
  assert.deepEqual(
    new Set(list.map((item) => item.accessRole)),
    new Set(["owner", "writer", "reader", "freeBusyReader"]),
  );
  let count = 0;
  for (const item of list) {
    const id = String(item.id);
    assert.deepEqual(
      (await call("calendar.calendarList.get", { params: { calendarId: id } })).json,
      item,
    );
    const found = await events(call, { showDeleted: "true" }, id);
    count += found.length;
    for (const event of found) {
      const got = await call("calendar.events.get", {
        params: { calendarId: id, eventId: String(event.id) },
      });
      assert.deepEqual(got.json, event);
    }
  }
  assert.ok(count >= 280, String(count));
  assert.ok(list.some((item) => item.id === ROOMS));
});

Deno.test("emulated Calendar: expanded instances resolve in get too, moved and cancelled ones included", async () => {
  const call = calendar();
  const window = { timeMin: "2026-03-01T00:00:00Z", timeMax: "2026-06-01T00:00:00Z" };
  const expanded = await events(call, { ...window, singleEvents: "true", showDeleted: "true" });
  const instances = expanded.filter((event) => event.recurringEventId !== undefined);
  assert.ok(instances.length > 80);
  for (const event of instances) {
    const got = await call("calendar.events.get", {
      params: { ...PRIMARY, eventId: String(event.id) },
    });
    assert.deepEqual(got.json, event);
  }
  const moved = instances.filter((event) =>
    event.status !== "cancelled" &&
    when(event).dateTime !== (event.originalStartTime as JsonObject).dateTime
  );
  assert.ok(moved.length > 0, "no moved instance in the window");
  assert.ok(
    instances.some((event) => event.status === "cancelled"),
    "no cancelled instance in the window",
  );
});

Deno.test("emulated Calendar: the stand-up keeps 09:15 Berlin time over the change of 29 March 2026", async () => {
  const call = calendar();
  const list = await events(call, {
    singleEvents: "true",
    orderBy: "startTime",
    q: "stand-up",
    timeMin: "2026-03-26T00:00:00Z",
    timeMax: "2026-04-02T00:00:00Z",
  });
  const originals = list.map((event) => String((event.originalStartTime as JsonObject).dateTime));
  assert.ok(originals.some((text) => text.endsWith("T09:15:00+01:00")));
  assert.ok(originals.some((text) => text.endsWith("T09:15:00+02:00")));
  for (const text of originals) assert.match(text, /T09:15:00\+0[12]:00$/);
  const inTokyo = await events(call, {
    singleEvents: "true",
    q: "stand-up",
    timeZone: "Asia/Tokyo",
    timeMin: "2026-03-30T00:00:00Z",
    timeMax: "2026-03-31T00:00:00Z",
  });
  assert.equal((inTokyo[0]?.originalStartTime as JsonObject).dateTime, "2026-03-30T16:15:00+09:00");
});

Deno.test("emulated Calendar: all-day events stay dates, multi-day ones show on each day of their span", async () => {
  const call = calendar();
  const list = await events(call, {
    singleEvents: "true",
    timeMin: "2026-02-20T00:00:00Z",
    timeMax: "2026-08-15T00:00:00Z",
  });
  const days = list.filter((event) => when(event).date !== undefined);
  assert.ok(days.length > 5);
  for (const event of days) assert.match(String(when(event).date), /^\d{4}-\d{2}-\d{2}$/);
  const long = days.find((event) =>
    Date.parse(String(when(event, "end").date)) - Date.parse(String(when(event).date)) >
      2 * 86_400_000
  );
  assert.ok(long, "no multi-day event");
  const second = Date.parse(String(when(long).date)) + 86_400_000;
  const onSecond = await events(call, {
    singleEvents: "true",
    timeMin: new Date(second + 3_600_000 * 6).toISOString(),
    timeMax: new Date(second + 3_600_000 * 7).toISOString(),
  });
  assert.ok(onSecond.some((event) => event.id === long.id));
});

Deno.test("emulated Calendar: pages cover the list exactly once (property)", async () => {
  const call = calendar();
  const window = {
    singleEvents: "true",
    orderBy: "startTime",
    timeMin: "2026-04-01T00:00:00Z",
    timeMax: "2026-07-01T00:00:00Z",
  };
  const whole = (await events(call, window)).map((event) => event.id);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 5, max: 90 }), async (size) => {
      const { records } = await readAll((token) =>
        call("calendar.events.list", {
          params: PRIMARY,
          query: {
            ...window,
            maxResults: String(size),
            ...(token === undefined ? {} : { pageToken: token }),
          },
        }), "items");
      assert.deepEqual(records.map((event) => event.id), whole);
    }),
    { numRuns: 8 },
  );
});

Deno.test("emulated Calendar: a page may be empty and still have a next one", async () => {
  const call = calendar();
  const archive = (await calendars(call)).find((item) => item.hidden === true);
  assert.ok(archive);
  const first = await call("calendar.events.list", {
    params: { calendarId: String(archive.id) },
    query: { maxResults: "10" },
  });
  assert.deepEqual(first.json.items, []);
  assert.ok(first.json.nextPageToken);
  assert.equal((await events(call, { maxResults: "10" }, String(archive.id))).length, 8);
});

Deno.test("emulated Calendar: what Calendar refuses", async () => {
  const call = calendar();
  const list = (query: Record<string, string>) =>
    call("calendar.events.list", { params: PRIMARY, query });
  await refuses(list({ orderBy: "startTime" }), { status: 400 });
  await refuses(list({ timeMin: "2026-05-02" }), { status: 400 });
  await refuses(list({ timeMin: "2026-05-02T00:00:00Z", timeMax: "2026-05-01T00:00:00Z" }), {
    status: 400,
    reason: "timeRangeEmpty",
  });
  await refuses(list({ timeZone: "Mars/Base" }), { status: 400 });
  await refuses(list({ pageToken: "zzz" }), { status: 400 });
  await refuses(list({ syncToken: "old" }), { status: 410, reason: "fullSyncRequired" });
  await refuses(list({ updatedMin: "2020-01-01T00:00:00Z" }), {
    status: 410,
    reason: "updatedMinTooLongAgo",
  });
  await refuses(call("calendar.events.list", { params: { calendarId: "nobody@example.com" } }), {
    status: 404,
  });
  await refuses(call("calendar.events.get", { params: { ...PRIMARY, eventId: "nope" } }), {
    status: 404,
  });
  await refuses(
    call("calendar.events.insert", { params: PRIMARY, body: { summary: "no times" } }),
    { status: 400, reason: "required" },
  );
  await refuses(
    call("calendar.events.insert", {
      params: PRIMARY,
      body: {
        start: { dateTime: "2026-05-20T10:00:00" },
        end: { dateTime: "2026-05-20T11:00:00" },
      },
    }),
    { status: 400 },
  );
  await refuses(
    call("calendar.events.insert", {
      params: { calendarId: "jonas.okafor@example.org" },
      body: { start: { date: "2026-05-20" }, end: { date: "2026-05-21" } },
    }),
    { status: 403, reason: "requiredAccessLevel" },
  );
});

Deno.test("emulated Calendar: insert, patch, update, delete are visible to the next read and to sync", async () => {
  const call = calendar();
  const full = await call("calendar.events.list", {
    params: PRIMARY,
    query: { maxResults: "2500" },
  });
  const syncToken = String(full.json.nextSyncToken);
  const made = await call("calendar.events.insert", {
    params: PRIMARY,
    query: { conferenceDataVersion: "1" },
    body: {
      summary: "Lagebesprechung",
      start: { dateTime: "2026-05-20T10:00:00", timeZone: "Europe/Berlin" },
      end: { dateTime: "2026-05-20T11:00:00", timeZone: "Europe/Berlin" },
      attendees: [{ email: "renaud.lefevre@example.org" }],
      conferenceData: {
        createRequest: { requestId: "r1", conferenceSolutionKey: { type: "hangoutsMeet" } },
      },
    },
  });
  const eventId = String(made.json.id);
  assert.equal(when(made.json).dateTime, "2026-05-20T10:00:00+02:00");
  assert.equal(
    ((made.json.attendees as JsonObject[])[0] as JsonObject).displayName,
    "Renaud Lefèvre",
  );
  assert.match(String(made.json.hangoutLink), /^https:\/\/meet\.google\.com\//);
  const patched = await call("calendar.events.patch", {
    params: { ...PRIMARY, eventId },
    body: { location: "Kai 4", end: { dateTime: "2026-05-20T12:00:00+02:00" } },
  });
  assert.equal(patched.json.summary, "Lagebesprechung");
  assert.notEqual(patched.json.etag, made.json.etag);
  assert.equal(patched.json.sequence, 1);
  await refuses(
    call("calendar.events.patch", {
      params: { ...PRIMARY, eventId },
      headers: { "if-match": String(made.json.etag) },
      body: {},
    }),
    {
      status: 412,
      reason: "conditionNotMet",
    },
  );
  const updated = await call("calendar.events.update", {
    params: { ...PRIMARY, eventId },
    body: { summary: "Neu", start: { date: "2026-05-21" }, end: { date: "2026-05-21" } },
  });
  assert.equal(updated.json.location, undefined);
  assert.deepEqual(when(updated.json, "end"), { date: "2026-05-22" });
  const deleted = await call("calendar.events.delete", { params: { ...PRIMARY, eventId } });
  assert.equal(deleted.status, 204);
  await refuses(call("calendar.events.delete", { params: { ...PRIMARY, eventId } }), {
    status: 410,
    reason: "deleted",
  });
  assert.equal(
    (await call("calendar.events.get", { params: { ...PRIMARY, eventId } })).json.status,
    "cancelled",
  );
  const synced = await call("calendar.events.list", { params: PRIMARY, query: { syncToken } });
  assert.deepEqual((synced.json.items as JsonObject[]).map((event) => [event.id, event.status]), [[
    eventId,
    "cancelled",
  ]]);
});

Deno.test("emulated Calendar: a client-chosen id is taken once", async () => {
  const call = calendar();
  const body = { id: "abc123", start: { date: "2026-05-20" }, end: { date: "2026-05-21" } };
  assert.equal((await call("calendar.events.insert", { params: PRIMARY, body })).json.id, "abc123");
  await refuses(call("calendar.events.insert", { params: PRIMARY, body }), {
    status: 409,
    reason: "duplicate",
  });
  await refuses(
    call("calendar.events.insert", { params: PRIMARY, body: { ...body, id: "xyz!" } }),
    { status: 400 },
  );
});

Deno.test("emulated Calendar: one instance can be moved and deleted, its series goes on", async () => {
  const call = calendar();
  const series = await call("calendar.events.insert", {
    params: PRIMARY,
    body: {
      summary: "Kurs",
      start: { dateTime: "2026-10-22T18:00:00", timeZone: "Europe/Berlin" },
      end: { dateTime: "2026-10-22T19:00:00", timeZone: "Europe/Berlin" },
      recurrence: ["RRULE:FREQ=WEEKLY;COUNT=4"],
    },
  });
  const eventId = String(series.json.id);
  const instances = async (query: Record<string, string> = {}) =>
    (await call("calendar.events.instances", { params: { ...PRIMARY, eventId }, query })).json
      .items as JsonObject[];
  const before = await instances();
  assert.deepEqual(before.map((event) => when(event).dateTime), [
    "2026-10-22T18:00:00+02:00",
    "2026-10-29T18:00:00+01:00",
    "2026-11-05T18:00:00+01:00",
    "2026-11-12T18:00:00+01:00",
  ]);
  const second = String(before[1]?.id);
  assert.equal(second, `${eventId}_20261029T170000Z`);
  await call("calendar.events.patch", {
    params: { ...PRIMARY, eventId: second },
    body: {
      start: { dateTime: "2026-10-30T18:00:00+01:00" },
      end: { dateTime: "2026-10-30T19:00:00+01:00" },
    },
  });
  await call("calendar.events.delete", { params: { ...PRIMARY, eventId: String(before[2]?.id) } });
  const after = await instances();
  assert.deepEqual(after.map((event) => when(event).dateTime), [
    "2026-10-22T18:00:00+02:00",
    "2026-10-30T18:00:00+01:00",
    "2026-11-12T18:00:00+01:00",
  ]);
  assert.equal((await instances({ showDeleted: "true" })).length, 4);
  await call("calendar.events.delete", { params: { ...PRIMARY, eventId } });
  await refuses(
    call("calendar.events.get", { params: { ...PRIMARY, eventId: String(before[0]?.id) } }),
    { status: 404 },
  );
});

Deno.test("emulated Calendar: move, quickAdd, import and watch", async () => {
  const call = calendar();
  const made = await call("calendar.events.quickAdd", {
    params: PRIMARY,
    query: { text: "Zahnarzt tomorrow at 15:30" },
  });
  assert.equal(made.json.summary, "Zahnarzt");
  assert.equal(when(made.json).dateTime, "2026-05-20T15:30:00+02:00");
  const eventId = String(made.json.id);
  const moved = await call("calendar.events.move", {
    params: { ...PRIMARY, eventId },
    query: { destination: ROOMS },
  });
  assert.equal((moved.json.organizer as JsonObject).email, ROOMS);
  assert.equal(
    (await call("calendar.events.get", { params: { calendarId: ROOMS, eventId } })).json.status,
    "confirmed",
  );
  assert.equal(
    (await call("calendar.events.get", { params: { ...PRIMARY, eventId } })).json.status,
    "cancelled",
  );
  const imported = {
    iCalUID: "uid-1@example.com",
    summary: "A",
    start: { date: "2026-06-01" },
    end: { date: "2026-06-02" },
  };
  const first = await call("calendar.events.import", { params: PRIMARY, body: imported });
  const again = await call("calendar.events.import", {
    params: PRIMARY,
    body: { ...imported, summary: "B" },
  });
  assert.equal(again.json.id, first.json.id);
  assert.equal(again.json.summary, "B");
  const channel = await call("calendar.events.watch", {
    params: PRIMARY,
    body: { id: "ch1", type: "web_hook", address: "https://hooks.example.com/x" },
  });
  assert.equal(channel.json.kind, "api#channel");
  const stop = { id: "ch1", resourceId: channel.json.resourceId as string };
  assert.equal((await call("calendar.channels.stop", { body: stop })).status, 204);
  await refuses(call("calendar.channels.stop", { body: stop }), { status: 404 });
});

Deno.test("emulated Calendar: readers see private events as busy, free/busy readers see only times", async () => {
  const call = calendar();
  const shared = await events(call, {}, "jonas.okafor@example.org");
  const hidden = shared.filter((event) => event.visibility === "private");
  assert.ok(hidden.length > 0 && hidden.length < shared.length);
  for (const event of hidden) assert.equal(event.summary, undefined);
  for (const event of await events(call, {}, "priya.raghunathan@example.com")) {
    assert.equal(event.summary, undefined);
    assert.ok(event.start);
  }
});

Deno.test("emulated Calendar: free/busy merges overlaps, follows changes, reports unknown calendars", async () => {
  const call = calendar();
  const ask = async () =>
    (await call("calendar.freebusy.query", {
      body: {
        timeMin: "2026-12-01T00:00:00Z",
        timeMax: "2026-12-02T00:00:00Z",
        items: [{ id: ROOMS }, { id: "nobody@example.com" }],
      },
    })).json.calendars as Record<string, JsonObject>;
  const before = await ask();
  assert.deepEqual(before[ROOMS], { busy: [] });
  assert.deepEqual(before["nobody@example.com"]?.errors, [{
    domain: "global",
    reason: "notFound",
  }]);
  for (const [from, to] of [["09", "11"], ["10", "12"], ["14", "15"]]) {
    await call("calendar.events.insert", {
      params: { calendarId: ROOMS },
      body: {
        start: { dateTime: `2026-12-01T${from}:00:00Z` },
        end: { dateTime: `2026-12-01T${to}:00:00Z` },
      },
    });
  }
  assert.deepEqual((await ask())[ROOMS]?.busy, [
    { start: "2026-12-01T09:00:00Z", end: "2026-12-01T12:00:00Z" },
    { start: "2026-12-01T14:00:00Z", end: "2026-12-01T15:00:00Z" },
  ]);
});

Deno.test("emulated Calendar: calendars, list entries, access rules, colours and settings round trip", async () => {
  const call = calendar();
  const made = await call("calendar.calendars.insert", {
    body: { summary: "Garten", timeZone: "Europe/Lisbon" },
  });
  const params = { calendarId: String(made.json.id) };
  assert.equal(
    (await call("calendar.calendars.patch", { params, body: { description: "Beete" } })).json
      .summary,
    "Garten",
  );
  assert.equal(
    (await call("calendar.calendars.update", { params, body: { summary: "Hof" } })).json
      .description,
    undefined,
  );
  assert.equal(
    (await call("calendar.calendarList.patch", { params, body: { summaryOverride: "Mein Hof" } }))
      .json.summaryOverride,
    "Mein Hof",
  );
  await call("calendar.calendarList.delete", { params });
  await refuses(call("calendar.calendarList.get", { params }), { status: 404 });
  await call("calendar.calendarList.insert", { body: { id: params.calendarId } });
  const rule = await call("calendar.acl.insert", {
    params,
    body: { role: "reader", scope: { type: "user", value: "hanna.weiss@example.com" } },
  });
  const ruleId = String(rule.json.id);
  assert.equal(ruleId, "user:hanna.weiss@example.com");
  assert.equal(
    (await call("calendar.acl.patch", { params: { ...params, ruleId }, body: { role: "writer" } }))
      .json.role,
    "writer",
  );
  assert.equal(
    ((await call("calendar.acl.list", { params })).json.items as JsonObject[]).length,
    2,
  );
  assert.equal((await call("calendar.acl.delete", { params: { ...params, ruleId } })).status, 204);
  await refuses(call("calendar.acl.get", { params: { ...params, ruleId } }), { status: 404 });
  assert.equal((await call("calendar.calendars.delete", { params })).status, 204);
  await refuses(call("calendar.calendars.get", { params }), { status: 404 });
  await refuses(call("calendar.calendars.delete", { params: PRIMARY }), { status: 400 });
  assert.equal(
    Object.keys((await call("calendar.colors.get")).json.event as JsonObject).length,
    11,
  );
  assert.equal(
    (await call("calendar.settings.get", { params: { setting: "timezone" } })).json.value,
    "Europe/Berlin",
  );
  await call("calendar.calendars.clear", { params: PRIMARY });
  assert.deepEqual(await events(call), []);
});

Deno.test("emulated Calendar: same seed, same calendars", async () => {
  const world = async (seed: number) =>
    JSON.stringify(await events(callerOf(createCalendar(testSeed({ seed })))));
  assert.equal(await world(3), await world(3));
  assert.notEqual(await world(3), await world(4));
});
