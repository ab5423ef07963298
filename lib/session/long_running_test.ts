import assert from "node:assert/strict";
import { jumpingClock } from "../dispatch/testdata/fixture.ts";
import { isGumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { openSession, type Session } from "./mod.ts";

const SIGNAL = new AbortController().signal;

async function withEmulator(run: (session: Session) => Promise<void>): Promise<void> {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    clock: jumpingClock(Date.parse("2026-05-19T10:00:00Z")),
  });
  try {
    await run(session);
  } finally {
    await session.close();
  }
}

Deno.test("TestPollProgressTokenContract: a session waits for an operation of the emulator", async () => {
  await withEmulator(async ({ poll, emulator }) => {
    const name = "projects/p/locations/l/operations/made";
    emulator?.startOperation?.({ name, polls: 2, response: { rows: 3 } });
    const ticks: number[] = [];
    const request = {
      operationName: name,
      handles: [],
      onPending: (seconds: number) => {
        ticks.push(seconds);
        return Promise.resolve();
      },
    };
    assert.deepEqual(await poll?.(request, SIGNAL), { name, done: true, response: { rows: 3 } });
    assert.deepEqual(ticks, [0, 2]);
    await assert.rejects(
      async () => await poll?.({ ...request, operationName: "operations/nobody" }, SIGNAL),
      (error) => isGumError(error, "LRO_UNROUTABLE"),
    );
    const polled = emulator?.journal.filter(({ path }) => path.includes("/operations/")) ?? [];
    assert.ok(polled.length >= 4);
    assert.ok(polled.every(({ headers }) => headers.authorization?.startsWith("Bearer ")));
  });
});

Deno.test("TestBackendBindingGoogleAds: the shipped keyword operations answer on the emulator", async () => {
  await withEmulator(async ({ kernel, emulator }) => {
    const call = (method: string, args: JsonObject) =>
      kernel.dispatch({
        opId: `googleads.keywordPlanIdeas.${method}`,
        args: { customerId: "123-456-7890", ...args },
        format: "json",
        maxItems: "all",
      });
    const ideas = await call("generateKeywordIdeas", {
      keywords: "kettle, tea pot",
      pageSize: 200,
    });
    const page = ideas.structuredContent as JsonObject;
    assert.equal((page.results as JsonObject[]).length, 200);
    const rest = await call("generateKeywordIdeas", {
      keywords: "kettle, tea pot",
      pageSize: 200,
      pageToken: nextPageToken(ideas.upstreamBytes),
    });
    assert.equal(((rest.structuredContent as JsonObject).results as JsonObject[]).length, 43);
    const history = await call("generateKeywordHistoricalMetrics", {
      keywords: ["Kettle", "kettles", "tea pot"],
    });
    const { results } = history.structuredContent as { results: JsonObject[] };
    assert.deepEqual(results.map(({ matchedInputs }) => matchedInputs), [
      ["Kettle", "kettles"],
      ["tea pot"],
    ]);
    await call("generateKeywordForecastMetrics", { keywords: ["kettle"] });
    assert.equal(emulator?.journal.at(-1)?.headers["developer-token"] !== undefined, true);
  });
});

function nextPageToken(bytes: Uint8Array | undefined): string {
  return JSON.parse(new TextDecoder().decode(bytes)).nextPageToken;
}
