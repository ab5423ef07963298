/** One account's mail: messages, threads, labels, drafts, history. */

import type { JsonObject } from "../../json/mod.ts";
import { EmulatedError, type Person, type SeededRandom } from "../service.ts";
import { type MailPart, readMessage } from "./mime_read.ts";

/** A message in the store. */
export interface StoredMessage {
  id: string;
  threadId: string;
  labelIds: string[];
  /** Milliseconds. */
  internalDate: number;
  historyId: number;
  /** Order of arrival, for messages of the same instant. */
  sequence: number;
  /** RFC 5322 bytes, built on first use. */
  raw(): Uint8Array<ArrayBuffer>;
  /** Parsed parts, read on first use. */
  root(): MailPart;
}

/** A label. System labels have no counters of their own in lists. */
export interface StoredLabel {
  id: string;
  name: string;
  type: "system" | "user";
  messageListVisibility?: string;
  labelListVisibility?: string;
  color?: JsonObject;
}

/** What changed, for `history.list`. */
export interface HistoryRecord {
  id: number;
  kind: "messagesAdded" | "messagesDeleted" | "labelsAdded" | "labelsRemoved";
  message: { id: string; threadId: string; labelIds: string[] };
  labelIds: string[];
}

/** A message to put into the store. */
export interface NewMessage {
  raw: () => Uint8Array<ArrayBuffer>;
  labelIds: readonly string[];
  internalDate: number;
  /** An existing thread; absent = a thread of its own. */
  threadId?: string;
}

/** Labels that every mailbox has, in Gmail's order. */
const SYSTEM_LABELS: readonly string[] = [
  "CHAT",
  "SENT",
  "INBOX",
  "IMPORTANT",
  "TRASH",
  "DRAFT",
  "SPAM",
  "CATEGORY_FORUMS",
  "CATEGORY_UPDATES",
  "CATEGORY_PERSONAL",
  "CATEGORY_PROMOTIONS",
  "CATEGORY_SOCIAL",
  "STARRED",
  "UNREAD",
];

/** Raised for an id that nothing has. */
export function notFound(): EmulatedError {
  return new EmulatedError(404, "Requested entity was not found.", {
    reason: "notFound",
    status: "NOT_FOUND",
  });
}

/** Raised for an argument that Gmail refuses. */
export function invalidArgument(message: string): EmulatedError {
  return new EmulatedError(400, message, {
    reason: "invalidArgument",
    status: "INVALID_ARGUMENT",
  });
}

/** The mail of one account. */
export class Mailbox {
  readonly labels = new Map<string, StoredLabel>();
  readonly drafts = new Map<string, string>();
  readonly history: HistoryRecord[] = [];
  vacation: JsonObject = {
    enableAutoReply: false,
    responseSubject: "",
    responseBodyPlainText: "",
    restrictToContacts: false,
    restrictToDomain: false,
  };
  #messages = new Map<string, StoredMessage>();
  #ordered: StoredMessage[] | undefined;
  #historyId: number;
  /** History before this id is gone, as Gmail forgets after about a week. */
  readonly oldestHistoryId: number;
  #sequence = 0;
  #nextLabel = 1;
  #random: SeededRandom;

  constructor(readonly owner: Person, random: SeededRandom) {
    this.#random = random.fork("ids");
    this.#historyId = 8_400_000 + random.fork("history").int(0, 90_000);
    this.oldestHistoryId = this.#historyId;
    for (const id of SYSTEM_LABELS) {
      const label: StoredLabel = { id, name: id, type: "system" };
      if (id !== "INBOX" && id !== "SENT" && id !== "DRAFT") {
        label.messageListVisibility = "hide";
        label.labelListVisibility = "labelHide";
      }
      this.labels.set(id, label);
    }
  }

  /** Newest id of the mailbox's history. */
  get historyId(): number {
    return this.#historyId;
  }

