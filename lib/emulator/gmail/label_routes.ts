/** Labels, profile and settings routes. */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import type { EmulatedRoute } from "../service.ts";
import { invalidArgument, type Mailbox, notFound, type StoredLabel } from "./mailbox.ts";
import type { GmailRouteOf } from "./route.ts";

/** Routes over labels, the profile and the settings. */
export function labelRoutes(mailbox: Mailbox, route: GmailRouteOf): EmulatedRoute[] {
  const labelOf = (id: string): StoredLabel => {
    const label = mailbox.labels.get(id);
    if (label === undefined) throw notFound();
    return label;
  };
  const change = (id: string, body: JsonValue | undefined, whole: boolean) => {
    const label = labelOf(id);
    if (label.type === "system") throw invalidArgument("Invalid update request");
    const wanted = readLabel(body);
    if (whole && wanted.name === undefined) throw invalidArgument("Invalid label name");
    if (wanted.name !== undefined) mailbox.checkLabelName(wanted.name, id);
    Object.assign(label, wanted);
    return { body: labelView(label) };
  };
  return [
    route({ id: "labels.list", method: "GET", pattern: "/labels" }, () => ({
      body: { labels: [...mailbox.labels.values()].map(labelView) },
    })),
    route({ id: "labels.get", method: "GET", pattern: "/labels/{id}" }, ({ params }) => ({
      body: { ...labelView(labelOf(params.id as string)), ...counts(mailbox, params.id as string) },
    })),
    route({ id: "labels.create", method: "POST", pattern: "/labels" }, ({ body }) => {
      const wanted = readLabel(body);
      return { body: labelView(mailbox.createLabel(wanted.name ?? "", wanted)) };
    }),
    route(
      { id: "labels.patch", method: "PATCH", pattern: "/labels/{id}" },
      ({ params, body }) => change(params.id as string, body, false),
    ),
    route(
      { id: "labels.update", method: "PUT", pattern: "/labels/{id}" },
      ({ params, body }) => change(params.id as string, body, true),
    ),
    route({ id: "labels.delete", method: "DELETE", pattern: "/labels/{id}" }, ({ params }) => {
      mailbox.removeLabel(params.id as string);
      return { status: 204 };
    }),
    route({ id: "getProfile", method: "GET", pattern: "/profile" }, () => {
      const messages = mailbox.ordered();
      return {
        body: {
          emailAddress: mailbox.owner.email,
          messagesTotal: messages.length,
          threadsTotal: new Set(messages.map(({ threadId }) => threadId)).size,
          historyId: String(mailbox.historyId),
        },
      };
    }),
    route({ id: "settings.getVacation", method: "GET", pattern: "/settings/vacation" }, () => ({
      body: structuredClone(mailbox.vacation),
    })),
    route(
      { id: "settings.updateVacation", method: "PUT", pattern: "/settings/vacation" },
      ({ body }) => {
        if (!isJsonObject(body ?? null)) throw invalidArgument("Vacation settings are required");
        const wanted = body as JsonObject;
        const hasText = [
          wanted.responseSubject,
          wanted.responseBodyPlainText,
          wanted.responseBodyHtml,
        ]
          .some((text) => typeof text === "string" && text !== "");
        if (wanted.enableAutoReply === true && !hasText) {
          throw invalidArgument("Vacation auto-reply needs a subject or a body");
        }
        mailbox.vacation = structuredClone(wanted);
        return { body: structuredClone(mailbox.vacation) };
      },
    ),
    route({ id: "settings.sendAs.list", method: "GET", pattern: "/settings/sendAs" }, () => ({
      body: { sendAs: sendAsOf(mailbox) },
    })),
    route(
      { id: "settings.sendAs.get", method: "GET", pattern: "/settings/sendAs/{sendAsEmail}" },
      ({ params }) => {
        const found = sendAsOf(mailbox).find((alias) => alias.sendAsEmail === params.sendAsEmail);
        if (found === undefined) throw notFound();
        return { body: found };
      },
    ),
  ];
}

function readLabel(body: JsonValue | undefined): Partial<StoredLabel> {
  if (!isJsonObject(body ?? null)) throw invalidArgument("Invalid label");
  const source = body as JsonObject;
  const label: Partial<StoredLabel> = {};
  if (typeof source.name === "string") label.name = source.name;
  if (typeof source.messageListVisibility === "string") {
    label.messageListVisibility = source.messageListVisibility;
  }
  if (typeof source.labelListVisibility === "string") {
    label.labelListVisibility = source.labelListVisibility;
  }
  if (isJsonObject(source.color ?? null)) label.color = source.color as JsonObject;
  return label;
}

function labelView(label: StoredLabel): JsonObject {
  const view: JsonObject = { id: label.id, name: label.name };
  if (label.messageListVisibility !== undefined) {
    view.messageListVisibility = label.messageListVisibility;
  }
  if (label.labelListVisibility !== undefined) view.labelListVisibility = label.labelListVisibility;
  view.type = label.type;
  if (label.color !== undefined) view.color = { ...label.color };
  return view;
}

function counts(mailbox: Mailbox, id: string): JsonObject {
  const labelled = mailbox.ordered().filter((message) => message.labelIds.includes(id));
  const unread = labelled.filter((message) => message.labelIds.includes("UNREAD"));
  return {
    messagesTotal: labelled.length,
    messagesUnread: unread.length,
    threadsTotal: new Set(labelled.map(({ threadId }) => threadId)).size,
    threadsUnread: new Set(unread.map(({ threadId }) => threadId)).size,
  };
}

function sendAsOf(mailbox: Mailbox): JsonObject[] {
  const { displayName, email } = mailbox.owner;
  const alias = email.replace("@", "+site@");
  return [
    {
      sendAsEmail: email,
      displayName,
      replyToAddress: "",
      signature: `<div>${displayName}</div>`,
      isPrimary: true,
      isDefault: true,
    },
    {
      sendAsEmail: alias,
      displayName: `${displayName} (site office)`,
      replyToAddress: "",
      signature: "",
      treatAsAlias: true,
      verificationStatus: "accepted",
    },
  ];
}
