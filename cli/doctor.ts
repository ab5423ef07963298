/** `gum doctor` (spec 05 §3.20). */

import type { CommandSpec } from "./types.ts";

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "doctor",
  group: "admin",
  summary: "Check credentials, folders, plugins and configuration",
  description: "Looks at this machine only. Exits with 1 when a check fails.",
  args: [],
  flags: [{
    name: "format",
    type: "string",
    default: "text",
    help: "text or json",
    complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
  }],
  children: [],
  permissions: ["read", "write", "run", "env", "sys"],
  run: async (context) => (await import("./doctor_run.ts")).runDoctorCommand(context),
}];
