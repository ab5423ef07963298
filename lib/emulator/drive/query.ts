/** The `q` language of `files.list`: parser and evaluation. */

import { invalidParameter, parseInstant } from "./requests.ts";

/** What a query can ask about a file, filled in by the Drive service. */
export interface QueryFacts {
  name: string;
  mimeType: string;
  /** Name, description and text content. */
  fullText(): string;
  trashed(): boolean;
  starred: boolean;
  sharedWithMe: boolean;
  parents: readonly string[];
  owners: readonly string[];
  writers: readonly string[];
  readers: readonly string[];
  modifiedTime: number;
  createdTime: number;
  viewedByMeTime: number | undefined;
  sharedWithMeTime: number | undefined;
  visibility: string;
  properties: Record<string, string>;
  appProperties: Record<string, string>;
  shortcutTarget: string | undefined;
}

/** A parsed query. */
export type QueryNode =
  | { kind: "and" | "or"; left: QueryNode; right: QueryNode }
  | { kind: "not"; inner: QueryNode }
  | { kind: "compare"; field: string; operator: string; value: string | boolean }
  | { kind: "in"; value: string; field: string }
  | { kind: "has"; field: string; key: string; value: string };

type Token =
  | { kind: "word"; text: string }
  | { kind: "string"; text: string }
  | { kind: "sign"; text: string };

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  name: ["contains", "=", "!="],
  fullText: ["contains"],
  mimeType: ["contains", "=", "!="],
  modifiedTime: ["<=", "<", "=", "!=", ">", ">="],
  createdTime: ["<=", "<", "=", "!=", ">", ">="],
  viewedByMeTime: ["<=", "<", "=", "!=", ">", ">="],
  sharedWithMeTime: ["<=", "<", "=", "!=", ">", ">="],
  trashed: ["=", "!="],
  starred: ["=", "!="],
  sharedWithMe: ["=", "!="],
  visibility: ["=", "!="],
  "shortcutDetails.targetId": ["=", "!="],
};
const COLLECTIONS = new Set(["parents", "owners", "writers", "readers"]);
const BOOLEANS = new Set(["trashed", "starred", "sharedWithMe"]);
const TIMES = new Set(["modifiedTime", "createdTime", "viewedByMeTime", "sharedWithMeTime"]);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\s+|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(<=|>=|!=|[=<>(){}])|([A-Za-z][A-Za-z.]*)/gsuy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) throw invalidParameter("q");
    const quoted = match[1] ?? match[2];
    if (quoted !== undefined) {
      tokens.push({ kind: "string", text: quoted.replace(/\\(.)/gsu, "$1") });
    } else if (match[3] !== undefined) tokens.push({ kind: "sign", text: match[3] });
    else if (match[4] !== undefined) tokens.push({ kind: "word", text: match[4] });
  }
  return tokens;
}

/**
 * Parses a query.
 *
 * @throws EmulatedError 400 for anything that Drive would not accept.
 */
export function parseQuery(text: string): QueryNode {
  const tokens = tokenize(text);
  let at = 0;
  const peek = () => tokens[at];
  const isWord = (word: string) => peek()?.kind === "word" && peek()?.text === word;
  const isSign = (sign: string) => peek()?.kind === "sign" && peek()?.text === sign;
  const take = (kind: Token["kind"]): string => {
    const token = tokens[at++];
    if (token?.kind !== kind) throw invalidParameter("q");
    return token.text;
  };
  const expectSign = (sign: string) => {
    if (take("sign") !== sign) throw invalidParameter("q");
  };
  // `and` binds tighter than `or`, as in the documentation's advice to add parentheses.
  const disjunction = (): QueryNode => {
    let node = conjunction();
    while (isWord("or")) {
      at++;
      node = { kind: "or", left: node, right: conjunction() };
    }
    return node;
  };
  const conjunction = (): QueryNode => {
    let node = unary();
    while (isWord("and")) {
      at++;
      node = { kind: "and", left: node, right: unary() };
    }
    return node;
  };
  const unary = (): QueryNode => {
    if (isWord("not")) {
      at++;
      return { kind: "not", inner: unary() };
    }
    if (isSign("(")) {
      at++;
      const node = disjunction();
      expectSign(")");
      return node;
    }
    return term();
  };
  const term = (): QueryNode => {
    if (peek()?.kind === "string") {
      const value = take("string");
      if (take("word") !== "in") throw invalidParameter("q");
      const field = take("word");
      if (!COLLECTIONS.has(field)) throw invalidParameter("q");
      return { kind: "in", value, field };
    }
    const field = take("word");
    if ((field === "properties" || field === "appProperties") && isWord("has")) {
      at++;
      expectSign("{");
      if (take("word") !== "key") throw invalidParameter("q");
      expectSign("=");
      const key = take("string");
      if (take("word") !== "and" || take("word") !== "value") throw invalidParameter("q");
      expectSign("=");
      const value = take("string");
      expectSign("}");
      return { kind: "has", field, key, value };
    }
    const allowed = OPERATORS[field];
    if (allowed === undefined) throw invalidParameter("q");
    // Drive accepts a bare `sharedWithMe`, `starred` or `trashed`.
    const next = peek();
    const bare = next === undefined || (next.kind === "word" && next.text !== "contains") ||
      (next.kind === "sign" && next.text === ")");
    if (BOOLEANS.has(field) && bare) {
      return { kind: "compare", field, operator: "=", value: true };
    }
    const operator = tokens[at++]?.text ?? "";
    if (!allowed.includes(operator)) throw invalidParameter("q");
    if (BOOLEANS.has(field)) {
      const value = take("word");
      if (value !== "true" && value !== "false") throw invalidParameter("q");
      return { kind: "compare", field, operator, value: value === "true" };
    }
    const value = take("string");
    if (TIMES.has(field)) queryTime(value);
    return { kind: "compare", field, operator, value };
  };
  const node = disjunction();
  if (at !== tokens.length) throw invalidParameter("q");
  return node;
}

