/**
 * Tool names in the form a client accepts (spec 11 §1). Both forms are always callable; the form
 * only decides what is listed and what messages say.
 */

import { META_TOOLS } from "./roster.ts";
import { CLIENTS_WITHOUT_DOTS } from "./tool_name_clients.ts";
import type { ToolNameForm, ToolNamesOption } from "./types.ts";

const toUnderscore = new Map<string, string>(
  META_TOOLS.map((name) => [name, name.replaceAll(".", "_")]),
);
const toCanonical = new Map<string, string>([...toUnderscore].map(([dotted, plain]) => [
  plain,
  dotted,
]));

/** A meta-tool's name in running text, but not inside a longer id such as `gum.code.v1`. */
const mention =
  /\bgum\.(?:search_apis|describe_op|read|write|destructive|code|poll|cache_stats|gain)\b(?!\.[a-z0-9])/g;

/** The form to use for a client that announced itself as `clientName`. */
export function nameForm(option: ToolNamesOption, clientName: string): ToolNameForm {
  if (option !== "auto") return option;
  const announced = clientName.toLowerCase();
  return CLIENTS_WITHOUT_DOTS.some((part) => announced.includes(part)) ? "underscore" : "dotted";
}

/** A tool's name in a form. */
export function showName(name: string, form: ToolNameForm): string {
  return form === "underscore" ? toUnderscore.get(name) ?? name : name;
}

/** The canonical name of a called tool, in whichever form it was given. */
export function canonicalName(name: string): string {
  return toCanonical.get(name) ?? name;
}

/** Rewrites the tool names that a text mentions. */
export function showNamesIn(text: string, form: ToolNameForm): string {
  return form === "underscore" ? text.replace(mention, (name) => showName(name, form)) : text;
}

/** A command of the command line that a client of this server runs as a tool instead. */
const command = /(\b[Rr]un )?`gum (describe|read|search)(?: ([^`]*))?`/g;

/**
 * Says the next step in tools where a text says it as a command; what only an operator can do at a
 * terminal (sign in, configure, install) stays a command.
 */
export function commandsAsTools(text: string): string {
  return flagsAsArguments(text).replace(
    command,
    (_whole, run: string | undefined, word: string, rest: string | undefined) => {
      // A command is run, a tool is called.
      const verb = run === undefined ? "" : run.startsWith("R") ? "Call " : "call ";
      if (word === "search") return `${verb}gum.search_apis`;
      const tool = word === "read" ? "gum.read" : "gum.describe_op";
      const [, opId] = /^([\w.-]+)$/.exec(rest ?? "") ?? [];
      return verb + (opId === undefined ? tool : `${tool} with op_id ${JSON.stringify(opId)}`);
    },
  );
}

/** Flags whose arguments have the same meaning here; the longer spellings come first. */
const FLAGS: readonly (readonly [RegExp, string])[] = [
  [/, or run `gum code` with --allow-write or --allow-destructive/g, " with the grant it needs"],
  [/ \(--allow-[^)]*\)/g, ""],
  [/, or name a base64 field with --decode/g, ""],
  [/Add --overwrite to replace it, or choose/g, "Choose"],
  [/--download <file>/g, "download_to"],
  [/--download\b/g, "download_to"],
  [/--page-size\b/g, "page_size"],
  [/--fields\b/g, "fields"],
];

function flagsAsArguments(text: string): string {
  if (!text.includes("--")) return text;
  return FLAGS.reduce((shown, [flag, argument]) => shown.replace(flag, argument), text);
}
