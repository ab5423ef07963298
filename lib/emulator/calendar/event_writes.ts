/** Writing routes of `calendar.events`: insert, import, update, patch, delete, move, quickAdd, watch. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { bodyObject, copyOf, invalid, notFound, objectMember, textMember } from "../drive/mod.ts";
import { matchesEtag } from "../answer.ts";
import { hashHex } from "../random.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { viewOptions } from "./event_reads.ts";
import { eventTag, eventView } from "./event_view.ts";
import { parseRule } from "./recurrence.ts";
import {
  calendarById,
  calendarOf,
  type CalendarStore,
  findEvent,
  recordChange,
  requireAccess,
  type StoredCalendar,
  type StoredEvent,
} from "./store.ts";
import { beginOf, readTime, zoneName } from "./times.ts";
import { base32Id, conference } from "./world.ts";

const HOST = "www.googleapis.com";

/** Members that a client may set and that need no interpretation. */
const PLAIN_MEMBERS = [
  "summary",
  "description",
  "location",
  "colorId",
  "transparency",
  "visibility",
  "attendees",
  "anyoneCanAddSelf",
  "guestsCanInviteOthers",
  "guestsCanModify",
  "guestsCanSeeOtherGuests",
  "extendedProperties",
  "source",
  "reminders",
  "attachments",
  "outOfOfficeProperties",
  "focusTimeProperties",
  "workingLocationProperties",
  "birthdayProperties",
  "eventType",
] as const;

/** The writing routes. */
export function eventWriteRoutes(store: CalendarStore): EmulatedRoute[] {
  const collection = "/calendar/v3/calendars/{calendarId}/events";
  const item = `${collection}/{eventId}`;
  const route = (
    verb: string,
    { method, pattern }: { method: string; pattern: string },
    handle: (calendar: StoredCalendar, call: EmulatedCall) => EmulatedAnswer,
  ): EmulatedRoute => ({
    methodId: `calendar.events.${verb}`,
    method,
    host: HOST,
    pattern,
    handle: (call) => handle(calendarOf(store, call), call),
  });
  return [
    route(
      "insert",
      { method: "POST", pattern: collection },
      (calendar, call) => addEvent(store, { calendar, call, body: bodyObject(call) }),
    ),
    route("import", { method: "POST", pattern: `${collection}/import` }, (calendar, call) => {
      const body = bodyObject(call);
      const uid = textMember(body, "iCalUID");
      if (uid === undefined) {
        throw new EmulatedError(400, "Missing iCalUID.", { reason: "required" });
      }
      const known = [...calendar.events.values()].find((event) => event.iCalUID === uid);
      if (known === undefined) return addEvent(store, { calendar, call, body });
      return changeEvent(store, { calendar, call, event: known, body, replace: true });
    }),
    route("quickAdd", { method: "POST", pattern: `${collection}/quickAdd` }, (calendar, call) => {
      const text = call.query.get("text");
      if (text === null || text === "") {
        throw new EmulatedError(400, "Required parameter: text", { reason: "required" });
      }
      return addEvent(store, {
        calendar,
        call,
        body: quickEvent(text, { zone: calendar.zone, now: call.now }),
      });
    }),
    route(
      "watch",
      { method: "POST", pattern: `${collection}/watch` },
      (calendar, call) => openChannel(store, { calendar, call }),
    ),
    route(
      "move",
      { method: "POST", pattern: `${item}/move` },
      (calendar, call) => moveEvent(store, { calendar, call }),
    ),
    route(
      "update",
      { method: "PUT", pattern: item },
      (calendar, call) =>
        changeEvent(store, {
          calendar,
          call,
          event: eventOf(calendar, call),
          body: bodyObject(call),
          replace: true,
        }),
    ),
    route(
      "patch",
      { method: "PATCH", pattern: item },
      (calendar, call) =>
        changeEvent(store, {
          calendar,
          call,
          event: eventOf(calendar, call),
          body: bodyObject(call),
          replace: false,
        }),
    ),
    route("delete", { method: "DELETE", pattern: item }, (calendar, call) => {
      requireAccess(calendar, "writer");
      const event = eventOf(calendar, call);
      checkPrecondition(event, call);
      if (event.status === "cancelled") {
        throw new EmulatedError(410, "Resource has been deleted", { reason: "deleted" });
      }
      const stored: StoredEvent = { ...event, status: "cancelled" };
      calendar.events.set(stored.id, stored);
      recordChange(calendar, stored, call.now);
      for (const exception of [...calendar.events.values()]) {
        if (exception.recurringEventId === stored.id) calendar.events.delete(exception.id);
      }
      return { status: 204 };
    }),
    {
      methodId: "calendar.channels.stop",
      method: "POST",
      host: HOST,
      pattern: "/calendar/v3/channels/stop",
      handle(call) {
        const body = bodyObject(call);
        const id = textMember(body, "id") ?? "";
        if (store.channels.get(id) !== textMember(body, "resourceId")) {
          throw notFound(`Channel '${id}' not found for project`);
        }
        store.channels.delete(id);
        return { status: 204 };
      },
    },
  ];
}

