/** `users.drafts.*` routes. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { receiveUpload, type UploadSessions } from "../media.ts";
import type { EmulatedAnswer, EmulatedCall, EmulatedRoute } from "../service.ts";
import {
  checkRecipients,
  completeHeaders,
  composedFromJson,
  type ComposedMessage,
  threadFor,
} from "./compose.ts";
import { invalidArgument, type Mailbox, notFound, type StoredMessage } from "./mailbox.ts";
import { deliver, mailPage, selectMessages } from "./message_routes.ts";
import { messageFormat, messageReference, messageView } from "./message_view.ts";
import type { GmailRouteOf } from "./route.ts";

/** Routes over drafts. */
export function draftRoutes(
  mailbox: Mailbox,
  options: { route: GmailRouteOf; uploads: UploadSessions },
): EmulatedRoute[] {
  const { route, uploads } = options;
  const messageOf = (draftId: string): StoredMessage => {
    const messageId = mailbox.drafts.get(draftId);
    if (messageId === undefined) throw notFound();
    return mailbox.get(messageId);
  };
  const save = (composed: ComposedMessage, call: EmulatedCall, draftId: string): EmulatedAnswer => {
    const threadId = threadFor(mailbox, composed);
    const raw = completeHeaders(composed.raw, { mailbox, call, salt: `d${mailbox.historyId}` });
    const message = mailbox.add({
      raw: () => raw,
      labelIds: ["DRAFT"],
      internalDate: call.now,
      ...(threadId === undefined ? {} : { threadId }),
    });
    mailbox.drafts.set(draftId, message.id);
    return { body: { id: draftId, message: messageReference(message) } };
  };
  const replace = (composed: ComposedMessage, call: EmulatedCall): EmulatedAnswer => {
    const draftId = call.params.id as string;
    const previous = messageOf(draftId);
    // A draft alone in its thread starts a new one under its new message, as in Gmail's store.
    const shared = mailbox.thread(previous.threadId).length > 1;
    const kept = composed.threadId ?? (shared ? previous.threadId : undefined);
    const answer = save(
      kept === undefined ? composed : { ...composed, threadId: kept },
      call,
      draftId,
    );
    mailbox.remove(previous.id);
    return answer;
  };
  const send = (draftId: string, call: EmulatedCall, replacement?: ComposedMessage) => {
    const draft = messageOf(draftId);
    const shared = mailbox.thread(draft.threadId).length > 1;
    const composed: ComposedMessage = {
      ...(replacement ?? { raw: draft.raw(), labelIds: [] }),
      ...(shared ? { threadId: draft.threadId } : {}),
    };
    checkRecipients(composed);
    const sent = deliver(mailbox, composed, call);
    mailbox.drafts.delete(draftId);
    mailbox.remove(draft.id);
    return { body: messageReference(sent) };
  };
  const uploaded =
    (finish: (composed: ComposedMessage, call: EmulatedCall) => EmulatedAnswer) =>
    (call: EmulatedCall) =>
      receiveUpload(uploads, call, (media, initiating) => {
        const message = media.metadata.message;
        const threadId = isJsonObject(message ?? null)
          ? (message as JsonObject).threadId
          : undefined;
        return finish({
          raw: media.bytes,
          labelIds: [],
          ...(typeof threadId === "string" ? { threadId } : {}),
        }, initiating);
      });
  const uploadedAndSent = (call: EmulatedCall) =>
    receiveUpload(uploads, call, (media, initiating) => {
      const { id } = media.metadata;
      if (typeof id !== "string") throw invalidArgument("Invalid draft");
      return send(id, initiating, { raw: media.bytes, labelIds: [] });
    });
  const create = (composed: ComposedMessage, call: EmulatedCall) =>
    save(composed, call, mailbox.newDraftId());
  return [
    route(
      { id: "drafts.list", method: "GET", pattern: "/drafts" },
      (call) => ({ body: listDrafts(mailbox, call) }),
    ),
    route({ id: "drafts.get", method: "GET", pattern: "/drafts/{id}" }, ({ params, query }) => ({
      body: {
        id: params.id as string,
        message: messageView(messageOf(params.id as string), {
          format: messageFormat(query.get("format")),
        }),
      },
    })),
    route(
      { id: "drafts.create", method: "POST", pattern: "/drafts" },
      (call) => create(composedIn(call.body), call),
    ),
    route(
      { id: "drafts.update", method: "PUT", pattern: "/drafts/{id}" },
      (call) => replace(composedIn(call.body), call),
    ),
    route({ id: "drafts.delete", method: "DELETE", pattern: "/drafts/{id}" }, ({ params }) => {
      mailbox.remove(messageOf(params.id as string).id);
      return { status: 204 };
    }),
    route({ id: "drafts.send", method: "POST", pattern: "/drafts/send" }, (call) => {
      const body = isJsonObject(call.body ?? null) ? call.body as JsonObject : {};
      if (typeof body.id === "string" && body.id !== "") {
        const message = body.message;
        const hasRaw = isJsonObject(message ?? null) && (message as JsonObject).raw !== undefined;
        return send(body.id, call, hasRaw ? composedIn(body) : undefined);
      }
      if (body.message === undefined) throw invalidArgument("Invalid draft");
      const composed = composedIn(body);
      checkRecipients(composed);
      return { body: messageReference(deliver(mailbox, composed, call)) };
    }),
    route(
      { id: "drafts.create", method: "POST", pattern: "/drafts", prefix: "/upload" },
      uploaded(create),
    ),
    route(
      { id: "drafts.create", method: "PUT", pattern: "/drafts", prefix: "/upload" },
      uploaded(create),
    ),
    route(
      { id: "drafts.update", method: "PUT", pattern: "/drafts/{id}", prefix: "/upload" },
      uploaded(replace),
    ),
    route(
      { id: "drafts.send", method: "POST", pattern: "/drafts/send", prefix: "/upload" },
      uploadedAndSent,
    ),
    route(
      { id: "drafts.send", method: "PUT", pattern: "/drafts/send", prefix: "/upload" },
      uploadedAndSent,
    ),
  ];
}

function composedIn(body: JsonValue | undefined): ComposedMessage {
  return composedFromJson(isJsonObject(body ?? null) ? (body as JsonObject).message : undefined);
}

function listDrafts(mailbox: Mailbox, call: EmulatedCall): JsonObject {
  const byMessage = new Map(
    [...mailbox.drafts].map(([draftId, messageId]) => [messageId, draftId]),
  );
  const found = selectMessages(mailbox, call).filter((message) => byMessage.has(message.id));
  const { query } = call;
  const page = mailPage(found, { name: "drafts", query });
  const body: JsonObject = {};
  if (page.items.length > 0) {
    body.drafts = page.items.map((message): JsonValue => ({
      id: byMessage.get(message.id) as string,
      message: { id: message.id, threadId: message.threadId },
    }));
  }
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.resultSizeEstimate = found.length;
  return body;
}
