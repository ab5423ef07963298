/** `gum plugin …`: third-party plugins of the account profile (spec 06 §3.22, 08 §4.7). */

import type { CommandSpec, Completer, FlagSpec } from "./types.ts";

const LOOKS = ["read", "env"] as const;
const CHANGES = ["read", "write", "run", "env", "sys"] as const;
const FETCHES = ["read", "write", "net", "run", "env", "sys"] as const;

const FORMAT: FlagSpec = {
  name: "format",
  type: "string",
  default: "text",
  help: "text or json",
  complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
};

const installedNames: Completer = async (request) =>
  request.words.length > 0
    ? { candidates: [] }
    : (await import("./plugin_list_run.ts")).installedNames(request.host);

/** The first positional of every command that works on one installed plugin. */
const PLUGIN_ARG = {
  name: "plugin",
  help: "plugin id",
  required: true,
  variadic: false,
  complete: installedNames,
} as const;

const install: CommandSpec = {
  name: "install",
  summary: "Install a plugin from a directory with a manifest",
  description: "A plugin is a program of somebody else that runs with your rights, confined as " +
    "far as this machine allows. What it asks for is shown before anything is fetched.",
  examples: ["gum plugin install ./word-count --yes"],
  args: [{ name: "dir", help: "directory or manifest file", required: true, variadic: false }],
  flags: [
    { name: "yes", type: "bool", help: "acknowledge that this installs third-party code" },
    {
      name: "dev-allow-namespace-conflict",
      type: "bool",
      help: "on a development profile, take a prefix that another owner holds",
    },
    { name: "no-canary", type: "bool", help: "do not try the plugin after installing it" },
    FORMAT,
  ],
  children: [],
  permissions: FETCHES,
  run: async (context) => (await import("./plugin_install_run.ts")).runInstall(context),
};

