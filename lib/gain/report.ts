/** A gain report as one HTML page that needs nothing else: no script, no font, no network. */

import type { GainResult } from "./result.ts";
import { savedPercent } from "./result.ts";

const ROW_HEIGHT = 26;
const LABEL_WIDTH = 300;
const BAR_WIDTH = 420;
const MOST_ROWS = 40;

/** What the page is made from. */
export interface GainReportSource {
  /** A summary with `by_tool`. */
  result: GainResult;
  /** Account profile that was accounted. */
  profileName: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/** The page. Charts are inline SVG; colours follow the reader's light or dark preference. */
export function gainReportPage(source: GainReportSource): string {
  const { result } = source;
  const operations = (result.by_tool ?? []).map((row) => ({
    label: row.tool,
    calls: row.calls,
    baseline: row.baseline_tokens,
    actual: row.actual_tokens,
  })).sort((left, right) => right.baseline - left.baseline);
  const sessions = (result.sessions ?? []).map((row) => ({
    label: row.session,
    calls: row.calls,
    baseline: row.baseline_tokens,
    actual: row.actual_tokens,
  }));
  const stamp = new Date(source.madeAt).toISOString().replace(/\.[0-9]{3}Z$/, "Z");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GUM token savings</title>
<style>
:root { color-scheme: light dark; --sent: #2563a8; --saved: #b9d4ee; --quiet: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --sent: #6aa9e9; --saved: #24405c; --quiet: #9aa3af; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; }
dt { color: var(--quiet); } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg .quiet, p { fill: var(--quiet); color: var(--quiet); }
svg .sent { fill: var(--sent); } svg .saved { fill: var(--saved); }
</style>
</head>
<body>
<h1>Token savings of profile ${escaped(source.profileName)}</h1>
<p>Window ${escaped(result.window)}, counted as ${result.tokenizer}, made ${stamp}. Figures of live
calls are estimates; only fixture-backed rows count end to end.</p>
<dl>
${fact("Unshaped answers", grouped(result.baseline_tokens))}
${fact("Given to the caller", grouped(result.actual_tokens))}
${fact("Saved", `${grouped(result.savings_tokens)} (${percent(result.savings_pct)})`)}
${fact("End to end", percent(result.end_to_end_savings))}
${fact("Batch overhead", grouped(result.batch_envelope_overhead))}
</dl>
${chart("By operation", operations)}
${chart("By session, oldest first", sessions)}
</body>
</html>
`;
}

interface ChartRow {
  label: string;
  calls: number;
  baseline: number;
  actual: number;
}

function chart(title: string, all: readonly ChartRow[]): string {
  if (all.length === 0) return `<h2>${title}</h2>\n<p>Nothing was recorded.</p>`;
  const rows = all.slice(0, MOST_ROWS);
  const largest = Math.max(1, ...rows.map((row) => Math.max(row.baseline, row.actual)));
  const width = (tokens: number) => Math.round(10 * BAR_WIDTH * tokens / largest) / 10;
  const drawn = rows.map((row, index) => {
    const top = index * ROW_HEIGHT;
    const saved = savedPercent(row.baseline, row.actual);
    const note = `${percent(saved)} saved, ${grouped(row.calls)} ${
      row.calls === 1 ? "call" : "calls"
    }`;
    const longer = Math.max(width(row.baseline), width(row.actual));
    const right = LABEL_WIDTH + longer + 8;
    return `<g><title>${escaped(row.label)}: ${grouped(row.actual)} of ${
      grouped(row.baseline)
    } tokens</title>` +
      `<text x="0" y="${top + 17}">${escaped(shortened(row.label))}</text>` +
      `<rect class="saved" x="${LABEL_WIDTH}" y="${top + 5}" width="${
        width(row.baseline)
      }" height="16"/>` +
      `<rect class="sent" x="${LABEL_WIDTH}" y="${top + 5}" width="${
        width(row.actual)
      }" height="16"/>` +
      `<text class="quiet" x="${right}" y="${top + 17}">${note}</text></g>`;
  });
  const left = all.length - rows.length;
  const more = left > 0 ? `\n<p>${grouped(left)} more are not drawn.</p>` : "";
  const size = `0 0 ${LABEL_WIDTH + BAR_WIDTH + 200} ${rows.length * ROW_HEIGHT}`;
  return `<h2>${title}</h2>
<svg viewBox="${size}" role="img" aria-label="${title}: tokens sent and saved">
${drawn.join("\n")}
</svg>${more}`;
}

function fact(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function shortened(label: string): string {
  return label.length > 42 ? "…" + label.slice(-41) : label;
}

function percent(value: number | null): string {
  return value === null ? "n/a" : `${value.toFixed(2)} %`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=([0-9]{3})+$)/g, ",");
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
