import assert from "node:assert/strict";
import fc from "fast-check";
import type { ResolvedProfile } from "../profile/types.ts";
import { isRawNumber, parseJson } from "../json/mod.ts";
import { decodeToonDocument, jcs, toonDocumentValue } from "../format/mod.ts";
import { bigIntegerPaths, shapeBody, stringifyBigIntegers } from "./mod.ts";

const EVERYTHING: ResolvedProfile = {
  name: "everything",
  keep_fields: ["a.b", "k", "rows", "items", "id"],
  drop_fields: ["a.c"],
  strip_nulls: true,
  flatten: true,
  collapse_arrays: { max_items: 1_000 },
  truncate_strings: { default_chars: 20, fields: { "a.b": 3 } },
  dedupe: { by: ["id"] },
  sort_by: "id",
  untrusted_fields: ["a.b"],
};

function run(
  text: string,
  format: "json" | "toon" | "csv" | "markdown",
  profile?: ResolvedProfile,
) {
  return shapeBody({
    body: new TextEncoder().encode(text),
    opId: "o",
    variantId: "v",
    profile,
    userFormat: format,
  });
}

Deno.test("TestHostileBodies: 10,000 levels of nesting overflow nothing, in any format", () => {
  const arrays = "[".repeat(10_000) + "1" + "]".repeat(10_000);
  const objects = '{"a":'.repeat(10_000) + "12345678901234567890" + "}".repeat(10_000);
  const rows = `[{"a":${arrays},"id":1},{"a":${objects},"id":2}]`;
  for (const body of [arrays, objects, rows]) {
    for (const format of ["json", "toon", "csv", "markdown"] as const) {
      for (const profile of [undefined, EVERYTHING, { ...EVERYTHING, keep_fields: [] }]) {
        run(body, format, profile);
      }
    }
    stringifyBigIntegers(parseJson(body));
  }
  assert.equal(new TextDecoder().decode(run(objects, "json").body), objects);
});

