/**
 * Durable, private files: atomic writes, private directories, and locks between processes
 * (spec 00 §5). No `node:` imports, so hot start-up paths may use it.
 *
 * @module
 */
export {
  ensurePrivateDir,
  parentDir,
  syncDirectory,
  type SyncOptions,
  writeFileAtomic,
} from "./atomic.ts";
export { isAbsent, pathExists } from "./absent/mod.ts";
export { liesInOneOf } from "./inside.ts";
export { appendLine } from "./append_line.ts";
export { fileSignature } from "./signature.ts";
export { readBounded, readOpened } from "./read_bounded.ts";
export { FileLockTimeout, withFileLock } from "./lock.ts";
