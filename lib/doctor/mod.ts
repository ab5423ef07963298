/**
 * Health checks of one profile, all local (spec 05 §3.20).
 *
 * @module
 */

import { auditCheck, cacheCheck } from "./directory_checks.ts";
import { authCheck } from "./auth_check.ts";
import { configCheck } from "./config_check.ts";
import { pluginCheck } from "./plugin_check.ts";
import type { DoctorCheck, DoctorContext, DoctorFinding, DoctorReport } from "./types.ts";

export type { DoctorCheck, DoctorContext, DoctorFinding, DoctorReport } from "./types.ts";
export { authCheck, findingOf } from "./auth_check.ts";

/** The checks of `gum doctor`, in the order of its report. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  authCheck,
  auditCheck,
  cacheCheck,
  pluginCheck,
  configCheck,
];

/** Runs every check; one that breaks is a failed one and stops no other. */
export async function runDoctor(
  context: DoctorContext,
  checks: readonly DoctorCheck[] = DOCTOR_CHECKS,
): Promise<DoctorReport> {
  const found: DoctorReport["checks"] = [];
  for (const check of checks) {
    found.push({ name: check.name, ...await findingFrom(check, context) });
  }
  return {
    ok: found.every((finding) => finding.ok),
    profile: context.profileName,
    checks: found,
  };
}

async function findingFrom(check: DoctorCheck, context: DoctorContext): Promise<DoctorFinding> {
  try {
    return await check.run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, summary: "the check itself failed", hint: why || "no reason was given" };
  }
}
