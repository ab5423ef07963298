/** Archives of the executables, with what belongs beside them, and their checksums. */

import { completionScript } from "../cli/completion_scripts.ts";
import { thirdPartyNotices } from "../tasks/third_party_notices.ts";
import { type BuiltExecutable, sha256File } from "./build.ts";
import { type ArchiveEntry, tarGz } from "./tar.ts";
import { archiveName, type Artifact, executableName, type Target } from "./targets.ts";
import { zip } from "./zip.ts";

const ROOT = new URL("..", import.meta.url).pathname;

/** Name of the list of checksums beside the archives. */
const CHECKSUMS = "checksums.txt";
/** Name of the list of the executables' own checksums, by platform; a second build is held to it. */
export const EXECUTABLE_CHECKSUMS = "release-binaries.sha256";

/** An archive of a release. */
export interface ReleaseArchive {
  target: Target;
  artifact: Artifact;
  name: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/** What stands beside the executable in every archive. */
async function companions(): Promise<ArchiveEntry[]> {
  const text = (name: string, content: string): ArchiveEntry => ({
    name,
    bytes: new TextEncoder().encode(content),
  });
  const tracked = ["LICENSE", "README.md", "CHANGELOG.md"].map(async (name) =>
    text(name, await Deno.readTextFile(`${ROOT}${name}`))
  );
  return [
    ...await Promise.all(tracked),
    text("THIRD_PARTY_NOTICES.txt", await thirdPartyNotices()),
    text("completions/gum.bash", completionScript("bash", true)),
    text("completions/_gum", completionScript("zsh", true)),
    text("completions/gum.fish", completionScript("fish", true)),
    text("completions/gum.ps1", completionScript("powershell", true)),
  ];
}

/** Writes an archive for each executable into `out`, and both lists of checksums. */
export async function writeArchives(
  built: readonly BuiltExecutable[],
  { version, out }: { version: string; out: string },
): Promise<ReleaseArchive[]> {
  await Deno.mkdir(out, { recursive: true });
  const beside = await companions();
  const archives: ReleaseArchive[] = [];
  for (const { artifact, target, path } of built) {
    const entries: ArchiveEntry[] = [
      {
        name: executableName(artifact, target),
        bytes: await Deno.readFile(path),
        executable: true,
      },
      ...beside,
    ];
    const name = archiveName(artifact, { target, version });
    const packed = await (target.os === "windows" ? zip(entries) : tarGz(entries));
    await Deno.writeFile(`${out}/${name}`, packed);
    const sha256 = await sha256File(`${out}/${name}`);
    archives.push({ target, artifact, name, bytes: packed.length, sha256 });
  }
  await Deno.writeTextFile(`${out}/${CHECKSUMS}`, checksumLines(archives));
  await Deno.writeTextFile(
    `${out}/${EXECUTABLE_CHECKSUMS}`,
    checksumLines(built.map(({ sha256, artifact, target }) => ({
      sha256,
      name: `${target.triple}/${executableName(artifact, target)}`,
    }))),
  );
  return archives;
}

/** Lines as `sha256sum --check` reads them, in the order of the names. */
export function checksumLines(files: readonly { name: string; sha256: string }[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).toSorted((left, right) =>
    left.slice(66) < right.slice(66) ? -1 : 1
  ).join("");
}
