/** What a successful answer that is not JSON looks like when nobody asked for its bytes (spec 02 §8.1). */

import { sha256Hex } from "../digest/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Caller } from "./types.ts";

const LARGEST_INLINE_TEXT = 64 * 1024;
const TEXT_TYPES =
  /^(text\/|application\/(xml|yaml|x-yaml|javascript|csv|rtf|toml)\b)|\+(xml|yaml)\b/i;

/** How a caller names the file that bytes go to. */
const FLAGS: Readonly<Record<Caller, string>> = {
  cli: "--download <file>",
  mcp: "download_to",
  risor: "download_to, outside of the script,",
  plugin: "--download <file>",
};

/** Type, size and hash of a body, with its text when it is short text. */
export async function inlineMedia(
  body: Uint8Array,
  answer: { contentType: string | undefined; caller: Caller | undefined },
): Promise<JsonObject> {
  const { contentType, caller } = answer;
  const summary: JsonObject = {
    content_type: contentType ?? "application/octet-stream",
    size_bytes: body.length,
    sha256: await sha256Hex(body),
  };
  const text = TEXT_TYPES.test(contentType ?? "") && body.length <= LARGEST_INLINE_TEXT
    ? decoded(body)
    : undefined;
  return text === undefined
    ? { ...summary, suggestion: `Repeat the call with ${FLAGS[caller ?? "cli"]} to get the bytes.` }
    : { ...summary, text };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined; // not UTF-8: only its summary is shown
  }
}
