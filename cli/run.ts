/**
 * One run of the program: words in, exit code out (spec 08 §3).
 *
 * @module
 */

import { selectProfile } from "../lib/config/directories.ts";
import { lineLogger, LOG_LEVELS, type Logger, setDefaultLogger } from "../lib/log/mod.ts";
import { VERSION } from "../lib/version/mod.ts";
import { emulatorChoice } from "./emulator_choice.ts";
import { configuredLogLevel, logLevel } from "./log_level.ts";
import { FailedReport, invalidArg, UsageError } from "./errors.ts";
import type { EXIT } from "./exit_codes.ts";
import { didYouMean, nearestWords } from "../lib/spelling/mod.ts";
import {
  type FlagValues,
  isOperationWord,
  locate,
  type Located,
  type ParsedWords,
  parseWords,
} from "./parse.ts";
import { BrokenOutputError } from "./streams.ts";
import type { CommandHost, CommandSpec, FlagSpec } from "./types.ts";

/** The codes of failures load when there is one. */
const SUCCESS: typeof EXIT.success = 0;

/**
 * Runs the command that the host's words name and returns the exit code. Never rejects: every
 * failure becomes text on stderr.
 *
 * @param commands Root commands; the caller may pass only the group that the first word names.
 */
export async function runCommandLine(
  commands: readonly CommandSpec[],
  host: CommandHost,
): Promise<number> {
  const restore: { logger?: Logger } = {};
  try {
    await runLocated(commands, host, restore);
    return SUCCESS;
  } catch (error) {
    if (error instanceof BrokenOutputError) return SUCCESS;
    const { exitCodeOf, signalExitCode } = await import("./exit_codes.ts");
    if (host.signal.aborted) return signalExitCode(host.signal);
    if (!(error instanceof FailedReport)) host.stderr.write(await failureText(error, host));
    return exitCodeOf(error);
  } finally {
    if (restore.logger !== undefined) setDefaultLogger(restore.logger);
  }
}

async function failureText(error: unknown, host: CommandHost): Promise<string> {
  if (host.isTerminal("stderr")) {
    return (await import("./error_words.ts")).renderFailureInWords(error, host);
  }
  return (await import("./error_rendering.ts")).renderFailure(error);
}

async function runLocated(
  commands: readonly CommandSpec[],
  host: CommandHost,
  restore: { logger?: Logger },
): Promise<void> {
  const located = locate(commands, host.argv);
  const command = located.path.at(-1);
  if (asksFor("version", located)) return host.stdout.write(VERSION + "\n");
  if (asksFor("help", located)) return await printHelp(located, host);
  if (located.unknown !== undefined) throw unknownCommand(located);
  if (command?.run === undefined) {
    parseWords(located.rest, command?.flags ?? []);
    return await printHelp(located, host);
  }
  const own = [...command.flags, ...await dynamicFlags(command, { located, host })];
  const { words, flags } = command.passThrough
    ? { words: located.rest, flags: parseWords([], own).flags }
    : await parsed(command, { located, host, own });
  const profile = selectProfile({ flag: flags.text("profile"), environment: host.environment });
  const log = await logger(flags, host, profile);
  restore.logger = setDefaultLogger(log);
  const first = words.length === 0 ? await command.ask?.(host) : undefined;
  if (first !== undefined) words.push(first);
  checkCounts(command, { words, flags });
  host.revoke(command.permissions);
  const path = located.path.map((spec) => spec.name);
  // Loaded for people only: a pipe gets the document as it is.
  const shown = host.isTerminal("stdout") && await isDocument(path)
    ? (await import("./terminal_documents.ts")).documentHost(host, { path, flags })
    : undefined;
  const context = {
    words,
    flags,
    host: shown?.host ?? host,
    profile,
    ...emulatorChoice(flags.text("emulator"), host.environment),
    log,
    // Asked for late: watching for signals is work that most local commands need not do.
    get signal() {
      return host.signal;
    },
    command,
    path,
  };
  try {
    await command.run(context);
  } finally {
    shown?.finish();
  }
}

async function parsed(
  command: CommandSpec,
  { located, host, own }: { located: Located; host: CommandHost; own: readonly FlagSpec[] },
): Promise<ParsedWords> {
  try {
    return parseWords(located.rest, own);
  } catch (error) {
    if (command.dynamicFlags === undefined) throw error;
    const { blamedOnOperation } = await import("./unknown_operation.ts");
    throw await blamedOnOperation(error, {
      words: located.rest,
      catalog: () => host.factories.catalog(located.rest),
    });
  }
}

