/** The releases of this build (spec 07 §3.21). */

import { VERSION } from "../version/mod.ts";
import type { ReleaseSource } from "./mod.ts";

/**
 * Where this build's releases are; stamped when a release is made. Without it there is nobody to
 * ask, and `gum version` never looks.
 */
export const RELEASE_SOURCE: ReleaseSource | undefined = undefined;

/** What a process needs to notice updates of itself. */
export interface OwnReleases {
  version: string;
  source: ReleaseSource;
  /** Starts the refresh and does not wait for it. */
  startRefresh(profileName: string): void;
}

/** Undefined for a build that has no releases. */
export function ownReleases(
  source: ReleaseSource | undefined = RELEASE_SOURCE,
): OwnReleases | undefined {
  return source === undefined ? undefined : { version: VERSION, source, startRefresh };
}

/**
 * A process of its own, because this one ends at once. Without the right to run the own executable,
 * or without an executable of its own, there is no refresh.
 */
function startRefresh(profileName: string): void {
  if (!Deno.build.standalone) return;
  const executable = Deno.execPath();
  try {
    const { state } = Deno.permissions.querySync({ name: "run", command: executable });
    if (state !== "granted") return;
    new Deno.Command(executable, {
      args: ["__notify-refresh", "--profile", profileName],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().unref();
  } catch {
    // No process, no notice next time; the version was printed.
  }
}
