/**
 * GUM inside agent clients: their configuration files and their skills (spec 08 §4.8, §4.9).
 *
 * Texts are merged by pure functions that keep comments and unknown keys; files are changed under
 * a lock, re-read first, and every change is remembered so that it can be taken back.
 *
 * @module
 */

export {
  AGENT_TARGETS,
  type AgentTarget,
  ALL_TARGETS,
  clientFile,
  type InstallScope,
  type Places,
  serverFiles,
} from "./clients.ts";
export { diffLines } from "./edits.ts";
export {
  type ActionStatus,
  type AgentAction,
  type AgentFeature,
  applyInstall,
  applyUninstall,
  type InstallRequest,
  noteOwnEntry,
  patchClientFile,
  planInstall,
  type PlannedAction,
  planUninstall,
} from "./install.ts";
export { BlockError, type BlockMarks, removeBlock, setBlock } from "./managed_block.ts";
export {
  patchFile,
  type PatchOptions,
  type PatchOutcome,
  readTextIfPresent,
} from "./patch_file.ts";
export {
  exactOriginal,
  type FileChange,
  forgetChange,
  recordedChanges,
  rememberChange,
} from "./restore.ts";
export { hasServer, withSortedServer } from "./server_entry.ts";
