/** A package from a release asset, verified by its checksum (spec 06 §3.5). */

import { entrySink } from "../archive_entry.ts";
import { readTarGz } from "../archive_tar.ts";
import { readZip } from "../archive_zip.ts";
import { downloadVerified } from "../download.ts";
import { parentDir, pathExists } from "../../../files/mod.ts";
import {
  type AcquiredPackage,
  DEFAULT_ORIGINS,
  type PackageRequest,
  type SourceParts,
} from "./types.ts";

/** Downloads, verifies and unpacks a release. */
export async function acquireRelease(
  request: PackageRequest,
  parts: SourceParts,
): Promise<AcquiredPackage> {
  const { manifest } = request.loaded;
  const { repository, ref, artifact, checksum } = manifest.package;
  const file = `${request.staging}/${artifact}`;
  const { releases } = parts.origins ?? DEFAULT_ORIGINS;
  const url = new URL(
    `${releases}/${repository}/releases/download/${encodeURIComponent(ref)}/` +
      encodeURIComponent(artifact),
  );
  await downloadVerified(parts, { url, to: file, checksum, signal: request.signal });
  const unpacked = `${request.staging}/unpacked`;
  await parts.fs.makeDirectory(unpacked, 0o700);
  const { executable } = manifest.plugin;
  const sink = entrySink(parts.fs, unpacked);
  if (/\.(tar\.gz|tgz)$/.test(artifact)) await readTarGz(file, sink);
  else if (artifact.endsWith(".zip")) await readZip(file, sink);
  else {
    const target = `${unpacked}/${executable}`;
    await parts.fs.makeDirectory(parentDir(target), 0o700);
    await parts.fs.rename(file, target);
  }
  const tree = await pathExists(`${unpacked}/${executable}`)
    ? unpacked
    : await commonRoot(unpacked) ?? unpacked;
  return { tree, ref, checksum: `sha256:${checksum}`, untrusted: false };
}

/** The one directory that everything lies in; undefined when there is none. */
async function commonRoot(folder: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory === true ? `${folder}/${only.name}` : undefined;
}
