/**
 * The file operations that change something during an installation, by construction: a test can
 * stop at any one of them and look at what a crash would leave.
 */

import { parentDir } from "../files/mod.ts";

/** A file being written. */
export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the content durable; throws what the system says. */
  sync(): Promise<void>;
  close(): void;
}

/** Every operation that changes a file system. */
export interface PluginFileSystem {
  /** Makes a directory and its missing parents. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Makes a file that does not exist yet. */
  createFile(path: string, mode: number): Promise<NewFile>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a directory with everything in it; an absent one is no error. */
  remove(path: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Makes renames below a directory durable; throws what the system says. */
  syncDirectory(path: string): Promise<void>;
}

/** The real one. */
export const realFileSystem: PluginFileSystem = {
  makeDirectory: (path, mode) => Deno.mkdir(path, { recursive: true, mode }),
  async createFile(path, mode) {
    const file = await Deno.open(path, { write: true, createNew: true, mode });
    return {
      async write(bytes) {
        for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  rename: (from, to) => Deno.rename(from, to),
  async remove(path) {
    try {
      await Deno.remove(path, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  },
  async chmod(path, mode) {
    if (Deno.build.os !== "windows") await Deno.chmod(path, mode);
  },
  async syncDirectory(path) {
    // Windows cannot open a directory.
    if (Deno.build.os === "windows") return;
    using directory = await Deno.open(path, { read: true });
    await directory.sync();
  },
};

/** Writes a whole new file. */
export async function writeNewFile(
  fs: PluginFileSystem,
  path: string,
  content: { bytes: Uint8Array; mode: number },
): Promise<void> {
  const file = await fs.createFile(path, content.mode);
  try {
    await file.write(content.bytes);
  } finally {
    file.close();
  }
}

/**
 * Puts a file in place whole or not at all. Not durable over a power cut by itself: what refers to
 * the file carries its digest.
 */
export async function replaceFile(
  fs: PluginFileSystem,
  path: string,
  content: { bytes: Uint8Array; mode: number },
): Promise<void> {
  const temporary = `${parentDir(path)}/.${crypto.getRandomValues(new Uint8Array(6)).toHex()}.tmp`;
  try {
    await writeNewFile(fs, temporary, content);
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.remove(temporary);
    throw error;
  }
}

/** Bytes of a file; undefined when there is none. */
export async function readIfPresent(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Bytes of a file that may be at most `limit` long, or why there are none. Only plain files are
 * opened: reading a pipe or a device may never end.
 */
export async function readBounded(
  path: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | "absent" | "not_a_file" | "too_large"> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) return "not_a_file";
    if (size > limit) return "too_large";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return "absent";
    }
    throw error;
  }
  const bytes = await readIfPresent(path) ?? "absent";
  return typeof bytes !== "string" && bytes.length > limit ? "too_large" : bytes;
}
