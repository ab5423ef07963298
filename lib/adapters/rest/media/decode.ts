/** A base64 field of an ordinary answer as a file (spec 02 §8.1). */

import type { AdapterResponse, MediaRequest } from "../../../dispatch/types.ts";
import { GumError } from "../../../errors/mod.ts";
import { isJsonObject, type JsonValue } from "../../../json/mod.ts";
import { streamDigest } from "./digest.ts";
import { fallbackName } from "./download.ts";
import { type MediaRun, summaryResponse } from "./run.ts";
import { checkTarget, openTarget } from "./target.ts";

const PIECE_BYTES = 1024 * 1024;

/** Writes the decoded field of `answer` to the target of the call. */
export async function decodeToTarget(
  run: MediaRun & { media: MediaRequest & { kind: "download" }; field: string },
  send: () => Promise<AdapterResponse>,
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const checked = await checkTarget(run.media);
  const answer = await send();
  const bytes = decodedField(answer.body, run.field);
  const name = fallbackName(run, "");
  const target = await openTarget(checked, { name, signal });
  try {
    const digest = streamDigest();
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      digest.update(piece);
      await target.write(piece);
      run.media.onProgress?.({ bytes: at + piece.length, total: bytes.length });
    }
    const sha256 = digest.sha256();
    const path = await target.commit();
    return summaryResponse({
      path,
      name: path === "-" ? name : path.split(/[/\\]/).at(-1) ?? name,
      content_type: "application/octet-stream",
      size_bytes: bytes.length,
      sha256,
      resumed: 0,
    }, {
      media: { sizeBytes: bytes.length, sha256 },
      bytesIn: answer.bytesIn,
      warnings: answer.warnings,
    });
  } catch (error) {
    await target.discard();
    throw error;
  }
}

function decodedField(body: Uint8Array, field: string): Uint8Array {
  let value: JsonValue | undefined;
  try {
    // Native parsing: the one field that matters is text, however long.
    value = JSON.parse(new TextDecoder().decode(body)) as JsonValue;
  } catch (cause) {
    throw refusal(field, "the answer is not JSON", cause);
  }
  for (const step of field.split(".")) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  if (typeof value !== "string") throw refusal(field, "the answer has no text there");
  const alphabet = /[-_]/.test(value) ? "base64url" : "base64";
  try {
    return Uint8Array.fromBase64(value.replace(/\s+/g, ""), { alphabet });
  } catch (cause) {
    throw refusal(field, "the text there is not base64", cause);
  }
}

function refusal(field: string, why: string, cause?: unknown): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${field} cannot be decoded: ${why}`,
    details: { field: "decode", path: field, missing: [], unknown: [], type_errors: [] },
    userMessage: `The field ${field} of the answer cannot be decoded.`,
    suggestion:
      "Look at the answer without --download first, and name the field that holds base64.",
    cause,
  });
}
