/** What Data Manager refuses at the door, and how it says so. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { badRequest, errorInfo, requestInfo } from "../error_body.ts";
import { EmulatedError } from "../service.ts";
import { RECORDS, type RequestKind } from "./status.ts";

/** One field that is not acceptable. */
export interface Problem {
  field: string;
  description: string;
  reason: string;
}

const MOST_RECORDS = 2_000;

/** Everything wrong with a request; empty when it would be accepted. */
export function problemsOf(kind: RequestKind, body: JsonObject): Problem[] {
  const problems: Problem[] = [];
  const refuse = (field: string, description: string, reason: string) =>
    problems.push({ field, description, reason });
  const destinations = listOf(body.destinations);
  if (destinations.length === 0) {
    refuse("destinations", "At least one destination is required.", "REQUIRED_FIELD_MISSING");
  }
  for (const [index, destination] of destinations.entries()) {
    const account = isJsonObject(destination) ? destination.operatingAccount : undefined;
    if (isJsonObject(account) && /^[0-9]+$/.test(String(account.accountId))) continue;
    refuse(
      `destinations[${index}].operating_account.account_id`,
      "The account id must be a number without dashes.",
      "INVALID_ACCOUNT_ID",
    );
  }
  const { key, field } = RECORDS[kind];
  const records = listOf(body[key]);
  if (records.length === 0) {
    refuse(field, "At least one entry is required.", "REQUIRED_FIELD_MISSING");
  }
  if (records.length > MOST_RECORDS) {
    refuse(field, `At most ${MOST_RECORDS} entries are accepted.`, "TOO_MANY_ENTRIES");
  }
  for (const [index, record] of records.entries()) {
    if (kind === "events") {
      const time = isJsonObject(record) ? record.eventTimestamp : undefined;
      if (typeof time === "string" && !Number.isNaN(Date.parse(time))) continue;
      refuse(`events[${index}].event_timestamp`, "A time is required.", "INVALID_TIMESTAMP");
    } else if (!isJsonObject(record) || Object.keys(record).length === 0) {
      refuse(`${field}[${index}]`, "An identifier is required.", "REQUIRED_FIELD_MISSING");
    }
  }
  return problems;
}

/** A 400 with the fields and the request's id. */
export function invalidRequest(problems: readonly Problem[], requestId: string): EmulatedError {
  return new EmulatedError(400, "There was a problem with the request.", {
    status: "INVALID_ARGUMENT",
    details: [
      errorInfo("INVALID_ARGUMENT", { requestId }, "datamanager.googleapis.com"),
      badRequest(problems),
      requestInfo(requestId),
    ],
  });
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
