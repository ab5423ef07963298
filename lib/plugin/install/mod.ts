/**
 * Installing, verifying and removing plugins (spec 06 §3.4–§3.6, §3.11).
 *
 * @module
 */
export { markCanaryFailed } from "./after_install.ts";
export { verifyBinding } from "./binding.ts";
export { baseNameProblem, normalizeCommand } from "./command_selector.ts";
export {
  type DenoRuntime,
  denoScriptArgv,
  denoVersion,
  findDenoRuntime,
  scriptPermissions,
  startable,
  startablePath,
  withInjectedEnv,
} from "./deno_runtime.ts";
export { installPlugin } from "./install.ts";
export { installRuntime, type RuntimeInstallResult } from "./runtime_install.ts";
export { PINNED_DENO, type PinnedRuntime, pinnedRuntime } from "./pinned_runtime.ts";
export { type RemoveParts, removePlugin } from "./remove.ts";
export { externalPrerequisites } from "./rows.ts";
export { DEFAULT_ORIGINS, type PackageOrigins } from "./sources/mod.ts";
export {
  type PluginValidation,
  type PluginViolation,
  type ValidateParts,
  validatePlugin,
} from "./validate.ts";
export type { InstallParts, InstallPlan, InstallRequest, InstallResult } from "./types.ts";
