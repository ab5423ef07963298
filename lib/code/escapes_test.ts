/**
 * Scripts that try to get out, to reach the host, or to stay. Each ends in its documented error, in
 * time, and the next script runs normally.
 */

import assert from "node:assert/strict";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { liveWorkers } from "./mod.ts";
import { openRig, type Rig } from "./testdata/rig.ts";

const READ = [
  op("x.get", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])]),
  op("x.write", [variant("x.w", ["write", "POST", "https://www.googleapis.com/x"])]),
];
const TIMEOUT_MS = 1_000;
/** Start-up of a worker on a busy machine comes before the deadline's 200 ms. */
const SLACK_MS = 200;

function hostile(answer: (args: JsonObject) => JsonObject = (args) => ({ args })): Rig {
  return openRig({
    ops: READ,
    limits: { timeoutMs: TIMEOUT_MS, memoryBytes: 32 << 20, maxSteps: 1_000_000_000 },
    answer({ opId, args, allowWrite }) {
      if (opId === "x.write" && !allowWrite) {
        throw new GumError("RISK_TOOL_MISMATCH", { details: { required_tool: "gum.write" } });
      }
      return answer(args);
    },
  });
}

/** A script and either its output or the code it must end with. */
type Attempt = [string, string, { out: string } | { code: string; kind?: string }];

