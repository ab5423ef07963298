/**
 * What every command needs before its own modules: the host, what activates plugins, and the runner.
 * One module, so that a start asks for one.
 */

export { processHost, revokePermissions } from "./host.ts";
export { promoteAtStart } from "./plugin_startup.ts";
export { runCommandLine } from "./run.ts";
