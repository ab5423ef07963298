/** Expressions of the script language, by precedence climbing (spec 09 §11.2). */

import type { Argument, Expression, MapItem } from "./ast.ts";
import { isFunctionAhead, parseArrow, parseFunction } from "./functions.ts";
import { parseIf, parseMatch, parseSwitch, parseTry } from "./branches.ts";
import { syntaxError } from "./syntax_error.ts";
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
  return nested(stream, peek(stream), () => parseNullish(stream, place));
}

type Parse = (stream: TokenStream, place: ExpressionPlace) => Expression;

function parseNullish(stream: TokenStream, place: ExpressionPlace): Expression {
  let left = parsePipe(stream, place);
  while (atOperator(stream, "??")) {
    const at = positionOf(take(stream));
    skipNewlines(stream);
    left = { kind: "logical", operator: "??", left, right: parsePipe(stream, place), ...at };
  }
  return left;
}

function parsePipe(stream: TokenStream, place: ExpressionPlace): Expression {
  let left = parseOr(stream, place);
  while (skipNewlinesBefore(stream, (token) => isOperator(token, "|>"))) {
    const at = positionOf(take(stream));
    skipNewlines(stream);
    left = { kind: "pipe", left, right: parseOr(stream, place), ...at };
  }
  return left;
}

const parseOr = logicalLevel("||", parseAnd);

function parseAnd(stream: TokenStream, place: ExpressionPlace): Expression {
  return logicalLevel("&&", parseEquality)(stream, place);
}

function logicalLevel(operator: "&&" | "||", parseOperand: Parse): Parse {
  return (stream, place) => {
    let left = parseOperand(stream, place);
    while (atOperator(stream, operator)) {
      const at = positionOf(take(stream));
      skipNewlines(stream);
      left = { kind: "logical", operator, left, right: parseOperand(stream, place), ...at };
    }
    return left;
  };
}

function parseEquality(stream: TokenStream, place: ExpressionPlace): Expression {
  return binaryLevel(["==", "!="], parseRelation)(stream, place);
}

function parseRelation(stream: TokenStream, place: ExpressionPlace): Expression {
  let left = parseAdditive(stream, place);
  for (;;) {
    const operator = relationAhead(stream);
    if (operator === undefined) return left;
    const at = positionOf(take(stream));
    if (operator === "not in") take(stream);
    skipNewlines(stream);
    left = { kind: "binary", operator, left, right: parseAdditive(stream, place), ...at };
  }
}

function relationAhead(stream: TokenStream): string | undefined {
  if (atOperator(stream, "<", "<=", ">", ">=")) return peek(stream).text;
  if (atKeyword(stream, "in")) return "in";
  const next = peek(stream, 1);
  return atKeyword(stream, "not") && next.kind === "keyword" && next.text === "in"
    ? "not in"
    : undefined;
}

function parseAdditive(stream: TokenStream, place: ExpressionPlace): Expression {
  return binaryLevel(["+", "-"], parseMultiplicative)(stream, place);
}

function parseMultiplicative(stream: TokenStream, place: ExpressionPlace): Expression {
  return binaryLevel(["*", "/", "%", "&", "|", "^", "<<", ">>"], parsePower)(stream, place);
}

function binaryLevel(operators: readonly string[], parseOperand: Parse): Parse {
  return (stream, place) => {
    let left = parseOperand(stream, place);
    while (atOperator(stream, ...operators)) {
      const token = take(stream);
      skipNewlines(stream);
      const right = parseOperand(stream, place);
      left = { kind: "binary", operator: token.text, left, right, ...positionOf(token) };
    }
    return left;
  };
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
      subject = parseIndex(stream, subject);
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
    const inner = parseExpression(stream);
    skipNewlines(stream);
    expectOperator(stream, ")", "parenthesized expression");
    return inner;
  }
  if (token.text === "[") {
    take(stream);
    return { kind: "list", items: parseItems(stream, { close: "]", construct: "list" }), ...at };
  }
  if (token.text === "{") return parseMap(stream);
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
