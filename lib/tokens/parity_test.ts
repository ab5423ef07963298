import assert from "node:assert/strict";
import { countTokens as ownMerging } from "gpt-tokenizer/encoding/cl100k_base";
import { getEncoding } from "js-tiktoken";
import fc from "fast-check";
import { startEmulator } from "../emulator/mod.ts";
import { RUN_LIMIT } from "./long_runs.ts";
import { COUNTED_UNITS, countInSlices, countTokens, loadTokenCounter } from "./mod.ts";

const oracle = getEncoding("cl100k_base");
const expected = (text: string) => oracle.encode(text, [], []).length;

/** Repeatable pseudo-random numbers below `limit`. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
}

const ALPHABETS = [
  "etaoin shrdlu ETAOIN, .",
  "0123456789abcdef-_=+/",
  '{}[]":,\\ntruefalsenull0123456789 ',
  "àéîõüß ñçøå",
  "日本語のメール漢字仮名 、。",
  "אבגדהו مرحبا بالعالم ",
  "😀👩‍👩‍👧‍👦🇩🇪✅ #️⃣",
  " \t\n\r\n  ",
  "<|endoftext|><|im_start|>",
  "'s 't 're 've 'm 'll 'd 'S 'T",
  "=_-*#~`|><&%$@!?()",
];

function generated(count: number): string[] {
  const next = randomNumbers(20_260_523);
  return Array.from({ length: count }, (_, index) => {
    const alphabet = [...ALPHABETS[index % ALPHABETS.length] ?? ""];
    const other = [...ALPHABETS[next(ALPHABETS.length)] ?? ""];
    const length = 1 + next(index % 50 === 0 ? 600 : 40);
    return Array.from({ length }, () => {
      const from = next(5) === 0 ? other : alphabet;
      return from[next(from.length)];
    }).join("");
  });
}

/** Strings as Google answers hold them: every text of the emulator's mailbox, drive and calendar. */
async function real(): Promise<string[]> {
  const emulator = await startEmulator({
    clock: { now: () => Date.parse("2026-05-19T10:00:00Z"), sleep: () => Promise.resolve() },
  });
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === "string") found.add(value.slice(0, 400));
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        found.add(key);
        collect(inner);
      }
    }
  };
  try {
    for (
      const url of [
        "https://www.googleapis.com/drive/v3/files?pageSize=300&fields=*",
        "https://www.googleapis.com/calendar/v3/calendars/primary/events?maxResults=500",
        "https://gmail.googleapis.com/gmail/v1/users/me/messages?maxResults=100",
      ]
    ) {
      const response = await fetch(emulator.rewrite(new URL(url)), {
        headers: { authorization: `Bearer ${emulator.credentials.bearer}` },
      });
      collect(await response.json());
    }
  } finally {
    await emulator.close();
  }
  return [...found];
}

Deno.test("token counter: 10,000 real and generated strings count as the oracle counts them", async () => {
  const count = await loadTokenCounter();
  const fromAnswers = await real();
  assert.ok(fromAnswers.length > 500, `${fromAnswers.length} real strings`);
  const texts = [...fromAnswers, ...generated(10_000 - Math.min(fromAnswers.length, 5_000))];
  assert.ok(texts.length >= 10_000);
  for (const text of texts) assert.equal(count(text), expected(text), JSON.stringify(text));
});

Deno.test("token counter: slices give the same number as the whole, with pauses between", async () => {
  const count = await loadTokenCounter();
  const rows = generated(4_000).map((text, id) => ({ id, text }));
  for (
    const text of [
      "",
      "short",
      JSON.stringify(rows),
      rows.map(({ text }) => text).join(","),
      "日本語".repeat(20_000),
      "日本語のメール、".repeat(8_000),
      "àé".repeat(30_000),
      "=".repeat(60_000),
      "e\u0301".repeat(30_000),
      "😀x’".repeat(12_000),
      "1234567890\n".repeat(9_000),
    ]
  ) {
    let pauses = 0;
    const sliced = await countInSlices(text, {
      count,
      pause: () => {
        pauses++;
        return Promise.resolve();
      },
    });
    assert.equal(sliced, count(text));
    if (text.length > 40_000) assert.ok(pauses >= 2, `${pauses} pauses in ${text.length} units`);
  }
});

Deno.test("token counter: pieces too long for the tokenizer's own merging count as the oracle counts them", async () => {
  const count = await loadTokenCounter();
  const alphabet = fc.constantFrom(...ALPHABETS, "ab", "日本語", "=", "ſs'", "\u0000\u200b", "𝒜b");
  const run = fc.tuple(alphabet, fc.integer({ min: 200, max: 500 }), fc.nat()).map(
    ([letters, length, seed]) => {
      const next = randomNumbers(seed);
      const units = [...letters];
      return Array.from({ length }, () => units[next(units.length)]).join("");
    },
  );
  const between = fc.constantFrom("", " ", "\n", "\n  ", " \r\n\t ", "it's ", "12345", "、", "  x");
  fc.assert(
    fc.property(fc.array(fc.tuple(between, run), { minLength: 1, maxLength: 2 }), (parts) => {
      const text = parts.flat().join("");
      assert.equal(count(text), expected(text), JSON.stringify(text));
      assert.equal(count(`${text}\n  `), expected(`${text}\n  `));
    }),
    { numRuns: 12 },
  );
  // A single piece right up to the limit, for which the oracle would take minutes.
  for (const unit of ["x", "日", "!", "🙂"]) {
    const text = unit.repeat(RUN_LIMIT / unit.length);
    assert.equal(count(text), ownMerging(text), unit);
  }
});

Deno.test("token counter: a text beyond the limit is counted in part and scaled", async () => {
  const count = await loadTokenCounter();
  const text = "word ".repeat(COUNTED_UNITS / 5 * 2);
  const counted = await countInSlices(text, { count, pause: () => Promise.resolve() });
  const words = text.length / 5;
  assert.ok(Math.abs(counted - words) < words / 1_000, `${counted} for ${words} words`);
});

Deno.test("token counter: the fixed vectors", async () => {
  for (
    const [text, tokens] of [
      ["", 0],
      ["hello world", 2],
      ["tiktoken is great!", 6],
      ['{"record_type":"header","schema_version":1,"tokenizer":"cl100k_base"}', 18],
      ["日本語のメール", 7],
      ["<|endoftext|>", 7],
      ["SGV5LCBjYW4geW91IGxvb2sgYXQgdGhpcyBkcmFmdC4=", 32],
    ] as const
  ) assert.equal(await countTokens(text), tokens, text);
});

Deno.test("token counter: a megabyte of one letter ends soon", async () => {
  const started = performance.now();
  assert.ok(await countTokens("a".repeat(1_000_000)) > 100_000);
  assert.ok(performance.now() - started < 5_000);
});
