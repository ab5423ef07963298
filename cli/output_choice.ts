/** Which form a result is printed in (spec 08 §4.2, §4.3). */

import type { OutputFormat } from "../lib/dispatch/types.ts";
import { notAChoice } from "./choices.ts";
import { CliArgError, invalidArg } from "./errors.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandHost } from "./types.ts";

/** Formats the kernel encodes. */
export const KERNEL_FORMATS = ["toon", "json", "csv", "markdown", "raw"] as const;

/** Words that `--output` takes, besides `value(<path>)`. */
export const OUTPUT_WORDS = ["table", ...KERNEL_FORMATS] as const;

/** How to print a result; `format` undefined leaves the choice to the kernel. */
export type OutputChoice =
  | { kind: "kernel"; format: OutputFormat | undefined }
  | { kind: "table" }
  | { kind: "value"; path: string };

/** Reads an output word; undefined when it is none. */
function outputChoice(text: string): OutputChoice | undefined {
  const value = /^value\((.*)\)$/is.exec(text.trim());
  if (value !== null) return { kind: "value", path: value[1] ?? "" };
  const word = text.trim().toLowerCase();
  if (word === "table") return { kind: "table" };
  const format = KERNEL_FORMATS.find((name) => name === word);
  return format === undefined ? undefined : { kind: "kernel", format };
}

/**
 * Format of `read`, `write` and `destructive`: `--output`, `--format`, environment, then a table for
 * a person at a terminal and the kernel's own choice for everybody else.
 */
export function riskCommandOutput(flags: FlagValues, host: CommandHost): OutputChoice {
  const output = flags.text("output");
  if (output !== undefined) return explicitOutput(output);
  const format = flags.text("format");
  if (format !== undefined) return { kind: "kernel", format: kernelFormat(format) };
  const table = host.isTerminal("stdout") && !flags.on("envelope");
  return implicitOutput(flags, host) ??
    (table ? { kind: "table" } : { kind: "kernel", format: undefined });
}

/** Format of `call`: one selector at most, else the environment, else by terminal. */
export function callOutput(flags: FlagValues, host: CommandHost): OutputChoice {
  const named = ["json", "toon", "csv", "markdown", "raw"].filter((name) => flags.on(name));
  const outputs = flags.list("output");
  if (named.length + outputs.length > 1) {
    throw new CliArgError("CLI_ARG_DUPLICATE", { key: "format" });
  }
  if (outputs[0] !== undefined) return explicitOutput(outputs[0]);
  if (named[0] !== undefined) return { kind: "kernel", format: kernelFormat(named[0]) };
  const table = host.isTerminal("stdout") && !flags.on("envelope");
  return implicitOutput(flags, host) ??
    (table ? { kind: "table" } : { kind: "kernel", format: "json" });
}

/** The format the kernel must produce for a choice. */
export function kernelFormatOf(choice: OutputChoice): OutputFormat | undefined {
  return choice.kind === "kernel" ? choice.format : "json";
}

function explicitOutput(text: string): OutputChoice {
  const choice = outputChoice(text);
  if (choice === undefined) {
    throw invalidArg(
      "--output",
      notAChoice(text, [...OUTPUT_WORDS, "value(<path>)"]),
    );
  }
  return choice;
}

function kernelFormat(text: string): OutputFormat {
  const format = KERNEL_FORMATS.find((name) => name === text.trim().toLowerCase());
  if (format === undefined) {
    throw invalidArg(
      "--format",
      notAChoice(text, KERNEL_FORMATS),
    );
  }
  return format;
}

// A default that cannot go with --envelope gives way to it; only a typed one is a contradiction.
function implicitOutput(flags: FlagValues, host: CommandHost): OutputChoice | undefined {
  const text = host.environment.text("GUM_DEFAULT_OUTPUT");
  const choice = text === undefined ? undefined : outputChoice(text);
  return flags.on("envelope") && choice?.kind !== "kernel" ? undefined : choice;
}
