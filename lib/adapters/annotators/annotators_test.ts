import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { ANNOTATORS } from "./annotators.ts";
import { annotateAnswer } from "./mod.ts";
import { columnName } from "./spreadsheets.ts";

function annotate(opId: string, body: JsonValue, args: JsonObject = {}): JsonObject {
  return annotateAnswer({ opId, args }, body).body as JsonObject;
}

Deno.test("events: dates stay dates, times keep their offset, foreign zones are named", () => {
  const body: JsonObject = {
    timeZone: "Europe/Berlin",
    items: [
      { id: "day", start: { date: "2026-06-07" }, end: { date: "2026-06-08" } },
      {
        id: "home",
        start: { dateTime: "2026-06-07T09:00:00+02:00", timeZone: "Europe/Berlin" },
        end: { dateTime: "2026-06-07T10:00:00+02:00", timeZone: "Europe/Berlin" },
        originalStartTime: { dateTime: "2026-06-07T09:00:00+02:00", timeZone: "Europe/Berlin" },
        eventType: "default",
      },
      {
        id: "away",
        start: { dateTime: "2026-06-07T09:00:00+09:00", timeZone: "Asia/Tokyo" },
        end: { dateTime: "2026-06-07T10:00:00+09:00", timeZone: "Asia/Tokyo" },
        originalStartTime: { dateTime: "2026-06-06T09:00:00+09:00", timeZone: "Asia/Tokyo" },
        recurrence: ["RRULE:FREQ=DAILY", "EXDATE:20260608"],
        organizer: { email: "anna@example.com" },
        eventType: "outOfOffice",
        attendees: [
          { email: "a@example.com", responseStatus: "accepted" },
          { email: "b@example.com", responseStatus: "declined", comment: "ill" },
          { email: "c@example.com", responseStatus: "accepted", optional: true },
          { email: "room@example.com", responseStatus: "accepted", resource: true },
        ],
      },
      { id: "cancelled", status: "cancelled" },
    ],
  };
  const [day, home, away, cancelled] = annotate("calendar.events.list", body)
    .items as JsonObject[];
  assert.deepEqual([day?.starts, day?.ends], ["2026-06-07", "2026-06-08"]);
  assert.equal(home?.starts, "2026-06-07T09:00:00+02:00");
  assert.equal(home?.moved_from, undefined);
  assert.equal(home?.event_kind, undefined);
  assert.equal(away?.starts, "2026-06-07T09:00:00+09:00[Asia/Tokyo]");
  assert.equal(away?.moved_from, "2026-06-06T09:00:00+09:00[Asia/Tokyo]");
  assert.equal(away?.repeats, "RRULE:FREQ=DAILY\nEXDATE:20260608");
  assert.equal(away?.event_kind, "outOfOffice");
  assert.equal(
    away?.guests,
    'accepted: a@example.com c@example.com (optional) room@example.com (room); declined: b@example.com ("ill")',
  );
  assert.deepEqual(cancelled, { id: "cancelled", status: "cancelled" });
  const single = annotate("calendar.events.get", (body.items as JsonObject[])[1] as JsonObject);
  assert.equal(single.starts, "2026-06-07T09:00:00+02:00[Europe/Berlin]");
});

Deno.test("events: the guests of a series are named once, until they change", () => {
  const event = (day: number, answer: string, series = "s"): JsonObject => ({
    id: `${series}_${day}`,
    recurringEventId: series,
    start: { dateTime: `2026-06-0${day}T09:00:00Z` },
    attendees: [
      { email: "first.guest@example.com", responseStatus: "accepted" },
      { email: "second.guest@example.com", responseStatus: answer },
    ],
  });
  const body = {
    items: [
      event(1, "accepted"),
      event(1, "accepted", "t"),
      event(2, "accepted"),
      event(3, "declined"),
      event(4, "declined"),
      { ...event(5, "declined"), recurringEventId: undefined },
    ] as JsonObject[],
  };
  delete body.items[5]?.recurringEventId;
  const whole = "accepted: first.guest@example.com second.guest@example.com";
  const changed = "accepted: first.guest@example.com; declined: second.guest@example.com";
  assert.deepEqual(
    (annotate("calendar.events.list", body).items as JsonObject[]).map(({ guests }) => guests),
    [
      whole,
      whole,
      "same as 2026-06-01T09:00:00Z",
      changed,
      "same as 2026-06-03T09:00:00Z",
      changed,
    ],
  );
});

