/** What `gum gain` does. */

import { baseDirectories, profileDirectories } from "../lib/config/directories.ts";
import { loadConfig, setting } from "../lib/config/mod.ts";
import { GumError, isGumError } from "../lib/errors/mod.ts";
import { writeFileAtomic } from "../lib/files/mod.ts";
import {
  type ChartedGain,
  chartLedger,
  gainCsv,
  gainDisabled,
  gainJson,
  type GainQuery,
  gainReportPage,
  gainSwitch,
  gainText,
  type GainView,
  viewLedger,
} from "../lib/gain/mod.ts";
import { choiceOf } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import { say } from "./say.ts";
import { terminalWidth } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

const LEDGER_FORMATS = ["text", "json", "csv"] as const;
const REPLAY_FORMATS = ["toon", "json"] as const;

/** Runs `gum gain`. Every flag is judged before anything is read. */
export async function runGain(context: CommandContext): Promise<void> {
  const { flags, host } = context;
  if (flags.on("fixture-replay")) return await replay(context);
  const format = flags.changed("format")
    ? choiceOf(flags, { flag: "format", choices: LEDGER_FORMATS })
    : "text";
  const report = flags.text("report");
  const query = queryOf(context, { report: report !== undefined });
  const directories = profileDirectories(baseDirectories(host.environment), context.profile);
  await refuseWhenOff(context, directories.config);
  const view = report === undefined
    ? await viewLedger(directories.data, query)
    : await writeReport(context, {
      path: report,
      gain: await chartLedger(directories.data, query),
    });
  const columns = host.isTerminal("stdout") ? terminalWidth(host) : undefined;
  for (const piece of rendered(view, { format, columns })) host.stdout.write(piece);
}

function rendered(
  view: GainView,
  { format, columns }: { format: typeof LEDGER_FORMATS[number]; columns: number | undefined },
): Iterable<string> {
  switch (format) {
    case "json":
      return gainJson(view);
    case "csv":
      return gainCsv(view);
    case "text":
      return gainText(view, columns === undefined ? {} : { columns });
  }
}

function queryOf(context: CommandContext, options: { report: boolean }): GainQuery {
  const { flags } = context;
  const bounds = {
    since: timeFlag(context, "since"),
    until: timeFlag(context, "until"),
    excludeRetries: flags.on("exclude-retries"),
  };
  const session = flags.text("session");
  if (session !== undefined) {
    if (!/^[0-9a-f]{8}$/.test(session)) throw invalidArg("--session", "must be 8 hex digits");
    for (const other of ["history", "by-op"]) {
      if (flags.on(other)) throw invalidArg(`--${other}`, "does not go with --session");
    }
    if (options.report) throw invalidArg("--report", "does not go with --session");
    return { mode: "session", session, ...bounds };
  }
  if (flags.on("history")) {
    if (flags.on("by-op")) throw invalidArg("--by-op", "does not go with --history");
    if (options.report) throw invalidArg("--report", "does not go with --history");
    return { mode: "history", ...bounds };
  }
  return { mode: "summary", byOp: flags.on("by-op") || options.report, ...bounds };
}

const DATE_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/;

function timeFlag(context: CommandContext, name: "since" | "until"): number | undefined {
  const text = context.flags.text(name);
  if (text === undefined) return undefined;
  const parts = DATE_TIME.exec(text);
  const time = parts === null ? NaN : Date.parse(text);
  // Date.parse takes 31 February for 3 March.
  const day = parts === null ? 0 : new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate();
  if (Number.isNaN(time) || day !== Number(parts?.[3])) {
    throw invalidArg(
      `--${name}`,
      `${JSON.stringify(text)} is no RFC 3339 date and time with a zone, ` +
        "such as 2026-05-01T00:00:00Z",
    );
  }
  return time;
}

/** A configuration that cannot be read leaves accounting on. */
async function refuseWhenOff(context: CommandContext, directory: string): Promise<void> {
  const { host, profile, log } = context;
  let configured: boolean | undefined;
  try {
    const { config } = await loadConfig({ profileName: profile, directory, log });
    configured = setting(config, "gain.enabled");
  } catch (error) {
    if (!isGumError(error)) throw error;
  }
  const state = gainSwitch({
    disabledByEnvironment: host.environment.isOne("GUM_GAIN_DISABLED"),
    configured,
  });
  if (!state.on) throw gainDisabled(state.source);
}

async function writeReport(
  context: CommandContext,
  report: { path: string; gain: ChartedGain },
): Promise<GainView> {
  const page = gainReportPage({
    ...report.gain,
    profileName: context.profile,
    madeAt: context.host.factories.clock.now(),
  });
  await writeFileAtomic(report.path, new TextEncoder().encode(page), { mode: 0o644 });
  say(context, `report written to ${report.path}`);
  return report.gain.view;
}

/** The profile's own default, as far as a replay knows it; a broken configuration has none. */
async function configuredFormat(context: CommandContext): Promise<"toon" | "json" | undefined> {
  const { host, profile, log } = context;
  try {
    const directories = profileDirectories(baseDirectories(host.environment), profile);
    const { config } = await loadConfig({
      profileName: profile,
      directory: directories.config,
      log,
    });
    const configured = setting(config, "output.default_format");
    return REPLAY_FORMATS.find((name) => name === configured && name !== "toon");
  } catch (error) {
    if (!isGumError(error)) throw error;
    return undefined;
  }
}

async function replay(context: CommandContext): Promise<void> {
  const { flags, host } = context;
  for (const name of ["session", "since", "until", "report"]) {
    if (flags.changed(name)) throw invalidArg(`--${name}`, "does not go with --fixture-replay");
  }
  for (const name of ["history", "by-op", "exclude-retries"]) {
    if (flags.on(name)) throw invalidArg(`--${name}`, "does not go with --fixture-replay");
  }
  const typed = flags.text("format")?.toLowerCase();
  const format = REPLAY_FORMATS.find((name) => name === (typed ?? "toon"));
  if (format === undefined) {
    throw invalidArg("--format", `accepted here: ${REPLAY_FORMATS.join(", ")}`);
  }
  const { replayFixtures } = host.factories;
  if (replayFixtures === undefined) {
    throw new GumError("GAIN_FIXTURE_SET_MISSING", {
      message: "this build holds no recorded calls",
      details: { path: host.environment.text("GUM_FIXTURE_DIR") ?? "" },
      suggestion: "Use a release build, or name the folder of the recorded calls in " +
        "GUM_FIXTURE_DIR.",
    });
  }
  const result = await replayFixtures({
    format: typed === undefined ? await configuredFormat(context) : format,
    directory: host.environment.text("GUM_FIXTURE_DIR"),
  });
  host.stdout.write(JSON.stringify(result, null, 2) + "\n");
}
