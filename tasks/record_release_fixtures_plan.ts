/** Which calls the release fixtures are recorded from: reads, batches, writes, in order. */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { Category } from "../lib/gain/replay/mod.ts";
import { valueAt } from "./fidelity_plan.ts";

/** A planned call; `naive` is what a caller without GUM sends on top. */
export interface PlannedRequest {
  op: string;
  args: JsonObject;
  naive?: JsonObject;
  /** Answer it with this error instead. */
  error?: number;
}

/** What the plan is written against. */
export interface PlanRecorder {
  /** A call whose answer only leads to others. */
  look(op: string, args: JsonObject): Promise<JsonValue>;
  /** Records a call; the whole answer. */
  call(category: Category, request: PlannedRequest): Promise<JsonValue>;
  /** Records two to four calls as a batch. */
  batch(...requests: PlannedRequest[]): Promise<void>;
}

const ME = { userId: "me" };
const SITE = "sc-domain:example.com";
const WHOLE = { fields: "*" };
const PERSON =
  "names,emailAddresses,phoneNumbers,organizations,photos,memberships,metadata,birthdays,addresses";

/** Ids under a list key of an answer. */
function ids(answer: JsonValue, list: string, key = "id"): string[] {
  const rows = isJsonObject(answer) ? answer[list] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.map((row) => isJsonObject(row) ? row[key] : undefined)
    .filter((id) => typeof id === "string");
}

function pick(values: readonly string[], index: number): string {
  const value = values[index % Math.max(1, values.length)];
  if (value === undefined) throw new Error("the list is empty");
  return value;
}

function text(value: JsonValue, ...path: (string | number)[]): string {
  return String(valueAt(value, path));
}

/** What later sections build on. */
interface Known {
  messages: string[];
  threads: string[];
  files: string[];
  documents: string[];
  sheets: string[];
  slides: string[];
  events: string[];
  contacts: string[];
  tasklists: string[];
  videos: string[];
  /** First sheet of each spreadsheet, by id. */
  tabs: Map<string, string>;
}

/** Runs the whole plan. */
export async function planReleaseSet(recorder: PlanRecorder): Promise<void> {
  const known = await discover(recorder);
  await mailReads(recorder, known);
  await driveReads(recorder, known);
  await calendarReads(recorder, known);
  await documentReads(recorder, known);
  await peopleAndTasks(recorder, known);
  await organisationReads(recorder);
  await otherReads(recorder, known);
  await batches(recorder, known);
  await writes(recorder, known);
}

async function discover({ look }: PlanRecorder): Promise<Known> {
  const kind = (type: string) =>
    look("drive.files.list", {
      q: `mimeType = 'application/vnd.google-apps.${type}'`,
      pageSize: 20,
    });
  const mail = await look("gmail.users.messages.list", { ...ME, maxResults: 100 });
  const sheets = ids(await kind("spreadsheet"), "files");
  const tabs = new Map<string, string>();
  for (const spreadsheetId of sheets) {
    const sheet = await look("sheets.spreadsheets.get", { spreadsheetId });
    tabs.set(spreadsheetId, text(sheet, "sheets", 0, "properties", "title"));
  }
  const people = await look("people.connections.list", { personFields: "names", pageSize: 30 });
  const found = await look("youtube.search.list", { part: "snippet", q: "knots", maxResults: 20 });
  const videos = isJsonObject(found) && Array.isArray(found.items) ? found.items : [];
  return {
    messages: ids(mail, "messages"),
    threads: ids(
      await look("gmail.users.threads.list", { ...ME, q: "subject:re", maxResults: 20 }),
      "threads",
    ),
    files: ids(await look("drive.files.list", { pageSize: 60 }), "files"),
    documents: ids(await kind("document"), "files"),
    sheets,
    slides: ids(await kind("presentation"), "files"),
    events: ids(
      await look("calendar.events.list", {
        calendarId: "primary",
        singleEvents: true,
        orderBy: "startTime",
        maxResults: 80,
      }),
      "items",
    ),
    contacts: ids(people, "connections", "resourceName"),
    tasklists: ids(await look("tasks.tasklists.list", {}), "items"),
    videos: videos.map((_, index) => text(found, "items", index, "id", "videoId")),
    tabs,
  };
}