Deno.test("files: links are said once for each type; one that does not follow from its id stays", () => {
  const file = (id: string, mimeType: string, webViewLink: string) => ({
    id,
    mimeType,
    webViewLink,
  });
  const answer = annotate("drive.files.list", {
    files: [
      file("a1", "doc", "https://docs.example/document/d/a1/edit"),
      file("b2", "doc", "https://docs.example/document/d/b2/edit"),
      file("c3", "doc", "https://docs.example/other/c3"),
      file("d4", "pdf", "https://drive.example/file/d/d4/view"),
      file("e5", "png", "https://drive.example/file/d/e5/view"),
      file("f6", "png", "https://elsewhere.example/"),
      { id: "g7", webViewLink: "https://docs.example/g7" },
      { id: "h8", mimeType: "doc" },
    ],
  });
  assert.deepEqual(answer.links, {
    doc: "https://docs.example/document/d/{id}/edit",
    "*": "https://drive.example/file/d/{id}/view",
  });
  assert.deepEqual((answer.files as JsonObject[]).map(({ link }) => link), [
    undefined,
    undefined,
    "https://docs.example/other/c3",
    undefined,
    undefined,
    "https://elsewhere.example/",
    "https://docs.example/g7",
    undefined,
  ]);
  assert.equal(
    annotate("drive.files.list", { files: [{ id: "a", mimeType: "doc" }] }).links,
    undefined,
  );
});

Deno.test("files: words for links follow the rows that are shown, and go with the last of them", () => {
  const file = (id: string, mimeType: string, path: string) => ({
    id,
    mimeType,
    webViewLink: `https://e.example/${path}/${id}/view`,
  });
  const { body, settle } = annotateAnswer({ opId: "drive.files.list", args: {} }, {
    files: [
      file("a1", "doc", "document/d"),
      file("b1", "pdf", "file/d"),
      file("c1", "png", "file/d"),
      { id: "d1", mimeType: "pdf" },
    ],
  });
  const { links, files } = body as { links: JsonObject; files: JsonObject[] };
  assert.deepEqual(Object.keys(links).sort(), ["*", "doc"]);
  const shown = (rows: JsonObject[]) =>
    Object.keys((settle?.({ links, files: rows }) as JsonObject).links ?? {}).sort();
  assert.deepEqual(shown(files), ["*", "doc"]);
  assert.deepEqual(shown(files.slice(0, 1)), ["doc"]);
  assert.deepEqual(shown(files.slice(1, 3)), ["*"]);
  assert.deepEqual(shown(files.slice(3)), []);
  assert.deepEqual(settle?.({ links, files: [] }), { files: [] });
  assert.deepEqual(settle?.({ files }), { files });
});

Deno.test("documents: paragraphs with place and style, tables, links, people, tabs", () => {
  const run = (content: string, url?: string): JsonObject => ({
    textRun: { content, ...(url && { textStyle: { link: { url } } }) },
  });
  const paragraph = (startIndex: number, elements: JsonObject[], more: JsonObject = {}) => ({
    startIndex,
    paragraph: { elements, paragraphStyle: { namedStyleType: "NORMAL_TEXT" }, ...more },
  });
  const cell = (text: string): JsonObject => ({ content: [paragraph(0, [run(text)])] });
  const body: JsonObject = {
    title: "T",
    body: {
      content: [
        { endIndex: 1, sectionBreak: {} },
        paragraph(1, [run("Head\n")], { paragraphStyle: { namedStyleType: "HEADING_1" } }),
        paragraph(6, [run("See "), run("this", "https://e.com/"), run(" now\n")]),
        paragraph(20, [run("item\n")], { bullet: { listId: "l", nestingLevel: 1 } }),
        paragraph(30, [{ person: { personProperties: { name: "Bo", email: "bo@e.com" } } }]),
        {
          startIndex: 40,
          table: { tableRows: [{ startIndex: 41, tableCells: [cell("a\n"), cell("b\n")] }] },
        },
        paragraph(50, [run("\n")]),
      ],
    },
    footnotes: { f1: { content: [paragraph(0, [run("note\n")])] } },
  };
  assert.deepEqual(annotate("docs.documents.get", body).paragraphs, [
    { start: 1, style: "HEADING_1", text: "Head" },
    { start: 6, text: "See [this](https://e.com/) now" },
    { start: 20, style: "LIST_2", text: "item" },
    { start: 30, text: "Bo <bo@e.com>" },
    { start: 41, style: "TABLE_ROW", text: "a | b" },
    { start: 0, style: "FOOTNOTE", text: "note", segment: "f1" },
  ]);
  const tabs: JsonObject = {
    tabs: [{
      tabProperties: { tabId: "t.0", title: "First" },
      documentTab: { body: { content: [paragraph(1, [run("x\n")])] } },
      childTabs: [{
        tabProperties: { tabId: "t.1" },
        documentTab: { body: { content: [paragraph(1, [run("y\n")])] } },
      }],
    }],
  };
  assert.deepEqual(annotate("docs.documents.get", tabs).paragraphs, [
    { start: 1, text: "x", tab: "First" },
    { start: 1, text: "y", tab: "t.1" },
  ]);
});

