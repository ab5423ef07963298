/** Every limit of spec 09 §15 that ends a script, and how fast it ends. */

import assert from "node:assert/strict";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { codeRequest, liveWorkers } from "./mod.ts";
import { openRig } from "./testdata/rig.ts";

const READ = [
  op("x.get", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])]),
];

/** Milliseconds from an abort until the script has settled. */
async function settledAfterAbort(source: string, args = {}): Promise<number> {
  await using rig = openRig({
    ops: READ,
    limits: { maxSteps: 1_000_000_000 },
    answer: (_invocation, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason))
      ),
  });
  const controller = new AbortController();
  let facts = (): JsonObject => ({});
  const failing = rig.runner.run(
    codeRequest({ language: "risor", source: `gum_print("on")\n${source}`, ...args }),
    { confirmed: false, requestId: "req-outer", reached: (known) => facts = known },
    controller.signal,
  ).then(() => assert.fail("the script was expected to be cancelled"), (error) => error);
  const until = performance.now() + 10_000;
  const wanted = source.includes("gum_call") ? 1 : 0;
  const isThere = () => facts().partial_output === "on" && rig.calls.length === wanted;
  while (!isThere() && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const before = performance.now();
  controller.abort(new Error("enough"));
  const error = await failing;
  const took = performance.now() - before;
  assert.equal(error.code, "CANCELLED");
  assert.equal(error.details.cancelled, true);
  assert.equal(error.details.partial_output, "on");
  return took;
}

Deno.test("cancellation settles within 200 ms, busy or waiting for an answer", async (t) => {
  const scripts: [string, string][] = [
    ["risor", "while (true) { }"],
    ["risor", 'gum_call("x.get", {})'],
    ["javascript", "for (;;) {}"],
    ["javascript", 'await gum_call("x.get", {})'],
    ["javascript", ";/(a+)+$/.test('a'.repeat(60) + 'b')"],
  ];
  for (const [language, source] of scripts) {
    await t.step(`${language}: ${source}`, async () => {
      const took = await settledAfterAbort(source, { language });
      assert.ok(took < 200, `${took} ms`);
    });
  }
  assert.equal(liveWorkers(), 0);
});

Deno.test("a script that is cancelled before it begins starts no worker", async () => {
  await using rig = openRig();
  const error = await rig.failure("1", {}, AbortSignal.abort());
  assert.equal(error.code, "CANCELLED");
  assert.equal(liveWorkers(), 0);
});

Deno.test("the deadline counts upstream waits, and no catch hides it", async () => {
  await using rig = openRig({
    ops: READ,
    limits: { timeoutMs: 300 },
    answer: (_invocation, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(new GumError("CANCELLED")))
      ),
  });
  const before = performance.now();
  const source = 'gum_print("a")\ntry { gum_call("x.get") } catch { gum_print("caught") }';
  const error = await rig.failure(source);
  assert.ok(performance.now() - before < 300 + 200 + 200, "deadline plus grace plus start-up");
  assert.equal(error.code, "CODE_MODE_TIMEOUT");
  assert.deepEqual(
    [error.details.timeout_ms, error.details.completed_calls, error.details.partial_output],
    [300, 0, "a"],
  );
});

