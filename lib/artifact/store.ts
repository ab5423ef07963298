/** Writing recovery artifacts, stage 9 (spec 03 §3.14). */

import type { Clock } from "../clock/mod.ts";
import { rfc3339, systemClock } from "../clock/mod.ts";
import { hmacSha256 } from "../digest/mod.ts";
import type { ArtifactHandle, ArtifactStore } from "../dispatch/types.ts";
import { ensurePrivateDir, isAbsent, writeFileAtomic } from "../files/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { canonicalText } from "./canonical_text.ts";
import { gzip } from "./gzip.ts";
import { dateFolder, DEFAULT_RETENTION_HOURS, pruneFolders, retentionMs } from "./retention.ts";
import { openTeeSecret } from "./tee_secret.ts";

/** Between two looks for old folders; whole days of them go, so more often finds nothing. */
const PRUNE_INTERVAL_MS = 3_600_000;

/** Where artifacts live and for how long. */
export interface ArtifactOptions {
  /** `<data>/gum/<profile>`; undefined when there is no data directory: nothing is written. */
  directory: string | undefined;
  /** `output.tee_retention_hours`. */
  retentionHours?: number;
  clock?: Clock;
  log?: Logger;
}

/** The store of one account profile. */
export function createArtifactStore(options: ArtifactOptions): ArtifactStore {
  const { directory, clock = systemClock } = options;
  const retention = retentionMs(options.retentionHours ?? DEFAULT_RETENTION_HOURS);
  const secret = directory === undefined ? undefined : openTeeSecret(directory);
  let prunedAt = -Infinity;
  return {
    enabled: directory !== undefined,
    async checkSecret() {
      await secret?.read();
    },
    async write(request): Promise<ArtifactHandle> {
      if (secret === undefined) throw new Error("there is no directory for artifacts");
      const now = clock.now();
      const hash = artifactHash(await secret.ensure(), request);
      const tee = `${directory}/tee`;
      const folder = `${tee}/${dateFolder(now)}/${operationFolder(request.opId)}`;
      const path = `${folder}/${hash}.json.gz`;
      await writeInto(folder, { path, bytes: await gzip(request.body), modified: now });
      if (Math.abs(now - prunedAt) >= PRUNE_INTERVAL_MS) {
        prunedAt = now;
        await pruneQuietly(tee, { now, retention, log: options.log ?? defaultLogger() });
      }
      return {
        path,
        hash,
        size: readableSize(request.body),
        expiresAt: rfc3339(now + retention),
      };
    },
  };
}

/**
 * Writes an artifact. Its folder is made only when it is missing, which it nearly never is. Readers
 * count from the file's time, so that has to be the time the handle was made of.
 */
async function writeInto(
  folder: string,
  file: { path: string; bytes: Uint8Array; modified: number },
): Promise<void> {
  const { path, bytes, modified } = file;
  try {
    await writeFileAtomic(path, bytes, { modified });
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await ensurePrivateDir(folder);
    await writeFileAtomic(path, bytes, { modified });
  }
}

/** A call's artifact name: it changes with the secret, the call and the principal, and nothing else. */
export function artifactHash(
  secret: Uint8Array,
  call: { opId: string; variantId: string; argsCanonical: string; fingerprint: string },
): string {
  const message = [call.opId, call.variantId, call.argsCanonical, call.fingerprint].join(":");
  return hmacSha256(secret, new TextEncoder().encode(message)).toHex();
}

/** An operation id as a folder name. */
export function operationFolder(opId: string): string {
  if (/^[A-Za-z0-9._-]+$/.test(opId) && !/^\.+$/.test(opId)) return opId;
  return encodeURIComponent(opId).replace(/^\.+$/, (dots) => "%2E".repeat(dots.length));
}

/** Bytes that a read of the artifact returns, which is its canonical text. */
function readableSize(body: Uint8Array): number {
  const text = canonicalText(body);
  return text === undefined ? body.byteLength : new TextEncoder().encode(text).byteLength;
}

/** An old folder that will not go away must not cost the caller the new artifact. */
async function pruneQuietly(
  tee: string,
  options: { now: number; retention: number; log: Logger },
): Promise<void> {
  try {
    await pruneFolders(tee, options);
  } catch (error) {
    const reason = error instanceof Error ? error.name : "unknown";
    options.log.log("warn", "tee artifact prune failed", { reason });
  }
}
