/** `gum config …`: the configuration of the account profile (spec 05 §3.19, 08 §4.7). */

import type { CommandSpec, Completion } from "./types.ts";

const CHANGES = ["read", "write", "env"] as const;
const LOOKS = ["read", "env"] as const;

const key = (complete: () => Promise<Completion>) => ({
  name: "key",
  help: "a key such as rate_limit.capacity",
  required: true,
  variadic: false,
  complete,
});

const get: CommandSpec = {
  name: "get",
  summary: "Print the value of a key",
  args: [key(async () => (await import("./config_run.ts")).keyNames(""))],
  flags: [],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./config_run.ts")).runGet(context),
};

const set: CommandSpec = {
  name: "set",
  summary: "Set a key",
  description: "Lists are given as JSON or with commas. Comments in the file are kept. " +
    "Secrets never belong into the configuration.",
  examples: [
    "gum config set rate_limit.capacity=50",
    "gum config set policy.deny_ops=gmail.users.messages.send,drive.files.delete",
  ],
  args: [{
    name: "key=value",
    required: true,
    variadic: false,
    complete: async (request) => (await import("./config_run.ts")).assignments(request),
  }],
  flags: [],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./config_run.ts")).runSet(context),
};

const unset: CommandSpec = {
  name: "unset",
  summary: "Remove a key",
  args: [key(async () => (await import("./config_run.ts")).keyNames(""))],
  flags: [],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./config_run.ts")).runUnset(context),
};

const list: CommandSpec = {
  name: "list",
  summary: "List every key that is set",
  args: [],
  flags: [{
    name: "format",
    type: "string",
    default: "text",
    help: "text or json",
    complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
  }],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./config_run.ts")).runList(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "config",
  group: "profile",
  summary: "Read and change the configuration",
  description: "Each account profile has a configuration of its own; choose one with --profile.",
  args: [],
  flags: [],
  children: [get, set, list, unset],
  permissions: LOOKS,
}];
