/**
 * What a script costs: start-up with a worker that waits ready, a batch against its ideal, and a
 * thousand scripts in a row. `deno run -P=test lib/code/code_bench.ts` prints ratios and medians.
 */

import { systemClock } from "../clock/mod.ts";
import type { CodeRunner } from "./types.ts";
import { op, openFixture, realClock, variant } from "../dispatch/testdata/fixture.ts";
import { codeRequest, createCodeRunner } from "./mod.ts";

const LATENCY_MS = 50;
const ELEMENTS = 100;
const CONCURRENCY = 8;
const SCRIPTS = 1_000;

const signal = new AbortController().signal;
const pause = (ms: number) => systemClock.sleep(ms);
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

function run(runner: CodeRunner, source: string, language: "risor" | "javascript" = "risor") {
  return runner.run(
    codeRequest({ language, source }),
    { confirmed: false, requestId: "b" },
    signal,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const megabytes = () => Math.round(Deno.memoryUsage().rss / 1e6);

async function emptyScripts(): Promise<void> {
  const runner = createCodeRunner({ clock: systemClock, log: { log() {} } });
  say(`first script of a process: ${(await timed(() => run(runner, "nil"))).toFixed(1)} ms`);
  await run(runner, "nil");
  for (const language of ["risor", "javascript"] as const) {
    const times: number[] = [];
    for (let round = 0; round < 20; round++) {
      await pause(250); // as an agent does, between two calls
      times.push(await timed(() => run(runner, language === "risor" ? "nil" : "null", language)));
    }
    say(`empty script, ${language}, warm: median ${median(times).toFixed(1)} ms`);
  }
  await runner.close();
}

async function batch(): Promise<void> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async () => {
      await pause(LATENCY_MS);
      return Response.json({ id: "x", name: "report" });
    },
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await using fixture = openFixture({
    clock: realClock,
    ops: [op("x.get", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])], {
      request_fields: [{ name: "n", location: "query", type: "integer" }],
    })],
    deps: { log: { log() {} } },
    rewriteOrigin: (url) => new URL(`${origin}${url.pathname}${url.search}`),
  });
  const runner = createCodeRunner({
    kernel: fixture.kernel,
    catalog: fixture.deps.catalog,
    limits: { concurrency: CONCURRENCY },
    clock: systemClock,
    log: { log() {} },
  });
  let first = 0;
  const source = () =>
    `let r = gum_parallel(range(${first}, ${first +=
      ELEMENTS}).map(n => ({op_id: "x.get", args: {n: n}})))
len(r.results.filter(i => "data" in i))`;
  await run(runner, source());
  await run(runner, "nil");
  const ideal = Math.ceil(ELEMENTS / CONCURRENCY) * LATENCY_MS;
  const ratios: number[] = [];
  const bare: number[] = [];
  const bareBatch = async () => {
    let next = 0;
    const worker = async () => {
      while (next++ < ELEMENTS) await (await fetch(`${origin}/x?n=${next}`)).json();
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  };
  for (let round = 0; round < 5; round++) {
    await pause(300);
    bare.push(await timed(bareBatch) / ideal);
    const took = await timed(async () => {
      const { output } = await run(runner, source());
      if (output !== String(ELEMENTS)) throw new Error(output);
    });
    ratios.push(took / ideal);
  }
  say(
    `${ELEMENTS} reads of ${LATENCY_MS} ms at ${CONCURRENCY}: ${
      median(ratios).toFixed(3)
    } x the ideal ${ideal} ms, at best ${Math.min(...ratios).toFixed(3)} x (bare fetches: ${
      median(bare).toFixed(3)
    } x)`,
  );
  await runner.close();
  await server.shutdown();
}

async function thousand(): Promise<void> {
  const runner = createCodeRunner({ clock: systemClock, log: { log() {} } });
  for (let round = 0; round < 50; round++) await run(runner, "nil");
  const samples = [megabytes()];
  const took = await timed(async () => {
    for (let count = 1; count <= SCRIPTS; count++) {
      await run(runner, "let xs = list(range(1000))\nmath.sum(xs)");
      if (count % 250 === 0) samples.push(megabytes());
    }
  });
  say(
    `${SCRIPTS} scripts in a row: ${(took / SCRIPTS).toFixed(1)} ms each, RSS ${
      samples.join(" → ")
    } MB`,
  );
  await runner.close();
}

if (import.meta.main) {
  if (Deno.args[0] !== "batch") await emptyScripts();
  await batch();
  if (Deno.args[0] !== "batch") await thousand();
}
