import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { startEmulator } from "../mod.ts";
import type { Emulator } from "../types.ts";

interface Answer {
  status: number;
  json: JsonObject;
  text: string;
}

async function withEmulator(
  run: (
    ask: (url: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>,
    emulator: Emulator,
  ) => Promise<void>,
): Promise<void> {
  const emulator = await startEmulator();
  try {
    await run(async (url, body, headers = {}) => {
      const response = await fetch(emulator.rewrite(new URL(url)), {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${emulator.credentials.bearer}`,
          "developer-token": emulator.credentials.developerToken,
          "content-type": "application/json",
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
    }, emulator);
  } finally {
    await emulator.close();
  }
}

const objects = (value: unknown) => (value ?? []) as JsonObject[];

Deno.test("web: places and routes want a field mask and honour it", () =>
  withEmulator(async (ask) => {
    const places = "https://places.googleapis.com/v1/places:searchText";
    assert.equal((await ask(places, { textQuery: "cafe" })).status, 400);
    const masked = await ask(places, { textQuery: "cafe" }, {
      "x-goog-fieldmask": "places.id,places.displayName.text",
    });
    for (const place of objects(masked.json.places)) {
      assert.deepEqual(Object.keys(place).sort(), ["displayName", "id"]);
    }
    assert.deepEqual(
      (await ask(places, { textQuery: "nowhere" }, { "x-goog-fieldmask": "*" })).json,
      {},
    );
    const routes = "https://routes.googleapis.com/directions/v2:computeRoutes";
    const ends = { origin: { address: "A" }, destination: { address: "B" } };
    const route = await ask(routes, ends, {
      "x-goog-fieldmask": "routes.duration,routes.distanceMeters",
    });
    assert.deepEqual(Object.keys(objects(route.json.routes)[0] ?? {}).sort(), [
      "distanceMeters",
      "duration",
    ]);
  }));

Deno.test("web: every video that search lists has details", () =>
  withEmulator(async (ask) => {
    const base = "https://youtube.googleapis.com/youtube/v3";
    const found = await ask(`${base}/search?part=snippet&q=tides&maxResults=25`);
    const ids = objects(found.json.items).map(({ id }) => (id as JsonObject).videoId);
    assert.equal(ids.length, 25);
    const { json } = await ask(`${base}/videos?part=snippet,statistics&id=${ids.join(",")}`);
    assert.deepEqual(objects(json.items).map(({ id }) => id), ids);
    assert.equal((await ask(`${base}/search?part=nonsense&q=x`)).status, 400);
  }));

Deno.test("web: search analytics and web search answer by their arguments", () =>
  withEmulator(async (ask) => {
    const url = `https://searchconsole.googleapis.com/webmasters/v3/sites/${
      encodeURIComponent("https://www.example.com/")
    }/searchAnalytics/query`;
    const dates = await ask(url, {
      startDate: "2026-05-01",
      endDate: "2026-05-10",
      dimensions: ["date"],
    });
    assert.deepEqual(
      objects(dates.json.rows).map(({ keys }) => (keys as string[])[0]).slice(0, 2),
      ["2026-05-01", "2026-05-02"],
    );
    assert.equal(objects(dates.json.rows).length, 10);
    const pages = await ask(url, {
      startDate: "2026-05-01",
      endDate: "2026-05-10",
      dimensions: ["page"],
      rowLimit: 7,
    });
    assert.equal(objects(pages.json.rows).length, 7);
    assert.match(
      String((objects(pages.json.rows)[0]?.keys as string[])[0]),
      /^https:\/\/www\.example\.com\//,
    );
    assert.equal((await ask(url, { startDate: "soon", endDate: "2026-05-10" })).status, 400);
    const search = "https://customsearch.googleapis.com/customsearch/v1";
    const page = await ask(`${search}?q=boats&cx=e1&num=4&start=5`);
    assert.equal(objects(page.json.items).length, 4);
    assert.equal("items" in (await ask(`${search}?q=qqxyzzyqq&cx=e1`)).json, false);
    assert.equal((await ask(`${search}?q=boats`)).status, 400);
  }));
