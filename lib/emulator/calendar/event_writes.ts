/** Writing routes of `calendar.events`: insert, import, update, patch, delete, move, quickAdd, watch. */

import type { JsonObject } from "../../json/mod.ts";
import { bodyObject, copyOf, invalid, notFound, objectMember, textMember } from "../drive/mod.ts";
import { matchesEtag } from "../answer.ts";
import { hashHex } from "../random.ts";
import { type RouteAddress, routesOf } from "../routes.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { viewOptions } from "./event_reads.ts";
import { eventTag, eventView } from "./event_view.ts";
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
import { readTime } from "./times.ts";
import { base32Id } from "./event_details.ts";
import { applyMembers, mergedTime, PLAIN_MEMBERS, quickEvent } from "./event_members.ts";

const HOST = "www.googleapis.com";

/** The writing routes. */
export function eventWriteRoutes(store: CalendarStore): EmulatedRoute[] {
  const collection = "/calendar/v3/calendars/{calendarId}/events";
  const item = `${collection}/{eventId}`;
  const routeAt = routesOf({ host: HOST, ids: "calendar.events" });
  const route = (
    at: RouteAddress,
    handle: (calendar: StoredCalendar, call: EmulatedCall) => EmulatedAnswer,
  ) => routeAt(at, (call) => handle(calendarOf(store, call), call));
  return [
    route(
      { id: "insert", method: "POST", pattern: collection },
      (calendar, call) => addEvent(store, { calendar, call, body: bodyObject(call) }),
    ),
    route({ id: "import", method: "POST", pattern: `${collection}/import` }, (calendar, call) => {
      const body = bodyObject(call);
      const uid = textMember(body, "iCalUID");
      if (uid === undefined) {
        throw new EmulatedError(400, "Missing iCalUID.", { reason: "required" });
      }
      const known = [...calendar.events.values()].find((event) => event.iCalUID === uid);
      if (known === undefined) return addEvent(store, { calendar, call, body });
      return changeEvent(store, { calendar, call, event: known, body, replace: true });
    }),
    route(
      { id: "quickAdd", method: "POST", pattern: `${collection}/quickAdd` },
      (calendar, call) => {
        const text = call.query.get("text");
        if (text === null || text === "") {
          throw new EmulatedError(400, "Required parameter: text", { reason: "required" });
        }
        return addEvent(store, {
          calendar,
          call,
          body: quickEvent(text, { zone: calendar.zone, now: call.now }),
        });
      },
    ),
    route(
      { id: "watch", method: "POST", pattern: `${collection}/watch` },
      (calendar, call) => openChannel(store, { calendar, call }),
    ),
    route(
      { id: "move", method: "POST", pattern: `${item}/move` },
      (calendar, call) => moveEvent(store, { calendar, call }),
    ),
    route({ id: "update", method: "PUT", pattern: item }, (calendar, call) =>
      changeEvent(store, {
        calendar,
        call,
        event: eventOf(calendar, call),
        body: bodyObject(call),
        replace: true,
      })),
    route({ id: "patch", method: "PATCH", pattern: item }, (calendar, call) =>
      changeEvent(store, {
        calendar,
        call,
        event: eventOf(calendar, call),
        body: bodyObject(call),
        replace: false,
      })),
    route({ id: "delete", method: "DELETE", pattern: item }, (calendar, call) => {
      requireAccess(calendar, "writer");
      const event = eventOf(calendar, call);
      checkPrecondition(event, call);
      if (event.status === "cancelled") {
        throw new EmulatedError(410, "Resource has been deleted", { reason: "deleted" });
      }
      const stored: StoredEvent = { ...event, status: "cancelled" };
      calendar.events.set(stored.id, stored);
      recordChange(calendar, { event: stored, now: call.now });
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
  recordChange(calendar, { event, now: call.now });
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
  recordChange(calendar, { event: changed, now: call.now });
  return { body: eventView(store, { calendar, event: changed, options: viewOptions(call) }) };
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
      recordChange(target, { event: exception, now: call.now });
    }
    calendar.events.set(gone.id, gone);
    recordChange(calendar, { event: gone, now: call.now });
  }
  target.events.set(moved.id, moved);
  recordChange(target, { event: moved, now: call.now });
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
