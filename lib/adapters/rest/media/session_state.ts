/**
 * Interrupted uploads, remembered so that an identical call of a later process goes on where the
 * first one stopped (spec 02 §8.2). The session address is a bearer secret: it lives in these files
 * (0600) and nowhere else.
 */

import type { Clock } from "../../../clock/mod.ts";
import { jcs } from "../../../format/jcs.ts";
import {
  ensurePrivateDir,
  FileLockTimeout,
  withFileLock,
  writeFileAtomic,
} from "../../../files/mod.ts";
import { isJsonObject, parseJson } from "../../../json/mod.ts";
import { rfc3339 } from "../../../clock/mod.ts";
import { streamDigest } from "./digest.ts";
import type { UploadRun } from "./upload_run.ts";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** What is remembered of a session. */
export interface UploadState {
  sessionUri: string;
  offset: number;
  /** The last chunk went out, so the service may have acted. */
  finalSent?: boolean;
}

/** The memory of one call; without a directory it forgets at once. */
export interface UploadMemory {
  recall(): Promise<UploadState | undefined>;
  remember(state: UploadState): Promise<void>;
  forget(): Promise<void>;
}

const FORGETFUL: UploadMemory = {
  recall: () => Promise.resolve(undefined),
  remember: () => Promise.resolve(),
  forget: () => Promise.resolve(),
};

/**
 * Runs `work` with the memory of this call. Two processes that send the same thing at the same time
 * do not share a session: the second one goes without memory.
 */
export async function withUploadMemory<T>(
  run: UploadRun,
  work: (memory: UploadMemory) => Promise<T>,
): Promise<T> {
  const directory = run.options.uploadsDirectory;
  // A stream cannot be read again, so its session is of no use to another process.
  if (directory === undefined || run.size === undefined) return await work(FORGETFUL);
  await ensurePrivateDir(directory);
  await sweep(directory, run.clock);
  const argsHash = hashOf(run);
  const started = { yes: false };
  try {
    return await withFileLock(`${directory}/${argsHash}.lock`, { timeoutMs: 0 }, () => {
      started.yes = true;
      return work(fileMemory(run, { path: `${directory}/${argsHash}.json`, argsHash }));
    });
  } catch (error) {
    if (!(error instanceof FileLockTimeout) || started.yes) throw error;
    return await work(FORGETFUL);
  }
}

/** Same operation, variant, principal, arguments and content: the same upload. */
function hashOf(run: UploadRun): string {
  const { opId, resolved, credentials, args } = run.request;
  const digest = streamDigest();
  digest.update(
    new TextEncoder().encode(jcs({
      op_id: opId,
      variant_id: resolved.variant.variant_id,
      fingerprint: credentials?.subjectFingerprint ?? "",
      args,
    })),
  );
  return digest.sha256();
}

function fileMemory(run: UploadRun, file: { path: string; argsHash: string }): UploadMemory {
  const { path, argsHash } = file;
  return {
    async recall() {
      const state = await read(path);
      const usable = state !== undefined && state.args_hash === argsHash &&
        state.sha256 === run.sha256 && state.size === run.size &&
        typeof state.expires_at === "string" && Date.parse(state.expires_at) > run.clock.now() &&
        typeof state.session_uri === "string" && typeof state.offset === "number";
      if (!usable) return undefined;
      return {
        sessionUri: String(state.session_uri),
        offset: Number(state.offset),
        finalSent: state.final_sent === true,
      };
    },
    async remember({ sessionUri, offset, finalSent = false }) {
      const state = {
        session_uri: sessionUri,
        sha256: run.sha256 ?? "",
        size: run.size ?? 0,
        offset,
        args_hash: argsHash,
        expires_at: rfc3339(run.clock.now() + KEPT_MS),
        ...(finalSent ? { final_sent: true } : {}),
      };
      await writeFileAtomic(path, new TextEncoder().encode(JSON.stringify(state)));
    },
    forget: () => removeIfPresent(path),
  };
}

async function read(path: string) {
  try {
    const state = parseJson(await Deno.readTextFile(path));
    return isJsonObject(state) ? state : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sessions end after a week; their files, and the locks beside them, go with them. */
async function sweep(directory: string, clock: Clock): Promise<void> {
  for await (const entry of Deno.readDir(directory)) {
    if (!/^[0-9a-f]{64}\.(json|lock)$/.test(entry.name)) continue;
    const path = `${directory}/${entry.name}`;
    // Another run may have taken it away meanwhile: then there is nothing to do.
    const { mtime } = await Deno.lstat(path).catch(() => ({ mtime: null }));
    if (mtime !== null && clock.now() - mtime.getTime() > KEPT_MS) await removeIfPresent(path);
  }
}

async function removeIfPresent(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
