/** The `plugin` check. */

import type { DoctorCheck } from "./types.ts";

/** Passes as long as no plugin can be installed: there is no registry to be wrong. */
export const pluginCheck: DoctorCheck = {
  name: "plugin",
  run: () => Promise.resolve({ ok: true, summary: "no plugins installed" }),
};
