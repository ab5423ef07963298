/** What every media exchange works with. */

import type { Clock } from "../../../clock/mod.ts";
import type { AdapterRequest, AdapterResponse, MediaFacts } from "../../../dispatch/types.ts";
import type { StreamingHttpClient } from "../../../http/mod.ts";
import type { JsonObject } from "../../../json/mod.ts";

/** How media calls behave; sizes in bytes. */
export interface MediaOptions {
  /** Largest download; default 2 GiB. */
  maxDownloadBytes?: number;
  /** Where interrupted uploads are remembered; absent: they start anew. */
  uploadsDirectory?: string;
  /** Milliseconds of silence that end an attempt; default 30 000. */
  stallMs?: number;
  /** Bytes of one chunk of a resumable upload, a multiple of 256 KiB; default 8 MiB. */
  chunkBytes?: number;
}

/** One media call inside the adapter. */
export interface MediaRun {
  request: AdapterRequest;
  http: StreamingHttpClient;
  userAgent: string;
  clock: Clock;
  random: () => number;
  options: MediaOptions;
  /** Milliseconds an attempt of an ordinary request may take. */
  attemptTimeoutMs?: number;
}

/** GUM's own answer to a download. */
export function summaryResponse(
  summary: JsonObject,
  moved: { media: MediaFacts; bytesIn: number; warnings?: string[] },
): AdapterResponse {
  const { media, bytesIn, warnings = [] } = moved;
  return {
    body: new TextEncoder().encode(JSON.stringify(summary)),
    format: "json",
    status: 200,
    contentType: "application/json",
    bytesIn,
    bytesOut: 0,
    media,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
