/** `gum cache …`: the response cache of the account profile (spec 07 §3.8, 08 §4.7). */

import type { CommandSpec } from "./types.ts";

const CHANGES = ["read", "write", "env"] as const;

const stats: CommandSpec = {
  name: "stats",
  summary: "Show what the response cache holds and how often it answered",
  args: [],
  flags: [{
    name: "format",
    type: "string",
    default: "json",
    help: "json or text",
    complete: () => ({ candidates: [{ value: "json" }, { value: "text" }] }),
  }],
  children: [],
  // SQLite opens a file for reading and writing or not at all.
  permissions: CHANGES,
  run: async (context) => (await import("./cache_run.ts")).runStats(context),
};

const clear: CommandSpec = {
  name: "clear",
  summary: "Delete cached answers",
  examples: ["gum cache clear", "gum cache clear --expired"],
  args: [],
  flags: [{ name: "expired", type: "bool", help: "only answers past their time" }],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./cache_run.ts")).runClear(context),
};

const migrate: CommandSpec = {
  name: "migrate",
  summary: "Bring the cache file to the form this version uses",
  description: "Changes all of the file or nothing. Cached answers keep their lifetimes.",
  args: [],
  flags: [{
    name: "force",
    type: "bool",
    help: "replace a file that cannot be read by an empty one",
  }],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./cache_run.ts")).runMigrate(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "cache",
  group: "profile",
  summary: "Look at and clear the response cache",
  args: [],
  flags: [],
  children: [stats, clear, migrate],
  permissions: CHANGES,
}];
