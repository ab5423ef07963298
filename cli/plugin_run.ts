/** What `gum plugin run`, `reload` and `unquarantine` do (spec 06 §3.22, §8.2). */

import { findGumError } from "../lib/errors/mod.ts";
import { requirePluginId } from "../lib/plugin/status/mod.ts";
import { acceptRuntime, reloadPlugin, unquarantinePlugin } from "../lib/plugin/supervisor/mod.ts";
import { jsonObject } from "./arg_grammar.ts";
import { dispatchConfirmed } from "./confirmation.ts";
import { DispatchFailure, invalidArg } from "./errors.ts";
import { withCommandRuntime } from "./plugin_canary.ts";
import { withPluginParts } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import { say } from "./say.ts";
import { openCommandSession } from "./session.ts";
import { showProgress, withProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin run`: one tool through the kernel, with everything that guards a call. */
export async function runTool(context: CommandContext): Promise<void> {
  const { words, flags, host } = context;
  const [pluginId = "", tool = "", argsText = "{}"] = words;
  const args = jsonObject(argsText, "args-json");
  if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(tool)) {
    throw invalidArg("tool", "not the name of a plugin's tool");
  }
  const allowed = flags.on("allow-write");
  const session = withProgress(await openCommandSession(context), context);
  try {
    const response = await dispatchConfirmed({
      kernel: session.kernel,
      invocation: {
        opId: `plug.${requirePluginId(pluginId)}.${tool}`,
        args,
        format: "raw",
        allowWrite: allowed,
        allowDestructive: allowed,
        caller: "cli",
      },
      choice: flags.on("yes") ? { kind: "yes" } : { kind: "ask" },
      account: session.emulated?.account.email,
    }, context);
    const body = new TextDecoder().decode(response.body);
    host.stdout.write(body.endsWith("\n") ? body : `${body}\n`);
  } catch (error) {
    const known = findGumError(error);
    throw known === undefined || known !== error
      ? error
      : new DispatchFailure(known, { requestedRisk: allowed ? "write" : "read", command: "run" });
  } finally {
    await session.close();
  }
}

/** Runs `gum plugin reload`. */
export async function runReload(context: CommandContext): Promise<void> {
  const { words, flags, host, signal } = context;
  const pluginId = words[0] ?? "";
  await withPluginParts(context, async (parts) => {
    const { registry, settings } = parts;
    if (flags.on("accept-runtime")) {
      await acceptRuntime(pluginId, {
        registry,
        settings,
        environment: host.environment,
        signal,
        onChange: ({ before, after }) =>
          say(
            context,
            `Deno ${before.version} (${before.path}) becomes Deno ${after.version} (${after.path})`,
          ),
      });
    }
    const progress = showProgress(`trying ${oneLine(pluginId)}`, host);
    await withCommandRuntime(context, parts, async ({ supervisor }) => {
      await reloadPlugin(pluginId, { registry, supervisor, signal });
    }).finally(progress);
  });
  host.stdout.write(`reloaded ${pluginId}\n`);
}

/** Runs `gum plugin unquarantine`. */
export async function runUnquarantine(context: CommandContext): Promise<void> {
  const { words, host, signal } = context;
  const pluginId = words[0] ?? "";
  await withPluginParts(context, async (parts) => {
    await withCommandRuntime(context, parts, async ({ supervisor }) => {
      await unquarantinePlugin(pluginId, { registry: parts.registry, supervisor, signal });
    });
  });
  host.stdout.write(`unquarantined ${pluginId}\n`);
}
