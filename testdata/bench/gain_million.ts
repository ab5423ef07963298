/**
 * Time and memory of `gum gain` over a million entries in 15,625 sessions, each way in a process of
 * its own, from its start to its last byte of output.
 *
 * deno run -A testdata/bench/gain_million.ts
 */

import { entryLine } from "../../lib/gain/entry.ts";
import { HEADER_LINE } from "../../lib/gain/mod.ts";
import { entry } from "../../lib/gain/testdata/rig.ts";

const ROWS = 1_000_000;
const SINCE = ["--since", "2020-01-01T00:00:00Z"];
const VIEWS = [
  [],
  ["--by-op"],
  ["--by-op", ...SINCE],
  [...SINCE],
  [...SINCE, "--format", "json"],
  ["--session", "00000010"],
  ["--history"],
  ["--history", "--format", "json"],
  ["--history", "--format", "csv"],
];

const root = await Deno.makeTempDir({ prefix: "gum-million-" });
try {
  await writeLedger(`${root}/data/gum/default`);
  for (const view of VIEWS) await measure(view);
  await measure([...SINCE, "--report", `${root}/page.html`]);
} finally {
  await Deno.remove(root, { recursive: true });
}

async function writeLedger(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  using file = await Deno.open(`${folder}/gain-ledger.jsonl`, { write: true, create: true });
  const encoder = new TextEncoder();
  file.writeSync(encoder.encode(HEADER_LINE + "\n"));
  let text = "";
  for (let index = 0; index < ROWS; index++) {
    text += entryLine(entry({
      session: (index >> 6).toString(16).padStart(8, "0"),
      op_id: `service.resource${index % 40}.list`,
      op_family: `service.resource${index % 40}`,
      raw_tokens: index % 5_000,
    }));
    if (text.length > 1e6 || index === ROWS - 1) {
      file.writeSync(encoder.encode(text));
      text = "";
    }
  }
  console.log(`${ROWS} rows, ${Math.round((await file.stat()).size / 1e6)} MB`);
}

/** Runs one view and reports its time, peak memory and output. */
async function measure(view: string[]): Promise<void> {
  const { env } = Deno;
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", main, "gain", ...view],
    env: {
      PATH: env.get("PATH") ?? "",
      HOME: root,
      DENO_DIR: env.get("DENO_DIR") ?? `${env.get("HOME")}/.cache/deno`,
      XDG_DATA_HOME: `${root}/data`,
      XDG_CACHE_HOME: `${root}/cache`,
      XDG_CONFIG_HOME: `${root}/config`,
    },
    clearEnv: true,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let bytes = 0;
  let peak = 0;
  // VmHWM only grows, so the last look before the process ends is close to the whole truth.
  const look = () => peak = Math.max(peak, peakMemory(child.pid));
  const timer = setInterval(look, 20);
  for await (const piece of child.stdout) {
    bytes += piece.length;
    look();
  }
  clearInterval(timer);
  const { code } = await child.status;
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `gum gain ${view.join(" ")}: ${seconds.toFixed(2)} s, peak ${Math.round(peak / 1024)} MB, ` +
      `${bytes} bytes, exit ${code}`,
  );
}

function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1] ?? 0);
  } catch {
    return 0; // it has just ended
  }
}
