/** `gum search`, `describe`, `schema` and `catalog list-overrides` (spec 08 §4.1). */

import { invalidArg } from "./errors.ts";
import type { CommandContext, CommandSpec } from "./types.ts";

const search: CommandSpec = {
  name: "search",
  group: "discover",
  summary: "Find the operation for what you want to do",
  description: "Ranks operations by the words given. Works without a network and an account.",
  examples: ["gum search send an email", "gum search unread mail --top-k 3 --format json"],
  args: [{ name: "query", help: "what you want to do", required: false, variadic: true }],
  flags: [
    { name: "top-k", type: "int", default: "10", help: "hits to print, at most 50" },
    { name: "service", type: "string", help: "only operations of this service, such as compute" },
    {
      name: "tier",
      type: "string",
      help: "only curated or long_tail operations",
      complete: () => ({ candidates: [{ value: "curated" }, { value: "long_tail" }] }),
    },
    {
      name: "format",
      type: "string",
      help: "json or table (default: table at a terminal)",
      complete: () => ({ candidates: [{ value: "json" }, { value: "table" }] }),
    },
  ],
  children: [],
  permissions: ["read", "env"],
  run: async (context) => (await import("./search_run.ts")).runSearch(context),
};

const describe: CommandSpec = {
  name: "describe",
  group: "discover",
  summary: "Show an operation's contract and example arguments",
  examples: ["gum describe gmail.users.messages.list"],
  args: [{
    name: "op_id",
    help: "operation id, such as gmail.users.messages.list",
    required: true,
    variadic: false,
    complete: async (request) => (await import("./complete_values.ts")).operationIds(request),
  }],
  flags: [{
    name: "format",
    type: "string",
    default: "json",
    help: "json; at a terminal a page to read, unless json is asked for",
    complete: () => ({ candidates: [{ value: "json" }] }),
  }],
  children: [],
  permissions: ["read", "env"],
  ask: async (host) => await (await import("./ask_operation.ts")).askOperation(host),
  run: async (context) => {
    requireJson(context);
    await (await import("./catalog_run.ts")).runDescribe(context);
  },
};

const catalog: CommandSpec = {
  name: "catalog",
  group: "discover",
  summary: "Inspect the operation catalog",
  args: [],
  flags: [],
  children: [{
    name: "list-overrides",
    summary: "List variants whose risk class was decided by hand",
    args: [],
    flags: [{
      name: "format",
      type: "string",
      default: "json",
      help: "json (one object a line), the only form",
      complete: () => ({ candidates: [{ value: "json" }] }),
    }],
    children: [],
    permissions: ["read", "env"],
    run: async (context) => {
      requireJson(context);
      await (await import("./catalog_run.ts")).runListOverrides(context);
    },
  }, {
    name: "stats",
    summary: "Count the operations of this build, tier by tier",
    args: [],
    flags: [{
      name: "format",
      type: "string",
      default: "json",
      help: "json, the only form",
      complete: () => ({ candidates: [{ value: "json" }] }),
    }],
    children: [],
    permissions: ["read", "env"],
    run: async (context) => {
      requireJson(context);
      await (await import("./catalog_update.ts")).runCatalogStats(context);
    },
  }, {
    name: "update",
    summary: "Fetch newer API descriptions from the release channel",
    description: "Checks a signed list, downloads the documents that changed, and uses them from " +
      "the next start. Curated operations stay those of this build.",
    examples: ["gum catalog update", "gum catalog update --rollback"],
    args: [],
    flags: [{ name: "rollback", type: "bool", help: "go back to what was in use before" }],
    children: [],
    permissions: ["read", "write", "net", "env"],
    run: async (context) => (await import("./catalog_update.ts")).runCatalogUpdate(context),
  }],
  permissions: ["read", "env"],
};

const schema: CommandSpec = {
  name: "schema",
  group: "discover",
  summary: "Print the command tree as JSON",
  args: [],
  flags: [{ name: "json", type: "bool", help: "accepted for symmetry; the output is always JSON" }],
  children: [],
  permissions: ["read", "env"],
  run: async ({ host }) => {
    const { commandSchema } = await import("./schema.ts");
    host.stdout.write(JSON.stringify(await commandSchema(), null, 2) + "\n");
  },
};

function requireJson({ flags }: CommandContext): void {
  if (flags.text("format") !== "json") throw invalidArg("--format", "accepted: json");
}

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [schema, search, describe, catalog];
