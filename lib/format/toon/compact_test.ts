import assert from "node:assert/strict";
import fc from "fast-check";
import { type JsonValue, parseJson } from "../../json/mod.ts";
import { decodeCompact, encodeCompact, ToonDecodeError } from "../mod.ts";

const PINNED: [string, string][] = [
  [
    '[{"id":"msg001","subject":"Hello","snippet":null},{"id":"msg002","subject":"Re: Hello","snippet":null}]',
    'id,snippet,subject\nmsg001,,Hello\nmsg002,,"Re: Hello"\n',
  ],
  [
    '[{"id":"m1","subject":"Hello, World","snippet":"He said \\"hi\\""},{"id":"m2","subject":"Line\\nBreak","snippet":"normal"}]',
    'id,snippet,subject\nm1,"He said ""hi""","Hello, World"\nm2,normal,"Line\nBreak"\n',
  ],
  ['{"name":"inbox","total":42}', "name=inbox\ntotal=42\n"],
  ["{}", "{}\n"],
  ["[]", "[]\n"],
  ['"a\\nb"', '"a\nb"'],
  ["null", "null"],
  ["true", "true"],
  ["-0.5", "-0.5"],
  ['"true"', '"true"'],
  ['""', '""'],
  ['[1,{"a":1}]', '# heterogeneous\n[1,{"a":1}]\n'],
  ['{"a":{"b":[1]},"c":[]}', 'a={"b":[1]}\nc=[]\n'],
];

Deno.test("TestToonRoundTrip: pinned pairs of value and compact text, both ways", () => {
  for (const [json, text] of PINNED) {
    assert.equal(encodeCompact(parseJson(json)), text);
    assert.deepEqual(decodeCompact(text), parseJson(json), text);
  }
});

Deno.test("TestDecodeKeyValueKeepsNewlineInValue: a quoted newline is part of the value", () => {
  assert.deepEqual(decodeCompact('a="x\ny=z"\nb=1\n'), { a: "x\ny=z", b: 1 });
});

Deno.test("TestDecodeScalarKeepsNewline: a quoted newline does not end a scalar", () => {
  assert.equal(decodeCompact('"a\nb"'), "a\nb");
  assert.equal(decodeCompact('"a\n,b"'), "a\n,b");
});

Deno.test("TestEncodeAllEmptyMapKeepsKeys: empty values are not missing ones", () => {
  assert.equal(encodeCompact({ error: "", status: null }), 'error=""\nstatus=null\n');
  assert.deepEqual(decodeCompact('error=""\nstatus=null\n'), { error: "", status: null });
  assert.equal(encodeCompact({ count: 0, size: 0 }), "count=0\nsize=0\n");
});

Deno.test("TestEncodeGenuinelyEmptyMapIsSentinel: no fields, or none left, is {}", () => {
  assert.equal(encodeCompact({}), "{}\n");
  assert.equal(encodeCompact({ count: 0 }, { omitZeroCounts: true }), "{}\n");
  assert.equal(encodeCompact({ count: 0, name: "x" }, { omitZeroCounts: true }), "name=x\n");
});

Deno.test("TestEncodeEmptyObjectSentinel: the sentinel reads back as an empty object", () => {
  assert.deepEqual(decodeCompact("{}\n"), {});
  assert.deepEqual(decodeCompact("{}"), {});
});

Deno.test("TestToonRoundTrip: tolerances of the reader", () => {
  assert.equal(decodeCompact(""), null);
  assert.deepEqual(decodeCompact("\n\na=1\n\nnoise\nb=2\r\n"), { a: 1, b: 2 });
  assert.deepEqual(decodeCompact('x,"a=b"\n1,2\n'), [{ x: 1, "a=b": 2 }]);
  assert.deepEqual(decodeCompact("a,b\r\n1\r\n"), [{ a: 1, b: null }]);
  assert.deepEqual(decodeCompact("# headers: a,b\n1,x\n"), [{ a: 1, b: "x" }]);
  assert.deepEqual(decodeCompact("a={broken\n"), { a: "{broken" });
  assert.throws(() => decodeCompact("# heterogeneous\n[1"), (error: unknown) => {
    assert.ok(error instanceof ToonDecodeError);
    assert.match(error.message, /# heterogeneous/);
    return true;
  });
});

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom(",", '"', "\n", "=", " ", "1", "a", "#", ".") }),
);
const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const isNestedText = (value: unknown) => typeof value === "string" && /^[{[]/.test(value);

Deno.test("TestToonRoundTrip: maps, tables, lists and scalars survive", () => {
  const map = fc.dictionary(text, fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })), { maxKeys: 5 });
  const table = fc.uniqueArray(text, { minLength: 1, maxLength: 4 }).chain((keys) =>
    fc.array(
      fc.tuple(...keys.map(() => leaf.filter((value) => !isNestedText(value))))
        .map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index]]))),
      { minLength: 1, maxLength: 4 },
    )
  );
  const value = fc.oneof(leaf, map, table, fc.array(fc.oneof(leaf, map), { maxLength: 4 }));
  fc.assert(
    fc.property(value, (original) => {
      const decoded = decodeCompact(encodeCompact(original as JsonValue));
      assert.equal(JSON.stringify(sorted(decoded)), JSON.stringify(sorted(original)));
    }),
    { numRuns: 500 },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map((
    [key, member],
  ) => [key, sorted(member)]);
}

Deno.test("FuzzToonDecode: compact text throws only its own errors", () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (input) => {
      try {
        decodeCompact(input);
      } catch (error) {
        assert.ok(error instanceof ToonDecodeError, String(error));
      }
    }),
    { numRuns: 500 },
  );
});
