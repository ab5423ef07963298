/** One refresh at a time, in all processes of a profile: a rotating token works only once. */

import { ensurePrivateDir, FileLockTimeout, withFileLock } from "../../files/mod.ts";
import { AuthError } from "../errors.ts";
import type { AuthParts } from "../types.ts";

/** Longer than a token request may take, so that waiting for one ends in its token. */
const WAIT_MS = 40_000;

/** Runs `work` while no other process of this profile refreshes. */
export async function withRefreshLock<T>(
  parts: Pick<AuthParts, "lockDirectory" | "lifetime" | "log">,
  work: () => Promise<T>,
): Promise<T> {
  const { lockDirectory, lifetime } = parts;
  if (lockDirectory === undefined) return await work();
  const path = `${lockDirectory}/auth.refresh.lock`;
  let entered = false;
  try {
    await ensurePrivateDir(lockDirectory);
    return await withFileLock(path, { timeoutMs: WAIT_MS, signal: lifetime }, () => {
      entered = true;
      return work();
    });
  } catch (error) {
    if (entered || lifetime.aborted) throw error;
    if (error instanceof FileLockTimeout) {
      throw new AuthError({
        code: "AUTH_STORE_BUSY",
        strategy: "byo_oauth",
        remediation: "another process is still renewing the sign-in",
        details: { path },
        cause: error,
      });
    }
    // A read-only data folder, as containers have one: nothing else can write there either.
    parts.log.log("warn", "refreshing without the lock between processes", {
      error: error instanceof Error ? error.name : "unknown",
    });
    return await work();
  }
}