const W = "workspace_toon_read";

async function mailReads({ look, call }: PlanRecorder, known: Known): Promise<void> {
  for (const maxResults of [1, 5, 10, 25, 50, 100, 250]) {
    await call(W, { op: "gmail.users.messages.list", args: { ...ME, maxResults } });
  }
  for (const q of ["is:unread", "has:attachment filename:pdf", "subject:nothing-says-this"]) {
    await call(W, { op: "gmail.users.messages.list", args: { ...ME, q, maxResults: 100 } });
  }
  const searches = [
    "unsubscribe",
    "unsubscribe older_than:20d",
    "has:attachment filename:pdf",
    "category:primary -has:attachment",
    "干潟調査",
    "Südkai",
  ];
  for (const q of searches) {
    const [id] = ids(
      await look("gmail.users.messages.list", { ...ME, q, maxResults: 5 }),
      "messages",
    );
    if (id !== undefined) {
      await call(W, { op: "gmail.users.messages.get", args: { ...ME, id } });
    }
  }
  const letters = ids(
    await look("gmail.users.messages.list", { ...ME, q: "unsubscribe", maxResults: 5 }),
    "messages",
  );
  const attached = ids(
    await look("gmail.users.messages.list", { ...ME, q: "has:attachment", maxResults: 5 }),
    "messages",
  );
  // Newsletters, attachments and plain mail in the proportion of a real mailbox.
  const chosen = [
    pick(known.messages, 17),
    pick(letters, 3),
    pick(letters, 4),
    pick(attached, 3),
  ];
  for (const id of chosen) {
    await call(W, { op: "gmail.users.messages.get", args: { ...ME, id } });
  }
  await call(W, {
    op: "gmail.users.messages.get",
    args: { ...ME, id: "19e4099c5c0b0000" },
    error: 404,
  });
  for (const index of [0, 1, 2, 3, 4, 5, 13]) {
    const id = pick(known.threads, index);
    await call(W, { op: "gmail.users.threads.get", args: { ...ME, id } });
  }
  for (const maxResults of [10]) {
    await call(W, { op: "gmail.users.threads.list", args: { ...ME, maxResults } });
  }
  await call(W, { op: "gmail.users.labels.list", args: ME });
  await call(W, { op: "gmail.users.labels.get", args: { ...ME, id: "INBOX" } });
  const drafts = ids(
    await call(W, { op: "gmail.users.drafts.list", args: ME }),
    "drafts",
  );
  for (const id of drafts.slice(0, 2)) {
    await call(W, { op: "gmail.users.drafts.get", args: { ...ME, id } });
  }
  await call(W, { op: "gmail.users.getProfile", args: ME });
  await call(W, { op: "gmail.users.settings.getVacation", args: ME });
}

