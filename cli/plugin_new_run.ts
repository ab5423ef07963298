/** What `gum plugin new` does (spec 06 §8.3). */

import { writeTemplate } from "../lib/plugin/template/mod.ts";
import { accepted } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin new`. */
export async function runNew({ words, flags, host }: CommandContext): Promise<void> {
  const [first = "", second] = words;
  const shape = flags.text("shape") ?? "deno-script";
  if (shape !== "deno-script" && shape !== "mcp-plugin") {
    throw invalidArg("--shape", accepted(shape, ["deno-script", "mcp-plugin"]));
  }
  // A path alone names the plugin by its last part.
  const isPath = second === undefined && /[\\/]/.test(first);
  const name = isPath ? first.split(/[\\/]/).findLast((part) => part !== "") ?? "" : first;
  const directory = isPath ? first.replace(/[\\/]+$/, "") : second ?? `./${name}`;
  const written = await writeTemplate(directory, { name, shape });
  host.stdout.write(written.map((path) => `${directory}/${path}\n`).join(""));
}
