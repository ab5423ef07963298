/** `calendar.calendars.*` and `calendar.calendarList.*` of the emulated Calendar. */

import type { JsonObject } from "../../json/mod.ts";
import {
  bodyObject,
  booleanMember,
  entityTag,
  flag,
  integer,
  invalid,
  notFound,
  pageOf,
  selection,
  textMember,
} from "../drive/mod.ts";
import { routesOf } from "../routes.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import {
  ACCESS_ROLES,
  calendarOf,
  type CalendarStore,
  requireAccess,
  type StoredCalendar,
} from "./store.ts";
import { zoneName } from "./times.ts";
import { blankCalendar } from "./world.ts";

const HOST = "www.googleapis.com";

/** The routes about calendars themselves and the account's list of them. */
export function calendarRoutes(store: CalendarStore): EmulatedRoute[] {
  const route = routesOf({ host: HOST, ids: "calendar", base: "/calendar/v3" });
  const one = "/calendars/{calendarId}",
    list = "/users/me/calendarList",
    entry = `${list}/{calendarId}`;
  const change = (replace: boolean) => (call: EmulatedCall): EmulatedAnswer => {
    const calendar = calendarOf(store, call);
    requireAccess(calendar, "owner");
    applyCalendar(calendar, { body: bodyObject(call), replace });
    calendar.updated = Math.max(call.now, calendar.updated + 1);
    return { body: calendarView(store, calendar) };
  };
  const changeEntry = (replace: boolean) => (call: EmulatedCall): EmulatedAnswer => {
    const calendar = listedCalendar(store, call);
    applyEntry(calendar, { body: bodyObject(call), replace });
    return { body: entryView(store, calendar) };
  };
  return [
    route({ id: "calendars.insert", method: "POST", pattern: "/calendars" }, (call) => {
      const body = bodyObject(call);
      const summary = textMember(body, "summary");
      if (summary === undefined || summary === "") {
        throw new EmulatedError(400, "Missing summary.", { reason: "required" });
      }
      const calendar = blankCalendar({
        id: `c_${store.ids.hex(64)}@group.calendar.example.com`,
        summary,
        zone: store.settings.timezone ?? "UTC",
        selected: true,
        updated: call.now,
        rules: [{ scope: { type: "user", value: store.account.email }, role: "owner" }],
      }, { now: call.now });
      applyCalendar(calendar, { body, replace: false });
      store.calendars.push(calendar);
      return { body: calendarView(store, calendar) };
    }),
    route({ id: "calendars.get", method: "GET", pattern: one }, (call) => ({
      body: calendarView(store, calendarOf(store, call)),
    })),
    route({ id: "calendars.update", method: "PUT", pattern: one }, change(true)),
    route({ id: "calendars.patch", method: "PATCH", pattern: one }, change(false)),
    route({ id: "calendars.delete", method: "DELETE", pattern: one }, (call) => {
      const calendar = calendarOf(store, call);
      requireAccess(calendar, "owner");
      if (calendar.primary) {
        throw invalid(
          "Cannot delete primary calendar; use clear instead.",
          "cannotDeletePrimaryCalendar",
        );
      }
      store.calendars.splice(store.calendars.indexOf(calendar), 1);
      return { status: 204 };
    }),
    route({ id: "calendars.clear", method: "POST", pattern: `${one}/clear` }, (call) => {
      const calendar = calendarOf(store, call);
      if (!calendar.primary) throw invalid("Only the primary calendar can be cleared.", "invalid");
      calendar.events.clear();
      calendar.changes += 1;
      calendar.expiredBefore = calendar.changes;
      calendar.updated = Math.max(call.now, calendar.updated + 1);
      return { status: 204 };
    }),
    route(
      { id: "calendarList.list", method: "GET", pattern: list },
      (call) => listCalendars(store, call),
    ),
    route({ id: "calendarList.insert", method: "POST", pattern: list }, (call) => {
      const body = bodyObject(call);
      const id = textMember(body, "id");
      if (id === undefined) {
        throw new EmulatedError(400, "Missing calendar id.", { reason: "required" });
      }
      const calendar = store.calendars.find((item) => item.id === id);
      if (calendar === undefined) throw notFound("Not Found");
      calendar.listed = true;
      applyEntry(calendar, { body, replace: false });
      return { body: entryView(store, calendar) };
    }),
    route({ id: "calendarList.get", method: "GET", pattern: entry }, (call) => ({
      body: entryView(store, listedCalendar(store, call)),
    })),
    route({ id: "calendarList.update", method: "PUT", pattern: entry }, changeEntry(true)),
    route({ id: "calendarList.patch", method: "PATCH", pattern: entry }, changeEntry(false)),
    route({ id: "calendarList.delete", method: "DELETE", pattern: entry }, (call) => {
      const calendar = listedCalendar(store, call);
      if (calendar.primary) {
        throw new EmulatedError(403, "Cannot remove the primary calendar.", {
          reason: "forbidden",
        });
      }
      calendar.listed = false;
      return { status: 204 };
    }),
  ];
}

function listedCalendar(store: CalendarStore, call: EmulatedCall): StoredCalendar {
  const calendar = calendarOf(store, call);
  if (!calendar.listed) throw notFound("Not Found");
  return calendar;
}

