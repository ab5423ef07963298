/** Statements of the script language (spec 09 §11.2). */

import type { AssignOperator, Block, Expression, Statement, Target } from "./ast.ts";
import { parseExpression } from "./expressions.ts";
import { tokenize } from "./lexer.ts";
import { parseCondition, parseName, parsePattern } from "./patterns.ts";
import { type Position, syntaxError } from "./syntax_error.ts";
import {
  atKeyword,
  atOperator,
  expectOperator,
  type Grammar,
  nested,
  peek,
  skipNewlines,
  take,
  takeOperator,
  type TokenStream,
  tokenStream,
  unexpected,
} from "./token_stream.ts";

/**
 * The statements of a script.
 *
 * @throws ScriptSyntaxError
 */
export function parseScript(source: string): Statement[] {
  const stream = tokenStream(tokenize(source), { grammar: GRAMMAR });
  return parseStatements(stream, () => peek(stream).kind === "end");
}

const GRAMMAR: Grammar = {
  expression: parseExpression,
  block: parseBlock,
  statements: parseStatements,
};

function parseStatements(stream: TokenStream, ends: () => boolean): Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    skipSeparators(stream);
    if (ends()) return statements;
    if (peek(stream).kind === "end") throw unexpected(peek(stream), 'in a block (expected "}")');
    statements.push(parseStatement(stream));
    const next = peek(stream);
    const separated = next.kind === "newline" || atOperator(stream, ";") || ends();
    if (!separated) throw invalidSyntax(stream, statements);
  }
}

function invalidSyntax(stream: TokenStream, statements: readonly Statement[]): Error {
  const token = peek(stream);
  const last = statements.at(-1);
  // A brace after `=>` opens a block; what was meant is a map.
  const afterKey = atOperator(stream, ":") && statements.length > 0 &&
    last?.kind === "expression" && (last.value.kind === "name" || last.value.kind === "string");
  const hint = afterKey && last.value.kind === "name" && declares(stream)
    ? `; declare a variable with let: let ${last.value.text} = ...`
    : afterKey && statements.length === 1
    ? "; a map needs parentheses here: ({...})"
    : "";
  return syntaxError(`invalid syntax (unexpected ${JSON.stringify(token.text)})${hint}`, token);
}

/** At the `:` of `name := value`, which other languages declare with. */
function declares(stream: TokenStream): boolean {
  const next = peek(stream, 1);
  return next.kind === "operator" && next.text === "=";
}

function skipSeparators(stream: TokenStream): void {
  while (peek(stream).kind === "newline" || atOperator(stream, ";")) take(stream);
}

function parseBlock(stream: TokenStream, construct: string): Block {
  const open = expectOperator(stream, "{", construct);
  return nested(stream, open, () => {
    const statements = parseStatements(stream, () => atOperator(stream, "}"));
    take(stream);
    return { statements, line: open.line, column: open.column };
  });
}

function parseStatement(stream: TokenStream): Statement {
  const token = peek(stream);
  const at: Position = { line: token.line, column: token.column };
  if (token.kind === "keyword") {
    switch (token.text) {
      case "let":
        return parseLet(stream, at);
      case "const":
        take(stream);
        return { kind: "const", name: parseName(stream, "const"), value: initial(stream), ...at };
      case "return":
        take(stream);
        return {
          kind: "return",
          value: endsHere(stream) ? undefined : parseExpression(stream),
          ...at,
        };
      case "throw":
        take(stream);
        return { kind: "throw", value: parseExpression(stream), ...at };
      case "break":
      case "continue":
        take(stream);
        return { kind: token.text, ...at };
      case "for":
        return parseFor(stream, at);
      case "while":
        return parseWhile(stream, at);
    }
  }
  return parseExpressionStatement(stream, at);
}

function endsHere(stream: TokenStream): boolean {
  const { kind } = peek(stream);
  return kind === "newline" || kind === "end" || atOperator(stream, ";", "}");
}

function parseLet(stream: TokenStream, at: Position): Statement {
  take(stream);
  if (atOperator(stream, "{", "[")) {
    return { kind: "let_pattern", pattern: parsePattern(stream), value: initial(stream), ...at };
  }
  const names = [parseName(stream, "let")];
  while (takeOperator(stream, ",")) {
    skipNewlines(stream);
    names.push(parseName(stream, "let"));
  }
  return { kind: "let", names, value: initial(stream), ...at };
}

function initial(stream: TokenStream): Expression {
  expectOperator(stream, "=", "a declaration");
  skipNewlines(stream);
  return parseExpression(stream);
}

function parseFor(stream: TokenStream, at: Position): Statement {
  take(stream);
  expectOperator(stream, "(", "for loop");
  skipNewlines(stream);
  const names = [parseName(stream, "for loop")];
  if (takeOperator(stream, ",")) {
    skipNewlines(stream);
    names.push(parseName(stream, "for loop"));
  }
  if (!atKeyword(stream, "in")) {
    throw unexpected(peek(stream), 'while parsing for loop (expected "in")');
  }
  take(stream);
  skipNewlines(stream);
  const subject = parseExpression(stream);
  skipNewlines(stream);
  expectOperator(stream, ")", "for loop");
  return { kind: "for", names, subject, body: parseBlock(stream, "for loop"), ...at };
}

function parseWhile(stream: TokenStream, at: Position): Statement {
  take(stream);
  const condition = parseCondition(stream, "while loop");
  return { kind: "while", condition, body: parseBlock(stream, "while loop"), ...at };
}

const ASSIGNMENTS: Readonly<Record<string, AssignOperator>> = {
  "=": "=",
  "+=": "+",
  "-=": "-",
  "*=": "*",
  "/=": "/",
};

function parseExpressionStatement(stream: TokenStream, at: Position): Statement {
  const value = parseExpression(stream);
  const token = peek(stream);
  if (token.kind !== "operator") return { kind: "expression", value, ...at };
  const here = { line: token.line, column: token.column };
  const operator = Object.hasOwn(ASSIGNMENTS, token.text) ? ASSIGNMENTS[token.text] : undefined;
  if (operator !== undefined) {
    take(stream);
    skipNewlines(stream);
    const target = assignable(value, here);
    return { kind: "assign", target, operator, value: parseExpression(stream), ...here };
  }
  if (token.text === "++" || token.text === "--") {
    take(stream);
    const one: Expression = { kind: "int", value: 1n, ...here };
    const step = token.text === "++" ? "+" : "-";
    return { kind: "assign", target: assignable(value, here), operator: step, value: one, ...here };
  }
  return { kind: "expression", value, ...at };
}

function assignable(value: Expression, at: Position): Target {
  const writable = value.kind === "name" || value.kind === "index" ||
    (value.kind === "member" && !value.optional);
  if (writable) return value;
  throw syntaxError("cannot assign to this expression", at);
}