const list: CommandSpec = {
  name: "list",
  summary: "List the installed plugins",
  args: [],
  flags: [FORMAT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./plugin_list_run.ts")).runList(context),
};

const info: CommandSpec = {
  name: "info",
  summary: "Show one plugin",
  args: [PLUGIN_ARG],
  flags: [FORMAT],
  children: [],
  // What confines it is found out by trying.
  permissions: CHANGES,
  run: async (context) => (await import("./plugin_list_run.ts")).runInfo(context),
};

const remove: CommandSpec = {
  name: "remove",
  summary: "Remove a plugin",
  description: "Its data directory and stored secrets stay unless --purge is given.",
  args: [PLUGIN_ARG],
  flags: [{ name: "purge", type: "bool", help: "also delete its data and stored secrets" }],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./plugin_install_run.ts")).runRemove(context),
};

const setup: CommandSpec = {
  name: "setup",
  summary: "Store what a plugin needs and try it",
  description: "Asks for each secret without showing it, or reads one line for each from " +
    "standard input. An empty line keeps what is stored.",
  args: [PLUGIN_ARG],
  flags: [],
  children: [],
  permissions: FETCHES,
  run: async (context) => (await import("./plugin_setup_run.ts")).runSetup(context),
};

const create: CommandSpec = {
  name: "new",
  summary: "Write the files of a new plugin",
  description:
    "A script in TypeScript, or a program in Python, with its manifest, schemas, a canary and a " +
    "test: something that installs as it is.",
  examples: [
    "gum plugin new word-count",
    "gum plugin new word-count ./plugins/word-count",
    "gum plugin new --shape mcp-plugin ./plugins/unit-convert",
  ],
  args: [
    {
      name: "name",
      help: "plugin id, or a directory named after it",
      required: true,
      variadic: false,
    },
    { name: "dir", help: "where to write it; default: ./<name>", required: false, variadic: false },
  ],
  flags: [{
    name: "shape",
    type: "string",
    default: "deno-script",
    help: "deno-script (TypeScript), or mcp-plugin (Python)",
    complete: () => ({ candidates: [{ value: "deno-script" }, { value: "mcp-plugin" }] }),
  }],
  children: [],
  permissions: ["read", "write"],
  run: async (context) => (await import("./plugin_new_run.ts")).runNew(context),
};

const validate: CommandSpec = {
  name: "validate",
  summary: "Check a plugin's directory without installing it",
  description:
    "Finds everything that an installation would refuse, not only the first of it: the " +
    "manifest, the schemas and profiles beside it, the prefix, the program. Writes nothing.",
  examples: ["gum plugin validate ./word-count"],
  args: [{ name: "dir", help: "directory or manifest file", required: true, variadic: false }],
  flags: [FORMAT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./plugin_validate_run.ts")).runValidate(context),
};

const run: CommandSpec = {
  name: "run",
  summary: "Call one tool of a plugin and print what it answered",
  description: "The call goes through the same checks as every other operation.",
  examples: ['gum plugin run word-count count \'{"text":"one two"}\''],
  args: [
    PLUGIN_ARG,
    { name: "tool", help: "name of the tool", required: true, variadic: false },
    { name: "args-json", help: "a JSON object", required: false, variadic: false },
  ],
  flags: [
    { name: "allow-write", type: "bool", help: "allow a tool that changes something" },
    { name: "yes", type: "bool", help: "answer a confirmation with yes" },
  ],
  children: [],
  permissions: FETCHES,
  run: async (context) => (await import("./plugin_run.ts")).runTool(context),
};

const reload: CommandSpec = {
  name: "reload",
  summary: "Lift a plugin's quarantine and try it",
  args: [PLUGIN_ARG],
  flags: [{
    name: "accept-runtime",
    type: "bool",
    help: "use the Deno that is installed now for this script",
  }],
  children: [],
  permissions: FETCHES,
  run: async (context) => (await import("./plugin_run.ts")).runReload(context),
};

const unquarantine: CommandSpec = {
  name: "unquarantine",
  summary: "Lift a plugin's quarantine without trying it",
  args: [PLUGIN_ARG],
  flags: [],
  children: [],
  permissions: FETCHES,
  run: async (context) => (await import("./plugin_run.ts")).runUnquarantine(context),
};

const runtime: CommandSpec = {
  name: "runtime",
  summary: "The Deno that runs script plugins",
  description: "A script plugin needs a Deno on this machine. Without one, GUM can fetch the " +
    "version it was released with, whose digest it knows.",
  args: [],
  flags: [],
  children: [{
    name: "install",
    summary: "Fetch that Deno into GUM's data directory",
    description: "About 40 MB, once for all profiles. A Deno on the search path, or the one that " +
      "plugins.deno_path names, comes first.",
    args: [],
    flags: [FORMAT],
    children: [],
    permissions: ["read", "write", "net", "env"],
    run: async (context) => (await import("./plugin_runtime_run.ts")).runRuntimeInstall(context),
  }],
  permissions: FETCHES,
};

const transferNamespace: CommandSpec = {
  name: "transfer-namespace",
  summary: "Give an operation prefix to another owner, or free it",
  examples: [
    "gum plugin transfer-namespace word-count --new-owner io.example.words --yes",
    "gum plugin transfer-namespace word-count --release --yes",
  ],
  args: [{ ...PLUGIN_ARG, name: "prefix", help: "prefix, which is the plugin's id" }],
  flags: [
    { name: "new-owner", type: "string", help: "who owns the prefix from now on" },
    { name: "release", type: "bool", help: "nobody owns the prefix from now on" },
    { name: "yes", type: "bool", help: "acknowledge the change of ownership" },
  ],
  children: [],
  permissions: CHANGES,
  run: async (context) => (await import("./plugin_install_run.ts")).runTransfer(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "plugin",
  group: "plugin",
  summary: "Install and look after plugins",
  description: "Plugins reach services that have no API of their own. Each account profile has " +
    "its own; choose one with --profile.",
  args: [],
  flags: [],
  children: [
    create,
    validate,
    install,
    list,
    info,
    remove,
    setup,
    run,
    reload,
    unquarantine,
    runtime,
    transferNamespace,
  ],
  permissions: FETCHES,
}];
