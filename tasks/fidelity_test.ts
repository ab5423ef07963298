import assert from "node:assert/strict";
import type { JsonValue } from "../lib/json/mod.ts";
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
