/** Digests of files and of whole install roots (spec 06 §3.6). */

import { sha256Hex } from "../digest/mod.ts";

const CHUNK = 256 * 1024;

/** Lowercase hex SHA-256 of a file, read in pieces. */
export async function fileSha256(path: string): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const { size } = await file.stat();
  // Web Crypto has no incremental digest; the streaming one of Node is worth loading for big files.
  if (size <= CHUNK) return await sha256Hex(await readAll(file, size));
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const buffer = new Uint8Array(CHUNK);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    hash.update(buffer.subarray(0, count));
  }
  return hash.digest("hex");
}

async function readAll(file: Deno.FsFile, sizeHint: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(sizeHint + 1);
  let filled = 0;
  for (;;) {
    if (filled === bytes.length) {
      const larger = new Uint8Array(bytes.length * 2);
      larger.set(bytes);
      bytes = larger;
    }
    const count = await file.read(bytes.subarray(filled));
    if (count === null) return bytes.subarray(0, filled);
    filled += count;
  }
}

/** A hex digest without its optional `sha256:` prefix, in lowercase. */
export function bareDigest(text: string): string {
  return text.replace(/^sha256:/i, "").toLowerCase();
}

/** One file of a tree. */
export interface TreeEntry {
  /** Relative, with `/` between parts. */
  path: string;
  kind: "file" | "symlink" | "special";
  size: number;
  /** Permission bits in octal, e.g. `644`; `120000` for a link. */
  mode: string;
  info: Deno.FileInfo;
}

/** Every file, link and special file below `root`, sorted by path; directories are walked. */
export async function treeEntries(root: string): Promise<TreeEntry[]> {
  const found: TreeEntry[] = [];
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(`${root}/${folder}`)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory) await walk(path);
      else found.push(treeEntry(path, await Deno.lstat(`${root}/${path}`)));
    }
  };
  await walk("");
  return found.sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

function treeEntry(path: string, info: Deno.FileInfo): TreeEntry {
  const kind = info.isSymlink ? "symlink" : info.isFile ? "file" : "special";
  const mode = kind === "symlink" ? "120000" : ((info.mode ?? 0o644) & 0o7777).toString(8);
  return { path, kind, size: info.size, mode, info };
}

/** How a file's own digest is found; a caller may remember digests of unchanged files. */
export type FileDigest = (path: string, entry: TreeEntry) => Promise<string>;

/** SHA-256 over path, mode and digest of every file and link below `root`. */
export async function treeSha256(
  root: string,
  options: { fileDigest?: FileDigest; entries?: readonly TreeEntry[] } = {},
): Promise<string> {
  const digestOf = options.fileDigest ?? ((path) => fileSha256(path));
  const lines: string[] = [];
  for (const entry of options.entries ?? await treeEntries(root)) {
    const path = `${root}/${entry.path}`;
    const digest = entry.kind === "symlink"
      ? await sha256Hex(await Deno.readLink(path))
      : entry.kind === "special"
      // Opening a pipe waits for a writer; that it is there at all makes the tree another one.
      ? "special"
      : await digestOf(path, entry);
    lines.push(`${entry.path}\0${entry.mode}\0${digest}\n`);
  }
  return await sha256Hex(lines.join(""));
}
