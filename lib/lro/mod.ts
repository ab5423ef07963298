/**
 * Long-running operations: where they came from, where to ask for them, and the wait until they
 * are done (spec 02 §3.12).
 *
 * @module
 */
export { createOperationMemory } from "./memory.ts";
export { POLL_TOTAL_MS, pollOperation } from "./poll.ts";
export { type KnownHomes, pollRoutes, serviceHome } from "./routes.ts";
export { lroRefusalInCode, opReturnsLro } from "./code_mode.ts";
export type {
  OperationOrigin,
  OperationStore,
  PollDeps,
  PollRequest,
  PollRoute,
  ServiceHome,
} from "./types.ts";
