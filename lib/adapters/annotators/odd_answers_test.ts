import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { ANNOTATORS } from "./annotators.ts";
import { CARRIED } from "./carried.ts";
import { annotateAnswer } from "./mod.ts";

function annotate(opId: string, body: JsonValue, args: JsonObject = {}): JsonObject {
  return annotateAnswer({ opId, args }, body).body as JsonObject;
}

function rowsOf(opId: string, list: string, rows: JsonValue[]): JsonObject[] {
  return annotate(opId, { [list]: rows })[list] as JsonObject[];
}

Deno.test("events: one instant in two zones has not moved; a cancelled occurrence has its start", () => {
  const [same, moved, cancelled, floating] = rowsOf("calendar.events.list", "items", [
    {
      start: { dateTime: "2026-05-22T09:00:00+02:00", timeZone: "Europe/Berlin" },
      originalStartTime: { dateTime: "2026-05-22T07:00:00Z", timeZone: "UTC" },
    },
    {
      start: { dateTime: "2026-10-25T02:30:00+01:00", timeZone: "Europe/Berlin" },
      originalStartTime: { dateTime: "2026-10-25T02:30:00+02:00", timeZone: "Europe/Berlin" },
    },
    { status: "cancelled", originalStartTime: { date: "2026-05-23" } },
    { start: { dateTime: "2026-05-22T09:00:00", timeZone: "Europe/Berlin" } },
  ]);
  assert.equal(same?.moved_from, undefined);
  // The hour that comes twice: same face of the clock, an hour later.
  assert.equal(moved?.moved_from, "2026-10-25T02:30:00+02:00[Europe/Berlin]");
  assert.deepEqual([cancelled?.starts, cancelled?.moved_from], ["2026-05-23", undefined]);
  assert.equal(floating?.starts, "2026-05-22T09:00:00[Europe/Berlin]");
  const { items: [near] } = annotate("calendar.events.list", {
    timeZone: "Europe/Berlin",
    items: [{ start: { dateTime: "2026-05-22T09:00:00", timeZone: "Europe/Berlin" } }],
  }) as { items: [JsonObject] };
  assert.equal(near.starts, "2026-05-22T09:00:00[Europe/Berlin]");
});

Deno.test("documents: what is only suggested is marked", () => {
  const element = (content: string, more: JsonObject): JsonObject => ({
    textRun: { content, ...more },
  });
  const { paragraphs } = annotate("docs.documents.get", {
    body: {
      content: [{
        startIndex: 1,
        paragraph: {
          elements: [
            element("We pay ", { suggestedInsertionIds: [] }),
            element("ten", { suggestedDeletionIds: ["s1"] }),
            element("nine", { suggestedInsertionIds: ["s1"] }),
            element(" euros\n", {}),
          ],
        },
      }],
    },
  });
  assert.deepEqual(paragraphs, [{ start: 1, text: "We pay {--ten--}{++nine++} euros" }]);
});

Deno.test("rows: places in a list are those of the service, zeros are no days, midnight is a time", () => {
  const { results } = annotate("maps.distancematrix.get", {
    origin_addresses: ["A", "B"],
    destination_addresses: ["X", "Y"],
    rows: [null, { elements: [null, { status: "OK", distance: { value: 7 } }, {}] }],
  });
  assert.deepEqual(results, [
    { origin: "B", destination: "Y", status: "OK", meters: 7 },
    { origin: "B", destination: 2 },
  ]);
  const birthdays = rowsOf("people.connections.list", "connections", [
    { birthdays: [{ date: { year: 1990, month: 5, day: 0 }, text: "May 1990" }] },
    { birthdays: [{ date: { year: 0, month: 2, day: 29 } }] },
  ]);
  assert.deepEqual(birthdays.map(({ birthday }) => birthday), ["May 1990", "--02-29"]);
  const dueDate = { year: 2026, month: 5, day: 22 };
  assert.deepEqual(
    rowsOf("classroom.courses.courseWork.list", "courseWork", [
      { dueDate, dueTime: {} },
      { dueDate },
    ]).map(({ due }) => due),
    ["2026-05-22T00:00Z", "2026-05-22"],
  );
  const [message] = rowsOf("chat.spaces.messages.list", "messages", [{
    emojiReactionSummaries: [
      { emoji: { customEmoji: { uid: "u1", emojiName: ":octopus:" } }, reactionCount: 2 },
      { reactionCount: 3 },
      { emoji: { unicode: "🐙" }, reactionCount: {} },
      {},
    ],
  }]);
  assert.equal(message?.reactions, ":octopus: 2; ? 3; 🐙");
  const [step] = rowsOf("gmail.users.history.list", "history", [{
    labelsAdded: [{ labelIds: ["UNREAD"] }, { message: { id: "m" }, labelIds: ["A", {}, "B"] }],
  }]);
  assert.equal(step?.labels_added, "m:A+B");
  const { sheets } = annotate("sheets.spreadsheets.get", {
    sheets: [null, { data: [{ rowData: [{ values: [{ formattedValue: "1" }] }] }] }],
  });
  assert.equal((sheets as JsonValue[])[0], null);
  const named = JSON.parse('{"answers":{"__proto__":{"textAnswers":{"answers":[{"value":"x"}]}}}}');
  assert.deepEqual(Object.keys(annotate("forms.forms.responses.get", named).given as JsonObject), [
    "__proto__",
  ]);
});

