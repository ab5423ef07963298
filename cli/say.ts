/** Notes for the person at the terminal, beside the result. */

import type { CommandContext } from "./types.ts";

/**
 * One line on stderr. In a pipe it has the form of a log line, so that stderr stays parseable line
 * by line.
 */
export function say(context: Pick<CommandContext, "host" | "flags">, text: string): void {
  const { host, flags } = context;
  const plain = host.isTerminal("stderr") || flags.text("log-format")?.toLowerCase() === "text";
  host.stderr.write(plain ? `gum: ${text}\n` : JSON.stringify({ level: "info", msg: text }) + "\n");
}