Deno.test("steps, memory and stack end in CODE_MODE_LIMIT, in both languages, and are not caught", async (t) => {
  await using rig = openRig({ limits: { maxSteps: 200_000, memoryBytes: 16 << 20 } });
  const endless = { maxSteps: 1_000_000_000, memoryBytes: 16 << 20 };
  await using roomy = openRig({ limits: endless });
  const cases: [string, string, string][] = [
    ["steps", "risor", "while (true) { }"],
    ["steps", "risor", 'try { while (true) { } } catch { gum_print("caught") }'],
    ["steps", "risor", 'try { while (true) { } } finally { gum_print("last") }'],
    ["steps", "risor", "range(100000000).map(x => x)"],
    ["steps", "risor", "sorted(range(100000000))"],
    ["steps", "javascript", "for (;;) {}"],
    ["steps", "javascript", "try { for (;;) {} } catch { gum_print('caught') }"],
    ["steps", "javascript", "(function again() { Promise.resolve().then(again) })()"],
    ["memory", "risor", 'let s = ["abcdefgh"]\nwhile (true) { s = s + s }'],
    ["memory", "risor", 'let s = "abcdefgh"\nwhile (true) { s = s + s }'],
    ["memory", "risor", "let s = []\nwhile (true) { s.append({a: [1, 2, 3]}) }"],
    ["memory", "javascript", "const a = []; for (;;) a.push(new Array(1000).fill(1))"],
    ["memory", "javascript", "new Uint8Array(2 ** 30)"],
    ["memory", "javascript", "const a = []; for (;;) a.push(new ArrayBuffer(2 ** 20))"],
    ["memory", "javascript", "'x'.repeat(2 ** 29)"],
    ["stack", "javascript", "(function down() { return down() + 1 })()"],
  ];
  for (const [limit, language, source] of cases) {
    await t.step(`${limit}, ${language}: ${source.slice(0, 60)}`, async () => {
      const error = await (limit === "steps" ? rig : roomy).failure(source, { language });
      assert.equal(error.code, "CODE_MODE_LIMIT", error.message);
      assert.equal(error.details.limit, limit);
      assert.equal(error.details.partial_output, undefined);
      assert.ok(error.suggestion !== "");
    });
  }
  assert.equal(await rig.output("1 + 1"), "2", "the next script runs normally");
});

Deno.test("no catch and no finally outlives a limit in JavaScript: nothing is seen of it any more", async (t) => {
  await using rig = openRig({
    ops: READ,
    limits: { maxSteps: 200_000, memoryBytes: 16 << 20 },
  });
  const attempts: [string, string][] = [
    ["steps", "for (;;) {}"],
    ["steps", "await (async () => { for (;;) {} })()"],
    ["steps", "await Promise.any([(async () => { for (;;) {} })()])"],
    ["steps", "/(a+)+$/.test('a'.repeat(60) + 'b')"],
    ["memory", "for (let a = [];;) a.push(new ArrayBuffer(2 ** 20))"],
    ["memory", "'x'.repeat(2 ** 28)"],
    ["memory", "new ArrayBuffer(2 ** 31 - 1)"],
    ["memory", "new Array(2 ** 28).fill(0)"],
    ["memory", "await (async () => 'x'.repeat(2 ** 29))()"],
  ];
  const wrappers = [
    (body: string) => `try { ${body} } catch { gum_print("caught"); await gum_call("x.get", {}); }`,
    (body: string) => `try { ${body} } finally { gum_print("last"); await gum_call("x.get", {}); }`,
    (body: string) =>
      `(async () => { ${body} })().catch(() => { gum_print("a"); gum_call("x.get", {}); }); "end"`,
  ];
  for (const [limit, body] of attempts) {
    for (const [index, wrap] of wrappers.entries()) {
      await t.step(`${limit}: ${body} (${index})`, async () => {
        const error = await rig.failure(wrap(body), { language: "javascript" });
        assert.deepEqual([error.code, error.details.limit], ["CODE_MODE_LIMIT", limit]);
        assert.equal(error.details.partial_output, undefined);
      });
    }
  }
  assert.equal(rig.calls.length, 0, "no call left a script that was over");
});

Deno.test("a memory limit is not caught in the script language, and no finally runs after it", async () => {
  await using rig = openRig({ limits: { memoryBytes: 16 << 20, maxSteps: 1_000_000_000 } });
  const bomb = 'let s = ["abcdefgh"]\nwhile (true) { s = s + s }';
  for (const rest of ['catch { gum_print("caught") }', 'finally { gum_print("last") }']) {
    const error = await rig.failure(`try { ${bomb} } ${rest}`);
    assert.deepEqual([error.code, error.details.limit], ["CODE_MODE_LIMIT", "memory"]);
    assert.equal(error.details.partial_output, undefined);
  }
});

