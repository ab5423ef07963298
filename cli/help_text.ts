/** Help texts from the command tree (spec 08 §4). */

import { GLOBAL_FLAGS } from "./parse.ts";
import { helpTopics } from "./help_topics.ts";
import { wrapHelp } from "./help_wrap.ts";
import { GROUP_TITLES } from "./tree.ts";
import type { CommandSpec, FlagSpec } from "./types.ts";

const ROOT_WIDTH = 80;

/** Help of the program itself; without a width for a terminal of the usual one. */
export function renderRootHelp(commands: readonly CommandSpec[], width = ROOT_WIDTH): string {
  const shown = commands.filter((command) => !command.hidden);
  const longest = Math.max(...shown.map((command) => command.name.length));
  const list = (members: readonly CommandSpec[]) =>
    members.map((command) => `  ${command.name.padEnd(longest)}  ${command.summary}`);
  const lines = [
    "gum finds, explains and runs Google API operations, safely and in few tokens.",
    "",
    "Usage: gum <command> [arguments] [flags]",
    "",
  ];
  for (const [group, title] of GROUP_TITLES) {
    const members = shown.filter((command) => command.group === group);
    if (members.length > 0) lines.push(title, ...list(members), "");
  }
  const rest = shown.filter((command) => command.group === undefined);
  if (rest.length > 0) lines.push("More:", ...list(rest), "");
  const topics = [...helpTopics().map(({ topic }) => topic), "exit-codes"].join(", ");
  lines.push("Topics, by gum help <topic>:", `  ${topics}`, "");
  lines.push("Global flags:", ...flagLines(GLOBAL_FLAGS), "");
  lines.push(
    `Start with gum search "<what you want to do>"; gum help <command> says more,`,
    "gum help exit-codes lists what scripts can rely on.",
  );
  return wrapHelp(lines.join("\n") + "\n", width);
}

/** Help of one command, given with its parents, and the flags that its words add. */
export function renderCommandHelp(
  path: readonly CommandSpec[],
  fields: readonly FlagSpec[] = [],
): string {
  const command = path.at(-1);
  if (command === undefined) return "";
  const lines = [command.summary, ""];
  if (command.description !== undefined) lines.push(command.description, "");
  lines.push(`Usage: ${usage(path)}`, "");
  const children = command.children.filter((child) => !child.hidden);
  if (children.length > 0) {
    const width = Math.max(...children.map((child) => child.name.length));
    lines.push(
      "Commands:",
      ...children.map((child) => `  ${child.name.padEnd(width)}  ${child.summary}`),
      "",
    );
  }
  const explained = command.args.filter((arg) => arg.help !== undefined);
  if (explained.length > 0) {
    const width = Math.max(...explained.map((arg) => arg.name.length));
    lines.push(
      "Arguments:",
      ...explained.map((arg) => `  ${arg.name.padEnd(width)}  ${arg.help}`),
      "",
    );
  }
  const own = command.flags.filter((flag) => !flag.hidden);
  if (own.length > 0) lines.push("Flags:", ...flagLines(own), "");
  if (fields.length > 0) lines.push("Fields of the operation:", ...flagLines(fields), "");
  lines.push("Global flags:", ...flagLines(GLOBAL_FLAGS));
  if (command.examples !== undefined) {
    lines.push("", "Examples:", ...command.examples.map((example) => `  ${example}`));
  }
  return lines.join("\n") + "\n";
}

/** `gum call <op_id> [argument...] [flags]`. */
export function usage(path: readonly CommandSpec[]): string {
  const command = path.at(-1);
  const words = ["gum", ...path.map((spec) => spec.name)];
  for (const arg of command?.args ?? []) {
    const name = arg.variadic ? `${arg.name}...` : arg.name;
    words.push(arg.required ? `<${name}>` : `[${name}]`);
  }
  if (command !== undefined && command.children.length > 0) words.push("<command>");
  words.push("[flags]");
  return words.join(" ");
}

function flagLines(flags: readonly FlagSpec[]): string[] {
  const names = flags.map(flagName);
  const width = Math.max(...names.map((name) => name.length));
  return flags.map((flag, index) => {
    const fallback = flag.default === undefined || flag.default === ""
      ? ""
      : ` (default ${flag.default})`;
    return `  ${(names[index] ?? "").padEnd(width)}  ${flag.help}${fallback}`;
  });
}

function flagName(flag: FlagSpec): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "bool" ? "" : flag.type === "int" ? " <n>" : " <value>";
  return `${short}--${flag.name}${value}`;
}
