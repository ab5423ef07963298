/**
 * The full proof: 300 kills over every kind of file.
 *
 * deno run -A testdata/durability/run.ts [kills]
 */

import { killWriters } from "./harness.ts";

const kills = Number(Deno.args[0] ?? 300);
const started = performance.now();
const report = await killWriters({ kills, writers: 6, longestMs: 400 });
const seconds = Math.round((performance.now() - started) / 1000);
const shown = { ...report, faults: report.faults.slice(0, 20), seconds };
console.log(JSON.stringify(shown, null, 2));
if (report.faults.length > 0) Deno.exit(1);
