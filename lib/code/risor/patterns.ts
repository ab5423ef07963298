/** Declared names, destructuring patterns and conditions (spec 09 §11.2). */

import type { Expression, Name, Pattern } from "./ast.ts";
import { syntaxError } from "./syntax_error.ts";
import {
  atOperator,
  expectName,
  expectOperator,
  skipNewlines,
  take,
  takeOperator,
  type TokenStream,
} from "./token_stream.ts";

/** A name that is being declared. */
export function parseName(stream: TokenStream, construct: string): Name {
  const { text, line, column } = expectName(stream, construct);
  return { text, line, column };
}

/** The left side of a destructuring, brackets included. */
export function parsePattern(stream: TokenStream): Pattern {
  const open = take(stream);
  const isMap = open.text === "{";
  const close = isMap ? "}" : "]";
  const items: { key: string; name: Name; fallback: Expression | undefined }[] = [];
  skipNewlines(stream);
  while (!atOperator(stream, close)) {
    const key = parseName(stream, "a pattern");
    let name = key;
    if (isMap && takeOperator(stream, ":")) {
      skipNewlines(stream);
      name = parseName(stream, "a pattern");
    }
    items.push({ key: key.text, name, fallback: parseFallback(stream) });
    skipNewlines(stream);
    if (!takeOperator(stream, ",")) break;
    skipNewlines(stream);
  }
  expectOperator(stream, close, "a pattern");
  if (items.length === 0) throw syntaxError("a pattern needs at least one name", open);
  const at = { line: open.line, column: open.column };
  return isMap ? { kind: "map", items, ...at } : { kind: "list", items, ...at };
}

/** `= value` behind a name. */
export function parseFallback(stream: TokenStream): Expression | undefined {
  if (!takeOperator(stream, "=")) return undefined;
  skipNewlines(stream);
  return stream.grammar.expression(stream);
}

/** An expression in parentheses that belongs to a keyword. */
export function parseCondition(stream: TokenStream, construct: string): Expression {
  expectOperator(stream, "(", construct);
  skipNewlines(stream);
  const condition = stream.grammar.expression(stream);
  skipNewlines(stream);
  expectOperator(stream, ")", construct);
  return condition;
}
