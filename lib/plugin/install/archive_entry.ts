/** What every archive reader agrees on: safe names, budgets, where entries go. */

import type { GumError } from "../../errors/mod.ts";
import { parentDir } from "../../files/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import { DEPTH_LIMIT, ENTRY_LIMIT, TREE_LIMIT } from "../limits.ts";
import { untrusted } from "../untrusted.ts";

/** Receives the entries of an archive and writes them below one directory. */
export interface EntrySink {
  directory(name: string): Promise<void>;
  file(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

/** A sink below `root`, which exists and is empty. */
export function entrySink(fs: PluginFileSystem, root: string): EntrySink {
  let entries = 0;
  let bytes = 0;
  const seen = new Set<string>();
  const made = new Set<string>();
  const enter = (name: string) => {
    const path = safeName(name);
    if (++entries > ENTRY_LIMIT) throw unsafeEntry(name, `more than ${ENTRY_LIMIT} entries`);
    return path;
  };
  const directory = async (path: string) => {
    if (path === "" || made.has(path)) return;
    if (seen.has(path)) throw unsafeEntry(path, "is a file and a directory");
    await directory(path.includes("/") ? parentDir(path) : "");
    await fs.makeDirectory(`${root}/${path}`, 0o700);
    made.add(path);
  };
  const created = async (path: string) => {
    try {
      return await fs.createFile(`${root}/${path}`, 0o600);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      // Another entry's name is the same one to this file system, which ignores case or accents.
      throw unsafeEntry(path, "is there twice");
    }
  };
  return {
    async directory(name) {
      const path = enter(name);
      await directory(path);
    },
    async file(name, pieces) {
      const path = enter(name);
      if (path === "" || seen.has(path) || made.has(path)) {
        throw unsafeEntry(name, "is there twice");
      }
      seen.add(path);
      await directory(path.includes("/") ? parentDir(path) : "");
      const target = await created(path);
      try {
        for await (const piece of pieces) {
          bytes += piece.length;
          if (bytes > TREE_LIMIT) throw unsafeEntry(name, "the archive unpacks to more than 1 GiB");
          await target.write(piece);
        }
      } finally {
        target.close();
      }
    },
  };
}

/** The relative path an entry may be written to. @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED` */
function safeName(name: string): string {
  // deno-lint-ignore no-control-regex -- a control character in a name is never meant
  if (/[\u0000-\u001f\u007f]/.test(name)) throw unsafeEntry(name, "holds a control character");
  if (name.includes("\\")) throw unsafeEntry(name, "holds a backslash");
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) throw unsafeEntry(name, "is absolute");
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw unsafeEntry(name, "leaves the archive");
  if (parts.length > DEPTH_LIMIT) throw unsafeEntry(name, "lies too deep");
  return parts.join("/");
}

/** The refusal of one entry. */
export function unsafeEntry(name: string, why: string): GumError {
  const shown = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return untrusted("unsafe_archive_entry", {
    message: `archive entry ${JSON.stringify(shown)}: ${why}`,
    details: { entry: shown },
    suggestion: "Ship plain files with relative names.",
  });
}

/** The refusal of an archive that cannot be read. */
export function unreadableArchive(why: string, cause?: unknown): GumError {
  return untrusted("archive_unreadable", {
    message: `the package archive cannot be read: ${why}`,
    cause,
  });
}
