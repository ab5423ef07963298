/** `gum status`: what this installation can do right now, on one page. */

import type { CommandSpec } from "./types.ts";

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "status",
  group: "admin",
  summary: "Show at a glance what this profile can do",
  description: "Version, sign-in, policy, operations, plugins, cache and agent clients. Looks at " +
    "this machine only and changes nothing; gum doctor checks whether all of it works.",
  examples: ["gum status", "gum status --format json"],
  args: [],
  flags: [{
    name: "format",
    type: "string",
    help: "text or json (default: text at a terminal)",
    complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
  }],
  children: [],
  permissions: ["read", "write", "run", "env", "sys"],
  run: async (context) => (await import("./status_run.ts")).runStatus(context),
}];
