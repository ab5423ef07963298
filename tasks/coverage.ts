/**
 * `deno task coverage`: line coverage of every folder, held to its ratchet.
 *
 * Runs the suite with coverage, or reads the report that `--from FILE` names. Folders of `lib/`,
 * `cli` and `mcp` count; generated files, tests and fixtures do not. What a test runs in a process
 * of its own is not seen, so a folder that is proved through the program reads lower than it is.
 *
 * `testdata/coverage-ratchets.json` holds one entry a folder: the least it may have, and why.
 * `--raise` writes what was measured, less one point, where that is more than the entry says, and
 * adds folders that have none; to lower an entry is an edit by hand, with a note in the matrix.
 *
 * Whether the tests pass is the suite's to say: counting lines slows the sandbox's engine so much
 * that scripts with short deadlines miss them, so a failing test is shown and does not end the run.
 *
 * The measured platform is Linux. Elsewhere what is too low is a warning, and the exit code 0.
 */

/** What an unlisted folder needs, in percent of its lines. */
export const FLOOR_PERCENT = 85;
/** This far above its entry, a folder is worth a new one. */
export const OPPORTUNITY_MARGIN = 2;
/** The platform whose measurements the entries are. */
export const BASELINE_OS = "linux";

/** Least coverage of one folder. */
export interface Ratchet {
  module: string;
  /** Percent of lines. */
  min: number;
  /** Why it is this and not the floor; never empty. */
  why: string;
}

/** What a report says about one folder. */
export interface ModuleCoverage {
  module: string;
  lines: number;
  hit: number;
}

/** A folder below what it must have. */
export interface Violation {
  module: string;
  percent: number;
  min: number;
}

/** What is to be printed and what the exit code is. */
export interface CoverageVerdict {
  errors: string[];
  warnings: string[];
  hints: string[];
  code: 0 | 1;
}

