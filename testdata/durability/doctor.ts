/** The doctor's word on a data directory. */

import { systemClock } from "../../lib/clock/mod.ts";
import { environmentOf } from "../../lib/config/environment.ts";
import { runDoctor } from "../../lib/doctor/mod.ts";
import { silentLogger } from "../../lib/log/mod.ts";

/** Runs the `audit` check for the profile `default` below a base data directory. */
export async function checkedDoctor(data: string): Promise<{ ok: boolean; hint?: string }> {
  const report = await runDoctor({
    profileName: "default",
    directories: { config: data, data, cache: data },
    environment: environmentOf({}),
    os: Deno.build.os,
    clock: systemClock,
    log: silentLogger,
    signal: new AbortController().signal,
  }, ["audit"]);
  const [check] = report.checks;
  return { ok: check?.ok ?? false, hint: check?.hint };
}
