/** Which operations take a message, where in their arguments it lives, and what it may hold. */

import { isJsonObject, type JsonObject } from "../json/mod.ts";

/** The fields of a message a model or a person can write, in the order they are documented. */
export const MAIL_FIELDS = [
  "to",
  "cc",
  "bcc",
  "reply_to",
  "from",
  "subject",
  "text",
  "html",
  "in_reply_to_message_id",
  "forward_message_id",
  "attachments",
] as const;

/** One of the plain fields. */
export type MailField = typeof MAIL_FIELDS[number];

/** Keys of Gmail's own Message resource; they pass through beside the plain fields. */
export const MESSAGE_RESOURCE_KEYS: ReadonlySet<string> = new Set([
  "raw",
  "threadId",
  "id",
  "labelIds",
  "payload",
  "snippet",
  "historyId",
  "internalDate",
  "sizeEstimate",
  "classificationLabelValues",
]);

/** How an operation carries a message, and whether it sends it. */
export interface MailOperation {
  /** `body`: the request body is the message; `message`: its `message` field is. */
  holder: "body" | "message";
  /** Mail leaves the account, so there must be a recipient. */
  sends: boolean;
}

const OPERATIONS: Readonly<Record<string, MailOperation>> = {
  "gmail.users.messages.send": { holder: "body", sends: true },
  "gmail.users.drafts.create": { holder: "message", sends: false },
  "gmail.users.drafts.update": { holder: "message", sends: false },
  "gmail.users.drafts.send": { holder: "message", sends: true },
};

/** The mail side of an operation; undefined when it takes no message. */
export function mailOperation(opId: string): MailOperation | undefined {
  return Object.hasOwn(OPERATIONS, opId) ? OPERATIONS[opId] : undefined;
}

/** Whether an operation accepts a message in plain fields. */
export function isMailOperation(opId: string): boolean {
  return mailOperation(opId) !== undefined;
}

const FIELD_NAMES: ReadonlySet<string> = new Set(MAIL_FIELDS);

/** The message of a call, taken out of its arguments. */
export interface MessageParts {
  /** Plain fields as given; `null` counts as absent. */
  fields: Partial<Record<MailField, JsonObject[string]>>;
  /** The rest of the message object: Gmail's own keys and anything unknown. */
  resource: JsonObject;
  /** Path of the message in the arguments, for error texts; "" at the top. */
  path: string;
  /** Arguments without the message. */
  rest: JsonObject;
  /** The given `body` without the message; undefined when none was given. */
  body: JsonObject | undefined;
}

/**
 * Splits the arguments of a mail operation. Plain fields may stand at the top of the arguments or
 * in the message object; undefined when there are none and nothing that looks mistyped.
 */
export function messageParts(
  operation: MailOperation,
  args: JsonObject,
): MessageParts | undefined {
  const rest: JsonObject = {};
  const fields: MessageParts["fields"] = {};
  const resource: JsonObject = {};
  let path = "";
  let body: JsonObject | undefined;
  let described = false;
  const take = (message: JsonObject, at: string) => {
    path = at;
    for (const [key, value] of Object.entries(message)) {
      if (isField(key)) {
        described = true;
        if (value !== null && fields[key] === undefined) fields[key] = value;
      } else resource[key] = value;
    }
  };
  for (const [key, value] of Object.entries(args)) {
    if (isField(key)) {
      described = true;
      if (value !== null) fields[key] = value;
    } else if (key === "body" && isJsonObject(value)) {
      if (operation.holder === "body") {
        body = {};
        take(value, "body");
      } else {
        const { message, ...others } = value;
        body = others;
        if (isJsonObject(message)) take(message, "body.message");
        else if (message !== undefined) body.message = message;
      }
    } else if (key === "message" && isJsonObject(value)) {
      take(value, "message");
    } else if (operation.holder === "body" && (key === "raw" || key === "threadId")) {
      resource[key] = value;
    } else rest[key] = value;
  }
  const mistyped = path !== "" && (resource.raw === undefined || resource.raw === "") &&
    Object.keys(resource).some((key) => !MESSAGE_RESOURCE_KEYS.has(key));
  return described || mistyped ? { fields, resource, path, rest, body } : undefined;
}

function isField(key: string): key is MailField {
  return FIELD_NAMES.has(key);
}

/** Arguments with a finished message in place of the parts. */
export function argsWithMessage(
  operation: MailOperation,
  parts: MessageParts,
  message: JsonObject,
): JsonObject {
  const whole: JsonObject = { ...parts.resource, ...message };
  if (operation.holder === "message") {
    return parts.body === undefined
      ? { ...parts.rest, message: whole }
      : { ...parts.rest, body: { ...parts.body, message: whole } };
  }
  return parts.body === undefined && Object.keys(parts.resource).every((key) => key === "threadId")
    ? { ...parts.rest, ...whole }
    : { ...parts.rest, body: { ...parts.body, ...whole } };
}
