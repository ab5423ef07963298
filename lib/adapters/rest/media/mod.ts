/** Bytes in and out of REST calls (spec 02 §8.1, §8.2). Loaded by the first call that moves any. */

import type { AdapterResponse } from "../../../dispatch/types.ts";
import { decodeToTarget } from "./decode.ts";
import { download } from "./download.ts";
import type { MediaRun } from "./run.ts";
import { upload } from "./upload.ts";

export { type MediaOptions, type MediaRun } from "./run.ts";
export { driveFacts } from "./drive_facts.ts";
export { mediaFiles } from "./media_files.ts";

/**
 * Runs a call that moves a file. `sendPlain` makes the ordinary request, for a download that is a
 * field of its answer.
 */
export async function moveMedia(
  run: MediaRun & { sendPlain: () => Promise<AdapterResponse> },
  signal: AbortSignal,
): Promise<AdapterResponse> {
  const { media } = run.request;
  if (media === undefined) throw new TypeError("this call moves no file");
  if (media.kind === "upload") return await upload({ ...run, media }, signal);
  return media.decodeField === undefined
    ? await download({ ...run, media }, signal)
    : await decodeToTarget({ ...run, media, field: media.decodeField }, run.sendPlain, signal);
}
