/**
 * What the host costs: from a spawn to the first answer of a script, and a call over a live handle
 * against the bare round trip to the same process. Run with `deno bench -q -P=test`.
 */

import { createMessageLines } from "./message_lines.ts";
import { never } from "../testdata/fixture.ts";
import { serverScript, withScriptPlugin } from "../testdata/runnable.ts";

const ROUNDS = 200;
const STARTS = 15;

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** A process that is talked to with nothing in between. */
async function bareRoundTrips(): Promise<number[]> {
  const path = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(path, serverScript());
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-lock", path],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  let waiting: (() => void) | undefined;
  const take = createMessageLines({
    frameBytes: 1 << 20,
    junkLines: 0,
    onMessage: () => waiting?.(),
    onJunk() {},
    onOverflow() {},
  });
  const reading = (async () => {
    for await (const piece of child.stdout) take(piece);
  })();
  const ask = (id: number) => {
    const answered = new Promise<void>((resolve) => waiting = resolve);
    const params = { name: "echo", arguments: { a: 1 } };
    const line = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }) + "\n";
    return writer.write(new TextEncoder().encode(line)).then(() => answered);
  };
  const times: number[] = [];
  for (let id = 0; id < ROUNDS; id++) times.push(await timed(() => ask(id)));
  await writer.close();
  await child.status;
  await reading;
  await Deno.remove(path);
  return times.slice(20);
}

/** Prints the figures. */
async function report(sandbox: string): Promise<void> {
  await withScriptPlugin({ sandbox: { backend: sandbox } }, async ({ runtime, pluginId }) => {
    const starts: number[] = [];
    let backend = "";
    for (let round = 0; round < STARTS; round++) {
      starts.push(
        await timed(async () => {
          const plugin = await runtime.host.start(pluginId, { signal: never() });
          backend = plugin.sandbox.backend;
          await plugin.callTool("echo", { a: 1 }, { signal: never(), timeoutMs: 5_000 });
          void plugin.stop();
        }),
      );
    }
    const calls: number[] = [];
    const call = () =>
      runtime.handles.use(
        pluginId,
        (plugin) => plugin.callTool("echo", { a: 1 }, { signal: never(), timeoutMs: 5_000 }),
        { signal: never() },
      );
    for (let round = 0; round < ROUNDS; round++) calls.push(await timed(call));
    const bareTimes = await bareRoundTrips();
    const [warm, own] = [starts.slice(1), calls.slice(20)];
    // On a busy machine the best of many says more than the middle one.
    say(
      `${backend}: first start ${starts[0]?.toFixed(0)} ms, warm start ` +
        `${median(warm).toFixed(0)} ms (best ${Math.min(...warm).toFixed(0)}); call ` +
        `${median(own).toFixed(2)} ms (best ${Math.min(...own).toFixed(2)}), bare ` +
        `${median(bareTimes).toFixed(2)} ms (best ${
          Math.min(...bareTimes).toFixed(2)
        }), overhead ` +
        `${(median(own) - median(bareTimes)).toFixed(2)} ms`,
    );
  });
}

if (import.meta.main) {
  for (const sandbox of ["deno-permissions", "auto"]) await report(sandbox);
}
