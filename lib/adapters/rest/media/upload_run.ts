/** What an upload works with beside its bytes. */

import type { JsonObject } from "../../../json/mod.ts";
import type { BuiltRequest } from "../request.ts";
import type { MediaRun } from "./run.ts";

/** One upload inside the adapter. */
export interface UploadRun extends MediaRun {
  /** The request that carries the metadata, on the upload path. */
  built: BuiltRequest;
  contentType: string;
  /** Bytes; undefined for a stream. */
  size: number | undefined;
  /** Lowercase hex of what the call was confirmed for; undefined for a stream. */
  sha256: string | undefined;
  metadata: JsonObject;
}