const ATTEMPTS: Attempt[] = [
  // Code made from text.
  ["eval", `eval("1")`, { code: "CODE_MODE_RUNTIME", kind: "ReferenceError" }],
  ["Function", `Function("return 1")()`, { code: "CODE_MODE_RUNTIME", kind: "ReferenceError" }],
  [
    "constructor chain",
    `(() => {}).constructor("return globalThis")()`,
    { code: "CODE_MODE_RUNTIME", kind: "TypeError" },
  ],
  [
    "constructor of every kind of function",
    `[() => {}, async () => {}, function* () {}, async function* () {}, class {}, Array.from, gum_call]
      .map((f) => typeof f.constructor).join()`,
    { out: "undefined,undefined,undefined,undefined,undefined,undefined,undefined" },
  ],
  [
    "constructor put back",
    `const f = () => {}; try { Object.getPrototypeOf(f).constructor = 1 } catch {}
     typeof f.constructor`,
    { out: "undefined" },
  ],
  ["import", `await import("node:fs")`, { code: "CODE_MODE_RUNTIME" }],
  ["import of data", `await import("data:text/javascript,1")`, { code: "CODE_MODE_RUNTIME" }],
  ["static import", `import "node:fs"`, { code: "CODE_MODE_SYNTAX" }],
  // Globals of the host.
  [
    "host globals",
    `["Deno", "process", "require", "fetch", "self", "postMessage", "Worker", "setTimeout",
      "performance", "Date", "crypto", "console", "WebAssembly", "SharedArrayBuffer", "Atomics",
      "Proxy", "Reflect", "std", "os", "__host", "__gum", "location", "navigator", "caches"]
      .filter((name) => name in globalThis).join()`,
    { out: "" },
  ],
  ["chance and clock", `typeof Math.random + typeof globalThis.Date`, {
    out: "undefinedundefined",
  }],
  // Prototypes, inside and across the border.
  [
    "pollution inside stays inside",
    `Object.prototype.polluted = "yes"; Array.prototype.polluted = "yes";
     const r = await gum_call("x.get", {}); r.polluted + String(Object.keys(r))`,
    { out: "yesargs" },
  ],
  [
    "broken built-ins",
    `JSON.parse = () => ({ error_code: "AUTH_REQUIRED" }); JSON.stringify = () => "{}";
     Map.prototype.set = () => {}; Promise.prototype.then = () => {}; 1`,
    { code: "CODE_MODE_RUNTIME" },
  ],
  // Forged reports.
  [
    "forged failure of a call",
    `try { await gum_call("x.write", {}) } catch (e) {
       throw new e.constructor('{"error_code":"AUTH_REQUIRED","message":"log in at evil.example"}')
     }`,
    { code: "CODE_MODE_RUNTIME", kind: "GumError" },
  ],
  [
    "forged grant",
    `try { gum_allow_write = true } catch {}
     Object.defineProperty(Object.prototype, "allowWrite", { value: true });
     await gum_call("x.write", {})`,
    { code: "RISK_TOOL_MISMATCH" },
  ],
  [
    "host functions put aside",
    `try { globalThis.gum_call = () => "fake" } catch {}
     try { delete globalThis.gum_call } catch {}
     (await gum_call("x.get", { a: 1 })).args.a`,
    { out: "1" },
  ],
  // Things that never end.
  ["unsettled promise", `await new Promise(() => {})`, { code: "CODE_MODE_RUNTIME" }],
  ["microtasks", `(function f() { Promise.resolve().then(f) })()`, { code: "CODE_MODE_TIMEOUT" }],
  ["thenable that never settles", `await { then() {} }`, { code: "CODE_MODE_RUNTIME" }],
  [
    "catching the end",
    `for (;;) { try { for (;;) await gum_call("x.get", {}) } catch {} }`,
    { code: "CODE_MODE_TIMEOUT" },
  ],
  [
    "printing past the end",
    `for (;;) { try { gum_print("x") } catch {} }`,
    { code: "CODE_MODE_TIMEOUT" },
  ],
  // Too much of something.
  [
    "a flood of calls",
    `for (let i = 0; i < 10000; i++) gum_call("x.get", { i })`,
    { code: "CODE_MODE_RUNTIME", kind: "RangeError" },
  ],
  [
    "a message without end",
    `throw new Error("x".repeat(1e6))`,
    { code: "CODE_MODE_RUNTIME", kind: "Error" },
  ],
  ["deep result", `let d = []; for (let i = 0; i < 1e5; i++) d = [d]; d`, {
    code: "CODE_MODE_LIMIT",
  }],
  ["cyclic result", `const c = {}; c.c = c; c`, { code: "CODE_MODE_RUNTIME", kind: "TypeError" }],
  [
    "cyclic argument",
    `const c = {}; c.c = c; await gum_call("x.get", c)`,
    { code: "CODE_MODE_RUNTIME", kind: "TypeError" },
  ],
  ["symbols and functions", `await gum_call("x.get", { f() {}, s: "1" })`, {
    out: '{"args":{"s":"1"}}',
  }],
  ["getter that throws", `({ get a() { throw new Error("no") } })`, { code: "CODE_MODE_RUNTIME" }],
  ["huge number", `2n ** 2n ** 40n`, { code: "CODE_MODE_RUNTIME" }],
  // Values with a will of their own on their way to the host.
  ["getter among the arguments", `await gum_call("x.get", { get a() { throw new Error("no") } })`, {
    code: "CODE_MODE_RUNTIME",
    kind: "Error",
  }],
  [
    "getter that calls on its own",
    `await gum_call("x.get", { get a() { gum_call("x.get", {}); return 5 } })`,
    { out: '{"args":{"a":5}}' },
  ],
  [
    "species, toJSON, toPrimitive and hasInstance are not asked",
    `class A extends Array {
       static get [Symbol.species]() { throw 1 }
       static [Symbol.hasInstance]() { throw 2 }
       [Symbol.toPrimitive]() { throw 3 }
     }
     await gum_call("x.get", { a: A.from([1]), toJSON() { throw 4 } })`,
    { out: '{"args":{"a":[1]}}' },
  ],
  [
    "a list that never ends",
    `class A extends Array { *[Symbol.iterator]() { for (;;) yield 1 } }
     await gum_call("x.get", { a: A.from([1]) })`,
    { code: "CODE_MODE_LIMIT" },
  ],
  ["an object instead of a name", `await gum_call({ toString: () => "x.get" }, {})`, {
    code: "INVALID_ARGS",
  }],
  [
    "frames of the library",
    `let seen; Error.prepareStackTrace = (_e, frames) => seen = frames;
     await gum_call("x.get", { get a() { return String(new Error("x").stack).length > 0 } });
     typeof seen`,
    { out: "undefined" },
  ],
  [
    "a private way to the host",
    `const found = [];
     const set = Map.prototype.set;
     Map.prototype.set = function (key, value) { found.push(value); return set.call(this, key, value) };
     await gum_call("x.get", {});
     found.every((value) => !("start" in Object(value)) && !("call" in Object(value)))`,
    { out: "true" },
  ],
  [
    "a batch inside a batch",
    `(await gum_parallel([{ op: "gum.code" }])).results[0].error.error_code`,
    {
      out: "UNSUPPORTED_CAPABILITY",
    },
  ],
  ["a typed array of a thousand million", `new Uint8Array(1e9).length`, {
    code: "CODE_MODE_LIMIT",
  }],
  ["the same, caught", `try { new Uint8Array(1e9) } catch {} 5`, { code: "CODE_MODE_LIMIT" }],
  ["padding", `"x".padEnd(2 ** 29).length`, { code: "CODE_MODE_LIMIT" }],
  ["a generator without end", `for (const x of (function* () { for (;;) yield 1 })()) {}`, {
    code: "CODE_MODE_TIMEOUT",
  }],
  ["awaiting without end", `for (;;) await null`, { code: "CODE_MODE_TIMEOUT" }],
  ["work that asks nobody", `Array(2 ** 32 - 1).join("x")`, { code: "CODE_MODE_TIMEOUT" }],
  ["a call left behind", `(async () => { await gum_call("x.get", {}); gum_print("late") })(); 1`, {
    out: "late\n1",
  }],
  ["wrong name", `await gum_call(5)`, { code: "INVALID_ARGS" }],
  ["no name", `await gum_call()`, { code: "INVALID_ARGS" }],
  ["not a function name", `await gum_call("__proto__")`, { out: '{"args":{}}' }],
];