/** The folder that a source file counts for; undefined for what is not tracked. */
export function gatedModule(path: string): string | undefined {
  if (!path.endsWith(".ts") || /_(?:test|bench)\.ts$|\.generated\.ts$/.test(path)) return undefined;
  if (/(?:^|\/)(?:testdata|testing)\//.test(path)) return undefined;
  return /^(?:lib\/[^/]+(?=\/)|cli(?=\/)|mcp(?=\/))/.exec(path)?.[0];
}

/** Sums an lcov report per folder; a file that several tests' records name counts each line once. */
export function parseLcov(lcov: string, root: string): ModuleCoverage[] {
  const files = new Map<string, Map<number, boolean>>();
  let lines: Map<number, boolean> | undefined;
  for (const line of lcov.split("\n")) {
    const [, key, value = ""] = /^(SF|DA):(.*)$/.exec(line) ?? [];
    if (key === "SF") {
      const path = value.startsWith(`${root}/`) ? value.slice(root.length + 1) : value;
      lines = files.get(path) ?? new Map();
      files.set(path, lines);
    } else if (key === "DA") {
      const [number, hits] = value.split(",").map(Number);
      if (number !== undefined) lines?.set(number, lines.get(number) === true || (hits ?? 0) > 0);
    }
  }
  const modules = new Map<string, ModuleCoverage>();
  for (const [path, covered] of files) {
    const module = gatedModule(path);
    if (module === undefined) continue;
    const sum = modules.get(module) ?? { module, lines: 0, hit: 0 };
    sum.lines += covered.size;
    sum.hit += [...covered.values()].filter(Boolean).length;
    modules.set(module, sum);
  }
  return [...modules.values()].sort((left, right) => left.module < right.module ? -1 : 1);
}

/** Covered lines in percent. */
export function percentOf({ lines, hit }: ModuleCoverage): number {
  return lines === 0 ? 100 : 100 * hit / lines;
}

/** Reads the entries. @throws Error for one twice, without a reason, or out of range */
export function readRatchets(json: string): Ratchet[] {
  const ratchets: Ratchet[] = JSON.parse(json);
  const seen = new Set<string>();
  for (const { module, min, why } of ratchets) {
    if (seen.has(module)) throw new Error(`coverage-ratchets.json: ${module} is there twice`);
    seen.add(module);
    if (typeof min !== "number" || !(min >= 0 && min <= 100)) {
      throw new Error(`coverage-ratchets.json: ${module} needs a min between 0 and 100`);
    }
    if (typeof why !== "string" || why.trim() === "") {
      throw new Error(`coverage-ratchets.json: ${module} needs a why`);
    }
  }
  return ratchets;
}

/** Folders below their entry, or below the floor where they have none. */
export function violations(
  measured: readonly ModuleCoverage[],
  ratchets: readonly Ratchet[],
): Violation[] {
  const least = new Map(ratchets.map(({ module, min }) => [module, min]));
  return measured.flatMap((coverage) => {
    const { module } = coverage;
    const min = least.get(module) ?? FLOOR_PERCENT;
    const percent = percentOf(coverage);
    return percent < min ? [{ module, percent, min }] : [];
  });
}

/** Folders so far above their entry that it should be raised. */
export function opportunities(
  measured: readonly ModuleCoverage[],
  ratchets: readonly Ratchet[],
): Violation[] {
  const percents = new Map(measured.map((coverage) => [coverage.module, percentOf(coverage)]));
  return ratchets.flatMap(({ module, min }) => {
    const percent = percents.get(module);
    return percent !== undefined && percent >= min + OPPORTUNITY_MARGIN
      ? [{ module, percent, min }]
      : [];
  });
}

/** Holds a measurement to its entries, as this platform may. */
export function judgeCoverage(
  measured: readonly ModuleCoverage[],
  { ratchets, os }: { ratchets: readonly Ratchet[]; os: string },
): CoverageVerdict {
  const low = violations(measured, ratchets).map(({ module, percent, min }) =>
    `${module}: ${percent.toFixed(1)} % of lines, needs ${min.toFixed(1)} %`
  );
  if (os !== BASELINE_OS) return { errors: [], warnings: low, hints: [], code: 0 };
  const known = new Set(measured.map(({ module }) => module));
  // A folder that nothing loads any more would otherwise keep its entry for ever.
  const gone = ratchets.filter(({ module }) => !known.has(module))
    .map(({ module }) => `${module}: has an entry and was not measured`);
  const hints = opportunities(measured, ratchets).map(({ module, percent, min }) =>
    `RATCHET_OPPORTUNITY ${module}: ${percent.toFixed(1)} % of lines, its entry says ${min}`
  );
  const errors = [...low, ...gone];
  return { errors, warnings: [], hints, code: errors.length > 0 ? 1 : 0 };
}

/** Entries raised to what was measured less one point; no entry is ever lowered here. */
export function raiseRatchets(
  measured: readonly ModuleCoverage[],
  ratchets: readonly Ratchet[],
): Ratchet[] {
  const entries = new Map(ratchets.map((ratchet) => [ratchet.module, ratchet]));
  return measured.map((coverage) => {
    const { module } = coverage;
    const level = Math.max(0, Math.floor(percentOf(coverage) - 1));
    const entry = entries.get(module);
    if (entry === undefined) return { module, min: level, why: "the level its tests hold" };
    return { ...entry, min: Math.max(entry.min, level) };
  });
}

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const RATCHETS = `${ROOT}/testdata/coverage-ratchets.json`;

/** Runs `deno`; what it prints, unless it is shown. */
async function runDeno(args: string[], { shown }: { shown: boolean }): Promise<{
  success: boolean;
  text: string;
}> {
  const output = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    stdin: "null",
    stdout: shown ? "inherit" : "piped",
    stderr: "inherit",
  }).output();
  // What was not piped may not even be asked for.
  return { success: output.success, text: shown ? "" : new TextDecoder().decode(output.stdout) };
}

async function measure(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "gum-coverage-" });
  try {
    const flags = ["-q", "-P", "--parallel", `--coverage=${folder}`, "--coverage-raw-data-only"];
    const suite = await runDeno(["test", ...flags], { shown: true });
    if (!suite.success) console.error("coverage: some tests failed; what they ran is counted");
    const report = await runDeno(["coverage", "--lcov", "--quiet", folder], { shown: false });
    if (!report.success) throw new Error("deno coverage gave no report");
    return report.text;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [option, file] = Deno.args.filter((word) => word !== "--raise");
  const lcov = option === "--from" && file !== undefined
    ? await Deno.readTextFile(file)
    : await measure();
  const measured = parseLcov(lcov, ROOT);
  let ratchets = readRatchets(await Deno.readTextFile(RATCHETS));
  if (Deno.args.includes("--raise")) {
    ratchets = raiseRatchets(measured, ratchets);
    await Deno.writeTextFile(RATCHETS, JSON.stringify(ratchets, null, 2) + "\n");
  }
  for (const coverage of measured) {
    console.log(`${coverage.module.padEnd(20)}${percentOf(coverage).toFixed(1).padStart(6)} %`);
  }
  const { errors, warnings, hints, code } = judgeCoverage(measured, {
    ratchets,
    os: Deno.build.os,
  });
  for (const hint of hints) console.log(`coverage: ${hint}`);
  for (const warning of warnings) console.error(`coverage: warning: ${warning}`);
  for (const error of errors) console.error(`coverage: ${error}`);
  Deno.exit(code);
}
