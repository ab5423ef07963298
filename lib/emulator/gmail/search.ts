/** Gmail's search syntax, the part that people and agents use. */

import type { Mailbox, StoredMessage } from "./mailbox.ts";
import { searchText } from "./message_view.ts";
import { allParts, headerOf, isAttachment } from "./mime_read.ts";

/** Decides whether a message is found. */
export type MessagePredicate = (message: StoredMessage) => boolean;

/** A compiled query. */
export interface CompiledSearch {
  matches: MessagePredicate;
  /** True when the query itself reaches into spam and trash. */
  includesSpamTrash: boolean;
}

const TOKEN = /([(){}])|(-)?(?:([A-Za-z_]+):)?(?:"([^"]*)"|\(([^()]*)\)|([^\s(){}"]+))/g;

/** Compiles the `q` parameter. Words must all be found; `OR` and `{…}` offer alternatives. */
export function compileSearch(
  query: string,
  context: { mailbox: Mailbox; now: number },
): CompiledSearch {
  const tokens: Token[] = [];
  for (const found of query.matchAll(TOKEN)) {
    if (found[1] !== undefined) tokens.push({ kind: "bracket", text: found[1] });
    else {
      tokens.push({
        kind: "term",
        negated: found[2] !== undefined,
        operator: found[3]?.toLowerCase() ?? "",
        value: found[4] ?? found[5] ?? found[6] ?? "",
        quoted: found[4] !== undefined,
      });
    }
  }
  const reader = { tokens, at: 0, context };
  const matches = readAll(reader, undefined);
  const includesSpamTrash = /\b(?:in|label|is):(?:anywhere|trash|spam)\b/i.test(query);
  return { matches, includesSpamTrash };
}

type Token =
  | { kind: "bracket"; text: string }
  | { kind: "term"; negated: boolean; operator: string; value: string; quoted: boolean };

interface Reader {
  tokens: Token[];
  at: number;
  context: { mailbox: Mailbox; now: number };
}

function readAll(reader: Reader, closing: string | undefined): MessagePredicate {
  const alternatives: MessagePredicate[][] = [[]];
  const anyOf = closing === "}";
  while (reader.at < reader.tokens.length) {
    const token = reader.tokens[reader.at++] as Token;
    if (token.kind === "bracket") {
      if (token.text === closing) break;
      if (token.text === "(" || token.text === "{") {
        push(alternatives, readAll(reader, token.text === "(" ? ")" : "}"), anyOf);
      }
      continue;
    }
    if (!token.quoted && token.operator === "" && token.value === "OR") {
      joinOr(alternatives, reader);
      continue;
    }
    if (!token.quoted && token.operator === "" && token.value === "AND") continue;
    push(alternatives, termOf(token, reader.context), anyOf);
  }
  if (anyOf) {
    const options = alternatives.flat();
    return (message) => options.some((predicate) => predicate(message));
  }
  const all = alternatives.flat();
  return (message) => all.every((predicate) => predicate(message));
}

function push(alternatives: MessagePredicate[][], predicate: MessagePredicate, _anyOf: boolean) {
  (alternatives[alternatives.length - 1] as MessagePredicate[]).push(predicate);
}

/** `a OR b` binds its two neighbours. */
function joinOr(alternatives: MessagePredicate[][], reader: Reader): void {
  const list = alternatives[alternatives.length - 1] as MessagePredicate[];
  const left = list.pop();
  const next = reader.tokens[reader.at];
  if (left === undefined || next === undefined) {
    if (left !== undefined) list.push(left);
    return;
  }
  reader.at++;
  const right = next.kind === "term"
    ? termOf(next, reader.context)
    : readAll(reader, next.text === "{" ? "}" : ")");
  list.push((message) => left(message) || right(message));
}

function termOf(
  token: Token & { kind: "term" },
  context: { mailbox: Mailbox; now: number },
): MessagePredicate {
  const predicate = positiveTerm(token, context);
  return token.negated ? (message) => !predicate(message) : predicate;
}

