import assert from "node:assert/strict";
import { jumpingClock, tokenFor } from "../../dispatch/testdata/fixture.ts";
import type { Invocation } from "../../dispatch/types.ts";
import { isGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { openSession, type Session } from "../../session/mod.ts";

const ACCOUNT = { operatingAccount: { accountType: "GOOGLE_ADS", accountId: "1234567890" } };
const NOW = "2026-05-19T10:00:00Z";

async function withEmulator(run: (session: Session) => Promise<void>): Promise<void> {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    clock: jumpingClock(Date.parse(NOW)),
  });
  try {
    await run(session);
  } finally {
    await session.close();
  }
}

async function ingest(session: Session, body: JsonObject): Promise<string> {
  const call: Invocation = {
    opId: "datamanager.events.ingest",
    args: { body: { destinations: [ACCOUNT], ...body } },
    allowWrite: true,
    format: "json",
  };
  const confirmationToken = await tokenFor(session.kernel, call);
  const answer = await session.kernel.dispatch({ ...call, confirmed: true, confirmationToken });
  return String((answer.structuredContent as JsonObject).requestId);
}

Deno.test("Data Manager on the emulator: counts, warnings and errors by destination", async () => {
  await withEmulator(async (session) => {
    const event = { eventTimestamp: NOW, transactionId: "t1" };
    const requestId = await ingest(session, {
      events: [
        event,
        { ...event, customVariables: [{ variable: "v", value: "1" }] },
        { eventTimestamp: "2020-01-01T00:00:00Z" },
      ],
    });
    const status = await session.kernel.dispatch({
      opId: "datamanager.requestStatus.retrieve",
      args: { requestId },
      format: "json",
    });
    assert.deepEqual(status.structuredContent, {
      requestStatusPerDestination: [{
        destination: ACCOUNT,
        requestStatus: "PARTIAL_SUCCESS",
        errorInfo: {
          errorCounts: [
            { recordCount: "1", reason: "PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID" },
            { recordCount: "1", reason: "PROCESSING_ERROR_REASON_EVENT_TOO_OLD" },
          ],
        },
        warningInfo: {
          warningCounts: [{
            recordCount: "1",
            reason: "PROCESSING_WARNING_REASON_CUSTOM_VARIABLE_NOT_ENABLED",
          }],
        },
        eventsIngestionStatus: { recordCount: "3" },
      }],
    });
  });
});

Deno.test("Data Manager on the emulator: a dry run changes nothing, an error names its request", async () => {
  await withEmulator(async (session) => {
    const requestId = await ingest(session, {
      events: [{ eventTimestamp: NOW }],
      validateOnly: true,
    });
    await assert.rejects(
      session.kernel.dispatch({ opId: "datamanager.requestStatus.retrieve", args: { requestId } }),
      (error) => isGumError(error, "RESOURCE_NOT_FOUND"),
    );
    await assert.rejects(ingest(session, { events: [{ eventTimestamp: "soon" }] }), (error) => {
      assert.ok(isGumError(error, "INVALID_ARGS"));
      const { details } = error as unknown as { details: JsonObject };
      assert.match(String(details.request_id), /^[0-9a-f]{32}$/);
      assert.deepEqual(details.field_violations, [{
        field: "events[0].event_timestamp",
        description: "A time is required.",
        reason: "INVALID_TIMESTAMP",
      }]);
      return true;
    });
    const state = session.emulator?.inspect() as Record<string, JsonObject>;
    const [services] = Object.values(state);
    assert.deepEqual(services?.data_manager, { requests: {} });
  });
});
