/** An answer's body as the members of the object that carries it. */

import type { ShapedResponse } from "../dispatch/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";

/**
 * The format's name, and the answer under it: text under `toon` or `data`, else the value that
 * `valueOf` gives under `data`.
 */
export function answerPayload(
  response: ShapedResponse,
  valueOf: (response: ShapedResponse) => JsonValue,
): JsonObject {
  const text = () => new TextDecoder().decode(response.body);
  switch (response.format) {
    case "toon": {
      const shaped = response.structuredContent;
      const next = isJsonObject(shaped) ? shaped.nextPageToken : undefined;
      return {
        format: "toon",
        toon: text(),
        op: response.opId,
        variant: response.variantId,
        ...(typeof next === "string" ? { next_page_token: next } : {}),
      };
    }
    case "csv":
    case "markdown":
      return { format: response.format, data: text() };
    default:
      return { format: "json", data: valueOf(response) };
  }
}
