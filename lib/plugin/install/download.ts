/** Fetching a package file and checking it before anything looks inside (spec 06 §3.5). */

import { GumError } from "../../errors/mod.ts";
import type { StreamingHttpClient } from "../../http/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import { DOWNLOAD_LIMIT, REDIRECT_LIMIT } from "../limits.ts";
import { untrusted } from "../untrusted.ts";

/** One file to fetch. */
export interface Download {
  url: URL;
  /** Where to put it; must not exist. */
  to: string;
  /** Lowercase hex SHA-256. */
  checksum: string;
  signal: AbortSignal;
}

/** The parts a download needs. */
export interface DownloadParts {
  http: StreamingHttpClient;
  fs: PluginFileSystem;
}

/**
 * Downloads a file over HTTPS and compares its digest.
 *
 * @throws GumError `SERVICE_DOWN` (`package_fetch_failed`) or `PLUGIN_EXECUTABLE_UNTRUSTED`
 */
export async function downloadVerified(parts: DownloadParts, file: Download): Promise<void> {
  requireChecksum(await download(parts, file), file.checksum);
}

/** Downloads a file over HTTPS and gives its digest. @throws GumError `SERVICE_DOWN` */
export async function download(
  parts: DownloadParts,
  file: Omit<Download, "checksum">,
): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const target = await parts.fs.createFile(file.to, 0o600);
  let bytes = 0;
  try {
    for await (const piece of await piecesOf(parts.http, file)) {
      bytes += piece.length;
      if (bytes > DOWNLOAD_LIMIT) {
        throw fetchFailed(file.url, { why: "larger than 200 MiB", retryable: false });
      }
      hash.update(piece);
      await target.write(piece);
    }
  } catch (error) {
    file.signal.throwIfAborted();
    throw error instanceof GumError ? error : fetchFailed(file.url, { cause: error });
  } finally {
    target.close();
  }
  return hash.digest("hex");
}

/** Compares digests in hex. @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED` */
export function requireChecksum(actual: string, expected: string): void {
  if (actual === expected) return;
  throw untrusted("checksum_mismatch", {
    message: `the package file has the checksum ${actual}, not ${expected}`,
    details: { expected: `sha256:${expected}`, actual: `sha256:${actual}` },
    suggestion: "Compare the checksum in the manifest with the one its author publishes.",
  });
}

async function piecesOf(
  http: StreamingHttpClient,
  { url, signal }: Omit<Download, "checksum">,
): Promise<AsyncIterable<Uint8Array>> {
  requireHttps(url);
  const stream = await http.open(
    { method: "GET", url, headers: {}, maxRedirects: REDIRECT_LIMIT },
    signal,
  );
  if (stream.pieces !== undefined) return stream.pieces;
  await stream.discard();
  throw fetchFailed(url, { why: `HTTP ${stream.status}`, status: stream.status });
}

/** A small JSON document from the package index. @throws GumError `SERVICE_DOWN` */
export async function fetchJson(
  http: StreamingHttpClient,
  { url, signal }: { url: URL; signal: AbortSignal },
): Promise<unknown> {
  requireHttps(url);
  try {
    const answer = await http.send(
      { method: "GET", url, headers: {}, maxRedirects: REDIRECT_LIMIT },
      signal,
    );
    if (answer.status !== 200) {
      throw fetchFailed(url, { why: `HTTP ${answer.status}`, status: answer.status });
    }
    return JSON.parse(new TextDecoder().decode(answer.body));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof GumError ? error : fetchFailed(url, { cause: error });
  }
}

function requireHttps(url: URL): void {
  if (url.protocol !== "https:") {
    throw fetchFailed(url, { why: "only https is used", retryable: false });
  }
}

function fetchFailed(
  url: URL,
  given: { why?: string; status?: number; retryable?: boolean; cause?: unknown },
): GumError {
  const details: JsonObject = { reason: "package_fetch_failed", host: url.host };
  if (given.status !== undefined) details.http_status = given.status;
  const why = given.why ?? (given.cause instanceof Error ? given.cause.message : "no answer");
  return new GumError("SERVICE_DOWN", {
    message: `the plugin package could not be fetched from ${url.host}: ${why}`,
    details,
    userMessage: "The plugin package could not be fetched.",
    suggestion: "Check the network and the package's address, then try again.",
    retryable: given.retryable ?? true,
    cause: given.cause,
  });
}