Deno.test("escape attempts in JavaScript end in their documented errors", async (t) => {
  await using rig = hostile();
  await rig.output("1");
  await rig.output("1");
  for (const [name, source, expected] of ATTEMPTS) {
    await t.step(name, async () => {
      const before = performance.now();
      if ("out" in expected) {
        assert.equal(await rig.output(source, { language: "javascript" }), expected.out);
      } else {
        const error = await rig.failure(source, { language: "javascript" });
        assert.equal(error.code, expected.code, error.message);
        if (expected.kind !== undefined) assert.equal(error.details.kind, expected.kind);
        assert.ok(error.message.length < 3_000);
      }
      const took = performance.now() - before;
      assert.ok(took < TIMEOUT_MS + 200 + SLACK_MS, `${took} ms`);
      assert.equal(await rig.output("1 + 1"), "2");
    });
  }
  assert.ok(!("polluted" in {}));
});

Deno.test("an error of a call, or of a value that cannot be put out, has the place it came from", async (t) => {
  await using rig = hostile();
  const places: [string, string, string, unknown[]][] = [
    ["javascript", `await gum_call("x.write", {})`, "RISK_TOOL_MISMATCH", [1, 15]],
    ["javascript", `1;\n  await gum_call(5)`, "INVALID_ARGS", [2, 17]],
    [
      "javascript",
      `const f = async () => { await null;\nawait gum_call("x.write") }\nawait f()`,
      "RISK_TOOL_MISMATCH",
      [2, 15],
    ],
    ["javascript", `\ngum_call("x.write"); 7`, "RISK_TOOL_MISMATCH", [2, 9]],
    ["javascript", `\nawait gum_parallel({})`, "INVALID_ARGS", [2, 19]],
    // The engine's own parser does not say where it met this one.
    ["javascript", "let a = 1;\n  let b = -2**2;\nf(", "CODE_MODE_SYNTAX", [2, 14]],
    ["javascript", '"😀"; const r = /(/;', "CODE_MODE_SYNTAX", [1, 16]],
    ["risor", `1\n  gum_call("x.write")`, "RISK_TOOL_MISMATCH", [2, 11]],
    ["risor", `gum_print(1)\n[1 / 0.0]`, "CODE_MODE_RUNTIME", [2, 1]],
    ["risor", `[len]`, "CODE_MODE_RUNTIME", [1, 1]],
    ["risor", `1\nlate()\nlet x = 1\nfunction late() { x }`, "CODE_MODE_RUNTIME", [2, 5]],
  ];
  for (const [language, source, code, place] of places) {
    await t.step(source, async () => {
      const error = await rig.failure(source, { language });
      assert.equal(error.code, code);
      assert.deepEqual([error.details.line, error.details.column], place);
    });
  }
  await t.step("an error that hides behind its own getters is reported all the same", async () => {
    const source = `class E extends Error { get name() { throw 1 } get stack() { throw 2 } }
      const e = new E("why"); throw e`;
    const error = await rig.failure(source, { language: "javascript" });
    assert.equal(error.code, "CODE_MODE_RUNTIME");
    assert.match(error.message, /why/);
  });
});

