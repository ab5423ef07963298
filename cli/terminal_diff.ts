/** What a change does to a text file, on stderr: stdout stays one line a file. */

import { diffLines } from "../lib/agents/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import { stylesFor } from "./terminal_text.ts";
import type { CommandHost } from "./types.ts";

/** Writes the lines that go and come, with a little context. */
export function writeDiff(
  texts: { before: string | undefined; after: string | undefined },
  host: CommandHost,
): void {
  const styles = stylesFor(host, "stderr");
  for (const line of diffLines(texts.before ?? "", texts.after ?? "")) {
    const style = line.startsWith("+")
      ? styles.green
      : line.startsWith("-")
      ? styles.red
      : styles.dim;
    host.stderr.write(style(visibleText(line)) + "\n");
  }
}
