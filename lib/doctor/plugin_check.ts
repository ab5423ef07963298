/** The `plugin` check. */

import { profileDirectories } from "../config/directories.ts";
import { pluginHealth, pluginPaths } from "../plugin/health/mod.ts";
import { hostSandbox } from "./host_sandbox.ts";
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

async function sandboxWords(context: DoctorContext): Promise<string> {
  const { backend, network } = await hostSandbox(context);
  if (backend === "none") return "none, so only plugins of the shape deno-script run";
  return network === "enforced" ? backend : `${backend} (network only partly)`;
}
