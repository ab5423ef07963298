/** What Drive's metadata says of a file whose bytes or export are asked for. */

import { GumError } from "../../../errors/mod.ts";
import { TransportFailure, UpstreamFailure } from "../../../errors/wire/mod.ts";
import { sendWithAttempts } from "../../../http/mod.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../../json/mod.ts";
import { withCredentials } from "../request.ts";
import type { MediaRun } from "./run.ts";

/** Facts of a Drive file; empty when they could not be had. */
export interface DriveFacts {
  name?: string;
  mimeType?: string;
  /** Lowercase hex. */
  md5?: string;
  /** Lowercase hex. */
  sha256?: string;
}

const FILE_PATH = "https://www.googleapis.com/drive/v3/files/{fileId}";

/** The run's parts that a look at the metadata needs. */
export type FactsRun = Pick<
  MediaRun,
  "request" | "http" | "userAgent" | "clock" | "random" | "attemptTimeoutMs"
>;

/** Asks for a file's facts. Only a download's comfort hangs on them, so no failure is one here. */
export async function driveFacts(run: FactsRun, signal: AbortSignal): Promise<DriveFacts> {
  const { fileId } = run.request.args;
  const path = run.request.resolved.variant.binding?.http?.path;
  const ofBytes = path === FILE_PATH;
  if (typeof fileId !== "string" || !(ofBytes || path === `${FILE_PATH}/export`)) return {};
  const url = new URL(FILE_PATH.replace("{fileId}", encodeURIComponent(fileId)));
  url.searchParams.set("fields", "name,mimeType,md5Checksum,sha256Checksum");
  url.searchParams.set("supportsAllDrives", "true");
  try {
    const answer = await sendWithAttempts(run.http, {
      request: {
        method: "GET",
        ...withCredentials({
          method: "GET",
          url,
          headers: { accept: "application/json", "user-agent": run.userAgent },
          warnings: [],
        }, run.request.credentials),
        timeoutMs: run.attemptTimeoutMs,
      },
      repeatable: true,
      clock: run.clock,
      random: run.random,
    }, signal);
    const body = parseJson(new TextDecoder().decode(answer.body));
    // The checksums are those of the stored file, not of an export of it.
    return isJsonObject(body) ? factsOf(body, ofBytes) : {};
  } catch (error) {
    const harmless = error instanceof UpstreamFailure || error instanceof TransportFailure ||
      error instanceof GumError || error instanceof SyntaxError;
    if (!harmless || signal.aborted) throw error;
    return {};
  }
}

function factsOf(body: JsonObject, ofBytes: boolean): DriveFacts {
  const { name, mimeType, md5Checksum, sha256Checksum } = body;
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(ofBytes && typeof md5Checksum === "string" ? { md5: md5Checksum.toLowerCase() } : {}),
    ...(ofBytes && typeof sha256Checksum === "string"
      ? { sha256: sha256Checksum.toLowerCase() }
      : {}),
  };
}
