/** Installing GUM into agent clients: what would change, then the change (spec 08 §4.9). */

import { installedSkillFiles } from "../skills/mod.ts";
import {
  type AgentTarget,
  clientFile,
  type InstallScope,
  type Places,
  serverFiles,
  skillsRoot,
} from "./clients.ts";
import { checkTarget, writeChecked } from "./guarded_write.ts";
import { patchFile, type PatchOutcome, readTextIfPresent } from "./patch_file.ts";
import {
  exactOriginal,
  type FileChange,
  forgetChange,
  recordedChanges,
  rememberChange,
} from "./restore.ts";
import { entryText, hasServer, withServer } from "./server_entry.ts";
import { textBefore } from "./take_back.ts";

/** A part of an installation. */
export type AgentFeature = "skills" | "mcp";

/** What to install, and where. */
export interface InstallRequest {
  targets: readonly AgentTarget[];
  scope: InstallScope;
  features: readonly AgentFeature[];
  /** More arguments for the server. */
  extra: readonly string[];
  /** Write skill files that are there already; take out what was there before, too. */
  force: boolean;
  places: Places;
  /** Where to remember what was changed. */
  recordDirectory: string;
  lockWaitMs?: number;
  signal?: AbortSignal;
}

/** What becomes of one file. */
export type ActionStatus =
  | "would_write"
  | "wrote"
  | "would_remove"
  | "removed"
  | "restored"
  | "skipped";

/** One file of a plan. */
export interface AgentAction {
  /** The target, or several with commas between them. */
  target: string;
  kind: AgentFeature;
  path: string;
  status: ActionStatus;
}

/** An action with the texts behind it. */
export interface PlannedAction extends AgentAction {
  before: string | undefined;
  after: string | undefined;
}

/** Looks at every file and says what would happen; writes nothing. */
export async function planInstall(request: InstallRequest): Promise<PlannedAction[]> {
  const actions = new Map<string, PlannedAction>();
  const base = request.scope === "user" ? request.places.home : request.places.project;
  for (const target of [...request.targets].sort()) {
    const root = request.features.includes("skills") ? skillsRoot(target, request) : undefined;
    if (root !== undefined) {
      for (const file of await installedSkillFiles()) {
        const path = `${root}/${file.path}`;
        const known = actions.get(path);
        if (known !== undefined) {
          known.target += `,${target}`;
          continue;
        }
        const exists = await checkTarget(path, base);
        const before = exists ? await readTextIfPresent(path) : undefined;
        const status = exists && !request.force ? "skipped" : "would_write";
        actions.set(path, { target, kind: "skills", path, status, before, after: file.text });
      }
    }
    const path = request.features.includes("mcp") ? clientFile(target, request) : undefined;
    if (path !== undefined) {
      await checkTarget(path, base);
      const before = await readTextIfPresent(path);
      const after = await inFile(path, () => withServer(before, { target, extra: request.extra }));
      actions.set(path, { target, kind: "mcp", path, status: "would_write", before, after });
    }
  }
  return [...actions.values()].sort((left, right) => left.path < right.path ? -1 : 1);
}

/** Carries a plan out; client files are read and merged again under their locks. */
export async function applyInstall(
  plan: readonly PlannedAction[],
  request: InstallRequest,
): Promise<PlannedAction[]> {
  const done: PlannedAction[] = [];
  for (const action of plan) {
    if (action.status === "skipped") done.push(action);
    else if (action.kind === "skills") {
      const { path, before, after = "" } = action;
      // Noted before it is done: whoever is killed in between has lost nothing.
      if (after !== before) {
        await rememberChange(request.recordDirectory, { path, before, after });
      }
      await writeChecked(path, after);
      done.push({ ...action, status: "wrote" });
    } else {
      const target = action.target as AgentTarget;
      const { before, after } = await patchClientFile(action.path, {
        target,
        merge: (text) => withServer(text, { target, extra: request.extra }),
        recordDirectory: request.recordDirectory,
        lockWaitMs: request.lockWaitMs,
        signal: request.signal,
      });
      done.push({ ...action, status: "wrote", before, after });
    }
  }
  return done;
}

/**
 * Merges GUM's server into a client's file under its lock. The change is noted in the record
 * first, under the same lock, so that it can be taken back whatever happens next.
 */
export async function patchClientFile(
  path: string,
  change: {
    target: AgentTarget;
    merge: (before: string | undefined) => string;
    recordDirectory: string;
    lockWaitMs?: number;
    signal?: AbortSignal;
  },
): Promise<PatchOutcome> {
  const { target, merge, recordDirectory } = change;
  return await patchFile(path, (before) =>
    inFile(path, async () => {
      const after = merge(before);
      if (after !== before) {
        await rememberChange(recordDirectory, { path, before, after }, {
          entry: before === undefined ? undefined : entryText(before, target),
          undo: (text, earlier) => textBefore(text, { target, change: earlier }),
        });
      } else await noteOwnEntry(path, { text: after, target, recordDirectory });
      return after;
    }), change);
}

