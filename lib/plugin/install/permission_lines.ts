/** What a plugin will be allowed to do, in words, before it is installed. */

import { wantsGoogleToken } from "../manifest/mod.ts";
import type { PluginManifest, PluginPaths } from "../types.ts";
import { scriptPermissions } from "./deno_runtime.ts";

/** One line for each permission. Variables that carry secrets are counted, not named. */
export function permissionLines(
  manifest: PluginManifest,
  { paths, mayRead = permitted }: {
    paths: PluginPaths;
    /** Default: what this process has the permission for. */
    mayRead?: (variable: string) => boolean;
  },
): string[] {
  const { plugin, declared_capabilities: capabilities, requirements } = manifest;
  const dataDir = paths.dataDir(plugin.name);
  const writes = capabilities.fs_write_dir === ""
    ? dataDir
    : `${dataDir}/${capabilities.fs_write_dir}`;
  const hosts = capabilities.net_hosts.join(", ");
  const network = !capabilities.network
    ? "none"
    : hosts === ""
    ? "every host"
    : plugin.shape === "deno-script"
    ? hosts
    : `every host (declared: ${hosts})`;
  const reads = plugin.shape === "deno-script"
    ? "its own folders"
    : "whatever you can read, unless plugins.sandbox_read is strict";
  const lines = [`reads: ${reads}`, `writes: ${writes}`, `network: ${network}`];
  if (requirements.credential_descriptors.length > 0) {
    const names = requirements.credential_descriptors.map(({ display_name }) => display_name);
    lines.push(`credentials: ${names.join(", ")}`);
  }
  if (wantsGoogleToken(manifest)) lines.push("credentials: your Google access token");
  if (capabilities.env_allow.length > 0) {
    const given = capabilities.env_allow.filter(mayRead).length;
    const withheld = capabilities.env_allow.length - given;
    lines.push(
      `environment: ${given} of your variables` +
        (withheld === 0 ? "" : `; ${withheld} more that it asks for, GUM itself may not read`),
    );
  }
  if (plugin.shape === "deno-script") {
    const flags = scriptPermissions({
      installRoot: paths.pluginRoot(plugin.name),
      dataDir,
      capabilities,
    });
    lines.push(`permissions: ${flags.join(" ")}`);
  }
  return lines;
}

function permitted(variable: string): boolean {
  return Deno.permissions.querySync({ name: "env", variable }).state === "granted";
}
