/**
 * JSON values as GUM handles them: parsed without rounding integers, never confused by hostile keys.
 *
 * Integers beyond ±(2^53−1) are kept as `JSON.rawJSON` objects so that ids keep every digit
 * (spec 03 §3.4). Their `typeof` is `object`, so every walker asks {@link isRawNumber} first.
 *
 * @module
 */

/** An integer too large for a double, kept as its source text (a `JSON.rawJSON` object). */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Any JSON value. A {@link RawNumber} counts as a number. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | RawNumber
  | JsonValue[]
  | JsonObject;

/** A JSON object. Keys are own properties only. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The two functions of `JSON` that TypeScript's library does not declare yet. */
interface RawJsonSupport {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
}

const rawSupport = JSON as unknown as RawJsonSupport;

/** True for an integer kept as text; test this before treating a value as an object. */
export function isRawNumber(value: unknown): value is RawNumber {
  return rawSupport.isRawJSON(value);
}

/** Makes a {@link RawNumber} from the digits of an integer; throws `SyntaxError` on anything else. */
export function rawNumber(digits: string): RawNumber {
  if (!/^-?(0|[1-9][0-9]*)$/.test(digits)) throw new SyntaxError(`not an integer: ${digits}`);
  return rawSupport.rawJSON(digits);
}

/** True for a plain JSON object: not null, not an array, not a {@link RawNumber}. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !isRawNumber(value);
}

/**
 * Parses JSON text without losing integer digits. `__proto__` stays an ordinary own key.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  return JSON.parse(text, keepLargeIntegers) as JsonValue;
}

function keepLargeIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?[0-9]+$/.test(source) ? rawSupport.rawJSON(source) : value;
}

/** Sets a key as an own data property, so that `__proto__` from outside stays plain data. */
export function setOwn(target: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else target[key] = value;
}
