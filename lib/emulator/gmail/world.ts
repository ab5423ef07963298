/** Fills a mailbox: about 270 messages over 90 days, written lazily, the same for the same seed. */

import type { ServiceSeed } from "../service.ts";
import { junk, newsletters, receipts } from "./bulk_mail.ts";
import { conversations, drafts, invitations, mailingLists } from "./letter_threads.ts";
import type { Mailbox, NewMessage } from "./mailbox.ts";
import { oddMessages } from "./odd_messages.ts";
import type { World } from "./plan.ts";

/** Generates the mailbox's messages, labels and drafts. */
export function fillMailbox(mailbox: Mailbox, seed: ServiceSeed): void {
  const labelIds = USER_LABELS.map(([name, color]) =>
    mailbox.createLabel(name, color === undefined ? {} : { color }).id
  );
  const world: World = {
    random: seed.random.fork("mail"),
    now: seed.now,
    owner: seed.account,
    others: seed.people.filter((person) => person.email !== seed.account.email),
    labelIds,
  };
  const planned = [
    ...conversations(world, 40),
    ...mailingLists(world, 9),
    ...newsletters(world, 44),
    ...receipts(world, 26),
    ...invitations(world, 11),
    ...junk(world, 7),
    ...drafts(world, 5),
    ...oddMessages(world),
  ].sort((left, right) => left.date - right.date);
  const threads = new Map<string, string>();
  for (const item of planned) {
    const threadId = threads.get(item.thread);
    const input: NewMessage = {
      raw: item.raw,
      labelIds: item.labels,
      internalDate: item.date,
      ...(threadId === undefined ? {} : { threadId }),
    };
    const message = mailbox.add(input, { quiet: true });
    threads.set(item.thread, message.threadId);
    if (item.draft) mailbox.drafts.set(mailbox.newDraftId(), message.id);
  }
}

const USER_LABELS: readonly (readonly [string, { textColor: string; backgroundColor: string }?])[] =
  [
    ["Receipts", { textColor: "#094228", backgroundColor: "#b9e4d0" }],
    ["Harbour/Permits"],
    ["Choir", { textColor: "#ffffff", backgroundColor: "#653e9b" }],
    ["To read"],
    ["Familie 🏡"],
    ["Sparse"],
    ["Empty for now"],
  ];
