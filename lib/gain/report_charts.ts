/** The charts of the report page, as inline SVG and HTML without scripts. */

import { grouped } from "./render.ts";
import { savedPercent } from "./result.ts";
import type { HourGain } from "./timeline.ts";

/** A labelled pair of sums. */
export interface ChartRow {
  label: string;
  calls: number;
  baseline: number;
  actual: number;
}

/** Text for an HTML page. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A share in percent, `n/a` without one. */
export function percent(value: number | null): string {
  return value === null ? "n/a" : `${value.toFixed(2)} %`;
}

/** A count short enough for an axis: 950, 12k, 3.4M. */
export function short(count: number): string {
  for (const [unit, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (count < unit) continue;
    const scaled = count / unit;
    return `${scaled < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled)}${sign}`;
  }
  return String(Math.round(count));
}

/** One bar over the page's width: what was sent, what was saved, or by how much it was exceeded. */
export function shareBar(sums: { baseline: number; actual: number }): string {
  const whole = Math.max(sums.baseline, sums.actual);
  if (whole === 0) return "";
  const part = (tokens: number) => rounded(100 * tokens / whole);
  const sent = Math.min(sums.baseline, sums.actual);
  const rest = sums.actual > sums.baseline ? "over" : "saved";
  return `<svg class="share" viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect class="${rest}" width="100" height="5"/>` +
    `<rect class="sent" width="${part(sent)}" height="5"/></svg>`;
}

const ROW_HEIGHT = 28;
const LABEL_WIDTH = 310;
const BAR_WIDTH = 400;
const NOTE_WIDTH = 210;
const LONGEST_LABEL = 44;

/** A horizontal bar for each row, drawn to one scale. */
export function barChart(title: string, rows: readonly ChartRow[]): string {
  const largest = Math.max(1, ...rows.map((row) => Math.max(row.baseline, row.actual)));
  const width = (tokens: number) => rounded(BAR_WIDTH * tokens / largest);
  const drawn = rows.map((row, index) => {
    const top = index * ROW_HEIGHT;
    const saved = percent(savedPercent(row.baseline, row.actual));
    const calls = `${grouped(row.calls)} ${row.calls === 1 ? "call" : "calls"}`;
    const bar = (kind: string, tokens: number) =>
      `<rect class="${kind}" x="${LABEL_WIDTH}" y="${top + 6}" width="${width(tokens)}" ` +
      `height="16" rx="2"/>`;
    const right = LABEL_WIDTH + Math.max(width(row.baseline), width(row.actual)) + 10;
    return `<g><title>${escaped(row.label)}: ${grouped(row.actual)} of ${
      grouped(row.baseline)
    } tokens sent</title>` +
      `<text x="${LABEL_WIDTH - 12}" y="${top + 19}" text-anchor="end">${
        escaped(shortened(row.label))
      }</text>` +
      (row.actual > row.baseline
        ? bar("over", row.actual) + bar("sent", row.baseline)
        : bar("saved", row.baseline) + bar("sent", row.actual)) +
      `<text class="quiet" x="${right}" y="${top + 19}">${saved} saved, ${calls}</text></g>`;
  });
  const size = `0 0 ${LABEL_WIDTH + BAR_WIDTH + NOTE_WIDTH} ${rows.length * ROW_HEIGHT}`;
  return `<svg viewBox="${size}" role="img" aria-label="${title}: tokens sent and saved">\n` +
    `${drawn.join("\n")}\n</svg>`;
}

function shortened(label: string): string {
  const signs = [...label];
  return signs.length > LONGEST_LABEL ? "…" + signs.slice(1 - LONGEST_LABEL).join("") : label;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Weeks begin on Mondays; the epoch did on a Thursday. */
const FIRST_MONDAY = 4 * DAY_MS;
const MOST_COLUMNS = 62;
const STEPS = [HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS, 364 * DAY_MS];
const COLUMNS_HEIGHT = 190;
const AXIS_WIDTH = 56;
/** Room that a date needs below the columns. */
const LABEL_ROOM = 76;
const COLUMNS_WIDTH = LABEL_WIDTH + BAR_WIDTH + NOTE_WIDTH - AXIS_WIDTH;

/** Columns over time, as wide in time as it takes to keep them readable; gaps stay gaps. */
export function timeChart(hours: readonly HourGain[]): string {
  const columns = columnsOf(hours);
  const largest = roundUp(
    Math.max(1, ...columns.sums.map((sum) => Math.max(sum.baseline, sum.actual))),
  );
  const height = (tokens: number) => rounded(COLUMNS_HEIGHT * tokens / largest);
  // A single day is a column and not a wall.
  const slot = Math.min(64, COLUMNS_WIDTH / columns.sums.length);
  const drawn = columns.sums.map((sum, index) => {
    if (sum.calls === 0) return "";
    const x = rounded(AXIS_WIDTH + index * slot + slot * 0.12);
    const column = (kind: string, tokens: number) =>
      `<rect class="${kind}" x="${x}" y="${rounded(12 + COLUMNS_HEIGHT - height(tokens))}" ` +
      `width="${rounded(slot * 0.76)}" height="${height(tokens)}" rx="1.5"/>`;
    const begins = stamp(columns.from + index * columns.step, columns.step);
    return `<g><title>${begins}: ${grouped(sum.actual)} of ${grouped(sum.baseline)} tokens sent, ` +
      `${percent(savedPercent(sum.baseline, sum.actual))} saved</title>` +
      (sum.actual > sum.baseline
        ? column("over", sum.actual) + column("sent", sum.baseline)
        : column("saved", sum.baseline) + column("sent", sum.actual)) +
      "</g>";
  });
  const lines = [0, 0.5, 1].map((share) => {
    const y = rounded(12 + COLUMNS_HEIGHT * (1 - share));
    return `<line x1="${AXIS_WIDTH}" x2="${AXIS_WIDTH + COLUMNS_WIDTH}" y1="${y}" y2="${y}"/>` +
      `<text class="quiet" x="${AXIS_WIDTH - 8}" y="${y + 4}" text-anchor="end">${
        short(largest * share)
      }</text>`;
  });
  const every = Math.max(1, Math.ceil((LABEL_ROOM + 14) / slot));
  const labels = columns.sums.flatMap((_, index) =>
    index % every === 0 && index * slot + LABEL_ROOM <= COLUMNS_WIDTH
      ? [
        `<text class="quiet" x="${rounded(AXIS_WIDTH + index * slot)}" y="${COLUMNS_HEIGHT + 32}">${
          stamp(columns.from + index * columns.step, columns.step)
        }</text>`,
      ]
      : []
  );
  const size = `0 0 ${AXIS_WIDTH + COLUMNS_WIDTH} ${COLUMNS_HEIGHT + 40}`;
  return `<svg viewBox="${size}" role="img" aria-label="Tokens sent and saved over time">\n` +
    [...lines, ...drawn, ...labels].filter((part) => part !== "").join("\n") + "\n</svg>";
}

interface ColumnSum {
  calls: number;
  baseline: number;
  actual: number;
}

function columnsOf(hours: readonly HourGain[]): { from: number; step: number; sums: ColumnSum[] } {
  const first = hours[0]?.begins ?? 0;
  const last = hours.at(-1)?.begins ?? 0;
  const begin = (at: number, step: number) => {
    const offset = step < 7 * DAY_MS ? 0 : FIRST_MONDAY;
    return Math.floor((at - offset) / step) * step + offset;
  };
  const count = (step: number) => (begin(last, step) - begin(first, step)) / step + 1;
  const step = STEPS.find((one) => count(one) <= MOST_COLUMNS) ?? last - first + HOUR_MS;
  const from = begin(first, step);
  const sums = Array.from(
    { length: count(step) },
    (): ColumnSum => ({ calls: 0, baseline: 0, actual: 0 }),
  );
  for (const hour of hours) {
    const sum = sums[Math.floor((hour.begins - from) / step)];
    if (sum === undefined) continue;
    sum.calls += hour.calls;
    sum.baseline += hour.baseline;
    sum.actual += hour.actual;
  }
  return { from, step, sums };
}

function stamp(at: number, step: number): string {
  const text = new Date(at).toISOString();
  return step < DAY_MS ? text.slice(5, 16).replace("T", " ") : text.slice(0, 10);
}

/** The next 1, 2 or 5 of a power of ten, so that the axis has round numbers. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value) ?? value;
}

function rounded(value: number): number {
  return Math.round(10 * value) / 10;
}