function tagOf(calendar: StoredCalendar): string {
  return entityTag(
    ...[
      calendar.id,
      calendar.summary,
      calendar.summaryOverride,
      calendar.colorId,
      calendar.hidden,
      calendar.selected,
    ]
      .map(String),
    calendar.zone,
    calendar.description ?? "",
    calendar.location ?? "",
    JSON.stringify(calendar.defaultReminders),
    calendar.backgroundColor,
  );
}

/** Members that a calendar and its entry in the list begin with. */
function calendarHead(calendar: StoredCalendar, kind: string): JsonObject {
  const view: JsonObject = {
    kind,
    etag: tagOf(calendar),
    id: calendar.id,
    summary: calendar.summary,
  };
  if (calendar.description !== undefined) view.description = calendar.description;
  if (calendar.location !== undefined) view.location = calendar.location;
  view.timeZone = calendar.zone;
  return view;
}

function calendarView(store: CalendarStore, calendar: StoredCalendar): JsonObject {
  const view = calendarHead(calendar, "calendar#calendar");
  view.conferenceProperties = { allowedConferenceSolutionTypes: ["hangoutsMeet"] };
  if (calendar.accessRole === "owner") view.dataOwner = store.account.email;
  return view;
}

function entryView(store: CalendarStore, calendar: StoredCalendar): JsonObject {
  const view = calendarHead(calendar, "calendar#calendarListEntry");
  if (calendar.summaryOverride !== undefined) view.summaryOverride = calendar.summaryOverride;
  view.colorId = calendar.colorId;
  view.backgroundColor = calendar.backgroundColor;
  view.foregroundColor = calendar.foregroundColor;
  if (calendar.hidden) view.hidden = true;
  if (calendar.selected) view.selected = true;
  view.accessRole = calendar.accessRole;
  view.defaultReminders = calendar.defaultReminders.map((item) => ({ ...item }));
  if (calendar.primary) {
    view.notificationSettings = {
      notifications: ["eventCreation", "eventChange", "eventCancellation", "eventResponse"]
        .map((type) => ({ type, method: "email" })),
    };
    view.primary = true;
  }
  view.conferenceProperties = { allowedConferenceSolutionTypes: ["hangoutsMeet"] };
  if (calendar.accessRole === "owner") view.dataOwner = store.account.email;
  return view;
}

function listCalendars(store: CalendarStore, call: EmulatedCall): EmulatedAnswer {
  const { query } = call;
  const token = query.get("syncToken");
  if (token !== null && !token.startsWith("calendarlist")) {
    throw new EmulatedError(410, "Sync token is no longer valid, a full sync is required.", {
      reason: "fullSyncRequired",
    });
  }
  const least = query.get("minAccessRole") ?? "none";
  const rank = (ACCESS_ROLES as readonly string[]).indexOf(least);
  if (rank === -1) throw invalid("Invalid Value");
  const shown = store.calendars.filter((item) =>
    item.listed && (flag(query, "showHidden") || token !== null || !item.hidden) &&
    ACCESS_ROLES.indexOf(item.accessRole) >= rank
  );
  const page = pageOf(shown, {
    size: integer(query, "maxResults", { fallback: 100, min: 1, max: 250, above: "clamp" }),
    token: query.get("pageToken"),
    scope: `calendarList ${selection(query)}`,
  });
  const items = page.items.map((calendar) => entryView(store, calendar));
  const body: JsonObject = {
    kind: "calendar#calendarList",
    etag: entityTag(...items.map((item) => String(item.etag))),
  };
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  else body.nextSyncToken = `calendarlist${store.calendars.length}x${call.now}`;
  body.items = items;
  return { body };
}

function applyCalendar(
  calendar: StoredCalendar,
  { body, replace }: { body: JsonObject; replace: boolean },
): void {
  if (replace) {
    delete calendar.description;
    delete calendar.location;
    if (textMember(body, "summary") === undefined) {
      throw new EmulatedError(400, "Missing summary.", { reason: "required" });
    }
  }
  calendar.summary = textMember(body, "summary") ?? calendar.summary;
  const description = textMember(body, "description"), location = textMember(body, "location");
  if (description !== undefined) calendar.description = description;
  if (location !== undefined) calendar.location = location;
  const zone = textMember(body, "timeZone");
  if (zone !== undefined) calendar.zone = zoneName(zone);
}

function applyEntry(
  calendar: StoredCalendar,
  { body, replace }: { body: JsonObject; replace: boolean },
): void {
  if (replace) {
    delete calendar.summaryOverride;
    calendar.hidden = false;
    calendar.selected = false;
    calendar.defaultReminders = [];
  }
  const override = textMember(body, "summaryOverride");
  if (override !== undefined) calendar.summaryOverride = override;
  calendar.colorId = textMember(body, "colorId") ?? calendar.colorId;
  calendar.backgroundColor = textMember(body, "backgroundColor") ?? calendar.backgroundColor;
  calendar.foregroundColor = textMember(body, "foregroundColor") ?? calendar.foregroundColor;
  calendar.hidden = booleanMember(body, "hidden") ?? calendar.hidden;
  calendar.selected = booleanMember(body, "selected") ?? calendar.selected;
  if (Array.isArray(body.defaultReminders)) {
    calendar.defaultReminders = body.defaultReminders.map((item) => {
      const reminder = item as JsonObject;
      return { method: String(reminder.method), minutes: Number(reminder.minutes) };
    });
  }
}
