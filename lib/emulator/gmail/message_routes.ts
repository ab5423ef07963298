/** `users.messages.*` routes. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { paddedBase64Url } from "../encoding.ts";
import { receiveUpload, type UploadSessions } from "../media.ts";
import { type Page, paginate } from "../paging.ts";
import type { EmulatedAnswer, EmulatedCall, EmulatedRoute } from "../service.ts";
import {
  checkRecipients,
  completeHeaders,
  composedFromJson,
  type ComposedMessage,
  threadFor,
} from "./compose.ts";
import { invalidArgument, type Mailbox, notFound, type StoredMessage } from "./mailbox.ts";
import { attachmentOf, messageFormat, messageReference, messageView } from "./message_view.ts";
import { compileSearch } from "./search.ts";
import { addressedToOwner, type GmailRouteOf } from "./route.ts";

/** Routes over messages. */
export function messageRoutes(
  mailbox: Mailbox,
  options: { route: GmailRouteOf; uploads: UploadSessions },
): EmulatedRoute[] {
  const { route, uploads } = options;
  const send = (composed: ComposedMessage, call: EmulatedCall): EmulatedAnswer => {
    checkRecipients(composed);
    return { body: messageReference(deliver(mailbox, composed, call)) };
  };
  const store = (composed: ComposedMessage, call: EmulatedCall): EmulatedAnswer => {
    const threadId = threadFor(mailbox, composed);
    const raw = completeHeaders(composed.raw, { mailbox, call, salt: `i${mailbox.historyId}` });
    const message = mailbox.add({
      raw: () => raw,
      labelIds: composed.labelIds,
      internalDate: call.now,
      ...(threadId === undefined ? {} : { threadId }),
    });
    return { body: messageReference(message) };
  };
  const upload =
    (finish: (composed: ComposedMessage, call: EmulatedCall) => EmulatedAnswer) =>
    (call: EmulatedCall) =>
      receiveUpload(uploads, call, (media, initiating) =>
        finish({
          raw: media.bytes,
          labelIds: stringsOf(media.metadata.labelIds),
          ...(typeof media.metadata.threadId === "string"
            ? { threadId: media.metadata.threadId }
            : {}),
        }, initiating));
  return [
    route(
      { id: "messages.list", method: "GET", pattern: "/messages" },
      (call) => ({ body: listMessages(mailbox, call) }),
    ),
    route(
      { id: "messages.get", method: "GET", pattern: "/messages/{id}" },
      ({ params, query }) => ({
        body: messageView(mailbox.get(params.id as string), {
          format: messageFormat(query.get("format")),
          metadataHeaders: query.getAll("metadataHeaders"),
        }),
      }),
    ),
    route({
      id: "messages.attachments.get",
      method: "GET",
      pattern: "/messages/{messageId}/attachments/{id}",
    }, (call) => {
      const part = attachmentOf(
        mailbox.get(call.params.messageId as string),
        call.params.id as string,
      );
      if (part === undefined) throw invalidArgument("Invalid attachment token");
      return { body: { size: part.body.length, data: paddedBase64Url(part.body) } };
    }),
    route(
      { id: "messages.send", method: "POST", pattern: "/messages/send" },
      (call) => send(composedFromJson(call.body), call),
    ),
    route(
      { id: "messages.insert", method: "POST", pattern: "/messages" },
      (call) => store(composedFromJson(call.body), call),
    ),
    route({ id: "messages.import", method: "POST", pattern: "/messages/import" }, (call) => {
      const composed = composedFromJson(call.body);
      return store(
        composed.labelIds.length > 0 ? composed : { ...composed, labelIds: ["INBOX", "UNREAD"] },
        call,
      );
    }),
    ...["POST", "PUT"].flatMap((method) => [
      route(
        { id: "messages.send", method: method, pattern: "/messages/send", prefix: "/upload" },
        upload(send),
      ),
      route(
        { id: "messages.insert", method: method, pattern: "/messages", prefix: "/upload" },
        upload(store),
      ),
    ]),
    route(
      { id: "messages.modify", method: "POST", pattern: "/messages/{id}/modify" },
      ({ params, body }) => {
        const message = mailbox.get(params.id as string);
        mailbox.relabel(message, labelChange(body));
        return { body: messageReference(message) };
      },
    ),
    route(
      { id: "messages.trash", method: "POST", pattern: "/messages/{id}/trash" },
      ({ params }) => {
        const message = mailbox.get(params.id as string);
        mailbox.relabel(message, { add: ["TRASH"], remove: ["INBOX", "SPAM"] });
        return { body: messageReference(message) };
      },
    ),
    route(
      { id: "messages.untrash", method: "POST", pattern: "/messages/{id}/untrash" },
      ({ params }) => {
        const message = mailbox.get(params.id as string);
        mailbox.relabel(message, { remove: ["TRASH"] });
        return { body: messageReference(message) };
      },
    ),
    route({ id: "messages.delete", method: "DELETE", pattern: "/messages/{id}" }, ({ params }) => {
      mailbox.remove(params.id as string);
      return { status: 204 };
    }),
    route(
      { id: "messages.batchDelete", method: "POST", pattern: "/messages/batchDelete" },
      ({ body }) => {
        for (const message of batchOf(mailbox, body)) mailbox.remove(message.id);
        return { status: 204 };
      },
    ),
    route(
      { id: "messages.batchModify", method: "POST", pattern: "/messages/batchModify" },
      ({ body }) => {
        const change = labelChange(body);
        for (const message of batchOf(mailbox, body)) mailbox.relabel(message, change);
        return { status: 204 };
      },
    ),
  ];
}

