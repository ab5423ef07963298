/** What a successful answer that is not JSON looks like when nobody asked for its bytes (spec 02 §8.1). */

import type { JsonObject } from "../json/mod.ts";

const LARGEST_INLINE_TEXT = 64 * 1024;
const TEXT_TYPES =
  /^(text\/|application\/(xml|yaml|x-yaml|javascript|csv|rtf|toml)\b)|\+(xml|yaml)\b/i;

/** Type, size and hash of a body, with its text when it is short text. */
export async function inlineMedia(
  body: Uint8Array,
  contentType: string | undefined,
): Promise<JsonObject> {
  const copy = Uint8Array.from(body);
  const digest = await crypto.subtle.digest("SHA-256", copy);
  const summary: JsonObject = {
    content_type: contentType ?? "application/octet-stream",
    size_bytes: body.length,
    sha256: new Uint8Array(digest).toHex(),
  };
  const text = TEXT_TYPES.test(contentType ?? "") && body.length <= LARGEST_INLINE_TEXT
    ? decoded(body)
    : undefined;
  return text === undefined
    ? { ...summary, suggestion: "Repeat the call with --download <file> to get the bytes." }
    : { ...summary, text };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined; // not UTF-8: only its summary is shown
  }
}
