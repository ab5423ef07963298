/** What `gum code` does between its words and the kernel (spec 08 §4.5). */

import {
  canonicalScopeEntries,
  headerPragma,
  LANGUAGE_NAMES,
  MAX_DESTRUCTIVE,
  MAX_SOURCE_BYTES,
} from "../lib/code/request/mod.ts";
import type { Invocation, Kernel, ScriptProgress, ShapedResponse } from "../lib/dispatch/types.ts";
import { findGumError, type GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { notAChoice } from "./choices.ts";
import { confirmationChoice, dispatchConfirmed } from "./confirmation.ts";
import { CliArgError, DispatchFailure, invalidArg } from "./errors.ts";
import { type FlagValues, isOperationWord } from "./parse.ts";
import { projectRootOf } from "./project_root.ts";
import { openCommandSession } from "./session.ts";
import { orAborted } from "./streams.ts";
import { showProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";
import { unreadableReason } from "./unreadable_file.ts";

/** Longest run a person may ask for, in seconds. */
const MAX_TIMEOUT_SECONDS = 600;

/** Runs `gum code`. */
export async function runCode(context: CommandContext): Promise<void> {
  const { flags, host } = context;
  checkOutput(flags);
  const grants = grantFlags(flags);
  const timeout = timeoutFlag(flags);
  const confirmation = confirmationChoice(flags);
  const language = languageFlag(flags);
  const source = await readSource(context);
  const pragma = headerPragma(source);
  if (pragma !== undefined) {
    throw invalidArg(undefined, `line ${pragma}: pragma lines are not supported in scripts`);
  }
  const invocation: Invocation = {
    opId: "gum.code",
    // Exactly the parameters that the operation declares; the confirmation travels beside them.
    args: { language, source, ...grants },
    ...(flags.changed("account") ? { account: flags.text("account") } : {}),
    allowWrite: grants.allow_write === true,
    allowDestructive: grants.allow_destructive === true,
    projectRootPath: projectRootOf(host),
    caller: "cli",
  };
  const session = await openCommandSession(
    context,
    timeout === undefined ? {} : { codeTimeoutMs: timeout * 1000 },
  );
  try {
    const response = await dispatchConfirmed({
      kernel: withScriptProgress(session.kernel, context),
      invocation,
      choice: confirmation,
      account: session.emulated?.account.email,
    }, context);
    present(response, context);
  } catch (error) {
    const found = findGumError(error);
    const misread = found?.code === "CODE_MODE_SYNTAX" && isNamedJavaScript(context);
    const hint = "The file's name says JavaScript: run it with --language javascript.";
    const known = misread ? found.with({ hint }) : found;
    if (known !== undefined) showPlace(known, context);
    throw known === undefined || found !== error
      ? error
      : new DispatchFailure(known, { command: "code" });
  } finally {
    await session.close();
  }
}

/** A script that was read as the default language although its file is called otherwise. */
function isNamedJavaScript({ flags, words }: CommandContext): boolean {
  return !flags.changed("language") && /^@.*\.[cm]?js$/i.test(words[0] ?? "");
}

/** What the envelope in a pipe holds and a person would miss: the prints so far, and the place. */
function showPlace({ details }: GumError, { host }: CommandContext): void {
  if (!host.isTerminal("stderr")) return;
  const { partial_output: printed, snippet } = details;
  if (typeof printed === "string" && printed !== "") {
    const text = visibleText(printed);
    host.stderr.write(`Printed before it failed:\n${text}${text.endsWith("\n") ? "" : "\n"}`);
  }
  if (typeof snippet === "string") {
    const lines = visibleText(snippet).split("\n");
    host.stderr.write(`${lines.map((line) => `  ${line}`).join("\n")}\n`);
  }
}

/** A kernel that shows on a terminal how far a script has come; a question is not talked over. */
function withScriptProgress(kernel: Kernel, { host }: CommandContext): Kernel {
  if (!host.isTerminal("stderr")) return kernel;
  return {
    ...kernel,
    async dispatch(invocation, signal) {
      let label = "the script is starting";
      const onScriptProgress = (progress: ScriptProgress) => label = progressLabel(progress);
      const done = showProgress(() => label, host);
      try {
        return await kernel.dispatch({ ...invocation, onScriptProgress }, signal);
      } finally {
        done();
      }
    },
  };
}

function progressLabel({ phase, done, asked }: ScriptProgress): string {
  if (phase === "starting") return "the script is starting";
  return asked === 0 ? "the script is running" : `the script is running, ${done} of ${asked} calls`;
}

function languageFlag(flags: FlagValues): string {
  const word = flags.text("language") ?? LANGUAGE_NAMES[0] ?? "";
  const name = LANGUAGE_NAMES.find((known) => known === word);
  if (name !== undefined) return name;
  throw invalidArg(
    "--language",
    notAChoice(word, LANGUAGE_NAMES),
  );
}

/** The output is text that the script made, so every accepted format shows it as it is. */
function checkOutput(flags: FlagValues): void {
  const given = ["format", "output"].filter((name) => flags.text(name) !== undefined);
  if (given.length > 1) throw new CliArgError("CLI_ARG_DUPLICATE", { key: "format" });
  for (const name of given) {
    const word = flags.text(name)?.trim().toLowerCase() ?? "";
    if (["json", "toon", "raw"].includes(word)) continue;
    throw invalidArg(`--${name}`, notAChoice(word, ["json", "toon", "raw"]));
  }
}

function timeoutFlag(flags: FlagValues): number | undefined {
  const seconds = flags.integer("timeout-sec");
  if (seconds === undefined) return undefined;
  if (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw invalidArg("--timeout-sec", `expected 1 to ${MAX_TIMEOUT_SECONDS}`);
}

function grantFlags(flags: FlagValues): JsonObject {
  const allowDestructive = flags.on("allow-destructive");
  const budget = flags.integer("destructive-budget");
  const entries = flags.list("destructive-scope");
  if (!allowDestructive && budget !== undefined) {
    throw invalidArg("--destructive-budget", "needs --allow-destructive");
  }
  if (!allowDestructive && entries.length > 0) {
    throw invalidArg("--destructive-scope", "needs --allow-destructive");
  }
  if (allowDestructive && (budget === undefined || budget < 1 || budget > MAX_DESTRUCTIVE)) {
    throw invalidArg(
      "--destructive-budget",
      `--allow-destructive needs a budget of 1 to ${MAX_DESTRUCTIVE}`,
    );
  }
  if (entries.length > MAX_DESTRUCTIVE) {
    throw invalidArg("--destructive-scope", `more than ${MAX_DESTRUCTIVE} entries`);
  }
  const scope = canonicalScopeEntries(entries.map(scopeEntry));
  return {
    allow_write: flags.on("allow-write"),
    allow_destructive: allowDestructive,
    destructive_budget: budget ?? 0,
    destructive_scope: scope.map((entry): JsonObject => ({ ...entry })),
  };
}

/** `op_id[:resource_key]`, split at the first colon: keys may hold more of them. */
function scopeEntry(text: string): { op_id: string; resource_key?: string } {
  const colon = text.indexOf(":");
  const opId = colon < 0 ? text : text.slice(0, colon);
  const key = colon < 0 ? undefined : text.slice(colon + 1);
  if (!isOperationWord(opId)) {
    throw invalidArg(text, "--destructive-scope expects op_id or op_id:resource_key");
  }
  if (key === "") throw invalidArg(text, "--destructive-scope has a colon and no resource key");
  return key === undefined ? { op_id: opId } : { op_id: opId, resource_key: key };
}

async function readSource(context: CommandContext): Promise<string> {
  const { host, words, signal } = context;
  const word = words[0] ?? "";
  if (word.trim() === "-") throw invalidArg(word, "standard input is @-");
  if (!word.startsWith("@")) return word;
  const name = word.slice(1);
  if (name === "") throw invalidArg(word, "a file name, or - for standard input, must follow @");
  let bytes: Uint8Array;
  try {
    bytes = name === "-"
      ? await host.stdin.readAll(MAX_SOURCE_BYTES + 1, signal)
      : await orAborted(host.factories.readFile(name, MAX_SOURCE_BYTES), signal);
  } catch (cause) {
    signal.throwIfAborted();
    const reason = unreadableReason(cause, MAX_SOURCE_BYTES);
    throw invalidArg(word, `cannot read script file: ${reason}`);
  }
  if (bytes.length > MAX_SOURCE_BYTES) {
    throw invalidArg(word, `read script file: longer than ${MAX_SOURCE_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidArg(word, "read script file: not UTF-8 text");
  }
}

function present(response: ShapedResponse, context: CommandContext): void {
  const { flags, host } = context;
  const output = new TextDecoder().decode(response.body);
  const truncated = response.expression?.lossy === true;
  const text = flags.on("envelope")
    ? JSON.stringify(
      {
        format: "json",
        data: output,
        ...(truncated ? { _code_output_truncated: true } : {}),
        _expression: response.expression ?? {},
      },
      null,
      2,
    )
    : output;
  const shown = host.isTerminal("stdout") ? visibleText(text) : text;
  // A script without output prints nothing, not an empty line.
  if (shown !== "") host.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  if (truncated) {
    host.stderr.write(
      "gum: the output was cut at code.output_limit_bytes; print less, or raise the limit\n",
    );
  }
}