function positiveTerm(
  token: Token & { kind: "term" },
  { mailbox, now }: { mailbox: Mailbox; now: number },
): MessagePredicate {
  const value = token.value.toLowerCase();
  switch (token.operator) {
    case "from":
    case "to":
    case "cc":
    case "bcc":
    case "subject":
      return inHeader(token.operator, value);
    case "deliveredto":
      return inHeader("Delivered-To", value);
    case "list":
      return inHeader("List-ID", value);
    case "rfc822msgid":
      return inHeader("Message-ID", value.replace(/^<|>$/g, ""));
    case "is":
    case "in":
    case "label":
      return ofLabel(mailbox, value, token.operator);
    case "category":
      return hasLabel(`CATEGORY_${value === "primary" ? "PERSONAL" : value.toUpperCase()}`);
    case "has":
      return value === "attachment"
        ? (message) => allParts(message.root()).some(isAttachment)
        : value === "userlabels"
        ? (message) => message.labelIds.some((label) => label.startsWith("Label_"))
        : () => false;
    case "filename":
      return (message) =>
        allParts(message.root()).some((part) => part.fileName.toLowerCase().includes(value));
    case "newer_than":
    case "older_than": {
      const age = ageOf(value);
      if (age === undefined) return () => false;
      return token.operator === "newer_than"
        ? (message) => message.internalDate >= now - age
        : (message) => message.internalDate < now - age;
    }
    case "after":
    case "newer":
    case "before":
    case "older": {
      const instant = instantOf(value);
      if (instant === undefined) return () => false;
      return token.operator === "after" || token.operator === "newer"
        ? (message) => message.internalDate >= instant
        : (message) => message.internalDate < instant;
    }
    case "larger":
    case "size":
      return (message) => message.raw().length > bytesOf(value);
    case "smaller":
      return (message) => message.raw().length < bytesOf(value);
    case "":
      return containsWords(value, token.quoted);
    default:
      return containsWords(`${token.operator}:${value}`, true);
  }
}

function inHeader(name: string, value: string): MessagePredicate {
  const wanted = value.split(/\s+/).filter((word) => word !== "");
  return (message) => {
    const text = message.root().headers
      .filter((header) => header.name.toLowerCase() === name.toLowerCase())
      .map((header) => header.value.toLowerCase()).join("\n");
    return wanted.every((word) => text.includes(word)) &&
      (wanted.length > 0 || headerOf(message.root(), name) !== undefined);
  };
}

function containsWords(value: string, phrase: boolean): MessagePredicate {
  if (value === "") return () => true;
  if (phrase) {
    const wanted = value.replace(/\s+/g, " ");
    return (message) => searchText(message).replace(/\s+/g, " ").includes(wanted);
  }
  const word = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const expression = new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "u");
  // Scripts without blanks between words cannot be matched at word borders.
  const whole = /[\u0250-\u{10ffff}]/u.test(value);
  return (message) =>
    whole ? searchText(message).includes(value) : expression.test(searchText(message));
}

function hasLabel(id: string): MessagePredicate {
  return (message) => message.labelIds.includes(id);
}

function ofLabel(mailbox: Mailbox, value: string, operator: string): MessagePredicate {
  if (operator !== "label") {
    if (value === "read") return (message) => !message.labelIds.includes("UNREAD");
    if (value === "anywhere") return () => true;
    if (value === "archive") {
      return (message) =>
        !["INBOX", "SENT", "DRAFT", "TRASH", "SPAM"].some((label) =>
          message.labelIds.includes(label)
        );
    }
  }
  const system = value === "drafts" ? "DRAFT" : value.toUpperCase();
  if (mailbox.labels.get(system)?.type === "system") return hasLabel(system);
  // In queries, blanks and slashes of label names are written as dashes.
  const plain = (name: string) => name.toLowerCase().replace(/[\s/]+/g, "-");
  for (const label of mailbox.labels.values()) {
    if (plain(label.name) === plain(value) || label.id.toLowerCase() === value) {
      return hasLabel(label.id);
    }
  }
  return () => false;
}

const DAY = 86_400_000;

function ageOf(value: string): number | undefined {
  const found = /^([0-9]+)([hdwmy])$/.exec(value);
  if (found === null) return undefined;
  const units: Record<string, number> = {
    h: DAY / 24,
    d: DAY,
    w: 7 * DAY,
    m: 30 * DAY,
    y: 365 * DAY,
  };
  return Number(found[1]) * (units[found[2] as string] as number);
}

function instantOf(value: string): number | undefined {
  if (/^[0-9]{9,11}$/.test(value)) return Number(value) * 1000;
  const found = /^([0-9]{4})[/-]([0-9]{1,2})[/-]([0-9]{1,2})$/.exec(value);
  if (found === null) return undefined;
  return Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3]));
}

function bytesOf(value: string): number {
  const found = /^([0-9]+)([kmg]?)b?$/.exec(value);
  if (found === null) return 0;
  const factor = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[found[2] as "" | "k" | "m" | "g"];
  return Number(found[1]) * factor;
}
