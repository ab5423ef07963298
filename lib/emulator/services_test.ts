import assert from "node:assert/strict";
import type { JsonObject } from "../json/mod.ts";
import { startEmulator } from "./mod.ts";

const LISTS: { list: string; items: string; get: (item: JsonObject) => string }[] = [
  {
    list: "https://www.googleapis.com/drive/v3/files?pageSize=40",
    items: "files",
    get: ({ id }) => `https://www.googleapis.com/drive/v3/files/${id}`,
  },
  {
    list: "https://www.googleapis.com/calendar/v3/users/me/calendarList",
    items: "items",
    get: ({ id }) =>
      `https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(String(id))}`,
  },
  {
    list: "https://www.googleapis.com/calendar/v3/calendars/primary/events?maxResults=40",
    items: "items",
    get: ({ id }) => `https://www.googleapis.com/calendar/v3/calendars/primary/events/${id}`,
  },
  {
    list: "https://tasks.googleapis.com/tasks/v1/users/@me/lists",
    items: "items",
    get: ({ id }) => `https://tasks.googleapis.com/tasks/v1/users/@me/lists/${id}`,
  },
  {
    list:
      "https://www.googleapis.com/drive/v3/files?q=mimeType%3D'application/vnd.google-apps.document'&pageSize=10",
    items: "files",
    get: ({ id }) => `https://docs.googleapis.com/v1/documents/${id}`,
  },
  {
    list:
      "https://www.googleapis.com/drive/v3/files?q=mimeType%3D'application/vnd.google-apps.spreadsheet'&pageSize=10",
    items: "files",
    get: ({ id }) => `https://sheets.googleapis.com/v4/spreadsheets/${id}`,
  },
  {
    list:
      "https://www.googleapis.com/drive/v3/files?q=mimeType%3D'application/vnd.google-apps.presentation'&pageSize=10",
    items: "files",
    get: ({ id }) => `https://slides.googleapis.com/v1/presentations/${id}`,
  },
];

for (const { list, items, get } of LISTS) {
  Deno.test(`services: what ${new URL(list).pathname}${new URL(list).search} lists, get finds`, async () => {
    const emulator = await startEmulator();
    try {
      const read = async (url: string): Promise<JsonObject> => {
        const response = await fetch(emulator.rewrite(new URL(url)), {
          headers: { authorization: `Bearer ${emulator.credentials.bearer}` },
        });
        const text = await response.text();
        assert.equal(response.status, 200, `${url}: ${text.slice(0, 300)}`);
        return JSON.parse(text);
      };
      const found = (await read(list))[items] as JsonObject[];
      assert.ok(found.length > 0);
      for (const item of found) await read(get(item));
    } finally {
      await emulator.close();
    }
  });
}