async function driveReads({ call }: PlanRecorder, known: Known): Promise<void> {
  // By default Drive names four fields of a file; who needs owner, size and time asks for all. One
  // caller here takes the default.
  await call(W, { op: "drive.files.list", args: { pageSize: 10 } });
  for (const pageSize of [1, 30, 47]) {
    await call(W, { op: "drive.files.list", args: { pageSize }, naive: WHOLE });
  }
  const searches: JsonObject[] = [
    { pageSize: 3 },
    { pageSize: 15 },
    { pageSize: 45, orderBy: "modifiedTime desc" },
    { q: "mimeType = 'application/vnd.google-apps.spreadsheet'", pageSize: 20 },
    { q: "trashed = true", pageSize: 20 },
    { q: "name contains 'budget'", pageSize: 20 },
    { q: "name contains 'nothing says this'", pageSize: 20 },
  ];
  for (const args of searches) {
    await call(W, { op: "drive.files.list", args, naive: WHOLE });
  }
  for (const index of [0, 3, 5, 9, 14]) {
    const fileId = pick(known.files, index);
    await call(W, {
      op: "drive.files.get",
      args: { fileId },
      ...(index === 0 ? {} : { naive: WHOLE }),
    });
  }
  for (const index of [3]) {
    await call(W, {
      op: "drive.permissions.list",
      args: { fileId: pick(known.files, index) },
      naive: WHOLE,
    });
  }
  await call(W, { op: "drive.about.get", args: {}, naive: WHOLE });
  await call(W, { op: "drive.drives.list", args: {} });
  await call(W, { op: "drive.files.get", args: { fileId: "1nope" }, error: 404 });
}

async function calendarReads({ call }: PlanRecorder, known: Known): Promise<void> {
  const primary = { calendarId: "primary" };
  const ordered = { singleEvents: true, orderBy: "startTime" };
  for (const maxResults of [1, 5, 12, 30, 90]) {
    await call(W, { op: "calendar.events.list", args: { ...primary, ...ordered, maxResults } });
  }
  for (const maxResults of [8, 60]) {
    await call(W, { op: "calendar.events.list", args: { ...primary, maxResults } });
  }
  await call(W, {
    op: "calendar.events.list",
    args: { ...primary, q: "review", ...ordered, maxResults: 25 },
  });
  await call(W, {
    op: "calendar.events.list",
    args: {
      ...primary,
      ...ordered,
      timeMin: "2031-01-01T00:00:00Z",
      timeMax: "2031-01-02T00:00:00Z",
    },
  });
  for (const index of [0, 2, 6, 11, 19]) {
    await call(W, {
      op: "calendar.events.get",
      args: { ...primary, eventId: pick(known.events, index) },
    });
  }
  await call(W, { op: "calendar.calendarList.list", args: {} });
  await call(W, { op: "calendar.acl.list", args: primary });
  await call(W, { op: "calendar.settings.list", args: {} });
  for (const days of [1, 7]) {
    await call(W, {
      op: "calendar.freebusy.query",
      args: {
        timeMin: "2026-05-18T00:00:00Z",
        timeMax: `2026-05-${18 + days}T00:00:00Z`,
        items: [{ id: "primary" }],
      },
    });
  }
}

async function documentReads({ call }: PlanRecorder, known: Known): Promise<void> {
  const ranges = ["A1:C3", "A1:J60", "A1:Z200", "A1:Z1000"];
  for (const [index, range] of ranges.entries()) {
    const spreadsheetId = pick(known.sheets, index);
    await call(W, {
      op: "sheets.spreadsheets.values.get",
      args: { spreadsheetId, range: `${known.tabs.get(spreadsheetId)}!${range}` },
    });
  }
  const book = pick(known.sheets, 0);
  const tab = known.tabs.get(book) ?? "";
  await call(W, {
    op: "sheets.spreadsheets.values.batchGet",
    args: { spreadsheetId: book, ranges: [`${tab}!A1:C20`, `${tab}!E1:H20`] },
  });
  await call(W, { op: "sheets.spreadsheets.get", args: { spreadsheetId: book } });
  await call(W, {
    op: "sheets.spreadsheets.get",
    args: { spreadsheetId: book, includeGridData: true, ranges: [`${tab}!A1:F20`] },
  });
  for (const index of [0, 1, 2, 3, 10]) {
    await call(W, { op: "docs.documents.get", args: { documentId: pick(known.documents, index) } });
  }
  for (const index of [0, 1]) {
    await call(W, {
      op: "slides.presentations.get",
      args: { presentationId: pick(known.slides, index) },
    });
  }
}

