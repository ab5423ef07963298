/** The `plugin` check. */

import { profileDirectories } from "../config/directories.ts";
import { pluginHealth, pluginPaths } from "../plugin/status/mod.ts";
import type { DoctorCheck, DoctorFinding } from "./types.ts";

/** The registry can be read, its files agree, and nothing waits or is quarantined unsaid. */
export const pluginCheck: DoctorCheck = {
  name: "plugin",
  run({ directories, profileName }) {
    const { data } = profileDirectories(directories, profileName);
    const finding: DoctorFinding = pluginHealth(pluginPaths(data));
    return Promise.resolve(finding);
  },
};
