/** Functions and their parameters (spec 09 §11.2). */

import type { Block, FunctionExpression, Parameter } from "./ast.ts";
import { parseFallback, parseName, parsePattern } from "./patterns.ts";
import { syntaxError } from "./syntax_error.ts";
import {
  atOperator,
  expectOperator,
  nested,
  peek,
  skipNewlines,
  take,
  takeOperator,
  type TokenStream,
} from "./token_stream.ts";

/** Whether an arrow function starts here: `x =>`, or parentheses followed by `=>`. */
export function isFunctionAhead(stream: TokenStream): boolean {
  const isArrow = (offset: number) => {
    const token = peek(stream, offset);
    return token.kind === "operator" && token.text === "=>";
  };
  if (peek(stream).kind === "ident") return isArrow(1);
  const closer = stream.closers.get(stream.index);
  return closer !== undefined && isArrow(closer - stream.index + 1);
}

/** An arrow function. */
export function parseArrow(stream: TokenStream): FunctionExpression {
  const { line, column } = peek(stream);
  const parameters: Parameter[] = peek(stream).kind === "ident"
    ? [{ kind: "name", name: parseName(stream, "function"), fallback: undefined }]
    : parseParameters(stream);
  expectOperator(stream, "=>", "function");
  skipNewlines(stream);
  const body = atOperator(stream, "{")
    ? stream.grammar.block(stream, "function")
    : expressionBody(stream);
  return { kind: "function", name: undefined, parameters, body, line, column };
}

function expressionBody(stream: TokenStream): Block {
  const value = nested(stream, peek(stream), () => stream.grammar.expression(stream));
  const at = { line: value.line, column: value.column };
  return { statements: [{ kind: "expression", value, ...at }], ...at };
}

/** `function name(…) { … }`; the name may be missing. */
export function parseFunction(stream: TokenStream): FunctionExpression {
  const { line, column } = take(stream);
  const name = peek(stream).kind === "ident" ? parseName(stream, "function") : undefined;
  if (!atOperator(stream, "(")) expectOperator(stream, "(", "function");
  const parameters = parseParameters(stream);
  return {
    kind: "function",
    name,
    parameters,
    body: stream.grammar.block(stream, "function"),
    line,
    column,
  };
}

function parseParameters(stream: TokenStream): Parameter[] {
  const open = expectOperator(stream, "(", "parameters");
  const parameters: Parameter[] = [];
  skipNewlines(stream);
  while (!atOperator(stream, ")")) {
    parameters.push(parseParameter(stream));
    skipNewlines(stream);
    if (!takeOperator(stream, ",")) break;
    skipNewlines(stream);
  }
  expectOperator(stream, ")", "parameters");
  const rank = (parameter: Parameter) =>
    parameter.kind === "rest" ? 2 : parameter.kind === "name" && parameter.fallback ? 1 : 0;
  for (let index = 1; index < parameters.length; index++) {
    const [before, after] = [parameters[index - 1], parameters[index]];
    if (before === undefined || after === undefined) continue;
    if (rank(before) > rank(after) || rank(before) === 2) {
      throw syntaxError("parameters with defaults and rest parameters come last", open);
    }
  }
  return parameters;
}

function parseParameter(stream: TokenStream): Parameter {
  if (takeOperator(stream, "...")) return { kind: "rest", name: parseName(stream, "parameters") };
  if (atOperator(stream, "{", "[")) return { kind: "pattern", pattern: parsePattern(stream) };
  const name = parseName(stream, "parameters");
  return { kind: "name", name, fallback: parseFallback(stream) };
}