async function peopleAndTasks({ call }: PlanRecorder, known: Known): Promise<void> {
  await call(W, { op: "tasks.tasklists.list", args: {} });
  for (const tasklist of known.tasklists.slice(0, 2)) {
    await call(W, {
      op: "tasks.tasks.list",
      args: { tasklist, showCompleted: true, showHidden: true },
    });
  }
  for (const pageSize of [2, 30]) {
    await call(W, { op: "people.connections.list", args: { personFields: PERSON, pageSize } });
  }
  for (const index of [1, 4]) {
    await call(W, {
      op: "people.people.get",
      args: { resourceName: pick(known.contacts, index), personFields: PERSON },
    });
  }
  await call(W, {
    op: "people.people.searchContacts",
    args: { query: "ma", readMask: "names,emailAddresses,phoneNumbers,organizations,metadata" },
  });
}

async function organisationReads({ call }: PlanRecorder): Promise<void> {
  const reads: PlannedRequest[] = [
    { op: "chat.spaces.list", args: { pageSize: 10 } },
    { op: "chat.spaces.messages.list", args: { parent: "spaces/AAQA7x2kLmw", pageSize: 2 } },
    { op: "chat.spaces.messages.list", args: { parent: "spaces/AAQA7x2kLmw", pageSize: 15 } },
    { op: "chat.spaces.members.list", args: { parent: "spaces/AAQA7x2kLmw", pageSize: 25 } },
    { op: "admin.directory.users.list", args: { customer: "my_customer", maxResults: 20 } },
    { op: "admin.directory.users.get", args: { userKey: "mara.lindqvist@example.com" } },
    { op: "admin.directory.groups.list", args: { customer: "my_customer", maxResults: 20 } },
    { op: "admin.directory.members.list", args: { groupKey: "crew@example.com", maxResults: 25 } },
    {
      op: "adminreports.activities.list",
      args: { applicationName: "login", userKey: "all", maxResults: 15 },
    },
    { op: "cloudidentity.groups.list", args: { parent: "customers/C03az79cb", pageSize: 10 } },
    { op: "classroom.courses.list", args: { pageSize: 8 } },
    { op: "classroom.courses.courseWork.list", args: { courseId: "713405822911", pageSize: 10 } },
    { op: "forms.forms.get", args: { formId: "1FAIpQLSd0fNxKq" } },
    { op: "forms.forms.responses.list", args: { formId: "1FAIpQLSd0fNxKq", pageSize: 12 } },
    { op: "meet.conferenceRecords.list", args: {} },
    { op: "vault.matters.list", args: { pageSize: 10 } },
    { op: "script.projects.deployments.list", args: { scriptId: "1BvH7kQpXnR" } },
  ];
  for (const request of reads) await call(W, request);
}

