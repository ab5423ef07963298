/**
 * Code mode: scripts that call catalog operations, in a sandbox without any capability of its own
 * (spec 09).
 *
 * ```ts ignore
 * const runner = createCodeRunner({ kernel, catalog, clock, log });
 * const request = codeRequest({ language: "risor", source: "gum_print(1 + 2)" });
 * const { output } = await runner.run(request, { confirmed: false, requestId: "r1" }, signal);
 * await runner.close();
 * ```
 *
 * @module
 */
export {
  type BatchElement,
  batchEnvelope,
  type ElementResult,
  withoutNamedMask,
} from "./batch_envelope.ts";
export { codeRequest } from "./request/mod.ts";
export { createCodeRunner } from "./runner.ts";
export { liveWorkers } from "./sandbox.ts";
export type {
  BatchLedger,
  CodeLimits,
  CodeRequest,
  CodeResult,
  CodeRunner,
  CodeRunnerDeps,
  PageOptions,
  RunContext,
  ScopeEntry,
  ScriptLanguage,
} from "./types.ts";
