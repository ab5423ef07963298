/** `calendar.acl.*`, `colors`, `settings` and `freebusy` of the emulated Calendar. */

import type { JsonObject } from "../../json/mod.ts";
import {
  bodyObject,
  entityTag,
  integer,
  invalid,
  notFound,
  objectMember,
  objectsMember,
  pageOf,
  parseInstant,
  selection,
  stamp,
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
  type AccessRole,
  calendarOf,
  type CalendarStore,
  occurrencesOf,
  overlaps,
  requireAccess,
  type StoredCalendar,
  type StoredRule,
} from "./store.ts";
import { beginOf, offsetText, zoneName } from "./times.ts";

const HOST = "www.googleapis.com";

/** The routes about access, colours, settings and free time. */
export function accountRoutes(store: CalendarStore): EmulatedRoute[] {
  const route = routesOf({ host: HOST, ids: "calendar", base: "/calendar/v3" });
  const rules = "/calendars/{calendarId}/acl", rule = `${rules}/{ruleId}`;
  const owned = (call: EmulatedCall) => {
    const calendar = calendarOf(store, call);
    requireAccess(calendar, "owner");
    return calendar;
  };
  const change = (call: EmulatedCall): EmulatedAnswer => {
    const found = ruleOf(owned(call), call);
    found.role = roleMember(bodyObject(call));
    return { body: ruleView(found) };
  };
  return [
    route({ id: "acl.list", method: "GET", pattern: rules }, (call) => {
      const calendar = owned(call);
      const size = integer(call.query, "maxResults", {
        fallback: 100,
        min: 1,
        max: 250,
        above: "clamp",
      });
      const page = pageOf(calendar.rules.filter((item) => item.role !== "none"), {
        size,
        token: call.query.get("pageToken"),
        scope: `acl ${calendar.id}`,
      });
      const items = page.items.map(ruleView);
      const body: JsonObject = {
        kind: "calendar#acl",
        etag: entityTag(calendar.id, ...items.map((item) => String(item.etag))),
      };
      if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
      else body.nextSyncToken = `acl${calendar.rules.length}x${call.now}`;
      body.items = items;
      return { body };
    }),
    route({ id: "acl.insert", method: "POST", pattern: rules }, (call) => {
      const calendar = owned(call);
      const body = bodyObject(call);
      const made: StoredRule = { scope: scopeMember(body), role: roleMember(body) };
      const known = calendar.rules.find((item) => ruleId(item) === ruleId(made));
      if (known !== undefined) known.role = made.role;
      else calendar.rules.push(made);
      return { body: ruleView(made) };
    }),
    route(
      { id: "acl.get", method: "GET", pattern: rule },
      (call) => ({ body: ruleView(ruleOf(owned(call), call)) }),
    ),
    route({ id: "acl.update", method: "PUT", pattern: rule }, change),
    route({ id: "acl.patch", method: "PATCH", pattern: rule }, change),
    route({ id: "acl.delete", method: "DELETE", pattern: rule }, (call) => {
      const calendar = owned(call);
      const found = ruleOf(calendar, call);
      if (found.scope.value === store.account.email) {
        throw new EmulatedError(403, "Cannot remove your own access.", {
          reason: "cannotChangeOwnAcl",
        });
      }
      calendar.rules.splice(calendar.rules.indexOf(found), 1);
      return { status: 204 };
    }),
    route({ id: "colors.get", method: "GET", pattern: "/colors" }, () => ({ body: colors() })),
    route({ id: "settings.list", method: "GET", pattern: "/users/me/settings" }, (call) => {
      const page = pageOf(Object.keys(store.settings), {
        size: integer(call.query, "maxResults", {
          fallback: 100,
          min: 1,
          max: 250,
          above: "clamp",
        }),
        token: call.query.get("pageToken"),
        scope: `settings ${selection(call.query)}`,
      });
      const items = page.items.map((id) => settingView(store, id));
      const body: JsonObject = {
        kind: "calendar#settings",
        etag: entityTag(...items.map((item) => String(item.etag))),
      };
      if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
      else body.nextSyncToken = `settings${call.now}`;
      body.items = items;
      return { body };
    }),
    route(
      { id: "settings.get", method: "GET", pattern: "/users/me/settings/{setting}" },
      (call) => {
        const id = call.params.setting ?? "";
        if (store.settings[id] === undefined) throw notFound("Not Found");
        return { body: settingView(store, id) };
      },
    ),
    route(
      { id: "freebusy.query", method: "POST", pattern: "/freeBusy" },
      (call) => freeBusy(store, call),
    ),
  ];
}

function ruleId({ scope }: StoredRule): string {
  return scope.type === "default" ? "default" : `${scope.type}:${scope.value ?? ""}`;
}

function ruleView(rule: StoredRule): JsonObject {
  return {
    kind: "calendar#aclRule",
    etag: entityTag(ruleId(rule), rule.role),
    id: ruleId(rule),
    scope: { ...rule.scope },
    role: rule.role,
  };
}

