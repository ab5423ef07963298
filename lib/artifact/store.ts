/** Writing recovery artifacts, stage 9 (spec 03 §3.14). */

import type { Clock } from "../clock/mod.ts";
import { rfc3339, systemClock } from "../clock/mod.ts";
import type { ArtifactHandle, ArtifactStore } from "../dispatch/types.ts";
import { ensurePrivateDir, writeFileAtomic } from "../files/mod.ts";
import { defaultLogger, type Logger } from "../log/mod.ts";
import { canonicalText } from "./canonical_text.ts";
import { gzip } from "./gzip.ts";
import { dateFolder, DEFAULT_RETENTION_HOURS, pruneFolders, retentionMs } from "./retention.ts";
import { ensureTeeSecret, readTeeSecret } from "./tee_secret.ts";

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
  return {
    enabled: directory !== undefined,
    async checkSecret() {
      if (directory !== undefined) await readTeeSecret(directory);
    },
    async write(request): Promise<ArtifactHandle> {
      if (directory === undefined) throw new Error("there is no directory for artifacts");
      const now = clock.now();
      const hash = await artifactHash(await ensureTeeSecret(directory), request);
      const tee = `${directory}/tee`;
      const folder = `${tee}/${dateFolder(now)}/${operationFolder(request.opId)}`;
      const path = `${folder}/${hash}.json.gz`;
      await ensurePrivateDir(folder);
      await writeFileAtomic(path, await gzip(request.body), { mode: 0o600 });
      // Readers count from the file's time, so it has to be the time the handle was made of.
      await Deno.utime(path, new Date(now), new Date(now));
      await pruneQuietly(tee, { now, retention, log: options.log ?? defaultLogger() });
      return {
        path,
        hash,
        size: readableSize(request.body),
        expiresAt: rfc3339(now + retention),
      };
    },
  };
}

/** A call's artifact name: it changes with the secret, the call and the principal, and nothing else. */
export async function artifactHash(
  secret: Uint8Array,
  call: { opId: string; variantId: string; argsCanonical: string; fingerprint: string },
): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    secret as Uint8Array<ArrayBuffer>,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const message = [call.opId, call.variantId, call.argsCanonical, call.fingerprint].join(":");
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(message));
  return new Uint8Array(mac).toHex();
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
