/** Expressions of the script language, by precedence climbing (spec 09 §11.2). */

import type { Argument, Expression, MapItem } from "./ast.ts";
import { isFunctionAhead, parseArrow, parseFunction } from "./functions.ts";
import { parseIf, parseMatch, parseSwitch, parseTry } from "./branches.ts";
import { type Position, syntaxError } from "./syntax_error.ts";
import {
  atKeyword,
  atOperator,
  expectOperator,
  type ExpressionPlace,
  nested,
  peek,
  positionOf,
  skipNewlines,
  skipNewlinesBefore,
  take,
  takeOperator,
  type TokenStream,
  tokenStream,
  unexpected,
} from "./token_stream.ts";
import { MAX_NESTING, type Token } from "./tokens.ts";

/** Most arguments of a call. */
const MAX_ARGUMENTS = 256;

/**
 * One expression.
 *
 * @throws ScriptSyntaxError
 */
export function parseExpression(stream: TokenStream, place: ExpressionPlace = {}): Expression {
  return parseBinary(stream, place);
}

/** Binary operators by how tightly they bind, loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ["??"],
  ["|>"],
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", "<=", ">", ">=", "in", "not in"],
  ["+", "-"],
  ["*", "/", "%", "&", "|", "^", "<<", ">>"],
];
const LEVEL_OF = new Map(
  LEVELS.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)),
);

/** Operands and operators from `level` on; every operator here groups to the left. */
function parseBinary(stream: TokenStream, place: ExpressionPlace, level = 0): Expression {
  let left = parsePower(stream, place);
  for (;;) {
    // A line may start with a pipe and go on with the expression before it.
    skipNewlinesBefore(stream, (token) => level <= 1 && isOperator(token, "|>"));
    const operator = operatorAhead(stream);
    const found = operator === undefined ? undefined : LEVEL_OF.get(operator);
    if (operator === undefined || found === undefined || found < level) return left;
    const at = positionOf(take(stream));
    if (operator === "not in") take(stream);
    skipNewlines(stream);
    left = combine({ operator, left, right: parseBinary(stream, place, found + 1) }, at);
  }
}

function operatorAhead(stream: TokenStream): string | undefined {
  const token = peek(stream);
  if (token.kind === "operator") return token.text;
  if (atKeyword(stream, "in")) return "in";
  const next = peek(stream, 1);
  return atKeyword(stream, "not") && next.kind === "keyword" && next.text === "in"
    ? "not in"
    : undefined;
}

function combine(
  found: { operator: string; left: Expression; right: Expression },
  at: Position,
): Expression {
  const { operator, left, right } = found;
  switch (operator) {
    case "??":
    case "&&":
    case "||":
      return { kind: "logical", operator, left, right, ...at };
    case "|>":
      return { kind: "pipe", left, right, ...at };
    default:
      return { kind: "binary", operator, left, right, ...at };
  }
}

/** A leading minus reaches over the power: `-2 ** 2` is `-(2 ** 2)`. */
function parsePower(stream: TokenStream, place: ExpressionPlace): Expression {
  const token = peek(stream);
  if (atOperator(stream, "-", "!")) {
    take(stream);
    const operand = nested(stream, token, () => parsePower(stream, place));
    return {
      kind: "unary",
      operator: token.text === "-" ? "-" : "!",
      operand,
      ...positionOf(token),
    };
  }
  const base = parsePostfix(stream, place);
  if (!atOperator(stream, "**")) return base;
  const at = positionOf(take(stream));
  skipNewlines(stream);
  const right = nested(stream, at, () => parsePower(stream, place));
  return { kind: "binary", operator: "**", left: base, right, ...at };
}

function parsePostfix(stream: TokenStream, place: ExpressionPlace): Expression {
  let subject = parsePrimary(stream, place);
  for (let links = 0;; links++) {
    if (links > MAX_NESTING) throw syntaxError("the script is nested too deeply", peek(stream));
    const token = peek(stream);
    const at = positionOf(token);
    if (atOperator(stream, "(")) {
      subject = { kind: "call", callee: subject, args: parseArguments(stream), ...at };
    } else if (atOperator(stream, "[")) {
      const indexed = subject;
      subject = nested(stream, at, () => parseIndex(stream, indexed));
    } else if (skipNewlinesBefore(stream, (next) => isOperator(next, ".", "?."))) {
      subject = parseMember(stream, subject);
    } else return subject;
  }
}

/** Arguments with their parentheses. */
function parseArguments(stream: TokenStream): Argument[] {
  const open = take(stream);
  const args = parseItems(stream, { close: ")", construct: "call arguments" });
  if (args.length > MAX_ARGUMENTS) {
    throw syntaxError(`more than ${MAX_ARGUMENTS} arguments`, open);
  }
  return args;
}

function parseItems(
  stream: TokenStream,
  list: { close: string; construct: string },
): Argument[] {
  return nested(stream, peek(stream), () => readItems(stream, list));
}

function readItems(
  stream: TokenStream,
  list: { close: string; construct: string },
): Argument[] {
  const items: Argument[] = [];
  skipNewlines(stream);
  while (!atOperator(stream, list.close)) {
    const spread = takeOperator(stream, "...") !== undefined;
    items.push({ value: parseExpression(stream), spread });
    skipNewlines(stream);
    if (!takeOperator(stream, ",")) break;
    skipNewlines(stream);
  }
  expectOperator(stream, list.close, list.construct);
  return items;
}

