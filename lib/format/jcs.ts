/**
 * JSON Canonicalization Scheme (RFC 8785), with integers beyond 2^53 printed digit for digit
 * (spec 03 §3.16).
 *
 * @module
 */

import { isRawNumber } from "../json/mod.ts";
import { type GrowingText, growingText, settle, wholeBytes, wholeText } from "./growing_text.ts";

/** Why a value has no canonical form. */
export type JcsErrorCode =
  | "JcsInvalidNumber"
  | "JcsUnsupportedType"
  | "JcsInvalidString"
  | "JcsCyclic";

/** A value that JCS cannot write. */
export class JcsError extends Error {
  /** What was wrong. */
  readonly code: JcsErrorCode;

  constructor(code: JcsErrorCode, message: string) {
    super(message);
    this.name = code;
    this.code = code;
  }
}

/** How {@link jcs} treats what the RFC forbids. */
export interface JcsOptions {
  /**
   * `reject` (default, as the RFC asks) throws on half of a surrogate pair; `escape` writes it as
   * `\udXXX`, which any JSON parser reads back, so that a body from outside can always be shown.
   */
  loneSurrogates?: "reject" | "escape";
}

/** Below this depth the fast recursive writer hands over to the iterative one. */
const RECURSION_LIMIT = 400;

// deno-lint-ignore no-control-regex -- controls are what has to be escaped
const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/**
 * Canonical JSON text of a value: sorted keys, no whitespace, ECMAScript number and string forms.
 * Works at any nesting depth.
 *
 * @throws JcsError for NaN and infinities, for anything that is not JSON, for cycles and, unless
 * told otherwise, for lone surrogates.
 */
export function jcs(value: unknown, options: JcsOptions = {}): string {
  return wholeText(writeJcs(value, options));
}

/**
 * The UTF-8 bytes of {@link jcs}.
 *
 * @throws JcsError as {@link jcs} does.
 */
export function jcsBytes(value: unknown, options: JcsOptions = {}): Uint8Array {
  return wholeBytes(writeJcs(value, options));
}

function writeJcs(value: unknown, options: JcsOptions): GrowingText {
  const mode: WriteMode = {
    escapeSurrogates: options.loneSurrogates === "escape",
    text: growingText(),
  };
  writeValue(value, mode, 0);
  return mode.text;
}

interface WriteMode {
  escapeSurrogates: boolean;
  text: GrowingText;
}

function writeValue(value: unknown, mode: WriteMode, depth: number): void {
  const { text } = mode;
  if (typeof value !== "object" || value === null) {
    text.tail += writeScalar(value, mode);
    return;
  }
  if (depth > RECURSION_LIMIT) return writeDeep(value, mode);
  if (Array.isArray(value)) {
    text.tail += "[";
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text.tail += ",";
      writeValue(value[index], mode, depth + 1);
    }
    text.tail += "]";
    return settle(text);
  }
  const raw = rawText(value);
  if (raw !== undefined) {
    text.tail += raw;
    return;
  }
  const record = value as Record<string, unknown>;
  text.tail += "{";
  let separator = "";
  for (const key of Object.keys(record).sort()) {
    text.tail += separator + quote(key, mode) + ":";
    writeValue(record[key], mode, depth + 1);
    separator = ",";
  }
  text.tail += "}";
  settle(text);
}

interface Frame {
  container: object;
  keys: string[] | undefined;
  values: unknown[] | undefined;
  next: number;
}

/** The same text without recursion; also where a cycle ends up, since it has no bottom. */
function writeDeep(root: object, mode: WriteMode): void {
  const open = new Set<object>();
  const stack: Frame[] = [];
  const { text } = mode;
  const enter = (value: unknown) => {
    if (typeof value !== "object" || value === null) {
      text.tail += writeScalar(value, mode);
      return;
    }
    if (open.has(value)) throw new JcsError("JcsCyclic", "a value contains itself");
    if (Array.isArray(value)) {
      text.tail += "[";
      stack.push({ container: value, keys: undefined, values: value, next: 0 });
    } else {
      const raw = rawText(value);
      if (raw !== undefined) {
        text.tail += raw;
        return;
      }
      text.tail += "{";
      const keys = Object.keys(value).sort();
      stack.push({ container: value, keys, values: undefined, next: 0 });
    }
    open.add(value);
  };
  enter(root);
  while (true) {
    const frame = stack.at(-1);
    if (frame === undefined) return;
    const length = frame.keys?.length ?? frame.values?.length ?? 0;
    if (frame.next === length) {
      text.tail += frame.keys === undefined ? "]" : "}";
      open.delete(frame.container);
      stack.pop();
      settle(text);
      continue;
    }
    if (frame.next > 0) text.tail += ",";
    const index = frame.next++;
    if (frame.keys === undefined) enter(frame.values?.[index]);
    else {
      const key = frame.keys[index] as string;
      text.tail += quote(key, mode) + ":";
      enter((frame.container as Record<string, unknown>)[key]);
    }
  }
}

function writeScalar(value: unknown, mode: WriteMode): string {
  switch (typeof value) {
    case "string":
      return quote(value, mode);
    case "number":
      if (!Number.isFinite(value)) throw new JcsError("JcsInvalidNumber", `no JSON form: ${value}`);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
  }
  throw new JcsError("JcsUnsupportedType", `not a JSON value: ${typeof value}`);
}

/** The digits of a raw number, undefined for a plain object; everything else is refused. */
function rawText(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return undefined;
  if (prototype === null) return isRawNumber(value) ? value.rawJSON : undefined;
  throw new JcsError("JcsUnsupportedType", `not a JSON value: ${value.constructor?.name}`);
}

function quote(text: string, mode: WriteMode): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`;
  if (!mode.escapeSurrogates && !text.isWellFormed()) {
    throw new JcsError("JcsInvalidString", "a string holds half of a surrogate pair");
  }
  return JSON.stringify(text);
}
