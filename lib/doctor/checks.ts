/** The checks of `gum doctor`, with everything they look at (spec 05 §3.20). */

import { loadConfig, type LoadedConfig } from "../config/mod.ts";
import { profileDirectories } from "../config/directories.ts";
import { silentLogger } from "../log/mod.ts";
import { authCheck } from "./auth_check.ts";
import { configCheck } from "./config_check.ts";
import { auditCheck, cacheCheck } from "./directory_checks.ts";
import { pluginCheck } from "./plugin_check.ts";
import type { CheckContext, DoctorCheck, DoctorContext } from "./types.ts";

/** In the order of the report. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  authCheck,
  auditCheck,
  cacheCheck,
  pluginCheck,
  configCheck,
];

/** What the checks of one run share. */
export function checkContext(context: DoctorContext): CheckContext {
  const { profileName, directories } = context;
  let loading: Promise<LoadedConfig> | undefined;
  return {
    ...context,
    configuration: () =>
      // The report shows the warnings; the log need not say them as well.
      loading ??= loadConfig({
        profileName,
        directory: profileDirectories(directories, profileName).config,
        log: silentLogger,
      }),
  };
}
