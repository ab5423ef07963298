import assert from "node:assert/strict";
import fc from "fast-check";
import {
  clip,
  deriveDescription,
  deriveSummary,
  deriveTitle,
  shortApiTitle,
  splitWords,
} from "./mod.ts";
import { singular } from "../../resource_names/mod.ts";

Deno.test("title: the words of the last segment, and what it acts on", () => {
  const rows: [opId: string, api: string, title: string][] = [
    ["gmail.users.messages.list", "Gmail API", "List messages (Gmail)"],
    ["gmail.users.getProfile", "Gmail API", "Get profile (Gmail)"],
    ["gmail.users.messages.batchDelete", "Gmail API", "Batch delete message (Gmail)"],
    ["people.people.searchContacts", "People API", "Search contacts (People)"],
    ["people.people.get", "People API", "Get person (People)"],
    ["cloudidentity.groups.get", "Cloud Identity API", "Get group (Cloud Identity)"],
    ["calendar.events.quickAdd", "Calendar API", "Quick add event (Calendar)"],
    [
      "classroom.courses.courseWork.list",
      "Google Classroom API",
      "List course work (Google Classroom)",
    ],
    ["routes.computeRoutes", "Routes API", "Compute routes (Routes)"],
  ];
  for (const [opId, api, title] of rows) assert.equal(deriveTitle(opId, api), title);
  assert.equal(shortApiTitle("YouTube Data API v3"), "YouTube Data v3");
});

Deno.test("summary: first sentence, plain, one line, never empty", () => {
  const link = "Gets a\n `Thing`. For more, see [the guide](https://x.example/a). Really.";
  assert.equal(deriveSummary(link, "t"), "Gets a Thing.");
  assert.equal(
    deriveSummary("See [Send a message](https://x.example/y) first", "t"),
    "See Send a message first",
  );
  assert.equal(
    deriveSummary("Moves it, i.e. changes it. More.", "t"),
    "Moves it, i.e. changes it.",
  );
  assert.equal(deriveSummary(undefined, "Title (API)"), "Title (API)");
  assert.equal(deriveSummary("  \n ", "Title (API)"), "Title (API)");
});

Deno.test("summary and description: code points are counted, the cut shows", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const summary = deriveSummary(text, "fallback");
    assert.ok([...summary].length <= 160);
    assert.ok(!/[\n\r]/.test(summary));
    assert.ok(summary.length > 0);
    assert.ok([...deriveDescription(text) ?? ""].length <= 120);
  }));
  assert.equal([...clip("😀".repeat(200), 160)].length, 160);
  assert.ok(clip("😀".repeat(200), 160).endsWith("…"));
});

Deno.test("words: split on case, singular of resource names", () => {
  assert.deepEqual(splitWords("batchGetByDataFilter"), ["batch", "get", "by", "data", "filter"]);
  assert.deepEqual(splitWords("getURLStatus"), ["get", "url", "status"]);
  const rows = [
    ["messages", "message"],
    ["courses", "course"],
    ["people", "person"],
    ["activities", "activity"],
    ["searches", "search"],
    ["status", "status"],
    ["access", "access"],
    ["freebusy", "freebusy"],
    ["aliases", "alias"],
  ] as const;
  for (const [plural, one] of rows) assert.equal(singular(plural), one);
});
