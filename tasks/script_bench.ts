/** What scripts cost: one that does nothing, and a batch of slow reads against its ideal. */

import { openSession, type Session } from "../lib/session/mod.ts";
import { gumProgram } from "./gum_program.ts";
import { median } from "./startup.ts";

const LATENCY_MS = 50;
const READS = 100;
const AT_ONCE = 8;
/** Milliseconds of a batch that costs nothing but the wait. */
const IDEAL_MS = Math.ceil(READS / AT_ONCE) * LATENCY_MS;
const ROUNDS = 9;
/** Between two scripts, as an agent leaves it: the worker of the next one gets ready. */
const PAUSE_MS = 500;

/** Every read asks for another page size, so none is answered from the cache. */
const BATCH = `const calls = [];
for (let i = 1; i <= ${READS}; i++) calls.push({op_id: "tasks.tasklists.list", args: {maxResults: i}});
const {results} = await gum_parallel(calls);
results.filter((item) => !("error" in item)).length`;

/**
 * `empty script` in milliseconds, median, in a session that has run scripts; `script batch` as a
 * ratio to its ideal, median of {@link ROUNDS}: a whole session with its audit log, ledger, cache
 * and artifacts, against an emulator in a process of its own that takes 50 ms for every answer.
 * `bare batch` is the same with `fetch` alone.
 */
export async function scriptTimes(): Promise<Map<string, number>> {
  await using emulator = await serveEmulator();
  const empty: number[] = [];
  const batch: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await bareBatch(emulator) / IDEAL_MS);
    // A session of its own: the local rate limit holds for a profile.
    await inSession(emulator.origin, async (session) => {
      await scriptTime(session, "1");
      await scriptTime(session, "2");
      await pause(PAUSE_MS);
      empty.push((await scriptTime(session, "null")).ms);
      await pause(PAUSE_MS);
      const { ms, output } = await scriptTime(session, BATCH);
      if (output !== String(READS)) throw new Error(`the batch failed: ${output}`);
      batch.push(ms / IDEAL_MS);
    });
  }
  return new Map([
    ["empty script", median(empty)],
    ["script batch", median(batch)],
    ["bare batch", median(bare)],
  ]);
}

const pause = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));

async function scriptTime(
  { kernel }: Session,
  source: string,
): Promise<{ ms: number; output: string }> {
  const started = performance.now();
  const { body } = await kernel.dispatch({
    opId: "gum.code",
    args: { language: "javascript", source },
    caller: "cli",
  });
  return { ms: performance.now() - started, output: new TextDecoder().decode(body).trim() };
}

async function bareBatch({ origin, bearer }: ServedEmulator): Promise<number> {
  let next = 0;
  const reader = async () => {
    while (next < READS) {
      const url = `${origin}/_host/tasks.googleapis.com/tasks/v1/users/@me/lists`;
      const answer = await fetch(`${url}?maxResults=${++next}`, {
        headers: { authorization: `Bearer ${bearer}` },
      });
      await answer.arrayBuffer();
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
  return performance.now() - started;
}

async function inSession(origin: string, use: (session: Session) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "gum-bench-" });
  const session = await openSession({
    profileName: "bench",
    emulator: true,
    emulatorOrigin: origin,
    directories: { config: home, data: home, cache: home },
  });
  try {
    await use(session);
  } finally {
    await session.close();
    await Deno.remove(home, { recursive: true });
  }
}

interface ServedEmulator extends AsyncDisposable {
  origin: string;
  bearer: string;
}

/** An emulator in a process of its own, every answer of which is late. */
async function serveEmulator(): Promise<ServedEmulator> {
  const [program, ...words] = gumProgram();
  const child = new Deno.Command(program, {
    args: [...words, "emulator", "serve", "--port", "0"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const printed = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.endsWith("}\n")) {
    const { value, done } = await printed.read();
    if (done) throw new Error("the emulator did not start");
    text += value;
  }
  const { origin, control, credentials } = JSON.parse(text);
  const fault = await fetch(`${control}faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ effect: { kind: "latency", ms: LATENCY_MS }, times: 1_000_000 }),
  });
  await fault.body?.cancel();
  if (!fault.ok) throw new Error(`the emulator refused the latency: ${fault.status}`);
  return {
    origin,
    bearer: credentials.bearer,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await printed.cancel();
      await child.status;
    },
  };
}

if (import.meta.main) {
  for (const [name, value] of await scriptTimes()) console.log(name, value.toFixed(3));
}
