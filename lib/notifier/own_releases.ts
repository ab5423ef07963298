/** The releases of this build (spec 07 §3.21). */

import { VERSION } from "../version/mod.ts";
import type { ReleaseSource } from "./mod.ts";

/**
 * Where this project's releases are: `owner/name`. A release build replaces the text after the colon
 * in the bundle, never in the sources; from source there is nobody to ask.
 */
const STAMP = "gum-release-repository:none";

/** Undefined until a build is made for a repository. */
const RELEASE_SOURCE: ReleaseSource | undefined = releaseSource(
  STAMP.slice(STAMP.indexOf(":") + 1),
);

/** The one place that knows the addresses of a repository's releases. */
export function releaseSource(repository: string): ReleaseSource | undefined {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return {
    latest: `https://api.github.com/repos/${repository}/releases/latest`,
    page: `https://github.com/${repository}/releases/latest`,
  };
}

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
