/** A string that does not print itself (spec 05 §2.2). */

import type { Secret } from "../dispatch/types.ts";

const MASK = "[redacted]";

/** Wraps a secret text. Every way to print the result gives `[redacted]`; `reveal()` gives the text. */
export function secret(text: string): Secret {
  // The text lives in a closure, so neither inspection nor serialization can reach it.
  return Object.freeze({
    reveal: () => text,
    toString: () => MASK,
    toJSON: () => MASK,
    [Symbol.toPrimitive]: () => MASK,
    [Symbol.for("Deno.customInspect")]: () => MASK,
    [Symbol.for("nodejs.util.inspect.custom")]: () => MASK,
  });
}
