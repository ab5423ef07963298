/**
 * Builds the executables: one split bundle (so that lazy imports stay lazy and no package folder is
 * embedded), staged with the shipped files, then `deno compile` once for each platform and artifact.
 *
 * Two builds of one tree are byte-identical. Two things would differ between two checkouts, and are
 * made the same: the compiler embeds the modification time of every file, so the staged copies carry
 * one fixed time and mode; and the bundler names and orders chunks by the path from the folder it
 * runs in to the package cache, so it runs in a copy of the sources beside that cache.
 */

import { permissionFlags } from "../tasks/permission_flags.ts";
import {
  type Artifact,
  executableName,
  hostTarget,
  LARGEST_EXECUTABLE,
  RELEASE_TIME,
  type Target,
} from "./targets.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

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

/** What an executable on an older runtime base loads first. */
const OLDER_BASE = `${ROOT}/release/older_base.js`;

/** Where the chunks are in the stage: two folders deep, as the modules of `lib/` are in the tree. */
const CHUNKS = "dist/app";

/** What is built, and where it goes. */
export interface BuildPlan {
  targets: readonly Target[];
  artifacts: readonly Artifact[];
  /** Folder of the results; for the machine's own platform directly, else one folder a platform. */
  out: string;
  /** Stamped into the bundle; without it the executables say `dev`. */
  version?: string;
  /** `owner/name` of the repository whose releases the update notice follows. */
  repository?: string;
  /** For measurements: one chunk instead of one for each lazy import. */
  splitting?: boolean;
  /** For measurements: leaves the staged files in `stage` of the folder. */
  keepStage?: boolean;
}

