import assert from "node:assert/strict";
import { GumError } from "../errors/mod.ts";
import { sanitize, type SanitizeOptions } from "./sanitizer.ts";

async function rules(text: string, options: SanitizeOptions = {}): Promise<number[]> {
  return (await sanitize(text, options)).findings.map(({ rule }) => rule);
}

Deno.test("sanitizer: marketing words, whole and in any case, first hit only", async () => {
  for (
    const word of [
      "Revolutionary",
      "best-in-class",
      "industry-leading",
      "cutting-edge",
      "world-class",
      "next-generation",
      "state-of-the-art",
      "game-changing",
      "seamless",
      "SEAMLESSLY",
      "effortless",
      "effortlessly",
      "unparalleled",
      "unprecedented",
      "innovative",
    ]
  ) {
    const { findings } = await sanitize(`A ${word} way, truly innovative.`);
    assert.deepEqual(findings.map(({ rule, offending }) => [rule, offending]), [[1, word]]);
  }
  assert.deepEqual(await rules("Seamlessness of innovatively revolutionaryish things."), []);
});

Deno.test("sanitizer: hints to a model", async () => {
  for (
    const text of [
      "A list for LLMs.",
      "A list for AI.",
      "Text for models.",
      "Made for agents.",
      "Text for language models.",
      "LLM-friendly output.",
      "AI-friendly output.",
      "Easy to parse.",
      "easy to understand",
      "Easy for clients to use.",
      "Easy for any client to understand.",
      "Designed for automation.",
      "Optimized for tokens.",
      "optimised for speed",
    ]
  ) assert.deepEqual(await rules(text), [2], text);
  for (
    const text of [
      "Lists models.",
      "Lists the agents of a domain.",
      "Easy going.",
      "User-friendly.",
    ]
  ) {
    assert.deepEqual(await rules(text), [], text);
  }
});

Deno.test("sanitizer: second person", async () => {
  for (const word of ["you", "Your", "you're", "you'll", "you've", "you'd", "you’re"]) {
    const { findings } = await sanitize(`Gets what ${word} want.`);
    assert.deepEqual(findings.map(({ rule, offending }) => [rule, offending]), [[3, word]]);
  }
  assert.deepEqual(await rules("Lists YouTube videos of young people; yours_id."), []);
});

Deno.test("sanitizer: token budgets need a tool kind", async () => {
  const words = (count: number) => "word ".repeat(count).trim();
  const countTokens = (text: string) => Promise.resolve(text.split(" ").length);
  const check = (count: number, toolKind?: "meta" | "convenience") =>
    rules(words(count), { toolKind, countTokens });
  assert.deepEqual(await check(220, "convenience"), []);
  assert.deepEqual(await check(221, "convenience"), [4]);
  assert.deepEqual(await check(360, "meta"), []);
  assert.deepEqual(await check(361, "meta"), [5]);
  assert.deepEqual(await check(2000), []);
  assert.deepEqual(await rules(words(400), { toolKind: "meta" }), [5], "the real tokenizer agrees");
});

Deno.test("sanitizer: a tokenizer fault is an error, not a finding", async () => {
  const countTokens = () => Promise.reject(new Error("no tables"));
  await assert.rejects(
    sanitize("word ".repeat(100), { toolKind: "meta", countTokens }),
    (error) => error instanceof GumError && error.code === "SANITIZER_TOKENIZER_FAILED",
  );
});

Deno.test("sanitizer: writes must disclose that something changes", async () => {
  for (const riskClass of ["write", "destructive"] as const) {
    assert.deepEqual(await rules("Handles a message.", { riskClass }), [6]);
    for (
      const text of [
        "Sends a message.",
        "Message is sent.",
        "Deleting a label.",
        "Deletion of a label.",
        "Creates.",
        "Updated rows.",
        "Modifies it.",
        "Removal of users.",
        "Writes cells.",
        "Permanently gone.",
        "This is irreversible.",
        "It cannot be undone.",
      ]
    ) assert.deepEqual(await rules(text, { riskClass }), [], text);
    assert.deepEqual(await rules("Underwriter recreations.", { riskClass }), [6]);
  }
  assert.deepEqual(await rules("Handles a message.", { riskClass: "read" }), []);
  assert.deepEqual(await rules("Handles a message."), []);
});

Deno.test("sanitizer: personal data", async () => {
  for (
    const text of [
      "Mail anna.b@corp.co.uk now",
      "Call +49 30 1234567",
      "Call (415) 555-0132",
      "Call 415-555-0132",
      "SSN 078-05-1120",
    ]
  ) assert.deepEqual(await rules(text), [7], text);
  for (
    const text of [
      "Mail example@example.com",
      "Mail <user>@<domain>.com or <user@domain.com>",
      "ISO 2024-01-31T10:00:00Z",
      "Range 1-100, id 1234567890, v1.2.3",
      "Hex 12345-678-90",
    ]
  ) assert.deepEqual(await rules(text), [], text);
});

Deno.test("sanitizer: findings come in rule order, the text only loses trailing whitespace", async () => {
  const { text, findings } = await sanitize("  For agents: your innovative mail a@b.io \n\t ", {
    riskClass: "write",
  });
  assert.equal(text, "  For agents: your innovative mail a@b.io");
  assert.deepEqual(findings.map(({ rule }) => rule), [1, 2, 3, 6, 7]);
  assert.ok(findings.every(({ offending, reason }) => offending !== "" && reason !== ""));
});
