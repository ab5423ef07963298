/** One message from its request to its bytes; everything heavy of this folder is behind it. */

import type { CallPreview } from "../dispatch/types.ts";
import type { JsonValue } from "../json/mod.ts";
import { type FileAccess, readAttachments } from "./attachments.ts";
import { composeMessage, type MailContent, parseAddresses } from "./compose.ts";
import { type MailRequest, requireRecipient } from "./fields.ts";
import { forwardedBodies } from "./forward.ts";
import type { MailOperation } from "./operations.ts";
import {
  originalContent,
  type OriginalMessage,
  prefixedSubject,
  readHeaders,
  type ReadOperation,
  readWhole,
  referenceChain,
} from "./original.ts";
import { describeMessage } from "./preview.ts";
import { fieldError, tooLarge } from "./refusals.ts";

/** What writing a message needs besides its fields. */
export interface WritingContext {
  operation: MailOperation;
  /** Mailbox that is read for answers and forwards. */
  userId: JsonValue;
  files: FileAccess;
  read: ReadOperation;
  /** Largest message in bytes. */
  limit: number;
}

/** A finished message. */
export interface WrittenMail {
  bytes: Uint8Array<ArrayBuffer>;
  /** Of an answer, or as the caller named it. */
  threadId?: string;
  preview: CallPreview;
}

/** Reads what the message refers to and builds it. @throws GumError */
export async function writeMail(
  request: MailRequest,
  context: WritingContext,
): Promise<WrittenMail> {
  const content = addressed(request);
  const threadId = await refer({ request, content }, context);
  requireRecipient(context.operation, {
    ...request,
    to: content.to.map(({ address }) => address),
  });
  const { files: access, limit } = context;
  content.files.push(...await readAttachments(request.attachments, { access, limit }));
  const { bytes, files } = await composeMessage(content);
  if (bytes.length > limit) throw tooLarge(bytes.length, limit);
  return {
    bytes,
    threadId,
    preview: describeMessage(content, {
      files,
      sizeBytes: bytes.length,
      threadId,
      sends: context.operation.sends,
    }),
  };
}

function addressed(request: MailRequest): MailContent {
  const list = (name: "to" | "cc" | "bcc" | "reply_to") =>
    parseAddresses(name, request[name] ?? []);
  const from = request.from === undefined ? [] : parseAddresses("from", [request.from]);
  if (from.length > 1) throw fieldError("from", { message: "must be one address" });
  return {
    from: from[0],
    to: list("to"),
    cc: list("cc"),
    bcc: list("bcc"),
    replyTo: list("reply_to"),
    subject: request.subject,
    text: request.text,
    html: request.html,
    references: [],
    files: [],
  };
}

/** Completes an answer or a forward from the message it is about; gives the thread it belongs to. */
async function refer(
  writing: { request: MailRequest; content: MailContent },
  context: WritingContext,
): Promise<string | undefined> {
  const { request, content } = writing;
  const { read, userId } = context;
  if (request.inReplyTo !== undefined) {
    const id = request.inReplyTo;
    const original = await readHeaders(read, { userId, id, field: "in_reply_to_message_id" });
    return answer(writing, original);
  }
  if (request.forward !== undefined) {
    const id = request.forward;
    const original = await readWhole(read, { userId, id, field: "forward_message_id" });
    const quoted = await originalContent(read, { userId, id, original, limit: context.limit });
    Object.assign(content, forwardedBodies(request, { original, content: quoted }));
    content.subject ??= prefixedSubject("Fwd", original.headers.get("subject"));
    content.references = referenceChain(original).references;
    content.files.push(...quoted.files);
  }
  return request.threadId;
}

function answer(
  writing: { request: MailRequest; content: MailContent },
  original: OriginalMessage,
): string | undefined {
  const { request, content } = writing;
  if (request.threadId !== undefined && request.threadId !== original.threadId) {
    throw fieldError("threadId", {
      message: "is not the thread of in_reply_to_message_id",
      reason: "conflicting_values",
      suggestion: "Leave threadId out; an answer goes into the thread of its message.",
    });
  }
  const { inReplyTo, references } = referenceChain(original);
  content.inReplyTo = inReplyTo;
  content.references = references;
  content.subject = answerSubject(request.subject, original.headers.get("subject"));
  if (content.to.length + content.cc.length + content.bcc.length === 0) {
    content.to = parseAddresses("to", answerRecipients(original));
  }
  return original.threadId === "" ? undefined : original.threadId;
}

/** A subject of one's own is kept, unless it is the original's without its `Re:`. */
function answerSubject(given: string | undefined, original: string | undefined): string {
  if (given === undefined || given === original) return prefixedSubject("Re", original);
  return given;
}

/** Who an answer goes to when nobody is named: the sender, or the recipients of one's own mail. */
function answerRecipients(original: OriginalMessage): string[] {
  const { headers, sent } = original;
  const names = sent ? ["to"] : ["reply-to", "from"];
  const found = names.map((name) => headers.get(name)).find((value) => value);
  return found === undefined ? [] : [found];
}
