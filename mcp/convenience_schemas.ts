/**
 * Input schemas of the convenience tools, generated from the table in `lib/catalog` (spec 01 §3.9).
 * Only the JSON types of the advertised names live here: the table says which names there are.
 */

import type { ConvenienceRow } from "../lib/catalog/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { closedObject, CONFIRMATION_PROPERTIES } from "./meta_schemas.ts";
import type { JsonSchemaObject } from "./types.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const record: JsonObject = { type: "object" };
const texts: JsonObject = { type: "array", items: text };
const upTo = (maximum: number): JsonObject => ({ type: "integer", minimum: 1, maximum });
const oneOf = (...values: string[]): JsonObject => ({ type: "string", enum: values });

/** The fields of a message a model can write (spec 11 §3), named where they are needed. */
const mailMessage: JsonObject = {
  type: "object",
  description: "raw, or to, cc, bcc, reply_to, from, subject, text, html, " +
    "in_reply_to_message_id, forward_message_id, attachments",
};

/** Types by argument name; a `tool.name` key wins over a plain one. Anything else is a string. */
const ARGUMENT_TYPES: Record<string, JsonObject> = {
  adults: upTo(9),
  document: record,
  event: record,
  includeItemsFromAllDrives: flag,
  includeTabsContent: flag,
  includeValuesInResponse: flag,
  labelIds: texts,
  majorDimension: oneOf("ROWS", "COLUMNS"),
  message: mailMessage,
  metadataHeaders: texts,
  pageSize: upTo(1000),
  permission: record,
  sendNotificationEmail: flag,
  sendUpdates: oneOf("all", "externalOnly", "none"),
  showCompleted: flag,
  showHidden: flag,
  singleEvents: flag,
  supportsAllDrives: flag,
  task: record,
  valueInputOption: oneOf("RAW", "USER_ENTERED"),
  values: { type: "array", items: { type: "array", items: {} } },
  "calendar_upcoming.maxResults": upTo(2500),
  "gmail_get_message.format": oneOf("minimal", "full", "raw", "metadata"),
  "gmail_search.maxResults": upTo(500),
  "tasks_list.maxResults": upTo(100),
};

/** Whether the row offers `format` as a control of this surface rather than as the op's own field. */
export function hasFormatControl(row: ConvenienceRow): boolean {
  return row.formats.length > 1 && ![...row.required, ...row.optional].includes("format");
}

/** The input schema of a convenience tool. */
export function convenienceInputSchema(row: ConvenienceRow): JsonSchemaObject {
  const properties: JsonObject = {};
  for (const name of [...row.required, ...row.optional]) {
    properties[name] = ARGUMENT_TYPES[`${row.tool}.${name}`] ?? ARGUMENT_TYPES[name] ?? text;
  }
  if (hasFormatControl(row)) properties.format = oneOf(...row.formats);
  if (row.confirmationPassthrough) Object.assign(properties, CONFIRMATION_PROPERTIES);
  return closedObject(properties, [...row.required]);
}
