/** The layers a profile name is looked up in (spec 03 §3.3). */

import { fileSignature } from "../files/mod.ts";
import { parseProfileText } from "./parse_file.ts";
import { problemError } from "./problems.ts";
import { declaredProblems } from "./semantics.ts";
import type { ProfileFile } from "./file_types.ts";
import type { Profile, ProfileSource } from "./types.ts";

/** One place that defines profiles and may bind them. */
export interface ProfileLayer {
  readonly source: ProfileSource;
  /**
   * The layer's own definition of a profile.
   *
   * @throws GumError `PROFILE_INVALID` when a file on the way cannot be read or is malformed.
   */
  find(name: string): Profile | undefined;
  /** The file that {@link find} takes a profile from; absent for layers that are no files. */
  pathOf?(name: string): string | undefined;
  /** Names the layer defines, in order of discovery. */
  names(): string[];
  /** Binding key to profile name and the file that says so. */
  bindings(): Map<string, BindingEntry>;
}

/** One line of a binding table. */
export interface BindingEntry {
  value: string;
  path: string;
  source: ProfileSource;
}

/** Reads and keeps parsed files between calls; a changed file is read again. */
export type ProfileFileReader = (path: string) => ProfileFile | undefined;

/** A layer over a fixed set of valid profiles, each as JSON text. */
export function embeddedLayer(texts: Readonly<Record<string, string>>): ProfileLayer {
  const parsed = new Map<string, Profile>();
  return {
    source: "catalog-embedded",
    find(name) {
      const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
      if (text === undefined) return undefined;
      let profile = parsed.get(name);
      if (profile === undefined) {
        profile = JSON.parse(text) as Profile;
        parsed.set(name, profile);
      }
      return profile;
    },
    names: () => Object.keys(texts),
    bindings: () => new Map(),
  };
}

/** A layer over profiles that are already parsed, such as those of active plugins. */
export function parsedLayer(
  source: ProfileSource,
  profiles: ReadonlyMap<string, Profile>,
): ProfileLayer {
  return {
    source,
    find: (name) => profiles.get(name),
    names: () => [...profiles.keys()],
    bindings: () => new Map(),
  };
}

/**
 * A layer over a directory of `*.toml` files, listed once; a directory that is not there has none.
 */
export function directoryLayer(
  directory: string,
  options: { source: ProfileSource; read: ProfileFileReader },
): ProfileLayer {
  const { source, read } = options;
  let listed: string[] | undefined;
  const fileNames = () => listed ??= tomlFiles(directory);
  const load = (fileName: string): { file: ProfileFile; path: string } | undefined => {
    const path = `${directory}/${fileName}`;
    const file = read(path);
    if (file === undefined) return undefined;
    for (const profile of file.profiles.values()) {
      const [problem] = declaredProblems(profile);
      if (problem !== undefined) throw problemError(problem, path);
    }
    return { file, path };
  };
  const locate = (name: string): { profile: Profile; path: string } | undefined => {
    const own = `${name}.toml`;
    const ordered = fileNames().includes(own) ? [own, ...fileNames()] : fileNames();
    for (const fileName of ordered) {
      const loaded = load(fileName);
      const profile = loaded?.file.profiles.get(name);
      if (loaded !== undefined && profile !== undefined) return { profile, path: loaded.path };
    }
    return undefined;
  };
  return {
    source,
    find: (name) => locate(name)?.profile,
    pathOf: (name) => locate(name)?.path,
    names() {
      const names = fileNames().flatMap((
        fileName,
      ) => [...load(fileName)?.file.profiles.keys() ?? []]);
      return [...new Set(names)];
    },
    bindings() {
      const table = new Map<string, BindingEntry>();
      for (const fileName of fileNames()) {
        const loaded = load(fileName);
        for (const [key, value] of loaded?.file.overrideBindings ?? []) {
          if (!table.has(key)) table.set(key, { value, path: loaded?.path ?? "", source });
        }
      }
      return table;
    },
  };
}

/** `*.toml` entries in byte order; none when the directory is not there. */
function tomlFiles(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)]
      .map((entry) => entry.name)
      .filter((name) => name.endsWith(".toml"))
      .sort(compareBytes);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw unreadable(directory, error);
  }
}

function compareBytes(a: string, b: string): number {
  const encoder = new TextEncoder();
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A reader that parses a file again only when its time or size changed. */
export function cachingFileReader(): ProfileFileReader {
  const cache = new Map<string, { signature: string; file: ProfileFile }>();
  return (path) => {
    let bytes: Uint8Array;
    let signature: string;
    try {
      signature = fileSignature(Deno.statSync(path));
      const known = cache.get(path);
      if (known?.signature === signature) return known.file;
      bytes = Deno.readFileSync(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw unreadable(path, error);
    }
    const file = parseProfileText(utf8Text(bytes, path), { path });
    cache.set(path, { signature, file });
    return file;
  };
}

/** TOML is UTF-8; a name with a character replaced would be another name. */
function utf8Text(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problemError({
      code: "PROFILE_INVALID",
      severity: "error",
      rule: "toml_syntax",
      message: "is not UTF-8 text",
    }, path);
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound;
}

function unreadable(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.name : "unknown";
  const problem = problemError({
    code: "PROFILE_INVALID",
    severity: "error",
    rule: "unreadable",
    message: `cannot be read (${reason})`,
  }, path);
  problem.cause = cause;
  return problem;
}
