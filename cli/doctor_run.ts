/** What `gum doctor` prints. */

import { baseDirectories } from "../lib/config/directories.ts";
import { type DoctorReport, runDoctor } from "../lib/doctor/mod.ts";
import { visibleText } from "../lib/format/visible/mod.ts";
import { choiceOf } from "./choices.ts";
import { FailedReport } from "./errors.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum doctor`. */
export async function runDoctorCommand(context: CommandContext): Promise<void> {
  const { host, flags, profile, log } = context;
  const format = choiceOf(flags, { flag: "format", choices: ["text", "json"] });
  const report = await runDoctor({
    profileName: profile,
    directories: baseDirectories(host.environment),
    environment: host.environment,
    os: Deno.build.os,
    clock: host.factories.clock,
    log,
    // Watching for signals can wait until the program that is tried out has been started.
    get signal() {
      return context.signal;
    },
  });
  host.stdout.write(
    format === "json" ? JSON.stringify(report, null, 2) + "\n" : reportText(report),
  );
  if (!report.ok) throw new FailedReport("a check failed");
}

/** The report as lines. */
function reportText(report: DoctorReport): string {
  const lines = report.checks.flatMap((check) => [
    `[${check.ok ? "ok" : "FAIL"}] ${check.name}: ${visibleText(check.summary)}`,
    ...(check.hint === undefined ? [] : [`       ${visibleText(oneLine(check.hint))}`]),
    ...(check.warnings ?? []).map((one) => `       ${visibleText(one.user_message)}`),
  ]);
  const failed = report.checks.filter((check) => !check.ok).length;
  lines.push(
    failed === 0
      ? `All checks passed for profile ${report.profile}.`
      : `${failed} of ${report.checks.length} checks FAILED for profile ${report.profile}.`,
  );
  return lines.join("\n") + "\n";
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}
