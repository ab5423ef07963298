/** The language, line by line: literals, operators, methods, builtins (spec 09 §11). */

import assert from "node:assert/strict";
import { compileRisor, ScriptSyntaxError } from "./risor/mod.ts";
import { openRig } from "./testdata/rig.ts";

/** An expression, and its JSON in a list or the text of its error. */
type Line = [string, string];

const LINES: Line[] = [
  // Literals.
  ["0x1F + 0b101 + 0o17 + 017", "[66]"],
  ["1.5e3", "[1500]"],
  ["2E-1", "[0.2]"],
  [
    '"\\a\\b\\f\\n\\r\\t\\v\\e\\0\\\\\\\'\\"\\x41\\u00e9\\U0001F600"',
    '["\\u0007\\b\\f\\n\\r\\t\\u000b\\u001b\\u0000\\\\\'\\"Aé😀"]',
  ],
  ["'single \"quotes\"'", '["single \\"quotes\\""]'],
  ["`a\nb ${`in ${1 + 1}`} }`", '["a\\nb in 2 }"]'],
  ["[1, 2,\n 3,\n]", "[[1,2,3]]"],
  ['{"a b": 1, c: 2, `d${1}`: 3, if: 4}', '[{"a b":1,"c":2,"d1":3,"if":4}]'],
  ["{} == {}", "[true]"],
  // Truth and logic.
  [
    '[0, 0.0, "", [], {}, nil, range(0)].map(x => bool(x))',
    "[[false,false,false,false,false,false,false]]",
  ],
  [
    '[1, "0", [0], {a: 0}, range(1), len, error("x")].map(x => bool(x))',
    "[[true,true,true,true,true,true,true]]",
  ],
  ['0 || "b" && "c"', '["c"]'],
  ["nil ?? 0 ?? 1", "[0]"],
  ["false ?? 1", "[false]"],
  ["!nil == true", "[true]"],
  // Numbers.
  ["7 / -2", "[-3]"],
  ["-7 % 3", "[-1]"],
  ["2 ** 10 ** 0", "[2]"],
  ["2 ** -1", "[0]"],
  ["0 ** -1", "value error: division by zero"],
  ["2 ** 0.5 > 1.41", "[true]"],
  ["1 << 70", "[0]"],
  ["-1 >> 70", "[-1]"],
  ["1 << -1", "value error: negative shift count"],
  ["6 & 3 | 8 ^ 1", "[11]"],
  ["1.5 % 1", "type error: unsupported operation for float: % on type int"],
  ["1 / 0.0 > 9e300", "[true]"],
  ["1 % 0", "value error: division by zero"],
  ["9223372036854775807 * 2", "[-2]"],
  ['- "a"', "type error: unsupported operation for string: unary -"],
  // Equality and order.
  ["1 == 1.0", "[true]"],
  ["9007199254740993 == 9007199254740992.0", "[false]"],
  ['"1" == 1', "[false]"],
  ["[1, {a: [2]}] == [1.0, {a: [2]}]", "[true]"],
  ["len == len && len != keys", "[true]"],
  ['error("a") == error("a")', "[true]"],
  ['"\\uffee" < "😀"', "[true]"],
  ["[9] < [1, 1]", "[true]"],
  ["nil <= nil", "[true]"],
  ['1 < "a"', "type error: unable to compare int and string"],
  ["{} < {}", "type error: expected a comparable object (got map)"],
  // Membership.
  [
    '[2 in [1, 2.0], "a" in {a: 1}, "bc" in "abcd", 4 in range(0, 9, 2), 5 not in [5]]',
    "[[true,true,true,true,false]]",
  ],
  ['1 in "1"', "type error: expected a string (got int)"],
  // Index and slice.
  ['"aé😀"[-1]', '["😀"]'],
  ["[1, 2, 3][5]", "index error: index out of range: 5"],
  ["[1, 2, 3][-4]", "index error: index out of range: -4"],
  ["[1, 2, 3, 4][1:-1]", "[[2,3]]"],
  ['"abc"[:2] + "abc"[2:]', '["abc"]'],
  ["[1][0:2]", "index error: slice index out of range: 2"],
  ["[1, 2][2:1]", "index error: slice indices out of order: 2 > 1"],
  ["{a: 1}[0]", "type error: map keys are strings (got int)"],
  ["nil[0]", "type error: object is not subscriptable (got null)"],
  ["range(10, 0, -3)[1]", "[7]"],
  // Members.
  ["{keys: 1}.keys", "[1]"],
  ["{keys: 1}.keys()", '[["keys"]]'],
  ["{f: x => x + 1}.f(2)", "[3]"],
  ["nil.x", 'type error: attribute "x" not found on null object'],
  ["{}.x", 'type error: attribute "x" not found on map object'],
  ["{}?.x", "[null]"],
  ["nil?.f(1 / 0)", "[null]"],
  ["[3, 1].map", "type error: cannot encode builtin"],
  // Calls.
  ["(x => x)(1, 2)", "args error: function takes 1 argument (2 given)"],
  ["((a, b = a + 1, ...c) => [a, b, c])(1)", "[[1,2,[]]]"],
  ["((a, b = a + 1, ...c) => [a, b, c])(1, 5, 6, 7)", "[[1,5,[6,7]]]"],
  ["(({a, b: c = 2}, [d]) => [a, c, d])({a: 1}, [3])", "[[1,2,3]]"],
  ["5(1)", "type error: object is not callable (got int)"],
  ["function f(a, b) { a }(1)", 'args error: function "f" takes 2 arguments (1 given)'],
  ["call((a, b) => a - b, 3, 1)", "[2]"],
  // Pipes.
  ["{n: 3} |> (m => m.n)", "[3]"],
  ["2 |> math.pow(3)", "[8]"],
  ['"a" |> "-".repeat', "type error: expected an int (got string)"],
  // Strings.
  ['"a,b".split(",")', '[["a","b"]]'],
  ['"héh".index("h") + "héh".last_index("h")', "[2]"],
  ['"a b  c".fields()', '[["a","b","c"]]'],
  ['["aXbX".replace_all("X", "-"), "aaa".count("a"), "abc".contains("b")]', '[["a-b-",3,true]]'],
  [
    '["xxax".trim("x"), "pre-a".trim_prefix("pre-"), "a.txt".trim_suffix(".txt")]',
    '[["a","a","a"]]',
  ],
  ['["b".compare("a"), "ab".has_prefix("a"), "ab".has_suffix("a")]', "[[1,true,false]]"],
  ['"a".repeat(-1)', "value error: negative repeat count"],
  ['",".join([1])', "type error: expected a string (got int)"],
  // Lists.
  ["[1].append(2, 3).extend([4]).insert(0, 0).reverse()", "[[4,3,2,1,0]]"],
  ["[[1, 2].pop(), [1, 2].pop(0), [1, 2, 1].count(1), [1].index(2)]", "[[2,1,2,-1]]"],
  ["[3, 1, 2].sort((a, b) => a > b)", "[[3,2,1]]"],
  ["[1].remove(2)", "value error: the list does not hold this value"],
  ["[].pop()", "index error: pop from an empty list"],
  ['sorted([3, "a"])', "type error: unable to compare string and int"],
  ["sorted({b: 1, a: 2})", '[["a","b"]]'],
  ["[1, 2].each(x => x)", "[null]"],
  // Maps.
  ["{b: 1, a: nil}.entries()", '[[["a",null],["b",1]]]'],
  ['[{a: nil}.get("a", 1), {}.get("a", 1), {}.get("a")]', "[[null,1,null]]"],
  ['{a: 1}.pop("b")', 'key error: key "b" not found'],
  ["{a: 1}.update({b: 2}).values()", "[[1,2]]"],
  ['{}.setdefault("a", [])', "[[]]"],
  ["{...{a: 1}, ...[1]}", "type error: expected a map (got list)"],
  // Ranges and collections.
  ["[list(range(3)), len(range(0, 10, 4)), range(3).map(x => x * x)]", "[[[0,1,2],3,[0,1,4]]]"],
  ["range(1, 2, 0)", "value error: range step must not be 0"],
  ["[any([0, 1]), all([]), filter({a: 0, b: 2}, x => x)]", "[[true,true,[2]]]"],
  ["chunk([1], 0)", "value error: chunk size must be positive"],
  ["list(5)", "type error: object is not enumerable (got int)"],
  ["coalesce(nil, nil, 3)", "[3]"],
  // Conversion and text.
  ['[int("0x1f"), int("-12"), int(3.9), int(true), float("1e2")]', "[[31,-12,3,1,100]]"],
  ['int("z")', 'value error: invalid literal for int(): "z"'],
  ['int("99999999999999999999")', 'value error: invalid literal for int(): "99999999999999999999"'],
  [
    '[type(1), type(1.0), type(""), type([]), type({}), type(nil), type(true), type(len), type(x => x), type(range(1)), type(error(""))]',
    '[["int","float","string","list","map","null","bool","builtin","function","range","error"]]',
  ],
  [
    'string([1, 2.0, "a", nil, {b: range(2)}])',
    '["[1, 2, \\"a\\", null, {\\"b\\": range(0, 2)}]"]',
  ],
  [
    'sprintf("%v|%5d|%-4s|%04d|%.2f|%q|%x|%t|%%", [1], 42, "a", 7, 1.005, "q", 255, true)',
    '["[1]|   42|a   |0007|1.00|\\"q\\"|ff|true|%"]',
  ],
  ['error("n=%d", 3).message()', '["n=3"]'],
  ['assert(1 == 2, "math")', "runtime error: math"],
  ['getattr({a: 1}, "b", 9)', "[9]"],
  [
    '[encode("é", "base64"), decode("w6k", "base64"), encode("é", "hex"), decode("a%20b+c", "urlquery")]',
    '[["w6k=","é","c3a9","a b c"]]',
  ],
  ['decode(\'{"a": [1, 2.0, 9223372036854775807]}\', "json")', '[{"a":[1,2,9223372036854775807]}]'],
  ['decode("{", "json")', "value error: invalid JSON: not JSON at character 2"],
  ['encode(1, "xml")', "type error: expected a string (got int)"],
  ['encode("", "xml")', 'value error: unknown codec "xml"'],
  // Modules.
  [
    "[math.abs(-3), math.ceil(1.2), math.floor(-1.2), math.round(2.5), math.max(1, 2.5), math.min([3, 1]), math.sqrt(9), math.sign(-2)]",
    "[[3,2,-2,3,2.5,1,3,-1]]",
  ],
  ["math.sum([1, 2.5])", "[3.5]"],
  ["math.max()", 'args error: function "max" takes at least 1 argument (0 given)'],
  [
    '[regexp.match("^a+$", "aaa"), regexp.find("[0-9]+", "a12"), regexp.find_all("[a-z]", "a1b"), regexp.replace("(a)(b)", "ab", "$2$1"), regexp.split(",\\\\s*", "a, b"), regexp.escape("a.b")]',
    '[[true,"12",["a","b"],"ba",["a","b"],"a\\\\.b"]]',
  ],
  // Errors.
  [
    "(() => { try { throw {a: 1} } catch (e) { [e.kind(), e.message(), e.code(), e.details()] } })()",
    '[["runtime error","{\\"a\\": 1}",null,null]]',
  ],
  [
    "(() => { try { [1][3] } catch e { try { throw e } catch (f) { f.kind() } } })()",
    '["index error"]',
  ],
  ["(() => { try { 1 } finally { 2 } })()", "[1]"],
  ['(() => { function f() { try { throw "x" } finally { return "last" } }\nf() })()', '["last"]'],
  // Statements as values.
  ["(() => { let f = () => { if (false) { 1 } }\nf() })()", "[null]"],
  ["(() => { for (x in [1]) { x } })()", "[null]"],
  ["(() => { switch (5) { case 1: 1 } })()", "[null]"],
  [
    "(() => { let fs = []\nfor (i in range(3)) { fs.append(() => i) }\nfs.map(f => f()) })()",
    "[[0,1,2]]",
  ],
  ['(() => { let a, b = "xy"\n[b, a] })()', '[["y","x"]]'],
  ["(() => { let {a} = {}\na })()", 'type error: attribute "a" not found on map object'],
  ["(() => { let {a = 1} = {a: nil}\na })()", "[1]"],
  ["(() => { let [a] = 5\na })()", "type error: object is not enumerable (got int)"],
  ['(() => { let m = {n: 1}\nm.n += 2\nm["k"] = [0]\nm.k[0] -= 1\nm })()', '[{"k":[-1],"n":3}]'],
  ['(() => { for (i, c in "ab") { if (c == "b") { return i } } })()', "[1]"],
  ["(() => { let n = 0\nwhile (true) { switch (n) { case 3: break }\nn++ }\nn })()", "[3]"],
  ["(() => { let l = []\nl.append(l)\n`${l}` })()", '["[[...]]"]'],
  // Ints and floats compare by value, however far apart they are.
  [
    "[-2 > -1e21, 2 < 1e21, -2 < -1e21, -1e21 < -2, 1e21 == 2, -2 > -1e18]",
    "[[true,true,false,true,false,true]]",
  ],
  [
    "[9007199254740993 == 9007199254740992.0, 9007199254740993 > 9007199254740992.0, 3 > 2.5, -3 < -2.5, 0 > -0.5]",
    "[[false,true,true,true,true]]",
  ],
  [
    "(() => { let low = -9223372036854775807 - 1\n[low == -9223372036854775808.0, low > -1e19, 1 < 1 / 0.0] })()",
    "[[true,true,true]]",
  ],
  // The left side of a compound assignment is read before the right side runs.
  ["(() => { let n = 1\nn += (() => { n = 10\n5 })()\nn })()", "[6]"],
  ["(() => { let m = {n: 1}\nm.n += (() => { m.n = 10\n5 })()\nm.n })()", "[6]"],
  ["(() => { let l = [1]\nl[0] += (() => { l[0] = 10\n5 })()\nl })()", "[[6]]"],
  ["(() => { _ = 5\nlet [_, b] = [1, 2]\nb })()", "[2]"],
  // A parameter with a default is a parameter.
  ["[7, 8].map((i, v = 9) => [i, v])", "[[[0,7],[1,8]]]"],
  ["[7, 8].map((v, ...rest) => [v, rest])", "[[[7,[]],[8,[]]]]"],
  ["((...all) => len(all))(...range(256))", "[256]"],
  [
    "((...all) => len(all))(...range(100000))",
    "args error: a call takes at most 256 arguments (100000 given)",
  ],
  ["[].append(...range(257))", "args error: a call takes at most 256 arguments (257 given)"],
  ['regexp.match("[(?=)]", "=")', "[true]"],
  ['regexp.match("[\\\\]](?=a)", "]a")', "value error: regexp: look-around is not supported"],
  [
    'sprintf("%.1f %.0f %f", 1e21, -1e22, 0.5)',
    '["1000000000000000000000.0 -10000000000000000000000 0.500000"]',
  ],
  // Halves of surrogate pairs are no characters.
  ['decode("\\"\\\\ud83d\\"", "json") + decode("\\"\\\\ude00\\"", "json")', '["��"]'],
];

