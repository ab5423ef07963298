/** Walking over tokens: what newlines mean is decided here and in the grammar, nowhere else. */

import type { Block, Expression, Statement } from "./ast.ts";
import { type Position, type ScriptSyntaxError, syntaxError } from "./syntax_error.ts";
import { MAX_NESTING, type Token } from "./tokens.ts";

const CLOSERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Where an expression stands: in a match pattern a `=>` ends it instead of starting a function. */
export interface ExpressionPlace {
  inPattern?: boolean;
}

/** The mutually recursive rules, so that the files of the grammar need not import each other. */
export interface Grammar {
  expression(stream: TokenStream, place?: ExpressionPlace): Expression;
  /** Statements between braces. */
  block(stream: TokenStream, construct: string): Block;
  /** Statements up to a token that `ends` recognises; it is not taken. */
  statements(stream: TokenStream, ends: () => boolean): Statement[];
}

/** A position in a list of tokens that ends with an `end` token. */
export interface TokenStream {
  readonly grammar: Grammar;
  readonly tokens: readonly Token[];
  /** Index of the bracket that closes the one at an index. */
  readonly closers: ReadonlyMap<number, number>;
  index: number;
  depth: number;
}

/** A stream over `tokens`; `depth` counts the nesting around them. */
export function tokenStream(
  tokens: readonly Token[],
  around: { grammar: Grammar; depth?: number },
): TokenStream {
  const { grammar, depth = 0 } = around;
  return { grammar, tokens, closers: matchingBrackets(tokens), index: 0, depth };
}

function matchingBrackets(tokens: readonly Token[]): Map<number, number> {
  const closers = new Map<number, number>();
  const open: { text: string; index: number }[] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== "operator") return;
    if (token.text === "(" || token.text === "[" || token.text === "{") {
      open.push({ text: token.text, index });
    } else if (open.at(-1)?.text === CLOSERS[token.text]) {
      const opener = open.pop();
      if (opener !== undefined) closers.set(opener.index, index);
    }
  });
  return closers;
}

/** The token `offset` places ahead; the last token repeats for ever. */
export function peek(stream: TokenStream, offset = 0): Token {
  const { tokens, index } = stream;
  const token = tokens[index + offset] ?? tokens.at(-1);
  if (token === undefined) throw new RangeError("a token stream ends with an end token");
  return token;
}

/** Takes the next token. */
export function take(stream: TokenStream): Token {
  const token = peek(stream);
  if (token.kind !== "end") stream.index++;
  return token;
}

/** Whether the next token is one of these operators. */
export function atOperator(stream: TokenStream, ...texts: string[]): boolean {
  const token = peek(stream);
  return token.kind === "operator" && texts.includes(token.text);
}

/** Whether the next token is this keyword. */
export function atKeyword(stream: TokenStream, text: string): boolean {
  const token = peek(stream);
  return token.kind === "keyword" && token.text === text;
}

/** Takes the operator when it is next. */
export function takeOperator(stream: TokenStream, text: string): Token | undefined {
  return atOperator(stream, text) ? take(stream) : undefined;
}

/** Takes the keyword when it is next. */
export function takeKeyword(stream: TokenStream, text: string): Token | undefined {
  return atKeyword(stream, text) ? take(stream) : undefined;
}

/** Takes an operator that must come now. */
export function expectOperator(stream: TokenStream, text: string, construct: string): Token {
  const token = takeOperator(stream, text);
  if (token !== undefined) return token;
  throw unexpected(peek(stream), `while parsing ${construct} (expected "${text}")`);
}

/** Takes a name that must come now. */
export function expectName(stream: TokenStream, construct: string): Token {
  if (peek(stream).kind === "ident") return take(stream);
  throw unexpected(peek(stream), `while parsing ${construct} (expected a name)`);
}

/** Passes over line ends. */
export function skipNewlines(stream: TokenStream): void {
  while (peek(stream).kind === "newline") take(stream);
}

/** The next token that is no line end; nothing is taken. */
function afterNewlines(stream: TokenStream): Token {
  let offset = 0;
  while (peek(stream, offset).kind === "newline") offset++;
  return peek(stream, offset);
}

/** Passes over line ends when the next real token satisfies `wanted`. */
export function skipNewlinesBefore(
  stream: TokenStream,
  wanted: (token: Token) => boolean,
): boolean {
  if (!wanted(afterNewlines(stream))) return false;
  skipNewlines(stream);
  return true;
}

/** The token that is not allowed here. */
export function unexpected(token: Token, context: string): ScriptSyntaxError {
  const shown = token.kind === "newline" || token.kind === "end"
    ? token.text
    : JSON.stringify(token.text);
  return syntaxError(`unexpected ${shown} ${context}`, token);
}

/** Runs `parse` one level deeper. */
export function nested<T>(stream: TokenStream, at: Position, parse: () => T): T {
  if (++stream.depth > MAX_NESTING) throw syntaxError("the script is nested too deeply", at);
  const parsed = parse();
  stream.depth--;
  return parsed;
}

/** Where a token stands. */
export function positionOf(token: Position): Position {
  return { line: token.line, column: token.column };
}
