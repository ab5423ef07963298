/** Putting served schemas where they are served from. */

import { sha256Hex } from "../../digest/mod.ts";
import { type PluginFileSystem, readIfPresent, replaceFile } from "../file_system.ts";
import type { MaterializedBundle } from "../schemas/mod.ts";
import type { PluginPaths } from "../types.ts";

/** Stores each document under its digest; one that is there with the right bytes is left alone. */
export async function storeSchemas(
  bundles: readonly MaterializedBundle[],
  { paths, fs }: { paths: PluginPaths; fs: PluginFileSystem },
): Promise<void> {
  if (bundles.length === 0) return;
  await fs.makeDirectory(paths.schemas, 0o700);
  for (
    const { ref, hash, bytes } of bundles.flatMap((bundle) => [bundle.request, bundle.response])
  ) {
    const path = paths.schemaFile(ref, hash);
    const present = await readIfPresent(path);
    if (present !== undefined && await sha256Hex(present) === hash) continue;
    await replaceFile(fs, path, { bytes, mode: 0o600 });
  }
}