function ruleOf(calendar: StoredCalendar, call: EmulatedCall): StoredRule {
  const rule = calendar.rules.find((item) => ruleId(item) === call.params.ruleId);
  if (rule === undefined) throw notFound("Not Found");
  return rule;
}

function roleMember(body: JsonObject): AccessRole {
  const role = textMember(body, "role");
  const known = ACCESS_ROLES.find((item) => item === role);
  if (known === undefined) throw invalid("Invalid access role.");
  return known;
}

function scopeMember(body: JsonObject): StoredRule["scope"] {
  const scope = objectMember(body, "scope") ?? {};
  const type = textMember(scope, "type"), value = textMember(scope, "value");
  if (type === "default") return { type };
  if (type !== "user" && type !== "group" && type !== "domain") {
    throw invalid("Invalid scope type.");
  }
  if (value === undefined || value === "") throw invalid("Invalid scope value.");
  return { type, value };
}

function settingView(store: CalendarStore, id: string): JsonObject {
  const value = store.settings[id] ?? "";
  return { kind: "calendar#setting", etag: entityTag(id, value), id, value };
}

const CALENDAR_COLORS = [
  "#ac725e",
  "#d06b64",
  "#f83a22",
  "#fa573c",
  "#ff7537",
  "#ffad46",
  "#42d692",
  "#16a765",
  "#7bd148",
  "#b3dc6c",
  "#fbe983",
  "#fad165",
  "#92e1c0",
  "#9fe1e7",
  "#9fc6e7",
  "#4986e7",
  "#9a9cff",
  "#b99aff",
  "#c2c2c2",
  "#cabdbf",
  "#cca6ac",
  "#f691b2",
  "#cd74e6",
  "#a47ae2",
];
const EVENT_COLORS = [
  "#a4bdfc",
  "#7ae7bf",
  "#dbadff",
  "#ff887c",
  "#fbd75b",
  "#ffb878",
  "#46d6db",
  "#e1e1e1",
  "#5484ed",
  "#51b749",
  "#dc2127",
];

function colors(): JsonObject {
  const numbered = (list: readonly string[]) =>
    Object.fromEntries(
      list.map((background, index) => [String(index + 1), { background, foreground: "#1d1d1d" }]),
    );
  return {
    kind: "calendar#colors",
    updated: "2012-02-14T00:00:00.000Z",
    calendar: numbered(CALENDAR_COLORS),
    event: numbered(EVENT_COLORS),
  };
}

function freeBusy(store: CalendarStore, call: EmulatedCall): EmulatedAnswer {
  const body = bodyObject(call);
  const [fromText, toText] = [textMember(body, "timeMin"), textMember(body, "timeMax")];
  if (fromText === undefined || toText === undefined) {
    throw new EmulatedError(400, "Missing timeMin or timeMax.", { reason: "required" });
  }
  const window = { from: parseInstant(fromText, "timeMin"), to: parseInstant(toText, "timeMax") };
  if (window.from >= window.to) {
    throw new EmulatedError(400, "The specified time range is empty.", {
      reason: "timeRangeEmpty",
    });
  }
  if (window.to - window.from > 366 * 86_400_000 / 4) {
    throw new EmulatedError(400, "The requested time range is too long.", {
      reason: "timeRangeTooLong",
    });
  }
  const zone = zoneName(textMember(body, "timeZone") ?? "UTC");
  const calendars: JsonObject = {};
  for (const item of objectsMember(body, "items")) {
    const id = textMember(item, "id") ?? "";
    const calendar = store.calendars.find((entry) =>
      entry.id === id || (id === "primary" && entry.primary)
    );
    calendars[id] = calendar === undefined
      ? { errors: [{ domain: "global", reason: "notFound" }], busy: [] }
      : { busy: busyTimes(calendar, { window, now: call.now, zone }) };
  }
  return {
    body: {
      kind: "calendar#freeBusy",
      timeMin: stamp(window.from),
      timeMax: stamp(window.to),
      calendars,
    },
  };
}

function busyTimes(
  calendar: StoredCalendar,
  { window, now, zone }: { window: { from: number; to: number }; now: number; zone: string },
): JsonObject[] {
  const busy = [...calendar.events.values()]
    .flatMap((event) => {
      if (event.recurringEventId !== undefined && calendar.events.has(event.recurringEventId)) {
        return [];
      }
      return event.recurrence !== undefined && event.status !== "cancelled"
        ? occurrencesOf(calendar, event, { window, now })
        : [event];
    })
    .filter((event) =>
      event.status !== "cancelled" && event.members.transparency !== "transparent" &&
      overlaps(event, { window, zone: calendar.zone })
    )
    .map((event) => ({
      from: Math.max(window.from, beginOf(event.start, calendar.zone)),
      to: Math.min(window.to, beginOf(event.end, calendar.zone)),
    }))
    .sort((left, right) => left.from - right.from);
  const merged: { from: number; to: number }[] = [];
  for (const span of busy) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else merged.push({ ...span });
  }
  return merged.map((span) => ({
    start: offsetText(span.from, zone),
    end: offsetText(span.to, zone),
  }));
}