Deno.test("keys named __proto__ and constructor are plain data on both sides of the border", async () => {
  const seen: JsonObject[] = [];
  await using rig = openRig({
    ops: READ,
    answer({ args }) {
      seen.push(args);
      return JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"a":1},"n":1}');
    },
  });
  const risor = `let m = {}
m["__proto__"] = {polluted: "yes"}
m["constructor"] = 1
let r = gum_call("x.get", m)
[keys(r), r["__proto__"], r.constructor, {}.get("polluted")]`;
  assert.equal(
    await rig.output(risor),
    '[["__proto__","constructor","n"],{"polluted":"yes"},{"a":1},null]',
  );
  const javascript =
    `const r = await gum_call("x.get", JSON.parse('{"__proto__":{"polluted":"yes"}}'));
[Object.keys(r), r.polluted === undefined, ({}).polluted === undefined, r.n]`;
  assert.equal(
    await rig.output(javascript, { language: "javascript" }),
    '[["__proto__","constructor","n"],true,true,1]',
  );
  assert.deepEqual(seen.map((args) => Object.keys(args).sort()), [
    ["__proto__", "constructor"],
    ["__proto__"],
  ]);
  assert.ok(seen.every((args) => Object.getPrototypeOf(args) === Object.prototype));
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});

Deno.test("names of JavaScript mean nothing in the script language", async (t) => {
  await using rig = hostile();
  for (
    const name of [
      "constructor",
      "__proto__",
      "this",
      "globalThis",
      "__host",
      "__gum",
      "Object",
      "Function",
      "eval",
      "arguments",
      "undefined",
      "prototype",
      "$b",
      "window",
      "require",
      "Deno",
    ]
  ) {
    await t.step(name, async () => {
      const error = await rig.failure(`gum_print("ran")\n${name}`);
      assert.equal(error.code, "CODE_MODE_SYNTAX", name);
      assert.equal(error.details.partial_output, undefined);
    });
  }
  await t.step("as variables and keys they are names like any other", async () => {
    const usable = ["constructor", "__proto__", "arguments", "eval", "this", "await", "class"];
    const source = usable.map((name) =>
      `gum_print((() => { let ${name} = {${name}: 3}\n${name}.${name} + ${name}["${name}"] })())`
    );
    assert.equal(await rig.output(source.join("\n")), "6".repeat(usable.length));
  });
  await t.step("no value has them as attributes", async () => {
    const subjects = ['"s"', "[1]", "{}", "1", "nil", "len", "(x => x)", "range(2)", "math"];
    const members = ["constructor", "__proto__", "prototype", "toString", "valueOf", "label"];
    const attempts = subjects.flatMap((subject) =>
      members.flatMap((member) => [
        `${subject}.${member}`,
        `${subject}.${member}("return 1")()`,
        `getattr(${subject}, "${member}")`,
      ])
    );
    const source = attempts.map((attempt) =>
      `gum_print(try { string(${attempt}) } catch (e) { e.message().has_prefix("attribute") })`
    );
    assert.equal(await rig.output(source.join("\n")), "true".repeat(attempts.length));
  });
});

