/** What stands in for a build where only what is made of it matters. */

import { ARTIFACTS, type BuiltExecutable, executableName, sha256File, TARGETS } from "../mod.ts";

/** Executables that are shell scripts: what is made of them does not look inside. */
export async function pretendBuilt(
  folder: string,
  script = '#!/bin/sh\necho "v1.2.3"\n',
): Promise<BuiltExecutable[]> {
  const built: BuiltExecutable[] = [];
  for (const target of TARGETS) {
    for (const artifact of ARTIFACTS) {
      const path = `${folder}/${target.triple}/${executableName(artifact, target)}`;
      await Deno.mkdir(`${folder}/${target.triple}`, { recursive: true });
      await Deno.writeTextFile(path, script, { mode: 0o755 });
      const { size } = await Deno.stat(path);
      built.push({ target, artifact, path, bytes: size, sha256: await sha256File(path) });
    }
  }
  return built;
}