function parseIndex(stream: TokenStream, subject: Expression): Expression {
  const at = positionOf(take(stream));
  skipNewlines(stream);
  const from = atOperator(stream, ":") ? undefined : parseExpression(stream);
  skipNewlines(stream);
  if (!takeOperator(stream, ":")) {
    expectOperator(stream, "]", "index");
    if (from === undefined) throw syntaxError("an index is missing", at);
    return { kind: "index", subject, index: from, ...at };
  }
  skipNewlines(stream);
  const to = atOperator(stream, "]") ? undefined : parseExpression(stream);
  skipNewlines(stream);
  expectOperator(stream, "]", "slice");
  return { kind: "slice", subject, from, to, ...at };
}

function parseMember(stream: TokenStream, subject: Expression): Expression {
  const token = take(stream);
  skipNewlines(stream);
  const name = peek(stream);
  if (name.kind !== "ident" && name.kind !== "keyword") {
    throw unexpected(name, "while parsing attribute (expected a name)");
  }
  take(stream);
  const optional = token.text === "?.";
  const at = positionOf(token);
  if (!atOperator(stream, "(")) {
    return { kind: "member", subject, name: name.text, optional, ...at };
  }
  const args = parseArguments(stream);
  return { kind: "method", subject, name: name.text, args, optional, ...at };
}

function parsePrimary(stream: TokenStream, place: ExpressionPlace): Expression {
  const token = peek(stream);
  const at = positionOf(token);
  switch (token.kind) {
    case "int":
      take(stream);
      return { kind: "int", value: token.value, ...at };
    case "float":
      take(stream);
      return { kind: "float", value: token.value, ...at };
    case "string":
      take(stream);
      return { kind: "string", value: token.value, ...at };
    case "template":
      take(stream);
      return parseTemplate(stream, token);
    case "keyword":
      return parseKeyword(stream, token);
    case "ident":
      if (!place.inPattern && isFunctionAhead(stream)) return parseArrow(stream);
      take(stream);
      return { kind: "name", text: token.text, ...at };
    case "operator":
      return parseBracketed(stream, { token, place });
    default:
      throw unexpected(token, "(expected an expression)");
  }
}

function parseBracketed(
  stream: TokenStream,
  found: { token: Token; place: ExpressionPlace },
): Expression {
  const { token, place } = found;
  const at = positionOf(token);
  if (token.text === "(") {
    if (!place.inPattern && isFunctionAhead(stream)) return parseArrow(stream);
    take(stream);
    skipNewlines(stream);
    const inner = nested(stream, token, () => parseExpression(stream));
    skipNewlines(stream);
    expectOperator(stream, ")", "parenthesized expression");
    return inner;
  }
  if (token.text === "[") {
    take(stream);
    return { kind: "list", items: parseItems(stream, { close: "]", construct: "list" }), ...at };
  }
  if (token.text === "{") return nested(stream, token, () => parseMap(stream));
  throw syntaxError(`invalid syntax (unexpected ${JSON.stringify(token.text)})`, token);
}

function parseKeyword(stream: TokenStream, token: Token): Expression {
  const at = positionOf(token);
  switch (token.text) {
    case "true":
    case "false":
      take(stream);
      return { kind: "bool", value: token.text === "true", ...at };
    case "nil":
    case "null":
      take(stream);
      return { kind: "nil", ...at };
    case "function":
      return parseFunction(stream);
    case "if":
      return parseIf(stream);
    case "match":
      return parseMatch(stream);
    case "try":
      return parseTry(stream);
    case "switch":
      return parseSwitch(stream);
    default:
      throw syntaxError(`invalid syntax (unexpected ${JSON.stringify(token.text)})`, token);
  }
}

function parseMap(stream: TokenStream): Expression {
  const open = take(stream);
  const items: MapItem[] = [];
  skipNewlines(stream);
  while (!atOperator(stream, "}")) {
    items.push(parseMapItem(stream));
    skipNewlines(stream);
    if (!takeOperator(stream, ",")) break;
    skipNewlines(stream);
  }
  expectOperator(stream, "}", "map");
  return { kind: "map", items, ...positionOf(open) };
}

function parseMapItem(stream: TokenStream): MapItem {
  if (takeOperator(stream, "...")) return { kind: "spread", value: parseExpression(stream) };
  const token = take(stream);
  const at = positionOf(token);
  const key = mapKey(stream, token);
  if (key === undefined) throw unexpected(token, "while parsing map (expected a key)");
  skipNewlines(stream);
  if (takeOperator(stream, ":")) {
    skipNewlines(stream);
    return { kind: "entry", key, value: parseExpression(stream) };
  }
  if (token.kind === "ident") {
    return { kind: "entry", key, value: { kind: "name", text: token.text, ...at } };
  }
  throw unexpected(peek(stream), 'while parsing map (expected ":")');
}

function mapKey(stream: TokenStream, token: Token): Expression | undefined {
  const at = positionOf(token);
  switch (token.kind) {
    case "ident":
    case "keyword":
      return { kind: "string", value: token.text, ...at };
    case "string":
      return { kind: "string", value: token.value, ...at };
    case "template":
      return parseTemplate(stream, token);
    default:
      return undefined;
  }
}

function parseTemplate(stream: TokenStream, token: Token & { kind: "template" }): Expression {
  const parts = token.parts.map((part) => {
    if (part.kind === "text") return part.value;
    const inner = tokenStream(part.tokens, {
      grammar: stream.grammar,
      depth: stream.depth + 1,
    });
    skipNewlines(inner);
    const value = parseExpression(inner);
    skipNewlines(inner);
    if (peek(inner).kind !== "end") throw unexpected(peek(inner), 'in a template (expected "}")');
    return value;
  });
  return { kind: "template", parts, ...positionOf(token) };
}

function isOperator(token: Token, ...texts: string[]): boolean {
  return token.kind === "operator" && texts.includes(token.text);
}
