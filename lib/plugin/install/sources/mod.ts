/** The four package sources (spec 06 §3.5). */

import { acquireGit } from "./git.ts";
import { acquirePython } from "./python.ts";
import { acquireRelease } from "./release.ts";
import type { AcquiredPackage, PackageRequest, SourceParts } from "./types.ts";

export {
  type AcquiredPackage,
  DEFAULT_ORIGINS,
  type PackageOrigins,
  type PackageRequest,
  type SourceParts,
} from "./types.ts";

/** Acquires and verifies a package by its source. */
export async function acquirePackage(
  request: PackageRequest,
  parts: SourceParts,
): Promise<AcquiredPackage> {
  switch (request.loaded.manifest.package.source) {
    case "local":
      return {
        tree: request.loaded.directory,
        ref: "",
        checksum: undefined,
        untrusted: true,
      };
    case "git":
      return await acquireGit(request, parts);
    case "github_release":
      return await acquireRelease(request, parts);
    case "pypi":
      return await acquirePython(request, parts);
  }
}
