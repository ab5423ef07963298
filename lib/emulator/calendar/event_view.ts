/** How the emulated Calendar prints an event. */

import type { JsonObject } from "../../json/mod.ts";
import { copyOf, encodeBase64Url, stamp } from "../drive/mod.ts";
import type { CalendarStore, Occurrence, StoredCalendar } from "./store.ts";
import { timeView } from "./times.ts";

/** What of the request shapes an event. */
export interface EventViewOptions {
  /** Zone of the answer; the calendar's own by default. */
  zone?: string;
  maxAttendees?: number;
}

const BEFORE_TIMES = [
  "summary",
  "description",
  "location",
  "colorId",
  "creator",
  "organizer",
] as const;
const AFTER_TIMES = ["transparency", "visibility"] as const;
const LAST = [
  "attendees",
  "attendeesOmitted",
  "hangoutLink",
  "conferenceData",
  "anyoneCanAddSelf",
  "guestsCanInviteOthers",
  "guestsCanModify",
  "guestsCanSeeOtherGuests",
  "privateCopy",
  "locked",
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

/** Members of an event that are neither ids nor times, in the order of an answer. */
export const EVENT_MEMBERS = [...BEFORE_TIMES, ...AFTER_TIMES, ...LAST] as const;

/** Entity tag of an event: Google derives it from the time of the last change. */
export function eventTag(event: Occurrence): string {
  return `"${event.updated * 2000}"`;
}

/** The event as one account sees it. */
export function eventView(
  store: CalendarStore,
  { calendar, event, options = {} }: {
    calendar: StoredCalendar;
    event: Occurrence;
    options?: EventViewOptions;
  },
): JsonObject {
  const zone = options.zone ?? calendar.zone;
  const view: JsonObject = {
    kind: "calendar#event",
    etag: eventTag(event),
    id: event.id,
    status: event.status,
  };
  if (
    event.status === "cancelled" && event.recurringEventId !== undefined &&
    event.originalStart !== undefined
  ) {
    view.recurringEventId = event.recurringEventId;
    view.originalStartTime = timeView(event.originalStart, zone);
    return view;
  }
  view.htmlLink = `https://www.google.com/calendar/event?eid=${
    encodeBase64Url(`${event.id} ${calendar.id}`)
  }`;
  view.created = stamp(event.created).replace(/\.[0-9]{3}Z$/, ".000Z");
  view.updated = stamp(event.updated);
  const limited = calendar.accessRole === "freeBusyReader" ||
    (calendar.accessRole === "reader" &&
      (event.members.visibility === "private" || event.members.visibility === "confidential"));
  const shown = limited ? { visibility: "private" } as JsonObject : event.members;
  const take = (name: string) => {
    const value = shown[name];
    if (value !== undefined) view[name] = copyOf(value);
  };
  BEFORE_TIMES.forEach(take);
  view.start = timeView(event.start, zone);
  view.end = timeView(event.end, zone);
  if (event.recurrence !== undefined) view.recurrence = [...event.recurrence];
  if (event.recurringEventId !== undefined) view.recurringEventId = event.recurringEventId;
  if (event.originalStart !== undefined) {
    view.originalStartTime = timeView(event.originalStart, zone);
  }
  AFTER_TIMES.forEach(take);
  view.iCalUID = event.iCalUID;
  view.sequence = event.sequence;
  LAST.forEach(take);
  limitAttendees(store, { view, most: options.maxAttendees });
  return view;
}

/** Keeps the account's own entry when the list is cut, as Calendar does. */
function limitAttendees(
  store: CalendarStore,
  { view, most }: { view: JsonObject; most: number | undefined },
): void {
  const { attendees } = view;
  if (!Array.isArray(attendees) || most === undefined || attendees.length <= most) return;
  const self = attendees.filter((item) => (item as JsonObject).email === store.account.email);
  view.attendees = self.slice(0, most);
  view.attendeesOmitted = true;
}
