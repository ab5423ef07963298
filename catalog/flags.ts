/** Command line of the generator (spec 04 §3.13). */

/** What one run does. */
export type Mode =
  | "generate"
  | "check"
  | "fetch"
  | "inject"
  | "apply-capabilities"
  | "apply-default-fields"
  | "enrich-request-fields"
  | "emit-schemas"
  | "project-response-schemas"
  | "include-long-tail"
  | "suggest-default-fields"
  | "suggest-risk";

/** Parsed flags. */
export interface Flags {
  mode: Mode;
  /** Catalog path; checksum, schemas and index follow its directory. */
  out?: string;
  /** Wheel or folder that `--fetch` reads; wheel of `--include-long-tail`. */
  from?: string;
  /** `[apis.*]` table that `--fetch` refreshes. */
  api?: string;
  /** Service whose operations `--inject` adds or replaces. */
  service?: string;
}

const MODES: readonly Exclude<Mode, "generate" | "inject">[] = [
  "check",
  "fetch",
  "apply-capabilities",
  "apply-default-fields",
  "enrich-request-fields",
  "emit-schemas",
  "project-response-schemas",
  "include-long-tail",
  "suggest-default-fields",
  "suggest-risk",
];

/** Usage line of the error messages. */
const USAGE = `usage: generate.ts [--out <path>] [${
  MODES.map((mode) => `--${mode}`).join(" | ")
} | --inject <service>] [--from <wheel|folder>] [--api <name>]`;

/** Parses the arguments; throws `SyntaxError` with the usage line on anything unknown. */
export function parseFlags(args: readonly string[]): Flags {
  const flags: Flags = { mode: "generate" };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const name = arg.replace(/=.*$/s, "");
    const mode = MODES.find((known) => name === `--${known}`);
    if (mode !== undefined && name === arg) {
      setMode(flags, mode);
      continue;
    }
    if (!VALUE_FLAGS.includes(name)) throw new SyntaxError(`unknown argument ${arg}; ${USAGE}`);
    const value = name === arg ? args[++at] : arg.slice(name.length + 1);
    if (value === undefined || value === "") throw new SyntaxError(`${name} needs a value`);
    if (name === "--out") flags.out = value;
    else if (name === "--from") flags.from = value;
    else if (name === "--api") flags.api = value;
    else {
      setMode(flags, "inject");
      flags.service = value;
    }
  }
  return flags;
}

const VALUE_FLAGS: readonly string[] = ["--out", "--from", "--api", "--inject"];

function setMode(flags: Flags, mode: Mode): void {
  if (flags.mode !== "generate") throw new SyntaxError(`two modes given; ${USAGE}`);
  flags.mode = mode;
}
