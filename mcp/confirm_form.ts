/**
 * Confirmation through the client's own form (elicitation): the person sees what is about to happen
 * and answers, and the token that the kernel issued for exactly this call is spent on a yes. The
 * token never leaves the server on this way, so a model cannot say yes for the person.
 */

import { shownArgument } from "../lib/dispatch/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { ConnectionState, InputNeeded, ToolCall, WaitingForm } from "./types.ts";

/** How long a form may lie there before the client is taken to have dropped it. */
const DROPPED_MS = 120_000;

/** Most questions that wait for an answer on one connection. */
const MAX_WAITING = 50;

/** Longest text of a form, in characters. */
const MESSAGE_CHARS = 2_000;

/** Most of a script that a form shows, in characters; the token binds all of it. */
const SOURCE_CHARS = 1_200;

const KEY_PREFIX = "gum.confirm.";

/** What a person answered. */
export type FormAnswer =
  /** Nothing was asked. */
  | { kind: "none" }
  | { kind: "yes"; token: string }
  | { kind: "no" }
  /** The form was closed, or what came back is no answer to it. */
  | { kind: "unanswered" };

/** Whether the client shows forms; a bare `{}` means it does. */
export function showsForms(capabilities: JsonObject): boolean {
  const { elicitation } = capabilities;
  if (!isJsonObject(elicitation)) return false;
  return Object.keys(elicitation).length === 0 || elicitation.form !== undefined;
}

/**
 * Whether forms come to nothing here: clients exist that declare them, draw none, and let the call
 * time out. On the newer revision such a client says nothing more at all.
 */
export function formsFail(connection: ConnectionState, now: number): boolean {
  if (connection.formsFail === true) return true;
  return connection.era === "modern" &&
    [...connection.waitingForms.values()].some(({ askedAt }) => now - askedAt >= DROPPED_MS);
}

/** A refusal for a model that has to ask the person itself, because no form did. */
export function askInWords(refusal: GumError): GumError {
  return refusal.restated({
    suggestion:
      "The client's form was not answered. Ask the person in the conversation; when they " +
      "agree, re-invoke with confirmed=true and this confirmation_token.",
    cause: refusal,
  });
}

/** The question for a refusal that carries a token; undefined when it carries none. */
export function confirmationForm(
  refusal: GumError,
  call: ToolCall,
  { now }: { now: number },
): InputNeeded | undefined {
  const token = refusal.details.confirmation_token;
  if (typeof token !== "string") return undefined;
  const key = KEY_PREFIX + crypto.getRandomValues(new Uint8Array(8)).toHex();
  keepWaiting(call.connection, key, { token, askedAt: now });
  return {
    inputRequests: {
      [key]: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: formText(refusal, call),
          requestedSchema: {
            type: "object",
            properties: {
              confirm: {
                type: "boolean",
                title: "Do it",
                description: "Whether this may be done now.",
              },
            },
            required: ["confirm"],
          },
        },
      },
    },
  };
}

/** Remembers a form until the round that brings its answer under `key`. */
export function keepWaiting(
  connection: ConnectionState,
  key: string,
  form: WaitingForm,
): void {
  const { waitingForms: waiting } = connection;
  waiting.set(key, form);
  const [oldest] = waiting.keys();
  if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
}

/** Takes the answer to one of this connection's questions out of a retry; it counts once. */
export function takeAnswer(
  connection: ConnectionState,
  responses: JsonObject | undefined,
): FormAnswer {
  const names = Object.keys(responses ?? {});
  const shown = Object.values(responses ?? {}).some((response) =>
    isJsonObject(response) && (response.action === "decline" || response.action === "accept")
  );
  if (shown) delete connection.formsFail;
  const key = names.find((name) => name.startsWith(KEY_PREFIX));
  if (key === undefined) return confirmedBefore(connection, names);
  const token = connection.waitingForms.get(key)?.token;
  connection.waitingForms.delete(key);
  const response = responses?.[key];
  if (token === undefined || !isJsonObject(response)) return { kind: "unanswered" };
  if (response.action === "decline") return { kind: "no" };
  const content = isJsonObject(response.content) ? response.content : {};
  if (response.action !== "accept") return { kind: "unanswered" };
  if (content.confirm === true) return { kind: "yes", token };
  return content.confirm === false ? { kind: "no" } : { kind: "unanswered" };
}

