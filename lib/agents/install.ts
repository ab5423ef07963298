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
import { patchFile, readTextIfPresent } from "./patch_file.ts";
import {
  changeOf,
  type FileChange,
  originalOf,
  recordedChanges,
  updateChanges,
} from "./restore.ts";
import { withoutServer, withServer } from "./server_entry.ts";
import { hasComments, JsoncError } from "./jsonc.ts";

/** A part of an installation. */
export type AgentFeature = "skills" | "mcp";

/** What to install, and where. */
export interface InstallRequest {
  targets: readonly AgentTarget[];
  scope: InstallScope;
  features: readonly AgentFeature[];
  /** More arguments for the server. */
  extra: readonly string[];
  /** Write skill files that are there already. */
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
      const after = inFile(path, () => withServer(before, { target, extra: request.extra }));
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
      await writeChecked(path, after);
      if (after !== before) {
        await rememberChange(request.recordDirectory, { path, before, after });
      }
      done.push({ ...action, status: "wrote" });
    } else {
      const { path } = action;
      const target = action.target as AgentTarget;
      const outcome = await patchFile(
        path,
        (before) => inFile(path, () => withServer(before, { target, extra: request.extra })),
        request,
      );
      const { before, after } = outcome;
      if (after !== undefined && after !== before) {
        // After each file, so that a failure at the next one forgets nothing.
        await rememberChange(request.recordDirectory, { path, before, after });
      }
      done.push({ ...action, status: "wrote", before, after });
    }
  }
  return done;
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
      const original = skillBefore(before, { ours: file.text, change: changes.get(path) });
      // A file that was edited since is the person's own.
      const status = original !== undefined || request.force ? "would_remove" : "skipped";
      const after = original === "removed" ? undefined : original;
      actions.set(path, { target, kind: "skills", path, status, before, after });
    }
    for (const path of request.features.includes("mcp") ? serverFiles(target, request) : []) {
      const before = await readTextIfPresent(path);
      if (before === undefined) continue;
      const after = inFile(path, () => textWithout(before, { target, change: changes.get(path) }));
      if (after === before) continue;
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
  const changes = await recordedChanges(request.recordDirectory);
  const done: PlannedAction[] = [];
  for (const action of plan) {
    const { path } = action;
    if (action.status === "skipped") done.push(action);
    else if (action.kind === "skills") {
      if (action.after === undefined) {
        await Deno.remove(path);
        await removeEmptyParents(path);
      } else await writeChecked(path, action.after);
      if (changes.has(path)) {
        await updateChanges(request.recordDirectory, (known) => known.delete(path));
      }
      done.push({ ...action, status: action.after === undefined ? "removed" : "restored" });
    } else {
      const target = action.target as AgentTarget;
      const change = changes.get(path);
      const outcome = await patchFile(
        path,
        (text) =>
          text === undefined
            ? undefined
            : inFile(path, () => textWithout(text, { target, change })),
        request,
      );
      if (change !== undefined) {
        await updateChanges(request.recordDirectory, (known) => known.delete(path));
      }
      done.push({ ...action, status: "restored", before: outcome.before, after: outcome.after });
    }
  }
  return done;
}

/** Remembers a change that another command made, so that it can be taken back here. */
export async function rememberChange(
  directory: string,
  outcome: { path: string; before: string | undefined; after: string },
): Promise<void> {
  await updateChanges(directory, (changes) => {
    changes.set(outcome.path, changeOf(outcome, changes.get(outcome.path)));
  });
}

/**
 * What a skill file was before it was installed, also by an older GUM with another text; undefined
 * when somebody edited it since.
 */
function skillBefore(
  text: string,
  known: { ours: string; change: FileChange | undefined },
): string | "removed" | undefined {
  const original = known.change === undefined ? undefined : originalOf(text, known.change);
  if (original !== undefined && (original === "removed" || known.change?.created === false)) {
    return original;
  }
  return text === known.ours ? "removed" : undefined;
}

function textWithout(
  text: string,
  known: { target: AgentTarget; change: Parameters<typeof originalOf>[1] | undefined },
): string | undefined {
  const structural = withoutServer(text, known.target);
  const original = known.change === undefined ? undefined : originalOf(text, known.change);
  if (original === "removed") return undefined;
  if (original === undefined || !isSound(original, known.target)) return structural;
  return original;
}

// Undoing by text could leave a comma behind when somebody has added a neighbour since.
function isSound(text: string, target: AgentTarget): boolean {
  if (target === "codex") return true;
  try {
    hasComments(text);
    return true;
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return false;
  }
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

function inFile<T>(path: string, merge: () => T): T {
  try {
    return merge();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: ${why}; nothing was changed`, { cause: error });
  }
}
