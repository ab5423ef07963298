/** What holds for any body and any profile (spec 03 §3.4–§3.6), stage by stage. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ShapeRequest, ShapeResult } from "../dispatch/types.ts";
import {
  decodeToonDocument,
  jcs,
  recordArray,
  toonDocumentValue,
  unmarkText,
  visibleText,
} from "../format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, setOwn } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { shapeBody } from "./mod.ts";

function apply(
  value: JsonValue,
  profile: Partial<ResolvedProfile>,
  request: Partial<ShapeRequest> = {},
): ShapeResult {
  return shapeBody({
    body: new TextEncoder().encode(jcs(value)),
    opId: "test.op",
    variantId: "test.variant",
    profile: { name: "test", ...profile },
    userFormat: "json",
    ...request,
  });
}

const KEYS = ["a", "b", "items", "a.b", "", "__proto__", "note"] as const;
const key = fc.constantFrom<string>(...KEYS);
const leaf = fc.oneof(
  fc.constantFrom<JsonValue>(null, "", "x", "long text 🐙🐙", 0, -0, 7, true, 1e21, "1e5"),
  fc.constantFrom("12345678901234567890", "-9007199254740993").map(parseJson),
);
const { value: anyValue } = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => {
    const object: JsonObject = {};
    for (const [name, member] of entries) setOwn(object, name, member);
    return object;
  }),
}));
const path = fc.array(key, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("."))
  .filter((text) => text !== "");
const paths = fc.array(path, { maxLength: 3 });

/** Every dot path of a tree, arrays left out. */
function pathsOf(value: JsonValue | undefined, prefix = "", found = new Set<string>()) {
  if (Array.isArray(value)) value.forEach((element) => pathsOf(element, prefix, found));
  else if (value !== undefined && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      found.add(prefix + name);
      pathsOf(value[name], `${prefix}${name}.`, found);
    }
  }
  return found;
}

Deno.test("TestApplyPipelineOrderKeepBeforeDrop: what went is named, by itself or by what held it, and nothing else", () => {
  const profile = fc.record({
    projection: fc.array(key.filter((name) => name !== ""), { maxLength: 3 }),
    keep_fields: paths,
    drop_fields: paths,
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(anyValue, profile, (value, keys) => {
      const { value: shaped, droppedPaths } = apply(value, keys);
      const before = pathsOf(value);
      const after = pathsOf(shaped);
      for (const gone of [...before].filter((name) => !after.has(name))) {
        assert.ok(
          droppedPaths.some((dropped) => gone === dropped || gone.startsWith(`${dropped}.`)),
          gone,
        );
      }
      for (const dropped of droppedPaths) assert.ok(before.has(dropped), dropped);
      for (const name of after) assert.ok(before.has(name), name);
      assert.deepEqual(droppedPaths, [...new Set(droppedPaths)].sort());
    }),
    { numRuns: 2_000 },
  );
});

function countLeaves(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countLeaves(item), 0);
  if (value === undefined || value === null || value === "") return 0;
  if (!isJsonObject(value)) return 1;
  return Object.keys(value).reduce((sum, name) => sum + countLeaves(value[name]), 0);
}