Deno.test("TestHostileBodies: a million keys, a wide sparse table", () => {
  const wide = `{${
    Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":${index}`).join(",")
  }}`;
  assert.equal(
    run(wide, "toon", { name: "p", truncate_strings: { default_chars: 5 } }).format,
    "json",
  );
  const sparse = JSON.stringify(
    Array.from({ length: 20_000 }, (_, index) => ({ [`k${index}`]: 1 })),
  );
  for (const format of ["toon", "csv", "markdown"] as const) {
    assert.equal(run(sparse, format).format, "json");
  }
});

Deno.test("TestHostileBodies: lone surrogates come back from JSON and TOON, tables show U+FFFD", () => {
  const body = '[{"id":"a\\ud800b","nested":{"x":"\\udc00"}},{"id":"fine","nested":null}]';
  assert.equal(new TextDecoder().decode(run(body, "json").body), body);
  const toon = new TextDecoder("utf-8", { fatal: true }).decode(run(body, "toon").body);
  assert.deepEqual(toonDocumentValue(decodeToonDocument(toon)), [
    { id: "a\ud800b", nested: { x: "\udc00" } },
    { id: "fine" },
  ]);
  assert.equal(run('[{"a\\ud800":1}]', "toon").format, "json");
  for (const format of ["csv", "markdown"] as const) {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(run(body, format).body);
    assert.ok(text.includes("a\ufffdb"), format);
  }
});

Deno.test("TestHostileBodies: the last of two equal keys counts, numbers beyond a double keep their text", () => {
  assert.equal(new TextDecoder().decode(run('{"a":1,"a":2}', "json").body), '{"a":2}');
  assert.equal(
    new TextDecoder().decode(run('{"a":1e400,"b":-1e-400}', "json").body),
    '{"a":1e400,"b":0}',
  );
  assert.match(new TextDecoder().decode(run('[{"a":1e309}]', "toon").body), /\n\n10{309}\n$/);
});

Deno.test("TestBigIntegers: a body is read without losing a digit", () => {
  const big = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String);
  const text = fc.oneof(
    fc.string(),
    big,
    fc.constantFrom("gum-number-0:1", "\\", '"', ": 12345678901234567890", "4294967295", "7"),
  );
  const literal = fc.oneof(
    big,
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom("1.5", "100000", "null", "[]"),
  );
  // V8 15.0 misreads an escaped key where it has met a key that is a backslash before.
  const keys = text.filter((key) => !key.startsWith("\\"));
  const members = fc.uniqueArray(fc.tuple(keys, literal), { selector: ([key]) => key });
  fc.assert(
    fc.property(members, (pairs) => {
      const written = (from: string, to: string) =>
        `{${pairs.map(([key, value]) => JSON.stringify(key) + from + value).join(to)}}`;
      const value = parseJson(written(" : ", ",\n "));
      const sorted = pairs.toSorted(([a], [b]) => a < b ? -1 : 1)
        .map(([key, literalText]) => `${JSON.stringify(key)}:${literalText}`).join(",");
      assert.equal(jcs(value), `{${sorted}}`);
    }),
    { numRuns: 500 },
  );
});

Deno.test("TestBigIntegers: bad JSON stays bad, equal keys keep the last number", () => {
  assert.equal(
    jcs(parseJson('{"a":12345678901234567890,"a":12345678901234567891}')),
    '{"a":12345678901234567891}',
  );
  assert.throws(() => parseJson('{"a":0012345678901234567890}'), SyntaxError);
  assert.throws(() => parseJson('{"a":12345678901234567890'), SyntaxError);
  assert.throws(() => parseJson('["a" 12345678901234567890]'), SyntaxError);
});

Deno.test("TestBigIntegers: paths and the string form", () => {
  const value = parseJson(
    '{"a":[{"id":12345678901234567890},{"id":1}],"b":{"c":-12345678901234567890},"s":"x"}',
  );
  assert.deepEqual(bigIntegerPaths(value), ["a.id", "b.c"]);
  const text = stringifyBigIntegers(value);
  assert.deepEqual(text, {
    a: [{ id: "12345678901234567890" }, { id: 1 }],
    b: { c: "-12345678901234567890" },
    s: "x",
  });
  const top = parseJson("12345678901234567890");
  assert.ok(isRawNumber(top));
  assert.equal(stringifyBigIntegers(top), "12345678901234567890");
});

Deno.test("TestHostileBodies: any JSON shapes in every format without a throw", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.constantFrom("json", "toon", "csv", "markdown" as const),
      (value, format) => {
        const result = run(JSON.stringify(value), format as "json", {
          ...EVERYTHING,
          keep_fields: [],
        });
        assert.equal(result.bytesOut, result.body.byteLength);
        assert.ok(["json", "toon", "csv", "markdown"].includes(result.format));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("TestHostileBodies: a string of 100 MB is cut or passed, never lost without a word", () => {
  const long = "x".repeat(100_000_000);
  const body = `{"items":[{"id":"1","text":"${long}"}]}`;
  const cut = run(body, "toon", { name: "p", truncate_strings: { default_chars: 100 } });
  assert.ok(cut.bytesOut < 1_000);
  assert.match(new TextDecoder().decode(cut.body), /text_truncated/);
  assert.equal(cut.lossy, true);
  assert.ok(run(body, "json").bytesOut > 100_000_000);
});

Deno.test("TestHostileBodies: a profile with deep, many and odd paths is just a profile", () => {
  const deepPath = Array.from({ length: 10_000 }, () => "a").join(".");
  const hostile: ResolvedProfile = {
    name: "hostile",
    keep_fields: [
      deepPath,
      "__proto__",
      "__proto__.polluted",
      "constructor.prototype",
      "",
      "..",
      "id",
      ...Array.from({ length: 50_000 }, (_, index) => `k${index}.x`),
    ],
    drop_fields: [deepPath, "toString", "hasOwnProperty.call"],
    truncate_strings: { fields: { [deepPath]: 1, __proto__: 2, "": 3 } as Record<string, number> },
    dedupe: { by: ["__proto__", "constructor"] },
    sort_by: "__proto__",
    untrusted_fields: [deepPath, "__proto__.x"],
  };
  const bodies = [
    '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
    '{"__proto__":{"polluted":true},"id":"kept","constructor":{"prototype":{"x":1}}}',
    '[{"__proto__":{"polluted":1},"id":1},{"__proto__":{"polluted":1},"id":2}]',
  ];
  for (const body of bodies) {
    for (const format of ["json", "toon", "csv", "markdown"] as const) run(body, format, hostile);
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const [, object = ""] = bodies;
  assert.match(new TextDecoder().decode(run(object, "json", hostile).body), /"id":"kept"/);
});

Deno.test("TestHostileBodies: one million keys are shaped, each of them still there", () => {
  const count = 1_000_000;
  const wide = `{${Array.from({ length: count }, (_, index) => `"k${index}":""`).join(",")}}`;
  const kept = run(wide, "json", { name: "p", drop_fields: ["k5"] });
  assert.equal(Object.keys(kept.value as object).length, count - 1);
  assert.deepEqual(kept.droppedPaths, ["k5"]);
  const bare = run(wide, "json", { name: "p", strip_nulls: true });
  assert.equal(Object.keys(bare.value as object).length, 0);
});
