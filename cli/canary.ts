/** `gum canary`: does an installed plugin still work (spec 06 §3.18, 08 §4.7). */

import type { CommandSpec, Completer } from "./types.ts";

const installedNames: Completer = async ({ host }) =>
  (await import("./plugin_list_run.ts")).installedNames(host);

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "canary",
  group: "admin",
  summary: "Try an installed plugin",
  description: "Starts the plugin and finishes the handshake; with --live also makes the call " +
    "that its manifest declares. Prints one line of JSON either way. A failure is never counted " +
    "against the plugin.",
  examples: [
    "gum canary --plugin=word-count",
    "gum canary --plugin=word-count --live --canary-args='text=one'",
  ],
  args: [],
  flags: [
    {
      name: "plugin",
      type: "string",
      help: "plugin id",
      required: true,
      complete: installedNames,
    },
    { name: "live", type: "bool", help: "also make the declared call" },
    {
      name: "canary-args",
      type: "string",
      help: "arguments of that call instead of the declared ones: 'k=v k2=v2'",
    },
  ],
  children: [],
  permissions: ["read", "write", "net", "run", "env", "sys"],
  run: async (context) => (await import("./canary_run.ts")).runCanaryCommand(context),
}];