async function otherReads({ call }: PlanRecorder, known: Known): Promise<void> {
  const N = "non_workspace_read";
  const rows = { siteUrl: SITE, startDate: "2026-04-01", endDate: "2026-04-30" };
  const place = "places.displayName,places.formattedAddress,places.rating";
  const reads: PlannedRequest[] = [
    ...[2, 10, 25, 50].map((maxResults) => ({
      op: "youtube.search.list",
      args: {
        part: "snippet",
        q: pick(["sailing knots", "tide tables", "canoe"], maxResults),
        maxResults,
      },
    })),
    {
      op: "youtube.videos.list",
      args: {
        part: "snippet,contentDetails,statistics,status",
        id: known.videos.slice(0, 5).join(","),
      },
    },
    {
      op: "youtube.videos.list",
      args: { part: "snippet,statistics", id: known.videos.slice(5, 17).join(",") },
    },
    {
      op: "youtube.channels.list",
      args: { part: "snippet,statistics,contentDetails", mine: true },
    },
    {
      op: "youtube.playlists.list",
      args: { part: "snippet,status,contentDetails", mine: true, maxResults: 10 },
    },
    {
      op: "youtube.playlistItems.list",
      args: { part: "snippet,contentDetails,status", playlistId: "PL7x2kLmwQ4", maxResults: 15 },
    },
    {
      op: "youtube.subscriptions.list",
      args: { part: "snippet,contentDetails", mine: true, maxResults: 10 },
    },
    ...["seafood in Sandvik", "bookshop near Nørrevig"].map((textQuery) => ({
      op: "places.searchText",
      args: { fieldMask: "*", textQuery },
    })),
    { op: "places.searchText", args: { fieldMask: place, textQuery: "chandlery in Østby" } },
    {
      op: "places.searchNearby",
      args: {
        fieldMask: "*",
        includedTypes: ["restaurant"],
        locationRestriction: {
          circle: { center: { latitude: 59.33, longitude: 18.07 }, radius: 800 },
        },
      },
    },
    {
      op: "routes.computeRoutes",
      args: {
        fieldMask: "*",
        origin: { address: "Sandvik harbour" },
        destination: { address: "Nørrevig station" },
        travelMode: "DRIVE",
      },
    },
    {
      op: "routes.computeRouteMatrix",
      args: {
        fieldMask: "*",
        origins: [{ waypoint: { address: "Sandvik harbour" } }],
        destinations: [
          { waypoint: { address: "Nørrevig station" } },
          { waypoint: { address: "Sandvik airport" } },
        ],
      },
    },
    { op: "maps.geocoding.geocode", args: { address: "Harbour Row 12, Sandvik" } },
    {
      op: "maps.distancematrix.get",
      args: { origins: "Sandvik|Østby", destinations: "Nørrevig|Sandvik airport" },
    },
    ...[
      { dimensions: ["query"], rowLimit: 1 },
      { dimensions: ["query", "page"], rowLimit: 50 },
      { dimensions: ["date"], rowLimit: 30 },
      { dimensions: ["query", "page", "country", "device"], rowLimit: 250 },
    ].map((query) => ({ op: "searchconsole.searchanalytics.query", args: { ...rows, ...query } })),
    { op: "searchconsole.sites.list", args: {} },
    { op: "searchconsole.sitemaps.list", args: { siteUrl: SITE } },
    {
      op: "searchconsole.urlInspection.index.inspect",
      args: { siteUrl: SITE, inspectionUrl: "https://www.example.com/moorings" },
    },
    ...[10, 4].map((num) => ({
      op: "customsearch.cse.list",
      args: { q: `harbour ferries ${num}`, cx: "0123456789", num },
    })),
    ...[12, 60].map((pageSize) => ({
      op: "googleads.keywordPlanIdeas.generateKeywordIdeas",
      args: { customerId: "1234567890", keywords: ["boat hire", "kayak rental"], pageSize },
    })),
    {
      op: "googleads.keywordPlanIdeas.generateKeywordHistoricalMetrics",
      args: { customerId: "1234567890", keywords: ["boat hire", "canoe trip", "harbour tour"] },
    },
    { op: "photoslibrary.albums.list", args: { pageSize: 10 } },
    { op: "photoslibrary.mediaItems.list", args: { pageSize: 20 } },
    { op: "photoslibrary.mediaItems.search", args: { albumId: "AF1QipNq4", pageSize: 12 } },
    { op: "youtube.search.list", args: { part: "snippet", q: "quota", maxResults: 5 }, error: 403 },
  ];
  for (const request of reads) await call(N, request);
}

