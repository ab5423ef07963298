import assert from "node:assert/strict";
import { annotateAnswer } from "../lib/adapters/mod.ts";
import { isJsonObject, type JsonValue } from "../lib/json/mod.ts";
import { projectByMask } from "../lib/profile/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import {
  type Fact,
  type FactSheet,
  factSheetNames,
  holds,
  measureFixture,
  openFidelityBench,
  readCall,
  readerView,
  readFacts,
  referencesResolved,
  savedShare,
} from "./fidelity.ts";

const bench = await openFidelityBench(await loadTokenCounter());
const results = factSheetNames().map((name) =>
  measureFixture(name, { call: readCall(name), sheet: readFacts(name), bench })
);
const total = (pick: (result: typeof results[number]) => number) =>
  results.reduce((sum, result) => sum + pick(result), 0);

Deno.test("fidelity gate: every fact of every task is in what a reader decodes", () => {
  assert.deepEqual(
    results.filter(({ missing }) => missing.length > 0).map(({ name, missing }) => [name, missing]),
    [],
  );
});

Deno.test("fidelity gate: enough fixtures, services and facts to mean something", () => {
  const services = new Set(results.map(({ op }) => op.split(".")[0]));
  assert.ok(results.length >= 60, `${results.length} fixtures`);
  assert.ok(services.size >= 20, `${services.size} services`);
  assert.ok(total(({ facts }) => facts) >= 1_000);
  assert.deepEqual(results.filter(({ profile }) => profile === "_default"), []);
});

Deno.test("fidelity gate: every fixture takes fewer tokens, all together 80 and 60 percent fewer", () => {
  assert.deepEqual(
    results.filter(({ shapedTokens, rawTokens }) => shapedTokens >= rawTokens)
      .map(({ name }) => name),
    [],
  );
  const shaped = total(({ shapedTokens }) => shapedTokens);
  const againstRaw = savedShare(total(({ rawTokens }) => rawTokens), shaped);
  const againstMasked = savedShare(total(({ maskedTokens }) => maskedTokens), shaped);
  assert.ok(againstRaw >= 0.8, `${againstRaw} saved of the whole answers`);
  assert.ok(againstMasked >= 0.6, `${againstMasked} saved of the masked, minified answers`);
});

Deno.test("fidelity gate: a profile that saves by losing a fact fails", () => {
  const name = "gmail.messages.get.attachment";
  const [call, sheet] = [readCall(name), readFacts(name)];
  const thrifty = {
    ...bench,
    profileOf: (opId: string) => {
      const profile = bench.profileOf(opId);
      return profile && { ...profile, drop_fields: ["attachments.attachmentId", "cc"] };
    },
  };
  const { missing } = measureFixture(name, { call, sheet, bench: thrifty });
  assert.ok(missing.some((what) => what.startsWith("id to fetch")), missing.join(", "));
});

Deno.test("fidelity gate: a field that is not reported as dropped is said completely by derived ones", () => {
  // What the absence of a derived field says, what a name repeats, and what stands elsewhere.
  const understood =
    /^(?:eventType|id\.kind|contentDetails\.videoId|snippet\.liveBroadcastContent)$/;
  const lost = new Set<string>();
  let checked = 0;
  for (const name of factSheetNames()) {
    const call = readCall(name);
    const annotated = annotateAnswer({ opId: call.op, args: call.args }, bench.maskedAnswer(call));
    const body = referencesResolved(annotated.body);
    if (!isJsonObject(body)) continue;
    for (const [source, names] of Object.entries(annotated.carriedPaths ?? {})) {
      const [list = "", ...rest] = source.split(".");
      const inside = names.length === 0 || names.some((named) => named.startsWith(`${list}.`));
      const recordsOf = (whole: JsonValue) =>
        inside && isJsonObject(whole) ? [whole[list] ?? null].flat() : [whole];
      const sent = recordsOf(annotated.body);
      for (const [index, row] of recordsOf(body).entries()) {
        const original = sent[index];
        if (!isJsonObject(row) || !isJsonObject(original)) continue;
        const own = (paths: readonly string[]) =>
          paths.map((named) => named.split(".").at(-1) ?? "");
        const added = own([...names, ...annotated.addedPaths]);
        const said = JSON.stringify([
          ...added.map((key) => row[key] ?? ""),
          row.id ?? "",
          body.timeZone ?? "",
          // The reader's own link, made from the words that `links` holds.
          source === "files.webViewLink" ? row.webViewLink : "",
        ]);
        for (const [where, text] of scalarsAt(original, inside ? rest : [list, ...rest])) {
          checked++;
          if (!said.includes(JSON.stringify(text).slice(1, -1)) && !understood.test(where)) {
            lost.add(`${name} ${source} ${where} ${text}`);
          }
        }
      }
    }
  }
  assert.deepEqual([...lost], []);
  assert.ok(checked > 2_000, `${checked} values`);
});

