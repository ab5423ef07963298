/** Reading routes of `calendar.events`: list, get, instances. */

import type { JsonObject } from "../../json/mod.ts";
import {
  encodeBase64Url,
  flag,
  instant,
  integer,
  invalid,
  notFound,
  pageOf,
  selection,
  stamp,
} from "../drive/mod.ts";
import { fromBase64 } from "../encoding.ts";
import { hashHex } from "../random.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import { eventView, type EventViewOptions } from "./event_view.ts";
import {
  calendarOf,
  type CalendarStore,
  findEvent,
  type Occurrence,
  occurrencesOf,
  overlaps,
  requireAccess,
  type StoredCalendar,
  type StoredEvent,
  type Window,
} from "./store.ts";
import { beginOf, zoneName } from "./times.ts";

const HOST = "www.googleapis.com";
const DAY = 86_400_000;

/** The reading routes. */
export function eventReadRoutes(store: CalendarStore): EmulatedRoute[] {
  const collection = "/calendar/v3/calendars/{calendarId}/events";
  return [
    {
      methodId: "calendar.events.list",
      method: "GET",
      host: HOST,
      pattern: collection,
      handle: (call) => listEvents(store, { calendar: calendarOf(store, call), call }),
    },
    {
      methodId: "calendar.events.instances",
      method: "GET",
      host: HOST,
      pattern: `${collection}/{eventId}/instances`,
      handle: (call) => listInstances(store, { calendar: calendarOf(store, call), call }),
    },
    {
      methodId: "calendar.events.get",
      method: "GET",
      host: HOST,
      pattern: `${collection}/{eventId}`,
      handle(call) {
        const calendar = calendarOf(store, call);
        requireAccess(calendar, "freeBusyReader");
        const event = findEvent(calendar, call.params.eventId ?? "");
        if (event === undefined) throw notFound("Not Found");
        return { body: eventView(store, { calendar, event, options: viewOptions(call) }) };
      },
    },
  ];
}

/** What a call's query says about the shape of events. */
export function viewOptions(call: EmulatedCall): EventViewOptions {
  const options: EventViewOptions = {};
  const zone = call.query.get("timeZone");
  if (zone) options.zone = zoneName(zone);
  if (call.query.has("maxAttendees")) {
    options.maxAttendees = integer(call.query, "maxAttendees", {
      fallback: 1,
      min: 1,
      max: 100_000,
      above: "clamp",
    });
  }
  return options;
}

function windowOf(call: EmulatedCall): Window {
  const window: Window = {};
  const from = instant(call.query, "timeMin"), to = instant(call.query, "timeMax");
  if (from !== undefined) window.from = from;
  if (to !== undefined) window.to = to;
  if (from !== undefined && to !== undefined && from >= to) {
    throw new EmulatedError(400, "The specified time range is empty.", {
      reason: "timeRangeEmpty",
    });
  }
  return window;
}

