/** The directory that somebody means by the path they give. */

import { GumError } from "../../errors/mod.ts";
import { MANIFEST_FILE_NAMES } from "../manifest/mod.ts";

/**
 * A directory with a manifest, given as itself or by its manifest file; every link resolved.
 *
 * @throws GumError `PLUGIN_MANIFEST_NOT_FOUND`
 */
export async function manifestDirectory(path: string): Promise<string> {
  const absolute = async (given: string) => {
    try {
      return await Deno.realPath(given);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new GumError("PLUGIN_MANIFEST_NOT_FOUND", { message: `there is no ${given}` });
    }
  };
  const real = await absolute(path);
  const fileName = real.split(/[\\/]/).at(-1) ?? "";
  const isManifest = (MANIFEST_FILE_NAMES as readonly string[]).includes(fileName) &&
    (await Deno.stat(real)).isFile;
  return isManifest ? real.slice(0, -(fileName.length + 1)) || "/" : real;
}