Deno.test("spreadsheets: grid data as rows, formulas and notes by address", () => {
  const body: JsonObject = {
    sheets: [{
      data: [{
        startRow: 1,
        startColumn: 25,
        rowData: [
          { values: [{ formattedValue: "3", userEnteredValue: { formulaValue: "=1+2" } }, {}] },
          {},
          { values: [{}, { formattedValue: "x", note: "n", hyperlink: "https://e.com" }] },
          { values: [{}] },
        ],
      }],
    }],
  };
  const { body: result, addedPaths } = annotateAnswer(
    { opId: "sheets.spreadsheets.get", args: {} },
    body,
  );
  const [sheet] = (result as JsonObject).sheets as JsonObject[];
  const { rowData: _, ...block } = (sheet?.data as JsonObject[])[0] as JsonObject;
  assert.deepEqual(block, {
    startRow: 1,
    startColumn: 25,
    rows: [["3"], [], [null, "x"]],
    formulas: { Z2: "=1+2" },
    notes: { AA4: "n" },
    links: { AA4: "https://e.com" },
  });
  assert.deepEqual(addedPaths, [
    "sheets.data.formulas",
    "sheets.data.links",
    "sheets.data.notes",
    "sheets.data.rows",
  ]);
  assert.deepEqual([0, 25, 26, 701, 702].map(columnName), ["A", "Z", "AA", "ZZ", "AAA"]);
});

Deno.test("slides: every element with its slide, notes of the speaker only", () => {
  const text = (content: string): JsonObject => ({ textElements: [{ textRun: { content } }] });
  const body: JsonObject = {
    slides: [{
      objectId: "s1",
      pageElements: [
        { objectId: "e1", shape: { placeholder: { type: "TITLE" }, text: text("Hi\n") } },
        { objectId: "g", elementGroup: { children: [{ objectId: "e2", line: {} }] } },
        { objectId: "e3", image: { contentUrl: "x" }, description: "a boat" },
      ],
      slideProperties: {
        notesPage: {
          notesProperties: { speakerNotesObjectId: "n1" },
          pageElements: [
            { objectId: "n0", shape: { text: text("not this") } },
            { objectId: "n1", shape: { text: text("say hello\n") } },
          ],
        },
      },
    }, { objectId: "s2" }],
  };
  assert.deepEqual(annotate("slides.presentations.get", body).elements, [
    { slide: 1, slide_id: "s1", element_id: "e1", kind: "TITLE", text: "Hi" },
    { slide: 1, slide_id: "s1", element_id: "e2", kind: "LINE" },
    { slide: 1, slide_id: "s1", element_id: "e3", kind: "IMAGE", text: "a boat" },
    { slide: 1, slide_id: "s1", element_id: "n1", kind: "NOTES", text: "say hello" },
    { slide: 2, slide_id: "s2", kind: "EMPTY" },
  ]);
});