Deno.test("TestApplyStripNullsRemovesNullsAndEmpties: nothing that says something goes", () => {
  fc.assert(
    fc.property(anyValue, fc.option(paths, { nil: undefined }), (value, safe) => {
      const { value: shaped } = apply(value, { strip_nulls: true }, { nullElisionSafe: safe });
      assert.equal(countLeaves(shaped), countLeaves(value));
      const again = apply(shaped ?? null, { strip_nulls: true }, { nullElisionSafe: safe });
      assert.equal(jcs(again.value), jcs(shaped));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("TestTruncateStringsWritesSiblingMetadata: no string is longer than allowed, every cut is marked", () => {
  const field = fc.constantFrom("a", "note", "items");
  const limits = fc.record({
    default_chars: fc.integer({ min: 1, max: 12 }),
    fields: fc.dictionary(field, fc.integer({ min: 1, max: 12 }), { maxKeys: 2 }),
  });
  const check = (
    before: JsonValue,
    after: JsonValue,
    at: { limit: number; of: (name: string) => number },
  ): boolean => {
    if (typeof before === "string") {
      const whole = [...before];
      const cut = whole.length > at.limit;
      assert.equal(after, cut ? whole.slice(0, at.limit - 1).join("") + "…" : before);
      return cut;
    }
    if (Array.isArray(before)) {
      const list = after as JsonValue[];
      assert.equal(list.length, before.length);
      return before.map((item, index) => check(item, list[index] as JsonValue, at)).some(Boolean);
    }
    if (!isJsonObject(before)) {
      assert.equal(jcs(after), jcs(before));
      return false;
    }
    const object = after as JsonObject;
    for (const name of Object.keys(before)) {
      const inner = { ...at, limit: at.of(name) };
      const cut = check(before[name] as JsonValue, object[name] as JsonValue, inner);
      const mark = `${name}_truncated`;
      assert.equal(object[mark], Object.hasOwn(before, mark) ? before[mark] : cut || undefined);
    }
    return false;
  };
  fc.assert(
    fc.property(anyValue, limits, (value, rules) => {
      const { value: shaped } = apply(value, { truncate_strings: rules });
      check(value, shaped ?? null, {
        limit: rules.default_chars,
        of: (name) =>
          Object.hasOwn(rules.fields, name) ? rules.fields[name] as number : rules.default_chars,
      });
    }),
    { numRuns: 1_000 },
  );
});

const row = fc.oneof(
  fc.record({ k: leaf, n: fc.nat({ max: 3 }) }, { requiredKeys: ["n"] }),
  leaf,
) as fc.Arbitrary<JsonValue>;
const rowList = fc.array(row, { maxLength: 8 });

Deno.test("TestApplySortByNilFallback: a sort only moves objects, and sorting again moves nothing", () => {
  fc.assert(
    fc.property(rowList, (rows) => {
      const sorted = recordArray(apply(rows, { sort_by: "k" }).value ?? null) ?? [];
      const texts = (list: JsonValue[]) => list.map((item) => jcs(item));
      assert.deepEqual(texts(sorted).sort(), texts(rows).sort());
      rows.forEach((item, index) => {
        if (!isJsonObject(item)) assert.equal(jcs(sorted[index]), jcs(item));
      });
      const again = recordArray(apply(sorted, { sort_by: "k" }).value ?? null) ?? [];
      assert.deepEqual(texts(again), texts(sorted));
      // Whatever order they came in, their keys end up in the same one.
      const reversed = recordArray(apply(rows.toReversed(), { sort_by: "k" }).value ?? null) ?? [];
      const keysOf = (list: JsonValue[]) =>
        list.filter(isJsonObject).map(({ k }) => k === undefined ? "" : jcs(k));
      assert.deepEqual(keysOf(reversed), keysOf(sorted));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("TestDedupeCountsOccurrences: survivors stand for every row there was, in their order", () => {
  fc.assert(
    fc.property(rowList, (rows) => {
      const result = apply(rows, { dedupe: { by: ["k"] } });
      const kept = recordArray(result.value ?? null) ?? [];
      const stoodFor = kept.reduce<number>((sum, item) => {
        const count = isJsonObject(item) ? item.occurrence_count ?? 1 : 1;
        return sum + (count as number);
      }, 0);
      assert.equal(stoodFor, rows.length);
      assert.equal(result.dedupedRows, rows.length - kept.length);
      const bare = kept.map((item) => {
        if (!isJsonObject(item)) return jcs(item);
        const { occurrence_count: _count, ...rest } = item;
        return jcs(rest);
      });
      let from = 0;
      for (const text of bare) {
        from = rows.findIndex((item, index) => index >= from && jcs(item) === text) + 1;
        assert.ok(from > 0, text);
      }
    }),
    { numRuns: 1_000 },
  );
});

/** Null and absent are the same cell of a document. */
function withoutNulls(value: JsonValue | undefined): JsonValue {
  const rows = recordArray(value ?? null) ?? [];
  const plain = rows.map((item) =>
    Object.fromEntries(Object.entries(item as JsonObject).filter(([, member]) => member !== null))
  );
  return Array.isArray(value)
    ? plain
    : { rest: jcs(Object.keys(value as JsonObject).sort()), plain };
}

Deno.test("TestUntrustedFields: a document without its marks is the shaped value, invisible characters spelled out", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }).map((value) => value.toWellFormed()),
    fc.constantFrom("ABI x ABI", "ABI", '"', "a\nb", "\u202eevil", "27100", "", " "),
  );
  const record = fc.record(
    { note: text, id: fc.option(fc.nat()), deep: fc.record({ note: text }) },
    {
      requiredKeys: ["id"],
    },
  );
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), fc.nat(), (rows, random) => {
      const profile = { untrusted_fields: ["messages.note", "messages.deep"] };
      const body = { messages: rows as JsonValue[], total: 1 };
      const plain = apply(body, profile);
      const marked = apply(body, profile, { untrustedRandom: random, userFormat: "toon" });
      if (marked.untrustedMark === undefined) return; // no text of a stranger in it
      const shown = rows.map((item) => ({
        ...item,
        ...(item.note !== undefined && { note: visibleText(item.note) }),
        ...(item.deep !== undefined && { deep: { note: visibleText(item.deep.note ?? "") } }),
      }));
      const wanted = apply({ messages: shown as JsonValue[], total: 1 }, profile).value;
      assert.equal(jcs(unmarkText(marked.value ?? null, marked.untrustedMark)), jcs(wanted));
      assert.ok(!jcs(plain.value).includes(marked.untrustedMark));
      if (marked.format !== "toon") return;
      const read = decodeToonDocument(new TextDecoder().decode(marked.body));
      assert.equal(jcs(withoutNulls(toonDocumentValue(read))), jcs(withoutNulls(wanted)));
    }),
    { numRuns: 500 },
  );
});