function eventOf(calendar: StoredCalendar, call: EmulatedCall): StoredEvent {
  const event = findEvent(calendar, call.params.eventId ?? "");
  if (event === undefined) throw notFound("Not Found");
  return event;
}

function checkPrecondition(event: StoredEvent, call: EmulatedCall): void {
  const wanted = call.headers.get("if-match");
  if (wanted === null || matchesEtag(wanted, eventTag(event))) return;
  throw new EmulatedError(412, "Precondition Failed", {
    reason: "conditionNotMet",
    status: "FAILED_PRECONDITION",
  });
}

function addEvent(
  store: CalendarStore,
  { calendar, call, body }: { calendar: StoredCalendar; call: EmulatedCall; body: JsonObject },
): EmulatedAnswer {
  requireAccess(calendar, "writer");
  const asked = textMember(body, "id");
  if (asked !== undefined && !/^[a-v0-9]{5,1024}$/.test(asked)) {
    throw invalid("Invalid resource id value.");
  }
  if (asked !== undefined && calendar.events.has(asked)) {
    throw new EmulatedError(409, "The requested identifier already exists.", {
      reason: "duplicate",
    });
  }
  const id = asked ?? base32Id(store.ids, 26);
  const self: JsonObject = calendar.primary
    ? { email: store.account.email, self: true }
    : { email: calendar.id, displayName: calendar.summary, self: true };
  const event: StoredEvent = {
    id,
    iCalUID: textMember(body, "iCalUID") ?? `${id}@calendar.example.com`,
    status: "confirmed",
    created: call.now,
    updated: call.now - 1,
    sequence: 0,
    start: readTime(objectMember(body, "start"), { name: "start", zone: calendar.zone }),
    end: readTime(objectMember(body, "end"), { name: "end", zone: calendar.zone }),
    change: 0,
    members: {
      creator: { email: store.account.email, self: true },
      organizer: self,
      reminders: { useDefault: true },
      eventType: "default",
    },
  };
  applyMembers(store, { event, body, calendar, call });
  calendar.events.set(id, event);
  recordChange(calendar, event, call.now);
  return { body: eventView(store, { calendar, event, options: viewOptions(call) }) };
}

