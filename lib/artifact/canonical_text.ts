/** The text in which an artifact is read. */

import { jsonText } from "../format/text/mod.ts";
import { parseJson } from "../json/mod.ts";

/** Canonical JSON of stored bytes, integers digit for digit; undefined when they are not JSON. */
export function canonicalText(body: Uint8Array): string | undefined {
  try {
    return jsonText(parseJson(new TextDecoder().decode(body)));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
