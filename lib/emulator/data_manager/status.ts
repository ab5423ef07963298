/** What became of an accepted request, by destination. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";

/** What a request carries. */
export type RequestKind = "events" | "members" | "removal";

/** Where the records of a request are, in the body and in error texts. */
export const RECORDS: Readonly<Record<RequestKind, { key: string; field: string }>> = {
  events: { key: "events", field: "events" },
  members: { key: "audienceMembers", field: "audience_members" },
  removal: { key: "audienceMembers", field: "audience_members" },
};

const OLDEST_EVENT_MS = 90 * 86_400_000;

/** Statuses of all destinations; transaction ids are added to `known`. */
export function destinationStatuses(
  kind: RequestKind,
  request: { body: JsonObject; now: number; known: Set<string> },
): JsonObject[] {
  const { body } = request;
  const records = listOf(body[RECORDS[kind].key]).filter(isJsonObject);
  const errors = kind === "events" ? eventErrors(records, request) : new Map<string, number>();
  const warned = records.filter((record) => listOf(record.customVariables).length > 0).length;
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  return listOf(body.destinations).filter(isJsonObject).map((destination) => ({
    destination,
    requestStatus: failed === 0
      ? "SUCCESS"
      : failed === records.length
      ? "FAILED"
      : "PARTIAL_SUCCESS",
    ...(failed === 0 ? {} : {
      errorInfo: {
        errorCounts: [...errors].map(([reason, count]) => ({
          recordCount: String(count),
          reason: `PROCESSING_ERROR_REASON_${reason}`,
        })),
      },
    }),
    ...(warned === 0 ? {} : {
      warningInfo: {
        warningCounts: [{
          recordCount: String(warned),
          reason: "PROCESSING_WARNING_REASON_CUSTOM_VARIABLE_NOT_ENABLED",
        }],
      },
    }),
    ...ingestionStatus(kind, records),
  }));
}

function ingestionStatus(kind: RequestKind, records: readonly JsonObject[]): JsonObject {
  const recordCount = String(records.length);
  if (kind === "events") return { eventsIngestionStatus: { recordCount } };
  const identifiers = records.reduce((sum, record) => {
    const data = isJsonObject(record.userData) ? record.userData : {};
    return sum + Math.max(1, listOf(data.userIdentifiers).length);
  }, 0);
  const counts = { recordCount, userIdentifierCount: String(identifiers) };
  return kind === "members"
    ? {
      audienceMembersIngestionStatus: {
        userDataIngestionStatus: { ...counts, uploadMatchRateRange: "MATCH_RATE_RANGE_51_TO_60" },
      },
    }
    : { audienceMembersRemovalStatus: { userDataRemovalStatus: counts } };
}

function eventErrors(
  events: readonly JsonObject[],
  request: { now: number; known: Set<string> },
): Map<string, number> {
  const errors = new Map<string, number>();
  const count = (reason: string) => errors.set(reason, (errors.get(reason) ?? 0) + 1);
  for (const { eventTimestamp, transactionId } of events) {
    if (Date.parse(String(eventTimestamp)) < request.now - OLDEST_EVENT_MS) {
      count("EVENT_TOO_OLD");
    } else if (typeof transactionId === "string") {
      if (request.known.has(transactionId)) count("DUPLICATE_TRANSACTION_ID");
      request.known.add(transactionId);
    }
  }
  return errors;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
