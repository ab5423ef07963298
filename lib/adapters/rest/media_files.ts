/** The file system for the kernel's questions about media; its module loads with the first one. */

import type { MediaFiles } from "../../dispatch/types.ts";
import { liesInOneOf } from "../../files/mod.ts";

/** Looks at files on this machine (spec 02 §8.1, §8.2). */
export const mediaFiles: MediaFiles = {
  locate: async (path, directories) => await (await files()).locate(path, directories),
  describe: async (path, signal) => await (await files()).describe(path, signal),
};

/**
 * The same for callers that may reach anything but some directories, whatever else allows them:
 * GUM's own configuration and credentials are no files to send away or to download over.
 */
export function mediaFilesOutside(closed: readonly string[]): MediaFiles {
  return {
    async locate(path, directories) {
      const real = await mediaFiles.locate(path, directories);
      return real === undefined || await liesInOneOf(real, closed) ? undefined : real;
    },
    describe: mediaFiles.describe,
  };
}

async function files(): Promise<MediaFiles> {
  return (await import("./media/mod.ts")).mediaFiles;
}