  /** Newest first. */
  ordered(): readonly StoredMessage[] {
    this.#ordered ??= [...this.#messages.values()].sort((left, right) =>
      right.internalDate - left.internalDate || right.sequence - left.sequence
    );
    return this.#ordered;
  }

  /** @throws EmulatedError 400 or 404. */
  get(id: string): StoredMessage {
    const message = this.#messages.get(id);
    if (message !== undefined) return message;
    if (!/^[0-9a-f]{1,16}$/i.test(id)) throw invalidArgument("Invalid id value");
    throw notFound();
  }

  /** Messages of a thread, oldest first. @throws EmulatedError 404. */
  thread(threadId: string): StoredMessage[] {
    const messages = this.ordered().filter((message) => message.threadId === threadId).reverse();
    if (messages.length === 0) throw notFound();
    return messages;
  }

  /** True when the thread has a message. */
  hasThread(threadId: string): boolean {
    return this.ordered().some((message) => message.threadId === threadId);
  }

  /** Stores a message; `quiet` for the world's own, which leave no history. */
  add(input: NewMessage, options: { quiet?: boolean } = {}): StoredMessage {
    const id = this.#newId(input.internalDate);
    let raw: Uint8Array<ArrayBuffer> | undefined;
    let root: MailPart | undefined;
    const message: StoredMessage = {
      id,
      threadId: input.threadId ?? id,
      labelIds: [...new Set(input.labelIds)],
      internalDate: input.internalDate,
      historyId: ++this.#historyId,
      sequence: this.#sequence++,
      raw: () => raw ??= input.raw(),
      root: () => root ??= readMessage(message.raw()),
    };
    this.#messages.set(id, message);
    this.#ordered = undefined;
    if (!options.quiet) this.#record("messagesAdded", message, []);
    return message;
  }

  /** Removes a message for good. */
  remove(id: string): void {
    const message = this.get(id);
    this.#messages.delete(id);
    this.#ordered = undefined;
    for (const [draftId, messageId] of this.drafts) {
      if (messageId === id) this.drafts.delete(draftId);
    }
    this.#record("messagesDeleted", message, []);
  }

  /** Adds and removes labels. @throws EmulatedError 400 for a label that does not exist. */
  relabel(
    message: StoredMessage,
    change: { add?: readonly string[]; remove?: readonly string[] },
  ): void {
    for (const label of [...change.add ?? [], ...change.remove ?? []]) {
      if (!this.labels.has(label)) throw invalidArgument(`Invalid label: ${label}`);
    }
    const added = (change.add ?? []).filter((label) => !message.labelIds.includes(label));
    const removed = (change.remove ?? []).filter((label) => message.labelIds.includes(label));
    message.labelIds = [
      ...message.labelIds.filter((label) => !removed.includes(label)),
      ...added,
    ];
    if (added.length > 0) this.#record("labelsAdded", message, added);
    if (removed.length > 0) this.#record("labelsRemoved", message, removed);
  }

  /** A new user label. @throws EmulatedError 400 or 409. */
  createLabel(name: string, rest: Partial<StoredLabel> = {}): StoredLabel {
    this.checkLabelName(name);
    const label: StoredLabel = {
      id: `Label_${this.#nextLabel++}`,
      name,
      type: "user",
      messageListVisibility: rest.messageListVisibility ?? "show",
      labelListVisibility: rest.labelListVisibility ?? "labelShow",
      ...(rest.color === undefined ? {} : { color: rest.color }),
    };
    this.labels.set(label.id, label);
    return label;
  }

  /** Refuses an empty or taken name. */
  checkLabelName(name: string, exceptId?: string): void {
    if (name.trim() === "") throw invalidArgument("Invalid label name");
    for (const label of this.labels.values()) {
      if (label.id !== exceptId && label.name.toLowerCase() === name.toLowerCase()) {
        throw new EmulatedError(409, "Label name exists or conflicts", {
          reason: "aborted",
          status: "ABORTED",
        });
      }
    }
  }

  /** Removes a user label everywhere. */
  removeLabel(id: string): void {
    const label = this.labels.get(id);
    if (label === undefined) throw notFound();
    if (label.type === "system") throw invalidArgument("Invalid delete request");
    for (const message of this.#messages.values()) {
      if (message.labelIds.includes(id)) this.relabel(message, { remove: [id] });
    }
    this.labels.delete(id);
  }

  /** A fresh draft id. */
  newDraftId(): string {
    return `r${this.#random.int(1, 9)}${
      BigInt(`0x${this.#random.hex(15)}`).toString().padStart(18, "0").slice(0, 18)
    }`;
  }

  #newId(date: number): string {
    for (;;) {
      const tail = BigInt(`0x${this.#random.hex(5)}`);
      const id = ((BigInt(date) << 20n) | tail).toString(16).padStart(16, "0");
      if (!this.#messages.has(id)) return id;
    }
  }

  #record(kind: HistoryRecord["kind"], message: StoredMessage, labelIds: string[]): void {
    this.#historyId += 1;
    message.historyId = this.#historyId;
    this.history.push({
      id: this.#historyId,
      kind,
      message: { id: message.id, threadId: message.threadId, labelIds: [...message.labelIds] },
      labelIds,
    });
  }
}
