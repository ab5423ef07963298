import assert from "node:assert/strict";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { parseJson, rawNumber } from "../json/mod.ts";
import { jcs, JcsError } from "./mod.ts";

// V8 15.0 misreads an escaped key where it has met a key that is a backslash before.
const jsonValues = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("\\\\"));

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof JcsError);
    return error.code;
  }
  return "no error";
}

Deno.test("TestJCSVectors: the RFC 8785 example sorts, trims and escapes as the RFC shows", () => {
  const input = JSON.parse(`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`);
  assert.equal(
    jcs(input),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

Deno.test("TestJCSVectors: keys sort by UTF-16 code units", () => {
  const input = JSON.parse(
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh",' +
      '"1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control",' +
      '"\\u00f6":"Latin Small Letter O With Diaeresis"}',
  );
  assert.deepEqual(Object.keys(JSON.parse(jcs(input))), [
    "1",
    "\r",
    "\u0080",
    "ö",
    "€",
    "😀",
    "\ufb33",
  ]);
  assert.equal(jcs({ "10": 1, "2": 2, "": 0 }), '{"":0,"10":1,"2":2}');
});

// RFC 8785 appendix B: the bits of a double and its text.
const NUMBER_VECTORS: [string, string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

Deno.test("TestJCSVectors: numbers of RFC 8785 appendix B", () => {
  for (const [bits, text] of NUMBER_VECTORS) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    assert.equal(jcs(view.getFloat64(0)), text, bits);
  }
});

Deno.test("TestJCSVectors: what has no canonical form is a typed error, at any depth", () => {
  for (const value of [NaN, Infinity, -Infinity]) {
    assert.equal(codeOf(() => jcs([{ a: value }])), "JcsInvalidNumber");
  }
  for (const value of [undefined, () => 1, Symbol("s"), 1n, new Map(), new Date(0), /x/]) {
    assert.equal(codeOf(() => jcs({ a: [value] })), "JcsUnsupportedType");
  }
  assert.equal(codeOf(() => jcs("\ud800")), "JcsInvalidString");
  assert.equal(codeOf(() => jcs({ "\udc00": 1 })), "JcsInvalidString");
  const cycle: unknown[] = [];
  cycle.push({ cycle });
  assert.equal(codeOf(() => jcs(cycle)), "JcsCyclic");
});

Deno.test("TestJCSVectors: integers beyond 2^53 keep their digits", () => {
  assert.equal(
    jcs(parseJson('{"b":12345678901234567890,"a":-9007199254740993}')),
    '{"a":-9007199254740993,"b":12345678901234567890}',
  );
  assert.notEqual(jcs([rawNumber("9007199254740993")]), jcs([rawNumber("9007199254740992")]));
});

Deno.test("TestJCSVectors: half a surrogate pair can be escaped instead of refused", () => {
  const text = jcs({ a: "x\ud800y" }, { loneSurrogates: "escape" });
  assert.equal(text, '{"a":"x\\ud800y"}');
  assert.equal(JSON.parse(text).a, "x\ud800y");
});

Deno.test("FuzzJCSCanonical: agrees with an independent implementation", () => {
  fc.assert(fc.property(jsonValues, (value) => {
    assert.equal(jcs(value), canonicalize(value));
  }));
});

Deno.test("FuzzJCSIdempotent: reading and writing again changes nothing, nor does key order", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).reverse().map(([key, member]) => [key, reversed(member)]),
    );
  };
  fc.assert(fc.property(jsonValues, (value) => {
    const text = jcs(value);
    assert.equal(jcs(JSON.parse(text)), text);
    assert.equal(jcs(reversed(value)), text);
  }));
});

Deno.test("FuzzJCSCanonical: deep nesting is written without recursion, and equally", () => {
  let deep: unknown = { b: [1, "x"], a: null };
  for (let level = 0; level < 450; level++) deep = level % 2 ? [deep] : { k: deep, a: level };
  assert.equal(jcs(deep), canonicalize(deep));
  let deeper: unknown = 1;
  for (let level = 0; level < 50_000; level++) deeper = [deeper];
  assert.equal(jcs(deeper), "[".repeat(50_000) + "1" + "]".repeat(50_000));
});

Deno.test("FuzzJCSCanonical: a key named __proto__ is written like any other", () => {
  const value = JSON.parse('{"b":1,"__proto__":{"x":2}}');
  assert.equal(jcs(value), '{"__proto__":{"x":2},"b":1}');
});
