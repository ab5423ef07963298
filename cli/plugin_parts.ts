/** What the `gum plugin` commands work with. */

import type { AuditSink } from "../lib/dispatch/types.ts";
import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, setting } from "../lib/config/mod.ts";
import { accepted } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import type { OwnPluginRegistry, PluginSettings } from "../lib/plugin/mod.ts";
import type { CommandContext, CommandHost } from "./types.ts";

/** The profile's registry, settings and audit log, opened for one command. */
export interface PluginCommandParts {
  registry: OwnPluginRegistry;
  settings: PluginSettings;
  auditSink: AuditSink;
  /** `<data>/gum/<profile>`. */
  profileDir: string;
}

/** `<data>/gum/<profile>` of a host's profile. */
export function pluginProfileDir(host: CommandHost, profile: string): string {
  return profileDirectories(baseDirectories(host.environment), profile).data;
}

/** Where the runtime of scripts lies that all profiles share; no profile can have its name. */
export function runtimeDirectory(host: CommandHost): string {
  return `${baseDirectories(host.environment).data}/gum/@runtime`;
}

/** Opens them, runs `work`, and leaves no handle open. */
export async function withPluginParts<T>(
  context: CommandContext,
  work: (parts: PluginCommandParts) => Promise<T>,
): Promise<T> {
  const { host, profile, log } = context;
  const { clock } = host.factories;
  const [{ openPluginRegistry }, { openAuditLog }] = await Promise.all([
    import("../lib/plugin/mod.ts"),
    import("../lib/audit/mod.ts"),
  ]);
  const directories = profileDirectories(baseDirectories(host.environment), profile);
  const { config } = await loadConfig({ profileName: profile, directory: directories.config, log });
  const profileDir = directories.data;
  const auditSink = openAuditLog({ directory: profileDir, profileName: profile, clock, log });
  try {
    return await work({
      registry: openPluginRegistry({ profileDir, clock, logger: log, auditSink }),
      settings: {
        isDev: setting(config, "profile.is_dev"),
        denoPath: setting(config, "plugins.deno_path"),
        runtimeDir: runtimeDirectory(host),
      },
      auditSink,
      profileDir,
    });
  } finally {
    await auditSink.close();
  }
}

/** The value of `--format`. @throws CliArgError */
export function pluginFormat({ flags }: Pick<CommandContext, "flags">): "text" | "json" {
  const format = flags.text("format")?.toLowerCase();
  if (format === "text" || format === "json") return format;
  throw invalidArg("--format", accepted(format ?? "", ["text", "json"]));
}
