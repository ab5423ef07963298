/** What `gum canary` does (spec 06 §3.18). */

import { rfc3339 } from "../lib/clock/mod.ts";
import { parseCanaryArgs } from "../lib/plugin/canary/mod.ts";
import { activate } from "../lib/plugin/setup/mod.ts";
import { requirePluginId } from "../lib/plugin/status/mod.ts";
import type { PluginRuntime } from "../lib/plugin/runtime/mod.ts";
import { FailedReport, invalidArg } from "./errors.ts";
import { withCommandRuntime } from "./plugin_canary.ts";
import { type PluginCommandParts, withPluginParts } from "./plugin_parts.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum canary`. */
export async function runCanaryCommand(context: CommandContext): Promise<void> {
  const { flags, host, signal } = context;
  const pluginId = requirePluginId(flags.text("plugin") ?? "");
  const live = flags.on("live");
  const overrides = parseCanaryArgs(flags.text("canary-args") ?? "");
  if (overrides === undefined) throw invalidArg("--canary-args", "expected 'k=v k2=v2'");
  const outcome = await withPluginParts(
    context,
    (parts) =>
      withCommandRuntime(context, parts, async (runtime) => {
        const found = await runtime.gatedCanary({ pluginId, live, overrides, signal });
        if (found.ok && live) await finishSetup(pluginId, { context, parts, runtime });
        return found;
      }),
  );
  host.stdout.write(JSON.stringify({ ...outcome, host_condition: undefined }) + "\n");
  if (!outcome.ok) throw new FailedReport();
}

/** A live canary that passes with every credential in place is the proof that a setup asks for. */
async function finishSetup(
  pluginId: string,
  given: { context: CommandContext; parts: PluginCommandParts; runtime: PluginRuntime },
): Promise<void> {
  const { context: { host, signal }, parts: { registry, auditSink }, runtime } = given;
  const { lock, state } = await registry.loadSnapshot();
  const version = lock.plugins.find(({ name }) => name === pluginId)?.version ?? "";
  const waits = state.plugins
    .some(({ name, needs_configuration: needs }) => name === pluginId && needs === true);
  if (!waits || !await runtime.credentialsComplete(pluginId, signal)) return;
  await registry.writeTransaction((draft) => {
    const row = draft.state.plugins.find(({ name }) => name === pluginId);
    if (row === undefined) return false;
    activate(row, { now: rfc3339(host.factories.clock.now()) });
  }, { signal });
  auditSink.append({ event: "plugin_activated", plugin: pluginId, version });
}
