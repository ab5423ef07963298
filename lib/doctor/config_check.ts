/** The `config` check: the file loads. */

import { configPath } from "../config/mod.ts";
import { profileDirectories } from "../config/directories.ts";
import { findGumError } from "../errors/mod.ts";
import type { DoctorCheck } from "./types.ts";

/** Loads the configuration; its warnings are shown and do not fail the check. */
export const configCheck: DoctorCheck = {
  name: "config",
  async run({ profileName, directories, configuration }) {
    const directory = profileDirectories(directories, profileName).config;
    try {
      const { config, warnings } = await configuration();
      const keys = warnings.map(({ key, error_code }) => key === "" ? error_code : key);
      return {
        ok: true,
        summary: `loaded ${config.values.size} keys from ${configPath(directory)}`,
        ...(keys.length === 0 ? {} : { hint: `look at ${keys.join(", ")}`, warnings }),
      };
    } catch (error) {
      const problem = findGumError(error);
      if (problem === undefined) throw error;
      const hint = `${problem.userMessage} ${problem.suggestion}`.trim();
      return { ok: false, summary: problem.message, hint };
    }
  },
};
