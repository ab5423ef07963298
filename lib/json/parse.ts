/**
 * Reading JSON text without losing a digit (spec 03 §3.4).
 *
 * Native `JSON.parse` rounds integers beyond 2^53. Its reviver could keep them, but it is many times
 * slower and overflows the stack on deep input. So a text without such an integer is parsed natively,
 * and in any other the long numbers are first turned into marked strings.
 *
 * @module
 */

import { stringEnd } from "./repeated_members.ts";
import { isJsonObject, type JsonValue, rawToken, setOwn } from "./values.ts";

/** A parsed text and whether it holds numbers that no double can carry. */
export interface ParsedJson {
  value: JsonValue;
  hasBigIntegers: boolean;
}

// Sixteen digits or more, or an exponent of three digits, where a number token may stand. A match
// inside a string only costs time.
const MAY_NEED_CARE = /(?:^|[:,[])\s*-?[0-9](?:[0-9]{15}|[0-9.]*[eE]\+?[0-9]{3})/;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * Parses JSON text from a service. Integers beyond 2^53, and numbers that overflow a double, keep
 * their text; `__proto__` stays an ordinary own key; any depth.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function readJson(text: string): ParsedJson {
  return parse(text, needsText);
}

/**
 * Parses JSON text like {@link readJson}, but a number that overflows a double is `Infinity`, for
 * whoever reads it to refuse.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  return parse(text, isLargeInteger).value;
}

type TokenTest = (token: string) => boolean;

function parse(text: string, keeps: TokenTest): ParsedJson {
  if (!MAY_NEED_CARE.test(text)) {
    return { value: JSON.parse(text) as JsonValue, hasBigIntegers: false };
  }
  // Unpredictable, so that no string of the text can spell it, escaped or not.
  const marker = `gum-number-${crypto.getRandomValues(new Uint8Array(16)).toHex()}:`;
  const { marked, count } = markNumbers(text, { marker, keeps });
  if (count === 0) return { value: JSON.parse(text) as JsonValue, hasBigIntegers: false };
  return { value: restoreNumbers(JSON.parse(marked) as JsonValue, marker), hasBigIntegers: true };
}

function markNumbers(
  text: string,
  options: { marker: string; keeps: TokenTest },
): { marked: string; count: number } {
  const { marker, keeps } = options;
  let count = 0;
  const parts: string[] = [];
  let position = 0;
  while (position < text.length) {
    const quote = text.indexOf('"', position);
    const end = quote === -1 ? text.length : quote;
    parts.push(
      text.slice(position, end).replace(NUMBER, (token) => {
        if (!keeps(token)) return token;
        count++;
        return `"${marker}${token}"`;
      }),
    );
    if (quote === -1) break;
    position = stringEnd(text, quote);
    parts.push(text.slice(quote, position));
  }
  return { marked: parts.join(""), count };
}

function needsText(token: string): boolean {
  return isLargeInteger(token) || (!isBadNumber(token) && !Number.isFinite(Number(token)));
}

function isLargeInteger(token: string): boolean {
  return /^-?[0-9]+$/.test(token) && !isBadNumber(token) && !Number.isSafeInteger(Number(token));
}

/** A leading zero is not JSON; left alone, the parser refuses it. */
function isBadNumber(token: string): boolean {
  return /^-?0[0-9]/.test(token);
}

function restoreNumbers(root: JsonValue, marker: string): JsonValue {
  const restored = (value: JsonValue): JsonValue =>
    typeof value === "string" && value.startsWith(marker)
      ? rawToken(value.slice(marker.length))
      : value;
  const top = restored(root);
  const stack: JsonValue[] = [top];
  while (stack.length > 0) {
    const node = stack.pop();
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index++) {
        const element = node[index] as JsonValue;
        if (typeof element === "string") node[index] = restored(element);
        else if (typeof element === "object" && element !== null) stack.push(element);
      }
    } else if (isJsonObject(node)) {
      for (const key of Object.keys(node)) {
        const member = node[key] as JsonValue;
        if (typeof member === "string") {
          const number = restored(member);
          if (number !== member) setOwn(node, key, number);
        } else if (typeof member === "object" && member !== null) stack.push(member);
      }
    }
  }
  return top;
}