Deno.test("the language, line by line", async (t) => {
  await using rig = openRig({ limits: { outputBytes: 1 << 20 } });
  const source = LINES.map(([expression]) =>
    `gum_print(try { encode([${expression}], "json") } catch (e) { e.kind() + ": " + e.message() })
gum_print("\\u0000")`
  );
  const results = (await rig.output(source.join("\n"))).split("\0");
  for (const [index, [expression, expected]] of LINES.entries()) {
    await t.step(expression, () => assert.equal(results[index], expected));
  }
});

Deno.test("what a compiler must refuse, with the place", async (t) => {
  const refused: [string, string][] = [
    ["let _ = 1\n_", "2:1 cannot use _ as value"],
    ["len = 1", '1:5 cannot assign to constant "len"'],
    ["let len = 1", '1:5 variable "len" already exists'],
    ["function f() { 1 }\nf = 2", '2:3 cannot assign to constant "f"'],
    ["return 1", '1:1 "return" outside of a function'],
    ["break", '1:1 "break" outside of a loop'],
    ["let f = () => { continue }", '1:17 "continue" outside of a loop'],
    [
      "for (x in [1]) { let y = if (x) { break } }",
      '1:35 "break" inside an expression used as a value',
    ],
    [
      "function f() { let y = try { return 1 } catch { 2 } }",
      '1:30 "return" inside an expression used as a value',
    ],
    ["total", '1:1 undefined variable "total"'],
    ["let total = 1\ntotals", '2:1 undefined variable "totals" (did you mean "total"?)'],
    ["let ab = 1\nac", '2:1 undefined variable "ac" (did you mean "ab"?)'],
    [
      "(() => { function late() { later }\nlate()\nlet later = 1 })()",
      '1:28 undefined variable "later" (did you mean "late"?)',
    ],
    ["if (true) { let inner = 1 }\ninner", '2:1 undefined variable "inner"'],
    ["match 1 { 1 => 2 }", "1:9 match needs a _ arm"],
    ["match 1 { _ if true => 2 }", "1:11 the _ arm takes no guard"],
    ["match 1 { _ => 1, _ => 2 }", "1:19 match has more than one _ arm"],
    ["try { 1 }", "1:1 try needs a catch or a finally clause"],
    ["((a = 1, b) => a)(1)", "1:2 parameters with defaults and rest parameters come last"],
    ["1 = 2", "1:3 cannot assign to this expression"],
    ["9223372036854775808", "1:1 integer literal out of range: 9223372036854775808"],
    ["12ab", "1:1 invalid number literal: 12a"],
    ["08", "1:1 invalid octal literal: 08"],
    ['"\\q"', '1:2 invalid escape sequence "\\q"'],
    ['"a\nb"', "1:1 unterminated string literal"],
    ["`${1", "1:1 unterminated template literal"],
    ["/* open", "1:1 unterminated comment"],
    ["a ~ b", '1:3 unexpected character "~"'],
    ["[1, 2", '1:6 unexpected end of script while parsing list (expected "]")'],
    ["() => {a: 1}", '1:9 invalid syntax (unexpected ":"); a map needs parentheses here: ({...})'],
    ["not true", '1:1 invalid syntax (unexpected "not")'],
    ["struct", '1:1 invalid syntax (unexpected "struct")'],
    ["if (1) { 1 }\nelse { 2 }\nelse { 3 }", '3:1 invalid syntax (unexpected "else")'],
    ["let a = 1 let b = 2", '1:11 invalid syntax (unexpected "let")'],
  ];
  for (const [source, expected] of refused) {
    await t.step(source, () => {
      try {
        compileRisor(source);
      } catch (error) {
        assert.ok(error instanceof ScriptSyntaxError);
        const [problem] = error.problems;
        assert.equal(`${problem?.line}:${problem?.column} ${problem?.message}`, expected);
        return;
      }
      assert.fail("it compiled");
    });
  }
  await t.step("_ = 5 discards, _ += 5 would read", () => {
    assert.throws(() => compileRisor("_ += 5"), /cannot use _ as value/);
  });
  await t.step("places are counted in characters and lines, whatever ends them", () => {
    const places: [string, string][] = [
      ["\t\tx", "1:3"],
      ['"😀é" + x', "1:8"],
      ["1\r\n2\r\n x", "3:2"],
      ["1\r2\rx", "3:1"],
      ["/* é\r\n😀 */ x", "2:6"],
      ["`a\n${1}\n` + x", "3:5"],
      ["\ufeff1", "1:1"],
      ["1 + \0", "1:5"],
    ];
    for (const [source, expected] of places) {
      assert.throws(() => compileRisor(source), (error) => {
        assert.ok(error instanceof ScriptSyntaxError);
        const [problem] = error.problems;
        assert.equal(`${problem?.line}:${problem?.column}`, expected, JSON.stringify(source));
        return true;
      });
    }
  });
  await t.step("up to ten problems at once", () => {
    try {
      compileRisor(Array.from({ length: 12 }, (_, n) => `missing${n}`).join("\n"));
      assert.fail("it compiled");
    } catch (error) {
      assert.ok(error instanceof ScriptSyntaxError);
      assert.equal(error.problems.length, 10);
    }
  });
});

