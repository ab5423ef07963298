/** What a JSON value is, and the walkers' guards. */

/** A number that a double cannot hold, kept as its source text (a `JSON.rawJSON` object). */
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

/** True for a {@link RawNumber} that is an integer; the others overflow a double. */
export function isRawInteger(value: unknown): value is RawNumber {
  return isRawNumber(value) && /^-?[0-9]+$/.test(value.rawJSON);
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

/** A number kept as its token: integers, and what overflows a double. The token must be JSON. */
export function rawToken(token: string): RawNumber {
  return rawSupport.rawJSON(token);
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
