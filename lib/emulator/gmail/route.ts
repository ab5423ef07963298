/** What all Gmail routes share: the address, and the check of `userId`. */

import { decodeSegment } from "../route_match.ts";
import { type RouteAddress, routesOf } from "../routes.ts";
import {
  type EmulatedAnswer,
  type EmulatedCall,
  EmulatedError,
  type EmulatedRoute,
} from "../service.ts";
import type { Mailbox } from "./mailbox.ts";
import { headerOf, readMessage } from "./mime_read.ts";

/** Makes a route under `/gmail/v1/users/{userId}`. */
export type GmailRouteOf = (
  at: RouteAddress & { /** Before the whole path: `/upload`. */ prefix?: string },
  answer: (call: EmulatedCall) => EmulatedAnswer | Promise<EmulatedAnswer>,
) => EmulatedRoute;

/** Routes of one mailbox: any `userId` but the owner's is refused. */
export function gmailRoutes(mailbox: Mailbox): GmailRouteOf {
  const route = routesOf({ host: "gmail.googleapis.com", ids: "gmail.users" });
  return ({ prefix = "", pattern, ...at }, answer) =>
    route({ ...at, pattern: `${prefix}/gmail/v1/users/{userId}${pattern}` }, (call) => {
      checkUser(mailbox, call.params.userId ?? "");
      return answer(call);
    });
}

function checkUser(mailbox: Mailbox, userId: string): void {
  const user = decodeSegment(userId).toLowerCase();
  if (user === "me" || user === mailbox.owner.email.toLowerCase()) return;
  throw new EmulatedError(403, `Delegation denied for ${mailbox.owner.email}`, {
    reason: "forbidden",
    status: "PERMISSION_DENIED",
  });
}

/** True when the message names the mailbox's owner among its recipients. */
export function addressedToOwner(mailbox: Mailbox, raw: Uint8Array): boolean {
  const root = readMessage(raw);
  return ["To", "Cc", "Bcc"].some((name) =>
    (headerOf(root, name) ?? "").toLowerCase().includes(mailbox.owner.email.toLowerCase())
  );
}
