/**
 * `deno task compile`: builds `dist/gum` for this machine.
 *
 * First a split bundle (so that lazy imports stay lazy and no package folder is embedded), then
 * `deno compile` with the permission set `gum` spelled out and the shipped files included.
 *
 * Environment: `DENORT_BIN` names a runtime base where the compiler cannot download its own, and
 * `GUM_COMPILER` the Deno of the base's version. `GUM_VERSION` stamps the version.
 */

import { permissionFlags } from "./permission_flags.ts";

const ROOT = new URL("..", import.meta.url);
/** Where the build goes; two builds side by side need two places. */
const FOLDER = Deno.env.get("GUM_DIST") ?? "dist";
const OUTPUT = `${FOLDER}/gum`;
if (!/^[a-z][a-z0-9-]*$/.test(FOLDER)) {
  throw new Error(`GUM_DIST must be a plain folder name below the root, not "${FOLDER}"`);
}
/** Files the executable reads at run time, by their path from the root. */
const ASSETS = [
  "catalog/catalog.json",
  "catalog/catalog.json.sha256",
  "catalog/index",
  "catalog/schemas",
  "catalog/data",
  "catalog/help",
  "catalog/discovery",
  "catalog/overrides.toml",
  "catalog/longtail",
  "testdata/release_fixtures",
];

async function run(command: string, args: string[]): Promise<void> {
  const { success, code } = await new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
  }).spawn().status;
  if (!success) throw new Error(`${command} ${args[0]} ended with ${code}`);
}

/** Writes the version into the bundle; exactly one chunk holds the stamp. */
async function stampVersion(version: string): Promise<void> {
  if (!/^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Error(`GUM_VERSION must be a semantic version, not "${version}"`);
  }
  const folder = new URL(`${FOLDER}/app/`, ROOT);
  let stamped = 0;
  for await (const entry of Deno.readDir(folder)) {
    const file = new URL(entry.name, folder);
    const source = await Deno.readTextFile(file);
    if (!source.includes("gum-version-stamp:dev")) continue;
    await Deno.writeTextFile(
      file,
      source.replaceAll("gum-version-stamp:dev", `gum-version-stamp:${version}`),
    );
    stamped++;
  }
  if (stamped !== 1) throw new Error(`${stamped} chunks hold the version stamp, expected 1`);
}

async function compile(): Promise<void> {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  await Deno.remove(new URL(FOLDER, ROOT), { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await run(Deno.execPath(), [
    "bundle",
    "-q",
    "--code-splitting",
    "--minify",
    "--platform",
    "browser",
    "--outdir",
    `${FOLDER}/app`,
    "main.ts",
  ]);
  const version = Deno.env.get("GUM_VERSION");
  if (version !== undefined) await stampVersion(version);
  const compiler = Deno.env.get("GUM_COMPILER") ?? Deno.execPath();
  await run(compiler, [
    "compile",
    "-q",
    "--no-config",
    "--no-prompt",
    "--no-remote",
    "--unstable-worker-options",
    // On by itself in the pinned Deno; the base may be of an older one.
    "--unstable-temporal",
    ...permissionFlags(config.permissions.gum),
    ...ASSETS.flatMap((asset) => ["--include", asset]),
    // The chunks are loaded by name at run time, which the compiler's own graph walk may not see.
    "--include",
    `${FOLDER}/app`,
    "--output",
    OUTPUT,
    `${FOLDER}/app/main.js`,
  ]);
  const { size } = await Deno.stat(new URL(OUTPUT, ROOT));
  console.log(`${OUTPUT}: ${(size / 1e6).toFixed(1)} MB`);
}

if (import.meta.main) {
  try {
    await compile();
  } catch (error) {
    console.error(`compile: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(1);
  }
}
