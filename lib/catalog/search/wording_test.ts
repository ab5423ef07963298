import assert from "node:assert/strict";
import fc from "fast-check";
import { loadCatalog } from "../load.ts";
import { openSearch } from "./mod.ts";
import { tokenize } from "./words.ts";
import { reworded, type Vocabulary } from "./wording.ts";

const CURATED = new Set(
  tokenize("calendar email todo freebusy drive document schedule delete file"),
);
const VOCABULARY: Vocabulary = {
  curated: (term) => CURATED.has(term),
  known: (term) => CURATED.has(term) || term === "emai",
  terms: () => CURATED,
};
const said = (text: string) => reworded(text, VOCABULARY);

Deno.test("wording: a slip of the keyboard becomes the word that was meant", () => {
  assert.equal(said("calnedar"), "calendar");
  assert.equal(said("shedule on the calender"), "schedul on the calendar");
  assert.equal(said("delte fiel"), "delet fiel", "short words are too near to others");
});

Deno.test("wording: nicknames and hyphens lead to the words of the catalog", () => {
  assert.equal(said("gdrive to-do"), "drive todo");
  assert.equal(said("gcal free/busy, e-mail"), "calendar freebusy, email");
  assert.equal(said("YT"), "youtube");
  assert.equal(said("my To do list, and what to do"), "my todo list, and what to do");
  assert.equal(said("out-of-office"), "out-of-office");
});

Deno.test("wording: names, other alphabets, ids and words that mean something stay", () => {
  for (
    const text of [
      "",
      "mail Dociment about lunch",
      "emai",
      "réunion calender",
      "drive.files.emptyTrash",
      "what can you do for me",
      "ball4",
      "bile",
    ]
  ) assert.equal(said(text), text);
});

Deno.test("wording: words of the index are never changed, and nothing is invented", () => {
  const words = fc.array(fc.constantFrom(...CURATED), { minLength: 1, maxLength: 8 });
  fc.assert(fc.property(words, (picked) => {
    assert.equal(said(picked.join(" ")), picked.join(" "));
  }));
  fc.assert(fc.property(fc.string(), (text) => {
    assert.equal(typeof said(text), "string");
    assert.ok(said(text).length <= 8 * text.length + 8);
  }));
});

const searches = [await openSearch(), await openSearch({ longTail: { exposure: "all" } })];

Deno.test("retrieval quality: mistyped words and nicknames are answered within three rows", () => {
  for (
    const [query, ...accepted] of [
      ["gdocs create", "docs.documents.create"],
      ["gtasks add", "tasks.tasks.insert"],
      ["gcal add event", "calendar.events.insert"],
      ["gsc top queries", "searchconsole.searchanalytics.query"],
      ["yt search", "youtube.search.list"],
      ["add a to-do", "tasks.tasks.insert"],
      ["what's on my to do list", "tasks.tasks.list", "tasks.tasklists.list"],
      ["shedule meeting", "calendar.events.insert", "calendar.events.quickAdd"],
      ["delte file", "drive.files.delete"],
      ["attachement download", "gmail.users.messages.attachments.get"],
      ["permisions on file", "drive.permissions.list", "drive.permissions.get"],
      ["presentaion create", "slides.presentations.create"],
      ["contatcs search", "people.people.searchContacts"],
      ["unsubscibe from calendar", "calendar.calendarList.delete"],
    ] as const
  ) {
    for (const search of searches) {
      const ids = search.search(query, 3).map(({ op_id }) => op_id);
      assert.ok(accepted.some((id) => ids.includes(id)), `${query}: ${ids.join(", ")}`);
    }
  }
});

Deno.test("retrieval quality: what is hidden is found by a mistyped word, too", async () => {
  const reads = await openSearch({ longTail: { exposure: "read" } });
  assert.equal(reads.hiddenBest?.("create fliter in gmail"), "gmail.users.settings.filters.create");
});

Deno.test("retrieval quality: an id is searched as it stands", () => {
  const known = new Set(loadCatalog().ops.flatMap(({ op_id }) => tokenize(op_id)));
  const vocabulary: Vocabulary = {
    curated: (term) => known.has(term),
    known: (term) => known.has(term),
    terms: () => known,
  };
  for (const { op_id } of loadCatalog().ops) assert.equal(reworded(op_id, vocabulary), op_id);
});
