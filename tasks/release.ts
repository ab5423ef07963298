/**
 * `deno task release --version vX.Y.Z --repository owner/name [--target T]… [--out DIR]`: everything
 * a release publishes, in `dist/release`: archives, checksums, installers, the Homebrew formula, the
 * Scoop manifest and the npm packages. `docs/releasing.md` tells what to do with it.
 *
 * Exit codes as of `deno task compile`; a release of all platforms is whole or ends with 3.
 */

import {
  build,
  EXECUTABLE_CHECKSUMS,
  homebrewFormula,
  RELEASE_TAG,
  scoopManifest,
  writeArchives,
  writeNpmPackages,
} from "../release/mod.ts";
import { parsePlan } from "./compile.ts";

const ROOT = new URL("..", import.meta.url).pathname;
/** Name on npm; the plain name is somebody else's. */
const NPM_NAME = "gum-google";

async function main(argv: readonly string[]): Promise<number> {
  const plan = parsePlan(argv.includes("--target") ? argv : [...argv, "--target", "all"]);
  const { version, repository } = plan;
  if (version === undefined || !RELEASE_TAG.test(version)) {
    throw new Error("--version must be a release tag such as v1.2.3");
  }
  if (repository === undefined) throw new Error("--repository is missing");
  const { built, missing } = await build(plan);
  for (const { target, why } of missing) {
    console.error(`release: no runtime base for ${target.triple}: ${why}`);
  }
  const folder = plan.out.startsWith("/") ? plan.out : `${ROOT}${plan.out}`;
  const out = `${folder}/release`;
  const archives = await writeArchives(built, { version, out });
  const facts = { version, repository, archives };
  await Deno.writeTextFile(`${out}/gum.rb`, homebrewFormula(facts));
  const scoop = scoopManifest(facts);
  if (scoop !== undefined) await Deno.writeTextFile(`${out}/gum.json`, scoop);
  for (const installer of ["install.sh", "install.ps1"]) {
    const source = await Deno.readTextFile(`${ROOT}release/${installer}`);
    await Deno.writeTextFile(
      `${out}/${installer}`,
      source.replaceAll("@REPOSITORY@", repository),
    );
  }
  await writeNpmPackages(built, { name: NPM_NAME, version, repository, out: `${folder}/npm` });
  for (const { name, bytes, sha256 } of archives) {
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB sha256 ${sha256}`);
  }
  console.log(`${out}/${EXECUTABLE_CHECKSUMS} holds the executables' own`);
  return missing.length > 0 ? 3 : 0;
}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(1);
  }
}
