/** Expansion of `RRULE`, `RDATE` and `EXDATE` in wall-clock time, so that series keep their hour over a daylight-saving change. */

import { invalid } from "../drive/mod.ts";
import { type EventTime, instanceSuffix } from "./times.ts";

/** A parsed `RRULE`. */
export interface RecurrenceRule {
  frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  interval: number;
  count?: number;
  /** Last allowed start: milliseconds, or a day for all-day series. */
  until?: { kind: "instant"; at: number } | { kind: "date"; date: string };
  byDay: { ordinal: number; weekday: number }[];
  byMonthDay: number[];
  byMonth: number[];
  bySetPosition: number[];
  /** ISO weekday (1 = Monday) on which a week starts. */
  weekStart: number;
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
/** Periods without a match after which a rule is taken to yield nothing more. */
const MAX_PERIODS = 6000;

/** Parses the value of an `RRULE` line; 400 when it is none. */
export function parseRule(line: string): RecurrenceRule {
  const refuse = () => invalid("Invalid recurrence rule.");
  const body = /^RRULE:(.+)$/i.exec(line.trim())?.[1];
  if (body === undefined) throw refuse();
  const parts = new Map<string, string>();
  for (const part of body.split(";")) {
    const [name, value] = part.split("=");
    if (name === undefined || value === undefined || value === "") throw refuse();
    parts.set(name.toUpperCase(), value.toUpperCase());
  }
  const frequency = parts.get("FREQ");
  if (
    frequency !== "DAILY" && frequency !== "WEEKLY" && frequency !== "MONTHLY" &&
    frequency !== "YEARLY"
  ) {
    throw refuse();
  }
  const numbers = (name: string) =>
    (parts.get(name) ?? "").split(",").filter((text) => text !== "").map((text) => {
      if (!/^[+-]?[0-9]+$/.test(text)) throw refuse();
      return Number(text);
    });
  const rule: RecurrenceRule = {
    frequency,
    interval: numbers("INTERVAL")[0] ?? 1,
    byDay: (parts.get("BYDAY") ?? "").split(",").filter((text) => text !== "").map((text) => {
      const match = /^([+-]?[0-9]+)?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text);
      if (match === null) throw refuse();
      return { ordinal: Number(match[1] ?? 0), weekday: WEEKDAYS.indexOf(match[2] as string) + 1 };
    }),
    byMonthDay: numbers("BYMONTHDAY"),
    byMonth: numbers("BYMONTH"),
    bySetPosition: numbers("BYSETPOS"),
    weekStart: Math.max(0, WEEKDAYS.indexOf(parts.get("WKST") ?? "MO")) + 1,
  };
  if (rule.interval < 1) throw refuse();
  const count = numbers("COUNT")[0];
  if (count !== undefined) rule.count = count;
  const until = parts.get("UNTIL");
  if (until !== undefined) {
    const match = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})Z?)?$/.exec(
      until,
    );
    if (match === null) throw refuse();
    const date = `${match[1]}-${match[2]}-${match[3]}`;
    rule.until = match[4] === undefined
      ? { kind: "date", date }
      : { kind: "instant", at: Date.parse(`${date}T${match[4]}:${match[5]}:${match[6]}Z`) };
  }
  return rule;
}

/** Days on which a rule falls, in order, the day of the start first. Endless unless the rule ends. */
function* ruleDays(
  rule: RecurrenceRule,
  start: Temporal.PlainDate,
): Generator<Temporal.PlainDate> {
  for (let period = 0; period < MAX_PERIODS; period++) {
    for (const day of daysOfPeriod(rule, { start, period })) {
      if (Temporal.PlainDate.compare(day, start) >= 0) yield day;
    }
  }
}

function daysOfPeriod(
  rule: RecurrenceRule,
  { start, period }: { start: Temporal.PlainDate; period: number },
): Temporal.PlainDate[] {
  const step = period * rule.interval;
  const inMonth = (day: Temporal.PlainDate) =>
    rule.byMonth.length === 0 || rule.byMonth.includes(day.month);
  let days: Temporal.PlainDate[];
  switch (rule.frequency) {
    case "DAILY": {
      const day = start.add({ days: step });
      const fits =
        (rule.byDay.length === 0 || rule.byDay.some((item) => item.weekday === day.dayOfWeek)) &&
        (rule.byMonthDay.length === 0 || monthDays(rule, day).some((item) => item.equals(day)));
      days = fits ? [day] : [];
      break;
    }
    case "WEEKLY": {
      const offset = (start.dayOfWeek - rule.weekStart + 7) % 7;
      const first = start.subtract({ days: offset }).add({ days: step * 7 });
      const weekdays = rule.byDay.length === 0
        ? [start.dayOfWeek]
        : rule.byDay.map((item) => item.weekday);
      days = Array.from({ length: 7 }, (_, index) => first.add({ days: index }))
        .filter((day) => weekdays.includes(day.dayOfWeek));
      break;
    }
    case "MONTHLY":
      days = daysOfMonth(rule, { month: start.with({ day: 1 }).add({ months: step }), start });
      break;
    case "YEARLY": {
      const year = start.with({ day: 1, month: 1 }).add({ years: step });
      const months = rule.byMonth.length === 0
        ? [start.month]
        : [...rule.byMonth].sort((a, b) => a - b);
      days = months.flatMap((month) => daysOfMonth(rule, { month: year.with({ month }), start }));
      break;
    }
  }
  days = days.filter(inMonth);
  if (rule.bySetPosition.length === 0) return days;
  return rule.bySetPosition
    .map((position) => days.at(position > 0 ? position - 1 : position))
    .filter((day) => day !== undefined);
}

