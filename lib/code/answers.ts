/** What a script sees of an answer of the kernel. */

import type { ShapedResponse } from "../dispatch/types.ts";
import type { JsonValue } from "../json/mod.ts";

/** The shaped tree; nil for an empty body; text for what is no JSON. */
export function valueOf(response: ShapedResponse): JsonValue {
  const { upstreamBytes } = response;
  if (upstreamBytes !== undefined && isBlank(upstreamBytes)) return null;
  if (response.structuredContent !== undefined) return response.structuredContent;
  const text = new TextDecoder().decode(response.body);
  return text.trim() === "" ? null : text;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.length < 16 && new TextDecoder().decode(bytes).trim() === "";
}
