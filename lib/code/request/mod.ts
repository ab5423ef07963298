/**
 * What can be said about a script before it runs: its arguments, its limits, its hash. Light enough
 * for every session to load; the compiler and the sandbox are not.
 *
 * @module
 */
export { codeRequest, headerPragma, LANGUAGE_NAMES } from "./arguments.ts";
export { SCRIPT_FUNCTIONS } from "./functions.ts";
export {
  codeLimits,
  GRACE_MS,
  MAX_BATCH_ELEMENTS,
  MAX_DESTRUCTIVE,
  MAX_REPLY_BYTES,
  MAX_SOURCE_BYTES,
  PAUSE,
  STACK_BYTES,
} from "./limits.ts";
export { canonicalScopeEntries } from "./scope.ts";
export { byteLength, cutToBytes } from "./text_bytes.ts";
