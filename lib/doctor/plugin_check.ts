/** The `plugin` check. */

import { profileDirectories } from "../config/directories.ts";
import { pluginHealth, pluginPaths } from "../plugin/status/mod.ts";
import type { DoctorCheck, DoctorContext, DoctorFinding } from "./types.ts";

/**
 * The registry can be read, its files agree, and nothing waits or is quarantined unsaid. The
 * summary always says what confines plugins on this machine.
 */
export const pluginCheck: DoctorCheck = {
  name: "plugin",
  async run(context) {
    const { data } = profileDirectories(context.directories, context.profileName);
    const finding: DoctorFinding = pluginHealth(pluginPaths(data));
    return { ...finding, summary: `${finding.summary}; sandbox: ${await sandboxWords(context)}` };
  },
};

async function sandboxWords({ environment, os }: DoctorContext): Promise<string> {
  const { describeHost } = await import("../plugin/sandbox/mod.ts");
  const { backend, network } = await describeHost({
    environment,
    os,
    settings: { isDev: false, backend: "auto", network: "strict", read: "open" },
    hidden: [],
  });
  if (backend === "none") return "none, so only plugins of the shape deno-script run";
  return network === "enforced" ? backend : `${backend} (network only partly)`;
}
