/** Formatting after a template with verbs (spec 09 §11.6). */

import { inspect, textOf } from "./text_form.ts";
import { characters, typeName, type Value, valueError } from "./values.ts";

const VERB = /%([-0]*)([0-9]{0,4})(?:\.([0-9]{1,3}))?([a-zA-Z%])/g;

/** `%v %s %d %f %.Nf %q %x %t %%`, with width, `-` and `0`. */
export function formatted(template: string, args: readonly Value[]): string {
  let next = 0;
  const text = template.replace(
    VERB,
    (_all, flags: string, width: string, digits, verb: string) => {
      if (verb === "%") return "%";
      const value = args[next++];
      if (value === undefined) return `%!${verb}(MISSING)`;
      return padded(verbText(verb, value, digits), { flags, width: Number(width) });
    },
  );
  if (next < args.length) throw valueError(`sprintf: ${args.length - next} arguments too many`);
  return text;
}

function verbText(verb: string, value: Value, digits: string | undefined): string {
  switch (verb) {
    case "v":
    case "s":
      return textOf(value);
    case "q":
      return JSON.stringify(textOf(value));
    case "t":
      if (typeof value === "boolean") return String(value);
      break;
    case "d":
      if (typeof value === "bigint") return String(value);
      break;
    case "f":
      if (typeof value === "bigint" || typeof value === "number") {
        return fixed(Number(value), digits === undefined ? 6 : Math.min(Number(digits), 100));
      }
      break;
    case "x":
      if (typeof value === "bigint") return value.toString(16);
      if (typeof value === "string") return hex(value);
      break;
  }
  return `%!${verb}(${typeName(value)}=${inspect(value)})`;
}

/** Digits without an exponent, however large the number is. */
function fixed(value: number, digits: number): string {
  const large = Number.isFinite(value) && Math.abs(value) >= 1e21;
  if (!large) return value.toFixed(digits);
  return digits === 0 ? String(BigInt(value)) : `${BigInt(value)}.${"0".repeat(digits)}`;
}

function hex(text: string): string {
  return [...utf8(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** UTF-8 bytes of a text. */
export function utf8(text: string): number[] {
  return characters(text).flatMap((char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) return [code];
    if (code < 0x800) return [0xc0 | code >> 6, 0x80 | code & 63];
    if (code < 0x10000) return [0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63];
    return [0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63];
  });
}

function padded(text: string, shape: { flags: string; width: number }): string {
  const missing = shape.width - characters(text).length;
  if (missing <= 0) return text;
  if (shape.flags.includes("-")) return text + " ".repeat(missing);
  if (!shape.flags.includes("0")) return " ".repeat(missing) + text;
  const sign = /^[+-]/.test(text) ? text[0] ?? "" : "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}
