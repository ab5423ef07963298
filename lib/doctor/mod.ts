/**
 * Health checks of one profile, all local (spec 05 §3.20).
 *
 * @module
 */

import { hostSandbox } from "./host_sandbox.ts";
import type {
  CheckContext,
  CheckName,
  DoctorCheck,
  DoctorContext,
  DoctorFinding,
  DoctorReport,
} from "./types.ts";

export type { CheckName, DoctorContext, DoctorFinding, DoctorReport } from "./types.ts";

/**
 * Runs every check, all at once; one that breaks is a failed one and stops no other.
 *
 * @param names Only these checks; absent: all.
 */
export async function runDoctor(
  context: DoctorContext,
  names?: readonly CheckName[],
): Promise<DoctorReport> {
  const wanted = (name: CheckName) => names?.includes(name) ?? true;
  if (wanted("plugin")) {
    // Programs that are tried once a process: they run while the checks load, and the check that
    // reports them also says what went wrong.
    hostSandbox(context).catch(() => undefined);
  }
  const { checkContext, DOCTOR_CHECKS } = await import("./checks.ts");
  const shared = checkContext(context);
  const found = await Promise.all(
    DOCTOR_CHECKS.filter(({ name }) => wanted(name)).map(async (check) => ({
      name: check.name,
      ...await findingFrom(check, shared),
    })),
  );
  return {
    ok: found.every((finding) => finding.ok),
    profile: context.profileName,
    checks: found,
  };
}

async function findingFrom(check: DoctorCheck, context: CheckContext): Promise<DoctorFinding> {
  try {
    return await check.run(context);
  } catch (error) {
    context.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, summary: "the check itself failed", hint: why || "no reason was given" };
  }
}
