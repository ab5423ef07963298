/** `gum read`, `write`, `destructive` and `call` (spec 08 §4.2, §4.3). */

import type { RiskClass } from "../lib/catalog/types.ts";
import { CONFIRMATION_FLAGS } from "./confirmation_flags.ts";
import { DOWNLOAD_FLAGS, PAGE_FLAGS, UPLOAD_FLAGS } from "./media_flags.ts";
import type { ArgSpec, CommandSpec, Completer, FlagSpec } from "./types.ts";

const operationIds = (risk?: RiskClass): Completer => async (request) =>
  (await import("./complete_values.ts")).operationIds(request, risk);

const variantIds: Completer = async (request) =>
  (await import("./complete_values.ts")).variantIds(request);

const outputForms: Completer = async () => (await import("./complete_values.ts")).outputForms();

const choices = (...values: string[]): Completer => () => ({
  candidates: values.map((value) => ({ value })),
});

function operationArg(risk?: RiskClass): ArgSpec {
  return {
    name: "op_id",
    help: "operation id, such as gmail.users.messages.list",
    required: true,
    variadic: false,
    complete: operationIds(risk),
  };
}

const VARIANT_FLAG: FlagSpec = {
  name: "variant-id",
  type: "string",
  help: "run this variant instead of the operation's default",
  complete: variantIds,
};

const OUTPUT_FLAG: FlagSpec = {
  name: "output",
  short: "o",
  type: "stringArray",
  help: "table, json, toon, csv, markdown, raw or value(<path>)",
  complete: outputForms,
};

const SHAPING_FLAGS: readonly FlagSpec[] = [
  {
    name: "account",
    type: "string",
    help: "run as this account of the accounts table",
    complete: async (request) => (await import("./complete_values.ts")).accountLabels(request),
  },
  {
    name: "max-items",
    type: "string",
    help: "rows shown: a positive number, or all",
    complete: choices("all"),
  },
  {
    name: "no-field-mask",
    type: "bool",
    help: "ask the service for every field, not only those the profile shows",
  },
  { name: "dry-run", type: "bool", help: "print the request that would be sent, send nothing" },
  {
    name: "envelope",
    type: "bool",
    help: "print the object MCP clients get, with _expression, for every format",
  },
  { name: "no-envelope", type: "bool", help: "leave _expression out of JSON and off stderr" },
];

const RISK_COMMAND_FLAGS: readonly FlagSpec[] = [
  {
    name: "args",
    type: "string",
    default: "{}",
    help: "arguments as a JSON object, @file or @- for standard input",
  },
  VARIANT_FLAG,
  {
    name: "format",
    type: "string",
    help: "toon, json, csv, markdown or raw",
    complete: choices("toon", "json", "csv", "markdown", "raw"),
  },
  OUTPUT_FLAG,
  ...SHAPING_FLAGS,
];

const INVOKE_PERMISSIONS = ["read", "write", "net", "run", "env", "sys"] as const;

function riskCommand(risk: RiskClass, parts: Partial<CommandSpec>): CommandSpec {
  return {
    name: risk,
    group: risk === "read" ? "read" : "write",
    summary: "",
    args: [operationArg(risk)],
    flags: RISK_COMMAND_FLAGS,
    children: [],
    permissions: INVOKE_PERMISSIONS,
    ask: async (host) => await (await import("./ask_operation.ts")).askOperation(host, risk),
    run: async (context) => (await import("./invoke_run.ts")).runRiskCommand(risk, context),
    ...parts,
  };
}

const read = riskCommand("read", {
  summary: "Run an operation that only reads",
  flags: [...RISK_COMMAND_FLAGS, ...DOWNLOAD_FLAGS, ...PAGE_FLAGS],
  examples: [
    `gum read gmail.users.messages.list --args '{"q":"is:unread"}'`,
    "gum read drive.files.list --max-items all -o csv",
    "gum read drive.files.list --page-all --page-limit 0 --ndjson",
    `gum read drive.files.get --args '{"fileId":"..."}' --download ./`,
  ],
});

