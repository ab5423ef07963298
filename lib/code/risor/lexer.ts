/** From source text to tokens with lines and columns (spec 09 §11.1). */

import { type Position, syntaxError } from "./syntax_error.ts";
import { KEYWORDS, MAX_NESTING, OPERATORS, type TemplatePart, type Token } from "./tokens.ts";

const MAX_INT = (1n << 63n) - 1n;
const LETTER = /^[\p{L}_]$/u;
const LETTER_OR_DIGIT = /^[\p{L}\p{Nd}_]$/u;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  e: "\x1b",
  "0": "\0",
  "\\": "\\",
  "'": "'",
  '"': '"',
};
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Where the lexer stands. Columns count characters, not code units. */
interface Cursor extends Position {
  readonly chars: readonly string[];
  index: number;
}

/**
 * Tokens of a script, the last one of kind `end`.
 *
 * @throws ScriptSyntaxError
 */
export function tokenize(source: string): Token[] {
  const cursor: Cursor = { chars: Array.from(source), index: 0, line: 1, column: 1 };
  if (cursor.chars[0] === "#" && cursor.chars[1] === "!") skipLine(cursor);
  const tokens = readTokens(cursor, { insideTemplate: false, depth: 0 });
  tokens.push({ kind: "end", text: "end of script", line: cursor.line, column: cursor.column });
  return tokens;
}

function readTokens(
  cursor: Cursor,
  place: { insideTemplate: boolean; depth: number },
): Token[] {
  const tokens: Token[] = [];
  let openBraces = 0;
  for (;;) {
    skipBlanks(cursor);
    const char = peek(cursor);
    if (char === undefined) return tokens;
    if (place.insideTemplate && char === "}" && openBraces === 0) return tokens;
    const token = readToken(cursor, place.depth);
    if (token.kind === "operator" && token.text === "{") openBraces++;
    if (token.kind === "operator" && token.text === "}") openBraces--;
    tokens.push(token);
  }
}

function readToken(cursor: Cursor, depth: number): Token {
  const at = { line: cursor.line, column: cursor.column };
  const char = peek(cursor) ?? "";
  if (char === "\n" || char === "\r") {
    advance(cursor);
    return { kind: "newline", text: "newline", ...at };
  }
  if (LETTER.test(char)) return readWord(cursor, at);
  if (/[0-9]/.test(char)) return readNumber(cursor, at);
  if (char === '"' || char === "'") return readString(cursor, { at, quote: char });
  if (char === "`") return readTemplate(cursor, { at, depth });
  const operator = OPERATORS.find((candidate) => startsWith(cursor, candidate));
  if (operator === undefined) {
    throw syntaxError(`unexpected character ${JSON.stringify(char)}`, at);
  }
  for (let step = 0; step < operator.length; step++) advance(cursor);
  return { kind: "operator", text: operator, ...at };
}

function readWord(cursor: Cursor, at: Position): Token {
  const text = takeWhile(cursor, LETTER_OR_DIGIT);
  return { kind: KEYWORDS.has(text) ? "keyword" : "ident", text, ...at };
}

function readNumber(cursor: Cursor, at: Position): Token {
  const { text, kind } = numberText(cursor);
  const next = peek(cursor) ?? "";
  if (LETTER_OR_DIGIT.test(next)) {
    throw syntaxError(`invalid number literal: ${text}${next}`, at);
  }
  return kind === "int"
    ? { kind, value: intLiteral(text, at), text, ...at }
    : { kind, value: Number(text), text, ...at };
}

/** Digits behind `0x`, `0b` and `0o`. */
const RADIX_DIGITS: Readonly<Record<string, RegExp>> = {
  x: /^[0-9A-Fa-f]$/,
  b: /^[01]$/,
  o: /^[0-7]$/,
};
const DIGIT = /^[0-9]$/;

/** Takes the characters of a number, each looked at once: a script may consist of nothing else. */
function numberText(cursor: Cursor): { text: string; kind: "int" | "float" } {
  const digits = RADIX_DIGITS[ahead(cursor, 1).toLowerCase()];
  if (ahead(cursor, 0) === "0" && digits?.test(ahead(cursor, 2))) {
    return { text: advance(cursor) + advance(cursor) + takeWhile(cursor, digits), kind: "int" };
  }
  let text = takeWhile(cursor, DIGIT);
  let kind: "int" | "float" = "int";
  if (ahead(cursor, 0) === "." && DIGIT.test(ahead(cursor, 1))) {
    kind = "float";
    text += advance(cursor) + takeWhile(cursor, DIGIT);
  }
  const signed = /^[+-]$/.test(ahead(cursor, 1));
  if (/^[eE]$/.test(ahead(cursor, 0)) && DIGIT.test(ahead(cursor, signed ? 2 : 1))) {
    kind = "float";
    text += advance(cursor) + (signed ? advance(cursor) : "") + takeWhile(cursor, DIGIT);
  }
  return { text, kind };
}

