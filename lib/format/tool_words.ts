/**
 * Advice in the words of tools: what a text says as a command of the command line, a model's client
 * does by calling a tool. What only an operator can do at a terminal (sign in, configure, install)
 * stays a command.
 */

import type { JsonObject } from "../json/mod.ts";

/** A command of the command line that a client of the server runs as a tool instead. */
const command = /(\b[Rr]un )?`gum (describe|read|search)(?: ([^`]*))?`/g;

/** A text whose next steps are commands and flags, said in tools and arguments. */
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

/** Flags whose arguments have the same meaning for a tool; the longer spellings come first. */
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

/** Keys of an error envelope that advise. */
const ADVISING_KEYS = ["message", "user_message", "suggestion", "hint"];

/** An error envelope whose advice names tools. */
export function envelopeInTools(envelope: JsonObject): JsonObject {
  const spoken = { ...envelope };
  for (const key of ADVISING_KEYS) {
    const text = envelope[key];
    if (typeof text === "string") spoken[key] = commandsAsTools(text);
  }
  return spoken;
}
