/** Fetching the pinned Deno: `gum plugin runtime install` (spec 06 §8.2, option D). */

import { GumError } from "../../errors/mod.ts";
import { FileLockTimeout, parentDir, withFileLock } from "../../files/mod.ts";
import type { StreamingHttpClient } from "../../http/mod.ts";
import { fileSha256 } from "../digest.ts";
import { type PluginFileSystem, realFileSystem } from "../file_system.ts";
import { MODES } from "../limits.ts";
import { untrusted } from "../untrusted.ts";
import { entrySink } from "./archive_entry.ts";
import { readZip } from "./archive_zip.ts";
import { download } from "./download.ts";
import { PINNED_DENO, type PinnedRuntime, pinnedRuntime, runtimePath } from "./pinned_runtime.ts";
import { DEFAULT_ORIGINS, type PackageOrigins } from "./sources/mod.ts";

/** A fetch of some 40 MB may take a while on a slow line. */
const LOCK_MS = 120_000;

/** What an installation of the runtime works with. */
export interface RuntimeInstallParts {
  /** Directory that all profiles share. */
  directory: string;
  http: StreamingHttpClient;
  /** Default: the real one. */
  fs?: PluginFileSystem;
  /** Default: the public hosts. */
  origins?: PackageOrigins;
  /** Default: this system's. */
  runtime?: PinnedRuntime;
}

/** What is there now. */
export interface RuntimeInstallResult {
  path: string;
  version: string;
  sha256: string;
  /** False when it was there already. */
  fetched: boolean;
}

/**
 * Puts the pinned Deno in place, unless it is there. What counts is the digest of the program: it is
 * compared before the file may be executed, so nothing depends on the archive around it.
 *
 * @throws GumError `SERVICE_DOWN`, `PLUGIN_EXECUTABLE_UNTRUSTED`, or `UNSUPPORTED_CAPABILITY` on a
 * system without a build.
 */
export async function installRuntime(
  { signal }: { signal: AbortSignal },
  parts: RuntimeInstallParts,
): Promise<RuntimeInstallResult> {
  signal.throwIfAborted();
  const runtime = parts.runtime ?? pinnedRuntime();
  if (runtime === undefined) throw noBuild();
  const fs = parts.fs ?? realFileSystem;
  const path = runtimePath(parts.directory, runtime.program);
  await fs.makeDirectory(parts.directory, 0o700);
  const lockPath = `${parts.directory}/install.lock`;
  try {
    return await withFileLock(lockPath, { timeoutMs: LOCK_MS, signal }, async () => {
      const result = { path, version: PINNED_DENO, sha256: runtime.sha256 };
      if (await hasDigest(path, runtime.sha256)) return { ...result, fetched: false };
      await fetchRuntime(runtime, { parts, fs, path, signal });
      return { ...result, fetched: true };
    });
  } catch (error) {
    if (!(error instanceof FileLockTimeout) || error.path !== lockPath) throw error;
    throw new GumError("PLUGIN_INSTALL_LOCK_TIMEOUT", {
      message: "another process is fetching the runtime",
      details: { path: lockPath },
      cause: error,
    });
  }
}

async function fetchRuntime(
  runtime: PinnedRuntime,
  { parts, fs, path, signal }: {
    parts: RuntimeInstallParts;
    fs: PluginFileSystem;
    path: string;
    signal: AbortSignal;
  },
): Promise<void> {
  const { releases } = parts.origins ?? DEFAULT_ORIGINS;
  const staging = `${parts.directory}/.staging`;
  // Whatever an interrupted fetch left; the lock keeps others out.
  await fs.remove(staging);
  await fs.makeDirectory(staging, 0o700);
  try {
    const archive = `${staging}/archive.zip`;
    const url = new URL(
      `${releases}/denoland/deno/releases/download/v${PINNED_DENO}/deno-${runtime.target}.zip`,
    );
    await download({ http: parts.http, fs }, { url, to: archive, signal });
    const unpacked = `${staging}/unpacked`;
    await fs.makeDirectory(unpacked, 0o700);
    await readZip(archive, entrySink(fs, unpacked));
    const program = `${unpacked}/${runtime.program}`;
    if (!await hasDigest(program, runtime.sha256)) {
      throw untrusted("checksum_mismatch", {
        message:
          `what ${url.host} sent is not the Deno ${PINNED_DENO} that this release of GUM knows`,
        details: { expected: `sha256:${runtime.sha256}` },
        suggestion: "Install Deno yourself and set plugins.deno_path to it.",
      });
    }
    await fs.chmod(program, MODES.executable);
    await fs.makeDirectory(parentDir(path), MODES.directory);
    await fs.rename(program, path);
  } finally {
    await fs.remove(staging);
  }
}

async function hasDigest(path: string, wanted: string): Promise<boolean> {
  try {
    return await fileSha256(path) === wanted;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function noBuild(): GumError {
  return new GumError("UNSUPPORTED_CAPABILITY", {
    message: `there is no Deno for ${Deno.build.os} on ${Deno.build.arch}`,
    userMessage: "There is no Deno to fetch for this system.",
    suggestion: "Install Deno yourself and set plugins.deno_path to it.",
  });
}
