/** `gum skills` (spec 08 §4.10). */

import type { CommandSpec, Completer, FlagSpec } from "./types.ts";

const FORMAT: FlagSpec = {
  name: "format",
  type: "string",
  default: "text",
  help: "text or json",
  complete: () => ({ candidates: [{ value: "text" }, { value: "json" }] }),
};

const FORCE: FlagSpec = {
  name: "force",
  type: "bool",
  help: "replace files that are there already",
};

const skillNames: Completer = async () => ({
  candidates: (await (await import("../lib/skills/mod.ts")).skillList())
    .map(({ name, summary }) => ({ value: name, description: summary })),
});

const list: CommandSpec = {
  name: "list",
  summary: "List the bundled skills",
  args: [],
  flags: [FORMAT],
  children: [],
  permissions: ["read", "env"],
  run: async (context) => (await import("./skills_run.ts")).runList(context),
};

const show: CommandSpec = {
  name: "show",
  summary: "Print a skill",
  examples: ["gum skills show core"],
  args: [{
    name: "name",
    help: "skill name",
    required: true,
    variadic: false,
    complete: skillNames,
  }],
  flags: [
    { name: "version", type: "string", default: "latest", help: "latest or M.m.p" },
    FORMAT,
  ],
  children: [],
  permissions: ["read", "env"],
  run: async (context) => (await import("./skills_run.ts")).runShow(context),
};

const exportSkills: CommandSpec = {
  name: "export",
  summary: "Write every skill into a folder",
  examples: ["gum skills export --out ./skills"],
  args: [],
  flags: [{ name: "out", type: "string", required: true, help: "the folder" }, FORCE],
  children: [],
  permissions: ["read", "write", "env"],
  run: async (context) => (await import("./skills_run.ts")).runExport(context),
};

const install: CommandSpec = {
  name: "install",
  summary: "Write every skill where an agent client reads them",
  examples: ["gum skills install --dry-run"],
  args: [],
  flags: [
    {
      name: "target",
      type: "string",
      default: "codex",
      help: "codex",
      complete: () => ({ candidates: [{ value: "codex" }] }),
    },
    { name: "dir", type: "string", help: "another folder than $CODEX_HOME/skills" },
    FORCE,
    { name: "dry-run", type: "bool", help: "show what would be written, write nothing" },
  ],
  children: [],
  permissions: ["read", "write", "env"],
  run: async (context) => (await import("./skills_run.ts")).runInstall(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "skills",
  group: "admin",
  summary: "Guides that teach agents to use gum",
  args: [],
  flags: [],
  children: [list, show, exportSkills, install],
  permissions: ["read", "env"],
}];