function listEvents(
  store: CalendarStore,
  { calendar, call }: { calendar: StoredCalendar; call: EmulatedCall },
): EmulatedAnswer {
  requireAccess(calendar, "freeBusyReader");
  const { query } = call;
  const single = flag(query, "singleEvents");
  const orderBy = query.get("orderBy");
  if (orderBy !== null && orderBy !== "" && orderBy !== "startTime" && orderBy !== "updated") {
    throw invalid("Invalid Value");
  }
  if (orderBy === "startTime" && !single) {
    throw new EmulatedError(
      400,
      "The requested ordering is not available for the particular query.",
      {
        reason: "badRequest",
      },
    );
  }
  const since = syncPoint(calendar, query);
  const updatedMin = instant(query, "updatedMin");
  if (updatedMin !== undefined && updatedMin < call.now - 28 * DAY) {
    throw new EmulatedError(
      410,
      "The requested minimum modification time lies too far in the past.",
      {
        reason: "updatedMinTooLongAgo",
      },
    );
  }
  const window = windowOf(call);
  const showDeleted = flag(query, "showDeleted") || since !== undefined || updatedMin !== undefined;
  const matches = matcherOf(query);
  const found = [...calendar.events.values()]
    .filter((event) => since === undefined || event.change > since)
    .filter((event) => updatedMin === undefined || event.updated >= updatedMin)
    .flatMap((event) =>
      single
        ? expanded(calendar, event, { window, now: call.now })
        : whole(calendar, event, { window, now: call.now })
    )
    .filter(matches);
  const visible = (event: Occurrence) =>
    event.status !== "cancelled" || showDeleted ||
    (!single && event.recurringEventId !== undefined);
  const ordered = inOrder(calendar, { events: found, orderBy });
  const size = integer(query, "maxResults", { fallback: 250, min: 1, max: 2500, above: "clamp" });
  const page = pageOf(calendar.cutsBeforeFilter ? ordered : ordered.filter(visible), {
    size,
    token: query.get("pageToken"),
    scope: `events ${calendar.id} ${selection(query)}`,
  });
  return {
    body: listBody(store, {
      calendar,
      call,
      items: page.items.filter(visible),
      nextPageToken: page.nextPageToken,
      syncable: !query.has("orderBy") && !query.has("q") && !query.has("timeMin") &&
        !query.has("timeMax") && updatedMin === undefined,
    }),
  };
}

function inOrder(
  calendar: StoredCalendar,
  { events, orderBy }: { events: Occurrence[]; orderBy: string | null },
): Occurrence[] {
  if (orderBy === "startTime") {
    return events.toSorted((left, right) =>
      beginOf(left.start, calendar.zone) - beginOf(right.start, calendar.zone) ||
      (left.id < right.id ? -1 : 1)
    );
  }
  if (orderBy === "updated") {
    return events.toSorted((left, right) =>
      left.updated - right.updated || (left.id < right.id ? -1 : 1)
    );
  }
  return events;
}

/** With `singleEvents`: instances instead of the series; stored exceptions come with their series. */
function expanded(
  calendar: StoredCalendar,
  event: StoredEvent,
  range: { window: Window; now: number },
): Occurrence[] {
  if (event.recurrence !== undefined && event.status !== "cancelled") {
    return occurrencesOf(calendar, event, range);
  }
  if (event.recurringEventId !== undefined) {
    return calendar.events.has(event.recurringEventId) ? [] : [event];
  }
  return overlaps(event, { window: range.window, zone: calendar.zone }) ? [event] : [];
}

/** Without: a series counts when any of its instances lies in the window. */
function whole(
  calendar: StoredCalendar,
  event: StoredEvent,
  { window, now }: { window: Window; now: number },
): Occurrence[] {
  if (event.recurrence === undefined || (window.from === undefined && window.to === undefined)) {
    return overlaps(event, { window, zone: calendar.zone }) ? [event] : [];
  }
  return occurrencesOf(calendar, event, { window, now }).length > 0 ? [event] : [];
}

