/** The file system for the kernel's questions about media; its module loads with the first one. */

import type { MediaFiles } from "../../dispatch/types.ts";

/** Looks at files on this machine (spec 02 §8.1, §8.2). */
export const mediaFiles: MediaFiles = {
  locate: async (path, directories) => await (await files()).locate(path, directories),
  describe: async (path, signal) => await (await files()).describe(path, signal),
};

async function files(): Promise<MediaFiles> {
  return (await import("./media/mod.ts")).mediaFiles;
}
