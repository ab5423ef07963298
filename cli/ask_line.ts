/** Questions to the person at the terminal, asked on stderr. */

import type { CommandHost } from "./types.ts";

/** A question, and what ends the wait for its answer. */
export interface Question {
  /** Shown as it is given, the answer behind it. */
  text: string;
  signal: AbortSignal;
}

/** The line that was typed; undefined at the end of input. */
export async function askLine(
  host: CommandHost,
  { text, signal }: Question,
): Promise<string | undefined> {
  host.stderr.write(text);
  const line = await host.stdin.readLine(signal);
  // Nobody pressed return, so the cursor still stands behind the question.
  if (line === undefined) host.stderr.write("\n");
  return line;
}

/** Only `y` and `yes` are consent; an empty line and the end of input are not. */
export async function askYes(host: CommandHost, question: Question): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await askLine(host, question) ?? "");
}