function daysOfMonth(
  rule: RecurrenceRule,
  { month, start }: { month: Temporal.PlainDate; start: Temporal.PlainDate },
): Temporal.PlainDate[] {
  if (rule.byMonthDay.length > 0) return monthDays(rule, month);
  if (rule.byDay.length === 0) {
    return start.day <= month.daysInMonth ? [month.with({ day: start.day })] : [];
  }
  const all = Array.from(
    { length: month.daysInMonth },
    (_, index) => month.with({ day: index + 1 }),
  );
  return all.filter((day) =>
    rule.byDay.some(({ ordinal, weekday }) => {
      if (day.dayOfWeek !== weekday) return false;
      if (ordinal === 0) return true;
      const fromStart = Math.ceil(day.day / 7);
      const fromEnd = -Math.ceil((month.daysInMonth - day.day + 1) / 7);
      return ordinal === fromStart || ordinal === fromEnd;
    })
  );
}

function monthDays(rule: RecurrenceRule, month: Temporal.PlainDate): Temporal.PlainDate[] {
  return rule.byMonthDay
    .map((day) => day > 0 ? day : month.daysInMonth + 1 + day)
    .filter((day) => day >= 1 && day <= month.daysInMonth)
    .sort((a, b) => a - b)
    .map((day) => month.with({ day }));
}

/** The start of a series and what repeats it. */
export interface Series {
  start: EventTime;
  recurrence: readonly string[];
}

/**
 * Starts of a series in order, up to and including those at `before`; exceptions by `EXDATE` left
 * out.
 */
export function seriesStarts(series: Series, { before }: { before: number }): EventTime[] {
  const excluded = new Set<string>();
  const added: EventTime[] = [];
  const rules: RecurrenceRule[] = [];
  for (const line of series.recurrence) {
    if (/^RRULE:/i.test(line)) rules.push(parseRule(line));
    else if (/^EXDATE/i.test(line)) {
      for (const time of listedTimes(line, series.start)) excluded.add(instanceSuffix(time));
    } else if (/^RDATE/i.test(line)) added.push(...listedTimes(line, series.start));
    else throw invalid("Invalid recurrence rule.");
  }
  const starts = new Map<string, EventTime>();
  if (rules.length === 0) starts.set(instanceSuffix(series.start), series.start);
  for (const rule of rules) {
    for (const time of ruleStarts(rule, { start: series.start, before })) {
      starts.set(instanceSuffix(time), time);
    }
  }
  for (const time of added) starts.set(instanceSuffix(time), time);
  return [...starts.entries()]
    .filter(([suffix, time]) => !excluded.has(suffix) && utcOrder(time) <= before)
    .sort(([, left], [, right]) => utcOrder(left) - utcOrder(right))
    .map(([, time]) => time);
}

/** Milliseconds that order times; whole days count from their UTC midnight. */
function utcOrder(time: EventTime): number {
  return time.kind === "instant" ? time.at : Date.parse(`${time.date}T00:00:00Z`);
}

function ruleStarts(
  rule: RecurrenceRule,
  { start, before }: { start: EventTime; before: number },
): EventTime[] {
  const found: EventTime[] = [];
  const local = start.kind === "instant"
    ? Temporal.Instant.fromEpochMilliseconds(start.at).toZonedDateTimeISO(start.zone)
      .toPlainDateTime()
    : undefined;
  const firstDay = start.kind === "date"
    ? Temporal.PlainDate.from(start.date)
    : (local as Temporal.PlainDateTime).toPlainDate();
  for (const day of ruleDays(rule, firstDay)) {
    const time: EventTime = start.kind === "date" || local === undefined
      ? { kind: "date", date: day.toString() }
      : {
        kind: "instant",
        at: day.toPlainDateTime(local.toPlainTime()).toZonedDateTime(start.zone).epochMilliseconds,
        zone: start.zone,
      };
    if (utcOrder(time) > before || pastUntil(rule, time)) break;
    found.push(time);
    if (rule.count !== undefined && found.length >= rule.count) break;
  }
  return found;
}

function pastUntil(rule: RecurrenceRule, time: EventTime): boolean {
  if (rule.until === undefined) return false;
  if (rule.until.kind === "instant") return utcOrder(time) > rule.until.at;
  if (time.kind === "date") return time.date > rule.until.date;
  const day = Temporal.Instant.fromEpochMilliseconds(time.at).toZonedDateTimeISO(time.zone)
    .toPlainDate();
  return day.toString() > rule.until.date;
}

function listedTimes(line: string, start: EventTime): EventTime[] {
  const match = /^(?:EXDATE|RDATE)((?:;[^:]+)?):(.+)$/i.exec(line);
  if (match === null) throw invalid("Invalid recurrence rule.");
  const zone = /TZID=([^;]+)/i.exec(match[1] ?? "")?.[1] ??
    (start.kind === "instant" ? start.zone : "UTC");
  return (match[2] as string).split(",").map((text): EventTime => {
    const parts = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?$/.exec(
      text.trim(),
    );
    if (parts === null) throw invalid("Invalid recurrence rule.");
    const date = `${parts[1]}-${parts[2]}-${parts[3]}`;
    if (parts[4] === undefined) return { kind: "date", date };
    const clock = `${date}T${parts[4]}:${parts[5]}:${parts[6]}`;
    const at = parts[7] === "Z"
      ? Date.parse(`${clock}Z`)
      : Temporal.PlainDateTime.from(clock).toZonedDateTime(zone).epochMilliseconds;
    return { kind: "instant", at, zone: start.kind === "instant" ? start.zone : zone };
  });
}
