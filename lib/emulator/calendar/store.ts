/** State of the emulated Calendar: calendars, events, access. */

import type { JsonObject } from "../../json/mod.ts";
import { notFound } from "../drive/mod.ts";
import { type EmulatedCall, EmulatedError, type Person, type SeededRandom } from "../service.ts";
import { seriesStarts } from "./recurrence.ts";
import { beginOf, type EventTime, instanceSuffix } from "./times.ts";

/** Access roles from weakest to strongest. */
export const ACCESS_ROLES = ["none", "freeBusyReader", "reader", "writer", "owner"] as const;

/** Access that a scope has to a calendar. */
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** An event as stored: a single one, a series, or an exception of a series. */
export interface StoredEvent {
  id: string;
  iCalUID: string;
  status: "confirmed" | "tentative" | "cancelled";
  created: number;
  updated: number;
  sequence: number;
  start: EventTime;
  end: EventTime;
  recurrence?: string[];
  recurringEventId?: string;
  originalStart?: EventTime;
  /** Everything else that the API carries through: summary, attendees, conferenceData, …. */
  members: JsonObject;
  /** Rank of the last change in the calendar, for sync tokens. */
  change: number;
}

/** One rule of an access list. */
export interface StoredRule {
  scope: { type: "default" | "user" | "group" | "domain"; value?: string };
  role: AccessRole;
}

/** A calendar with its events and the account's own settings for it. */
export interface StoredCalendar {
  id: string;
  summary: string;
  description?: string;
  location?: string;
  zone: string;
  accessRole: AccessRole;
  primary: boolean;
  /** In the account's calendar list. */
  listed: boolean;
  hidden: boolean;
  selected: boolean;
  summaryOverride?: string;
  colorId: string;
  backgroundColor: string;
  foregroundColor: string;
  defaultReminders: { method: string; minutes: number }[];
  rules: StoredRule[];
  events: Map<string, StoredEvent>;
  /** Counts changes; a sync token holds its value. */
  changes: number;
  /** Sync tokens below this count have expired. */
  expiredBefore: number;
  updated: number;
  /** Pages are cut before deleted events are filtered out, so that a page can be empty. */
  cutsBeforeFilter: boolean;
}

/** Everything the Calendar routes work on. */
export interface CalendarStore {
  account: Person;
  people: readonly Person[];
  calendars: StoredCalendar[];
  settings: Record<string, string>;
  ids: SeededRandom;
  /** Open notification channels by id. */
  channels: Map<string, string>;
}

/** The calendar of an id, `primary` included; 404 when the account can not see it. */
export function calendarById(store: CalendarStore, id: string): StoredCalendar {
  const found = store.calendars.find((item) => id === "primary" ? item.primary : item.id === id);
  if (found === undefined) throw notFound("Not Found");
  return found;
}

/** The calendar that the call's path names. */
export function calendarOf(store: CalendarStore, call: EmulatedCall): StoredCalendar {
  return calendarById(store, call.params.calendarId ?? "");
}

/** Refuses unless the account has at least this access. */
export function requireAccess(calendar: StoredCalendar, least: AccessRole): void {
  if (ACCESS_ROLES.indexOf(calendar.accessRole) < ACCESS_ROLES.indexOf(least)) {
    throw new EmulatedError(403, `You need to have ${least} access to this calendar.`, {
      reason: "requiredAccessLevel",
      status: "PERMISSION_DENIED",
    });
  }
}

/** Records a change of an event: rank, time stamp (always later than before) and calendar time. */
export function recordChange(
  calendar: StoredCalendar,
  { event, now }: { event: StoredEvent; now: number },
): void {
  calendar.changes += 1;
  event.change = calendar.changes;
  event.updated = Math.max(now, event.updated + 1);
  calendar.updated = Math.max(calendar.updated, event.updated);
}

/** One occurrence to show: a stored event, or an instance computed from its series. */
export type Occurrence = StoredEvent;

/** The instance of a series at an original start, as an event of its own. */
export function instanceOf(series: StoredEvent, original: EventTime): Occurrence {
  const { recurrence: _dropped, ...rest } = series;
  return {
    ...rest,
    id: `${series.id}_${instanceSuffix(original)}`,
    recurringEventId: series.id,
    originalStart: original,
    start: original,
    end: endAfter(series, original),
  };
}

function endAfter(series: StoredEvent, start: EventTime): EventTime {
  if (start.kind === "date" && series.start.kind === "date" && series.end.kind === "date") {
    const days = Temporal.PlainDate.from(series.start.date).until(series.end.date).days;
    return { kind: "date", date: Temporal.PlainDate.from(start.date).add({ days }).toString() };
  }
  const length = beginOf(series.end, "UTC") - beginOf(series.start, "UTC");
  return {
    kind: "instant",
    at: beginOf(start, "UTC") + length,
    zone: series.end.kind === "instant" ? series.end.zone : "UTC",
  };
}

/** A half-open time window; either side may be open. */
export interface Window {
  from?: number;
  to?: number;
}

/** True when the occurrence overlaps the window; whole days lie in `zone`. */
export function overlaps(
  event: Occurrence,
  { window, zone }: { window: Window; zone: string },
): boolean {
  const begin = beginOf(event.start, zone), end = Math.max(begin + 1, beginOf(event.end, zone));
  return (window.from === undefined || end > window.from) &&
    (window.to === undefined || begin < window.to);
}

/** How far an open-ended expansion looks ahead. */
const HORIZON = 730 * 86_400_000;

/** Occurrences of a series inside a window: computed ones and stored exceptions. */
export function occurrencesOf(
  calendar: StoredCalendar,
  series: StoredEvent,
  { window, now }: { window: Window; now: number },
): Occurrence[] {
  const before = window.to ?? Math.max(now, beginOf(series.start, calendar.zone)) + HORIZON;
  const exceptions = [...calendar.events.values()].filter((item) =>
    item.recurringEventId === series.id
  );
  const replaced = new Set(exceptions.map((item) => item.id));
  const computed = seriesStarts({ start: series.start, recurrence: series.recurrence ?? [] }, {
    before,
  })
    .map((start) => instanceOf(series, start))
    .filter((item) => !replaced.has(item.id));
  return [...computed, ...exceptions].filter((item) =>
    overlaps(item, { window, zone: calendar.zone })
  );
}

/**
 * The event of an id: stored, or an instance computed from its series; undefined when there is
 * none.
 */
export function findEvent(calendar: StoredCalendar, id: string): StoredEvent | undefined {
  const stored = calendar.events.get(id);
  if (stored !== undefined) return stored;
  const match = /^(.+)_([0-9]{8})(T[0-9]{6}Z)?$/.exec(id);
  const series = calendar.events.get(match?.[1] ?? "");
  if (match === null || series?.recurrence === undefined || series.status === "cancelled") {
    return undefined;
  }
  const day = Date.parse(
    `${match[2]?.slice(0, 4)}-${match[2]?.slice(4, 6)}-${match[2]?.slice(6)}T00:00:00Z`,
  );
  if (Number.isNaN(day)) return undefined;
  const start = seriesStarts({ start: series.start, recurrence: series.recurrence }, {
    before: day + 2 * 86_400_000,
  }).find((item) => `${series.id}_${instanceSuffix(item)}` === id);
  return start === undefined ? undefined : instanceOf(series, start);
}