async function isDocument(path: readonly string[]): Promise<boolean> {
  return (await import("./document_commands.ts")).DOCUMENT_COMMANDS.has(path.join(" "));
}

async function dynamicFlags(
  command: CommandSpec,
  at: { located: Located; host: CommandHost },
): Promise<FlagSpec[]> {
  return await command.dynamicFlags?.(
    at.located.rest,
    () => at.host.factories.catalog(at.located.rest),
  ) ?? [];
}

function asksFor(flag: "help" | "version", located: Located): boolean {
  const command = located.path.at(-1);
  if (command?.passThrough || command?.flags.some(({ name }) => name === flag)) return false;
  for (const word of located.rest) {
    if (word === "--") return false;
    if (word === `--${flag}` || (flag === "help" && word === "-h")) return true;
  }
  return false;
}

async function printHelp(located: Located, host: CommandHost): Promise<void> {
  const { renderCommandHelp, renderRootHelp } = await import("./help_text.ts");
  const command = located.path.at(-1);
  if (located.unknown !== undefined) throw unknownCommand(located);
  if (command === undefined) {
    const { COMMANDS } = await import("./tree.ts");
    return host.stdout.write(renderRootHelp(COMMANDS));
  }
  const fields = await dynamicFlags(command, { located, host });
  const { helpFor } = await import("./help_wrap.ts");
  host.stdout.write(helpFor(host, renderCommandHelp(located.path, fields)));
}

function unknownCommand(located: Located): UsageError {
  const { word, among } = located.unknown ?? { word: "", among: [] };
  const parent = ["gum", ...located.path.map((spec) => spec.name)].join(" ");
  const names = among.filter((spec) => !spec.hidden).map((spec) => spec.name);
  const close = nearestWords(word, names, { within: 2, most: 1 })[0];
  // People who know the id leave out what is to be done with it.
  const operation = located.path.length === 0 && isOperationWord(word);
  const hint = operation
    ? `; for an operation, gum describe ${word} shows how it is called`
    : didYouMean(close);
  return new UsageError(`unknown command ${JSON.stringify(word)} for ${parent}${hint}`);
}

async function logger(flags: FlagValues, host: CommandHost, profile: string): Promise<Logger> {
  // A person reads lines; everything else that listens to stderr gets records.
  const format = host.isTerminal("stderr") && !flags.changed("log-format")
    ? "text"
    : flags.text("log-format")?.toLowerCase();
  if (format !== "json" && format !== "text") {
    const { accepted } = await import("./choices.ts");
    throw invalidArg("--log-format", accepted(format ?? "", ["json", "text"]));
  }
  const level = flags.changed("log-level")
    ? logLevel(flags.text("log-level"))
    : logLevel(host.environment.text("GUM_LOG_LEVEL")) ??
      await configuredLogLevel(host, profile) ?? "warn";
  if (level === undefined) {
    const { accepted } = await import("./choices.ts");
    throw invalidArg("--log-level", accepted(flags.text("log-level") ?? "", LOG_LEVELS));
  }
  return lineLogger({
    level,
    format,
    write: (line) => host.stderr.write(line),
    now: () => host.factories.clock.now(),
  });
}

function checkCounts(
  command: CommandSpec,
  typed: { words: readonly string[]; flags: FlagValues },
): void {
  for (const flag of command.flags) {
    if (flag.required && !typed.flags.changed(flag.name)) {
      throw new UsageError(`required flag --${flag.name} is missing`);
    }
  }
  const required = command.args.filter((arg) => arg.required);
  const missing = required[typed.words.length];
  if (missing !== undefined) throw new UsageError(`missing argument <${missing.name}>`);
  const open = command.passThrough || command.args.some((arg) => arg.variadic);
  const extra = typed.words[command.args.length];
  if (!open && extra !== undefined) {
    if (command.secretInput) {
      throw invalidArg(
        undefined,
        "a secret is never an argument: shells keep a history, and `ps` " +
          "shows it to everybody; give it on standard input or with --from-file",
      );
    }
    const hint = extra.includes("=") ? "; key=value arguments belong to gum call" : "";
    throw new UsageError(`unexpected argument ${JSON.stringify(shortened(extra))}${hint}`);
  }
}

function shortened(word: string): string {
  return word.length > 60 ? word.slice(0, 60) + "…" : word;
}
