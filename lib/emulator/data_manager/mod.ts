/**
 * Emulated Data Manager: ingestion and removal, dry runs that change nothing, and the status of
 * each request by destination (spec 00 §10).
 *
 * @module
 */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { EmulatedCall, EmulatedRoute, EmulatedService, ServiceSeed } from "../service.ts";
import { EmulatedError } from "../service.ts";
import { invalidRequest, problemsOf } from "./checks.ts";
import { destinationStatuses, type RequestKind } from "./status.ts";

const HOST = "datamanager.googleapis.com";

/** Makes the service with no request received yet. */
export function createDataManager(seed: ServiceSeed): EmulatedService {
  const ids = seed.random.fork("data manager requests");
  const requests = new Map<string, JsonObject[]>();
  const transactions = new Set<string>();

  const receive = (kind: RequestKind) => (call: EmulatedCall) => {
    const body = isJsonObject(call.body ?? null) ? call.body as JsonObject : {};
    const requestId = ids.hex(32);
    const problems = problemsOf(kind, body);
    if (problems.length > 0) throw invalidRequest(problems, requestId);
    if (body.validateOnly !== true) {
      requests.set(
        requestId,
        destinationStatuses(kind, { body, now: call.now, known: transactions }),
      );
    }
    return { body: { requestId } };
  };

  const route = (
    methodId: string,
    pattern: string,
    handle: EmulatedRoute["handle"],
  ): EmulatedRoute => ({
    methodId: `datamanager.${methodId}`,
    method: methodId.endsWith("retrieve") ? "GET" : "POST",
    host: HOST,
    pattern,
    handle,
  });

  return {
    name: "data_manager",
    routes: [
      route("events.ingest", "/v1/events:ingest", receive("events")),
      route("audienceMembers.ingest", "/v1/audienceMembers:ingest", receive("members")),
      route("audienceMembers.remove", "/v1/audienceMembers:remove", receive("removal")),
      route("requestStatus.retrieve", "/v1/requestStatus:retrieve", (call) => {
        const requestId = call.query.get("requestId") ?? "";
        const statuses = requests.get(requestId);
        if (statuses === undefined) {
          throw new EmulatedError(404, "Requested entity was not found.", {
            reason: "notFound",
            status: "NOT_FOUND",
          });
        }
        return { body: { requestStatusPerDestination: structuredClone(statuses) } };
      }),
    ],
    inspect: () => ({ requests: Object.fromEntries(structuredClone([...requests])) }),
  };
}