async function batches({ batch }: PlanRecorder, known: Known): Promise<void> {
  const message = (index: number): PlannedRequest => ({
    op: "gmail.users.messages.get",
    args: { ...ME, id: pick(known.messages, index) },
  });
  const thread = (index: number): PlannedRequest => ({
    op: "gmail.users.threads.get",
    args: { ...ME, id: pick(known.threads, index) },
  });
  const event = (index: number): PlannedRequest => ({
    op: "calendar.events.get",
    args: { calendarId: "primary", eventId: pick(known.events, index) },
  });
  const agenda = (maxResults: number): PlannedRequest => ({
    op: "calendar.events.list",
    args: { calendarId: "primary", singleEvents: true, orderBy: "startTime", maxResults },
  });
  const file = (index: number): PlannedRequest => ({
    op: "drive.files.get",
    args: { fileId: pick(known.files, index) },
    naive: WHOLE,
  });
  const files = (pageSize: number): PlannedRequest => ({
    op: "drive.files.list",
    args: { pageSize, orderBy: "modifiedTime desc" },
    naive: WHOLE,
  });
  const shares = (index: number): PlannedRequest => ({
    op: "drive.permissions.list",
    args: { fileId: pick(known.files, index) },
    naive: WHOLE,
  });
  const person = (index: number): PlannedRequest => ({
    op: "people.people.get",
    args: { resourceName: pick(known.contacts, index), personFields: PERSON },
  });
  const todo = (index: number): PlannedRequest => ({
    op: "tasks.tasks.list",
    args: { tasklist: pick(known.tasklists, index), showCompleted: index % 2 === 0 },
  });
  const cells = (index: number, range: string): PlannedRequest => {
    const spreadsheetId = pick(known.sheets, index);
    return {
      op: "sheets.spreadsheets.values.get",
      args: { spreadsheetId, range: `${known.tabs.get(spreadsheetId)}!${range}` },
    };
  };
  const video = (index: number): PlannedRequest => ({
    op: "youtube.videos.list",
    args: { part: "snippet,statistics,contentDetails", id: pick(known.videos, index) },
  });
  const document = (index: number): PlannedRequest => ({
    op: "docs.documents.get",
    args: { documentId: pick(known.documents, index) },
  });
  const work = (pageSize: number): PlannedRequest => ({
    op: "classroom.courses.courseWork.list",
    args: { courseId: "713405822911", pageSize },
  });
  const chat = (pageSize: number): PlannedRequest => ({
    op: "chat.spaces.messages.list",
    args: { parent: "spaces/AAQA7x2kLmw", pageSize },
  });
  const users = (maxResults: number): PlannedRequest => ({
    op: "admin.directory.users.list",
    args: { customer: "my_customer", maxResults },
  });
  const failed = (request: PlannedRequest, error: number): PlannedRequest => ({
    ...request,
    error,
  });

  const deck = (index: number): PlannedRequest => ({
    op: "slides.presentations.get",
    args: { presentationId: pick(known.slides, index) },
  });
  const answers = (pageSize: number): PlannedRequest => ({
    op: "forms.forms.responses.list",
    args: { formId: "1FAIpQLSd0fNxKq", pageSize },
  });
  const people = (pageSize: number): PlannedRequest => ({
    op: "people.connections.list",
    args: { personFields: PERSON, pageSize },
  });
  const place = (textQuery: string): PlannedRequest => ({
    op: "places.searchText",
    args: { fieldMask: "*", textQuery },
  });
  const courses = (pageSize: number): PlannedRequest => ({
    op: "classroom.courses.list",
    args: { pageSize },
  });
  const logins = (maxResults: number): PlannedRequest => ({
    op: "adminreports.activities.list",
    args: { applicationName: "login", userKey: "all", maxResults },
  });
  const playlists = (maxResults: number): PlannedRequest => ({
    op: "youtube.playlists.list",
    args: { part: "snippet,status,contentDetails", mine: true, maxResults },
  });
  const label = (id: string): PlannedRequest => ({
    op: "gmail.users.labels.get",
    args: { ...ME, id },
  });
  const spaces = (pageSize: number): PlannedRequest => ({
    op: "chat.spaces.list",
    args: { pageSize },
  });

  // Of one kind.
  await batch(message(20), message(21));
  await batch(thread(6), thread(7));
  await batch(event(21), event(22), event(23));
  await batch(file(20), file(21));
  await batch(person(5), person(6), person(7));
  await batch(video(0), video(1));
  await batch(shares(10), shares(11), shares(12), shares(13));
  await batch(document(4), document(5));
  await batch(deck(2), deck(3));
  await batch(work(3), work(6));
  await batch(label("UNREAD"), label("STARRED"), label("SENT"), label("DRAFT"));
  await batch(place("bakery in Østby"), place("ferry office in Sandvik"));
  // Mixed.
  await batch(message(30), event(30), file(30));
  await batch(people(6), agenda(4));
  await batch(thread(9), person(8), event(31));
  await batch(agenda(10), todo(0), files(5));
  await batch(files(8), cells(1, "A1:D12"), document(6), person(9));
  await batch(chat(3), users(4), work(4));
  await batch(chat(6), todo(1));
  await batch(users(9), courses(3), event(32), file(31));
  await batch(work(5), document(7), cells(2, "A1:H40"));
  await batch(video(3), logins(5), spaces(4));
  await batch(playlists(4), answers(6), todo(0));
  await batch(cells(3, "A1:E25"), file(32), shares(14), person(11));
  await batch(deck(4), agenda(15), answers(3));
  await batch(failed(file(33), 404), people(12));
  await batch(label("IMPORTANT"), failed(event(33), 404), person(12));
  await batch(failed(chat(4), 403), users(5), work(2), todo(1));
  await batch(agenda(6), failed(files(6), 429), thread(10));
  await batch(failed(video(5), 403), cells(4, "A1:C9"));
  await batch(courses(5), logins(8), document(8), chat(2));
  await batch(users(12), work(7), chat(8));
  await batch(people(18), event(34));
  await batch(cells(5, "A1:J80"), spaces(6), video(6), answers(9));
  await batch(todo(0), courses(2), users(3));
  await batch(label("SPAM"), shares(15));
  await batch(playlists(7), file(35), deck(5), work(9));
  await batch(document(9), chat(5), person(14));
  await batch(logins(12), place("museum near Nørrevig"));
  await batch(video(7), users(6), shares(16), cells(0, "B2:F14"));
}