/** A question about something else, which may have come after a yes: the yes still stands. */
function confirmedBefore(connection: ConnectionState, names: readonly string[]): FormAnswer {
  const { waitingForms: waiting } = connection;
  const tokens = names.map((name) => waiting.get(name)?.token);
  for (const name of names) waiting.delete(name);
  const token = tokens.find((known) => known !== undefined);
  return token === undefined ? { kind: "none" } : { kind: "yes", token };
}

/** Responses that belong to other questions. */
export function otherResponses(responses: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => !name.startsWith(KEY_PREFIX)),
  );
}

/** The refusal of a call that a person said no to; it carries no token. */
export function declined(opId: string): GumError {
  return new GumError("POLICY_DENIED", {
    message: `${opId} was declined; nothing was done`,
    userMessage: "You declined this; nothing was done.",
    suggestion: "Ask what should be done instead; do not repeat the call unasked.",
    details: { op_id: opId, reason: "declined_by_user" },
    retryable: false,
  });
}

function formText(refusal: GumError, call: ToolCall): string {
  const { op_id: opId, pending_request: pending } = refusal.details;
  const lines = [refusal.userMessage, "", `operation: ${String(opId ?? "")}`];
  const facts = isJsonObject(pending) ? pending : {};
  for (const name of ["method", "target"]) {
    if (typeof facts[name] === "string") lines.push(`${name}: ${facts[name]}`);
  }
  // A composed message says more than the arguments it was made of.
  if (isJsonObject(facts.message)) lines.push(...factLines(facts.message));
  else lines.push(...argumentLines(call));
  const text = visibleText(lines.join("\n"));
  return text.length > MESSAGE_CHARS ? `${text.slice(0, MESSAGE_CHARS).toWellFormed()}…` : text;
}

/** Arguments of a tool that say how it answers, not what it does. */
const CONTROLS: ReadonlySet<string> = new Set([
  "confirmed",
  "confirmation_token",
  "format",
  "max_items",
  "account",
]);

/** The arguments a person approves, one a line. */
function argumentLines({ tool, args }: ToolCall): string[] {
  if (tool === "gum.code") {
    const { source, ...rest } = args;
    return [...shownArguments(rest), ...sourceLines(typeof source === "string" ? source : "")];
  }
  if (typeof args.op_id !== "string") return shownArguments(args);
  return shownArguments({
    ...(isJsonObject(args.args) ? args.args : {}),
    ...(args.upload_from === undefined ? {} : { upload_from: args.upload_from }),
  });
}

function shownArguments(args: JsonObject): string[] {
  return Object.entries(args).filter(([name]) => !CONTROLS.has(name)).map(([name, value]) =>
    `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${shownArgument(name, value)}`
  );
}

// Every line is marked, so that none of the script passes for one of ours.
function sourceLines(source: string): string[] {
  const cut = source.length > SOURCE_CHARS;
  const shown = cut ? source.slice(0, SOURCE_CHARS).toWellFormed() : source;
  const lines = shown.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `| ${line}`);
  return ["script:", ...lines, ...(cut ? [`(${source.length} characters in all)`] : [])];
}

// Values are quoted, so that no line of them passes for one of ours.
function factLines(facts: JsonObject): string[] {
  return Object.entries(facts).map(([name, value]) => `${name}: ${factText(value)}`);
}

function factText(value: JsonValue): string {
  return Array.isArray(value) ? value.map(factText).join(", ") : JSON.stringify(value);
}
