/**
 * JSON values as GUM handles them: parsed without rounding integers, never confused by hostile keys.
 *
 * Integers beyond ±(2^53−1) are kept as `JSON.rawJSON` objects so that ids keep every digit
 * (spec 03 §3.4). Their `typeof` is `object`, so every walker asks {@link isRawNumber} first.
 *
 * @module
 */

export { type ParsedJson, parseJson, readJson } from "./parse.ts";
export { repeatedMembers } from "./repeated_members.ts";
export {
  isJsonObject,
  isRawInteger,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  type RawNumber,
  rawNumber,
  setOwn,
} from "./values.ts";
