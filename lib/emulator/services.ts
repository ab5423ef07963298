/** Which emulated service answers for which host and path. Each loads on its first request. */

import type { EmulatedService, ServiceSeed } from "./service.ts";

/** A stateful service that the frame can load. */
export interface ServiceRegistration {
  name: string;
  /** Hosts that serve it, beside `www.googleapis.com`. */
  hosts: readonly string[];
  /** Path prefixes that are its own. */
  prefixes: readonly string[];
  load(): Promise<(seed: ServiceSeed) => EmulatedService>;
}

/** Every stateful service. */
export const SERVICE_REGISTRATIONS: readonly ServiceRegistration[] = [
  {
    name: "gmail",
    hosts: ["gmail.googleapis.com"],
    prefixes: ["/gmail/v1/", "/upload/gmail/v1/", "/resumable/upload/gmail/v1/"],
    load: async () => (await import("./gmail/mod.ts")).createGmail,
  },
  {
    name: "people",
    hosts: ["people.googleapis.com"],
    prefixes: ["/v1/people", "/v1/contactGroups"],
    load: async () => (await import("./people/mod.ts")).createPeople,
  },
  {
    name: "drive",
    hosts: ["drive.googleapis.com"],
    prefixes: [
      "/drive/v3/",
      "/upload/drive/v3/",
      "/resumable/upload/drive/v3/",
      "/download/drive/v3/",
    ],
    load: async () => (await import("./drive/mod.ts")).createDrive,
  },
  {
    name: "calendar",
    hosts: ["calendar.googleapis.com", "calendar-json.googleapis.com"],
    prefixes: ["/calendar/v3/"],
    load: async () => (await import("./calendar/mod.ts")).createCalendar,
  },
  {
    name: "sheets",
    hosts: ["sheets.googleapis.com"],
    prefixes: ["/v4/spreadsheets"],
    load: async () => (await import("./sheets/mod.ts")).createSheets,
  },
  {
    name: "docs",
    hosts: ["docs.googleapis.com"],
    prefixes: ["/v1/documents"],
    load: async () => (await import("./docs/mod.ts")).createDocs,
  },
  {
    name: "slides",
    hosts: ["slides.googleapis.com"],
    prefixes: ["/v1/presentations"],
    load: async () => (await import("./slides/mod.ts")).createSlides,
  },
  {
    name: "tasks",
    hosts: ["tasks.googleapis.com"],
    prefixes: ["/tasks/v1/"],
    load: async () => (await import("./tasks/mod.ts")).createTasks,
  },
  {
    name: "google_ads",
    hosts: ["googleads.googleapis.com"],
    prefixes: ["/v24/customers/"],
    load: async () => (await import("./google_ads/mod.ts")).createGoogleAds,
  },
  {
    name: "data_manager",
    hosts: ["datamanager.googleapis.com"],
    prefixes: ["/v1/events:", "/v1/audienceMembers:", "/v1/requestStatus:"],
    load: async () => (await import("./data_manager/mod.ts")).createDataManager,
  },
  {
    name: "searchconsole",
    hosts: ["searchconsole.googleapis.com"],
    prefixes: ["/webmasters/v3/sites/"],
    load: async () => (await import("./web/mod.ts")).createSearchAnalytics,
  },
  {
    name: "places",
    hosts: ["places.googleapis.com"],
    prefixes: ["/v1/places:"],
    load: async () => (await import("./web/mod.ts")).createPlaces,
  },
  {
    name: "routes",
    hosts: ["routes.googleapis.com"],
    prefixes: ["/directions/v2:", "/distanceMatrix/v2:"],
    load: async () => (await import("./web/mod.ts")).createRoutes,
  },
  {
    name: "youtube",
    hosts: ["youtube.googleapis.com"],
    prefixes: ["/youtube/v3/"],
    load: async () => (await import("./web/mod.ts")).createVideos,
  },
  {
    name: "customsearch",
    hosts: ["customsearch.googleapis.com"],
    prefixes: ["/customsearch/v1"],
    load: async () => (await import("./web/mod.ts")).createWebSearch,
  },
];

/** The service that owns this path on this host; undefined for all others. */
export function registrationFor(host: string, path: string): ServiceRegistration | undefined {
  return SERVICE_REGISTRATIONS.find((registration) =>
    (registration.hosts.includes(host) ||
      (host === "www.googleapis.com" && !/^\/v[0-9]+\//.test(registration.prefixes[0] ?? ""))) &&
    registration.prefixes.some((prefix) => path.startsWith(prefix))
  );
}
