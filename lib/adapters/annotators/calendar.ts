/** Events with flat times and guests. Dates stay dates, times keep their offset and zone. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import {
  type AnnotatedBody,
  annotateObject,
  annotateRows,
  type Derived,
  joined,
  objectOf,
  objectsOf,
  scalarAt,
  textOf,
} from "./derive.ts";

/** `events.get`. */
export function annotateEvent(body: JsonObject): AnnotatedBody | undefined {
  return annotateObject(body, (event) => eventFields(event, undefined));
}

/** `events.list` and `events.instances`: the calendar's own zone is said once, at the top. */
export function annotateEvents(body: JsonObject): AnnotatedBody | undefined {
  const zone = textOf(body.timeZone);
  const series = new Map<string, { guests: string; starts: string }>();
  return annotateRows(body, {
    rows: "items",
    derive: (event) => guestsOnce(event, { fields: eventFields(event, zone), series }),
  });
}

/** Words before the start of the earlier event of a series that has the same guests. */
const SAME_GUESTS = "same as ";

/**
 * A stand-up of every working day has its guests in every row. The first row of a series names
 * them; a later one with the very same guests and answers points at the one before that named
 * them, by its start.
 */
function guestsOnce(
  event: JsonObject,
  row: { fields: Derived; series: Map<string, { guests: string; starts: string }> },
): Derived {
  const { fields, series } = row;
  const { guests, starts } = fields;
  const id = textOf(event.recurringEventId);
  if (id === undefined || typeof guests !== "string" || typeof starts !== "string") return fields;
  const named = series.get(id);
  if (named?.guests !== guests || guests.length <= SAME_GUESTS.length + named.starts.length) {
    series.set(id, { guests, starts });
    return fields;
  }
  return { ...fields, guests: `${SAME_GUESTS}${named.starts}` };
}

function eventFields(event: JsonObject, calendarZone: string | undefined): Derived {
  const starts = eventTime(event.start, calendarZone);
  const planned = eventTime(event.originalStartTime, calendarZone);
  const isMoved = planned !== starts && !isSameInstant(event.originalStartTime, event.start);
  const kind = textOf(event.eventType);
  return {
    // Of an occurrence that was called off there is nothing but when it would have been.
    starts: starts ?? (event.status === "cancelled" ? planned : undefined),
    ends: eventTime(event.end, calendarZone),
    moved_from: starts !== undefined && isMoved ? planned : undefined,
    organizer_email: scalarAt(event, "organizer.email") ?? scalarAt(event, "organizer.displayName"),
    guests: guestList(objectsOf(event.attendees)),
    repeats: Array.isArray(event.recurrence)
      ? joined(event.recurrence.filter((rule) => typeof rule === "string"), "\n")
      : undefined,
    // Nearly every event is an ordinary one.
    event_kind: kind === "default" ? undefined : kind,
  };
}

/**
 * `2026-05-22` for a whole day, `2026-05-22T09:00:00+02:00` for a time, with the zone behind it in
 * the form of RFC 9557 where it is not the calendar's.
 */
function eventTime(
  time: JsonValue | undefined,
  calendarZone: string | undefined,
): string | undefined {
  if (!isJsonObject(time)) return undefined;
  const day = textOf(time.date);
  if (day !== undefined) return day;
  const instant = textOf(time.dateTime);
  const zone = textOf(time.timeZone);
  if (instant === undefined) return undefined;
  // Without an offset the zone is all there is to tell when it is.
  if (!OFFSET.test(instant)) return zone === undefined ? instant : `${instant}[${zone}]`;
  return zone === undefined || zone === calendarZone ? instant : `${instant}[${zone}]`;
}

const OFFSET = /(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** Two ways to write one instant: the same event seen from another zone has not moved. */
function isSameInstant(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  const [first, second] = [left, right].map((time) => textOf(objectOf(time).dateTime) ?? "");
  if (!OFFSET.test(first ?? "") || !OFFSET.test(second ?? "")) return false;
  return Date.parse(first ?? "") === Date.parse(second ?? "");
}

/** Guests by their answer: `accepted: a@example.com b@example.com (optional); declined: c@example.com`. */
function guestList(guests: readonly JsonObject[]): string | undefined {
  const byAnswer = new Map<string, string[]>();
  for (const guest of guests) {
    const answer = textOf(guest.responseStatus) ?? "invited";
    const group = byAnswer.get(answer) ?? [];
    group.push(guestText(guest));
    byAnswer.set(answer, group);
  }
  return joined([...byAnswer].map(([answer, group]) => `${answer}: ${group.join(" ")}`));
}

/** The address, and in brackets what is special about this guest. */
function guestText(guest: JsonObject): string {
  const special = joined([
    guest.optional === true ? "optional" : undefined,
    guest.resource === true ? "room" : undefined,
    textOf(guest.comment) === undefined ? undefined : JSON.stringify(guest.comment),
  ], ", ");
  const who = textOf(guest.email) ?? textOf(guest.displayName) ?? "?";
  return special === undefined ? who : `${who} (${special})`;
}

/** `acl.list` and `acl.get`: who a rule is for. */
export function aclFields(rule: JsonObject): Derived {
  const scope = objectOf(rule.scope);
  return { scope_type: textOf(scope.type), scope_value: textOf(scope.value) };
}
