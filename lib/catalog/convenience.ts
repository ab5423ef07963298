/**
 * The eighteen convenience tools as data (spec 01 §3.9, amended by 11 §3 and §4): the single source
 * of their schemas, annotations and routing, and what the generator's gate reads.
 */

import type { Format } from "./types.ts";

/** One convenience tool over one operation. */
export interface ConvenienceRow {
  /** Tool name, `^[a-z][a-z0-9_]+$`. */
  tool: string;
  opId: string;
  /** `default`: the kernel's own selection. */
  variantRule: "default" | { fixed: string };
  /** Argument names that the tool requires, in schema order. */
  required: readonly string[];
  /** Further argument names, in schema order; without the controls. */
  optional: readonly string[];
  /** Argument whose whole object becomes `args.body`. */
  bodyArg?: string;
  /** Arguments that each land at `args.body[name]`. */
  bodyFields?: readonly string[];
  /** Formats of an answer; the first is the fallback. */
  formats: readonly Format[];
  /** True for writes: the tool takes `confirmed` and `confirmation_token`. */
  confirmationPassthrough: boolean;
  /** Argument that may be a mail in plain fields instead of `raw` (spec 11 §3). */
  mailArg?: string;
  /** Filled in when the caller leaves them out (spec 11 §4). `{ now: true }`: the current time. */
  defaults?: Readonly<Record<string, string | boolean | { now: true }>>;
}

/** All rows, in roster order. */
export const CONVENIENCE_ROWS: readonly ConvenienceRow[] = [
  {
    tool: "gmail_search",
    opId: "gmail.users.messages.list",
    variantRule: "default",
    required: ["userId"],
    optional: ["q", "labelIds", "maxResults", "pageToken"],
    formats: ["toon", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "gmail_get_message",
    opId: "gmail.users.messages.get",
    variantRule: "default",
    required: ["userId", "id"],
    // `format` is the operation's own: how much of the message Gmail returns.
    optional: ["format", "metadataHeaders"],
    formats: ["markdown", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "gmail_send",
    opId: "gmail.users.messages.send",
    variantRule: "default",
    required: ["userId", "message"],
    optional: ["threadId"],
    bodyArg: "message",
    bodyFields: ["threadId"],
    formats: ["json"],
    confirmationPassthrough: true,
    mailArg: "message",
  },
  {
    tool: "gmail_create_draft",
    opId: "gmail.users.drafts.create",
    variantRule: "default",
    required: ["userId", "message"],
    optional: [],
    bodyFields: ["message"],
    formats: ["json"],
    confirmationPassthrough: true,
    mailArg: "message",
  },
  {
    tool: "drive_find",
    opId: "drive.files.list",
    variantRule: "default",
    required: [],
    optional: [
      "q",
      "pageSize",
      "pageToken",
      "orderBy",
      "corpora",
      "driveId",
      "includeItemsFromAllDrives",
      "supportsAllDrives",
    ],
    formats: ["toon", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "drive_get_file",
    opId: "drive.files.get",
    variantRule: "default",
    required: ["fileId"],
    optional: ["fields", "supportsAllDrives"],
    formats: ["markdown", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "drive_share",
    opId: "drive.permissions.create",
    variantRule: "default",
    required: ["fileId", "permission"],
    optional: ["sendNotificationEmail", "emailMessage"],
    bodyArg: "permission",
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "calendar_upcoming",
    opId: "calendar.events.list",
    variantRule: "default",
    required: ["calendarId"],
    optional: ["timeMin", "timeMax", "q", "maxResults", "pageToken", "singleEvents", "orderBy"],
    formats: ["toon", "json"],
    confirmationPassthrough: false,
    defaults: { timeMin: { now: true }, singleEvents: true, orderBy: "startTime" },
  },
  {
    tool: "calendar_create_event",
    opId: "calendar.events.insert",
    variantRule: "default",
    required: ["calendarId", "event"],
    optional: ["sendUpdates"],
    bodyArg: "event",
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "calendar_update_event",
    opId: "calendar.events.update",
    variantRule: "default",
    required: ["calendarId", "eventId", "event"],
    optional: ["sendUpdates"],
    bodyArg: "event",
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "docs_get",
    opId: "docs.documents.get",
    variantRule: "default",
    required: ["documentId"],
    optional: ["suggestionsViewMode", "includeTabsContent"],
    formats: ["markdown", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "docs_create",
    opId: "docs.documents.create",
    variantRule: "default",
    required: ["document"],
    optional: [],
    bodyArg: "document",
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "sheets_read",
    opId: "sheets.spreadsheets.values.get",
    variantRule: "default",
    required: ["spreadsheetId", "range"],
    optional: ["majorDimension", "valueRenderOption", "dateTimeRenderOption"],
    formats: ["csv", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "sheets_write",
    opId: "sheets.spreadsheets.values.update",
    variantRule: "default",
    required: ["spreadsheetId", "range", "values", "valueInputOption"],
    optional: ["includeValuesInResponse"],
    bodyFields: ["values"],
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "slides_get",
    opId: "slides.presentations.get",
    variantRule: "default",
    required: ["presentationId"],
    optional: ["fields"],
    formats: ["json"],
    confirmationPassthrough: false,
  },
  {
    tool: "tasks_list",
    opId: "tasks.tasks.list",
    variantRule: "default",
    required: ["tasklist"],
    optional: ["showCompleted", "showHidden", "maxResults", "pageToken"],
    formats: ["toon", "json"],
    confirmationPassthrough: false,
  },
  {
    tool: "tasks_create",
    opId: "tasks.tasks.insert",
    variantRule: "default",
    required: ["tasklist", "task"],
    optional: ["parent", "previous"],
    bodyArg: "task",
    formats: ["json"],
    confirmationPassthrough: true,
  },
  {
    tool: "flights_search",
    opId: "flights.search",
    variantRule: { fixed: "flights.v1.plugin.search" },
    required: ["origin", "destination", "departure_date"],
    optional: ["return_date", "adults", "cabin"],
    formats: ["toon", "json"],
    confirmationPassthrough: false,
  },
];

/** Row of a tool, undefined when it has none. */
export function convenienceRow(tool: string): ConvenienceRow | undefined {
  return CONVENIENCE_ROWS.find((row) => row.tool === tool);
}
