/** Is the program still the one that was installed? Asked before every spawn (spec 06 §3.6). */

import type { Environment } from "../../config/environment.ts";
import { fileSignature } from "../../files/mod.ts";
import { bareDigest, fileSha256, treeEntries, type TreeEntry, treeSha256 } from "../digest.ts";
import { MANIFEST_FILE_NAMES } from "../manifest/mod.ts";
import type { DeclaredCapabilities, LockRow } from "../types.ts";
import { untrusted } from "../untrusted.ts";
import { baseNameProblem } from "./command_selector.ts";
import { denoVersion } from "./deno_runtime.ts";

/** Below this size everything is hashed again at every spawn. */
const ALWAYS_HASHED = 64 * 1024 * 1024;

interface Fingerprint {
  key: string;
  digest: string;
}

const remembered = new Map<string, Fingerprint>();

/** A file's digest, not computed again for a file that did not change since this process saw it. */
async function rememberedDigest(path: string, info: Deno.FileInfo): Promise<string> {
  const key = fileSignature(info);
  const known = remembered.get(path);
  if (known?.key === key) return known.digest;
  const digest = await fileSha256(path);
  remembered.set(path, { key, digest });
  return digest;
}

/**
 * Checks a plugin's executable, manifest and whole tree against what its installation recorded.
 * The verdict is never remembered.
 *
 * @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED`
 */
export async function verifyBinding(
  row: LockRow,
  options: { environment: Environment; signal: AbortSignal },
): Promise<void> {
  const { executable } = row;
  const fail = refusals(row.name);
  if (!isComplete(row)) throw fail("binding_incomplete", "the record of its program is incomplete");
  const { executable_path: path, install_root: root } = executable;
  const script = row.shape === "deno-script";
  if (script) await verifyRuntime(row, options);
  else {
    const problem = executable.dev_unverified === true ? undefined : baseNameProblem(path);
    if (problem !== undefined) throw fail(problem, "its program is an interpreter or a wrapper");
    if (executable.dev_unverified !== true) await requireInside(path, { root, fail });
    await requireDigest(path, {
      wanted: executable.executable_sha256,
      fail: () => fail("digest_mismatch", "its program was changed after the installation"),
    });
  }
  if (script) {
    const entry = executable.entry_path ?? "";
    await requireInside(entry, { root, fail });
    await requireDigest(entry, {
      wanted: executable.entry_sha256 ?? "",
      fail: () => fail("digest_mismatch", "its module was changed after the installation"),
    });
  }
  if (bareDigest(row.executable_sha256) !== bareDigest(executable.executable_sha256)) {
    throw fail("digest_mismatch", "its record holds two different digests");
  }
  await verifyManifest(row, fail);
  await verifyTree(row, fail);
}

type Refusal = ReturnType<typeof refusals>;

function refusals(name: string) {
  return (reason: Parameters<typeof untrusted>[0], why: string) =>
    untrusted(reason, {
      message: `plugin ${name} is not started: ${why}`,
      details: { plugin_name: name },
      suggestion: `Install the plugin again, then run \`gum plugin reload ${name}\`.`,
    });
}

/** Rows come from disk, so any part may be missing; every part is used before or after a spawn. */
function isComplete({ executable, manifest_sha256, tree_sha256, shape, ...row }: LockRow): boolean {
  const { net_hosts: hosts, env_allow: names, fs_write_dir: dir }: Partial<DeclaredCapabilities> =
    row.declared_capabilities ?? {};
  if (!Array.isArray(hosts) || !Array.isArray(names) || typeof dir !== "string") return false;
  const texts: unknown[] = [
    row.executable_sha256,
    row.package?.source,
    executable?.executable_path,
    executable?.executable_sha256,
    executable?.install_root,
    manifest_sha256,
    tree_sha256,
    ...(shape === "deno-script" ? [executable?.entry_path, executable?.entry_sha256] : []),
  ];
  return texts.every((text) => typeof text === "string" && text !== "") &&
    isAbsolute(executable.executable_path) && isAbsolute(executable.install_root) &&
    Array.isArray(executable.argv_normalized) &&
    executable.argv_normalized[0] === executable.executable_path;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
}

async function requireInside(
  path: string,
  { root, fail }: { root: string; fail: Refusal },
): Promise<void> {
  try {
    const [real, realRoot] = [await Deno.realPath(path), await Deno.realPath(root)];
    const separator = Deno.build.os === "windows" ? "\\" : "/";
    if (real.startsWith(realRoot + separator)) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw fail("outside_install_root", "its program is not inside its installation");
}

async function requireDigest(
  path: string,
  { wanted, fail }: { wanted: string; fail: () => Error },
): Promise<void> {
  try {
    if (await fileSha256(path) === bareDigest(wanted)) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw fail();
}

/** A large runtime is hashed again only when it changed: its digest guards an upgrade, not a plugin. */
async function verifyRuntime(
  row: LockRow,
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<void> {
  const { executable_path: path, executable_sha256: wanted, runtime_version: pinned } =
    row.executable;
  let found: string | undefined;
  try {
    found = await rememberedDigest(path, await Deno.stat(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (found === bareDigest(wanted)) return;
  const version = found === undefined
    ? undefined
    : await denoVersion(path, { environment, signal });
  throw untrusted("runtime_changed", {
    message: found === undefined
      ? `the Deno runtime of plugin ${row.name} is gone: ${path}`
      : `the Deno runtime of plugin ${row.name} changed from ${pinned ?? "an unknown version"} ` +
        `to ${version ?? "something that is not Deno"}`,
    details: {
      plugin_name: row.name,
      pinned_version: pinned ?? null,
      found_version: version ?? null,
    },
    suggestion: `Run \`gum plugin reload ${row.name} --accept-runtime\` to use the new one.`,
  });
}

async function verifyManifest(row: LockRow, fail: Refusal): Promise<void> {
  const root = row.executable.install_root;
  for (const fileName of MANIFEST_FILE_NAMES) {
    try {
      const digest = await fileSha256(`${root}/${fileName}`);
      if (digest === bareDigest(row.manifest_sha256)) return;
      break;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw fail("manifest_digest_mismatch", "its manifest was changed after the installation");
}

async function verifyTree(row: LockRow, fail: Refusal): Promise<void> {
  const root = row.executable.install_root;
  let entries: readonly TreeEntry[];
  try {
    entries = await treeEntries(root);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw fail("tree_digest_mismatch", "its installation is gone");
  }
  const large = entries.reduce((sum, { size }) => sum + size, 0) > ALWAYS_HASHED;
  const digest = await treeSha256(root, {
    entries,
    ...(large ? { fileDigest: (path, entry) => rememberedDigest(path, entry.info) } : {}),
  });
  if (digest !== bareDigest(row.tree_sha256)) {
    throw fail("tree_digest_mismatch", "a file of it was changed after the installation");
  }
}