function changeEvent(
  store: CalendarStore,
  { calendar, call, event, body, replace }: {
    calendar: StoredCalendar;
    call: EmulatedCall;
    event: StoredEvent;
    body: JsonObject;
    replace: boolean;
  },
): EmulatedAnswer {
  requireAccess(calendar, "writer");
  checkPrecondition(event, call);
  const { recurrence, ...rest } = event;
  const changed: StoredEvent = { ...rest, members: copyOf(event.members) };
  if (recurrence !== undefined && !replace) changed.recurrence = [...recurrence];
  if (replace) {
    for (const name of PLAIN_MEMBERS) if (name !== "eventType") delete changed.members[name];
    changed.members.reminders = { useDefault: true };
    readTime(objectMember(body, "start"), { name: "start", zone: calendar.zone });
    readTime(objectMember(body, "end"), { name: "end", zone: calendar.zone });
  }
  for (const name of ["start", "end"] as const) {
    const given = objectMember(body, name);
    if (given === undefined) continue;
    changed[name] = readTime(replace ? given : mergedTime(given, changed[name]), {
      name,
      zone: calendar.zone,
    });
  }
  applyMembers(store, { event: changed, body, calendar, call });
  const moved = JSON.stringify([changed.start, changed.end, changed.recurrence ?? null]) !==
    JSON.stringify([event.start, event.end, event.recurrence ?? null]);
  if (moved) changed.sequence += 1;
  calendar.events.set(changed.id, changed);
  recordChange(calendar, changed, call.now);
  return { body: eventView(store, { calendar, event: changed, options: viewOptions(call) }) };
}

/** A patch may change the zone or the time of day alone. */
function mergedTime(given: JsonObject, before: StoredEvent["start"]): JsonObject {
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

function applyMembers(
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

function moveEvent(
  store: CalendarStore,
  { calendar, call }: { calendar: StoredCalendar; call: EmulatedCall },
): EmulatedAnswer {
  const name = call.query.get("destination");
  if (name === null || name === "") {
    throw new EmulatedError(400, "Required parameter: destination", { reason: "required" });
  }
  const target = calendarById(store, name);
  requireAccess(calendar, "writer");
  requireAccess(target, "writer");
  const event = calendar.events.get(call.params.eventId ?? "");
  if (event === undefined || event.status === "cancelled") throw notFound("Not Found");
  if (event.recurringEventId !== undefined) {
    throw invalid(
      "Cannot move an instance of a recurring event.",
      "cannotChangeOrganizerOfInstance",
    );
  }
  const moved: StoredEvent = {
    ...event,
    members: {
      ...copyOf(event.members),
      organizer: target.primary
        ? { email: store.account.email, self: true }
        : { email: target.id, displayName: target.summary, self: true },
    },
  };
  const gone: StoredEvent = { ...event, status: "cancelled" };
  if (target !== calendar) {
    for (const exception of [...calendar.events.values()]) {
      if (exception.recurringEventId !== event.id) continue;
      calendar.events.delete(exception.id);
      target.events.set(exception.id, exception);
      recordChange(target, exception, call.now);
    }
    calendar.events.set(gone.id, gone);
    recordChange(calendar, gone, call.now);
  }
  target.events.set(moved.id, moved);
  recordChange(target, moved, call.now);
  return { body: eventView(store, { calendar: target, event: moved, options: viewOptions(call) }) };
}

function openChannel(
  store: CalendarStore,
  { calendar, call }: { calendar: StoredCalendar; call: EmulatedCall },
): EmulatedAnswer {
  const body = bodyObject(call);
  const id = textMember(body, "id");
  const address = textMember(body, "address");
  if (id === undefined || address === undefined) {
    throw new EmulatedError(400, "Missing id or address of the channel.", { reason: "required" });
  }
  if (!address.startsWith("https://")) {
    throw invalid(`WebHook callback must be HTTPS: ${address}`, "push.webhookUrlNotHttps");
  }
  if (store.channels.has(id)) throw invalid(`Channel id ${id} not unique`, "channelIdNotUnique");
  const resourceId = hashHex(`events of ${calendar.id}`, 27);
  store.channels.set(id, resourceId);
  const channel: JsonObject = {
    kind: "api#channel",
    id,
    resourceId,
    resourceUri: `https://www.googleapis.com/calendar/v3/calendars/${
      encodeURIComponent(calendar.id)
    }/events?alt=json`,
  };
  const token = textMember(body, "token");
  if (token !== undefined) channel.token = token;
  channel.expiration = String(call.now + 7 * 86_400_000);
  return { body: channel };
}

/** Reads `Lunch with Mara tomorrow at 12:30` well enough for tests and demonstrations. */
function quickEvent(text: string, { zone, now }: { zone: string; now: number }): JsonObject {
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
