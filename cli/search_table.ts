/** Search hits for a person: a table, and how to go on. A pipe in JSON never loads this. */

import type { SearchHit } from "../lib/catalog/types.ts";
import { cutToWidth, visibleText } from "../lib/format/text/mod.ts";
import { riskStyle, type Styles, stylesFor, terminalWidth } from "./terminal_text.ts";
import type { CommandHost } from "./types.ts";

const SUMMARY_WIDTH = 80;
/** A narrow terminal gets the summary on a line of its own rather than less than this. */
const SHORTEST_SUMMARY = 24;
const BELOW = "    ";

/** Writes the table, and at a terminal the next commands. */
export function writeSearchTable(
  host: CommandHost,
  found: { hits: readonly SearchHit[]; size: number; onEmpty: string },
): void {
  const { hits, size, onEmpty } = found;
  const width = host.isTerminal("stdout") ? terminalWidth(host) : undefined;
  host.stdout.write(table(hits, { size, styles: stylesFor(host, "stdout"), width }));
  if (!host.isTerminal("stdout") || !host.isTerminal("stderr")) return;
  const styles = stylesFor(host, "stderr");
  const [best] = hits;
  host.stderr.write(best === undefined ? `${styles.dim(onEmpty)}\n` : nextSteps(best, styles));
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
  if (look.width !== undefined) {
    // Plugins write summaries of their own.
    for (const row of rows) row[3] = visibleText((row[3] ?? "").replaceAll(/\s/g, " "));
  }
  const header = ["OP_ID", "RISK", "AUTH", "SUMMARY"];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const { styles } = look;
  const before = widths.slice(0, -1).reduce((sum, columns) => sum + columns + 2, 0);
  // No room for a column of summaries: each goes on a line of its own.
  const below = look.width !== undefined && look.width - before < SHORTEST_SUMMARY;
  // Not even id, risk and strategy fit beside each other.
  const stacked = look.width !== undefined && before - 2 > look.width;
  if (look.width !== undefined) {
    const room = below ? look.width - BELOW.length : look.width - before;
    for (const row of rows) row[3] = cutToWidth(row[3] ?? "", room);
  }
  const line = (row: readonly string[], style: (cell: string, column: number) => string) => {
    const cells = row.map((cell, column) => {
      const padded = column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
      return style(padded, column);
    });
    if (!below) return cells.join("  ").trimEnd();
    if (!stacked) return `${cells.slice(0, -1).join("  ").trimEnd()}\n${BELOW}${cells.at(-1)}`;
    // An id is there to be copied, so nothing is cut off it.
    const [id = "", ...facts] = cells;
    const short = facts.slice(0, -1).map((cell) => cell.trimEnd()).join("  ");
    return [id.trimEnd(), short, facts.at(-1) ?? ""].join(`\n${BELOW}`);
  };
  return [
    styles.bold(line(header, (cell) => cell)),
    ...rows.map((row) =>
      line(row, (cell, column) => column === 1 ? riskStyle(styles, row[1] ?? "")(cell) : cell)
    ),
  ].join("\n") + "\n";
}
