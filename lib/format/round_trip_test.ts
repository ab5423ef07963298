/** Round trips over 100,000 generated values: what the encoders write, their readers read back. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { isRawNumber, type JsonObject, type JsonValue, parseJson, rawNumber } from "../json/mod.ts";
import {
  decodeToonDocument,
  encodeToonDocument,
  jcs,
  plainNumber,
  toonDocumentValue,
} from "./mod.ts";

const VALUES = 100_000;
const IDS = { op: "o", variant: "v" };

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("true", "null", "1e5", "0x1", "-0", "", " ", "a,b", 'say "hi"', "a\r\nb", "=x"),
  fc.constantFrom("\ud800", "a\udc00b", "NaN", "+1", "12345678901234567890", "2026-05-22"),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n })
    .map((value) => Number.isSafeInteger(Number(value)) ? Number(value) : rawNumber(`${value}`)),
);
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const key = fc.oneof(
  fc.constantFrom("id", "name", "a b", " edge ", 'q"uote', "co,mma", "__proto__", "1", ""),
  fc.string({ unit: "grapheme", maxLength: 6 }).filter((name) => !/[\r\n]/.test(name)),
);
const nested = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.string(), leaf, { maxKeys: 3 }),
);
const record = fc.array(fc.tuple(key, nested), { minLength: 1, maxLength: 5 })
  .map((members) => fromEntries(members as [string, JsonValue][]));
const list = fc.oneof(
  fc.array(record, { maxLength: 4 }),
  fc.tuple(fc.array(record, { maxLength: 3 }), leaf, text).map(([items, total, nextPageToken]) => ({
    items,
    total,
    nextPageToken,
  })),
);

function fromEntries(members: [string, JsonValue][]): JsonObject {
  return Object.fromEntries(members);
}

/** A record without its nulls: in a document, null and absent are the same cell. */
function withoutNulls(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function comparable(value: JsonValue): string {
  const rows = Array.isArray(value) ? value : (value as { items: JsonObject[] }).items;
  const plain = (rows as JsonObject[]).map(withoutNulls);
  const whole = Array.isArray(value) ? plain : { ...(value as JsonObject), items: plain };
  return jcs(exactNumbers(whole), { loneSurrogates: "escape" });
}

/** Numbers as the digits that a document writes: whether a double or text holds them is the same. */
function exactNumbers(value: JsonValue): JsonValue {
  if (typeof value === "number" || isRawNumber(value)) return { number: plainNumber(value) };
  if (Array.isArray(value)) return value.map(exactNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [name, exactNumbers(member)]),
  );
}

Deno.test("TestToonRoundTrip: 100,000 generated lists come back from their document", () => {
  fc.assert(
    fc.property(list, (value) => {
      const document = encodeToonDocument(value as JsonValue, IDS);
      if (document === undefined) return; // shown as JSON
      // Through bytes, as a caller gets it.
      const read = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
        .decode(new TextEncoder().encode(document));
      const back = toonDocumentValue(decodeToonDocument(read));
      assert.equal(comparable(back), comparable(value as JsonValue));
    }),
    { numRuns: VALUES },
  );
});

Deno.test("FuzzJCSIdempotent: 100,000 generated values are read back, and written alike again", () => {
  const value = fc.oneof(nested, record, list);
  fc.assert(
    fc.property(value, (original) => {
      const written = jcs(original, { loneSurrogates: "escape" });
      assert.equal(jcs(parseJson(written), { loneSurrogates: "escape" }), written);
    }),
    { numRuns: VALUES },
  );
});
