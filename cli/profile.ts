/** `gum profile …`: expression profiles, not account profiles (spec 03 §3.18, 08 §4.7). */

import type { CommandSpec, Completer, FlagSpec } from "./types.ts";

const choices = (...values: string[]): Completer => () => ({
  candidates: values.map((value) => ({ value })),
});

const REPORT_FORMAT: FlagSpec = {
  name: "format",
  type: "string",
  default: "text",
  help: "text or json",
  complete: choices("text", "json"),
};

const FILE_ARG = { name: "path", help: "a profile file (TOML)", required: true, variadic: false };

const LOOKS = ["read", "env"] as const;

const validate: CommandSpec = {
  name: "validate",
  summary: "Check a profile file",
  args: [FILE_ARG],
  flags: [
    { name: "variant", type: "string", help: "also check the file against this variant" },
    REPORT_FORMAT,
  ],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./profile_run.ts")).runValidate(context),
};

const test: CommandSpec = {
  name: "test",
  summary: "Run a profile's fixtures, or shape one input with it",
  examples: [
    "gum profile test mail.toml",
    "gum profile test mail.toml --input response.json --golden want.toon",
  ],
  args: [FILE_ARG],
  flags: [
    { name: "name", type: "string", help: "which profile of the file" },
    { name: "input", type: "string", help: "shape this response instead of running the fixtures" },
    { name: "golden", type: "string", help: "compare the shaped input with this file" },
    {
      name: "format",
      type: "string",
      help: "with --input: toon, csv, json, markdown or raw; else json",
      complete: choices("toon", "csv", "json", "markdown", "raw"),
    },
  ],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./profile_run.ts")).runTest(context),
};

const list: CommandSpec = {
  name: "list",
  summary: "List the profiles a call can use",
  args: [],
  flags: [REPORT_FORMAT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./profile_run.ts")).runList(context),
};

const show: CommandSpec = {
  name: "show",
  summary: "Show a profile with everything it inherits",
  args: [{
    name: "name",
    help: "profile name",
    required: true,
    variadic: false,
    complete: async (request) => (await import("./profile_run.ts")).profileNames(request.host),
  }],
  flags: [REPORT_FORMAT],
  children: [],
  permissions: LOOKS,
  run: async (context) => (await import("./profile_run.ts")).runShow(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "profile",
  group: "profile",
  summary: "Check and try expression profiles",
  description: "Expression profiles say how a response is shaped. Account profiles are chosen " +
    "with the global flag --profile.",
  args: [],
  flags: [],
  children: [validate, test, list, show],
  permissions: LOOKS,
}];
