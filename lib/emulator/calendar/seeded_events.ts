/** The events that the calendars of an emulated account start with. */

import { proseOf } from "../drive/mod.ts";
import type { SeededRandom, ServiceSeed } from "../service.ts";
import { base32Id, details, guestCount, type Maker } from "./event_details.ts";
import { seriesStarts } from "./recurrence.ts";
import { instanceOf, type StoredCalendar, type StoredEvent } from "./store.ts";
import type { EventTime } from "./times.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Adds an event and gives it back. */
function add(
  calendar: StoredCalendar,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
  given: Partial<StoredEvent> & Pick<StoredEvent, "start" | "end" | "members">,
): StoredEvent {
  const id = base32Id(random, 26);
  const begin = given.start.kind === "instant"
    ? given.start.at
    : Date.parse(`${given.start.date}T00:00:00Z`);
  const created = Math.min(seed.now - HOUR, begin) - random.int(1, 60) * DAY - random.int(0, DAY);
  calendar.changes += 1;
  const event: StoredEvent = {
    id,
    iCalUID: `${id}@calendar.example.com`,
    status: random.next() < 0.05 ? "tentative" : "confirmed",
    created: Math.floor(created / 1000) * 1000,
    updated: Math.min(seed.now - 60_000, created + random.int(0, 30 * DAY)),
    sequence: random.next() < 0.7 ? 0 : random.int(1, 6),
    change: calendar.changes,
    ...given,
  };
  calendar.events.set(event.id, event);
  calendar.updated = Math.max(calendar.updated, event.updated);
  return event;
}

/** Wall-clock time on the day `days` from now, in a zone. */
function wallTime(
  seed: ServiceSeed,
  { days, hour, minute = 0, zone }: { days: number; hour: number; minute?: number; zone: string },
): EventTime {
  const day = Temporal.Instant.fromEpochMilliseconds(seed.now).toZonedDateTimeISO(zone)
    .toPlainDate().add({ days });
  return {
    kind: "instant",
    at: day.toPlainDateTime({ hour, minute }).toZonedDateTime(zone).epochMilliseconds,
    zone,
  };
}

function later(time: EventTime, minutes: number): EventTime {
  return time.kind === "instant" ? { ...time, at: time.at + minutes * 60_000 } : time;
}

function dayAt(seed: ServiceSeed, days: number): string {
  return new Date(seed.now + days * DAY).toISOString().slice(0, 10);
}

/** Single events from three months back to three months ahead. */
export function fillSingles(
  calendar: StoredCalendar,
  { seed, random, count }: { seed: ServiceSeed; random: SeededRandom; count: number },
): void {
  const maker: Maker = { seed, random, prose: proseOf(random.fork("prose")) };
  const zones = [
    calendar.zone,
    calendar.zone,
    calendar.zone,
    calendar.zone,
    "America/New_York",
    "Asia/Kolkata",
    "Europe/Lisbon",
  ];
  for (let index = 0; index < count; index++) {
    const days = random.int(-90, 90);
    const members = details(maker, { guests: guestCount(random) });
    const draw = random.next();
    if (draw < 0.1) {
      const length = random.next() < 0.6 ? 1 : random.int(2, 16);
      add(calendar, maker, {
        start: { kind: "date", date: dayAt(seed, days) },
        end: { kind: "date", date: dayAt(seed, days + length) },
        members: { ...members, transparency: "transparent" },
      });
      continue;
    }
    const start = wallTime(seed, {
      days,
      hour: random.int(7, 19),
      minute: random.pick([0, 0, 0, 15, 30, 45]),
      zone: random.pick(zones),
    });
    const end = later(
      start,
      draw < 0.14 ? random.int(26, 80) * 60 : random.pick([15, 25, 30, 45, 60, 60, 90, 120, 180]),
    );
    // A flight: ends in another zone than it starts in.
    if (draw > 0.97 && end.kind === "instant") end.zone = "Asia/Tokyo";
    add(calendar, maker, { start, end, members });
  }
}

/** A series with one moved and one cancelled instance. */
function addSeries(
  calendar: StoredCalendar,
  maker: Maker,
  given: { start: EventTime; minutes: number; rule: string; guests: number; summary: string },
): StoredEvent {
  const { seed, random } = maker;
  const end = given.start.kind === "date"
    ? {
      kind: "date" as const,
      date: Temporal.PlainDate.from(given.start.date).add({ days: 1 }).toString(),
    }
    : later(given.start, given.minutes);
  const series = add(calendar, maker, {
    start: given.start,
    end,
    recurrence: [given.rule],
    status: "confirmed",
    members: { ...details(maker, { guests: given.guests }), summary: given.summary },
  });
  const starts = seriesStarts({ start: series.start, recurrence: [given.rule] }, {
    before: seed.now + 80 * DAY,
  });
  if (starts.length < 6 || given.start.kind === "date") return series;
  const [movedAt, cancelledAt] = [
    random.int(1, starts.length - 2),
    random.int(1, starts.length - 2),
  ];
  const moved = instanceOf(series, starts[movedAt] as EventTime);
  const shift = random.pick([-26 * 60, 45, 120, 24 * 60 + 30]);
  calendar.changes += 1;
  calendar.events.set(moved.id, {
    ...moved,
    start: later(moved.start, shift),
    end: later(moved.end, shift),
    sequence: series.sequence + 1,
    updated: Math.min(seed.now - 90_000, series.updated + 5 * DAY),
    change: calendar.changes,
    members: { ...moved.members, location: maker.prose.place() },
  });
  if (cancelledAt !== movedAt) {
    const cancelled = instanceOf(series, starts[cancelledAt] as EventTime);
    calendar.changes += 1;
    calendar.events.set(cancelled.id, {
      ...cancelled,
      status: "cancelled",
      change: calendar.changes,
    });
  }
  return series;
}

