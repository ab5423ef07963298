/** `gum emulator`: the stand-in for Google as a process of its own (spec 11 §11). */

import type { CommandSpec, FlagSpec } from "./types.ts";

const ORIGIN: FlagSpec = {
  name: "origin",
  type: "string",
  help: "which one, such as http://127.0.0.1:8085; unset: the one GUM_EMULATOR names",
};

const TALKS = ["read", "net", "env"] as const;

const serve: CommandSpec = {
  name: "serve",
  summary: "Run the emulator until it is interrupted",
  description:
    "Prints one JSON object: its origin, the accounts of its world and the credentials it " +
    "takes. GUM_EMULATOR=<origin> or --emulator=<origin> lets any other gum use it, so that " +
    "several processes share one world. A program of your own reaches a Google address at " +
    "<origin>/_host/<host>/<path>.",
  examples: [
    "gum emulator serve --port 8085",
    "GUM_EMULATOR=http://127.0.0.1:8085 gum call gmail.users.labels.list --risk=read",
    "gum --emulator=http://127.0.0.1:8085 read drive.files.list",
  ],
  args: [],
  flags: [
    { name: "port", type: "int", default: "0", help: "loopback port; 0 takes any free one" },
    { name: "seed", type: "int", default: "1", help: "another seed is another world" },
  ],
  children: [],
  permissions: TALKS,
  run: async (context) => (await import("./emulator_run.ts")).runServe(context),
};

const log: CommandSpec = {
  name: "log",
  summary: "Print the requests a running emulator saw, one JSON object a line",
  examples: ["gum emulator log --origin http://127.0.0.1:8085"],
  args: [],
  flags: [
    ORIGIN,
    { name: "clear", type: "bool", help: "forget them afterwards" },
  ],
  children: [],
  permissions: TALKS,
  run: async (context) => (await import("./emulator_run.ts")).runLog(context),
};

const fault: CommandSpec = {
  name: "fault",
  summary: "Make a running emulator misbehave",
  description:
    'A fault is a JSON object: {"effect":{"kind":"status","status":429},"match":{"host":' +
    '"gmail.googleapis.com"},"times":2}. Without one the faults in force are listed.',
  examples: [
    `gum emulator fault '{"effect":{"kind":"status","status":503},"times":2}' ` +
    "--origin http://127.0.0.1:8085",
    "gum emulator fault --clear --origin http://127.0.0.1:8085",
  ],
  args: [{ name: "fault", help: "the fault as JSON", required: false, variadic: false }],
  flags: [ORIGIN, { name: "clear", type: "bool", help: "take every fault away" }],
  children: [],
  permissions: TALKS,
  run: async (context) => (await import("./emulator_run.ts")).runFault(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [{
  name: "emulator",
  group: "admin",
  summary: "Run and steer the built-in Google emulator",
  description: "For tests of your own, and for a world that outlives one command. To try a " +
    "command, --emulator is all it takes.",
  args: [],
  flags: [],
  children: [serve, log, fault],
  permissions: TALKS,
}];
