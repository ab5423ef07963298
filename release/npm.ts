/**
 * Packages for npm: one for each platform that holds the executable, and one that people install,
 * which names the others as optional dependencies and starts the one that npm took.
 *
 * Nothing is downloaded and no script runs at installation.
 */

import type { BuiltExecutable } from "./build.ts";
import { DESCRIPTION } from "./packages.ts";
import { executableName, type Target } from "./targets.ts";

/** What the packages are called and where they come from. */
export interface NpmPlan {
  /** Name of the package that people install; the platforms' are called after it. */
  name: string;
  version: string;
  repository: string;
  /** Folder that receives one folder a package. */
  out: string;
}

const ROOT = new URL("..", import.meta.url).pathname;

/** Node's words for a platform. */
function nodePlatform({ os, arch }: Target): { os: string; cpu: string } {
  return { os: os === "windows" ? "win32" : os, cpu: arch === "amd64" ? "x64" : "arm64" };
}

/** Writes the packages; gives their folders, the platforms' first. */
export async function writeNpmPackages(
  built: readonly BuiltExecutable[],
  plan: NpmPlan,
): Promise<string[]> {
  const version = plan.version.replace(/^v/, "");
  const common = {
    version,
    description: DESCRIPTION,
    license: "MIT",
    repository: { type: "git", url: `git+https://github.com/${plan.repository}.git` },
  };
  const folders: string[] = [];
  const platforms: Record<string, string> = {};
  for (const { artifact, target, path } of built) {
    if (artifact.name !== "gum") continue;
    const { os, cpu } = nodePlatform(target);
    const name = `${plan.name}-${os}-${cpu}`;
    const executable = executableName(artifact, target);
    const folder = `${plan.out}/${name}`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.copyFile(path, `${folder}/${executable}`);
    if (Deno.build.os !== "windows") await Deno.chmod(`${folder}/${executable}`, 0o755);
    await Deno.copyFile(`${ROOT}LICENSE`, `${folder}/LICENSE`);
    await writeJson(`${folder}/package.json`, {
      name,
      ...common,
      os: [os],
      cpu: [cpu],
      // The runtime inside needs it; on other systems npm leaves the package out.
      ...(os === "linux" ? { libc: ["glibc"] } : {}),
      files: [executable, "LICENSE"],
      preferUnplugged: true,
    });
    platforms[name] = version;
    folders.push(folder);
  }
  const folder = `${plan.out}/${plan.name}`;
  await Deno.mkdir(`${folder}/bin`, { recursive: true });
  await Deno.copyFile(`${ROOT}release/npm_launcher.cjs`, `${folder}/bin/gum.cjs`);
  await Deno.copyFile(`${ROOT}LICENSE`, `${folder}/LICENSE`);
  await Deno.copyFile(`${ROOT}README.md`, `${folder}/README.md`);
  await writeJson(`${folder}/package.json`, {
    name: plan.name,
    ...common,
    bin: { gum: "bin/gum.cjs" },
    files: ["bin/gum.cjs", "LICENSE", "README.md"],
    engines: { node: ">=18" },
    optionalDependencies: platforms,
  });
  folders.push(folder);
  return folders;
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}