/** One executable that was built. */
export interface BuiltExecutable {
  target: Target;
  artifact: Artifact;
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/** A platform for which nothing could be built, and why. */
export interface MissingBase {
  target: Target;
  why: string;
}

/** What a build gave. */
export interface BuildResult {
  built: BuiltExecutable[];
  missing: MissingBase[];
  /** Bytes of the chunks and of the shipped files. */
  bundleBytes: number;
  assetBytes: number;
}

/** Builds everything of the plan. @throws Error when anything but a missing base goes wrong. */
export async function build(plan: BuildPlan): Promise<BuildResult> {
  const out = plan.out.startsWith("/") || /^[A-Za-z]:/.test(plan.out)
    ? plan.out
    : `${ROOT}/${plan.out}`;
  await removeFolder(out);
  const stage = `${out}/stage`;
  const chunks = `${out}/app`;
  await bundle(chunks, plan.splitting ?? true);
  if (plan.version !== undefined) await stamp(chunks, { "version-stamp": plan.version });
  if (plan.repository !== undefined) {
    await stamp(chunks, { "release-repository": plan.repository });
  }
  const bundleBytes = await copyNormalised(chunks, `${stage}/${CHUNKS}`);
  let assetBytes = 0;
  for (const asset of ASSETS) {
    assetBytes += await copyNormalised(`${ROOT}/${asset}`, `${stage}/${asset}`);
  }
  const sets = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`)).permissions;
  const result: BuildResult = { built: [], missing: [], bundleBytes, assetBytes };
  for (const target of plan.targets) {
    const folder = target.triple === hostTarget()?.triple ? out : `${out}/${target.triple}`;
    for (const artifact of plan.artifacts) {
      const path = `${folder}/${executableName(artifact, target)}`;
      const flags = permissionFlags(sets[artifact.permissionSet]);
      const why = await compileStaged({
        stage,
        target,
        path,
        flags,
        entry: `${CHUNKS}/main.js`,
        // The chunks are loaded by name at run time, which the compiler's own graph walk may not see.
        include: [...ASSETS, CHUNKS],
      });
      if (why !== undefined) {
        result.missing.push({ target, why });
        break;
      }
      const bytes = (await Deno.stat(path)).size;
      if (bytes > LARGEST_EXECUTABLE) {
        throw new Error(`${path} has ${bytes} bytes, more than ${LARGEST_EXECUTABLE}`);
      }
      result.built.push({ target, artifact, path, bytes, sha256: await sha256File(path) });
    }
  }
  if (plan.keepStage !== true) await removeFolder(stage);
  return result;
}

/** SHA-256 of a file, lower-case hex. */
export async function sha256File(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

async function bundle(chunks: string, splitting: boolean): Promise<void> {
  const info = async (...args: string[]) =>
    JSON.parse(await run(Deno.execPath(), { cwd: ROOT, args: ["info", "--json", ...args] }));
  const { denoDir } = await info() as { denoDir: string };
  const { modules } = await info("main.ts") as { modules: GraphModule[] };
  const beside = await Deno.makeTempDir({
    dir: await Deno.realPath(denoDir),
    prefix: "gum-build-",
  });
  try {
    const sources = modules.flatMap(({ local }) => local?.startsWith(`${ROOT}/`) ? local : []);
    for (const file of [...sources, `${ROOT}/deno.json`, `${ROOT}/deno.lock`]) {
      await copyNormalised(file, `${beside}/${file.slice(ROOT.length + 1)}`);
    }
    if (splitting) await shareStart(modules, beside);
    await run(Deno.execPath(), {
      cwd: beside,
      args: [
        "bundle",
        "-q",
        "--frozen",
        ...(splitting ? ["--code-splitting"] : []),
        "--minify",
        "--platform",
        "browser",
        "--outdir",
        chunks,
        "main.ts",
      ],
    });
  } finally {
    await removeFolder(beside);
  }
  await restoreNamedExports(chunks);
}

/** A module as `deno info` tells of it. */
interface GraphModule {
  specifier: string;
  local?: string;
  dependencies?: { specifier: string; code?: { specifier: string }; isDynamic?: boolean }[];
}

/** What every command loads first, what nearly every one loads next, and what loads alone. */
const STARTS = ["cli/start.ts", "lib/json/mod.ts"];
const ALONE = ["main.ts", "lib/version/mod.ts", "cli/root_help.generated.ts"];

/**
 * The bundler puts two modules into one chunk when the same lazy imports reach them. What a start
 * needs would lie in dozens of chunks, since some command reaches one part of it and another another.
 * Every lazy module is made to import all of it, which is loaded by then: so it is one chunk.
 */
async function shareStart(modules: readonly GraphModule[], beside: string): Promise<void> {
  const pathOf = (specifier: string) => specifier.replace(`file://${ROOT}/`, "");
  const imports = new Map(modules.map(({ specifier, dependencies = [] }) => [
    pathOf(specifier),
    dependencies.flatMap(({ code, isDynamic = false }) =>
      code === undefined ? [] : [{ path: pathOf(code.specifier), isDynamic }]
    ),
  ]));
  const started = new Set<string>();
  const visit = (path: string) => {
    if (started.has(path)) return;
    started.add(path);
    for (const { path: next, isDynamic } of imports.get(path) ?? []) if (!isDynamic) visit(next);
  };
  STARTS.forEach(visit);
  const lazy = new Set(
    [...imports.values()].flat().filter(({ isDynamic }) => isDynamic).map(({ path }) => path),
  );
  for (const path of lazy) {
    if (!path.endsWith(".ts") || path.includes("://")) continue;
    if (started.has(path) || ALONE.includes(path)) continue;
    const up = "../".repeat(path.split("/").length - 1) || "./";
    const imports = STARTS.map((start) => `import "${up}${start}";\n`).join("");
    const file = `${beside}/${path}`;
    await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}\n${imports}`);
  }
}

/**
 * A CommonJS package that is imported lazily becomes a chunk with a default export alone, while the
 * runtime gives such a package its names too. Whoever imports such a chunk gets the names back.
 */
async function restoreNamedExports(chunks: string): Promise<void> {
  const sources = new Map<string, string>();
  for await (const { name } of Deno.readDir(chunks)) {
    sources.set(name, await Deno.readTextFile(`${chunks}/${name}`));
  }
  const nameless = [...sources].flatMap(([name, source]) =>
    /\bexport default [\w$]+\(\);?\s*$/.test(source) ? [name] : []
  );
  for (const [name, source] of sources) {
    let restored = source;
    for (const chunk of nameless) {
      restored = restored.replaceAll(
        `import("./${chunk}")`,
        `import("./${chunk}").then(({default:all})=>({...all,default:all}))`,
      );
    }
    if (restored !== source) await Deno.writeTextFile(`${chunks}/${name}`, restored);
  }
}

/**
 * Writes what a release knows and a developer's build does not into the bundle, never into the
 * sources. Exactly one chunk holds each stamp.
 */
async function stamp(chunks: string, stamps: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(stamps)) {
    const mark = new RegExp(`gum-${name}:[a-z]+`);
    let stamped = 0;
    for await (const entry of Deno.readDir(chunks)) {
      const file = `${chunks}/${entry.name}`;
      const source = await Deno.readTextFile(file);
      if (!mark.test(source)) continue;
      await Deno.writeTextFile(file, source.replace(mark, `gum-${name}:${value}`));
      stamped++;
    }
    if (stamped !== 1) throw new Error(`${stamped} chunks hold the stamp ${name}, expected 1`);
  }
}

/** Copies a file or folder with the fixed time and mode; gives the bytes copied. */
async function copyNormalised(from: string, to: string): Promise<number> {
  const info = await Deno.stat(from);
  if (info.isFile) {
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(from, to);
    if (Deno.build.os !== "windows") await Deno.chmod(to, 0o644);
    await Deno.utime(to, RELEASE_TIME, RELEASE_TIME);
    return info.size;
  }
  let bytes = 0;
  for await (const { name } of Deno.readDir(from)) {
    bytes += await copyNormalised(`${from}/${name}`, `${to}/${name}`);
  }
  return bytes;
}

interface Compiler {
  path: string;
  /** Its bases lack what came with Deno 2.7. */
  olderBase: boolean;
}

async function findCompiler(): Promise<Compiler> {
  const path = Deno.env.get("GUM_COMPILER") ?? Deno.execPath();
  const { stdout } = await new Deno.Command(path, { args: ["--version"], stdin: "null" }).output();
  const [, major = "0", minor = "0"] = /^deno ([0-9]+)\.([0-9]+)/.exec(
    new TextDecoder().decode(stdout),
  ) ?? [];
  return { path, olderBase: Number(major) * 1000 + Number(minor) < 2007 };
}

/** One run of the compiler over a folder of staged files. */
export interface CompileStep {
  stage: string;
  target: Target;
  /** Where the executable goes. */
  path: string;
  /** Permission flags. */
  flags: readonly string[];
  /** The first module, and what else is embedded; from the stage. */
  entry: string;
  include: readonly string[];
}

/** Why the platform has no runtime base; undefined when the executable was made. */
export async function compileStaged(
  { stage, target, path, flags, entry, include }: CompileStep,
): Promise<string | undefined> {
  const compiler = await findCompiler();
  if (compiler.olderBase) await copyNormalised(OLDER_BASE, `${stage}/older_base.js`);
  const host = target.triple === hostTarget()?.triple;
  const base = await runtimeBase(target);
  // Without a base of our own the compiler downloads one; the host's must not serve another target.
  const { DENORT_BIN: _hostBase, ...inherited } = Deno.env.toObject();
  try {
    await run(compiler.path, {
      cwd: stage,
      env: base === undefined ? inherited : { ...inherited, DENORT_BIN: base },
      args: [
        "compile",
        "-q",
        "--no-config",
        "--no-lock",
        "--no-prompt",
        "--no-remote",
        "--unstable-worker-options",
        // On by itself in the pinned Deno; the base may be of an older one.
        "--unstable-temporal",
        ...(compiler.olderBase ? ["--preload", "./older_base.js"] : []),
        ...flags,
        ...(host ? [] : ["--target", target.triple]),
        ...include.flatMap((path) => ["--include", path]),
        "--output",
        path,
        entry,
      ],
    });
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const download =
      /error sending request for url \((\S+)\)|Failed downloading (\S+)|not found.*denort/
        .exec(why);
    if (download === null) throw error;
    return `${download[1] ?? download[2] ?? "the runtime base"} cannot be had`;
  }
}

/** A base laid down for the platform: `DENORT_BIN` for the machine's own, else from `GUM_BASES`. */
async function runtimeBase(target: Target): Promise<string | undefined> {
  const own = Deno.env.get("DENORT_BIN");
  if (own !== undefined && target.triple === hostTarget()?.triple) return own;
  const folder = Deno.env.get("GUM_BASES");
  if (folder === undefined) return undefined;
  const path = `${folder}/denort-${target.triple}`;
  return await Deno.stat(path).then(() => path, () => undefined);
}

async function run(
  command: string,
  options: { args: string[]; cwd: string; env?: Record<string, string> },
): Promise<string> {
  const { success, code, stdout, stderr } = await new Deno.Command(command, {
    args: options.args,
    cwd: options.cwd,
    clearEnv: options.env !== undefined,
    env: { ...options.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const said = new TextDecoder().decode(stderr).trim();
  throw new Error(`${command} ${options.args[0]} ended with ${code}: ${said}`);
}

async function removeFolder(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