function intLiteral(text: string, at: Position): bigint {
  const octal = /^0[0-9]+$/.test(text);
  if (octal && /[89]/.test(text)) throw syntaxError(`invalid octal literal: ${text}`, at);
  const value = BigInt(octal ? `0o${text.slice(1)}` : text.toLowerCase());
  if (value > MAX_INT) throw syntaxError(`integer literal out of range: ${text}`, at);
  return value;
}

function readString(cursor: Cursor, string: { at: Position; quote: string }): Token {
  const { at, quote } = string;
  advance(cursor);
  let value = "";
  for (;;) {
    const char = peek(cursor);
    if (char === undefined || char === "\n" || char === "\r") {
      throw syntaxError("unterminated string literal", at);
    }
    const here = { line: cursor.line, column: cursor.column };
    advance(cursor);
    if (char === quote) return { kind: "string", value, text: JSON.stringify(value), ...at };
    value += char === "\\" ? readEscape(cursor, here) : char;
  }
}

function readEscape(cursor: Cursor, at: Position): string {
  const char = peek(cursor) ?? "";
  const simple = Object.hasOwn(SIMPLE_ESCAPES, char) ? SIMPLE_ESCAPES[char] : undefined;
  if (simple !== undefined) {
    advance(cursor);
    return simple;
  }
  const digits = Object.hasOwn(HEX_ESCAPES, char) ? HEX_ESCAPES[char] : undefined;
  if (digits === undefined) throw syntaxError(`invalid escape sequence "\\${char}"`, at);
  advance(cursor);
  let hex = "";
  while (hex.length < digits && /[0-9A-Fa-f]/.test(peek(cursor) ?? "")) hex += advance(cursor);
  const code = hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
  if (Number.isNaN(code) || code > 0x10ffff) {
    throw syntaxError(`invalid escape sequence "\\${char}${hex}"`, at);
  }
  return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code);
}

function readTemplate(cursor: Cursor, template: { at: Position; depth: number }): Token {
  const { at, depth } = template;
  if (depth >= MAX_NESTING) throw syntaxError("the script is nested too deeply", at);
  advance(cursor);
  const parts: TemplatePart[] = [];
  let text = "";
  for (;;) {
    const char = peek(cursor);
    if (char === undefined) throw syntaxError("unterminated template literal", at);
    if (char === "`") {
      advance(cursor);
      parts.push({ kind: "text", value: text });
      return { kind: "template", parts, text: "template", ...at };
    }
    if (char !== "$" || cursor.chars[cursor.index + 1] !== "{") {
      text += advance(cursor);
      continue;
    }
    parts.push({ kind: "text", value: text });
    text = "";
    advance(cursor);
    advance(cursor);
    const tokens = readTokens(cursor, { insideTemplate: true, depth: depth + 1 });
    if (peek(cursor) !== "}") throw syntaxError("unterminated template literal", at);
    tokens.push({ kind: "end", text: "}", line: cursor.line, column: cursor.column });
    parts.push({ kind: "tokens", tokens });
    advance(cursor);
  }
}

function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const char = peek(cursor);
    if (char === " " || char === "\t") advance(cursor);
    else if (startsWith(cursor, "//")) skipLine(cursor);
    else if (startsWith(cursor, "/*")) skipBlockComment(cursor);
    else return;
  }
}

function skipLine(cursor: Cursor): void {
  while (!["\n", "\r", undefined].includes(peek(cursor))) advance(cursor);
}

function skipBlockComment(cursor: Cursor): void {
  const at = { line: cursor.line, column: cursor.column };
  advance(cursor);
  advance(cursor);
  while (!startsWith(cursor, "*/")) {
    if (peek(cursor) === undefined) throw syntaxError("unterminated comment", at);
    advance(cursor);
  }
  advance(cursor);
  advance(cursor);
}

function peek(cursor: Cursor): string | undefined {
  return cursor.chars[cursor.index];
}

function startsWith(cursor: Cursor, text: string): boolean {
  for (let offset = 0; offset < text.length; offset++) {
    if (cursor.chars[cursor.index + offset] !== text[offset]) return false;
  }
  return true;
}

function ahead(cursor: Cursor, offset: number): string {
  return cursor.chars[cursor.index + offset] ?? "";
}

function takeWhile(cursor: Cursor, wanted: RegExp): string {
  const start = cursor.index;
  while (wanted.test(ahead(cursor, 0))) advance(cursor);
  return cursor.chars.slice(start, cursor.index).join("");
}

/** Takes one character; CR LF counts as one line end. */
function advance(cursor: Cursor): string {
  const char = cursor.chars[cursor.index] ?? "";
  cursor.index++;
  if (char === "\r" && cursor.chars[cursor.index] === "\n") cursor.index++;
  if (char === "\n" || char === "\r") {
    cursor.line++;
    cursor.column = 1;
  } else cursor.column++;
  return char === "\r" ? "\n" : char;
}
