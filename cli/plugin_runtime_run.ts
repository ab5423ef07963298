/** What `gum plugin runtime install` does (spec 06 §8.2). */

import { createHttpClient } from "../lib/http/mod.ts";
import { installRuntime } from "../lib/plugin/mod.ts";
import { pluginFormat, runtimeDirectory } from "./plugin_parts.ts";
import { say } from "./say.ts";
import { showProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin runtime install`. */
export async function runRuntimeInstall(context: CommandContext): Promise<void> {
  const { host, signal } = context;
  const format = pluginFormat(context);
  using http = createHttpClient();
  say(context, "fetching the runtime of script plugins, about 40 MB, unless it is there");
  const progress = showProgress("fetching", host);
  const done = await installRuntime({ signal }, { directory: runtimeDirectory(host), http })
    .finally(progress);
  if (format === "json") return host.stdout.write(JSON.stringify(done, null, 2) + "\n");
  const what = done.fetched ? "installed" : "already there:";
  host.stdout.write(`${what} Deno ${done.version}\npath: ${done.path}\n`);
}
