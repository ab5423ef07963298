/** Tokens of the script language (spec 09 §11.1). */

import type { Position } from "./syntax_error.ts";

/** One token. `text` is the source spelling, for messages. */
export type Token = Position & { text: string } & TokenValue;

/** What a token is. */
export type TokenValue =
  | { kind: "newline" | "end" | "ident" | "keyword" | "operator" }
  | { kind: "int"; value: bigint }
  | { kind: "float"; value: number }
  | { kind: "string"; value: string }
  | { kind: "template"; parts: TemplatePart[] };

/** A piece of a template: text, or the tokens of an inserted expression. */
export type TemplatePart =
  | { kind: "text"; value: string }
  | { kind: "tokens"; tokens: Token[] };

/** Words that are no names. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  "break",
  "case",
  "catch",
  "const",
  "continue",
  "default",
  "else",
  "false",
  "finally",
  "for",
  "function",
  "if",
  "in",
  "let",
  "match",
  "nil",
  "not",
  "null",
  "return",
  "struct",
  "switch",
  "throw",
  "true",
  "try",
  "while",
]);

/** Operators, longest first so that the first match is the right one. */
export const OPERATORS: readonly string[] = [
  "...",
  "**",
  "<<",
  ">>",
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "??",
  "?.",
  "|>",
  "+=",
  "-=",
  "*=",
  "/=",
  "++",
  "--",
  "=>",
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "^",
  "<",
  ">",
  "!",
  "=",
  ".",
  ",",
  ":",
  ";",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
];

/** Deepest nesting of anything in a script. */
export const MAX_NESTING = 500;
