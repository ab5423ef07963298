/** Expressions that choose: if, match, try, switch (spec 09 §11.2). */

import type {
  Block,
  Expression,
  IfExpression,
  Name,
  SwitchExpression,
  TryExpression,
} from "./ast.ts";
import { parseCondition, parseName } from "./patterns.ts";
import { syntaxError } from "./syntax_error.ts";
import {
  atKeyword,
  atOperator,
  expectOperator,
  nested,
  peek,
  positionOf,
  skipNewlines,
  skipNewlinesBefore,
  take,
  takeKeyword,
  takeOperator,
  type TokenStream,
  unexpected,
} from "./token_stream.ts";
import type { Token } from "./tokens.ts";

/** `if (…) { … } else …`; `else` may start a line. */
export function parseIf(stream: TokenStream): IfExpression {
  const start = take(stream);
  const condition = parseCondition(stream, "if expression");
  const then = stream.grammar.block(stream, "if expression");
  let otherwise: Block | IfExpression | undefined;
  if (skipNewlinesBefore(stream, (token) => isKeyword(token, "else"))) {
    take(stream);
    otherwise = atKeyword(stream, "if")
      ? nested(stream, peek(stream), () => parseIf(stream))
      : stream.grammar.block(stream, "else branch");
  }
  return { kind: "if", condition, then, otherwise, ...positionOf(start) };
}

/** `match subject { pattern => value, … }` with exactly one `_` arm. */
export function parseMatch(stream: TokenStream): Expression {
  const start = take(stream);
  // A brace after the subject opens the arms, never a map.
  const subject = nested(stream, start, () => stream.grammar.expression(stream));
  const open = expectOperator(stream, "{", "match expression");
  const arms: { pattern: Expression; guard: Expression | undefined; value: Expression }[] = [];
  let fallback: Expression | undefined;
  for (;;) {
    while (peek(stream).kind === "newline" || atOperator(stream, ",")) take(stream);
    if (takeOperator(stream, "}")) break;
    const token = peek(stream);
    const pattern = stream.grammar.expression(stream, { inPattern: true });
    const guard = takeKeyword(stream, "if")
      ? stream.grammar.expression(stream, { inPattern: true })
      : undefined;
    expectOperator(stream, "=>", "match arm");
    skipNewlines(stream);
    const value = nested(stream, token, () => stream.grammar.expression(stream));
    const next = peek(stream);
    if (next.kind !== "newline" && !atOperator(stream, ",", "}")) {
      throw unexpected(next, "in a match expression");
    }
    if (pattern.kind !== "name" || pattern.text !== "_") arms.push({ pattern, guard, value });
    else if (guard !== undefined) throw syntaxError("the _ arm takes no guard", token);
    else if (fallback !== undefined) throw syntaxError("match has more than one _ arm", token);
    else fallback = value;
  }
  if (fallback === undefined) throw syntaxError("match needs a _ arm", open);
  return { kind: "match", subject, arms, fallback, ...positionOf(start) };
}

/** `try { … } catch (e) { … } finally { … }`. */
export function parseTry(stream: TokenStream): TryExpression {
  const start = take(stream);
  const body = stream.grammar.block(stream, "try expression");
  let caught: { name: Name | undefined; body: Block } | undefined;
  let last: Block | undefined;
  if (skipNewlinesBefore(stream, (token) => isKeyword(token, "catch"))) {
    take(stream);
    let name: Name | undefined;
    if (takeOperator(stream, "(")) {
      name = parseName(stream, "catch clause");
      expectOperator(stream, ")", "catch clause");
    } else if (peek(stream).kind === "ident") name = parseName(stream, "catch clause");
    caught = { name, body: stream.grammar.block(stream, "catch clause") };
  }
  if (skipNewlinesBefore(stream, (token) => isKeyword(token, "finally"))) {
    take(stream);
    last = stream.grammar.block(stream, "finally clause");
  }
  if (caught === undefined && last === undefined) {
    throw syntaxError("try needs a catch or a finally clause", start);
  }
  return { kind: "try", body, caught, last, ...positionOf(start) };
}

/** `switch (…) { case a, b: … default: … }`. */
export function parseSwitch(stream: TokenStream): SwitchExpression {
  const start = take(stream);
  const subject = parseCondition(stream, "switch expression");
  const open = expectOperator(stream, "{", "switch expression");
  const cases: SwitchExpression["cases"] = [];
  let fallback: Block | undefined;
  nested(stream, open, () => {
    for (;;) {
      skipNewlines(stream);
      if (takeOperator(stream, "}")) return;
      const token = take(stream);
      if (isKeyword(token, "case")) {
        const values = parseCaseValues(stream);
        cases.push({ values, body: parseCaseBody(stream) });
      } else if (isKeyword(token, "default")) {
        if (fallback !== undefined) throw syntaxError("switch has more than one default", token);
        fallback = parseCaseBody(stream);
      } else throw unexpected(token, 'while parsing switch expression (expected "case")');
    }
  });
  return { kind: "switch", subject, cases, fallback, ...positionOf(start) };
}

function parseCaseValues(stream: TokenStream): Expression[] {
  const values = [stream.grammar.expression(stream)];
  while (takeOperator(stream, ",")) {
    skipNewlines(stream);
    values.push(stream.grammar.expression(stream));
  }
  return values;
}

function parseCaseBody(stream: TokenStream): Block {
  const colon = expectOperator(stream, ":", "switch case");
  const statements = stream.grammar.statements(
    stream,
    () => atKeyword(stream, "case") || atKeyword(stream, "default") || atOperator(stream, "}"),
  );
  return { statements, ...positionOf(colon) };
}

function isKeyword(token: Token, text: string): boolean {
  return token.kind === "keyword" && token.text === text;
}
