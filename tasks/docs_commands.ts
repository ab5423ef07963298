/** `docs/commands.md`: the reference of the command line, from what `gum schema` prints. */

import { commandSchema } from "../cli/schema.ts";
import { GLOBAL_FLAGS } from "../cli/parse.ts";
import { COMMANDS, GROUP_TITLES } from "../cli/tree.ts";
import type { CommandSpec } from "../cli/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";

/** The page. */
export function commandPages(): string {
  const root = commandSchema().command;
  const global = new Set(GLOBAL_FLAGS.map(({ name }) => name));
  const lines = [
    "# Commands",
    "",
    "Made from the command tree by `deno task docs`; `gum schema` prints the same as JSON, and every",
    "command has `--help`.",
    "",
  ];
  for (const [group, title] of [...GROUP_TITLES, [undefined, "More:"] as const]) {
    const members = COMMANDS.filter((command) => command.group === group && !command.hidden);
    if (members.length === 0) continue;
    lines.push(
      `- ${title.replace(/:$/, "")}: ${
        members.map(({ name }) => `[${name}](#gum-${name})`).join(", ")
      }`,
    );
  }
  lines.push("", "## Flags of every command", "");
  lines.push(...flagTable(objects(isJsonObject(root) ? root.flags : []).filter(() => true)));
  for (const node of objects(isJsonObject(root) ? root.subcommands : [])) {
    lines.push(...section(node, { depth: 2, global, commands: COMMANDS }));
  }
  return lines.join("\n").replace(/\n{3,}/g, "\n\n").trimEnd() + "\n";
}

function section(
  node: JsonObject,
  at: { depth: number; global: ReadonlySet<string>; commands: readonly CommandSpec[] },
): string[] {
  const spec = at.commands.find(({ name }) => name === node.name);
  const own = objects(node.flags).filter(({ name }) =>
    !at.global.has(String(name)) || spec?.flags.some((flag) => flag.name === name)
  );
  const args = objects(node.arguments);
  const description = spec?.description;
  return [
    "",
    `${"#".repeat(at.depth)} ${String(node.path)}`,
    "",
    `${spec?.summary ?? ""}.`,
    "",
    ...(description === undefined
      ? []
      : description.includes("\n")
      ? ["```text", description, "```", ""]
      : [description, ""]),
    "```text",
    String(node.usage),
    "```",
    "",
    ...(args.length === 0 ? [] : [
      ...args.map(({ name, help }) => `- \`${String(name)}\`: ${String(help ?? "")}`),
      "",
    ]),
    ...(own.length === 0 ? [] : flagTable(own)),
    ...(spec?.examples === undefined ? [] : ["", "```sh", ...spec.examples, "```", ""]),
    ...objects(node.subcommands).flatMap((child) =>
      section(child, { ...at, depth: at.depth + 1, commands: spec?.children ?? [] })
    ),
  ];
}

function flagTable(flags: readonly JsonObject[]): string[] {
  return [
    "| flag | type | default | |",
    "| --- | --- | --- | --- |",
    ...flags.map(({ name, short, type, default: preset, help }) =>
      `| ${short === undefined ? "" : `\`-${String(short)}\`, `}\`--${String(name)}\` | ${
        String(type)
      } | ${preset === undefined || preset === "" ? "" : `\`${String(preset)}\``} | ${
        cell(String(help ?? ""))
      } |`
    ),
  ];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
