/** The measurements behind `deno task bench`, each by the name that its budget uses. */

import { Client } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";
import { openSearch } from "../lib/catalog/search/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { shaper } from "../lib/shape/mod.ts";
import { measureIdleMemory } from "./idle_memory.ts";
import { gumProgram } from "./gum_program.ts";
import { bundledProgram, measureStartup, median } from "./startup.ts";
import { spawnStdioPeer } from "./stdio_peer.ts";

/** Values by name. */
export type Measured = Map<string, number>;

const ROOT = new URL("..", import.meta.url);
const STARTUP_RUNS = 21;
/** What is shown of the sources and of the executable beside the bundle. */
const SHOWN_BESIDE = [
  "gum --version",
  "gum search, curated operations",
  "gum search, whole Discovery directory",
];

/** Whole processes of the shipped bundle and of the sources, as ratios to an empty program. */
export async function startupRatios(): Promise<Measured> {
  const folder = await Deno.makeTempDir({ prefix: "gum-bundle-" });
  try {
    const shipped = await measureStartup(await bundledProgram(folder), { runs: STARTUP_RUNS });
    const sources = await measureStartup(gumProgram(), { runs: STARTUP_RUNS, only: SHOWN_BESIDE });
    return new Map([
      ...shipped.map(({ name, ratio }) => [name, ratio] as const),
      ...sources.map(({ name, ratio }) => [`source: ${name}`, ratio] as const),
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The same for the executable; nothing where it is not built. */
export async function executableStartup(): Promise<Measured> {
  const binary = new URL("dist/gum", ROOT).pathname;
  if (!executables(new URL("dist/", ROOT).pathname).includes(binary)) return new Map();
  const lines = await measureStartup([binary], { runs: STARTUP_RUNS, only: SHOWN_BESIDE });
  return new Map(lines.map(({ name, ratio }) => [`executable: ${name}`, ratio]));
}

/** Spawns servers and lists tools: the shortest time to the answer, and the tokens of the list. */
export async function toolList(): Promise<Measured> {
  let shortest = Infinity;
  let tokens = 0;
  for (let run = 0; run < 9; run++) {
    const home = await Deno.makeTempDir({ prefix: "gum-bench-" });
    const started = performance.now();
    const { transport } = spawnStdioPeer(
      [Deno.execPath(), "run", "-q", "--no-prompt", "-P=gum", "main.ts", "mcp", "--stdio"],
      { cwd: ROOT.pathname, env: { XDG_CONFIG_HOME: home, XDG_DATA_HOME: home } },
    );
    const client = new Client({ name: "gum-bench", version: "1.0.0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    shortest = Math.min(shortest, performance.now() - started);
    tokens = countTokens(JSON.stringify({ tools }));
    await client.close();
    await Deno.remove(home, { recursive: true });
  }
  return new Map([["tools/list", shortest], ["tool tokens", tokens]]);
}

/** What a dispatch adds to the bare request, over the same emulator in the same process. */
export async function kernelOverhead(): Promise<Measured> {
  return new Map([["kernel overhead", await inSession(overheadIn)]]);
}

async function overheadIn({ emulator, kernel }: Session): Promise<number> {
  if (emulator === undefined) throw new Error("the session has no emulator");
  const listed = await kernel.dispatch({
    opId: "tasks.tasklists.list",
    args: {},
    format: "json",
    caller: "cli",
  });
  const { items }: { items: { id: string }[] } = JSON.parse(new TextDecoder().decode(listed.body));
  const list = items[0]?.id ?? "";
  const body = { title: "measured" };
  const url = emulator.rewrite(
    new URL(`https://tasks.googleapis.com/tasks/v1/lists/${list}/tasks`),
  );
  const bare = async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${emulator.credentials.bearer}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    await answer.json();
  };
  const dispatched = () =>
    kernel.dispatch({
      opId: "tasks.tasks.insert",
      args: { tasklist: list, body },
      allowWrite: true,
    });
  let lowest = Infinity;
  // The first batch compiles and connects and is not counted.
  for (let batch = -1; batch < 5; batch++) {
    const times = { bare: [] as number[], dispatched: [] as number[] };
    for (let call = 0; call < 150; call++) {
      times.bare.push(await timed(bare));
      times.dispatched.push(await timed(dispatched));
    }
    const added = median(times.dispatched) - median(times.bare);
    if (batch >= 0) lowest = Math.min(lowest, added);
  }
  return lowest;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

async function inSession<T>(measure: (session: Session) => Promise<T>): Promise<T> {
  const config = await Deno.makeTempDir({ prefix: "gum-bench-" });
  await Deno.mkdir(`${config}/gum/bench`, { recursive: true });
  await Deno.writeTextFile(
    `${config}/gum/bench/config.toml`,
    // Local pacing is there to be hit; a measurement must not be what hits it.
    "config_schema_version = 1\n[rate_limit]\ncapacity = 10000\nrefill_per_second = 1000\n",
  );
  const session = await openSession({
    profileName: "bench",
    emulator: true,
    directories: { config },
  });
  try {
    return await measure(session);
  } finally {
    await session.close();
    await Deno.remove(config, { recursive: true });
  }
}

/** A list answer of one megabyte, as Google sends lists. */
function megabyteList(): Uint8Array {
  const messages = Array.from({ length: 5000 }, (_, index) => ({
    id: `18f${index.toString(16).padStart(13, "0")}`,
    threadId: `18f${(index >> 1).toString(16).padStart(13, "0")}`,
    snippet: `Row ${index}: the quarterly figures, and what they mean for "us", all told.`,
    internalDate: String(1_760_000_000_000 + index * 61_000),
    labelIds: ["INBOX", index % 3 === 0 ? "UNREAD" : "IMPORTANT"],
  }));
  return new TextEncoder().encode(JSON.stringify({ messages, resultSizeEstimate: 5000 }));
}

/** Shaping such a list without a profile: everything is encoded. */
export function shapingTime(): Promise<Measured> {
  const body = megabyteList();
  if (body.length < 1_000_000) throw new Error("the list is smaller than a megabyte");
  const times: number[] = [];
  for (let run = 0; run < 40; run++) {
    const started = performance.now();
    shaper.shape({ body, opId: "x.list", variantId: "x.v1.rest.list", userFormat: "toon" });
    if (run >= 10) times.push(performance.now() - started);
  }
  return Promise.resolve(new Map([["shaping", median(times)]]));
}

const QUERIES = [
  "send an email",
  "list my calendars",
  "who has access to this file",
  "append rows to a sheet",
  "driving directions between two points",
  "permanently delete many emails",
];

/** The curated operations alone. */
export async function cataloguedSearch(): Promise<Measured> {
  const search = await openSearch();
  return new Map([["curated search", searchTime(search, 2000)]]);
}

/** Curated operations and the long tail, every risk class, in one list. */
export async function wholeDirectorySearch(): Promise<Measured> {
  const search = await openSearch({ longTail: { exposure: "all" } });
  if (search.size < 5000) throw new Error(`only ${search.size} operations can be found`);
  return new Map([["directory search", searchTime(search, 600)]]);
}

/** 95th percentile, after a tenth of as many to warm up. */
function searchTime(
  { search }: { search(query: string, topK: number): unknown },
  count: number,
): number {
  const times: number[] = [];
  for (let run = -count / 10; run < count; run++) {
    const started = performance.now();
    search(QUERIES[Math.abs(run) % QUERIES.length] ?? "", 10);
    if (run >= 0) times.push(performance.now() - started);
  }
  return times.sort((left, right) => left - right)[Math.floor(count * 0.95)] ?? Number.NaN;
}

/** The largest executable below `dist/`; nothing where none is built. */
export function binarySizes(): Promise<Measured> {
  const sizes = executables(new URL("dist/", ROOT).pathname).map((path) =>
    Deno.statSync(path).size
  );
  const largest: Measured = sizes.length === 0
    ? new Map()
    : new Map([["largest executable", Math.max(...sizes) / 1e6]]);
  return Promise.resolve(largest);
}

/** Executables below a folder: of this machine's platform directly, of others one folder deeper. */
function executables(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap(({ name, isFile, isDirectory }) => {
      if (isDirectory) return executables(`${folder}${name}/`);
      return isFile && /^gum(?:-sandboxed)?(?:\.exe)?$/.test(name) ? [`${folder}${name}`] : [];
    });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** A waiting server, without and with the emulator in its process. */
export async function idleMemory(): Promise<Measured> {
  return new Map([
    ["idle memory", await measureIdleMemory({ emulator: false })],
    ["idle memory, emulator", await measureIdleMemory({ emulator: true })],
  ]);
}
