/** What `gum plugin new` does (spec 06 §8.3). */

import { writeTemplate } from "../lib/plugin/template/mod.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin new`. */
export async function runNew({ words, host }: CommandContext): Promise<void> {
  const [name = "", given] = words;
  const directory = given ?? `./${name}`;
  const written = await writeTemplate(directory, name);
  host.stdout.write(written.map((path) => `${directory}/${path}\n`).join(""));
}