Deno.test("steps of JavaScript are the same in every run, and waiting for answers costs almost none", async () => {
  await using rig = openRig({ ops: READ, limits: { maxSteps: 100_000 } });
  await using roomy = openRig({ ops: READ, answer: () => 1, limits: { maxSteps: 1_000_000 } });
  const javascript = { language: "javascript" };
  const counting = "let n = 0; for (;;) { n++; if (n % 1000 === 0) gum_print(`${n} `); }";
  const ends = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const error = await rig.failure(counting, javascript);
    ends.add(String(error.details.partial_output));
  }
  assert.equal(ends.size, 1, "the limit falls on the same turn of the loop");
  const calls =
    "let sum = 0; for (let i = 0; i < 1500; i++) sum += await gum_call('x.get', {}); sum";
  assert.equal(await roomy.output(calls, javascript), "1500");
  const awaits = "let n = 0; for (let i = 0; i < 15_000; i++) n += await 1; n";
  assert.equal(await roomy.output(awaits, javascript), "15000");
});

Deno.test("an answer over 16 MiB ends the script; one just below arrives whole", async () => {
  const text = (bytes: number) => "é".repeat(bytes / 2);
  await using rig = openRig({
    ops: READ,
    limits: { memoryBytes: 256 << 20 },
    answer: ({ args }) => text(Number(args.bytes)),
  });
  const ask = (bytes: number) => `len(gum_call("x.get", {bytes: ${bytes}}))`;
  assert.equal(await rig.output(ask(15 << 20)), String(15 << 19));
  const error = await rig.failure(ask(17 << 20));
  assert.deepEqual([error.code, error.details.limit], ["CODE_MODE_LIMIT", "reply"]);
});

Deno.test("call depth 200 holds in the language; nesting past 500 is a syntax error", async () => {
  await using rig = openRig();
  const down = "function f(n) { if (n == 0) { return 0 }\n f(n - 1) + 1 }\n";
  assert.equal(await rig.output(`${down}f(199)`), "199");
  const error = await rig.failure(`${down}f(200)`);
  assert.match(error.message, /^runtime error: stack overflow/);
  assert.equal(await rig.output(`${down}try { f(500) } catch (e) { e.kind() }`), "runtime error");
  // Whatever stands between one call and the next, the stack is large enough for the depth.
  for (
    const step of [
      "n == 0 || true && `${f(n - 1)}`",
      "let x = if (n > 0) { let y = try { match n { _ => f(n - 1) } } catch { 0 }\ny } else { 0 }\nx",
      "for (x in [1]) { while (true) { try { return if (n == 0) { 0 } else { f(n - 1) } } finally {} } }",
      "return switch (n) { case 0: 0\ndefault: 1 + (2 * (3 + (f(n - 1) ?? 2))) }",
    ]
  ) {
    const source = `function f(n) { ${step} }\nf(198)\n"came back"`;
    assert.equal(await rig.output(source), "came back", step);
  }
  for (const [open, close] of [["[", "]"], ["(", ")"], ["if (true) {", "}"], ["{a: ", "}"]]) {
    const deep = await rig.failure(`${open}`.repeat(600) + "1" + `${close}`.repeat(600));
    assert.equal(deep.code, "CODE_MODE_SYNTAX");
    assert.match(deep.message, /nested too deeply/);
  }
  for (const [open, close] of [["[", "]"], ["{a: ", "}"], ["`${", "}`"], ["if (true) {", "}"]]) {
    const source = `${open}`.repeat(499) + "1" + `${close}`.repeat(499);
    assert.match(await rig.output(source), /1/, `499 levels of ${open}`);
  }
  for (const open of ["match 1 { 1 => ", "function f() {", "switch (1) { case 1: "]) {
    const close = open.startsWith("match") ? ", _ => 2 }" : "}";
    const ending = await rig.output(open.repeat(499) + "1" + close.repeat(499)).then(
      () => "ran",
      (error) => `${error.code}: ${error.message}`,
    );
    // Whatever is too much for the engine is an error of the text: nothing of it has run.
    assert.match(ending, /^ran$|^CODE_MODE_SYNTAX: .*nested too deeply/, open);
  }
  for (const chain of ["1" + " + 1".repeat(5000), "-".concat(" -".repeat(5000), "1")]) {
    assert.equal((await rig.failure(chain)).code, "CODE_MODE_SYNTAX");
  }
});