const write: CommandSpec = riskCommand("write", {
  summary: "Run an operation that changes something",
  flags: [
    ...RISK_COMMAND_FLAGS,
    { name: "allow-write", type: "bool", help: "let the write pass the policy gate" },
    ...UPLOAD_FLAGS,
    ...CONFIRMATION_FLAGS,
  ],
  dynamicFlags: async (words, catalog) =>
    await (await import("./mail_flags.ts")).mailFlags(words, { catalog, existing: write.flags }),
  examples: [
    `gum write tasks.tasks.insert --allow-write --args @task.json`,
    "gum write gmail.users.messages.send --allow-write --to ann@example.com --subject Plan " +
    "--text @plan.txt --attach plan.pdf",
  ],
});

const destructive = riskCommand("destructive", {
  summary: "Run an operation that cannot be undone",
  description:
    "Asks for confirmation at a terminal. In a script, --yes confirms at once; without " +
    "it the first run prints a token that a second run spends with --confirmed --token.",
  flags: [...RISK_COMMAND_FLAGS, ...CONFIRMATION_FLAGS],
  examples: [`gum destructive drive.files.delete --args '{"fileId":"..."}' --yes`],
});

const call: CommandSpec = {
  name: "call",
  group: "read",
  summary: "Run any operation with key=value arguments",
  description: `Arguments after the operation id:
  key=text        a string            key:=json   a JSON value
  a.b.c=text      nested objects      @file, @-   a JSON object from a file or standard input
Every field of the operation is also a flag: --page-size 5, --label-ids INBOX.
gum call <op_id> --skeleton prints a form to fill in.`,
  examples: [
    "gum call gmail.users.messages.list --risk=read q=is:unread maxResults:=5",
    "gum call calendar.events.list --risk=read -o 'value(items[].summary)'",
  ],
  args: [
    operationArg(),
    { name: "argument", help: "key=text, key:=json or @file", required: false, variadic: true },
  ],
  flags: [
    {
      name: "risk",
      type: "string",
      help: "risk class you expect: read, write or destructive (required)",
      complete: choices("read", "write", "destructive"),
    },
    VARIANT_FLAG,
    {
      name: "fields",
      type: "string",
      help: "partial-response mask sent to the service",
      complete: async (request) => (await import("./complete_values.ts")).fieldMasks(request),
    },
    { name: "page-size", type: "int", default: "0", help: "rows per upstream page" },
    { name: "page-token", type: "string", help: "continue at this page" },
    OUTPUT_FLAG,
    { name: "json", type: "bool", help: "same as --output json" },
    { name: "toon", type: "bool", help: "same as --output toon" },
    { name: "csv", type: "bool", help: "same as --output csv" },
    { name: "markdown", type: "bool", help: "same as --output markdown" },
    { name: "raw", type: "bool", help: "the service's own bytes, nothing shaped" },
    { name: "skeleton", type: "bool", help: "print a form of the arguments, call nothing" },
    ...SHAPING_FLAGS,
    ...DOWNLOAD_FLAGS,
    ...UPLOAD_FLAGS,
    ...PAGE_FLAGS,
    ...CONFIRMATION_FLAGS,
  ],
  children: [],
  permissions: INVOKE_PERMISSIONS,
  dynamicFlags: async (words, catalog) => {
    const { operationFlags } = await import("./call_fields.ts");
    const { mailFlags } = await import("./mail_flags.ts");
    let asked: ReturnType<typeof catalog> | undefined;
    const once = () => asked ??= catalog();
    const fields = await operationFlags(words, { catalog: once, existing: call.flags });
    const mail = await mailFlags(words, { catalog: once, existing: [...call.flags, ...fields] });
    return [...fields, ...mail];
  },
  run: async (context) =>
    context.flags.on("skeleton")
      // A form needs nothing of what a call needs.
      ? (await import("./call_skeleton.ts")).runSkeleton(context)
      : (await import("./call_run.ts")).runCall(context),
};

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [read, write, destructive, call];
