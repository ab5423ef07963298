/** Arguments that make an example worth pasting, where required ones alone would say too little. */

import type { JsonObject } from "../lib/json/mod.ts";

const MORNING = { dateTime: "2026-06-01T10:00:00Z" };
const NOON = { dateTime: "2026-06-01T12:00:00Z" };
const BERLIN = { location: { latLng: { latitude: 52.52, longitude: 13.405 } } };
const HAMBURG = { location: { latLng: { latitude: 53.55, longitude: 9.993 } } };

/** Values by operation, laid over the ones its schema requires. */
export const EXAMPLE_ARGUMENTS: Readonly<Record<string, JsonObject | undefined>> = {
  "admin.directory.users.insert": {
    primaryEmail: "ann@example.com",
    name: { givenName: "Ann", familyName: "Lee" },
  },
  "calendar.acl.insert": { role: "reader", scope: { type: "user", value: "ann@example.com" } },
  "calendar.acl.update": { role: "reader", scope: { type: "user", value: "ann@example.com" } },
  "calendar.events.insert": { summary: "Tea", start: MORNING, end: NOON },
  "calendar.events.update": { summary: "Tea", start: MORNING, end: NOON },
  "calendar.events.list": { timeMin: "2026-06-01T00:00:00Z", maxResults: 10 },
  "calendar.freebusy.query": {
    timeMin: "2026-06-01T00:00:00Z",
    timeMax: "2026-06-02T00:00:00Z",
    items: [{ id: "primary" }],
  },
  "docs.documents.create": { title: "Notes" },
  "docs.documents.batchUpdate": {
    requests: [{ insertText: { location: { index: 1 }, text: "Hello" } }],
  },
  "drive.files.create": { name: "notes.txt" },
  "drive.files.list": { q: "name contains 'plan'", pageSize: 10 },
  "forms.forms.batchUpdate": {
    requests: [{ updateFormInfo: { info: { title: "Survey" }, updateMask: "title" } }],
  },
  "forms.forms.create": { info: { title: "Survey" } },
  "gmail.users.messages.list": { q: "is:unread", maxResults: 10 },
  "googleads.keywordPlanIdeas.generateKeywordForecastMetrics": { customerId: "1234567890" },
  "googleads.keywordPlanIdeas.generateKeywordHistoricalMetrics": { customerId: "1234567890" },
  "googleads.keywordPlanIdeas.generateKeywordIdeas": {
    customerId: "1234567890",
    keywords: ["running shoes"],
  },
  "people.contactGroups.create": { contactGroup: { name: "Friends" } },
  "photoslibrary.albums.create": { album: { title: "Summer" } },
  "places.searchNearby": {
    fieldMask: "places.displayName",
    locationRestriction: {
      circle: { center: { latitude: 52.52, longitude: 13.405 }, radius: 500 },
    },
  },
  "routes.computeRouteMatrix": {
    fieldMask: "originIndex,destinationIndex,duration",
    origins: [{ waypoint: BERLIN }],
    destinations: [{ waypoint: HAMBURG }],
  },
  "routes.computeRoutes": {
    fieldMask: "routes.duration,routes.distanceMeters",
    origin: BERLIN,
    destination: HAMBURG,
  },
  "sheets.spreadsheets.batchUpdate": {
    requests: [{ addSheet: { properties: { title: "2026" } } }],
  },
  "sheets.spreadsheets.values.batchUpdate": {
    data: [{ range: "Sheet1!A1", values: [["a", "b"]] }],
  },
  "sheets.spreadsheets.values.get": { range: "Sheet1!A1:C10" },
  "tasks.tasks.clear": { tasklist: "@default" },
  "tasks.tasks.insert": { tasklist: "@default", title: "Buy milk" },
  "tasks.tasks.list": { tasklist: "@default" },
};

const NEW_MAIL = ["--to", "ann@example.com", "--subject", "Plan", "--text", "Hello"];

/** Words of operations that compose a mail: nobody types an encoded message. */
export const EXAMPLE_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  "gmail.users.messages.send": NEW_MAIL,
  "gmail.users.drafts.create": NEW_MAIL,
};