Deno.test("rows: contacts, files, history, course work, answers, activity, distances, queries", () => {
  const first = (opId: string, body: JsonObject, key: string, args?: JsonObject) =>
    (annotate(opId, body, args)[key] as JsonObject[])[0];
  assert.deepEqual(
    first("people.connections.list", {
      connections: [{
        names: [{ displayName: "Bo" }],
        emailAddresses: [{ value: "b@e.com", type: "work" }, { value: "c@e.com" }],
        birthdays: [{ date: { month: 5, day: 2 } }],
      }],
    }, "connections")?.emails,
    "b@e.com (work); c@e.com",
  );
  assert.equal(
    first("drive.files.list", {
      files: [{ owners: [{ displayName: "Bo", emailAddress: "b@e.com" }], parents: ["p"] }],
    }, "files")?.owner,
    "Bo <b@e.com>",
  );
  assert.equal(
    first("gmail.users.history.list", {
      history: [{ labelsAdded: [{ message: { id: "m" }, labelIds: ["A", "B"] }] }],
    }, "history")?.labels_added,
    "m:A+B",
  );
  assert.equal(
    first("classroom.courses.courseWork.list", {
      courseWork: [{ dueDate: { year: 2026, month: 5, day: 2 }, dueTime: { hours: 21 } }],
    }, "courseWork")?.due,
    "2026-05-02T21:00Z",
  );
  assert.deepEqual(
    first("forms.forms.responses.list", {
      responses: [{
        answers: {
          q1: { textAnswers: { answers: [{ value: "yes" }] } },
          q2: { textAnswers: { answers: [{ value: "a" }, { value: "b" }] } },
        },
      }],
    }, "responses")?.given,
    { q1: "yes", q2: ["a", "b"] },
  );
  assert.equal(
    first("adminreports.activities.list", {
      items: [{
        events: [{
          type: "login",
          name: "login_success",
          parameters: [{ name: "type", value: "reauth key" }, { name: "ok", boolValue: true }],
        }],
      }],
    }, "items")?.what,
    'login_success (login) type="reauth key" ok=true',
  );
  assert.deepEqual(
    annotate("maps.distancematrix.get", {
      origin_addresses: ["A"],
      destination_addresses: ["B", "C"],
      rows: [{
        elements: [
          { status: "OK", distance: { value: 5, text: "5 m" }, duration: { value: 9 } },
          { status: "NOT_FOUND" },
        ],
      }],
    }).results,
    [
      { origin: "A", destination: "B", status: "OK", meters: 5, seconds: 9 },
      { origin: "A", destination: "C", status: "NOT_FOUND" },
    ],
  );
  const row = first(
    "searchconsole.searchanalytics.query",
    {
      rows: [{ keys: ["boats", "/x", "extra"], clicks: 1 }],
    },
    "rows",
    { dimensions: ["query", "page"] },
  );
  assert.deepEqual([row?.query, row?.page, row?.key_3], ["boats", "/x", "extra"]);
  assert.deepEqual(
    annotateAnswer({ opId: "routes.computeRouteMatrix", args: {} }, [
      { originIndex: 0, status: { code: 5, message: "no road" } },
      7,
    ]).body,
    [
      { originIndex: 0, status: { code: 5, message: "no road" }, error: "no road", error_code: 5 },
      7,
    ],
  );
});

Deno.test("annotators: only additions, whatever the answer is; unknown operations are left alone", () => {
  const operations = Object.keys(ANNOTATORS);
  assert.ok(operations.length > 45);
  const body = { a: 1 };
  assert.equal(annotateAnswer({ opId: "toString", args: {} }, body).body, body);
  const names = fc.constantFrom(
    ...["items", "messages", "sheets", "data", "rowData", "values", "slides", "pageElements"],
    ...["body", "content", "paragraph", "elements", "snippet", "id", "attendees", "start", "rows"],
    ...["users", "name", "connections", "answers", "events", "parameters", "__proto__", "given"],
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.constant(null),
      fc.double(),
      fc.boolean(),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.array(fc.tuple(names, tie("tree")), { maxLength: 5 }).map(Object.fromEntries),
    ),
  }));
  const contains = (whole: unknown, piece: unknown): boolean => {
    if (Array.isArray(piece)) {
      return Array.isArray(whole) && whole.length === piece.length &&
        piece.every((element, index) => contains(whole[index], element));
    }
    if (typeof piece !== "object" || piece === null) return Object.is(whole, piece);
    return typeof whole === "object" && whole !== null &&
      Object.entries(piece).every(([key, value]) =>
        Object.hasOwn(whole, key) && contains((whole as JsonObject)[key], value)
      );
  };
  fc.assert(
    fc.property(tree, fc.constantFrom(...operations), (value, opId) => {
      const result = annotateAnswer({ opId, args: { dimensions: ["query"] } }, value as JsonValue);
      assert.ok(contains(result.body, value));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("annotators: nesting of 10,000 levels ends", () => {
  const deep = (open: string, close: string) =>
    JSON.parse(open.repeat(10_000) + '"x"' + close.repeat(10_000)) as JsonValue;
  const bodies: [string, JsonObject][] = [
    ["gmail.users.messages.get", {
      payload: deep('{"mimeType":"multipart/mixed","parts":[', "]}"),
    }],
    ["docs.documents.get", { tabs: deep('[{"childTabs":', "}]") }],
    ["docs.documents.get", {
      body: {
        content: deep('[{"table":{"tableRows":[{"tableCells":[{"content":', "}]}]}}]"),
      },
    }],
    ["slides.presentations.get", {
      slides: [{ pageElements: deep('[{"elementGroup":{"children":', "}}]") }],
    }],
  ];
  for (const [opId, body] of bodies) annotateAnswer({ opId, args: {} }, body);
});
