/** `gum init` (spec 08 §4.8). */

import type { CommandSpec } from "./types.ts";

/** Clients that `gum init` knows. */
export const INIT_TARGETS = ["claude-code", "claude-desktop", "cursor"] as const;

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "init",
  group: "admin",
  summary: "Register gum with an MCP client and write GUM.md",
  description: "Shows the change of the client's settings first and asks before it is made; the " +
    "other keys of the file stay. GUM.md tells an agent how to use what is installed.",
  examples: [
    "gum init",
    "gum init --target claude-desktop",
    "gum init --global --yes",
    "gum init --refresh",
  ],
  args: [],
  flags: [
    {
      name: "target",
      type: "string",
      default: "claude-code",
      help: INIT_TARGETS.join(", "),
      complete: () => ({ candidates: INIT_TARGETS.map((value) => ({ value })) }),
    },
    { name: "global", type: "bool", help: "for all your projects (claude-code only)" },
    { name: "refresh", type: "bool", help: "write GUM.md again and nothing else" },
    { name: "yes", type: "bool", help: "do not ask" },
  ],
  children: [],
  permissions: ["read", "write", "net", "run", "env", "sys"],
  run: async (context) => (await import("./init_run.ts")).runInit(context),
}];