Deno.test("spreadsheets: a cell without what it shows has its value, not nothing", () => {
  const values: JsonObject[] = [
    { formattedValue: "12 %", effectiveValue: { numberValue: 0.1234 } },
    { effectiveValue: { numberValue: 0 } },
    { userEnteredValue: { boolValue: false } },
    { effectiveValue: { errorValue: { type: "REF" } }, userEnteredValue: { stringValue: "x" } },
    { userEnteredValue: { formulaValue: "=A1" } },
  ];
  const { sheets } = annotate("sheets.spreadsheets.get", {
    sheets: [{ data: [{ rowData: [{ values }] }] }],
  });
  const [block] = ((sheets as JsonObject[])[0]?.data ?? []) as JsonObject[];
  assert.deepEqual([block?.rows, block?.formulas], [[["12 %", 0, false, "REF"]], { E1: "=A1" }]);
});

const TESTDATA = new URL("../../../testdata/", import.meta.url);

/** One answer as its service gave it for every operation that has any. */
function recordedAnswers(): Map<string, string> {
  const answers = new Map<string, string>();
  for (const kind of ["workspace_toon_read", "non_workspace_read"]) {
    const folder = new URL(`release_fixtures/${kind}/`, TESTDATA);
    for (const { name } of Deno.readDirSync(folder)) {
      const read = (file: string) => Deno.readTextFileSync(new URL(`${name}/${file}`, folder));
      const { op_id: opId } = JSON.parse(read("request.json"));
      const text = isAnnotated(opId) ? read("response.json") : "";
      // The longest has most members; beyond this they only repeat themselves.
      const longest = answers.get(opId)?.length ?? 0;
      if (longest === 0 ? text !== "" : text.length > longest && text.length < 40_000) {
        answers.set(opId, text);
      }
    }
  }
  return answers;
}

/** Answers that profiles are tested with, for operations that have no recorded one. */
const PROFILED: Readonly<Record<string, string>> = {
  "admin.directory.users.list": "admin.users.list",
  "adminreports.activities.list": "adminreports.activities.list",
  "adminreports.customerUsageReports.get": "adminreports.customer_usage.get",
  "calendar.acl.list": "calendar.acl.list",
  "chat.spaces.members.list": "chat.members.list",
  "chat.spaces.messages.list": "chat.messages.list",
  "classroom.courses.courseWork.list": "classroom.course_work.list",
  "classroom.courses.students.list": "classroom.students.list",
  "cloudidentity.groups.memberships.list": "cloudidentity.memberships.list",
  "forms.forms.get": "forms.forms.get",
  "gmail.users.history.list": "gmail.history.list",
  "maps.distancematrix.get": "maps.distance_matrix",
  "maps.geocoding.geocode": "maps.geocode",
  "meet.conferenceRecords.recordings.list": "meet.recordings.list",
  "photoslibrary.mediaItems.list": "photos.media_items.list",
  "script.projects.deployments.list": "script.deployments.list",
  "youtube.channels.list": "youtube.channels.list",
  "youtube.playlistItems.list": "youtube.playlist_items.list",
  "youtube.subscriptions.list": "youtube.subscriptions.list",
};