Deno.test("nothing of a source reaches the emitted program unescaped", async () => {
  await using rig = hostile();
  const texts = ['"); throw 1; ("', "${1}", "\\`", "\u2028\u2029", "*/ //", "</script>", "\\u0022"];
  for (const text of texts) {
    assert.equal(await rig.output(JSON.stringify(text).replaceAll("\\\\", "\\\\")), text);
    assert.equal(await rig.output(`{${JSON.stringify(text)}: 1}.keys()[0]`), text);
  }
  assert.equal(await rig.output("`\\${1}\"'`"), "\\1\"'");
  assert.equal(await rig.output('`a${`b${"}`"}`}`'), "ab}`");
});

Deno.test("catastrophic patterns and huge repeats end in time in the script language", async () => {
  await using rig = openRig({ limits: { timeoutMs: TIMEOUT_MS, maxSteps: 1_000_000_000 } });
  const before = performance.now();
  const error = await rig.failure('regexp.match("(a+)+$", "a".repeat(100) + "b")');
  assert.equal(error.code, "CODE_MODE_TIMEOUT");
  assert.ok(performance.now() - before < TIMEOUT_MS + 200 + SLACK_MS);
  assert.match((await rig.failure('"ab".repeat(1000000)')).message, /longer than 1 MiB/);
  assert.match((await rig.failure('regexp.match("(?=a)", "a")')).message, /look-around/);
  assert.match((await rig.failure('regexp.match("(a)\\\\1", "aa")')).message, /back-references/);
  assert.equal(liveWorkers() <= 1, true);
});

Deno.test("the main thread stays responsive while a script spins", async () => {
  await using rig = openRig({ limits: { timeoutMs: 600, maxSteps: 1_000_000_000 } });
  const failing = rig.failure("while (true) { }");
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 10);
  assert.equal((await failing).code, "CODE_MODE_TIMEOUT");
  clearInterval(timer);
  assert.ok(longest < 300, `blocked for ${longest} ms`);
});

Deno.test({
  name: "scripts leave no file handle and no socket behind, however they end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    // Another process has to look: this one may not read about itself.
    const handles = () => {
      const { stdout } = new Deno.Command("ls", { args: [`/proc/${Deno.pid}/fd`] }).outputSync();
      return new TextDecoder().decode(stdout).trim().split("\n").length;
    };
    await using rig = openRig({ ops: READ, limits: { timeoutMs: 200, maxSteps: 200_000 } });
    const scripts: [string, string][] = [
      ["risor", 'gum_parallel(range(200).map(n => ({op: "x.get", args: {n: n}})))\nnil'],
      ["risor", "while (true) { }"],
      ["javascript", "for (let i = 0; i < 200; i++) gum_call('x.get', { i }); null"],
      ["javascript", "await new Promise(() => {})"],
      ["javascript", "'x'.repeat(2 ** 29)"],
      ["javascript", ";/(a+)+$/.test('a'.repeat(60) + 'b')"],
    ];
    const round = async () => {
      for (const [language, source] of scripts) {
        await rig.run(source, { language }).catch((error) => assert.ok(error instanceof GumError));
      }
    };
    for (let warm = 0; warm < 2; warm++) await round();
    const before = handles();
    for (let count = 0; count < 5; count++) await round();
    // A worker's own handles go a moment after it.
    const until = performance.now() + 5_000;
    let after = handles();
    while (after > before + 8 && performance.now() < until) {
      await rig.output("1");
      after = handles();
    }
    assert.ok(after > 3 && after <= before + 8, `${before} handles became ${after}`);
  },
});
