/** Reading recovery artifacts by their `gum://results/{hash}` address (spec 03 §3.14). */

import { rfc3339, systemClock } from "../clock/mod.ts";
import { GumError } from "../errors/mod.ts";
import { isAbsent } from "../files/mod.ts";
import { canonicalText } from "./canonical_text.ts";
import { gunzip, GunzipTooLarge } from "./gzip.ts";
import { DEFAULT_RETENTION_HOURS, folderNames, retentionMs, windowFolders } from "./retention.ts";
import type { ArtifactOptions } from "./store.ts";

const PREFIX = "gum://results/";
/** Digits of a name; a longer one was never written, and may be more than a file name takes. */
const HASH_DIGITS = 64;
/** Most bytes an artifact may decompress to. */
const READ_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * The canonical JSON text behind a results address.
 *
 * @throws GumError `RESULT_ARTIFACT_EXPIRED` for every miss: a malformed address, no data
 * directory, nothing there, expired, unreadable, or too large.
 */
export async function readArtifact(uri: string, options: ArtifactOptions): Promise<string> {
  const hash = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : "";
  if (!/^[0-9a-f]+$/.test(hash)) throw expired({ uri, hash: "" });
  const found = await findArtifact(hash, options);
  if (found === undefined) throw expired({ uri, hash });
  const now = (options.clock ?? systemClock).now();
  if (found.expiresMs <= now) throw expired({ uri, hash, expiresMs: found.expiresMs });
  const text = await readText(found.path);
  if (text === undefined) throw expired({ uri, hash, expiresMs: found.expiresMs });
  return text;
}

/** The newest file of a hash within the window. */
export async function findArtifact(
  hash: string,
  options: ArtifactOptions,
): Promise<{ path: string; expiresMs: number } | undefined> {
  if (options.directory === undefined || hash.length > HASH_DIGITS) return undefined;
  const retention = retentionMs(options.retentionHours ?? DEFAULT_RETENTION_HOURS);
  const now = (options.clock ?? systemClock).now();
  for (const date of windowFolders(now, retention)) {
    const folder = `${options.directory}/tee/${date}`;
    for (const operation of (await folderNames(folder)).sort()) {
      const path = `${folder}/${operation}/${hash}.json.gz`;
      const written = await modificationTime(path);
      if (written !== undefined) return { path, expiresMs: written + retention };
    }
  }
  return undefined;
}

async function modificationTime(path: string): Promise<number | undefined> {
  try {
    const stat = await Deno.stat(path);
    return stat.isFile ? stat.mtime?.getTime() : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Undefined for whatever cannot be shown: gone meanwhile, corrupt, too large, not JSON. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return canonicalText(await gunzip(await Deno.readFile(path), { limit: READ_LIMIT_BYTES }));
  } catch (error) {
    const isMiss = error instanceof Deno.errors.NotFound || error instanceof GunzipTooLarge ||
      error instanceof Deno.errors.PermissionDenied || error instanceof TypeError ||
      error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.InvalidData;
    if (isMiss) return undefined;
    throw error;
  }
}

function expired(miss: { uri: string; hash: string; expiresMs?: number }): GumError {
  return new GumError("RESULT_ARTIFACT_EXPIRED", {
    message: "no saved result is behind this address",
    details: {
      hash: miss.hash,
      uri: miss.uri,
      expires_at: miss.expiresMs === undefined ? null : rfc3339(miss.expiresMs),
    },
    userMessage: "This saved result is no longer there.",
    suggestion: "Run the operation that made it again.",
  });
}
