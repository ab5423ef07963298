/** What `gum plugin install`, `remove` and `transfer-namespace` do. */

import { openCredentialStore } from "../lib/auth/store/mod.ts";
import { embeddedRequestSchema, loadCatalog } from "../lib/catalog/mod.ts";
import { createHttpClient } from "../lib/http/mod.ts";
import {
  type InstallPlan,
  installPlugin,
  type InstallResult,
  removePlugin,
  transferNamespace,
} from "../lib/plugin/mod.ts";
import { commandStore } from "./credential_store.ts";
import { invalidArg, UsageError } from "./errors.ts";
import { liveCanary, NO_SANDBOX, sandboxLine, sandboxOf } from "./plugin_canary.ts";
import { pluginFormat, withPluginParts } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import { say } from "./say.ts";
import { showProgress } from "./terminal_progress.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin install`. */
export async function runInstall(context: CommandContext): Promise<void> {
  const { words, flags, host, signal, log } = context;
  const path = words[0] ?? "";
  if (path === "") throw invalidArg("dir", "names no directory");
  if (/^https?:\/\//i.test(path)) {
    throw invalidArg(path, "name a directory; a plugin is not installed from an address");
  }
  const format = pluginFormat(context);
  if (!flags.on("yes")) {
    throw new UsageError(
      "required flag --yes is missing; it acknowledges that a plugin is third-party code that " +
        "runs with your rights",
    );
  }
  await withPluginParts(context, async ({ registry, settings, auditSink }) => {
    using http = createHttpClient();
    const parts = {
      registry,
      settings,
      auditSink,
      catalog: loadCatalog(),
      embeddedSchemas: embeddedRequestSchema,
      environment: host.environment,
      http,
      clock: host.factories.clock,
      logger: log,
    };
    const canary = await liveCanary(context, { registry, settings, auditSink });
    let progress = () => {};
    const result = await installPlugin({
      path,
      signal,
      allowNamespaceConflict: flags.on("dev-allow-namespace-conflict"),
      runCanary: !flags.on("no-canary"),
      onPlan: (plan) => {
        showPlan(context, plan);
        progress = showProgress(`installing ${oneLine(plan.manifest.plugin.name)}`, host);
      },
    }, {
      ...parts,
      // The trial has a line of its own.
      canary: async (pluginId, stop) => {
        progress();
        return await canary(pluginId, stop);
      },
      sandbox: sandboxOf(context),
    }).finally(() => progress());
    report(context, { result, format });
  });
}

function showPlan(context: CommandContext, plan: InstallPlan): void {
  const { plugin } = plan.manifest;
  const tell = (line: string) => say(context, oneLine(line));
  tell(`plugin ${plugin.name} ${plugin.version} (${plugin.display_name}) asks for:`);
  for (const line of plan.permissions) tell(`  ${line}`);
  for (const { message } of plan.warnings) tell(`warning: ${message}`);
}

function report(
  context: CommandContext,
  { result, format }: { result: InstallResult; format: "text" | "json" },
): void {
  const { host } = context;
  // Shown before the installation already, but for what only the installation found out.
  for (const { code, message } of result.warnings) {
    if (code === "canary_not_run") say(context, `warning: ${message}`);
  }
  if (result.canary?.ok === false) {
    say(
      context,
      `the live canary failed, so ${result.plugin_id} is quarantined; look at ` +
        `\`gum plugin info ${result.plugin_id}\`, then run \`gum plugin reload ${result.plugin_id}\``,
    );
  }
  if (format === "json") {
    const { canary: _, ...shown } = result;
    return host.stdout.write(JSON.stringify(shown, null, 2) + "\n");
  }
  const lines = [
    `installed ${result.plugin_id}`,
    `status: ${result.status}`,
    `sandbox: ${result.sandbox === null ? NO_SANDBOX : sandboxLine(result.sandbox)}`,
    result.risk === "dev-untrusted"
      ? "trust: the origin of this plugin is not pinned (dev-untrusted)"
      : "trust: files match the digests in the manifest; the author vouches for the rest",
  ];
  const next = nextStep(result);
  host.stdout.write([...lines, ...next].join("\n") + "\n");
}

function nextStep({ status, plugin_id: id }: InstallResult): string[] {
  if (status === "needs_configuration") return [`next: gum plugin setup ${id}`];
  if (status === "installed_pending_restart") {
    return ["next: it becomes active with the next start of gum; restart the MCP server"];
  }
  // An installation never lifts a quarantine.
  if (status === "quarantined") return [`next: gum plugin reload ${id}`];
  return [];
}

/** Runs `gum plugin remove`. */
export async function runRemove(context: CommandContext): Promise<void> {
  const { words, flags, host, profile, log, signal } = context;
  const pluginId = words[0] ?? "";
  const purge = flags.on("purge");
  await withPluginParts(context, async ({ registry, auditSink }) => {
    const store = purge ? await commandStore(context, { prompt: true }) : undefined;
    const removed = await removePlugin({ pluginId, purge, signal }, {
      registry,
      auditSink,
      logger: log,
      profileName: profile,
      ...(store === undefined ? {} : { credentials: () => openCredentialStore(store.options) }),
    });
    if (removed) return host.stdout.write(`removed ${pluginId}\n`);
    const rest = purge ? "; data and secrets it may have left are deleted" : "";
    say(context, `plugin ${pluginId} is not installed${rest}`);
  });
}

/** Runs `gum plugin transfer-namespace`. */
export async function runTransfer(context: CommandContext): Promise<void> {
  const { words, flags, host, profile, signal } = context;
  const prefix = words[0] ?? "";
  const given = flags.text("new-owner");
  const release = flags.on("release");
  if (release === flags.changed("new-owner")) {
    throw invalidArg(undefined, "give exactly one of --new-owner and --release");
  }
  if (!release && (given ?? "").trim() === "") throw invalidArg("--new-owner", "is empty");
  if (!flags.on("yes")) {
    throw new UsageError("required flag --yes is missing; it acknowledges a change of ownership");
  }
  await withPluginParts(context, async ({ registry, auditSink }) => {
    const done = await transferNamespace(
      { prefix, newOwner: release ? null : (given ?? ""), signal },
      { registry, auditSink, clock: host.factories.clock, profileName: profile },
    );
    const [name, from, to] = [done.prefix, done.oldOwner, done.newOwner].map((text) =>
      JSON.stringify(text)
    );
    host.stdout.write(
      done.released
        ? `released namespace ${name} (was owned by ${from})\n`
        : `transferred namespace ${name} from ${from} to ${to}\n`,
    );
  });
}
