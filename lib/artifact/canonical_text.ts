/** The text in which an artifact is read. */

import { jsonText } from "../format/text/mod.ts";
import { readJson } from "../json/mod.ts";

/**
 * Canonical JSON of stored bytes, with the digits of every number that a double cannot hold;
 * undefined when they are not JSON.
 */
export function canonicalText(body: Uint8Array): string | undefined {
  try {
    return jsonText(readJson(new TextDecoder().decode(body)).value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
