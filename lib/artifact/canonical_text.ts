/** The text in which an artifact is read. */

import { jsonText } from "../format/mod.ts";
import { parseBody } from "../shape/mod.ts";

/** Canonical JSON of stored bytes, integers digit for digit; undefined when they are not JSON. */
export function canonicalText(body: Uint8Array): string | undefined {
  try {
    return jsonText(parseBody(new TextDecoder().decode(body)).value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
