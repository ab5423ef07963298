/** Arguments that make an example worth pasting, where required ones alone would say too little. */

import type { JsonObject } from "../lib/json/mod.ts";

const MORNING = { dateTime: "2026-06-01T10:00:00Z" };
const NOON = { dateTime: "2026-06-01T12:00:00Z" };
const BERLIN = { location: { latLng: { latitude: 52.52, longitude: 13.405 } } };
const HAMBURG = { location: { latLng: { latitude: 53.55, longitude: 9.993 } } };

/** Values by operation, laid over the ones its schema requires. */
export const EXAMPLE_ARGUMENTS: Readonly<Record<string, JsonObject | undefined>> = {
  "admin.directory.members.insert": { role: "MEMBER" },
  "admin.directory.users.insert": {
    primaryEmail: "ann@example.com",
    name: { givenName: "Ann", familyName: "Lee" },
    password: "<password>",
  },
  "admin.directory.users.update": { suspended: true },
  "calendar.acl.insert": { role: "reader", scope: { type: "user", value: "ann@example.com" } },
  "calendar.acl.patch": { role: "reader" },
  "calendar.acl.update": { role: "reader", scope: { type: "user", value: "ann@example.com" } },
  "calendar.calendars.update": { summary: "Team" },
  "calendar.events.insert": { summary: "Tea", start: MORNING, end: NOON },
  "calendar.events.list": { timeMin: "2026-06-01T00:00:00Z", maxResults: 10 },
  "calendar.events.update": { summary: "Tea", start: MORNING, end: NOON },
  "calendar.freebusy.query": {
    timeMin: "2026-06-01T00:00:00Z",
    timeMax: "2026-06-02T00:00:00Z",
    items: [{ id: "primary" }],
  },
  "chat.spaces.messages.create": { text: "Hello" },
  "chat.spaces.messages.update": { updateMask: "text", text: "Hello" },
  "classroom.courses.create": { name: "Biology", ownerId: "me" },
  "customsearch.cse.list": { cx: "<cx>", q: "tide tables" },
  "docs.documents.batchUpdate": {
    requests: [{ insertText: { location: { index: 1 }, text: "Hello" } }],
  },
  "docs.documents.create": { title: "Notes" },
  "drive.files.create": { name: "notes.txt" },
  "drive.files.list": { q: "name contains 'plan'", pageSize: 10 },
  "drive.files.update": { name: "plan.txt" },
  "drive.permissions.create": { role: "reader", type: "user", emailAddress: "ann@example.com" },
  "drive.permissions.update": { role: "reader" },
  "forms.forms.batchUpdate": {
    requests: [{ updateFormInfo: { info: { title: "Survey" }, updateMask: "title" } }],
  },
  "forms.forms.create": { info: { title: "Survey" } },
  "gmail.users.history.list": { startHistoryId: "<startHistoryId>" },
  "gmail.users.labels.create": { name: "Work" },
  "gmail.users.labels.update": { name: "Work" },
  "gmail.users.messages.batchModify": { ids: ["<id>"], removeLabelIds: ["UNREAD"] },
  "gmail.users.messages.list": { q: "is:unread", maxResults: 10 },
  "gmail.users.messages.modify": { removeLabelIds: ["UNREAD"] },
  "gmail.users.settings.updateVacation": {
    enableAutoReply: true,
    responseSubject: "Away",
    responseBodyPlainText: "Back on Monday.",
  },
  "gmail.users.threads.modify": { removeLabelIds: ["UNREAD"] },
  "googleads.keywordPlanIdeas.generateKeywordForecastMetrics": { customerId: "1234567890" },
  "googleads.keywordPlanIdeas.generateKeywordHistoricalMetrics": { customerId: "1234567890" },
  "googleads.keywordPlanIdeas.generateKeywordIdeas": {
    customerId: "1234567890",
    keywords: ["running shoes"],
  },
  "gum.code": { source: "gum_print(1 + 1)" },
  "indexing.urlNotifications.publish": {
    url: "https://example.com/news",
    type: "URL_UPDATED",
  },
  "maps.geocoding.geocode": { address: "Unter den Linden 1, Berlin" },
  "people.contactGroups.create": { contactGroup: { name: "Book club" } },
  "people.people.createContact": {
    names: [{ givenName: "Ann", familyName: "Lee" }],
    emailAddresses: [{ value: "ann@example.com" }],
  },
  "people.people.get": { personFields: "names,emailAddresses" },
  "people.people.searchContacts": { query: "ann" },
  "people.people.updateContact": {
    updatePersonFields: "names",
    etag: "<etag>",
    names: [{ givenName: "Ann", familyName: "Lee" }],
  },
  "photoslibrary.albums.create": { album: { title: "Summer" } },
  "places.searchNearby": {
    fieldMask: "places.displayName",
    locationRestriction: {
      circle: { center: { latitude: 52.52, longitude: 13.405 }, radius: 500 },
    },
  },
  "places.searchText": { fieldMask: "places.displayName", textQuery: "coffee in Berlin" },
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
  "script.projects.create": { title: "Report" },
  "searchconsole.searchanalytics.query": {
    startDate: "2026-05-01",
    endDate: "2026-05-31",
    dimensions: ["query"],
  },
  "sheets.spreadsheets.batchUpdate": {
    requests: [{ addSheet: { properties: { title: "2026" } } }],
  },
  "sheets.spreadsheets.create": { properties: { title: "Budget" } },
  "sheets.spreadsheets.values.append": { range: "Sheet1!A1", values: [["a", "b"]] },
  "sheets.spreadsheets.values.batchUpdate": {
    data: [{ range: "Sheet1!A1", values: [["a", "b"]] }],
  },
  "sheets.spreadsheets.values.clear": { range: "Sheet1!A1:C10" },
  "sheets.spreadsheets.values.get": { range: "Sheet1!A1:C10" },
  "sheets.spreadsheets.values.update": { range: "Sheet1!A1", values: [["a", "b"]] },
  "slides.presentations.batchUpdate": {
    requests: [{ createSlide: { slideLayoutReference: { predefinedLayout: "BLANK" } } }],
  },
  "slides.presentations.create": { title: "Kick-off" },
  "tasks.tasks.clear": { tasklist: "@default" },
  "tasks.tasks.insert": { tasklist: "@default", title: "Buy milk" },
  "tasks.tasks.list": { tasklist: "@default" },
  "vault.matters.create": { name: "Review" },
  "vault.matters.update": { name: "Review" },
  "youtube.playlistItems.insert": {
    part: ["snippet"],
    snippet: {
      playlistId: "<playlistId>",
      resourceId: { kind: "youtube#video", videoId: "<videoId>" },
    },
  },
  "youtube.playlists.insert": { part: ["snippet"], snippet: { title: "Favourites" } },
  "youtube.search.list": { part: ["snippet"], q: "sailing" },
  "youtube.videos.list": { part: ["snippet"], id: ["<id>"] },
};

const NEW_MAIL = ["--to", "ann@example.com", "--subject", "Plan", "--text", "Hello"];

/** Words of operations that compose a mail: nobody types an encoded message. */
export const EXAMPLE_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  "gmail.users.messages.send": NEW_MAIL,
  "gmail.users.drafts.create": NEW_MAIL,
  "gmail.users.drafts.update": [...NEW_MAIL, "'id=<id>'"],
};
