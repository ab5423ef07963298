/** `gum code` (spec 08 §4.5). */

import { LANGUAGE_NAMES } from "../lib/code/request/mod.ts";
import { CONFIRMATION_FLAGS } from "./confirmation_flags.ts";
import type { CommandSpec, Completer } from "./types.ts";

const choices = (...values: string[]): Completer => () => ({
  candidates: values.map((value) => ({ value })),
});

const operations: Completer = async (request) =>
  (await import("./complete_values.ts")).operationIds(request, "destructive");

const code: CommandSpec = {
  name: "code",
  group: "write",
  summary: "Run a script that calls operations, in a sandbox",
  description: `The script is the argument itself, @file, or @- for standard input. It can read; for
more it needs a flag and a confirmation that is bound to its exact text. What it prints and the
value of its last expression are the output. gum help code-mode shows the functions it can call.`,
  examples: [
    `gum code 'gum_print(gum_search("send mail"))'`,
    "gum code @report.risor",
    "gum code --language javascript @report.js",
    "gum code @clean.risor --allow-destructive --destructive-budget 5 " +
    "--destructive-scope drive.files.delete",
  ],
  args: [{ name: "script", help: "source text, @file or @-", required: true, variadic: false }],
  flags: [
    {
      name: "language",
      type: "string",
      default: LANGUAGE_NAMES[0],
      help: `language of the script: ${LANGUAGE_NAMES.join(" or ")}`,
      complete: choices(...LANGUAGE_NAMES),
    },
    {
      name: "account",
      type: "string",
      help: "run as this account of the accounts table",
      complete: async (request) => (await import("./complete_values.ts")).accountLabels(request),
    },
    { name: "allow-write", type: "bool", help: "let the script run write operations" },
    { name: "allow-destructive", type: "bool", help: "let the script run destructive operations" },
    {
      name: "destructive-budget",
      type: "int",
      help: "how many destructive calls the script may make, 1 to 20",
    },
    {
      name: "destructive-scope",
      type: "stringArray",
      help: "op_id[:resource_key] that may be destroyed; repeat for more",
      complete: operations,
    },
    ...CONFIRMATION_FLAGS,
    { name: "timeout-sec", type: "int", help: "seconds the script may run" },
    {
      name: "format",
      type: "string",
      help: "same as --output",
      complete: choices("toon", "json", "raw"),
    },
    {
      name: "output",
      short: "o",
      type: "string",
      help: "json, toon or raw: the output text is the same in all of them",
      complete: choices("json", "toon", "raw"),
    },
    {
      name: "envelope",
      type: "bool",
      help: "print the object MCP clients get, with _expression",
    },
  ],
  children: [],
  permissions: ["read", "write", "net", "run", "env", "sys"],
  run: async (context) => (await import("./code_run.ts")).runCode(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [code];
