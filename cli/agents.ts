/** `gum setup` and `gum agents` (spec 08 §4.9). */

import type { CommandSpec, Completer, FlagSpec } from "./types.ts";

/** Words of `--target`, in the order they are explained. */
const TARGET_WORDS = [
  "all",
  "claude",
  "codex",
  "cursor",
  "gemini",
  "claude-desktop",
  "vscode",
  "windsurf",
] as const;

const choices = (...values: string[]) => () => ({
  candidates: values.map((value) => ({ value })),
});

const list = (...values: string[]): Completer => async ({ prefix }) => {
  const { listGoingOn } = await import("./complete.ts");
  return listGoingOn(prefix, values.map((value) => ({ value })));
};

const INSTALL_FLAGS: readonly FlagSpec[] = [
  {
    name: "target",
    type: "string",
    default: "all",
    help: `${TARGET_WORDS.join(", ")}; all is the first four after it`,
    complete: list(...TARGET_WORDS),
  },
  {
    name: "scope",
    type: "string",
    default: "user",
    help: "user (all your projects) or project (this folder)",
    complete: choices("user", "project"),
  },
  {
    name: "features",
    type: "string",
    default: "skills,mcp",
    help: "skills, mcp or both",
    complete: list("skills", "mcp"),
  },
  {
    name: "toolset",
    type: "string",
    default: "core",
    help: "core, the only set",
    complete: choices("core"),
  },
  { name: "mcp-arg", type: "stringArray", help: "one more argument for gum mcp; repeatable" },
  { name: "force", type: "bool", help: "replace skill files that are there already" },
  { name: "dry-run", type: "bool", help: "show what would be written, write nothing" },
  {
    name: "format",
    type: "string",
    default: "text",
    help: "text or json",
    complete: choices("text", "json"),
  },
];

const INSTALLS = ["read", "write", "env"] as const;

const install: CommandSpec = {
  name: "install",
  summary: "Write skills and the MCP server into agent clients",
  description: "Merges into the clients' own files: other servers, unknown keys and comments stay.",
  examples: [
    "gum agents install --dry-run",
    "gum agents install --target claude,cursor --features mcp",
    "gum agents install --target vscode --scope project --mcp-arg --read-only",
  ],
  args: [],
  flags: INSTALL_FLAGS,
  children: [],
  permissions: INSTALLS,
  run: async (context) => (await import("./agents_run.ts")).runInstall(context),
};

const uninstall: CommandSpec = {
  name: "uninstall",
  summary: "Take skills and the MCP server out of agent clients again",
  description:
    "Gives a file back its bytes from before the installation when nothing else touched " +
    "gum's part of it, and removes only that part otherwise.",
  examples: ["gum agents uninstall --dry-run", "gum agents uninstall --target cursor"],
  args: [],
  flags: INSTALL_FLAGS.filter(({ name }) => name !== "mcp-arg" && name !== "toolset")
    .map((flag) =>
      flag.name === "force"
        ? { ...flag, help: "remove edited skill files and entries of your own too" }
        : flag
    ),
  children: [],
  permissions: INSTALLS,
  run: async (context) => (await import("./agents_run.ts")).runUninstall(context),
};

const agents: CommandSpec = {
  name: "agents",
  group: "admin",
  summary: "Install gum into agent clients, and take it out again",
  args: [],
  flags: [],
  children: [install, uninstall],
  permissions: INSTALLS,
};

const setup: CommandSpec = {
  name: "setup",
  group: "admin",
  summary: "Install gum into your agent clients, step by step",
  description: "Shows the plan and asks before anything is written.",
  examples: ["gum setup", "gum setup --target claude --yes", "gum setup --dry-run"],
  args: [],
  flags: [...INSTALL_FLAGS, { name: "yes", type: "bool", help: "do not ask" }],
  children: [],
  permissions: INSTALLS,
  run: async (context) => (await import("./agents_run.ts")).runSetup(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [setup, agents];