async function writes({ call, look }: PlanRecorder, known: Known): Promise<void> {
  const D = "write_destructive";
  const mail = (subject: string, body: string, to: string): JsonObject => ({
    raw: new TextEncoder().encode(
      `To: ${to}\r\nSubject: ${subject}\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n${body}\r\n`,
    ).toBase64({ alphabet: "base64url", omitPadding: true }),
  });
  const letters: [string, string, string][] = [
    ["Tide table for June", "Low water at 05:40; see you on the quay.", "hanna.weiss@example.com"],
    ["Keys", "I left them with Priya.", "priya.raghunathan@example.com"],
    ["Survey of the north pier", "Cracks at piles 4, 9 and 11. Photos follow.", "ops@example.org"],
  ];
  for (const [subject, body, to] of letters) {
    await call(D, {
      op: "gmail.users.messages.send",
      args: { ...ME, body: mail(subject, body, to) },
    });
  }
  for (const [subject, body, to] of letters.slice(0, 2)) {
    await call(D, {
      op: "gmail.users.drafts.create",
      args: { ...ME, body: { message: mail(`Draft: ${subject}`, body, to) } },
    });
  }
  for (const index of [60, 61]) {
    await call(D, {
      op: "gmail.users.messages.trash",
      args: { ...ME, id: pick(known.messages, index) },
    });
  }
  await call(D, {
    op: "gmail.users.messages.modify",
    args: {
      ...ME,
      id: pick(known.messages, 62),
      addLabelIds: ["STARRED"],
      removeLabelIds: ["UNREAD"],
    },
  });
  await call(D, {
    op: "gmail.users.labels.create",
    args: { ...ME, body: { name: "Harbour/Berth 7 – naïve", labelListVisibility: "labelShow" } },
  });
  const created: string[] = [];
  for (const name of ["Berth plan 2026", "潮汐 notes", "Old ropes, sorted"]) {
    created.push(text(
      await call(D, {
        op: "drive.files.create",
        args: { body: { name, mimeType: "application/vnd.google-apps.document" } },
      }),
      "id",
    ));
  }
  for (const [index, role] of ["reader", "writer"].entries()) {
    await call(D, {
      op: "drive.permissions.create",
      args: {
        fileId: pick(created, index),
        body: { type: "user", role, emailAddress: "jonas.okafor@example.org" },
      },
    });
  }
  await call(D, {
    op: "drive.files.update",
    args: { fileId: pick(created, 0), body: { name: "Berth plan 2026, final" } },
  });
  for (const fileId of created.slice(1)) {
    await call(D, { op: "drive.files.delete", args: { fileId } });
  }
  const meetings = ["Quay inspection", "Sailmaker: cost & colour", "Frühstück", "Crane ⚓ test"];
  const booked: string[] = [];
  for (const [index, summary] of meetings.entries()) {
    booked.push(text(
      await call(D, {
        op: "calendar.events.insert",
        args: {
          calendarId: "primary",
          body: {
            summary,
            location: "Pier 3",
            start: { dateTime: `2026-06-0${index + 1}T09:00:00+02:00` },
            end: { dateTime: `2026-06-0${index + 1}T09:45:00+02:00` },
            attendees: [{ email: "jonas.okafor@example.org" }, { email: "hanna.weiss@example.com" }]
              .slice(0, index),
          },
        },
      }),
      "id",
    ));
  }
  for (const index of [0, 1]) {
    await call(D, {
      op: "calendar.events.patch",
      args: {
        calendarId: "primary",
        eventId: pick(booked, index),
        body: { location: `Pier ${index + 5}` },
      },
    });
  }
  await call(D, {
    op: "calendar.events.delete",
    args: { calendarId: "primary", eventId: pick(booked, 2) },
  });
  const book = pick(known.sheets, 1);
  const tab = known.tabs.get(book) ?? "";
  await call(D, {
    op: "sheets.spreadsheets.values.update",
    args: {
      spreadsheetId: book,
      range: `${tab}!A1:B2`,
      valueInputOption: "RAW",
      body: { values: [["Berth", "Depth, m"], ["=7", 3.4]] },
    },
  });
  await call(D, {
    op: "sheets.spreadsheets.values.append",
    args: {
      spreadsheetId: book,
      range: `${tab}!A1:B1`,
      valueInputOption: "RAW",
      body: { values: [["true", "0012"], [null, "“quoted”, with comma"]] },
    },
  });
  const made = text(
    await call(D, {
      op: "sheets.spreadsheets.create",
      args: { body: { properties: { title: "Mooring fees" } } },
    }),
    "spreadsheetId",
  );
  await look("sheets.spreadsheets.get", { spreadsheetId: made });
  const tasks: string[] = [];
  for (const title of ["Paint the bollards", "Ordne Ersatzteile\tund Öl"]) {
    tasks.push(text(
      await call(D, {
        op: "tasks.tasks.insert",
        args: { tasklist: "@default", body: { title, notes: `${title}\nbefore Friday` } },
      }),
      "id",
    ));
  }
  await call(D, {
    op: "tasks.tasks.delete",
    args: { tasklist: "@default", task: pick(tasks, 1) },
  });
  await call(D, {
    op: "docs.documents.create",
    args: { body: { title: "Minutes, harbour board" } },
  });
  await call(D, {
    op: "people.people.createContact",
    args: {
      body: {
        names: [{ givenName: "Åse", familyName: "Lund" }],
        emailAddresses: [{ value: "ase.lund@example.net" }],
      },
    },
  });
}
