/** Every convenience tool against the real kernel and the emulator, over the wire. */

import { equal, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { CONVENIENCE_TOOLS } from "./roster.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { envelopeOf, type RawPeer, textOf, withPeer } from "./testdata/raw_peer.ts";
import type { ToolDefinition } from "./types.ts";

/** Calls a tool; a change is confirmed with the token of its first answer. */
async function run(peer: RawPeer, name: string, args: JsonObject): Promise<JsonObject> {
  const first = await peer.call(name, args);
  if (first.isError !== true) return first;
  const refusal = envelopeOf(first);
  if (refusal.error_code !== "REQUIRES_CONFIRMATION") return first;
  return await peer.call(name, {
    ...args,
    confirmed: true,
    confirmation_token: refusal.confirmation_token ?? "",
  });
}

/** The `data` of a JSON answer. */
async function dataOf(peer: RawPeer, name: string, args: JsonObject): Promise<JsonObject> {
  const result = await peer.call(name, { ...args, format: "json" });
  const structured = result.structuredContent;
  if (!isJsonObject(structured) || !isJsonObject(structured.data)) {
    throw new Error(`${name}: ${textOf(result)}`);
  }
  return structured.data;
}

function first(list: unknown, matching: (entry: JsonObject) => boolean = () => true): string {
  const found = Array.isArray(list) ? list.find(matching) : undefined;
  if (!isJsonObject(found) || typeof found.id !== "string") throw new Error("nothing to work with");
  return found.id;
}

const mail = btoa("To: a@example.com\r\nSubject: Hello\r\n\r\nHi\r\n");
const when = (hour: number) => ({ dateTime: `2026-12-01T${hour}:00:00Z` });

Deno.test("TestTierAResponseShapeConformance: every convenience tool works on the emulator", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const { messages } = await dataOf(peer, "gmail_search", { userId: "me", maxResults: 3 });
      const { files } = await dataOf(peer, "drive_find", { pageSize: 100 });
      const ofType = (part: string) => first(files, (file) => String(file.mimeType).includes(part));
      const lists = await dataOf(peer, "gum.read", { op_id: "tasks.tasklists.list" });
      const tasklist = first(lists.items);
      const event = await run(peer, "calendar_create_event", {
        calendarId: "primary",
        event: { summary: "Lunch", start: when(10), end: when(11) },
      });
      const created = (event.structuredContent as { data: { id: string } }).data;
      const calls: Record<string, JsonObject> = {
        gmail_search: { userId: "me", maxResults: 3 },
        gmail_get_message: { userId: "me", id: first(messages) },
        gmail_send: { userId: "me", message: { raw: mail } },
        gmail_create_draft: { userId: "me", message: { raw: mail } },
        drive_find: { pageSize: 3 },
        drive_get_file: { fileId: first(files) },
        drive_share: {
          fileId: ofType("document"),
          permission: { role: "reader", type: "user", emailAddress: "b@example.com" },
        },
        calendar_upcoming: { calendarId: "primary", maxResults: 3 },
        calendar_create_event: {
          calendarId: "primary",
          event: { summary: "Tea", start: when(15), end: when(16) },
        },
        calendar_update_event: {
          calendarId: "primary",
          eventId: created.id,
          event: { summary: "Late lunch", start: when(12), end: when(13) },
        },
        docs_get: { documentId: ofType("document") },
        docs_create: { document: { title: "Plan" } },
        sheets_read: { spreadsheetId: ofType("spreadsheet"), range: "A1:B2" },
        sheets_write: {
          spreadsheetId: ofType("spreadsheet"),
          range: "A1:B1",
          values: [["a", 1]],
          valueInputOption: "RAW",
        },
        slides_get: { presentationId: ofType("presentation") },
        tasks_list: { tasklist },
        tasks_create: { tasklist, task: { title: "Write" } },
      };
      const { result } = await peer.request("tools/list");
      const tools = (result as JsonObject).tools as unknown as ToolDefinition[];
      for (const name of CONVENIENCE_TOOLS) {
        const args = calls[name];
        // The plugin behind it is not installed here; the kernel's own refusal is checked below.
        if (name === "flights_search") continue;
        if (args === undefined) throw new Error(`no call for ${name}`);
        const called = await run(peer, name, args);
        equal(called.isError, undefined, `${name}: ${textOf(called)}`);
        const schema = tools.find((tool) => tool.name === name)?.outputSchema;
        if (schema === undefined) throw new Error(`${name} has no output schema`);
        const validate = new Ajv2020({ strict: false }).compile(schema);
        ok(validate(called.structuredContent), `${name}: ${JSON.stringify(validate.errors)}`);
      }
      const flights = await peer.call("flights_search", {
        origin: "BER",
        destination: "LIS",
        departure_date: "2026-12-24",
      });
      equal(flights.isError, true);
      ok(typeof envelopeOf(flights).error_code === "string");
    });
  });
});

Deno.test("TestPolicyHighStakesWriteRequiresConfirmationToken: a changed argument needs a new token", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const args = { userId: "me", message: { raw: mail } };
      const refusal = envelopeOf(await peer.call("gmail_send", args));
      const token = refusal.confirmation_token ?? "";
      const changed = await peer.call("gmail_send", {
        ...args,
        threadId: "other",
        confirmed: true,
        confirmation_token: token,
      });
      equal(envelopeOf(changed).error_code, "CONFIRMATION_TOKEN_INVALID");
      equal(
        (await peer.call("gmail_send", { ...args, confirmed: true, confirmation_token: token }))
          .isError,
        undefined,
      );
    });
  });
});

Deno.test("TestDispatchAndShapeStructuredContentValidates: every format of real answers", async () => {
  const reads: Record<string, JsonObject> = {
    "gmail.users.messages.list": { q: "is:unread" },
    "gmail.users.messages.list ": { q: "subject:nothing-is-called-this" },
    "gmail.users.getProfile": {},
    "drive.files.list": { pageSize: 5 },
    "drive.about.get": {},
    "calendar.events.list": { maxResults: 5 },
    "calendar.colors.get": {},
    "tasks.tasklists.list": {},
    "people.connections.list": { pageSize: 5 },
    "youtube.search.list": { part: ["snippet"], q: "drone" },
  };
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const { result } = await peer.request("tools/list");
      const tools = (result as JsonObject).tools as unknown as ToolDefinition[];
      const schema = tools.find((tool) => tool.name === "gum.read")?.outputSchema;
      if (schema === undefined) throw new Error("gum.read has no output schema");
      const validate = new Ajv2020({ strict: false }).compile(schema);
      for (const [op, args] of Object.entries(reads)) {
        for (const format of ["toon", "json", "csv", "markdown", "raw"]) {
          const called = await peer.call("gum.read", { op_id: op.trim(), args, format });
          const where = `${op} as ${format}`;
          equal(called.isError, undefined, `${where}: ${textOf(called)}`);
          ok(validate(called.structuredContent), `${where}: ${JSON.stringify(validate.errors)}`);
          const { _expression } = called.structuredContent as { _expression: JsonObject };
          equal(_expression.op_id, op.trim(), where);
        }
      }
    });
  });
});
