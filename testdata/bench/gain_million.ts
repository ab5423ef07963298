/**
 * Time and memory of adding up a ledger of a million entries, each way in a process of its own.
 *
 * deno run -A testdata/bench/gain_million.ts
 */

import { entryLine } from "../../lib/gain/entry.ts";
import { type GainQuery, HEADER_LINE, summarizeLedger } from "../../lib/gain/mod.ts";
import { entry } from "../../lib/gain/testdata/rig.ts";

const ROWS = 1_000_000;
const QUERIES: Record<string, GainQuery> = {
  "gum gain": { mode: "summary" },
  "gum gain --by-op": { mode: "summary", byOp: true },
  "gum gain --by-op --since": { mode: "summary", byOp: true, since: 0 },
  "gum gain --session": { mode: "session", session: "00000010" },
};

if (Deno.args[0] === "--one") {
  const started = performance.now();
  const result = await summarizeLedger(Deno.args[1] ?? "", QUERIES[Deno.args[2] ?? ""] ?? { mode: "history" });
  const seconds = (performance.now() - started) / 1000;
  const peak = /VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
  console.log(
    `${Deno.args[2]}: ${seconds.toFixed(2)} s, peak ${Math.round(Number(peak) / 1024)} MB, ` +
      `${result.sessions?.length ?? result.operations?.length} rows`,
  );
} else {
  const folder = await Deno.makeTempDir({ prefix: "gum-million-" });
  try {
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
    for (const name of Object.keys(QUERIES)) {
      await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "-q", import.meta.filename ?? "", "--one", folder, name],
        stdout: "inherit",
        stderr: "inherit",
      }).output();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
