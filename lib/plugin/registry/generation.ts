/** Which generation of the registry counts, from whatever a crash left (spec 06 §3.8). */

import { isGumError } from "../../errors/mod.ts";
import type { PluginPaths, RegistryStamp } from "../types.ts";
import {
  emptyMember,
  finalPath,
  MalformedRegistryFile,
  parseRegistryFile,
  REGISTRY_FILE_LIMIT,
  REGISTRY_KINDS,
  type RegistryKind,
  type RegistryMember,
  sameStamp,
} from "./files.ts";

/** A registry file with its place. */
export interface FoundMember extends RegistryMember {
  path: string;
  staged: boolean;
}

/** Everything of the registry that is on disk. */
export interface FoundFiles {
  finals: Partial<Record<RegistryKind, FoundMember>>;
  staged: FoundMember[];
  /** Staged files that make no sense. */
  unreadable: string[];
  /** Finals that make no sense. */
  malformed: RegistryKind[];
}

/** What counts. */
export interface SelectedGeneration extends RegistryStamp {
  ok: boolean;
  members: Record<RegistryKind, RegistryMember>;
  /** Staged files that finish a publish which had begun. */
  finish: FoundMember[];
  /** Staged files of publishes that never happened. */
  orphans: string[];
}

/** Reads a file whole; undefined when it is absent. Registry files are small. */
function readSync(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** How files are judged while they are read. */
export interface ReadRules {
  /** A file without a version counts as version 1 (read-only surfaces). */
  acceptUnversioned?: boolean;
  /** An unsupported or unreadable file counts as malformed instead of failing. */
  lenient?: (path: string, error: unknown) => void;
}

/** Reads the three published files. @throws GumError `PLUGIN_…_SCHEMA_UNSUPPORTED` */
export function readFinals(paths: PluginPaths, rules: ReadRules = {}): FoundFiles {
  const found: FoundFiles = { finals: {}, staged: [], unreadable: [], malformed: [] };
  for (const kind of REGISTRY_KINDS) {
    const path = finalPath(paths, kind);
    try {
      const bytes = readSync(path);
      if (bytes === undefined) continue;
      const member = parseRegistryFile(kind, bytes, { path, ...rules });
      found.finals[kind] = { ...member, path, staged: false };
    } catch (error) {
      if (rules.lenient !== undefined) rules.lenient(path, error);
      else if (!(error instanceof MalformedRegistryFile)) throw error;
      found.malformed.push(kind);
    }
  }
  return found;
}

/** Adds what transactions left staged beside the finals. */
export function withStaged(found: FoundFiles, paths: PluginPaths): FoundFiles {
  const staged: FoundMember[] = [];
  const unreadable: string[] = [];
  for (const { kind, path } of stagedPaths(paths)) {
    try {
      if (Deno.statSync(path).size > REGISTRY_FILE_LIMIT) {
        unreadable.push(path);
        continue;
      }
      const bytes = readSync(path);
      if (bytes === undefined) continue;
      staged.push({ ...parseRegistryFile(kind, bytes, { path }), path, staged: true });
    } catch (error) {
      // A half-written file is what a crash leaves; one of another version is not ours to judge.
      const harmless = error instanceof MalformedRegistryFile || isGumError(error);
      if (!harmless && !(error instanceof Deno.errors.NotFound)) throw error;
      unreadable.push(path);
    }
  }
  return { ...found, staged, unreadable };
}

function stagedPaths(paths: PluginPaths): { kind: RegistryKind; path: string }[] {
  const found: { kind: RegistryKind; path: string }[] = [];
  let names: string[];
  try {
    names = [...Deno.readDirSync(paths.profileDir)].map((entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  for (const kind of REGISTRY_KINDS) {
    const prefix = `${finalPath(paths, kind).slice(paths.profileDir.length + 1)}.tmp.`;
    for (const name of names) {
      if (name.startsWith(prefix)) found.push({ kind, path: `${paths.profileDir}/${name}` });
    }
  }
  return found;
}

/** True when the published files belong together as they are, staged ones aside. */
export function finalsAgree(found: FoundFiles): boolean {
  if (found.malformed.length > 0) return false;
  const { catalog, lock, state } = found.finals;
  if (catalog === undefined && lock === undefined && state === undefined) return true;
  if (catalog === undefined || lock === undefined || state === undefined) return false;
  const paired = sameStamp(lock.stamp, state.stamp) ||
    (lock.stamp === undefined && state.stamp === undefined);
  // A catalog without a pair is older than the pair; one with another pair is a tear.
  return paired && (catalog.stamp === undefined || sameStamp(catalog.stamp, lock.stamp));
}

/** Chooses the generation that counts. Writes nothing. */
export function selectGeneration(found: FoundFiles): SelectedGeneration {
  const leftovers = [...found.staged.map(({ path }) => path), ...found.unreadable];
  if (finalsAgree(found)) {
    return {
      ...stampOrZero(found.finals.lock?.stamp),
      ok: true,
      members: membersOf(found.finals),
      finish: [],
      orphans: leftovers,
    };
  }
  const best = completeGroup(found);
  if (best === undefined) {
    const stamps = REGISTRY_KINDS.map((kind) => found.finals[kind]?.stamp);
    const highest = stamps.reduce<RegistryStamp>(
      (top, stamp) =>
        stamp !== undefined && stamp.install_generation > top.install_generation ? stamp : top,
      stampOrZero(undefined),
    );
    return {
      ...stampOrZero(highest),
      ok: false,
      members: membersOf(found.finals),
      finish: [],
      orphans: leftovers,
    };
  }
  const chosen = REGISTRY_KINDS.map((kind) => best[kind]);
  const finish = chosen.filter((member) => member.staged);
  return {
    ...stampOrZero(best.lock.stamp),
    ok: true,
    members: best,
    finish,
    orphans: leftovers.filter((path) => !finish.some((member) => member.path === path)),
  };
}

function completeGroup(found: FoundFiles): Record<RegistryKind, FoundMember> | undefined {
  const groups = new Map<string, Partial<Record<RegistryKind, FoundMember>>>();
  // Finals come last, so that they win over a staged copy of the same publish.
  const finals = REGISTRY_KINDS.flatMap((kind) => found.finals[kind] ?? []);
  for (const member of [...found.staged, ...finals]) {
    if (member.stamp === undefined) continue;
    const key = JSON.stringify([member.stamp.install_generation, member.stamp.install_txid]);
    const group = groups.get(key) ?? {};
    group[member.kind] = member;
    groups.set(key, group);
  }
  let best: Record<RegistryKind, FoundMember> | undefined;
  for (const { catalog, lock, state } of groups.values()) {
    if (catalog === undefined || lock === undefined || state === undefined) continue;
    const generation = lock.stamp?.install_generation ?? 0;
    if (generation > (best?.lock.stamp?.install_generation ?? -1)) best = { catalog, lock, state };
  }
  return best;
}

function membersOf(
  finals: FoundFiles["finals"],
): Record<RegistryKind, RegistryMember> {
  return {
    catalog: finals.catalog ?? emptyMember("catalog"),
    lock: finals.lock ?? emptyMember("lock"),
    state: finals.state ?? emptyMember("state"),
  };
}

function stampOrZero(stamp: RegistryStamp | undefined): RegistryStamp {
  return {
    install_generation: stamp?.install_generation ?? 0,
    install_txid: stamp?.install_txid ?? "",
  };
}
