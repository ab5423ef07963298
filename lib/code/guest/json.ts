/** Exact JSON: integers keep every digit in both directions (spec 09 §4). */

import { compareText } from "./values.ts";

/** How the reader builds what it finds. */
export interface JsonBuilder<T> {
  object(entries: [string, T][]): T;
  array(items: T[]): T;
  scalar(value: string | boolean | null): T;
  /** A number as it was written. */
  number(text: string): T;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const BLANK = /[ \t\n\r]*/y;

/** Reads JSON text. @throws SyntaxError when it is none. */
export function readJson<T>(text: string, builder: JsonBuilder<T>): T {
  let at = 0;
  const skip = () => {
    BLANK.lastIndex = at;
    BLANK.exec(text);
    at = BLANK.lastIndex;
  };
  const fail = (): never => {
    throw new SyntaxError(`not JSON at character ${at + 1}`);
  };
  const string = (): string => {
    if (text[at] !== '"') fail();
    let end = at;
    do end = text.indexOf('"', end + 1); while (end >= 0 && isEscaped(text, end));
    if (end < 0) fail();
    const token = text.slice(at, end + 1);
    at = end + 1;
    return wellFormed(JSON.parse(token));
  };
  const word = (literal: string, value: boolean | null): T => {
    if (!text.startsWith(literal, at)) fail();
    at += literal.length;
    return builder.scalar(value);
  };
  const list = <Item>(close: string, item: () => Item): Item[] => {
    const items: Item[] = [];
    at++;
    skip();
    if (text[at] === close) {
      at++;
      return items;
    }
    for (;;) {
      items.push(item());
      skip();
      if (text[at] === close) {
        at++;
        return items;
      }
      if (text[at] !== ",") fail();
      at++;
    }
  };
  const entry = (): [string, T] => {
    skip();
    const key = string();
    skip();
    if (text[at] !== ":") fail();
    at++;
    return [key, value()];
  };
  const value = (): T => {
    skip();
    switch (text[at]) {
      case "{":
        return builder.object(list("}", entry));
      case "[":
        return builder.array(list("]", value));
      case '"':
        return builder.scalar(string());
      case "t":
        return word("true", true);
      case "f":
        return word("false", false);
      case "n":
        return word("null", null);
    }
    NUMBER.lastIndex = at;
    const [token] = NUMBER.exec(text) ?? fail();
    at += token.length;
    return builder.number(token);
  };
  const result = value();
  skip();
  if (at < text.length) fail();
  return result;
}

/** Whether an odd number of backslashes stands before `index`. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === "\\") start--;
  return (index - start) % 2 === 1;
}

/** What the writer does with a value: text, entries of an object, or items of an array. */
export type JsonShape<T> =
  | { kind: "text"; text: string }
  | { kind: "object"; entries: [string, T][] }
  | { kind: "array"; items: T[] };

/**
 * Compact JSON with keys in code-point order.
 *
 * @throws what `cyclic` makes for a value that contains itself.
 */
export function writeJson<T>(
  value: T,
  rules: { shape(value: T): JsonShape<T>; cyclic(): unknown },
): string {
  const open = new Set<T>();
  const write = (current: T): string => {
    const shape = rules.shape(current);
    if (shape.kind === "text") return shape.text;
    if (open.has(current)) throw rules.cyclic();
    open.add(current);
    // Loops, not callbacks: a level of nesting costs one frame of a small stack.
    const parts: string[] = [];
    if (shape.kind === "array") {
      for (const item of shape.items) parts.push(write(item));
    } else {
      shape.entries.sort(([a], [b]) => compareText(a, b));
      for (const [key, inner] of shape.entries) parts.push(`${jsonString(key)}:${write(inner)}`);
    }
    open.delete(current);
    return shape.kind === "array" ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
  };
  return write(value);
}

/** A JSON string; halves of surrogate pairs become U+FFFD. */
export function jsonString(text: string): string {
  return JSON.stringify(wellFormed(text));
}

/** Whether JSON text needs the exact reader: long integers, or halves of surrogate pairs. */
export function needsExactReader(text: string): boolean {
  return /[0-9]{16}|\\u[dD][89a-fA-F]/.test(text);
}

/** The text with lone halves of surrogate pairs replaced. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text)
    ? text.replace(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      "\ufffd",
    )
    : text;
}

/** Most bytes that any run may put out, so most characters of it that can ever be seen. */
const MAX_PRINTED = 1 << 20;

/** As much of a text as the host could put out; it cuts to the run's own limit. */
export function printable(text: string): string {
  return text.length > MAX_PRINTED ? text.slice(0, MAX_PRINTED + 1) : text;
}

/** Shortest text of a finite float; whole ones lose their fraction. */
export function floatText(value: number): string {
  return String(value === 0 ? 0 : value);
}
