/** The emulated Gmail: a seeded mailbox behind the v1 API. */

import type { JsonObject } from "../../json/mod.ts";
import { UploadSessions } from "../media.ts";
import type { EmulatedService, ServiceSeed } from "../service.ts";
import { draftRoutes } from "./draft_routes.ts";
import { labelRoutes } from "./label_routes.ts";
import { Mailbox } from "./mailbox.ts";
import { messageRoutes } from "./message_routes.ts";
import { headerOf } from "./mime_read.ts";
import { gmailRoutes } from "./route.ts";
import { threadRoutes } from "./thread_routes.ts";
import { fillMailbox } from "./world.ts";

/** A mailbox of about 260 messages; bodies are written when they are first read. */
export function createGmail(seed: ServiceSeed): EmulatedService {
  const mailbox = new Mailbox(seed.account, seed.random);
  fillMailbox(mailbox, seed);
  const uploads = new UploadSessions();
  const route = gmailRoutes(mailbox);
  const routes = [
    ...messageRoutes(mailbox, { route, uploads }),
    ...threadRoutes(mailbox, route),
    ...labelRoutes(mailbox, route),
    ...draftRoutes(mailbox, { route, uploads }),
  ];
  return {
    name: "gmail",
    // Discovery names a second address for uploads in sessions.
    routes: routes.flatMap((one) =>
      one.pattern.startsWith("/upload/")
        ? [one, { ...one, pattern: `/resumable${one.pattern}` }]
        : [one]
    ),
    inspect: () => inspectMailbox(mailbox),
  };
}

function inspectMailbox(mailbox: Mailbox): JsonObject {
  return {
    historyId: String(mailbox.historyId),
    labels: [...mailbox.labels.values()].map(({ id, name, type }) => ({ id, name, type })),
    drafts: Object.fromEntries(mailbox.drafts),
    vacation: structuredClone(mailbox.vacation),
    messages: mailbox.ordered().map((message) => ({
      id: message.id,
      threadId: message.threadId,
      labelIds: [...message.labelIds],
      internalDate: String(message.internalDate),
      from: headerOf(message.root(), "From") ?? "",
      to: headerOf(message.root(), "To") ?? "",
      subject: headerOf(message.root(), "Subject") ?? "",
    })),
  };
}