Deno.test("a script of the largest size is read or refused at once, whatever it is made of", async (t) => {
  const size = 250 * 1024;
  const numbered = (text: string) =>
    Array.from(
      { length: Math.floor(size / 2 / (text.length + 6)) },
      (_, n) => `${text}${n + 10_000};`,
    )
      .join("");
  const names = Array.from({ length: size / 16 }, (_, n) => `let v${n + 10_000}=1;`).join("");
  const sources: Record<string, string> = {
    "names nobody declared, all alike": names + numbered("w"),
    "two very long names": `let ${"a".repeat(size / 2)}b = 1; ${"a".repeat(size / 2)}c`,
    "numbers": `[${"1,".repeat(size / 2)}1]`,
    "one number": "1".repeat(size),
    "brackets": "([{".repeat(size / 3),
    "minus signs": "- ".repeat(size / 2),
    "operators": "1" + "+1".repeat(size / 2),
    "arrows before empty lines": "a=>".repeat(400) + "1" + "\n".repeat(size),
    "templates": "`${".repeat(size / 3),
    "else": "if(1){}" + "else if(1){}".repeat(size / 12),
  };
  for (const [name, source] of Object.entries(sources)) {
    await t.step(name, () => {
      const before = performance.now();
      try {
        compileRisor(source);
      } catch (error) {
        assert.ok(error instanceof ScriptSyntaxError, String(error));
      }
      // The thread that reads it answers everybody else, too. Squares of the size take minutes.
      assert.ok(performance.now() - before < 10_000);
    });
  }
});

Deno.test("line ends: where a statement goes on and where it ends", async () => {
  await using rig = openRig();
  const scripts: [string, string][] = [
    ["#!/usr/bin/env gum\r\n1 +\r\n2", "3"],
    ["let a = {\n  b: [\n 1,\n\n 2\n],\n}\na\n.b\n\n.map(\nx =>\n x\n)\n|> len", "2"],
    ["let x = 1; let y = 2; x + y", "3"],
    ["let f = (a,\n b) =>\n a + b\nf(1,\n2)", "3"],
    ["if (false) { 1 }\n\nelse if (true) { 2 }\nelse { 3 }", "2"],
    ["// only a comment", ""],
    ["let n = 5 // trailing\n/* a\nblock */ n", "5"],
  ];
  for (const [source, expected] of scripts) {
    assert.equal(await rig.output(source), expected, source);
  }
});
