/**
 * `deno task compile [--target T]… [--artifact A]… [--version V] [--out DIR]`: builds `dist/gum` and
 * `dist/gum-sandboxed` for this machine, or for other platforms (`--target all`: every one).
 *
 * Environment: `DENORT_BIN` names a runtime base for this machine where the compiler cannot download
 * its own, `GUM_BASES` a folder of them for other platforms (`denort-<triple>`), and `GUM_COMPILER`
 * the Deno of the bases' version.
 *
 * Exit codes: 0 built, 1 failed, 2 bad arguments, 3 a platform has no runtime base.
 */

import { ARTIFACTS, build, type BuildPlan, hostTarget, TARGETS } from "../release/mod.ts";

/** Reads the command line. @throws Error naming the argument that is not understood. */
export function parsePlan(argv: readonly string[]): BuildPlan {
  const values = new Map<string, string[]>();
  for (let index = 0; index < argv.length; index += 2) {
    const [flag = "", value] = [argv[index], argv[index + 1]];
    if (!/^--(target|artifact|version|out|repository)$/.test(flag) || value === undefined) {
      throw new Error(`not understood: ${flag}`);
    }
    values.set(flag, [...values.get(flag) ?? [], value]);
  }
  const wanted = values.get("--target") ?? [hostTarget()?.triple ?? "none for this machine"];
  const artifacts = values.get("--artifact") ?? ["all"];
  const version = values.get("--version")?.at(-1);
  if (version !== undefined && !/^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Error(`--version must be a semantic version, not "${version}"`);
  }
  const repository = values.get("--repository")?.at(-1);
  if (repository !== undefined && !/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new Error(`--repository must be owner/name, not "${repository}"`);
  }
  return {
    targets: pick(TARGETS, wanted, ({ triple }) => triple),
    artifacts: pick(ARTIFACTS, artifacts, ({ name }) => name),
    out: values.get("--out")?.at(-1) ?? "dist",
    version,
    repository,
  };
}

function pick<T>(all: readonly T[], names: readonly string[], nameOf: (one: T) => string): T[] {
  if (names.includes("all")) return [...all];
  return names.map((name) => {
    const found = all.find((one) => nameOf(one) === name);
    if (found === undefined) {
      throw new Error(`unknown: ${name}; there are ${all.map(nameOf).join(", ")}`);
    }
    return found;
  });
}

async function main(): Promise<number> {
  let plan: BuildPlan;
  try {
    plan = parsePlan(Deno.args);
  } catch (error) {
    console.error(`compile: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const { built, missing, bundleBytes, assetBytes } = await build(plan);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`bundle ${megabytes(bundleBytes)}, shipped files ${megabytes(assetBytes)}`);
  for (const { path, bytes, sha256 } of built) {
    console.log(`${path}: ${megabytes(bytes)} sha256 ${sha256}`);
  }
  for (const { target, why } of missing) {
    console.error(`compile: no runtime base for ${target.triple}: ${why}`);
  }
  return missing.length > 0 ? 3 : 0;
}

if (import.meta.main) {
  try {
    Deno.exit(await main());
  } catch (error) {
    console.error(`compile: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(1);
  }
}