/** The account's own calendar: series of every kind and single events. */
export function fillPrimary(
  calendar: StoredCalendar,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
): void {
  const maker: Maker = { seed, random, prose: proseOf(random.fork("series")) };
  const zone = calendar.zone;
  const at = (days: number, hour: number, minute = 0) =>
    wallTime(seed, { days, hour, minute, zone });
  const series: [EventTime, number, string, number, string][] = [
    [at(-85, 9, 15), 15, "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", 7, "Daily stand-up"],
    [at(-84, 14), 60, "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", 4, "1:1 and planning"],
    [at(-80, 10), 90, "RRULE:FREQ=MONTHLY;BYDAY=-1FR", 18, "Month-end review"],
    [at(-78, 2, 30), 30, "RRULE:FREQ=DAILY;COUNT=60", 0, "Nachtlauf Backup (02:30)"],
    [at(-70, 17), 120, "RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=20", 2, "Chorprobe 🎶"],
    [at(-60, 8), 45, "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15", 0, 'Invoices, "both piles"'],
    [{ kind: "date", date: "2019-06-07" }, 0, "RRULE:FREQ=YEARLY", 0, "Geburtstag Oma Žofie"],
    [{ kind: "date", date: dayAt(seed, -40) }, 0, "RRULE:FREQ=WEEKLY;BYDAY=TU", 0, "Papiertonne"],
  ];
  for (const [start, minutes, rule, guests, summary] of series) {
    addSeries(calendar, maker, { start, minutes, rule, guests, summary });
  }
  fillSingles(calendar, { seed, random, count: 128 });
  for (
    const event of [...calendar.events.values()].filter((item) => item.recurrence === undefined)
  ) {
    if (random.next() < 0.04 && event.recurringEventId === undefined) event.status = "cancelled";
  }
}

/** A team calendar in another zone, with a night shift over the clock change. */
export function fillTeam(
  calendar: StoredCalendar,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
): void {
  const maker: Maker = { seed, random, prose: proseOf(random.fork("series")) };
  const at = (days: number, hour: number) => wallTime(seed, { days, hour, zone: calendar.zone });
  addSeries(calendar, maker, {
    start: at(-88, 6),
    minutes: 480,
    rule: "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,SA",
    guests: 6,
    summary: "Early crew",
  });
  addSeries(calendar, maker, {
    start: at(-88, 22),
    minutes: 480,
    rule: "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA",
    guests: 3,
    summary: "Night crew (over the clock change)",
  });
  fillSingles(calendar, { seed, random, count: 48 });
}

const HOLIDAYS: readonly (readonly [string, string])[] = [
  ["01-01", "New Year's Day"],
  ["01-06", "Epiphany (regional holiday)"],
  ["02-14", "Valentine's Day"],
  ["03-08", "International Women's Day (regional holiday)"],
  ["05-01", "Labour Day"],
  ["05-09", "Europe Day"],
  ["06-24", "Johannistag"],
  ["07-20", "Kinderfest (regional)"],
  ["08-08", "Peace Festival (Augsburg)"],
  ["08-15", "Assumption of Mary (regional holiday)"],
  ["10-03", "Day of German Unity"],
  ["10-31", "Reformation Day (regional holiday)"],
  ["11-11", "St. Martin's Day"],
  ["12-24", "Christmas Eve"],
  ["12-25", "Christmas Day"],
  ["12-26", "Second Day of Christmas"],
];

/** Public holidays of three years. */
export function fillHolidays(calendar: StoredCalendar, seed: ServiceSeed): void {
  const year = new Date(seed.now).getUTCFullYear();
  for (const y of [year - 1, year, year + 1]) {
    for (const [day, summary] of HOLIDAYS) {
      const date = `${y}-${day}`;
      const id = `${date.replaceAll("-", "")}_${[...summary].length}holiday${day.replace("-", "")}`;
      calendar.changes += 1;
      calendar.events.set(id, {
        id,
        iCalUID: `${id}@calendar.example.com`,
        status: "confirmed",
        created: seed.now - 300 * DAY,
        updated: seed.now - 300 * DAY,
        sequence: 0,
        start: { kind: "date", date },
        end: { kind: "date", date: Temporal.PlainDate.from(date).add({ days: 1 }).toString() },
        change: calendar.changes,
        members: {
          summary,
          description: /regional/.test(summary) ? "Public holiday in some regions" : "Observance",
          creator: { email: calendar.id, displayName: calendar.summary, self: true },
          organizer: { email: calendar.id, displayName: calendar.summary, self: true },
          transparency: "transparent",
          visibility: "public",
          reminders: { useDefault: false },
          eventType: "default",
        },
      });
    }
  }
}

/** Deleted events first, so that the first pages of a listing come out empty. */
export function fillArchive(
  calendar: StoredCalendar,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
): void {
  fillSingles(calendar, { seed, random, count: 40 });
  const events = [...calendar.events.values()];
  for (const event of events.slice(0, 32)) event.status = "cancelled";
}
