/**
 * `deno task bench`: measures the budgets of spec 00 §8 in one run, writes the table of
 * docs/benchmarks.md between its markers, and fails on a budget that does not hold.
 */

import { countTokens } from "gpt-tokenizer/encoding/cl100k_base";
import { Client } from "@modelcontextprotocol/client";
import { openSearch } from "../lib/catalog/search/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { shaper } from "../lib/shape/mod.ts";
import { measureIdleMemory } from "./idle_memory.ts";
import { spawnStdioPeer } from "./stdio_peer.ts";
import { measureStartup, median } from "./startup.ts";

/** One line of the table. */
export interface BenchFigure {
  what: string;
  measured: string;
  budget: string;
  holds: boolean;
}

const ROOT = new URL("..", import.meta.url);
const PAGE = new URL("docs/benchmarks.md", ROOT);
const START = "<!-- budgets: deno task bench -->";
const END = "<!-- /budgets -->";

function figure(what: string, value: number, limit: { at: number; unit: string }): BenchFigure {
  const text = (number: number) =>
    limit.unit === "×" ? `×${number.toFixed(2)}` : `${round(number)} ${limit.unit}`;
  return {
    what,
    measured: text(value),
    budget: `≤ ${text(limit.at)}`,
    holds: value <= limit.at,
  };
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

async function startup(): Promise<BenchFigure[]> {
  const figures = await measureStartup(15);
  return figures.flatMap(({ name, ratio, budget }) =>
    budget === undefined
      ? []
      : [figure(`\`${name}\`, whole process, against an empty program`, ratio, {
        at: budget,
        unit: "×",
      })]
  );
}

/** Spawns servers and lists tools: the median time to the answer, and the tokens of the list. */
async function toolsList(): Promise<BenchFigure[]> {
  const times: number[] = [];
  let tokens = 0;
  for (let run = 0; run < 7; run++) {
    const home = await Deno.makeTempDir({ prefix: "gum-bench-" });
    const started = performance.now();
    const { transport } = spawnStdioPeer(
      [Deno.execPath(), "run", "-q", "--no-prompt", "-P=gum", "main.ts", "mcp", "--stdio"],
      { cwd: ROOT.pathname, env: { XDG_CONFIG_HOME: home, XDG_DATA_HOME: home } },
    );
    const client = new Client({ name: "gum-bench", version: "1.0.0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    times.push(performance.now() - started);
    tokens = countTokens(JSON.stringify({ tools }));
    await client.close();
    await Deno.remove(home, { recursive: true });
  }
  return [
    figure("spawn to answered `tools/list` over stdio", median(times), { at: 250, unit: "ms" }),
    figure("cold-start tool schemas, cl100k", tokens, { at: 8000, unit: "tokens" }),
  ];
}

/** What a dispatch adds to the bare request, over the same emulator in the same process. */
async function kernelOverhead(session: Session): Promise<BenchFigure> {
  const { emulator, kernel } = session;
  if (emulator === undefined) throw new Error("the session has no emulator");
  const listed = await kernel.dispatch({
    opId: "tasks.tasklists.list",
    args: {},
    format: "json",
    caller: "cli",
  });
  const list = (JSON.parse(new TextDecoder().decode(listed.body)) as { items: { id: string }[] })
    .items[0]?.id ?? "";
  const body = { title: "measured" };
  const url = emulator.rewrite(
    new URL(`https://tasks.googleapis.com/tasks/v1/lists/${list}/tasks`),
  );
  const times = { bare: [] as number[], dispatched: [] as number[] };
  for (let call = 0; call < 600; call++) {
    let started = performance.now();
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${emulator.credentials.bearer}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    await answer.json();
    const bare = performance.now() - started;
    started = performance.now();
    await kernel.dispatch({
      opId: "tasks.tasks.insert",
      args: { tasklist: list, body },
      allowWrite: true,
    });
    // The first calls compile and connect.
    if (call < 100) continue;
    times.bare.push(bare);
    times.dispatched.push(performance.now() - started);
  }
  const added = median(times.dispatched) - median(times.bare);
  return figure("kernel overhead per call, over a bare `fetch`, median", added, {
    at: 1,
    unit: "ms",
  });
}

/** A list answer of one megabyte, as Google sends lists. */
function megabyteList(): Uint8Array {
  const messages = Array.from({ length: 4200 }, (_, index) => ({
    id: `18f${index.toString(16).padStart(13, "0")}`,
    threadId: `18f${(index >> 1).toString(16).padStart(13, "0")}`,
    snippet: `Row ${index}: the quarterly figures, and what they mean for "us", all told.`,
    internalDate: String(1_760_000_000_000 + index * 61_000),
    labelIds: ["INBOX", index % 3 === 0 ? "UNREAD" : "IMPORTANT"],
  }));
  return new TextEncoder().encode(JSON.stringify({ messages, resultSizeEstimate: 4200 }));
}

function shaping(): BenchFigure {
  const body = megabyteList();
  const times: number[] = [];
  for (let run = 0; run < 25; run++) {
    const started = performance.now();
    shaper.shape({ body, opId: "x.list", variantId: "x.v1.rest.list", userFormat: "toon" });
    if (run >= 5) times.push(performance.now() - started);
  }
  const megabytes = (body.length / 1e6).toFixed(1);
  return figure(`shaping a ${megabytes} MB list to TOON`, median(times), { at: 25, unit: "ms" });
}

async function searching(): Promise<BenchFigure> {
  const search = await openSearch();
  const queries = [
    "send an email",
    "list my calendars",
    "who has access to this file",
    "append rows to a sheet",
    "driving directions between two points",
    "permanently delete many emails",
  ];
  const times: number[] = [];
  for (let run = 0; run < 2000; run++) {
    const started = performance.now();
    search.search(queries[run % queries.length] ?? "", 10);
    if (run >= 200) times.push(performance.now() - started);
  }
  const p95 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
  return figure("search of the curated catalog, p95", p95, { at: 1, unit: "ms" });
}

/** The executable's size; nothing where it is not built. */
function binarySize(): BenchFigure[] {
  try {
    const { size } = Deno.statSync(new URL("dist/gum", ROOT));
    return [figure("executable, this machine's target", size / 1e6, { at: 120, unit: "MB" })];
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.error("bench: dist/gum is not built; its size is left out");
    return [];
  }
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

/** The table as markdown. */
export function renderBudgets(figures: readonly BenchFigure[]): string {
  return [
    "| what | measured | budget | |",
    "| --- | --- | --- | --- |",
    ...figures.map((row) =>
      `| ${row.what} | ${row.measured} | ${row.budget} | ${row.holds ? "holds" : "**over**"} |`
    ),
  ].join("\n");
}

/** Puts the table between the markers of the page; a page without them is refused. */
export function replaceBudgets(page: string, table: string): string {
  const from = page.indexOf(START);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error("docs/benchmarks.md has lost its budget markers");
  return `${page.slice(0, from + START.length)}\n\n${table}\n\n${page.slice(to)}`;
}

if (import.meta.main) {
  const figures = [
    ...await startup(),
    ...await toolsList(),
    await inSession(kernelOverhead),
    shaping(),
    await searching(),
    ...binarySize(),
    figure("idle MCP server, emulator included, resident", await measureIdleMemory(), {
      at: 120,
      unit: "MB",
    }),
  ];
  const table = renderBudgets(figures);
  console.log(table);
  await Deno.writeTextFile(PAGE, replaceBudgets(await Deno.readTextFile(PAGE), table));
  const over = figures.filter((row) => !row.holds);
  for (const row of over) console.error(`bench: over budget: ${row.what}: ${row.measured}`);
  if (over.length > 0) Deno.exit(1);
}
