/** Drive, Calendar, Sheets, Tasks, Docs and Slides over loopback HTTP, as clients reach them. */

import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";
import { startEmulator } from "../mod.ts";
import type { Emulator } from "../types.ts";

interface Answered {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  json: JsonObject;
}

type Ask = (
  method: string,
  url: string,
  given?: { json?: JsonValue; body?: Uint8Array; headers?: Record<string, string> },
) => Promise<Answered>;

async function withWorld(run: (ask: Ask, emulator: Emulator) => Promise<void>): Promise<void> {
  const emulator = await startEmulator();
  try {
    await run(async (method, url, given = {}) => {
      const headers = new Headers({
        authorization: `Bearer ${emulator.credentials.bearer}`,
        ...given.headers,
      });
      if (given.json !== undefined) headers.set("content-type", "application/json");
      const response = await fetch(emulator.rewrite(new URL(url)), {
        method,
        headers,
        redirect: "manual",
        ...(given.json === undefined && given.body === undefined ? {} : {
          body: given.json === undefined
            ? new Uint8Array(given.body ?? [])
            : JSON.stringify(given.json),
        }),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      const parsed = /json/.test(response.headers.get("content-type") ?? "") ? parseJson(text) : {};
      return {
        status: response.status,
        headers: response.headers,
        bytes,
        json: isJsonObject(parsed) ? parsed : {},
      };
    }, emulator);
  } finally {
    await emulator.close();
  }
}

const DRIVE = "https://www.googleapis.com/drive/v3";
const CALENDAR = "https://www.googleapis.com/calendar/v3";
const SHEETS = "https://sheets.googleapis.com/v4/spreadsheets";

Deno.test("workspace wire: masks filter whole files, tags revalidate, deletes answer 204 with nothing", () =>
  withWorld(async (ask) => {
    const list = await ask(
      "GET",
      `${DRIVE}/files?pageSize=3&fields=nextPageToken,files(id,name,owners(emailAddress))`,
    );
    const files = list.json.files as JsonObject[];
    assert.equal(files.length, 3);
    for (const file of files) {
      assert.ok(Object.keys(file).every((name) => ["id", "name", "owners"].includes(name)));
    }
    const whole = await ask("GET", `${DRIVE}/files?pageSize=3&fields=*`);
    assert.ok(whole.bytes.length > 8 * list.bytes.length);
    const made = await ask("POST", `${DRIVE}/files`, { json: { name: "weg.txt" } });
    const url = `${DRIVE}/files/${made.json.id}?fields=name,version`;
    const first = await ask("GET", url);
    const etag = String(first.headers.get("etag"));
    assert.equal((await ask("GET", url, { headers: { "if-none-match": etag } })).status, 304);
    await ask("PATCH", `${DRIVE}/files/${made.json.id}`, { json: { name: "neu.txt" } });
    assert.equal((await ask("GET", url, { headers: { "if-none-match": etag } })).status, 200);
    const gone = await ask("DELETE", `${DRIVE}/files/${made.json.id}`);
    assert.deepEqual([gone.status, gone.bytes.length], [204, 0]);
    const missing = await ask("GET", url);
    assert.equal(missing.status, 404);
    assert.equal(
      ((missing.json.error as JsonObject).errors as JsonObject[])[0]?.reason,
      "notFound",
    );
    assert.equal((await ask("GET", `${DRIVE}/about`)).status, 400);
  }));

Deno.test("workspace wire: a resumable upload arrives in chunks and downloads byte for byte", () =>
  withWorld(async (ask) => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const start = await ask(
      "POST",
      "https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&fields=*",
      {
        json: { name: "groß.bin" },
        headers: {
          "x-upload-content-type": "application/octet-stream",
          "x-upload-content-length": String(bytes.length),
        },
      },
    );
    assert.equal(start.status, 200);
    const session = String(start.headers.get("location"));
    const binary = { "content-type": "application/octet-stream" };
    const half = await ask("PUT", session, {
      body: bytes.subarray(0, 40_000),
      headers: { ...binary, "content-range": `bytes 0-39999/${bytes.length}` },
    });
    assert.equal(half.status, 308);
    assert.equal(half.headers.get("range"), "bytes=0-39999");
    const done = await ask("PUT", session, {
      body: bytes.subarray(40_000),
      headers: { ...binary, "content-range": `bytes 40000-59999/${bytes.length}` },
    });
    assert.equal(done.json.name, "groß.bin");
    assert.equal(done.json.size, String(bytes.length));
    const read = await ask("GET", `${DRIVE}/files/${done.json.id}?alt=media`);
    assert.deepEqual(read.bytes, bytes);
    assert.match(String(read.headers.get("x-goog-hash")), /md5=/);
  }));

Deno.test("workspace wire: ids with slashes, spaces, percent signs, plus and umlauts reach their calendar", () =>
  withWorld(async (ask) => {
    const id = "räume/nord 2+3 100%@group.calendar.example.com";
    const encoded = encodeURIComponent(id);
    assert.equal((await ask("GET", `${CALENDAR}/calendars/${encoded}`)).json.id, id);
    const made = await ask("POST", `${CALENDAR}/calendars/${encoded}/events`, {
      json: { summary: "Übergabe", start: { date: "2026-06-01" }, end: { date: "2026-06-02" } },
    });
    const url = `${CALENDAR}/calendars/${encoded}/events/${made.json.id}`;
    const read = await ask("GET", url);
    assert.equal(read.headers.get("etag"), made.json.etag);
    assert.equal(
      (await ask("GET", url, { headers: { "if-none-match": String(made.json.etag) } })).status,
      304,
    );
    assert.equal(
      (await ask(
        "GET",
        `${CALENDAR}/calendars/en.german%23holiday%40group.v.calendar.example.com/events?maxResults=1`,
      )).status,
      200,
    );
    assert.equal((await ask("DELETE", url)).status, 204);
    assert.equal((await ask("DELETE", url)).status, 410);
  }));

Deno.test("workspace wire: quoted sheet names, verbs and exact integers survive the path and the body", () =>
  withWorld(async (ask) => {
    const made = await ask("POST", SHEETS, {
      json: { properties: { title: "T" }, sheets: [{ properties: { title: "It's ü/1+1" } }] },
    });
    const base = `${SHEETS}/${made.json.spreadsheetId}`;
    const range = encodeURIComponent("'It''s ü/1+1'!A1:B2");
    const body = new TextEncoder().encode('{"values":[[9007199254740993,"=1+1"]]}');
    const written = await ask("PUT", `${base}/values/${range}?valueInputOption=USER_ENTERED`, {
      body,
      headers: { "content-type": "application/json" },
    });
    assert.equal(written.json.updatedRange, "'It''s ü/1+1'!A1:B1");
    await ask("POST", `${base}/values/${range}:append?valueInputOption=RAW`, {
      json: { values: [["x"]] },
    });
    const read = await ask("GET", `${base}/values/${range}?valueRenderOption=UNFORMATTED_VALUE`);
    assert.match(new TextDecoder().decode(read.bytes), /9007199254740993/);
    assert.equal(((read.json.values as JsonValue[][])[1] ?? [])[0], "x");
    const both = await ask("GET", `${base}/values:batchGet?ranges=${range}&ranges=${range}`);
    assert.equal((both.json.valueRanges as JsonValue[]).length, 2);
    assert.equal(
      (await ask("POST", `${base}/values/${range}:clear`)).json.clearedRange,
      "'It''s ü/1+1'!A1:B2",
    );
    const refused = await ask("GET", `${base}/values/Nope!A1`);
    assert.deepEqual([refused.status, (refused.json.error as JsonObject).status], [
      400,
      "INVALID_ARGUMENT",
    ]);
  }));

Deno.test("workspace wire: an editor's file shows in Drive, a Drive file opens in its editor", () =>
  withWorld(async (ask) => {
    const made = await ask("POST", "https://docs.googleapis.com/v1/documents", {
      json: { title: "Gemeinsam" },
    });
    const file = await ask("GET", `${DRIVE}/files/${made.json.documentId}?fields=name,mimeType`);
    assert.equal(file.json.name, "Gemeinsam");
    const list = await ask(
      "GET",
      `${DRIVE}/files?q=${
        encodeURIComponent("mimeType = 'application/vnd.google-apps.presentation'")
      }`,
    );
    const id = String((list.json.files as JsonObject[])[0]?.id);
    assert.equal(
      (await ask(
        "GET",
        `https://slides.googleapis.com/v1/presentations/${id}?fields=presentationId`,
      )).json.presentationId,
      id,
    );
  }));

Deno.test("workspace wire: tasks answer on both hosts", () =>
  withWorld(async (ask) => {
    const urls = ["https://tasks.googleapis.com", "https://www.googleapis.com"].map((host) =>
      `${host}/tasks/v1/users/@me/lists`
    );
    const [one, two] = await Promise.all(urls.map((url) => ask("GET", url)));
    assert.ok((one?.json.items as JsonValue[]).length > 3);
    assert.deepEqual(one?.json, two?.json);
  }));

Deno.test("workspace wire: an uploaded CSV becomes a spreadsheet when the metadata ask for one", () =>
  withWorld(async (ask) => {
    const boundary = "b-o-u-n-d";
    const body = new TextEncoder().encode(
      `--${boundary}\r\nContent-Type: application/json\r\n\r\n${
        JSON.stringify({ name: "Import", mimeType: "application/vnd.google-apps.spreadsheet" })
      }\r\n--${boundary}\r\nContent-Type: text/csv\r\n\r\n"a, ""b""",2\r\n50%,=1+1\r\n\r\n--${boundary}--`,
    );
    const made = await ask(
      "POST",
      "https://www.googleapis.com/upload/drive/v3/files?uploadType=multipart",
      { body, headers: { "content-type": `multipart/related; boundary=${boundary}` } },
    );
    assert.equal(made.json.mimeType, "application/vnd.google-apps.spreadsheet");
    const read = await ask("GET", `${SHEETS}/${made.json.id}/values/A1:B9`);
    assert.deepEqual(read.json.values, [['a, "b"', "2"], ["50.00%", "2"]]);
  }));
