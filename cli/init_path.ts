/** Whether the `gum` that a client would start is this one (spec 08 §4.8 step 1). */

import { say } from "./say.ts";
import type { CommandContext } from "./types.ts";

/** Warns when the first `gum` on `PATH` is another program. */
export async function warnAboutOtherProgram(context: CommandContext): Promise<void> {
  const found = await firstOnPath(context.host.environment.text("PATH") ?? "");
  if (found === undefined || found === await ownProgram()) return;
  say(
    context,
    `the first gum on PATH is ${found}, which is not this program: probably the unrelated tool ` +
      "of the same name. The client starts gum by name; put this one first.",
  );
}

async function firstOnPath(path: string): Promise<string | undefined> {
  const windows = Deno.build.os === "windows";
  for (const folder of path.split(windows ? ";" : ":")) {
    if (folder === "") continue;
    try {
      const real = await Deno.realPath(`${folder}/gum${windows ? ".exe" : ""}`);
      if ((await Deno.stat(real)).isFile) return real;
    } catch {
      // Not in this folder, or not to be looked at.
    }
  }
  return undefined;
}

async function ownProgram(): Promise<string | undefined> {
  try {
    return await Deno.realPath(Deno.execPath());
  } catch {
    // Without a known path of its own every gum on PATH is another program.
    return undefined;
  }
}