/** A time of a query: date, date-time without zone (UTC), or with one. */
function queryTime(text: string): number {
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return parseInstant(`${text}T00:00:00Z`, "q");
  return parseInstant(/(Z|[+-][0-9]{2}:?[0-9]{2})$/i.test(text) ? text : `${text}Z`, "q");
}

/** True when the file that the facts describe satisfies the query. */
export function satisfies(node: QueryNode, facts: QueryFacts): boolean {
  switch (node.kind) {
    case "and":
      return satisfies(node.left, facts) && satisfies(node.right, facts);
    case "or":
      return satisfies(node.left, facts) || satisfies(node.right, facts);
    case "not":
      return !satisfies(node.inner, facts);
    case "in":
      return facts[node.field as "parents"].includes(node.value);
    case "has":
      return facts[node.field as "properties"][node.key] === node.value;
    case "compare":
      return compares(node, facts);
  }
}

function compares(
  { field, operator, value }: { field: string; operator: string; value: string | boolean },
  facts: QueryFacts,
): boolean {
  const negate = operator === "!=";
  if (typeof value === "boolean") {
    const actual = field === "trashed"
      ? facts.trashed()
      : field === "starred"
      ? facts.starred
      : facts.sharedWithMe;
    return (actual === value) !== negate;
  }
  switch (field) {
    case "name":
      if (operator === "contains") return hasPrefix(facts.name, value);
      return (facts.name.toLowerCase() === value.toLowerCase()) !== negate;
    case "mimeType":
      if (operator === "contains") return facts.mimeType.startsWith(value);
      return (facts.mimeType === value) !== negate;
    case "fullText":
      return hasText(facts.fullText(), value);
    case "visibility":
      return (facts.visibility === value) !== negate;
    case "shortcutDetails.targetId":
      return (facts.shortcutTarget === value) !== negate;
    default: {
      const actual = facts[field as "modifiedTime"] as number | undefined;
      return actual !== undefined && ordered(actual, { operator, wanted: queryTime(value) });
    }
  }
}

function ordered(
  actual: number,
  { operator, wanted }: { operator: string; wanted: number },
): boolean {
  switch (operator) {
    case "<":
      return actual < wanted;
    case "<=":
      return actual <= wanted;
    case ">":
      return actual > wanted;
    case ">=":
      return actual >= wanted;
    case "!=":
      return actual !== wanted;
    default:
      return actual === wanted;
  }
}

/** Drive matches names by the prefix of any word; scripts without spaces match anywhere. */
function hasPrefix(name: string, wanted: string): boolean {
  const text = name.toLowerCase();
  const prefix = wanted.toLowerCase();
  if (prefix === "") return true;
  const anywhere = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(prefix);
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at + 1)) {
    if (anywhere || at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/** All words, or the exact phrase when the value is itself in double quotes. */
function hasText(text: string, wanted: string): boolean {
  const plain = text.toLowerCase();
  const phrase = /^"(.*)"$/s.exec(wanted);
  if (phrase !== null) return plain.includes((phrase[1] as string).toLowerCase());
  const asked = wanted.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return asked.length > 0 && asked.every((word) => hasPrefix(plain, word));
}
