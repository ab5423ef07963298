/** Secrets from standard input, a file or a person; never from the command line (spec 05 §3.19). */

import type { PassphrasePrompt } from "../lib/auth/store/types.ts";
import type { Secret } from "../lib/dispatch/types.ts";
import { invalidArg } from "./errors.ts";
import { namedFileText } from "./named_file.ts";
import type { CommandContext } from "./types.ts";

const LIMIT = 1024 * 1024;

// deno-lint-ignore no-control-regex -- control characters are what must be found
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * One secret text, trimmed: from the named file, from a hidden prompt at a terminal, else all of
 * standard input.
 *
 * @throws CliArgError when it is empty, not one line, too large or cannot be read
 */
export async function readSecret(
  context: CommandContext,
  request: { what: string; file?: string },
): Promise<Secret> {
  const text = request.file === undefined
    ? await fromStandardInput(context, request.what)
    : await namedFileText(context, { path: request.file, limit: LIMIT });
  const trimmed = text.trim();
  if (trimmed === "") throw invalidArg(undefined, `the ${request.what} is empty`);
  // A second line would be stored, and fail much later, in a header of some request.
  if (CONTROL.test(trimmed)) {
    throw invalidArg(
      undefined,
      `the ${request.what} holds a line break or another control character; give one line`,
    );
  }
  const { secret } = await import("../lib/auth/mod.ts");
  return secret(trimmed);
}

async function fromStandardInput(context: CommandContext, what: string): Promise<string> {
  const { host, signal } = context;
  if (host.isTerminal("stdin") && host.stdin.readHidden !== undefined) {
    host.stderr.write(`${what} (not shown): `);
    const typed = await host.stdin.readHidden(signal);
    host.stderr.write("\n");
    return typed ?? "";
  }
  try {
    return new TextDecoder().decode(await host.stdin.readAll(LIMIT, signal));
  } catch (error) {
    if (error instanceof RangeError) {
      throw invalidArg(undefined, `the ${what} is larger than 1 MiB`);
    }
    throw error;
  }
}

/** Asks for the vault's passphrase; undefined where nobody sits at both ends of the terminal. */
export function passphrasePrompt(context: CommandContext): PassphrasePrompt | undefined {
  const { host } = context;
  const readHidden = host.stdin.readHidden?.bind(host.stdin);
  if (!host.isTerminal("stdin") || !host.isTerminal("stderr") || readHidden === undefined) {
    return undefined;
  }
  const ask = async (question: string, signal: AbortSignal) => {
    host.stderr.write(question);
    const typed = await readHidden(signal);
    host.stderr.write("\n");
    return typed;
  };
  return async ({ profileName, purpose }, signal) => {
    const prefix = purpose === "create" ? "New passphrase" : "Passphrase";
    const first = await ask(`${prefix} for the vault of profile ${profileName}: `, signal);
    if (first === undefined || first === "") return undefined;
    if (purpose === "create" && await ask("Once more: ", signal) !== first) {
      throw invalidArg(undefined, "the two passphrases differ");
    }
    const { secret } = await import("../lib/auth/mod.ts");
    return secret(first);
  };
}
