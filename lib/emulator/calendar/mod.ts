/**
 * Emulated Google Calendar: calendars, events with recurrence over daylight-saving changes, access
 * lists, free/busy (spec 00 §7, §10; 11 §11).
 *
 * @module
 */

import type { JsonObject } from "../../json/mod.ts";
import type { EmulatedService, ServiceSeed } from "../service.ts";
import { accountRoutes } from "./account_routes.ts";
import { calendarRoutes } from "./calendar_routes.ts";
import { eventReadRoutes } from "./event_reads.ts";
import { eventView } from "./event_view.ts";
import { eventWriteRoutes } from "./event_writes.ts";
import { seedCalendars } from "./world.ts";

/** Makes the service over freshly seeded calendars. */
export function createCalendar(seed: ServiceSeed): EmulatedService {
  const store = seedCalendars(seed);
  return {
    name: "calendar",
    routes: [
      ...calendarRoutes(store),
      ...accountRoutes(store),
      ...eventReadRoutes(store),
      ...eventWriteRoutes(store),
    ],
    inspect(): JsonObject {
      return {
        calendars: store.calendars.map((calendar) => ({
          id: calendar.id,
          summary: calendar.summary,
          accessRole: calendar.accessRole,
          events: [...calendar.events.values()].map((event) =>
            eventView(store, { calendar: { ...calendar, accessRole: "owner" }, event })
          ),
        })),
      };
    },
  };
}
