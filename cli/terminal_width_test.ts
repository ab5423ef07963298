import assert from "node:assert/strict";
import fc from "fast-check";
import { textWidth } from "../lib/format/mod.ts";
import type { JsonValue } from "../lib/json/mod.ts";
import { renderForTerminal } from "./terminal_table.ts";

const PLAIN = {
  bold: (text: string) => text,
  dim: (text: string) => text,
  red: (text: string) => text,
  yellow: (text: string) => text,
  green: (text: string) => text,
};

/** Words as strangers write them: long, wide, combining, right to left, with control characters. */
const TEXT = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(
    "領収書_20230121_株式会社_very_long_file_name.pdf",
    "👨‍👩‍👧‍👦 family 🏳️‍🌈 flag",
    "ملاحظات اجتماع الفريق الأسبوعي",
    "e\u0301a\u0300".repeat(20),
    "a\x1b[31mred\x1b[0m\u202eevil\tb\r\nc",
    "2026-11-29T10:00:00Z",
    "x".repeat(70),
  ),
);
const NAME = fc.oneof(
  fc.constantFrom(
    "id",
    "name",
    "threadId",
    "resultSizeEstimate",
    "application/vnd.google.document",
  ),
  TEXT.filter((name) => name !== "__proto__" && name !== ""),
);
const VALUE: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    TEXT,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(NAME, tie("value"), { maxKeys: 5 }),
  ),
})).value;

Deno.test("terminal: no line of a result is wider than the terminal, down to 20 columns", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.dictionary(NAME, VALUE, { minKeys: 1, maxKeys: 6 }),
        fc.array(fc.dictionary(NAME, VALUE, { maxKeys: 5 }), { minLength: 1, maxLength: 6 }),
        fc.record({
          files: fc.array(fc.dictionary(NAME, TEXT, { minKeys: 1, maxKeys: 4 }), { maxLength: 6 }),
          nextPageToken: TEXT,
        }),
      ),
      fc.integer({ min: 20, max: 130 }),
      (value, width) => {
        const text = renderForTerminal(value, {
          width,
          styles: PLAIN,
          now: Date.UTC(2026, 10, 30),
        });
        for (const line of text.split("\n")) {
          assert.ok(textWidth(line) <= width, `${textWidth(line)} > ${width}: ${line}`);
        }
      },
    ),
    { numRuns: 400 },
  );
});