/**
 * Notes that an entry just like GUM's stood in a file before GUM came: it is somebody's own, and
 * stays when GUM is taken out.
 */
export async function noteOwnEntry(
  path: string,
  found: { text: string; target: AgentTarget; recordDirectory: string },
): Promise<void> {
  const { text, target, recordDirectory } = found;
  const entry = entryText(text, target);
  if (entry === undefined || (await recordedChanges(recordDirectory)).has(path)) return;
  await rememberChange(recordDirectory, { path, before: text, after: text }, { entry });
}

/** What taking GUM out again would do. */
export async function planUninstall(request: InstallRequest): Promise<PlannedAction[]> {
  const changes = await recordedChanges(request.recordDirectory);
  const actions = new Map<string, PlannedAction>();
  for (const target of [...request.targets].sort()) {
    const root = request.features.includes("skills") ? skillsRoot(target, request) : undefined;
    for (const file of root === undefined ? [] : await installedSkillFiles()) {
      const path = `${root}/${file.path}`;
      const known = actions.get(path);
      if (known !== undefined) {
        known.target += `,${target}`;
        continue;
      }
      const before = await readTextIfPresent(path);
      if (before === undefined) continue;
      const original = await skillBefore(before, { ours: file.text, change: changes.get(path) });
      // A file that was edited since is the person's own.
      const status = original !== undefined || request.force ? "would_remove" : "skipped";
      const after = original === "removed" ? undefined : original;
      actions.set(path, { target, kind: "skills", path, status, before, after });
    }
    for (const path of request.features.includes("mcp") ? serverFiles(target, request) : []) {
      const before = await readTextIfPresent(path);
      if (before === undefined) continue;
      const change = request.force ? undefined : changes.get(path);
      const original = await inFile(path, () => textBefore(before, { target, change }));
      const after = original === "removed" ? undefined : original;
      if (original === before) {
        // What was there before the installation stays, and is named, for it still starts gum.
        if (change !== undefined && hasServer(before, target)) {
          actions.set(path, { target, kind: "mcp", path, status: "skipped", before, after });
        }
        continue;
      }
      actions.set(path, { target, kind: "mcp", path, status: "would_remove", before, after });
    }
  }
  return [...actions.values()].sort((left, right) => left.path < right.path ? -1 : 1);
}

/** Takes GUM out of the files of a plan. */
export async function applyUninstall(
  plan: readonly PlannedAction[],
  request: InstallRequest,
): Promise<PlannedAction[]> {
  const done: PlannedAction[] = [];
  for (const action of plan) {
    const { path } = action;
    if (action.status === "skipped") done.push(action);
    else if (action.kind === "skills") {
      if (action.after === undefined) {
        await Deno.remove(path);
        await removeEmptyParents(path);
      } else await writeChecked(path, action.after);
      await forgetChange(request.recordDirectory, path);
      done.push({ ...action, status: action.after === undefined ? "removed" : "restored" });
    } else {
      const target = action.target as AgentTarget;
      let left: string | undefined;
      const outcome = await patchFile(path, (text) =>
        inFile(path, async () => {
          if (text === undefined) return undefined;
          const change = request.force
            ? undefined
            : (await recordedChanges(request.recordDirectory)).get(path);
          const original = await textBefore(text, { target, change });
          return left = original === "removed" ? undefined : original;
        }), {
        lockWaitMs: request.lockWaitMs,
        signal: request.signal,
        finish: async () => {
          const { recordDirectory } = request;
          await forgetChange(recordDirectory, path);
          // Somebody's own entry is back in its place: taking gum out once more leaves it there.
          if (left !== undefined && hasServer(left, target)) {
            await noteOwnEntry(path, { text: left, target, recordDirectory });
          }
        },
      });
      done.push({ ...action, status: "restored", before: outcome.before, after: outcome.after });
    }
  }
  return done;
}

/**
 * What a skill file was before it was installed, also by an older GUM with another text; undefined
 * when somebody edited it since.
 */
async function skillBefore(
  text: string,
  known: { ours: string; change: FileChange | undefined },
): Promise<string | "removed" | undefined> {
  const original = known.change === undefined ? undefined : await exactOriginal(text, known.change);
  return original ?? (text === known.ours ? "removed" : undefined);
}

async function removeEmptyParents(path: string): Promise<void> {
  // SKILL.md and agents/openai.yaml: at most the folder of the skill and the one inside it.
  let folder = path;
  for (let step = 0; step < 2; step++) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
    if (!/\/(gum|gum-mcp|agents)$/.test(folder)) return;
    for await (const _entry of Deno.readDir(folder)) return;
    await Deno.remove(folder);
  }
}

async function inFile<T>(path: string, merge: () => T | Promise<T>): Promise<T> {
  try {
    return await merge();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: ${why}; nothing was changed`, { cause: error });
  }
}
