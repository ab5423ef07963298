/** `users.threads.*` and `users.history.list` routes. */

import type { JsonObject, JsonValue } from "../../json/mod.ts";
import type { EmulatedCall, EmulatedRoute } from "../service.ts";
import { EmulatedError } from "../service.ts";
import { type HistoryRecord, invalidArgument, type Mailbox } from "./mailbox.ts";
import { labelChange, mailPage, selectMessages } from "./message_routes.ts";
import { messageFormat, messageReference, messageView, threadSummary } from "./message_view.ts";
import type { GmailRouteOf } from "./route.ts";

/** Routes over threads. */
export function threadRoutes(mailbox: Mailbox, route: GmailRouteOf): EmulatedRoute[] {
  const answerThread = (threadId: string): JsonObject => ({
    id: threadId,
    messages: mailbox.thread(threadId).map(messageReference),
  });
  return [
    route(
      { id: "threads.list", method: "GET", pattern: "/threads" },
      (call) => ({ body: listThreads(mailbox, call) }),
    ),
    route({ id: "threads.get", method: "GET", pattern: "/threads/{id}" }, ({ params, query }) => {
      const threadId = params.id as string;
      const messages = mailbox.thread(threadId);
      const format = messageFormat(query.get("format"));
      return {
        body: {
          id: threadId,
          historyId: String(Math.max(...messages.map((message) => message.historyId))),
          messages: messages.map((message) =>
            messageView(message, { format, metadataHeaders: query.getAll("metadataHeaders") })
          ),
        },
      };
    }),
    route(
      { id: "threads.modify", method: "POST", pattern: "/threads/{id}/modify" },
      ({ params, body }) => {
        const change = labelChange(body);
        for (const message of mailbox.thread(params.id as string)) mailbox.relabel(message, change);
        return { body: answerThread(params.id as string) };
      },
    ),
    route({ id: "threads.trash", method: "POST", pattern: "/threads/{id}/trash" }, ({ params }) => {
      for (const message of mailbox.thread(params.id as string)) {
        mailbox.relabel(message, { add: ["TRASH"], remove: ["INBOX", "SPAM"] });
      }
      return { body: answerThread(params.id as string) };
    }),
    route(
      { id: "threads.untrash", method: "POST", pattern: "/threads/{id}/untrash" },
      ({ params }) => {
        for (const message of mailbox.thread(params.id as string)) {
          mailbox.relabel(message, { remove: ["TRASH"] });
        }
        return { body: answerThread(params.id as string) };
      },
    ),
    route({ id: "threads.delete", method: "DELETE", pattern: "/threads/{id}" }, ({ params }) => {
      for (const message of mailbox.thread(params.id as string)) mailbox.remove(message.id);
      return { status: 204 };
    }),
    route(
      { id: "history.list", method: "GET", pattern: "/history" },
      (call) => ({ body: listHistory(mailbox, call) }),
    ),
  ];
}

function listThreads(mailbox: Mailbox, call: EmulatedCall): JsonObject {
  const ids = [...new Set(selectMessages(mailbox, call).map(({ threadId }) => threadId))];
  const { query } = call;
  const page = mailPage(ids, { name: "threads", query });
  const body: JsonObject = {};
  if (page.items.length > 0) body.threads = page.items.map((id) => threadSummary(mailbox, id));
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.resultSizeEstimate = ids.length;
  return body;
}

const HISTORY_TYPES: Record<string, HistoryRecord["kind"]> = {
  messageAdded: "messagesAdded",
  messageDeleted: "messagesDeleted",
  labelAdded: "labelsAdded",
  labelRemoved: "labelsRemoved",
};

function listHistory(mailbox: Mailbox, call: EmulatedCall): JsonObject {
  const { query } = call;
  const start = Number(query.get("startHistoryId") ?? "");
  if (!Number.isSafeInteger(start) || start <= 0) throw invalidArgument("Invalid startHistoryId");
  if (start < mailbox.oldestHistoryId) {
    throw new EmulatedError(404, "Requested entity was not found.", { reason: "notFound" });
  }
  const kinds = query.getAll("historyTypes").map((type) => {
    const kind = HISTORY_TYPES[type];
    if (kind === undefined) throw invalidArgument(`Invalid historyTypes: ${type.slice(0, 40)}`);
    return kind;
  });
  const labelId = query.get("labelId");
  const records = mailbox.history.filter((record) =>
    record.id > start && (kinds.length === 0 || kinds.includes(record.kind)) &&
    (labelId === null || record.message.labelIds.includes(labelId) ||
      record.labelIds.includes(labelId))
  );
  const page = mailPage(records, { name: "history", query });
  const body: JsonObject = {};
  if (page.items.length > 0) body.history = page.items.map(historyView);
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.historyId = String(mailbox.historyId);
  return body;
}

function historyView(record: HistoryRecord): JsonValue {
  const change: JsonObject = { message: { ...record.message } };
  if (record.labelIds.length > 0) change.labelIds = record.labelIds;
  return {
    id: String(record.id),
    messages: [{ id: record.message.id, threadId: record.message.threadId }],
    [record.kind]: [change],
  };
}