function matcherOf(query: URLSearchParams): (event: Occurrence) => boolean {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const uid = query.get("iCalUID");
  const types = query.getAll("eventTypes");
  const properties = (["private", "shared"] as const).flatMap((kind) =>
    query.getAll(`${kind}ExtendedProperty`).map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw invalid("Invalid Value");
      return { kind, name: text.slice(0, at), value: text.slice(at + 1) };
    })
  );
  return (event) => {
    if (uid !== null && event.iCalUID !== uid) return false;
    if (types.length > 0 && !types.includes(String(event.members.eventType ?? "default"))) {
      return false;
    }
    for (const { kind, name, value } of properties) {
      const extended = event.members.extendedProperties as JsonObject | undefined;
      if ((extended?.[kind] as JsonObject | undefined)?.[name] !== value) return false;
    }
    if (words.length === 0) return true;
    const { summary, description, location, attendees, organizer } = event.members;
    const text = JSON.stringify([summary, description, location, attendees, organizer])
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** The change count that a sync token stands for; undefined without one. */
function syncPoint(calendar: StoredCalendar, query: URLSearchParams): number | undefined {
  const token = query.get("syncToken");
  if (token === null || token === "") return undefined;
  for (
    const name of [
      "timeMin",
      "timeMax",
      "q",
      "orderBy",
      "updatedMin",
      "iCalUID",
      "privateExtendedProperty",
      "sharedExtendedProperty",
    ]
  ) {
    if (query.has(name)) {
      throw new EmulatedError(
        400,
        "Sync token cannot be used with request restrictions other than the ones it was made with.",
        {
          reason: "badRequest",
        },
      );
    }
  }
  const expired = new EmulatedError(
    410,
    "Sync token is no longer valid, a full sync is required.",
    {
      reason: "fullSyncRequired",
    },
  );
  let text: string;
  try {
    text = new TextDecoder().decode(fromBase64(token));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw expired;
    throw cause;
  }
  const match = /^sync:([0-9a-f]{12}):([0-9]+)$/.exec(text);
  const count = Number(match?.[2] ?? "-1");
  if (
    match?.[1] !== hashHex(calendar.id, 12) || count < calendar.expiredBefore ||
    count > calendar.changes
  ) throw expired;
  return count;
}

function listBody(
  store: CalendarStore,
  { calendar, call, items, nextPageToken, syncable }: {
    calendar: StoredCalendar;
    call: EmulatedCall;
    items: Occurrence[];
    nextPageToken: string | undefined;
    syncable: boolean;
  },
): JsonObject {
  const options = viewOptions(call);
  const body: JsonObject = {
    kind: "calendar#events",
    etag: `"p3${
      hashHex(
        `${calendar.id} ${calendar.changes} ${calendar.updated} ${selection(call.query)} ${
          call.query.get("pageToken") ?? ""
        } ${call.query.get("maxResults") ?? ""}`,
        14,
      )
    }o0g"`,
    summary: calendar.summary,
    description: calendar.description ?? "",
    updated: stamp(calendar.updated),
    timeZone: options.zone ?? calendar.zone,
    accessRole: calendar.accessRole,
    defaultReminders: calendar.defaultReminders.map((item) => ({ ...item })),
  };
  if (nextPageToken !== undefined) body.nextPageToken = nextPageToken;
  else if (syncable) {
    body.nextSyncToken = encodeBase64Url(`sync:${hashHex(calendar.id, 12)}:${calendar.changes}`);
  }
  body.items = items.map((event) => eventView(store, { calendar, event, options }));
  return body;
}

function listInstances(
  store: CalendarStore,
  { calendar, call }: { calendar: StoredCalendar; call: EmulatedCall },
): EmulatedAnswer {
  requireAccess(calendar, "freeBusyReader");
  const series = calendar.events.get(call.params.eventId ?? "");
  if (series === undefined) throw notFound("Not Found");
  if (series.recurrence === undefined || series.status === "cancelled") {
    throw new EmulatedError(400, "The requested event is not recurring.", { reason: "badRequest" });
  }
  const showDeleted = flag(call.query, "showDeleted");
  const original = instant(call.query, "originalStart");
  const found = occurrencesOf(calendar, series, { window: windowOf(call), now: call.now })
    .filter((event) => showDeleted || event.status !== "cancelled")
    .filter((event) =>
      original === undefined ||
      (event.originalStart !== undefined &&
        beginOf(event.originalStart, calendar.zone) === original)
    );
  const page = pageOf(inOrder(calendar, { events: found, orderBy: "startTime" }), {
    size: integer(call.query, "maxResults", { fallback: 250, min: 1, max: 2500, above: "clamp" }),
    token: call.query.get("pageToken"),
    scope: `instances ${calendar.id} ${series.id} ${selection(call.query)}`,
  });
  return {
    body: listBody(store, {
      calendar,
      call,
      items: page.items,
      nextPageToken: page.nextPageToken,
      syncable: false,
    }),
  };
}
