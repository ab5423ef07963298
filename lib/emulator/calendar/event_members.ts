/** From request bodies to events: members, recurrence, attendees, conferences, and quick texts. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { copyOf, invalid, objectMember, textMember } from "../drive/mod.ts";
import { type EmulatedCall, EmulatedError } from "../service.ts";
import { conference } from "./event_details.ts";
import { EVENT_MEMBERS } from "./event_view.ts";
import { parseRule } from "./recurrence.ts";
import type { CalendarStore, StoredCalendar, StoredEvent } from "./store.ts";
import { beginOf, zoneName } from "./times.ts";

/** Members of an event that only the service sets, or that need interpretation. */
const OTHER_MEMBERS: ReadonlySet<string> = new Set([
  "creator",
  "organizer",
  "attendeesOmitted",
  "hangoutLink",
  "conferenceData",
  "privateCopy",
  "locked",
]);

/** Members that a client may set and that need no interpretation. */
export const PLAIN_MEMBERS: readonly string[] = EVENT_MEMBERS.filter((name) =>
  !OTHER_MEMBERS.has(name)
);

/** A patch may change the zone or the time of day alone. */
export function mergedTime(given: JsonObject, before: StoredEvent["start"]): JsonObject {
  if (given.date !== undefined && given.date !== null) return { date: given.date };
  if (
    typeof given.dateTime === "string" && given.timeZone === undefined && before.kind === "instant"
  ) {
    return { dateTime: given.dateTime, timeZone: before.zone };
  }
  if (
    given.dateTime === undefined && typeof given.timeZone === "string" && before.kind === "instant"
  ) {
    return { dateTime: new Date(before.at).toISOString(), timeZone: given.timeZone };
  }
  return given;
}

/** Puts the members of a body into an event and checks the whole. */
export function applyMembers(
  store: CalendarStore,
  { event, body, calendar, call }: {
    event: StoredEvent;
    body: JsonObject;
    calendar: StoredCalendar;
    call: EmulatedCall;
  },
): void {
  for (const name of PLAIN_MEMBERS) {
    const value = body[name];
    if (value === null) delete event.members[name];
    else if (value !== undefined) event.members[name] = copyOf(value);
  }
  if (event.members.attendees !== undefined) {
    event.members.attendees = completedAttendees(store, event.members.attendees);
  }
  const status = textMember(body, "status");
  if (status !== undefined) {
    if (status !== "confirmed" && status !== "tentative" && status !== "cancelled") {
      throw invalid("Invalid Value");
    }
    event.status = status;
  }
  applyRecurrence(event, body);
  const request = objectMember(objectMember(body, "conferenceData") ?? {}, "createRequest");
  const version = Number(call.query.get("conferenceDataVersion") ?? "0");
  if (version >= 1 && request !== undefined) {
    Object.assign(event.members, conference(store.ids));
    (event.members.conferenceData as JsonObject).createRequest = {
      ...copyOf(request),
      status: { statusCode: "success" },
    };
  } else if (version >= 1 && body.conferenceData === null) {
    delete event.members.conferenceData;
    delete event.members.hangoutLink;
  }
  if (event.start.kind !== event.end.kind) {
    throw invalid("Invalid start and end time: both must be dates or both must be date-times.");
  }
  if (beginOf(event.end, calendar.zone) < beginOf(event.start, calendar.zone)) {
    throw new EmulatedError(400, "The specified time range is empty.", {
      reason: "timeRangeEmpty",
    });
  }
  // A day that ends on itself lasts that day.
  if (
    event.end.kind === "date" && event.start.kind === "date" && event.end.date === event.start.date
  ) {
    event.end = {
      kind: "date",
      date: Temporal.PlainDate.from(event.start.date).add({ days: 1 }).toString(),
    };
  }
}

function applyRecurrence(event: StoredEvent, body: JsonObject): void {
  const { recurrence } = body;
  if (recurrence === null || (Array.isArray(recurrence) && recurrence.length === 0)) {
    delete event.recurrence;
  } else if (recurrence !== undefined) {
    if (!Array.isArray(recurrence) || event.recurringEventId !== undefined) {
      throw invalid("Invalid recurrence rule.");
    }
    event.recurrence = recurrence.map((line) => {
      if (typeof line !== "string") throw invalid("Invalid recurrence rule.");
      if (/^RRULE/i.test(line)) parseRule(line);
      else if (!/^(EXDATE|RDATE)/i.test(line)) throw invalid("Invalid recurrence rule.");
      return line;
    });
  }
}

function completedAttendees(store: CalendarStore, given: JsonValue): JsonValue {
  if (!Array.isArray(given)) throw invalid("Invalid Value");
  return given.map((entry) => {
    if (!isJsonObject(entry)) throw invalid("Invalid Value");
    const email = entry.email;
    if (typeof email !== "string" || !/^[^\s@]+@[^\s@]+$/.test(email)) {
      throw invalid("Invalid attendee email.");
    }
    const attendee: JsonObject = { ...entry };
    const known = store.people.find((person) => person.email === email);
    if (
      attendee.displayName === undefined && known !== undefined && email !== store.account.email
    ) {
      attendee.displayName = known.displayName;
    }
    if (email === store.account.email) attendee.self = true;
    attendee.responseStatus ??= "needsAction";
    return attendee;
  });
}

/** Reads `Lunch with Mara tomorrow at 12:30` well enough for tests and demonstrations. */
export function quickEvent(text: string, { zone, now }: { zone: string; now: number }): JsonObject {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  let day = today.toPlainDate();
  const date = /\b(?:on )?([0-9]{4}-[0-9]{2}-[0-9]{2})\b/.exec(text);
  const relative = /\b(today|tomorrow)\b/i.exec(text);
  const clock =
    /\b(?:at )?([0-9]{1,2})(?::([0-9]{2}))?\s*(am|pm)\b|\bat ([0-9]{1,2})(?::([0-9]{2}))?\b/i.exec(
      text,
    );
  if (date !== null) day = Temporal.PlainDate.from(date[1] as string);
  else if (relative?.[1]?.toLowerCase() === "tomorrow") day = day.add({ days: 1 });
  const summary = [date?.[0], relative?.[0], clock?.[0]]
    .reduce<string>((rest, part) => part === undefined ? rest : rest.replace(part, " "), text)
    .replace(/\s+/g, " ").trim();
  if (clock === null) {
    return {
      summary,
      start: { date: day.toString() },
      end: { date: day.add({ days: 1 }).toString() },
    };
  }
  const half = clock[3]?.toLowerCase();
  const hour = Number(clock[1] ?? clock[4]) % (half === undefined ? 24 : 12) +
    (half === "pm" ? 12 : 0);
  const start = day.toPlainDateTime({ hour, minute: Number(clock[2] ?? clock[5] ?? 0) });
  const timeZone = zoneName(zone);
  return {
    summary,
    start: { dateTime: start.toString(), timeZone },
    end: { dateTime: start.add({ hours: 1 }).toString(), timeZone },
  };
}
