/** What `gum search` prints (spec 08 §4.1). */

import type { SearchHit } from "../lib/catalog/types.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { invalidArg } from "./errors.ts";
import { riskStyle, type Styles, stylesFor, terminalWidth } from "./terminal_text.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandContext } from "./types.ts";

const SUMMARY_WIDTH = 80;
/** A narrow terminal gets the summary on a line of its own rather than less than this. */
const SHORTEST_SUMMARY = 24;
const BELOW = "    ";
const MAX_HITS = 50;
const DEFAULT_HITS = 10;
const ON_EMPTY = "No matching operations found. Try a broader query.";

/** Runs `gum search`. */
export async function runSearch({ words, flags, host }: CommandContext): Promise<void> {
  const format = flags.text("format") ?? (host.isTerminal("stdout") ? "table" : "json");
  if (format !== "json" && format !== "table") {
    throw invalidArg("--format", `${JSON.stringify(format)} is none of json, table`);
  }
  const asked = flags.integer("top-k") ?? DEFAULT_HITS;
  const topK = asked <= 0 ? DEFAULT_HITS : Math.min(asked, MAX_HITS);
  const search = await host.factories.search();
  const hits = narrowed(search.search(words.join(" "), narrows(flags) ? MAX_HITS : topK), flags)
    .slice(0, topK);
  const hidden = hiddenMatch(search.hiddenBest?.(words.join(" ")), flags);
  if (format === "json") {
    return host.stdout.write(JSON.stringify(root(hits, hidden), null, 2) + "\n");
  }
  const width = host.isTerminal("stdout") ? terminalWidth(host) : undefined;
  host.stdout.write(table(hits, { size: search.size, styles: stylesFor(host, "stdout"), width }));
  const [best] = hits;
  if (best !== undefined && host.isTerminal("stdout") && host.isTerminal("stderr")) {
    host.stderr.write(nextSteps(best, stylesFor(host, "stderr")));
  } else if (host.isTerminal("stdout") && host.isTerminal("stderr")) {
    host.stderr.write(`${stylesFor(host, "stderr").dim(ON_EMPTY)}\n`);
  }
  // Also in a pipe: whoever reads the table there cannot know either that something is missing.
  if (hidden === undefined) return;
  const { HIDDEN_HINT } = await import("../lib/catalog/mod.ts");
  host.stderr.write(`${hidden} would match best. ${HIDDEN_HINT}\n`);
}

function narrows(flags: FlagValues): boolean {
  return flags.text("service") !== undefined || flags.text("tier") !== undefined;
}

/** Only hits of the asked service and tier. */
function narrowed(hits: readonly SearchHit[], flags: FlagValues): SearchHit[] {
  const service = flags.text("service");
  const tier = flags.text("tier");
  if (tier !== undefined && tier !== "curated" && tier !== "long_tail") {
    throw invalidArg("--tier", `${JSON.stringify(tier)} is none of curated, long_tail`);
  }
  return hits.filter((hit) =>
    (service === undefined || hit.op_id.startsWith(`${service}.`)) &&
    (tier === undefined || (hit.tier ?? "curated") === tier)
  );
}

/** What the profile hides, when it would have come first among what was asked for. */
function hiddenMatch(best: string | undefined, flags: FlagValues): string | undefined {
  const service = flags.text("service");
  const asked = flags.text("tier") !== "curated" &&
    (service === undefined || best?.startsWith(`${service}.`));
  return asked ? best : undefined;
}

function root(hits: readonly SearchHit[], hidden: string | undefined): JsonObject {
  const expression: JsonObject = {
    profile: "gum.search_apis",
    op_id: "gum.search_apis",
    variant_id: "gum.search_apis.v1",
    lossy: false,
    result_count: hits.length,
    omitted_count: 0,
  };
  if (hits.length === 0) expression.on_empty_message = ON_EMPTY;
  if (hidden !== undefined) expression.hidden_match = hidden;
  const results = hits.map(({ op_id, score, summary, risk_class, auth_strategy, tier }) => ({
    op_id,
    score,
    summary,
    risk_class,
    auth_strategy,
    ...(tier === undefined ? {} : { tier }),
  }));
  return { results, _expression: expression };
}

/** How to go on with the best hit. */
function nextSteps({ op_id, risk_class }: SearchHit, styles: Styles): string {
  const grant = risk_class === "write" ? " --allow-write" : "";
  return [
    "",
    `${styles.dim("Contract:")} gum describe ${op_id}`,
    `${styles.dim("Call:")}     gum ${risk_class} ${op_id}${grant} --args '{…}'`,
    "",
  ].join("\n");
}

function table(
  hits: readonly SearchHit[],
  look: { size: number; styles: Styles; width: number | undefined },
): string {
  if (hits.length === 0) {
    return look.size === 0 ? "no results (catalog empty)\n" : "no results\n";
  }
  const rows = hits.map((hit) => [
    hit.op_id,
    hit.risk_class,
    hit.auth_strategy,
    hit.summary.length > SUMMARY_WIDTH
      ? hit.summary.slice(0, SUMMARY_WIDTH - 3) + "..."
      : hit.summary,
  ]);
  const header = ["OP_ID", "RISK", "AUTH", "SUMMARY"];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const { styles } = look;
  const before = widths.slice(0, -1).reduce((sum, columns) => sum + columns + 2, 0);
  // No room for a column of summaries: each goes on a line of its own.
  const below = look.width !== undefined && look.width - before < SHORTEST_SUMMARY;
  if (look.width !== undefined) {
    const room = below ? look.width - BELOW.length : look.width - before;
    // Summaries of the catalog are plain text, so that a character is a column.
    for (const row of rows) {
      if ((row[3] ?? "").length > room) row[3] = `${row[3]?.slice(0, room - 1)}…`;
    }
  }
  const line = (row: readonly string[], style: (cell: string, column: number) => string) => {
    const cells = row.map((cell, column) => {
      const padded = column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
      return style(padded, column);
    });
    if (!below) return cells.join("  ").trimEnd();
    return `${cells.slice(0, -1).join("  ").trimEnd()}\n${BELOW}${cells.at(-1)}`;
  };
  return [
    styles.bold(line(header, (cell) => cell)),
    ...rows.map((row) =>
      line(row, (cell, column) => column === 1 ? riskStyle(styles, row[1] ?? "")(cell) : cell)
    ),
  ].join("\n") + "\n";
}