/** Puts a composed message among the sent ones, and into the inbox when it is for the owner. */
export function deliver(
  mailbox: Mailbox,
  composed: ComposedMessage,
  call: EmulatedCall,
): StoredMessage {
  const threadId = threadFor(mailbox, composed);
  const raw = completeHeaders(composed.raw, { mailbox, call, salt: `s${mailbox.historyId}` });
  const labelIds = addressedToOwner(mailbox, raw) ? ["UNREAD", "SENT", "INBOX"] : ["SENT"];
  return mailbox.add({
    raw: () => raw,
    labelIds,
    internalDate: call.now,
    ...(threadId === undefined ? {} : { threadId }),
  });
}

/** Messages that a list request means, newest first. */
export function selectMessages(mailbox: Mailbox, call: EmulatedCall): StoredMessage[] {
  const { query } = call;
  const search = compileSearch(query.get("q") ?? "", { mailbox, now: call.now });
  const labels = query.getAll("labelIds").flatMap((value) => value.split(",")).filter(Boolean);
  for (const label of labels) {
    if (!mailbox.labels.has(label)) throw invalidArgument(`Invalid label: ${label}`);
  }
  const everywhere = query.get("includeSpamTrash") === "true" || search.includesSpamTrash ||
    labels.includes("TRASH") || labels.includes("SPAM");
  return mailbox.ordered().filter((message) =>
    (everywhere || !message.labelIds.some((label) => label === "TRASH" || label === "SPAM")) &&
    labels.every((label) => message.labelIds.includes(label)) && search.matches(message)
  );
}

/** One page of what a list method of Gmail found. */
export function mailPage<Item>(
  found: readonly Item[],
  { name, query }: { name: string; query: URLSearchParams },
): Page<Item> {
  return paginate(found, {
    pageToken: query.get("pageToken"),
    pageSize: query.get("maxResults"),
    defaultSize: 100,
    maximumSize: 500,
    scope: listScope(name, query),
    reason: "invalidArgument",
  });
}

/** What binds a page token to its list. */
function listScope(name: string, query: URLSearchParams): string {
  const parts = ["q", "labelIds", "includeSpamTrash", "startHistoryId"].map((key) =>
    `${key}=${query.getAll(key).join(",")}`
  );
  return `${name}?${parts.join("&")}`;
}

/** True for the label whose list starts with an empty page that still has a next one. */
function startsWithEmptyPage(mailbox: Mailbox, query: URLSearchParams): boolean {
  const asked = [...query.getAll("labelIds"), query.get("q") ?? ""].join(" ").toLowerCase();
  for (const label of mailbox.labels.values()) {
    if (label.name === "Sparse") {
      return asked.includes(label.id.toLowerCase()) || /label:sparse\b/.test(asked);
    }
  }
  return false;
}

function listMessages(mailbox: Mailbox, call: EmulatedCall): JsonObject {
  const found = selectMessages(mailbox, call);
  const { query } = call;
  const page = mailPage<StoredMessage | undefined>(
    // Google may send a page without records but with a token; one label shows it.
    startsWithEmptyPage(mailbox, query)
      ? [...Array.from({ length: pageSize(query) }, () => undefined), ...found]
      : found,
    { name: "messages", query },
  );
  const messages = page.items.filter((message) => message !== undefined);
  const body: JsonObject = {};
  if (messages.length > 0) {
    body.messages = messages.map(({ id, threadId }): JsonValue => ({ id, threadId }));
  }
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.resultSizeEstimate = found.length;
  return body;
}

function pageSize(query: URLSearchParams): number {
  const asked = Number(query.get("maxResults") ?? "100");
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, 500) : 100;
}

/** The label change of a modify body. @throws EmulatedError 400 when it changes nothing. */
export function labelChange(body: JsonValue | undefined): { add: string[]; remove: string[] } {
  const change = isJsonObject(body ?? null) ? body as JsonObject : {};
  const add = stringsOf(change.addLabelIds);
  const remove = stringsOf(change.removeLabelIds);
  if (add.length + remove.length === 0) throw invalidArgument("No label add or removes specified");
  return { add, remove };
}

/** The strings of a JSON array; empty for anything else. */
export function stringsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function batchOf(mailbox: Mailbox, body: JsonValue | undefined): StoredMessage[] {
  const ids = stringsOf(isJsonObject(body ?? null) ? (body as JsonObject).ids : undefined);
  if (ids.length === 0) throw invalidArgument("No message ids specified.");
  if (ids.length > 1000) throw invalidArgument("Too many message ids specified.");
  const known = new Map(mailbox.ordered().map((message) => [message.id, message]));
  const messages = ids.map((id) => known.get(id)).filter((message) => message !== undefined);
  // Gmail ignores ids that are gone, unless none of them is left.
  if (messages.length === 0) throw notFound();
  return [...new Set(messages)];
}
