/** `gum schema`: the command tree as data (spec 08 §6). */

import type { JsonObject } from "../lib/json/mod.ts";
import { usage } from "./help_text.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandSpec, FlagSpec } from "./types.ts";

/** The document `gum schema` prints. */
export function commandSchema(): JsonObject {
  const root: JsonObject = {
    name: "gum",
    path: "gum",
    usage: "gum <command> [arguments] [flags]",
    help: "Find, explain and run Google API operations.",
    flags: GLOBAL_FLAGS.map(flagNode),
    subcommands: visible(COMMANDS).map((command) => node([command])),
  };
  return { schema_version: 1, command: root };
}

function node(path: readonly CommandSpec[]): JsonObject {
  const command = path.at(-1);
  if (command === undefined) return {};
  const own = command.flags.filter((flag) => !flag.hidden);
  const inherited = GLOBAL_FLAGS.filter((flag) => !own.some((one) => one.name === flag.name));
  const result: JsonObject = {
    name: command.name,
    path: ["gum", ...path.map((spec) => spec.name)].join(" "),
    usage: usage(path),
    help: command.description ?? command.summary,
  };
  if (command.args.length > 0) {
    result.arguments = command.args.map(({ name, help }): JsonObject =>
      help === undefined ? { name } : { name, help }
    );
  }
  result.flags = [...own, ...inherited].map(flagNode);
  const children = visible(command.children);
  if (children.length > 0) result.subcommands = children.map((child) => node([...path, child]));
  return result;
}

function flagNode(flag: FlagSpec): JsonObject {
  const result: JsonObject = { name: flag.name };
  if (flag.short !== undefined) result.short = flag.short;
  result.type = flag.type;
  if (flag.default !== undefined) result.default = flag.default;
  result.has_default = flag.default !== undefined;
  result.help = flag.help;
  return result;
}

function visible(commands: readonly CommandSpec[]): CommandSpec[] {
  return commands.filter((command) => !command.hidden);
}
