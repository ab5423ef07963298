/** What a blocked capability means to a caller, in one sentence each. */

import type { ExecutionSupport } from "../types.ts";

const BLOCKED: ReadonlyMap<string, string> = new Map([
  ["media_download", "File content cannot be downloaded through this operation."],
  ["media_upload", "File content cannot be uploaded through this operation."],
  ["resumable_upload", "Large files cannot be uploaded in resumable parts."],
  ["lro_return", "The long-running operation it starts is not followed to its end."],
  ["server_streaming", "A streamed answer cannot be received."],
  ["bidi_streaming", "A two-way stream cannot be opened."],
  ["batch_request", "Several requests cannot be sent as one HTTP batch."],
  ["webhook_channel", "Push notifications cannot be received, so no channel can be opened."],
  ["code_execution", "Scripts cannot be run."],
]);

/** One sentence on a capability that the variant declares but GUM does not execute. */
export function capabilityWarning(atom: string, support: ExecutionSupport): string {
  const consequence = BLOCKED.get(atom) ?? "This part of the operation is not executed.";
  const rest = support === "partial" ? "" : " The operation cannot be run.";
  return `${atom}: ${consequence}${rest}`;
}
