/** `gum audit …`: looking at the audit log of the account profile (spec 07 §3.19). */

import type { CommandSpec } from "./types.ts";

const LOOKS = ["read", "env"] as const;

const FORMAT = {
  name: "format",
  type: "string",
  default: "text",
  help: "text or json",
  complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
} as const;

const tail: CommandSpec = {
  name: "tail",
  summary: "Show the last calls that were recorded",
  examples: ["gum audit tail", "gum audit tail --lines 5 --failed --format json"],
  args: [],
  flags: [
    { name: "lines", short: "n", type: "int", default: "20", help: "how many rows" },
    { name: "op", type: "string", help: "only this operation" },
    { name: "failed", type: "bool", help: "only calls that failed" },
    FORMAT,
  ],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./audit_run.ts")).runTail(context),
};

const verify: CommandSpec = {
  name: "verify",
  summary: "Check that every line of the audit log is a whole row",
  description: "Reads the live file and all archives. Exits with 1 when something is wrong.",
  args: [],
  flags: [FORMAT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./audit_run.ts")).runVerify(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "audit",
  group: "admin",
  summary: "Look at the record of calls",
  args: [],
  flags: [],
  children: [tail, verify],
  permissions: LOOKS,
}];
