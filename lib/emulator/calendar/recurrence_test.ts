import assert from "node:assert/strict";
import fc from "fast-check";
import { EmulatedError } from "../service.ts";
import { parseRule, seriesStarts } from "./recurrence.ts";
import { type EventTime, offsetText } from "./times.ts";

function at(text: string, zone: string): EventTime {
  return {
    kind: "instant",
    at: Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds,
    zone,
  };
}

function texts(start: EventTime, recurrence: string[], before: string): string[] {
  return seriesStarts({ start, recurrence }, { before: Date.parse(before) })
    .map((time) => time.kind === "date" ? time.date : offsetText(time.at, time.zone));
}

Deno.test("recurrence: a weekly series in Berlin keeps its hour over both clock changes", () => {
  assert.deepEqual(
    texts(
      at("2026-03-22T09:00", "Europe/Berlin"),
      ["RRULE:FREQ=WEEKLY;COUNT=3"],
      "2027-01-01T00:00:00Z",
    ),
    [
      "2026-03-22T09:00:00+01:00",
      "2026-03-29T09:00:00+02:00",
      "2026-04-05T09:00:00+02:00",
    ],
  );
  assert.deepEqual(
    texts(
      at("2026-10-18T09:00", "Europe/Berlin"),
      ["RRULE:FREQ=WEEKLY;COUNT=2"],
      "2027-01-01T00:00:00Z",
    ),
    [
      "2026-10-18T09:00:00+02:00",
      "2026-10-25T09:00:00+01:00",
    ],
  );
});

Deno.test("recurrence: New York changes its clock on other days than Berlin", () => {
  assert.deepEqual(
    texts(
      at("2026-03-07T08:30", "America/New_York"),
      ["RRULE:FREQ=DAILY;COUNT=3"],
      "2027-01-01T00:00:00Z",
    ),
    [
      "2026-03-07T08:30:00-05:00",
      "2026-03-08T08:30:00-04:00",
      "2026-03-09T08:30:00-04:00",
    ],
  );
  assert.deepEqual(
    texts(
      at("2026-10-31T22:00", "America/New_York"),
      ["RRULE:FREQ=DAILY;COUNT=2"],
      "2027-01-01T00:00:00Z",
    ),
    [
      "2026-10-31T22:00:00-04:00",
      "2026-11-01T22:00:00-05:00",
    ],
  );
});

Deno.test("recurrence: a start inside the hour that spring skips moves forward for that day only", () => {
  assert.deepEqual(
    texts(
      at("2026-03-28T02:30", "Europe/Berlin"),
      ["RRULE:FREQ=DAILY;COUNT=3"],
      "2027-01-01T00:00:00Z",
    ),
    [
      "2026-03-28T02:30:00+01:00",
      "2026-03-29T03:30:00+02:00",
      "2026-03-30T02:30:00+02:00",
    ],
  );
});

Deno.test("recurrence: intervals, weekdays, month days, ordinals, positions, years", () => {
  const day = (date: string): EventTime => ({ kind: "date", date });
  const cases: [string, string, string[]][] = [
    ["2026-05-04", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=4", [
      "2026-05-04",
      "2026-05-07",
      "2026-05-18",
      "2026-05-21",
    ]],
    ["2026-01-31", "RRULE:FREQ=MONTHLY;COUNT=3", ["2026-01-31", "2026-03-31", "2026-05-31"]],
    ["2026-01-15", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", [
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
    ]],
    ["2026-01-01", "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", [
      "2026-01-30",
      "2026-02-27",
      "2026-03-27",
    ]],
    ["2026-01-01", "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", [
      "2026-01-30",
      "2026-02-27",
    ]],
    ["2024-02-29", "RRULE:FREQ=YEARLY;COUNT=2", ["2024-02-29", "2028-02-29"]],
    ["2026-05-01", "RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=2SU;COUNT=2", ["2026-05-10", "2027-05-09"]],
    ["2026-05-01", "RRULE:FREQ=DAILY;INTERVAL=10;UNTIL=20260521", [
      "2026-05-01",
      "2026-05-11",
      "2026-05-21",
    ]],
  ];
  for (const [start, rule, wanted] of cases) {
    assert.deepEqual(texts(day(start), [rule], "2040-01-01T00:00:00Z"), wanted, rule);
  }
});

Deno.test("recurrence: EXDATE removes and RDATE adds, in any zone form", () => {
  assert.deepEqual(
    texts(at("2026-05-04T09:00", "Europe/Berlin"), [
      "RRULE:FREQ=DAILY;COUNT=4",
      "EXDATE;TZID=Europe/Berlin:20260505T090000",
      "EXDATE:20260506T070000Z",
      "RDATE;TZID=Europe/Berlin:20260510T150000",
    ], "2027-01-01T00:00:00Z"),
    ["2026-05-04T09:00:00+02:00", "2026-05-07T09:00:00+02:00", "2026-05-10T15:00:00+02:00"],
  );
});

Deno.test("recurrence: malformed rules are 400", () => {
  for (
    const line of [
      "RRULE:",
      "RRULE:FREQ=HOURLY",
      "RRULE:FREQ=WEEKLY;BYDAY=XX",
      "RRULE:FREQ=DAILY;INTERVAL=0",
      "RRULE:FREQ=DAILY;UNTIL=soon",
      "FREQ=DAILY",
    ]
  ) {
    assert.throws(
      () => parseRule(line),
      (failure) => failure instanceof EmulatedError && failure.status === 400,
      line,
    );
  }
});

Deno.test("recurrence: starts ascend, keep the wall clock, and a longer window only adds (property)", () => {
  const rules = fc.record({
    frequency: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY"),
    interval: fc.integer({ min: 1, max: 4 }),
    zone: fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"),
    day: fc.integer({ min: 0, max: 700 }),
    hour: fc.integer({ min: 4, max: 23 }),
  });
  fc.assert(
    fc.property(rules, ({ frequency, interval, zone, day, hour }) => {
      const date = Temporal.PlainDate.from("2025-01-01").add({ days: day });
      const start = at(date.toPlainDateTime({ hour, minute: 15 }).toString(), zone);
      const recurrence = [`RRULE:FREQ=${frequency};INTERVAL=${interval}`];
      const begin = start.kind === "instant" ? start.at : 0;
      const list = (days: number) =>
        seriesStarts({ start, recurrence }, { before: begin + days * 86_400_000 });
      const [short, long] = [list(90), list(200)];
      assert.deepEqual(long.slice(0, short.length), short);
      const values = long.map((time) => time.kind === "instant" ? time.at : 0);
      assert.deepEqual(values, [...new Set(values)].sort((a, b) => a - b));
      for (const value of values) {
        const wall = Temporal.Instant.fromEpochMilliseconds(value).toZonedDateTimeISO(zone);
        assert.deepEqual([wall.hour, wall.minute], [hour, 15]);
      }
    }),
    { numRuns: 60 },
  );
});
