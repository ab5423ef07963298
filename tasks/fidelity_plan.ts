/** Which calls the fidelity fixtures are recorded from, in order; later ones build on earlier ones. */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";

/** One call whose complete answer becomes a fixture. */
export interface PlannedCall {
  /** Fixture name. */
  name: string;
  op: string;
  /** Arguments, or how they follow from the answers so far. */
  args: JsonObject | ((answers: Answers) => JsonObject);
  /** The call changes the emulated world, so that a later one has something to show. */
  write?: true;
  /** The answer only leads to others and becomes no fixture. */
  step?: true;
}

/** A value found by a path of keys and indices in an earlier answer. */
export type Answers = (fixture: string, ...path: (string | number)[]) => JsonValue;

/** Follows a path; a miss is a defect of the plan. */
export function valueAt(body: JsonValue, path: readonly (string | number)[]): JsonValue {
  let value: JsonValue | undefined = body;
  for (const step of path) {
    value = Array.isArray(value) && typeof step === "number"
      ? value[step]
      : isJsonObject(value) && typeof step === "string"
      ? value[step]
      : undefined;
  }
  if (value === undefined) throw new Error(`nothing at ${path.join(".")}`);
  return value;
}

const SITE = "sc-domain:example.com";

/** Every recorded call. */
export const FIDELITY_PLAN: readonly PlannedCall[] = [
  // Gmail
  {
    name: "gmail.messages.list",
    op: "gmail.users.messages.list",
    args: { userId: "me", maxResults: 50 },
  },
  {
    name: "gmail.threads.list",
    op: "gmail.users.threads.list",
    args: { userId: "me", maxResults: 50 },
  },
  { name: "gmail.labels.list", op: "gmail.users.labels.list", args: { userId: "me" } },
  { name: "gmail.labels.get", op: "gmail.users.labels.get", args: { userId: "me", id: "INBOX" } },
  { name: "gmail.drafts.list", op: "gmail.users.drafts.list", args: { userId: "me" } },
  {
    name: "gmail.drafts.get",
    op: "gmail.users.drafts.get",
    args: (at) => ({ userId: "me", id: at("gmail.drafts.list", "drafts", 0, "id") }),
  },
  { name: "gmail.profile.get", op: "gmail.users.getProfile", args: { userId: "me" } },
  { name: "gmail.vacation.get", op: "gmail.users.settings.getVacation", args: { userId: "me" } },
  ...[
    "newsletter",
    "digest",
    "attachment",
    "plain",
    "latin_1",
    "shift_jis",
    "windows_1252",
    "cut_off",
  ].flatMap((kind) => {
    const query: Record<string, string> = {
      newsletter: "unsubscribe",
      digest: "unsubscribe older_than:20d",
      attachment: "has:attachment filename:pdf",
      plain: "category:primary -has:attachment",
      shift_jis: "干潟調査",
      windows_1252: "Caterer",
      latin_1: "Südkai",
      cut_off: "copier",
    };
    const calls: PlannedCall[] = [
      {
        step: true,
        name: `find.${kind}`,
        op: "gmail.users.messages.list",
        args: { userId: "me", q: query[kind] as string, maxResults: 5 },
      },
      {
        name: `gmail.messages.get.${kind}`,
        op: "gmail.users.messages.get",
        args: (at: Answers) => ({ userId: "me", id: at(`find.${kind}`, "messages", 0, "id") }),
      },
    ];
    return calls;
  }),
  {
    step: true,
    name: "find.thread",
    op: "gmail.users.threads.list",
    args: { userId: "me", q: "subject:re", maxResults: 5 },
  },
  {
    name: "gmail.threads.get",
    op: "gmail.users.threads.get",
    args: (at) => ({ userId: "me", id: at("find.thread", "threads", 0, "id") }),
  },
  {
    name: "gmail.threads.get.other",
    op: "gmail.users.threads.get",
    args: (at) => ({ userId: "me", id: at("find.thread", "threads", 2, "id") }),
  },
  {
    name: "gmail.messages.get.metadata",
    op: "gmail.users.messages.get",
    args: (at) => ({
      userId: "me",
      id: at("find.newsletter", "messages", 1, "id"),
      format: "metadata",
    }),
  },
  // Calendar
  { name: "calendar.calendar_list.list", op: "calendar.calendarList.list", args: {} },
  {
    name: "calendar.calendar_list.get",
    op: "calendar.calendarList.get",
    args: { calendarId: "primary" },
  },
  { name: "calendar.calendars.get", op: "calendar.calendars.get", args: { calendarId: "primary" } },
  {
    name: "calendar.events.list",
    op: "calendar.events.list",
    args: { calendarId: "primary", singleEvents: true, orderBy: "startTime", maxResults: 40 },
  },
  {
    name: "calendar.events.list.series",
    op: "calendar.events.list",
    args: { calendarId: "primary", maxResults: 60 },
  },
  {
    name: "calendar.events.get.day",
    op: "calendar.events.get",
    args: (at) => ({
      calendarId: "primary",
      eventId: at("calendar.events.list", "items", 2, "id"),
    }),
  },
  {
    step: true,
    name: "find.meeting",
    op: "calendar.events.list",
    args: { calendarId: "primary", q: "review", singleEvents: true, maxResults: 5 },
  },
  {
    name: "calendar.events.get.meeting",
    op: "calendar.events.get",
    args: (at) => ({ calendarId: "primary", eventId: at("find.meeting", "items", 0, "id") }),
  },
  { name: "calendar.acl.list", op: "calendar.acl.list", args: { calendarId: "primary" } },
  {
    name: "calendar.acl.get",
    op: "calendar.acl.get",
    args: (at) => ({
      calendarId: "primary",
      ruleId: at("calendar.acl.list", "items", 0, "id"),
    }),
  },
  {
    name: "calendar.freebusy.query",
    op: "calendar.freebusy.query",
    args: {
      timeMin: "2026-05-18T00:00:00Z",
      timeMax: "2026-05-25T00:00:00Z",
      items: [{ id: "primary" }],
    },
  },
  { name: "calendar.settings.list", op: "calendar.settings.list", args: {} },
  { name: "calendar.settings.get", op: "calendar.settings.get", args: { setting: "timezone" } },
  { name: "calendar.colors.get", op: "calendar.colors.get", args: {} },
  // Drive
  { name: "drive.about.get", op: "drive.about.get", args: { fields: "*" } },
  {
    name: "drive.files.list",
    op: "drive.files.list",
    args: { pageSize: 30, fields: "*" },
  },
  {
    name: "drive.files.get",
    op: "drive.files.get",
    args: (at) => ({ fileId: at("drive.files.list", "files", 3, "id"), fields: "*" }),
  },
  {
    name: "drive.permissions.list",
    op: "drive.permissions.list",
    args: (at) => ({ fileId: at("drive.files.list", "files", 3, "id"), fields: "*" }),
  },
  {
    name: "drive.permissions.get",
    op: "drive.permissions.get",
    args: (at) => ({
      fileId: at("drive.files.list", "files", 3, "id"),
      permissionId: at("drive.permissions.list", "permissions", 0, "id"),
      fields: "*",
    }),
  },
  { name: "drive.drives.list", op: "drive.drives.list", args: { fields: "*" } },
  {
    name: "drive.drives.get",
    op: "drive.drives.get",
    args: (at) => ({ driveId: at("drive.drives.list", "drives", 0, "id"), fields: "*" }),
  },
  // Documents
  {
    step: true,
    name: "find.document",
    op: "drive.files.list",
    args: { q: "mimeType = 'application/vnd.google-apps.document'", pageSize: 5 },
  },
  {
    name: "docs.documents.get",
    op: "docs.documents.get",
    args: (at) => ({ documentId: at("find.document", "files", 0, "id") }),
  },
  {
    name: "docs.documents.get.long",
    op: "docs.documents.get",
    args: (at) => ({ documentId: at("find.document", "files", 1, "id") }),
  },
  {
    step: true,
    name: "find.presentation",
    op: "drive.files.list",
    args: { q: "mimeType = 'application/vnd.google-apps.presentation'", pageSize: 5 },
  },
  {
    name: "slides.presentations.get",
    op: "slides.presentations.get",
    args: (at) => ({ presentationId: at("find.presentation", "files", 0, "id") }),
  },
  {
    name: "slides.presentations.get.other",
    op: "slides.presentations.get",
    args: (at) => ({ presentationId: at("find.presentation", "files", 1, "id") }),
  },
  {
    step: true,
    name: "find.spreadsheet",
    op: "drive.files.list",
    args: { q: "mimeType = 'application/vnd.google-apps.spreadsheet'", pageSize: 5 },
  },
  {
    name: "sheets.spreadsheets.get",
    op: "sheets.spreadsheets.get",
    args: (at) => ({ spreadsheetId: at("find.spreadsheet", "files", 0, "id") }),
  },
  {
    name: "sheets.spreadsheets.get.grid",
    op: "sheets.spreadsheets.get",
    args: (at) => ({
      spreadsheetId: at("find.spreadsheet", "files", 0, "id"),
      includeGridData: true,
      ranges: [`${at("sheets.spreadsheets.get", "sheets", 0, "properties", "title")}!A1:H40`],
    }),
  },
  {
    name: "sheets.values.get",
    op: "sheets.spreadsheets.values.get",
    args: (at) => ({
      spreadsheetId: at("find.spreadsheet", "files", 0, "id"),
      range: `${at("sheets.spreadsheets.get", "sheets", 0, "properties", "title")}!A1:J60`,
    }),
  },
  {
    name: "sheets.values.batch_get",
    op: "sheets.spreadsheets.values.batchGet",
    args: (at) => {
      const sheet = at("sheets.spreadsheets.get", "sheets", 0, "properties", "title");
      return {
        spreadsheetId: at("find.spreadsheet", "files", 0, "id"),
        ranges: [`${sheet}!A1:C20`, `${sheet}!E1:H20`],
      };
    },
  },
  { name: "tasks.tasklists.list", op: "tasks.tasklists.list", args: {} },
  {
    name: "tasks.tasklists.get",
    op: "tasks.tasklists.get",
    args: (at) => ({ tasklist: at("tasks.tasklists.list", "items", 0, "id") }),
  },
  {
    name: "tasks.tasks.list",
    op: "tasks.tasks.list",
    args: (at) => ({
      tasklist: at("tasks.tasklists.list", "items", 0, "id"),
      showCompleted: true,
      showHidden: true,
    }),
  },
  {
    name: "tasks.tasks.get",
    op: "tasks.tasks.get",
    args: (at) => ({
      tasklist: at("tasks.tasklists.list", "items", 0, "id"),
      task: at("tasks.tasks.list", "items", 0, "id"),
    }),
  },
  // People
  {
    name: "people.connections.list",
    op: "people.connections.list",
    args: {
      personFields:
        "names,emailAddresses,phoneNumbers,organizations,photos,memberships,metadata,birthdays,addresses",
      pageSize: 40,
    },
  },
  {
    name: "people.people.get",
    op: "people.people.get",
    args: (at) => ({
      resourceName: at("people.connections.list", "connections", 1, "resourceName"),
      personFields:
        "names,emailAddresses,phoneNumbers,organizations,photos,memberships,metadata,birthdays,addresses,biographies,urls",
    }),
  },
  {
    name: "people.contacts.search",
    op: "people.people.searchContacts",
    args: {
      query: "a",
      readMask: "names,emailAddresses,phoneNumbers,organizations,photos,metadata",
    },
  },
  { name: "people.contact_groups.list", op: "people.contactGroups.list", args: {} },
  {
    name: "people.contact_groups.get",
    op: "people.contactGroups.get",
    args: (at) => ({
      resourceName: at("people.contact_groups.list", "contactGroups", 0, "resourceName"),
      maxMembers: 50,
    }),
  },
  // Chat and Meet
  { name: "chat.spaces.list", op: "chat.spaces.list", args: { pageSize: 25 } },
  { name: "chat.spaces.get", op: "chat.spaces.get", args: { name: "spaces/AAQA7x2kLmw" } },
  {
    name: "chat.messages.list",
    op: "chat.spaces.messages.list",
    args: { parent: "spaces/AAQA7x2kLmw", pageSize: 25 },
  },
  {
    name: "chat.messages.get",
    op: "chat.spaces.messages.get",
    args: { name: "spaces/AAQA7x2kLmw/messages/UMxbHmzDlr4.UMxbHmzDlr4" },
  },
  {
    name: "chat.members.list",
    op: "chat.spaces.members.list",
    args: { parent: "spaces/AAQA7x2kLmw", pageSize: 25 },
  },
  { name: "meet.conference_records.list", op: "meet.conferenceRecords.list", args: {} },
  {
    name: "meet.conference_records.get",
    op: "meet.conferenceRecords.get",
    args: { name: "conferenceRecords/3f6c2d71" },
  },
  {
    name: "meet.recordings.list",
    op: "meet.conferenceRecords.recordings.list",
    args: { parent: "conferenceRecords/3f6c2d71" },
  },
  {
    name: "meet.transcripts.list",
    op: "meet.conferenceRecords.transcripts.list",
    args: { parent: "conferenceRecords/3f6c2d71" },
  },
  { name: "meet.spaces.get", op: "meet.spaces.get", args: { name: "spaces/jQCFfuBOdN5z" } },
  // Classroom and Forms
  { name: "classroom.courses.list", op: "classroom.courses.list", args: { pageSize: 20 } },
  { name: "classroom.courses.get", op: "classroom.courses.get", args: { id: "713405822911" } },
  {
    name: "classroom.course_work.list",
    op: "classroom.courses.courseWork.list",
    args: { courseId: "713405822911", pageSize: 20 },
  },
  {
    name: "classroom.course_work.get",
    op: "classroom.courses.courseWork.get",
    args: { courseId: "713405822911", id: "713405990021" },
  },
  {
    name: "classroom.announcements.list",
    op: "classroom.courses.announcements.list",
    args: { courseId: "713405822911", pageSize: 20 },
  },
  {
    name: "classroom.students.list",
    op: "classroom.courses.students.list",
    args: { courseId: "713405822911", pageSize: 30 },
  },
  { name: "forms.forms.get", op: "forms.forms.get", args: { formId: "1FAIpQLSd0fNxKq" } },
  {
    name: "forms.responses.list",
    op: "forms.forms.responses.list",
    args: { formId: "1FAIpQLSd0fNxKq", pageSize: 20 },
  },
  {
    name: "forms.responses.get",
    op: "forms.forms.responses.get",
    args: { formId: "1FAIpQLSd0fNxKq", responseId: "ACYDBNhT2k" },
  },
  // Administration
  {
    name: "admin.users.list",
    op: "admin.directory.users.list",
    args: { customer: "my_customer", maxResults: 20 },
  },
  {
    name: "admin.users.get",
    op: "admin.directory.users.get",
    args: { userKey: "mara.lindqvist@example.com" },
  },
  {
    name: "admin.groups.list",
    op: "admin.directory.groups.list",
    args: { customer: "my_customer", maxResults: 20 },
  },
  {
    name: "admin.groups.get",
    op: "admin.directory.groups.get",
    args: { groupKey: "crew@example.com" },
  },
  {
    name: "admin.members.list",
    op: "admin.directory.members.list",
    args: { groupKey: "crew@example.com", maxResults: 25 },
  },
  {
    name: "admin.members.get",
    op: "admin.directory.members.get",
    args: { groupKey: "crew@example.com", memberKey: "mara.lindqvist@example.com" },
  },
  {
    name: "adminreports.activities.list",
    op: "adminreports.activities.list",
    args: { applicationName: "login", userKey: "all", maxResults: 25 },
  },
  {
    name: "adminreports.customer_usage.get",
    op: "adminreports.customerUsageReports.get",
    args: { date: "2026-05-15" },
  },
  {
    name: "adminreports.entity_usage.get",
    op: "adminreports.entityUsageReports.get",
    args: { date: "2026-05-15", entityType: "gplus_communities", entityKey: "all" },
  },
  {
    name: "adminreports.user_usage.get",
    op: "adminreports.userUsageReport.get",
    args: { date: "2026-05-15", userKey: "all" },
  },
  {
    name: "cloudidentity.groups.list",
    op: "cloudidentity.groups.list",
    args: { parent: "customers/C03az79cb", pageSize: 20 },
  },
  {
    name: "cloudidentity.groups.get",
    op: "cloudidentity.groups.get",
    args: { name: "groups/03x8tuzt2k" },
  },
  {
    name: "cloudidentity.memberships.list",
    op: "cloudidentity.groups.memberships.list",
    args: { parent: "groups/03x8tuzt2k", pageSize: 20 },
  },
  {
    name: "cloudidentity.memberships.get",
    op: "cloudidentity.groups.memberships.get",
    args: { name: "groups/03x8tuzt2k/memberships/1133557799" },
  },
  {
    name: "groupssettings.groups.get",
    op: "groupssettings.groups.get",
    args: { groupUniqueId: "crew@example.com" },
  },
  { name: "vault.matters.list", op: "vault.matters.list", args: { pageSize: 20 } },
  { name: "vault.matters.get", op: "vault.matters.get", args: { matterId: "matter-4471" } },
  // Apps Script
  {
    name: "script.projects.get",
    op: "script.projects.get",
    args: { scriptId: "1BvH7kQpXnR" },
  },
  {
    name: "script.projects.get_content",
    op: "script.projects.getContent",
    args: { scriptId: "1BvH7kQpXnR" },
  },
  {
    name: "script.deployments.list",
    op: "script.projects.deployments.list",
    args: { scriptId: "1BvH7kQpXnR" },
  },
  // Search, ads, places, media
  { name: "searchconsole.sites.list", op: "searchconsole.sites.list", args: {} },
  { name: "searchconsole.sites.get", op: "searchconsole.sites.get", args: { siteUrl: SITE } },
  {
    name: "searchconsole.sitemaps.list",
    op: "searchconsole.sitemaps.list",
    args: { siteUrl: SITE },
  },
  {
    name: "searchconsole.sitemaps.get",
    op: "searchconsole.sitemaps.get",
    args: { siteUrl: SITE, feedpath: "https://www.example.com/sitemap.xml" },
  },
  {
    name: "searchconsole.search_analytics.query",
    op: "searchconsole.searchanalytics.query",
    args: {
      siteUrl: SITE,
      startDate: "2026-04-01",
      endDate: "2026-04-30",
      dimensions: ["query", "page"],
      rowLimit: 50,
    },
  },
  {
    name: "searchconsole.url_inspection.inspect",
    op: "searchconsole.urlInspection.index.inspect",
    args: { siteUrl: SITE, inspectionUrl: "https://www.example.com/moorings" },
  },
  {
    name: "indexing.metadata.get",
    op: "indexing.urlNotifications.getMetadata",
    args: { url: "https://www.example.com/moorings" },
  },
  {
    name: "customsearch.cse.list",
    op: "customsearch.cse.list",
    args: { q: "harbour ferries", cx: "0123456789", num: 10 },
  },
  {
    name: "googleads.keyword_ideas",
    op: "googleads.keywordPlanIdeas.generateKeywordIdeas",
    args: {
      customerId: "1234567890",
      keywords: ["boat hire", "kayak rental"],
      pageSize: 60,
    },
  },
  {
    name: "googleads.keyword_historical.few",
    op: "googleads.keywordPlanIdeas.generateKeywordHistoricalMetrics",
    args: {
      customerId: "1234567890",
      keywords: ["boat hire", "kayak rental", "canoe trip", "harbour tour", "sailing lessons"],
    },
  },
  {
    name: "googleads.keyword_forecast",
    op: "googleads.keywordPlanIdeas.generateKeywordForecastMetrics",
    args: {
      customerId: "1234567890",
      keywords: ["boat hire", "kayak rental"],
    },
  },
  {
    name: "places.search_text",
    op: "places.searchText",
    args: { fieldMask: "*", textQuery: "seafood in Sandvik" },
  },
  {
    name: "places.search_nearby",
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
    name: "routes.compute",
    op: "routes.computeRoutes",
    args: {
      fieldMask: "*",
      origin: { address: "Sandvik harbour" },
      destination: { address: "Nørrevig station" },
      travelMode: "DRIVE",
    },
  },
  {
    name: "routes.matrix",
    op: "routes.computeRouteMatrix",
    args: {
      fieldMask: "*",
      origins: [
        { waypoint: { address: "Sandvik harbour" } },
        { waypoint: { address: "Østby market" } },
      ],
      destinations: [
        { waypoint: { address: "Nørrevig station" } },
        { waypoint: { address: "Sandvik airport" } },
        { waypoint: { address: "Østby school" } },
      ],
    },
  },
  {
    name: "maps.geocode",
    op: "maps.geocoding.geocode",
    args: { address: "Harbour Row 12, Sandvik" },
  },
  {
    name: "maps.distance_matrix",
    op: "maps.distancematrix.get",
    args: { origins: "Sandvik|Østby", destinations: "Nørrevig|Sandvik airport" },
  },
  {
    name: "maps.timezone",
    op: "maps.timezone.get",
    args: { location: "59.33,18.07", timestamp: "1779170577" },
  },
  {
    name: "youtube.search.list",
    op: "youtube.search.list",
    args: { part: "snippet", q: "sailing knots", maxResults: 25 },
  },
  {
    name: "youtube.videos.list",
    op: "youtube.videos.list",
    args: (at) => ({
      part: "snippet,contentDetails,statistics,status",
      id: [0, 1, 2, 3, 4].map((index) => at("youtube.search.list", "items", index, "id", "videoId"))
        .join(","),
    }),
  },
  {
    name: "youtube.channels.list",
    op: "youtube.channels.list",
    args: { part: "snippet,statistics,contentDetails", mine: true },
  },
  {
    name: "youtube.playlists.list",
    op: "youtube.playlists.list",
    args: { part: "snippet,status,contentDetails", mine: true, maxResults: 25 },
  },
  {
    name: "youtube.playlist_items.list",
    op: "youtube.playlistItems.list",
    args: { part: "snippet,contentDetails,status", playlistId: "PL7x2kLmwQ4", maxResults: 25 },
  },
  {
    name: "youtube.subscriptions.list",
    op: "youtube.subscriptions.list",
    args: { part: "snippet,contentDetails", mine: true, maxResults: 25 },
  },
  { name: "photos.albums.list", op: "photoslibrary.albums.list", args: { pageSize: 20 } },
  { name: "photos.albums.get", op: "photoslibrary.albums.get", args: { albumId: "AF1QipNq4" } },
  {
    name: "photos.media_items.list",
    op: "photoslibrary.mediaItems.list",
    args: { pageSize: 25 },
  },
  {
    name: "photos.media_items.get",
    op: "photoslibrary.mediaItems.get",
    args: { mediaItemId: "AF1QipM9z" },
  },
  {
    name: "photos.media_items.search",
    op: "photoslibrary.mediaItems.search",
    args: { albumId: "AF1QipNq4", pageSize: 25 },
  },
  {
    step: true,
    write: true,
    name: "do.ingest",
    op: "datamanager.events.ingest",
    args: {
      body: {
        destinations: [{
          operatingAccount: { accountId: "1234567890", accountType: "GOOGLE_ADS" },
          productDestinationId: "777001",
        }],
        events: [{
          transactionId: "order-4471",
          eventTimestamp: "2026-05-15T10:00:00Z",
          conversionValue: 249.5,
          currency: "EUR",
          userData: { userIdentifiers: [{ emailAddress: "a".repeat(64) }] },
        }],
        encoding: "HEX",
      },
    },
  },
  {
    name: "datamanager.request_status",
    op: "datamanager.requestStatus.retrieve",
    args: (at) => ({ requestId: at("do.ingest", "requestId") }),
  },
  ...[0, 1, 2].map((index): PlannedCall => ({
    step: true,
    write: true,
    name: `do.label.${index}`,
    op: "gmail.users.messages.modify",
    args: (at) => ({
      userId: "me",
      id: at("gmail.messages.list", "messages", index, "id"),
      addLabelIds: ["STARRED"],
      removeLabelIds: ["UNREAD"],
    }),
  })),
  {
    name: "gmail.history.list",
    op: "gmail.users.history.list",
    args: (at) => ({ userId: "me", startHistoryId: at("gmail.profile.get", "historyId") }),
  },
  // Answers to writes
  {
    write: true,
    name: "calendar.events.write",
    op: "calendar.events.insert",
    args: {
      calendarId: "primary",
      body: {
        summary: "Quay inspection",
        location: "Pier 3",
        start: { dateTime: "2026-06-02T09:00:00+02:00" },
        end: { dateTime: "2026-06-02T09:45:00+02:00" },
        attendees: [{ email: "jonas.okafor@example.org" }],
      },
    },
  },
  {
    write: true,
    name: "docs.documents.create",
    op: "docs.documents.create",
    args: { body: { title: "Minutes, harbour board" } },
  },
  {
    write: true,
    name: "sheets.spreadsheets.create",
    op: "sheets.spreadsheets.create",
    args: { body: { properties: { title: "Mooring fees" } } },
  },
  {
    write: true,
    name: "slides.presentations.create",
    op: "slides.presentations.create",
    args: { body: { title: "The season ahead" } },
  },
  {
    write: true,
    name: "tasks.tasks.write",
    op: "tasks.tasks.insert",
    args: { tasklist: "@default", body: { title: "Paint the bollards", notes: "before Friday" } },
  },
  {
    write: true,
    name: "tasks.tasklists.write",
    op: "tasks.tasklists.insert",
    args: { body: { title: "Harbour" } },
  },
  {
    write: true,
    name: "people.people.write",
    op: "people.people.createContact",
    args: {
      body: {
        names: [{ givenName: "Åse", familyName: "Lund" }],
        emailAddresses: [{ value: "ase.lund@example.net" }],
      },
    },
  },
  {
    write: true,
    name: "forms.forms.create",
    op: "forms.forms.create",
    args: { body: { info: { title: "Berth survey" } } },
  },
];
