/** Finding members that repeat a name of their object, of which a parser keeps only the last. */

import { isJsonObject, type JsonValue } from "./values.ts";

const COLON = 58;

/**
 * How many members of a JSON text its parsed value has lost to a later one of the same name.
 *
 * A name and its value stand apart by a colon, so in a text without repetitions there are as many
 * colons as members, plus those inside of strings. Only when that sum is off is the text read again.
 */
export function repeatedMembers(text: string, value: JsonValue): number {
  const { members, colons } = contentOf(value);
  return colonsIn(text) === members + colons ? 0 : membersIn(text) - members;
}

function contentOf(root: JsonValue): { members: number; colons: number } {
  let members = 0;
  let colons = 0;
  const stack: JsonValue[] = [];
  const visit = (value: JsonValue) => {
    if (typeof value === "string") colons += colonsIn(value);
    else if (typeof value === "object" && value !== null) stack.push(value);
  };
  visit(root);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (Array.isArray(node)) node.forEach(visit);
    else if (isJsonObject(node)) {
      for (const key of Object.keys(node)) {
        members++;
        colons += colonsIn(key);
        visit(node[key] as JsonValue);
      }
    }
  }
  return { members, colons };
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count++;
  return count;
}

/** Members of a JSON text: colons outside of its strings. */
function membersIn(text: string): number {
  let count = 0;
  let position = 0;
  while (true) {
    const quote = text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    for (; position < end; position++) if (text.charCodeAt(position) === COLON) count++;
    if (quote === -1) return count;
    position = stringEnd(text, quote);
  }
}

/** The position after the string literal that opens at `quote`. */
export function stringEnd(text: string, quote: number): number {
  let from = quote + 1;
  while (true) {
    const close = text.indexOf('"', from);
    if (close === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) return close + 1;
    from = close + 1;
  }
}
