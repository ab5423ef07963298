import assert from "node:assert/strict";
import fc from "fast-check";
import { splitWords, stem, tokenize } from "./words.ts";

Deno.test("tokenizer: camel case gives its parts and the whole run", () => {
  assert.deepEqual(splitWords("courses.courseWork list"), [
    "courses",
    "course",
    "work",
    "coursework",
    "list",
  ]);
  assert.deepEqual(splitWords("HTTPServer v1beta3"), ["httpserver", "v1beta3"]);
  assert.deepEqual(splitWords("  …—  "), []);
});

Deno.test("tokenizer: stop words go, except in ids; single characters go everywhere", () => {
  assert.deepEqual(tokenize("Please show me what the API has"), ["show"]);
  assert.deepEqual(tokenize("what the api", { keepStopWords: true }), ["what", "the", "api"]);
  assert.deepEqual(tokenize("a b c"), []);
});

Deno.test("tokenizer: the stem rules, one by one", () => {
  const stems: Record<string, string> = {
    ads: "ads",
    queries: "query",
    ties: "tie",
    classes: "class",
    searches: "search",
    pushes: "push",
    boxes: "box",
    quizzes: "quizz",
    messages: "messag",
    access: "access",
    status: "status",
    emojis: "emojis",
    meetings: "meet",
    scheduled: "schedul",
    planned: "plan",
    calling: "call",
    passing: "pass",
    buzzing: "buzz",
    bring: "bring",
    string: "string",
    create: "creat",
    free: "free",
    attendee: "attend",
    setting: "set",
    settings: "set",
    process: "process",
    address: "address",
    addresses: "address",
  };
  for (const [word, expected] of Object.entries(stems)) assert.equal(stem(word), expected, word);
});

Deno.test("tokenizer: splitting what was split changes nothing", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const words = splitWords(text);
    assert.deepEqual(splitWords(words.join(" ")), words);
  }));
});

Deno.test("tokenizer: terms are never empty, and stemming never lengthens a word", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    assert.ok(tokenize(text).every((term) => term.length >= 1));
    for (const word of splitWords(text)) assert.ok(stem(word).length <= word.length);
  }));
});

Deno.test("tokenizer: letter case and punctuation around words do not matter", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  fc.assert(fc.property(fc.array(word, { maxLength: 8 }), (words) => {
    const plain = tokenize(words.join(" "));
    assert.deepEqual(tokenize(words.join(" – ").toUpperCase()), plain);
  }));
});

Deno.test("tokenizer: the fast way for plain text splits like the one for every script", () => {
  const plain = fc.string({
    unit: fc.integer({ min: 0, max: 0x7f }).map((c) => String.fromCharCode(c)),
  });
  fc.assert(fc.property(plain, (text) => {
    assert.deepEqual([...splitWords(text), "é"], splitWords(`${text} é`));
  }));
});
