/** The directories a plugin may write (spec 06 §3.15). */

import { GumError } from "../../errors/mod.ts";
import { ensurePrivateDir } from "../../files/mod.ts";

/** Directories of one plugin, absolute, all below the data directory. */
export interface PluginDirectories {
  /** As the profile's paths name it, which is how permission lists name it too. */
  dataDir: string;
  /** The same with every link above it resolved. */
  realDataDir: string;
  /** What `fs_write_dir` names; the data directory itself when it names nothing. */
  writeDir: string;
  temporaryDir: string;
  /** Where a runtime may keep compiled code. */
  runtimeCacheDir: string;
}

/**
 * Makes the directories, private, and refuses what leads out of the data directory.
 *
 * @throws GumError `PLUGIN_FS_WRITE_OUTSIDE_SANDBOX`
 */
export async function prepareDirectories(
  dataDir: string,
  fsWriteDir: string,
): Promise<PluginDirectories> {
  await ensurePrivateDir(dataDir);
  const real = await Deno.realPath(dataDir);
  const parts = fsWriteDir.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || /^([\\/]|[A-Za-z]:)/.test(fsWriteDir)) throw outside(fsWriteDir);
  const inside = async (path: string, shown: string) => {
    // Step by step: a link in the middle must not make directories somewhere else.
    let at = dataDir;
    for (const part of path.split("/").filter((piece) => piece !== "")) {
      at = `${at}/${part}`;
      const info = await lstatOrUndefined(at);
      if (info === undefined) await Deno.mkdir(at, { mode: 0o700 });
      else if (info.isSymlink || !info.isDirectory) throw outside(shown);
    }
    return at;
  };
  return {
    dataDir,
    realDataDir: real,
    writeDir: await inside(parts.join("/"), fsWriteDir),
    temporaryDir: await inside("tmp", "tmp"),
    runtimeCacheDir: await inside(".deno", ".deno"),
  };
}

async function lstatOrUndefined(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function outside(path: string): GumError {
  return new GumError("PLUGIN_FS_WRITE_OUTSIDE_SANDBOX", {
    message: `${JSON.stringify(path)} is not a directory inside the plugin's own`,
    details: { path },
  });
}
