/** Copying a package into its install root: plain files only, pinned modes (spec 06 §3.4, step 5). */

import type { GumError } from "../../errors/mod.ts";
import { parentDir } from "../../files/mod.ts";
import { type PluginFileSystem, writeNewFile } from "../file_system.ts";
import { DEPTH_LIMIT, ENTRY_LIMIT, MODES, TREE_LIMIT } from "../limits.ts";
import { untrusted } from "../untrusted.ts";

const CHUNK = 128 * 1024;

/** What to copy and how. */
export interface TreeCopy {
  from: string;
  to: string;
  /** Relative path of the file that may be executed; undefined: none. */
  executable: string | undefined;
  /** Relative path to content that takes the place of the tree's own file. */
  overlay: ReadonlyMap<string, Uint8Array>;
  signal: AbortSignal;
}

interface Budget {
  entries: number;
  bytes: number;
}

/**
 * Copies a tree. Links and special files are refused, never followed or skipped.
 *
 * @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED`
 */
export async function copyTree(fs: PluginFileSystem, copy: TreeCopy): Promise<void> {
  const budget: Budget = { entries: 0, bytes: 0 };
  await makeDirectory(fs, copy.to);
  await copyFolder(fs, copy, { folder: "", depth: 1, budget });
}

async function copyFolder(
  fs: PluginFileSystem,
  copy: TreeCopy,
  at: { folder: string; depth: number; budget: Budget },
): Promise<void> {
  if (at.depth > DEPTH_LIMIT) throw tooDeep();
  const names = [];
  const folder = at.folder === "" ? copy.from : `${copy.from}/${at.folder}`;
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  for (const name of names.sort()) {
    copy.signal.throwIfAborted();
    const path = at.folder === "" ? name : `${at.folder}/${name}`;
    // What a version-control checkout keeps for itself is no part of the package.
    if (path === ".git") continue;
    if (++at.budget.entries > ENTRY_LIMIT) throw tooMany();
    const info = await Deno.lstat(`${copy.from}/${path}`);
    if (info.isSymlink) throw refuse("symlink", path);
    if (copy.overlay.has(path)) {
      if (!info.isFile) throw refuse("special_file", path);
    } else if (info.isDirectory) {
      await makeDirectory(fs, `${copy.to}/${path}`);
      await copyFolder(fs, copy, { ...at, folder: path, depth: at.depth + 1 });
    } else if (info.isFile) {
      at.budget.bytes += await copyFile(fs, copy, { path, left: TREE_LIMIT - at.budget.bytes });
    } else throw refuse("special_file", path);
  }
}

async function copyFile(
  fs: PluginFileSystem,
  copy: TreeCopy,
  { path, left }: { path: string; left: number },
): Promise<number> {
  const { constants } = await import("node:fs");
  const { open } = await import("node:fs/promises");
  let source;
  try {
    // Between the look at the entry and this call it may have become a link.
    source = await open(`${copy.from}/${path}`, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") {
      throw refuse("symlink", path);
    }
    throw error;
  }
  try {
    const mode = path === copy.executable ? MODES.executable : MODES.file;
    const target = await fs.createFile(`${copy.to}/${path}`, mode);
    let copied = 0;
    try {
      const buffer = new Uint8Array(CHUNK);
      for (;;) {
        copy.signal.throwIfAborted();
        const { bytesRead } = await source.read(buffer, 0, CHUNK, null);
        if (bytesRead === 0) break;
        copied += bytesRead;
        if (copied > left) throw limit("larger than 1 GiB");
        await target.write(buffer.subarray(0, bytesRead));
      }
    } finally {
      target.close();
    }
    // The process may have a umask; the modes of an install root do not depend on it.
    await fs.chmod(`${copy.to}/${path}`, mode);
    return copied;
  } finally {
    await source.close();
  }
}

/** Writes the files that come from beside the manifest into the install root. */
export async function writeOverlay(
  fs: PluginFileSystem,
  to: string,
  overlay: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  for (const [path, bytes] of overlay) {
    const target = `${to}/${path}`;
    await makeDirectory(fs, parentDir(target));
    await writeNewFile(fs, target, { bytes, mode: MODES.file });
    await fs.chmod(target, MODES.file);
  }
}

async function makeDirectory(fs: PluginFileSystem, path: string): Promise<void> {
  await fs.makeDirectory(path, MODES.directory);
  await fs.chmod(path, MODES.directory);
}

/** Everything that would keep a directory from being copied, without copying it. */
export async function treeProblems(
  root: string,
  executable: string | undefined,
): Promise<GumError[]> {
  const found: GumError[] = [];
  const budget: Budget = { entries: 0, bytes: 0 };
  let isThere = false;
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > DEPTH_LIMIT) return void found.push(tooDeep());
    for await (const { name } of Deno.readDir(folder === "" ? root : `${root}/${folder}`)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (path === ".git") continue;
      if (++budget.entries > ENTRY_LIMIT) return;
      const info = await Deno.lstat(`${root}/${path}`);
      budget.bytes += info.size;
      if (info.isDirectory) await visit(path, depth + 1);
      else if (info.isSymlink) found.push(refuse("symlink", path));
      else if (!info.isFile) found.push(refuse("special_file", path));
      isThere ||= path === executable;
    }
  };
  await visit("", 1);
  if (budget.entries > ENTRY_LIMIT) found.push(tooMany());
  if (budget.bytes > TREE_LIMIT) found.push(limit("larger than 1 GiB"));
  if (executable !== undefined && !isThere) found.push(executableMissing(executable));
  return found;
}

/** The refusal of a package without the file that is to run. */
export function executableMissing(path: string): GumError {
  return untrusted("executable_missing", {
    message: "the package does not hold the executable that its manifest declares",
    details: { path },
    suggestion: "Correct executable in the manifest, or build the package first.",
  });
}

function tooDeep(): GumError {
  return limit(`more than ${DEPTH_LIMIT} directories inside each other`);
}

function tooMany(): GumError {
  return limit(`more than ${ENTRY_LIMIT} entries`);
}

function refuse(reason: "symlink" | "special_file", path: string) {
  return untrusted(reason, {
    message: reason === "symlink"
      ? `the package holds a symbolic link: ${path}`
      : `the package holds something that is no file: ${path}`,
    details: { path },
    suggestion: "Ship plain files only.",
  });
}

function limit(why: string) {
  return untrusted("tree_limit", { message: `the package is too large: ${why}` });
}
