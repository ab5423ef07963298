/** What `gum plugin validate` prints (spec 06 §8.3). */

import { embeddedRequestSchema, loadCatalog } from "../lib/catalog/mod.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, setting } from "../lib/config/mod.ts";
import { openPluginRegistry, type PluginValidation, validatePlugin } from "../lib/plugin/mod.ts";
import { FailedReport } from "./errors.ts";
import { pluginFormat } from "./plugin_parts.ts";
import { oneLine } from "./plugin_text.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum plugin validate`. @throws FailedReport when a rule is broken. */
export async function runValidate(context: CommandContext): Promise<void> {
  const { words, host, profile, log, signal } = context;
  const format = pluginFormat(context);
  const directories = profileDirectories(baseDirectories(host.environment), profile);
  const { config } = await loadConfig({ profileName: profile, directory: directories.config, log });
  const found = await validatePlugin({ path: words[0] ?? "", signal }, {
    registry: openPluginRegistry({
      profileDir: directories.data,
      clock: host.factories.clock,
      logger: log,
    }),
    catalog: loadCatalog(),
    embeddedSchemas: embeddedRequestSchema,
    settings: {
      isDev: setting(config, "profile.is_dev"),
      denoPath: setting(config, "plugins.deno_path"),
    },
  });
  const lines = format === "json" ? [JSON.stringify(found, null, 2)] : textOf(found).map(oneLine);
  host.stdout.write(lines.join("\n") + "\n");
  if (!found.ok) throw new FailedReport();
}

function textOf({ ok, plugin_id: id, version, ...found }: PluginValidation): string[] {
  const { violations, warnings, permissions } = found;
  const many = violations.length === 1 ? "1 rule is" : `${violations.length} rules are`;
  return [
    ok ? `${id} ${version} can be installed` : `${many} broken`,
    ...violations.map(({ code, message }) => `  ${code}: ${message}`),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...permissions,
  ];
}
