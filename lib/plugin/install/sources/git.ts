/** A package from a git repository at one commit (spec 06 §3.5). */

import { findProgram } from "../../../programs/mod.ts";
import { runProgram } from "../../program.ts";
import { invalidManifest } from "../../manifest/refusals.ts";
import { untrusted } from "../../untrusted.ts";
import type { AcquiredPackage, PackageRequest, SourceParts } from "./types.ts";

const COMMIT = /^[0-9a-f]{40}$/;

/** Fetches one commit, checks that it is the one, and drops the repository around it. */
export async function acquireGit(
  request: PackageRequest,
  parts: SourceParts,
): Promise<AcquiredPackage> {
  const { repository, ref, subdir } = request.loaded.manifest.package;
  const scheme = repositoryScheme(repository, request);
  const pinned = COMMIT.test(ref);
  if (!pinned && !request.isDev) {
    throw untrusted("unpinned_ref", {
      message: `the git ref ${JSON.stringify(ref)} is not a full commit id`,
      details: { ref },
      suggestion: "Name the commit by its 40 hex digits.",
    });
  }
  if (!pinned && !/^[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}$/.test(ref)) {
    throw invalidManifest("/package/ref", "is not a plain ref");
  }
  const program = await findProgram("git", parts.environment);
  if (program === undefined) {
    throw untrusted("git_not_found", {
      message: "git is not on the search path",
      suggestion: "Install git, or use a released archive of the plugin.",
    });
  }
  const checkout = `${request.staging}/checkout`;
  await parts.fs.makeDirectory(checkout, 0o700);
  const git = gitIn(checkout, { program, scheme, request, parts });
  await git(["init", "--quiet"]);
  await git(["fetch", "--quiet", "--depth=1", "--no-tags", repository, ref]);
  await git(["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
  const head = (await git(["rev-parse", "HEAD"])).trim();
  if (pinned && head !== ref) {
    throw untrusted("head_mismatch", {
      message: `the repository answered with commit ${head}, not ${ref}`,
      details: { expected: ref, actual: head },
    });
  }
  await parts.fs.remove(`${checkout}/.git`);
  const tree = subdir === "" ? checkout : `${checkout}/${subdir}`;
  if (subdir !== "" && !await isInside(tree, checkout)) {
    throw untrusted("outside_install_root", {
      message: "the package's subdir is not a directory of the repository",
      details: { subdir },
    });
  }
  return { tree, ref: head, checksum: undefined, untrusted: !pinned };
}

function repositoryScheme(
  repository: string,
  { isDev }: PackageRequest,
): "https" | "file" {
  const url = URL.canParse(repository) ? new URL(repository) : undefined;
  if (url?.protocol === "https:" && url.username === "" && url.password === "") return "https";
  // A repository of this machine is for trying a plugin out while it is being written.
  if (url?.protocol === "file:" && isDev) return "file";
  throw invalidManifest("/package/repository", "must be an https address without credentials");
}

function gitIn(
  cwd: string,
  { program, scheme, request, parts }: {
    program: string;
    scheme: "https" | "file";
    request: PackageRequest;
    parts: SourceParts;
  },
): (args: readonly string[]) => Promise<string> {
  const options = ["protocol.allow=never", `protocol.${scheme}.allow=always`]
    .concat("core.hooksPath=/dev/null", "submodule.recurse=false", "advice.detachedHead=false")
    .flatMap((option) => ["-c", option]);
  const env = {
    PATH: parts.environment.text("PATH") ?? "",
    // An empty home: no credential helper, no configuration of the user.
    HOME: request.staging,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return async (args) => {
    const result = await runProgram({
      command: program,
      args: [...options, ...args],
      cwd,
      env,
      signal: request.signal,
    });
    if (result.started && result.code === 0) return result.stdout;
    const why = result.started
      ? `exit code ${result.code}: ${result.stderr.trim().slice(0, 300)}`
      : `it could not be started (${result.reason})`;
    throw untrusted("git_failed", {
      message: `git ${args[0] ?? ""} failed: ${why}`,
      suggestion: "Check the repository's address and that it has the commit.",
    });
  };
}

async function isInside(path: string, root: string): Promise<boolean> {
  try {
    const real = await Deno.realPath(path);
    return real.startsWith(await Deno.realPath(root) + "/") && (await Deno.stat(real)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
