/** The `audit` and `cache` checks: their folders take files, and no audit row was lost. */

import { sentinelText } from "../audit/broken/mod.ts";
import { profileDirectories } from "../config/directories.ts";
import { tryWriting } from "../health/writable/mod.ts";
import type { DoctorCheck, DoctorFinding } from "./types.ts";

/** The data folder is writable and the audit log has not stopped. */
export const auditCheck: DoctorCheck = {
  name: "audit",
  async run({ profileName, directories }) {
    const folder = profileDirectories(directories, profileName).data;
    const problem = await writeProblem(folder, ".audit-doctor-probe");
    // A sentinel that cannot be read is one all the same; a folder's own problem is told below.
    const sentinel = await sentinelText(folder).catch(() => problem === undefined ? "" : undefined);
    if (sentinel !== undefined) {
      return {
        ok: false,
        summary: "the audit log has stopped",
        hint: sentinel === "" ? `see ${folder}/audit.broken` : sentinel,
      };
    }
    return problem ?? { ok: true, summary: `audit log writable in ${folder}` };
  },
};

/** The cache folder is writable. The databases in it are not opened. */
export const cacheCheck: DoctorCheck = {
  name: "cache",
  async run({ profileName, directories }) {
    const folder = profileDirectories(directories, profileName).cache;
    return await writeProblem(folder, ".doctor-probe") ??
      { ok: true, summary: `cache writable in ${folder}` };
  },
};

async function writeProblem(folder: string, probe: string): Promise<DoctorFinding | undefined> {
  try {
    await tryWriting(folder, probe);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    return {
      ok: false,
      summary: `${folder} cannot be written`,
      hint: `make it writable, or point the XDG directory elsewhere: ${why}`,
    };
  }
}
