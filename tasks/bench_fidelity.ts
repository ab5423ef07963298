/**
 * Writes the section "Shaping" of `docs/benchmarks.md`: tokens of every fidelity fixture before and
 * after shaping, and how long shaping takes as answers grow.
 *
 *     deno run -q --no-prompt -P=test tasks/bench_fidelity.ts
 *
 * @module
 */

import { shapeBody } from "../lib/shape/mod.ts";
import { loadTokenCounter } from "../lib/tokens/mod.ts";
import {
  factSheetNames,
  type FidelityResult,
  measureFixture,
  openFidelityBench,
  readCall,
  readFacts,
  savedShare,
} from "./fidelity.ts";

const PAGE = new URL("../docs/benchmarks.md", import.meta.url);
const START = "<!-- shaping: written by tasks/bench_fidelity.ts -->";
const END = "<!-- shaping: end -->";

/** The lines between the markers. */
async function section(): Promise<string> {
  const bench = await openFidelityBench(await loadTokenCounter());
  const results = factSheetNames().map((name) =>
    measureFixture(name, { call: readCall(name), sheet: readFacts(name), bench })
  );
  const sum = (pick: (result: FidelityResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  const raw = sum(({ rawTokens }) => rawTokens);
  const masked = sum(({ maskedTokens }) => maskedTokens);
  const shaped = sum(({ shapedTokens }) => shapedTokens);
  const services = new Set(results.map(({ op }) => op.split(".")[0])).size;
  const lost = sum(({ missing }) => missing.length);
  return [
    `${results.length} recorded answers of ${services} services, ${sum(({ facts }) => facts)} ` +
    `facts that tasks need, ${lost} of them lost.`,
    "",
    "| against | tokens before | tokens shaped | saved |",
    "| --- | ---: | ---: | ---: |",
    `| the whole answer as Google sends it | ${raw} | ${shaped} | ${percent(raw, shaped)} |`,
    `| the answer after GUM's mask, minified | ${masked} | ${shaped} | ${
      percent(masked, shaped)
    } |`,
    "",
    "### Each answer",
    "",
    "| answer | format | facts | whole | masked, minified | shaped | saved of whole | of masked |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...results.map(row),
    "",
    "### Time",
    "",
    ...timing(),
  ].join("\n");
}

function row(result: FidelityResult): string {
  const { name, format, facts, rawTokens, maskedTokens, shapedTokens } = result;
  const saved = percent(rawTokens, shapedTokens);
  const ofMasked = percent(maskedTokens, shapedTokens);
  return `| ${name} | ${format} | ${facts} | ${rawTokens} | ${maskedTokens} | ${shapedTokens} | ` +
    `${saved} | ${ofMasked} |`;
}

function percent(before: number, after: number): string {
  return `${(100 * savedShare(before, after)).toFixed(1)} %`;
}

const SIZES = [1, 2, 5, 10, 20, 50];

/** Fastest of several runs for each size: everything else is what other programs did meanwhile. */
function timing(): string[] {
  const lines = SIZES.map((megabytes) => {
    const body = mailList(megabytes * 1_000_000);
    const runs = megabytes <= 10 ? 15 : 5;
    const toon = fastest(runs, () => shapeBody({ body, opId: "o", variantId: "v" }));
    const json = fastest(
      runs,
      () => shapeBody({ body, opId: "o", variantId: "v", userFormat: "json" }),
    );
    return { megabytes, toon, json };
  });
  return [
    "A list of mail records, parsed, shaped and encoded; fastest of several runs on the machine at hand.",
    "",
    "| MB | TOON, ms | ms per MB | JSON, ms | ms per MB |",
    "| ---: | ---: | ---: | ---: | ---: |",
    ...lines.map(({ megabytes, toon, json }) =>
      `| ${megabytes} | ${toon.toFixed(1)} | ${(toon / megabytes).toFixed(1)} | ` +
      `${json.toFixed(1)} | ${(json / megabytes).toFixed(1)} |`
    ),
    "",
    "A body of one megabyte fits into the young generation of V8's heap, a larger one is copied out of",
    "it once; past that step the cost per megabyte stays where it is.",
  ];
}

function fastest(runs: number, work: () => unknown): number {
  let best = Infinity;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function mailList(bytes: number): Uint8Array {
  const rows: string[] = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const text = JSON.stringify({
      id: (0x18abc0000000 + index).toString(16),
      threadId: (0x18abc0000000 + (index >> 2)).toString(16),
      labelIds: ["INBOX", "CATEGORY_UPDATES"],
      snippet: `Message ${index}: the quarterly report, "final", is attached, see below`,
      historyId: String(1_000_000 + index),
      internalDate: String(1_716_000_000_000 + index * 1_000),
      sizeEstimate: 10_000 + index % 5_000,
    });
    size += text.length + 1;
    rows.push(text);
  }
  return new TextEncoder().encode(`{"messages":[${rows.join(",")}],"nextPageToken":"tok"}`);
}

const HEADING = `# Benchmarks

## Shaping

How many tokens (cl100k_base) an answer takes before and after shaping, and whether the facts that a
task needs are still in it. The answers are recorded from the emulator at full size by
\`tasks/record_fidelity.ts\`; the facts are in \`testdata/fidelity/facts/\`, and a test requires every
one of them from what a reader decodes. \`deno task bench:fidelity\` rewrites the figures.

`;

/** The page with this section in place; a page without the markers gets it at its end. */
export function withSection(page: string, text: string): string {
  const block = `${START}\n\n${text}\n\n${END}`;
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start !== -1 && end > start) {
    return page.slice(0, start) + block + page.slice(end + END.length);
  }
  const heading = page === "" ? HEADING : HEADING.replace("# Benchmarks\n\n", "");
  return `${page === "" ? "" : `${page.trimEnd()}\n\n`}${heading}${block}\n`;
}

if (import.meta.main) {
  let page = "";
  try {
    page = Deno.readTextFileSync(PAGE);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  Deno.writeTextFileSync(PAGE, withSection(page, await section()));
}
