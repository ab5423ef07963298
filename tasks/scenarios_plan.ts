/** The ten tasks, each as the calls an agent makes with GUM and with a tool for each operation. */

import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { valueAt } from "./fidelity_plan.ts";
import type { Agent, Scenario } from "./scenarios.ts";

const ME = { userId: "me" };
const WHOLE = { fields: "*" };
const JONAS = "jonas.okafor@example.org";

function rows(answer: JsonValue, key: string): JsonValue[] {
  const list = isJsonObject(answer) ? answer[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function text(value: JsonValue, ...path: (string | number)[]): string {
  return String(valueAt(value, path));
}

function list(known: JsonObject, key: string): string[] {
  return rows(known, key).map(String);
}

/** What an agent does first that knows neither an operation nor its arguments. */
async function find(agent: Agent, query: string, opId: string): Promise<void> {
  await lookUp(agent, query);
  await agent.call("gum.describe_op", { op_id: opId });
}

/** The same where a search already names every argument the task needs: those that are required. */
async function lookUp(agent: Agent, query: string): Promise<void> {
  await agent.call("gum.search_apis", { query });
}

function subjectOf(message: JsonValue): string {
  const header = rows(valueAt(message, ["payload"]), "headers").find((entry) =>
    isJsonObject(entry) && entry.name === "Subject"
  );
  return header === undefined ? "" : text(header, "value");
}

/** Subjects that are plain words: encoded words are decoded by GUM, and so would not compare. */
function plainSubjects(messages: readonly JsonValue[]): string[] {
  return messages.map(subjectOf).filter((subject) => /^[\x20-\x7e]+$/.test(subject))
    .filter((subject) => !subject.includes("=?"));
}

/** Plain words in the first rows of the first tab. */
function cells(book: JsonValue): string[] {
  return rows(valueAt(book, ["sheets", 0, "data", 0]), "rowData").slice(0, 12)
    .flatMap((row) => rows(row, "values"))
    .map((cell) => isJsonObject(cell) ? cell.formattedValue : undefined)
    .filter((value) => typeof value === "string")
    .filter((value) => /^[A-Za-z .@-]{3,}$/.test(value));
}

function rawMail(to: string, subject: string, body: string): string {
  return new TextEncoder().encode(
    `To: ${to}\r\nSubject: ${subject}\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n${body}\r\n`,
  ).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Every scenario. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "triage a mailbox: read ten unread messages, star three",
    async naive(agent) {
      const found = await agent.call("gmail.users.messages.list", {
        ...ME,
        q: "is:unread",
        maxResults: 10,
      });
      const ids = rows(found, "messages").map((row) => text(row, "id"));
      const messages: JsonValue[] = [];
      for (const id of ids) {
        messages.push(await agent.call("gmail.users.messages.get", { ...ME, id }));
      }
      for (const id of ids.slice(0, 3)) {
        await agent.call("gmail.users.messages.modify", { ...ME, id, addLabelIds: ["STARRED"] });
      }
      return { known: { ids }, facts: [...ids, ...plainSubjects(messages)] };
    },
    async gum(agent, known) {
      await agent.call("gmail_search", { ...ME, q: "is:unread", maxResults: 10 });
      for (const id of list(known, "ids")) await agent.call("gmail_get_message", { ...ME, id });
      await find(agent, "add a label to a message", "gmail.users.messages.modify");
      for (const id of list(known, "ids").slice(0, 3)) {
        await agent.call("gum.write", {
          op_id: "gmail.users.messages.modify",
          args: { id, addLabelIds: ["STARRED"] },
        });
      }
    },
  },
  {
    name: "read three threads and draft an answer",
    async naive(agent) {
      const found = await agent.call("gmail.users.threads.list", {
        ...ME,
        q: "subject:re",
        maxResults: 10,
      });
      const ids = rows(found, "threads").slice(0, 3).map((row) => text(row, "id"));
      const facts = [...ids];
      for (const id of ids) {
        const thread = await agent.call("gmail.users.threads.get", { ...ME, id });
        facts.push(...plainSubjects(rows(thread, "messages").slice(0, 1)));
      }
      await agent.call("gmail.users.drafts.create", {
        ...ME,
        body: { message: { raw: rawMail(JONAS, "Re: the plan", "Agreed, see you there.") } },
      });
      return { known: { ids }, facts };
    },
    async gum(agent, known) {
      await find(agent, "list mail threads", "gmail.users.threads.list");
      await agent.call("gum.read", {
        op_id: "gmail.users.threads.list",
        args: { q: "subject:re", maxResults: 10 },
      });
      for (const id of list(known, "ids")) {
        await agent.call("gum.read", { op_id: "gmail.users.threads.get", args: { id } });
      }
      await agent.call("gmail_create_draft", {
        ...ME,
        message: { to: JONAS, subject: "Re: the plan", text: "Agreed, see you there." },
      });
    },
  },
  {
    name: "find a file among thirty, check who has it, share it",
    async naive(agent) {
      const found = await agent.call("drive.files.list", { pageSize: 30, ...WHOLE });
      const files = rows(found, "files");
      const fileId = text(files[3] ?? null, "id");
      await agent.call("drive.files.get", { fileId, ...WHOLE });
      const shares = await agent.call("drive.permissions.list", { fileId, ...WHOLE });
      await agent.call("drive.permissions.create", {
        fileId,
        body: { type: "user", role: "reader", emailAddress: JONAS },
      });
      return {
        known: { fileId },
        facts: [
          ...files.flatMap((file) => [text(file, "id"), text(file, "modifiedTime")]),
          ...rows(shares, "permissions").map((share) => text(share, "role")),
        ],
      };
    },
    async gum(agent, known) {
      const fileId = text(known, "fileId");
      await agent.call("drive_find", { pageSize: 30 });
      await agent.call("drive_get_file", { fileId });
      await lookUp(agent, "who has access to a file");
      await agent.call("gum.read", { op_id: "drive.permissions.list", args: { fileId } });
      await agent.call("drive_share", {
        fileId,
        permission: { type: "user", role: "reader", emailAddress: JONAS },
      });
    },
  },
  {
    name: "plan a meeting: the agenda, free time, invite",
    async naive(agent) {
      const window = { timeMin: "2026-05-20T00:00:00Z", timeMax: "2026-05-27T00:00:00Z" };
      const agenda = await agent.call("calendar.events.list", {
        calendarId: "primary",
        ...window,
        singleEvents: true,
        orderBy: "startTime",
        maxResults: 50,
      });
      await agent.call("calendar.freebusy.query", { ...window, items: [{ id: "primary" }] });
      await agent.call("calendar.events.insert", {
        calendarId: "primary",
        body: meeting(),
      });
      return { known: {}, facts: rows(agenda, "items").map((event) => text(event, "id")) };
    },
    async gum(agent) {
      const window = { timeMin: "2026-05-20T00:00:00Z", timeMax: "2026-05-27T00:00:00Z" };
      await agent.call("calendar_upcoming", {
        calendarId: "primary",
        ...window,
        singleEvents: true,
        orderBy: "startTime",
        maxResults: 50,
      });
      await find(agent, "free busy times", "calendar.freebusy.query");
      await agent.call("gum.read", {
        op_id: "calendar.freebusy.query",
        args: { ...window, items: [{ id: "primary" }] },
      });
      await agent.call("calendar_create_event", { calendarId: "primary", event: meeting() });
    },
  },
  {
    name: "update a sheet: find it, look at the grid, change two cells",
    async naive(agent) {
      const found = await agent.call("drive.files.list", {
        q: "mimeType = 'application/vnd.google-apps.spreadsheet'",
        pageSize: 10,
        ...WHOLE,
      });
      const spreadsheetId = text(found, "files", 0, "id");
      const book = await agent.call("sheets.spreadsheets.get", {
        spreadsheetId,
        includeGridData: true,
      });
      const tab = text(book, "sheets", 0, "properties", "title");
      await agent.call("sheets.spreadsheets.values.update", {
        spreadsheetId,
        range: `${tab}!C2:D2`,
        valueInputOption: "RAW",
        body: { values: [["done", "2026-05-19"]] },
      });
      return { known: { spreadsheetId, tab }, facts: [spreadsheetId, tab, ...cells(book)] };
    },
    async gum(agent, known) {
      const spreadsheetId = text(known, "spreadsheetId");
      const tab = text(known, "tab");
      await agent.call("drive_find", {
        q: "mimeType = 'application/vnd.google-apps.spreadsheet'",
        pageSize: 10,
      });
      await find(agent, "spreadsheet with its tabs", "sheets.spreadsheets.get");
      await agent.call("gum.read", {
        op_id: "sheets.spreadsheets.get",
        args: { spreadsheetId, includeGridData: true },
      });
      await agent.call("sheets_write", {
        spreadsheetId,
        range: `${tab}!C2:D2`,
        values: [["done", "2026-05-19"]],
        valueInputOption: "RAW",
      });
    },
  },
  {
    name: "read two documents, write a third",
    async naive(agent) {
      const found = await agent.call("drive.files.list", {
        q: "mimeType = 'application/vnd.google-apps.document'",
        pageSize: 10,
        ...WHOLE,
      });
      const ids = rows(found, "files").slice(0, 2).map((file) => text(file, "id"));
      const facts = [...ids];
      for (const documentId of ids) {
        facts.push(text(await agent.call("docs.documents.get", { documentId }), "title"));
      }
      await agent.call("docs.documents.create", { body: { title: "Summary" } });
      return { known: { ids }, facts };
    },
    async gum(agent, known) {
      await agent.call("drive_find", {
        q: "mimeType = 'application/vnd.google-apps.document'",
        pageSize: 10,
      });
      for (const documentId of list(known, "ids")) await agent.call("docs_get", { documentId });
      await agent.call("docs_create", { document: { title: "Summary" } });
    },
  },
  {
    name: "go through the tasks of two lists, add one",
    async naive(agent) {
      const lists = await agent.call("tasks.tasklists.list", {});
      const ids = rows(lists, "items").slice(0, 2).map((row) => text(row, "id"));
      const facts = [...ids];
      for (const tasklist of ids) {
        const tasks = await agent.call("tasks.tasks.list", { tasklist });
        facts.push(...rows(tasks, "items").map((task) => text(task, "id")));
      }
      await agent.call("tasks.tasks.insert", {
        tasklist: ids[0] ?? "",
        body: { title: "Call the sailmaker" },
      });
      return { known: { ids }, facts };
    },
    async gum(agent, known) {
      await lookUp(agent, "task lists");
      await agent.call("gum.read", { op_id: "tasks.tasklists.list" });
      const ids = list(known, "ids");
      for (const tasklist of ids) await agent.call("tasks_list", { tasklist });
      await agent.call("tasks_create", {
        tasklist: ids[0] ?? "",
        task: { title: "Call the sailmaker" },
      });
    },
  },
  {
    name: "look a contact up, read the last five messages, write",
    async naive(agent) {
      const found = await agent.call("people.people.searchContacts", {
        query: "Priya",
        readMask: "names,emailAddresses,phoneNumbers,organizations",
      });
      const address = text(found, "results", 0, "person", "emailAddresses", 0, "value");
      const mail = await agent.call("gmail.users.messages.list", {
        ...ME,
        q: `from:${address}`,
        maxResults: 5,
      });
      const ids = rows(mail, "messages").map((row) => text(row, "id"));
      const messages: JsonValue[] = [];
      for (const id of ids) {
        messages.push(await agent.call("gmail.users.messages.get", { ...ME, id }));
      }
      await agent.call("gmail.users.messages.send", {
        ...ME,
        body: { raw: rawMail(address, "Thursday", "Does ten o'clock suit you?") },
      });
      return { known: { ids, address }, facts: [address, ...ids, ...plainSubjects(messages)] };
    },
    async gum(agent, known) {
      const address = text(known, "address");
      await find(agent, "search contacts", "people.people.searchContacts");
      await agent.call("gum.read", {
        op_id: "people.people.searchContacts",
        args: {
          query: "Priya",
          readMask: "names,emailAddresses,phoneNumbers,organizations",
        },
      });
      await agent.call("gmail_search", { ...ME, q: `from:${address}`, maxResults: 5 });
      for (const id of list(known, "ids")) await agent.call("gmail_get_message", { ...ME, id });
      await agent.call("gmail_send", {
        ...ME,
        message: { to: address, subject: "Thursday", text: "Does ten o'clock suit you?" },
      });
    },
  },
  {
    name: "turn two presentations into a message",
    async naive(agent) {
      const found = await agent.call("drive.files.list", {
        q: "mimeType = 'application/vnd.google-apps.presentation'",
        pageSize: 5,
        ...WHOLE,
      });
      const ids = rows(found, "files").slice(0, 2).map((file) => text(file, "id"));
      const facts = [...ids];
      for (const presentationId of ids) {
        const deck = await agent.call("slides.presentations.get", { presentationId });
        facts.push(text(deck, "title"));
      }
      await agent.call("gmail.users.drafts.create", {
        ...ME,
        body: { message: { raw: rawMail(JONAS, "The two decks", "In short: both are ready.") } },
      });
      return { known: { ids }, facts };
    },
    async gum(agent, known) {
      await agent.call("drive_find", {
        q: "mimeType = 'application/vnd.google-apps.presentation'",
        pageSize: 5,
      });
      for (const presentationId of list(known, "ids")) {
        await agent.call("slides_get", { presentationId });
      }
      await agent.call("gmail_create_draft", {
        ...ME,
        message: { to: JONAS, subject: "The two decks", text: "In short: both are ready." },
      });
    },
  },
  {
    name: "compare videos: search, then the figures of eight",
    async naive(agent) {
      const found = await agent.call("youtube.search.list", {
        part: "snippet",
        q: "sailing knots",
        type: "video",
        maxResults: 25,
      });
      const ids = rows(found, "items").slice(0, 8).map((row) => text(row, "id", "videoId"));
      const videos = await agent.call("youtube.videos.list", {
        part: "snippet,contentDetails,statistics",
        id: ids.join(","),
      });
      return {
        known: { ids },
        facts: [
          ...ids,
          ...rows(videos, "items").map((video) => text(video, "statistics", "viewCount")),
        ],
      };
    },
    async gum(agent, known) {
      await find(agent, "search videos", "youtube.search.list");
      await agent.call("gum.read", {
        op_id: "youtube.search.list",
        args: { part: "snippet", q: "sailing knots", type: "video", maxResults: 25 },
      });
      await agent.call("gum.describe_op", { op_id: "youtube.videos.list" });
      await agent.call("gum.read", {
        op_id: "youtube.videos.list",
        args: {
          part: "snippet,contentDetails,statistics",
          id: list(known, "ids").join(","),
        },
      });
    },
  },
];

function meeting(): JsonObject {
  return {
    summary: "Quay inspection",
    start: { dateTime: "2026-05-22T09:00:00+02:00" },
    end: { dateTime: "2026-05-22T10:00:00+02:00" },
    attendees: [{ email: JONAS }],
  };
}
