import assert from "node:assert/strict";
import fc from "fast-check";
import { type FieldMask, parseFieldMask, projectByMask } from "./mod.ts";

function mask(text: string) {
  const result = parseFieldMask(text);
  assert.ok(result.ok, text);
  return result.mask;
}

/** Canonical text: siblings sorted, `*` last. */
function formatFieldMask(mask: FieldMask): string {
  const names = [...mask.fields.keys()].filter((name) => name !== "*").sort();
  if (mask.fields.has("*")) names.push("*");
  return names.map((name) => {
    const sub = mask.fields.get(name);
    return sub === undefined ? name : `${name}(${formatFieldMask(sub)})`;
  }).join(",");
}

Deno.test("TestDefaultFieldsAreWellFormedReadMasks: the grammar and the position of each fault", () => {
  const faults: [string, number][] = [
    ["", 0],
    [",a", 0],
    ["a,", 2],
    ["a,,b", 2],
    ["a()", 2],
    ["a(b", 3],
    ["a)", 1],
    ["a b", 1],
    ["a/b", 1],
    ["a.b", 1],
    ["1a", 0],
    ["*(a)", 1],
    ["a(b)c", 4],
    ["a(b)(c)", 4],
    [" a", 0],
  ];
  for (const [text, position] of faults) {
    const result = parseFieldMask(text);
    assert.deepEqual([text, result.ok, !result.ok && result.position], [text, false, position]);
  }
});

Deno.test("TestDefaultFieldsAreWellFormedReadMasks: containers, stars and a field named twice", () => {
  const selected = projectByMask(mask("nextPageToken,messages(id,payload(headers)),extra(*)"), {
    nextPageToken: "t",
    messages: [{ id: "1", snippet: "s", payload: { headers: [{ deeper: 1 }], body: 2 } }],
    extra: { any: { thing: 1 } },
    rest: true,
  });
  assert.deepEqual(selected, {
    nextPageToken: "t",
    messages: [{ id: "1", payload: { headers: [{ deeper: 1 }] } }],
    extra: { any: { thing: 1 } },
  });
  const value = { a: { b: 1, c: 2, z: 3 } };
  assert.deepEqual(projectByMask(mask("*"), value), value);
  assert.deepEqual(projectByMask(mask("a(b),a(c)"), value), { a: { b: 1, c: 2 } });
  assert.deepEqual(projectByMask(mask("a,a(c)"), value), value);
  assert.deepEqual(projectByMask(mask("a(c),a"), value), value);
});

Deno.test("TestDefaultFieldsAreWellFormedReadMasks: projection follows arrays, drops and nulls scalars", () => {
  const value = { a: [{ x: 1, y: 2 }, 5], b: 7, c: { x: 1 }, d: 1 };
  assert.deepEqual(projectByMask(mask("a(x),b(x),c,gone"), value), {
    a: [{ x: 1 }],
    b: null,
    c: { x: 1 },
  });
  assert.deepEqual(projectByMask(mask("*"), value), value);
});

Deno.test("TestDefaultFieldsAreWellFormedReadMasks: a mask prints sorted, star last, and reads back", () => {
  assert.equal(formatFieldMask(mask("c,*,b(z,y),a")), "a,b(y,z),c,*");
  const ident = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,4}$/);
  const { text } = fc.letrec((tie) => ({
    text: fc.array(tie("field"), { minLength: 1, maxLength: 3 }).map((fields) => fields.join(",")),
    field: fc.oneof(
      { depthSize: "small" },
      ident,
      fc.constant("*"),
      fc.tuple(ident, tie("text")).map(([name, sub]) => `${name}(${sub})`),
    ),
  }));
  fc.assert(fc.property(text, (source) => {
    const printed = formatFieldMask(mask(source as string));
    assert.equal(formatFieldMask(mask(printed)), printed);
  }));
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", ",", "(", ")", "*", " ") }),
      (source) => {
        const result = parseFieldMask(source);
        if (!result.ok) assert.ok(result.position >= 0 && result.position <= source.length);
      },
    ),
    { numRuns: 500 },
  );
  assert.equal(parseFieldMask("a(".repeat(100_000)).ok, false);
});
