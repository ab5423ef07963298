/**
 * The dispatch kernel: every operation from every surface runs through `kernel.dispatch`
 * (spec 02). Also the pure argument functions that the command line shares with it.
 *
 * @module
 */
export { createKernel } from "./kernel.ts";
export { prepareArguments } from "./arguments/prepare.ts";
export { type AssembledArguments, type DefaultOptions } from "./arguments/assemble.ts";
export { type CheckOptions } from "./arguments/check.ts";
export { argumentError, type ArgumentProblems } from "./arguments/problems.ts";
export { canonicalArgs } from "./canonical.ts";
export {
  type ArrivedPage,
  dispatchPages,
  eachPage,
  type GatheredResponse,
  type PageLimits,
  type PageLoopDeps,
  type PageLoopEnd,
} from "./pages.ts";
export { type Selection, type SelectionOptions, selectVariant } from "./selection.ts";
export { effectiveTeeMode, type TeeMode } from "./artifacts.ts";
export { mapFailure, type MappedFailure } from "./failures/map.ts";
export { canonicalScope } from "./policy/confirmation.ts";
export { shownArgument } from "./policy/pending_facts.ts";
export type * from "./types.ts";