Deno.test("work on a container that is shown many times over counts as steps", async (t) => {
  await using rig = openRig({ limits: { maxSteps: 100_000, timeoutMs: 30_000 } });
  const twice = (name: string) =>
    `let ${name} = [1]\nfor (i in range(40)) { ${name} = [${name}, ${name}] }\n`;
  for (const [name, work] of [["text", "string(a)"], ["json", "a"], ["equality", "a == b"]]) {
    await t.step(name ?? "", async () => {
      const error = await rig.failure(`${twice("a")}${twice("b")}${work}`);
      assert.deepEqual([error.code, error.details.limit], ["CODE_MODE_LIMIT", "steps"]);
    });
  }
});

Deno.test("sources over 256 KiB and calls with more than 256 arguments are refused", async () => {
  await using rig = openRig();
  const error = await rig.failure("é".repeat(128 * 1024) + "x").catch((thrown) => thrown);
  assert.equal(error.code, "INVALID_ARGS");
  assert.equal(error.details.field, "source");
  const many = await rig.failure(`coalesce(${"1,".repeat(257)})`);
  assert.equal(many.code, "CODE_MODE_SYNTAX");
});

Deno.test("two scripts at once share no names, budgets or output", async () => {
  await using rig = openRig({ ops: READ, answer: ({ args }) => args.n ?? null });
  const scripts = [1, 2, 3].map((n) =>
    rig.output(`let mine = ${n}\nfor (i in range(5)) { gum_print(gum_call("x.get", {n: mine})) }`)
  );
  assert.deepEqual(await Promise.all(scripts), ["11111", "22222", "33333"]);
  const javascript = ["a", "b"].map((name) =>
    rig.output(`globalThis.mine ??= ${JSON.stringify(name)}; mine`, { language: "javascript" })
  );
  assert.deepEqual(await Promise.all(javascript), ["a", "b"]);
});

Deno.test("a client's first script has a worker made ready for the next; a command's has none", async () => {
  const turn = () => new Promise((resume) => setTimeout(resume, 0));
  /** Turns of the event loop until a worker is there, or `most` of them. */
  const turnsUntilSpare = async (caller: "cli" | "mcp", most: number) => {
    await using rig = openRig();
    const request = codeRequest({ language: "risor", source: "1" });
    const context = { confirmed: false, requestId: "r", caller };
    await rig.runner.run(request, context, new AbortController().signal);
    let turns = 0;
    while (liveWorkers() === 0 && turns < most) {
      await turn();
      turns++;
    }
    return turns;
  };
  const needed = await turnsUntilSpare("mcp", 1_000);
  assert.ok(needed < 1_000, "no worker was made ready");
  assert.equal(liveWorkers(), 0);
  assert.equal(await turnsUntilSpare("cli", needed + 20), needed + 20);
});

Deno.test("closing a runner ends its scripts and leaves no worker", async () => {
  const rig = openRig();
  await rig.output("1");
  await rig.output("2");
  const deadline = performance.now() + 5_000;
  while (liveWorkers() === 0 && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, 0));
  }
  assert.ok(liveWorkers() > 0, "a worker is ready for the next script");
  const endless = rig.failure("while (true) { }");
  await rig.runner.close();
  assert.equal((await endless).code, "CANCELLED");
  assert.equal(liveWorkers(), 0);
});