function isAnnotated(opId: string): boolean {
  return Object.hasOwn(ANNOTATORS, opId) || opId === "routes.computeRouteMatrix";
}

/** A profile's answer has its derived fields already; here they are to be derived. */
function underived(opId: string, body: JsonValue): JsonValue {
  const derived = new Set(Object.values(CARRIED[opId] ?? {}).flat());
  derived.add(opId === "maps.distancematrix.get" ? "results" : "questions");
  for (const name of ["what", "measures", "due", "given", "coordinates", "pixels"]) {
    for (const list of LISTS) derived.add(`${list}.${name}`);
  }
  for (const name of ["title", "video_id"]) derived.add(`items.${name}`);
  if (!isJsonObject(body)) return body;
  for (const path of derived) {
    const [list = "", name] = path.split(".");
    const rows = name === undefined ? [body] : [body[list] ?? []].flat();
    for (const row of rows) if (isJsonObject(row)) delete row[name ?? list];
  }
  return body;
}

const LISTS = ["items", "usageReports", "courseWork", "results", "mediaItems"];

const ODD: readonly JsonValue[] = [
  ...[null, "", "x", 0, -1.5, true, [], {}, [null], [{}], ["x", 7], { x: {} }, "2026-05-22"],
];

/** Every place of an answer: the object or list, and the name in it. */
function placesOf(value: JsonValue, places: [JsonObject, string][] = []): [JsonObject, string][] {
  if (typeof value !== "object" || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push([value as JsonObject, key]);
    placesOf((value as JsonObject)[key] ?? null, places);
  }
  return places;
}

function isKept(whole: JsonValue | undefined, piece: JsonValue): boolean {
  if (typeof piece !== "object" || piece === null) return Object.is(whole, piece);
  if (typeof whole !== "object" || whole === null) return false;
  if (Array.isArray(piece) && (!Array.isArray(whole) || whole.length !== piece.length)) {
    return false;
  }
  return Object.entries(piece).every(([key, inner]) => isKept((whole as JsonObject)[key], inner));
}

Deno.test("annotators: a real answer with odd members throws nothing, loses nothing, invents nothing", async (t) => {
  const answers = recordedAnswers();
  assert.ok(answers.size >= 15, `${answers.size} recorded answers`);
  for (const [opId, fixture] of Object.entries(PROFILED)) {
    const file = new URL(`profiles/${fixture}.json`, TESTDATA);
    const body = JSON.parse(await Deno.readTextFile(file)) as JsonValue;
    answers.set(opId, JSON.stringify(underived(opId, body)));
  }
  for (const [opId, text] of answers) {
    const args: JsonObject = { dimensions: ["query", "page"] };
    await t.step(opId, () => {
      const { addedPaths } = annotateAnswer({ opId, args }, JSON.parse(text));
      // A spreadsheet's answer may well have no cells, a matrix no failures.
      if (!/^(sheets|routes)/.test(opId)) assert.ok(addedPaths.length > 0);
      const places = placesOf(JSON.parse(text)).length;
      const change = fc.tuple(fc.nat(places - 1), fc.nat(ODD.length));
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
          const body = JSON.parse(text) as JsonValue;
          const found = placesOf(body);
          for (const [place, odd] of changes) {
            const [holder, key] = found[place] ?? [{}, ""];
            if (odd === ODD.length && !Array.isArray(holder)) delete holder[key];
            else holder[key] = structuredClone(ODD[odd] ?? null);
          }
          const before = JSON.stringify(body);
          const result = annotateAnswer({ opId, args }, body);
          assert.equal(JSON.stringify(body) === before, true, "the answer itself is not touched");
          assert.ok(isKept(result.body, body));
          const invented = /.{0,60}(?:\[object |undefined|NaN)/.exec(JSON.stringify(result.body));
          assert.equal(invented?.[0], undefined);
          if (isJsonObject(result.body)) result.settle?.(result.body);
        }),
        { numRuns: 10 },
      );
    });
  }
});
