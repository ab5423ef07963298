/** Adding up a ledger: 100,000 entries here, a million in `testdata/bench/gain_million.ts`. */

import { entryLine } from "./entry.ts";
import { HEADER_LINE, summarizeLedger } from "./mod.ts";
import { entry } from "./testdata/rig.ts";

const directory = await Deno.makeTempDir({ prefix: "gum-gain-bench-" });
const lines = Array.from({ length: 100_000 }, (_, index) =>
  entryLine(entry({
    session: (index >> 6).toString(16).padStart(8, "0"),
    op_id: `service.resource${index % 40}.list`,
    op_family: `service.resource${index % 40}`,
    raw_tokens: index % 5_000,
  })));
await Deno.writeTextFile(`${directory}/gain-ledger.jsonl`, `${HEADER_LINE}\n${lines.join("")}`);

Deno.bench("gum gain, 100,000 rows", { group: "gain" }, async () => {
  await summarizeLedger(directory, { mode: "summary" });
});
Deno.bench("gum gain --by-op --since, 100,000 rows", { group: "gain" }, async () => {
  await summarizeLedger(directory, { mode: "summary", byOp: true, since: 0 });
});

addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
