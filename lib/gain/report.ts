/** A gain report as one HTML page that needs nothing else: no script, no font, no network. */

import { grouped } from "./render.ts";
import {
  barChart,
  type ChartRow,
  escaped,
  percent,
  shareBar,
  short,
  timeChart,
} from "./report_charts.ts";
import { type GainView, savedPercent, type SessionGain } from "./result.ts";
import type { GainTimeline } from "./timeline.ts";

const MOST_OPERATIONS = 25;
const MOST_SESSIONS = 30;

/** What the page is made from. */
export interface GainReportSource {
  /** A summary with `by_tool`. */
  view: GainView;
  timeline: GainTimeline;
  /** Account profile that was accounted. */
  profileName: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/** The page. Charts are inline SVG; colours follow the reader's light or dark preference. */
export function gainReportPage(source: GainReportSource): string {
  const { view, timeline } = source;
  const stamp = new Date(source.madeAt).toISOString().slice(0, 16).replace("T", " ");
  const calls = timeline.cacheStatuses.reduce((sum, { calls }) => sum + calls, 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Token savings of ${escaped(source.profileName)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Token savings <small>profile ${escaped(source.profileName)}</small></h1>
<p>${escaped(windowWords(view.window))}. Made ${stamp} UTC; tokens are ${view.tokenizer}.</p>
</header>
${calls === 0 ? "<p>Nothing was recorded.</p>" : body(source, calls)}
<footer>Live calls are measured against the unshaped answers they received; only fixture-backed
rows count for the end-to-end figure. Everything on this page comes from the local ledger.</footer>
</body>
</html>
`;
}

function body({ view, timeline }: GainReportSource, calls: number): string {
  const { baseline_tokens: baseline, actual_tokens: actual } = view;
  const fromCache = timeline.cacheStatuses
    .filter(({ status }) => status === "hit" || status === "etag_304")
    .reduce((sum, { calls }) => sum + calls, 0);
  const exceeds = actual > baseline ||
    timeline.hours.some((hour) => hour.actual > hour.baseline) ||
    Array.from(view.by_tool ?? []).some((row) => row.actual_tokens > row.baseline_tokens);
  return `<section class="hero">
<p class="figure">${percent(view.savings_pct)}</p>
<p>${
    actual > baseline
      ? "saved: shaping cost more than it spared,"
      : "of the tokens that services answered never reached the model:"
  } <b>${grouped(actual)}</b> were sent instead of <b>${grouped(baseline)}</b>.</p>
${shareBar({ baseline, actual })}
<p class="legend"><i class="sent"></i>sent <i class="saved"></i>saved${
    exceeds ? ' <i class="over"></i>more than the unshaped answer' : ""
  }</p>
</section>
<dl>
${fact("Calls", grouped(calls))}
${fact("Tokens saved", signedShort(view.savings_tokens))}
${fact("Saved per call", signedShort(Math.round(view.savings_tokens / calls)))}
${fact("Served from cache", percent(100 * fromCache / calls))}
${fact("Batch overhead", short(view.batch_envelope_overhead))}
${fact("End to end", percent(view.end_to_end_savings))}
</dl>
${
    timeline.hours.length === 0
      ? ""
      : `<section>\n<h2>Over time <small>UTC</small></h2>\n${timeChart(timeline.hours)}\n</section>`
  }
${operations(view)}
${cacheTable(timeline, calls)}
${sessions(view)}`;
}

function operations(view: GainView): string {
  const all: ChartRow[] = Array.from(view.by_tool ?? [], (row) => ({
    label: row.tool,
    calls: row.calls,
    baseline: row.baseline_tokens,
    actual: row.actual_tokens,
  })).sort((left, right) => right.baseline - left.baseline);
  const rest = all.slice(MOST_OPERATIONS);
  const rows = all.slice(0, MOST_OPERATIONS);
  if (rest.length > 0) {
    rows.push({
      label: `${grouped(rest.length)} others`,
      calls: rest.reduce((sum, row) => sum + row.calls, 0),
      baseline: rest.reduce((sum, row) => sum + row.baseline, 0),
      actual: rest.reduce((sum, row) => sum + row.actual, 0),
    });
  }
  return `<section>
<h2>By operation <small>largest answers first</small></h2>
${barChart("By operation", rows)}
</section>`;
}

const CACHE_WORDS: Record<string, string> = {
  hit: "answered from the cache",
  etag_304: "unchanged since last time",
  miss: "fetched",
  not_applicable: "not cacheable",
};

function cacheTable({ cacheStatuses }: GainTimeline, calls: number): string {
  const rows = cacheStatuses.map((row) =>
    `<tr><th scope="row">${CACHE_WORDS[row.status] ?? escaped(row.status)}</th>` +
    `<td>${grouped(row.calls)}</td><td>${percent(100 * row.calls / calls)}</td>` +
    `<td class="wide">${shareBar({ baseline: calls, actual: row.calls })}</td></tr>`
  );
  return `<section>
<h2>Where answers came from</h2>
<table>
${rows.join("\n")}
</table>
</section>`;
}

function sessions(view: GainView): string {
  const newest: SessionGain[] = [];
  let count = 0;
  for (const session of view.sessions ?? []) {
    count++;
    newest.push(session);
    if (newest.length > MOST_SESSIONS) newest.shift();
  }
  const rows = newest.reverse().map((row) => {
    const families = row.op_families.slice(0, 3).join(", ");
    const more = row.op_families.length > 3 ? ` and ${row.op_families.length - 3} more` : "";
    return `<tr><th scope="row"><code>${row.session}</code></th><td>${grouped(row.calls)}</td>` +
      `<td>${grouped(row.actual_tokens)}</td><td>${grouped(row.baseline_tokens)}</td>` +
      `<td>${percent(savedPercent(row.baseline_tokens, row.actual_tokens))}</td>` +
      `<td class="wide">${
        shareBar({ baseline: row.baseline_tokens, actual: row.actual_tokens })
      }</td><td class="names">${escaped(families)}${more}</td></tr>`;
  });
  const shown = count > rows.length
    ? `the newest ${rows.length} of ${grouped(count)}`
    : "newest first";
  return `<section>
<h2>Sessions <small>${shown}</small></h2>
<table>
<thead><tr><th>session</th><th>calls</th><th>sent</th><th>unshaped</th><th>saved</th><th></th>` +
    `<th class="names">operations</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</section>`;
}

function fact(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function signedShort(count: number): string {
  return count < 0 ? `−${short(-count)}` : short(count);
}

function windowWords(window: string): string {
  if (window.startsWith("since:")) {
    return `Calls since ${window.slice("since:".length).replace("T", " ").replace("Z", " UTC")}`;
  }
  const last = /^last-([0-9]+)-sessions$/.exec(window)?.[1];
  return last === undefined ? window : `Calls of the ${last} sessions used last`;
}

const STYLE = `
:root { color-scheme: light dark; --page: #f7f8fa; --card: #fff; --ink: #16202c; --quiet: #667382;
  --line: #e3e7ec; --sent: #2a6fb8; --saved: #bcd9f3; --over: #d9822b; }
@media (prefers-color-scheme: dark) { :root { --page: #10151b; --card: #171e26; --ink: #e6ebf1;
  --quiet: #93a0af; --line: #2a3440; --sent: #63a7ec; --saved: #27435e; --over: #e09a4f; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink);
  max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
small, header p, footer, dt, .legend { color: var(--quiet); font-weight: 400; }
header p { margin: .25rem 0 1.5rem; } footer { font-size: .85rem; margin-top: 1.5rem; }
section, dl { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1.25rem 1.5rem; margin: 0 0 1rem; }
.hero p { margin: 0 0 .75rem; } .hero .figure { font-size: 3rem; line-height: 1.1; font-weight: 650;
  color: var(--sent); font-variant-numeric: tabular-nums; }
.legend { margin: .5rem 0 0 !important; font-size: .85rem; }
.legend i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .35em 0 .9em; }
.legend i:first-child { margin-left: 0; }
i.sent { background: var(--sent); } i.saved { background: var(--saved); } i.over { background: var(--over); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem; }
dt { font-size: .85rem; } dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: auto; } svg.share { height: .8rem; border-radius: 4px; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg .quiet { fill: var(--quiet); }
svg line { stroke: var(--line); } .sent { fill: var(--sent); } .saved { fill: var(--saved); }
.over { fill: var(--over); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-top: 1px solid var(--line); white-space: nowrap; }
thead th, table:not(:has(thead)) tr:first-child > * { border-top: 0; }
thead th { color: var(--quiet); font-weight: 400; font-size: .85rem; }
th:first-child { text-align: left; padding-left: 0; font-weight: 400; }
td.wide { width: 30%; min-width: 6rem; } .names { text-align: left; white-space: normal; font-size: .85rem; }
@media (max-width: 40rem) { .names { display: none; } section, dl { padding: 1rem; } }
`;