/** Scalars below a path, with their own paths. */
function scalarsAt(value: JsonValue, path: readonly string[], at = ""): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => scalarsAt(item, path, at));
  const [head, ...rest] = path;
  if (head !== undefined) {
    return isJsonObject(value) && value[head] !== undefined
      ? scalarsAt(value[head], rest, at === "" ? head : `${at}.${head}`)
      : [];
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, member]) => scalarsAt(member, [], `${at}.${key}`));
  }
  return value === null || value === "" || typeof value === "boolean" ? [] : [[at, String(value)]];
}

Deno.test("fidelity gate: references lead to what they stand for", () => {
  const resolved = referencesResolved({
    links: { folder: "https://x/folders/{id}", "*": "https://x/file/{id}/view" },
    files: [
      { id: "a", mimeType: "folder" },
      { id: "b", mimeType: "text" },
      { id: "c", mimeType: "text", link: "https://elsewhere/" },
    ],
  });
  assert.ok(isJsonObject(resolved) && Array.isArray(resolved.files));
  assert.deepEqual(
    resolved.files.map((file) => isJsonObject(file) ? file.webViewLink : null),
    ["https://x/folders/a", "https://x/file/b/view", "https://elsewhere/"],
  );
  const events = referencesResolved({
    items: [
      { recurringEventId: "s", starts: "1", guests: "accepted: a" },
      { recurringEventId: "t", starts: "1", guests: "accepted: b" },
      { recurringEventId: "s", starts: "2", guests: "same as 1" },
      { recurringEventId: "s", starts: "3", guests: "same as 9" },
    ],
  });
  assert.ok(isJsonObject(events) && Array.isArray(events.items));
  assert.deepEqual(
    events.items.map((event) => isJsonObject(event) ? event.guests : null),
    ["accepted: a", "accepted: b", "accepted: a", null],
  );
});

Deno.test("fidelity gate: a wrong or absent value is no fact", () => {
  const value: JsonValue = { rows: [{ id: "a", n: 1 }, { id: "b", n: null, t: "long text" }] };
  const fact = (at: Fact["at"], rest: Omit<Fact, "what" | "at">) =>
    holds({ what: "x", at, ...rest }, value);
  assert.ok(fact(["rows", 0, "n"], { is: 1 }));
  assert.ok(fact(["rows", { id: "b" }, "t"], { has: "long" }));
  assert.ok(fact(["rows", { id: "b" }, "t"], { matches: "^long .ext$" }));
  assert.ok(fact(["rows", 1, "n"], { is: null }));
  assert.ok(!fact(["rows", 0, "n"], { is: "1" }));
  assert.ok(!fact(["rows", { id: "c" }, "n"], { is: 1 }));
  assert.ok(!fact(["rows", 0, "missing"], { is: null }));
  assert.ok(!fact(["rows", 0, "n"], {}));
});

Deno.test("fidelity gate: an id that a list gives is the id that the next call takes", () => {
  const sheet: FactSheet = readFacts("gmail.messages.list");
  assert.ok(sheet.facts.some(({ what }) => what === "how to get more"));
  const view = readerView(readCall("gmail.messages.list"), bench);
  const [first] = (view.value as { messages: { id: string }[] }).messages;
  assert.match(first?.id ?? "", /^[0-9a-f]{16}$/);
});

Deno.test("fidelity gate: the mask of a call is the mask of the measurement", () => {
  const call = readCall("drive.files.list");
  const view = readerView(call, bench);
  const mask = { fields: new Map([["files", { fields: new Map([["id", undefined]]) }]]) };
  assert.deepEqual(projectByMask(mask, view.masked), projectByMask(mask, call.body));
  assert.ok(JSON.stringify(view.masked).length < JSON.stringify(call.body).length / 4);
});
