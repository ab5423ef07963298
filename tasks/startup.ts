/**
 * Start-up budgets (spec 00 §8): whole processes in interleaved runs, as ratios to an empty program.
 * The ratio is that of the shortest runs, which neighbours of the machine disturb least. Budgets
 * hold for the bundle that a release ships, run by the same Deno as the empty program: what people
 * start. `deno task bench:startup [runs]` shows the sources beside it.
 */

import { build } from "../release/mod.ts";
import { gumProgram } from "./gum_program.ts";
import { permissionFlags } from "./permission_flags.ts";

const ROOT = new URL("..", import.meta.url);

/** A measured command line. */
export interface StartupFigure {
  name: string;
  /** Milliseconds, median. */
  median: number;
  /** Milliseconds, shortest run. */
  shortest: number;
  /** Shortest run against the empty program's. */
  ratio: number;
  budget?: number;
}

interface Subject {
  name: string;
  /** Words after `gum`. */
  argv: string[];
  budget?: number;
  /** Text of the profile's `config.toml`. */
  config?: string;
  /** Further variables. */
  env?: Readonly<Record<string, string>>;
}

const SEARCH = ["search", "send", "an", "email"];

/** Commands that look at this machine alone, as people type them. */
const LOCAL = [
  "version",
  "help auth",
  "schema",
  "call gmail.users.messages.list --skeleton",
  "call --help",
  "config list",
  "config set log.level=warn",
  "profile list",
  "profile show gmail.messages.list.v1",
  "auth status",
  "auth profiles",
  "auth vault status",
  "plugin list",
  "status",
  "gain",
  "audit tail",
  "audit verify",
  "cache stats",
  "catalog stats",
  "catalog list-overrides",
  "skills list",
  "skills show core",
  "agents install --dry-run",
  "completion bash",
];

const SUBJECTS: readonly Subject[] = [
  { name: "gum --version", argv: ["--version"], budget: 1.5 },
  {
    name: "gum search, curated operations",
    argv: SEARCH,
    budget: 2.5,
    config: 'config_schema_version = 1\n[catalog]\nlong_tail = "off"\n',
  },
  // The first search over the pack may take 60 ms more (spec 04 §10): on this ratio, one.
  { name: "gum search, whole Discovery directory", argv: SEARCH, budget: 3.5 },
  { name: "gum --help", argv: ["--help"], budget: 1.5 },
  { name: "gum __complete", argv: ["__complete", "read", "gmail."], budget: 2.5 },
  { name: "gum describe", argv: ["describe", "gmail.users.messages.list"], budget: 2.5 },
  // A given credential, or a check fails and so does the command.
  { name: "gum doctor", argv: ["doctor"], budget: 2.5, env: { GUM_API_KEY: "startup" } },
  {
    name: "gum auth setup gmail.users.messages.list",
    argv: ["auth", "setup", "gmail.users.messages.list"],
    budget: 2.5,
    // A vault, so that it is not the keychain of the machine that is measured.
    env: { GUM_VAULT_KEY: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
  },
  ...LOCAL.map((words) => ({ name: `gum ${words}`, argv: words.split(" "), budget: 2.5 })),
];

/** The most that each command line may take, as a ratio to an empty program. */
export const STARTUP_BUDGETS: readonly { name: string; budget: number }[] = SUBJECTS.flatMap(
  ({ name, budget }) => budget === undefined ? [] : [{ name, budget }],
);

/** Settings of the profile that a subject runs under, or none. */
async function home(folder: string, subject: Subject): Promise<Record<string, string>> {
  const config = `${folder}/${SUBJECTS.indexOf(subject)}`;
  await Deno.mkdir(`${config}/gum/default`, { recursive: true });
  if (subject.config !== undefined) {
    await Deno.writeTextFile(`${config}/gum/default/config.toml`, subject.config);
  }
  const xdg = { XDG_CONFIG_HOME: config, XDG_DATA_HOME: config, XDG_CACHE_HOME: config };
  return { ...xdg, ...subject.env };
}

/**
 * The command line of the bundle that a release ships, built into a folder. It is started as the
 * executable starts it: permissions as flags, nothing to look up in a configuration.
 */
export async function bundledProgram(folder: string): Promise<string[]> {
  await build({ targets: [], artifacts: [], out: folder, keepStage: true });
  const { permissions } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const flags = [
    "--no-config",
    "--no-lock",
    "--no-prompt",
    "--unstable-lazy-dynamic-imports",
    ...permissionFlags(permissions.gum),
  ];
  return [Deno.execPath(), "run", "-q", ...flags, `${folder}/stage/dist/app/main.js`];
}

/** Measures subjects, all or those named, `runs` times, one after the other in each round. */
export async function measureStartup(
  program: readonly string[],
  { runs, only }: { runs: number; only?: readonly string[] },
): Promise<StartupFigure[]> {
  const subjects = SUBJECTS.filter(({ name }) => only?.includes(name) ?? true);
  const folder = await Deno.makeTempDir({ prefix: "gum-startup-" });
  try {
    await Deno.writeTextFile(`${folder}/empty.ts`, "");
    const lines = [
      {
        name: "an empty program",
        command: [Deno.execPath(), "run", "-q", `${folder}/empty.ts`],
        env: {},
        budget: undefined,
      },
      ...await Promise.all(subjects.map(async (subject) => ({
        name: subject.name,
        command: [...program, ...subject.argv],
        env: await home(folder, subject),
        budget: subject.budget,
      }))),
    ];
    const times = new Map<string, number[]>(lines.map(({ name }) => [name, []]));
    // The first rounds warm caches and are not counted.
    for (let round = -2; round < runs; round++) {
      for (const { name, command: [file = "", ...args], env } of lines) {
        const started = performance.now();
        const { success } = await new Deno.Command(file, {
          args,
          env,
          cwd: ROOT,
          stdout: "null",
          stderr: "null",
        }).output();
        if (!success) throw new Error(`${name} failed`);
        if (round >= 0) times.get(name)?.push(performance.now() - started);
      }
    }
    const base = Math.min(...times.get("an empty program") ?? []);
    return lines.map(({ name, budget }) => {
      const measured = times.get(name) ?? [];
      const shortest = Math.min(...measured);
      return { name, median: median(measured), shortest, ratio: shortest / base, budget };
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The middle of some figures. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  const runs = Math.max(15, Number(Deno.args[0] ?? 15));
  const folder = await Deno.makeTempDir({ prefix: "gum-bundle-" });
  try {
    const shipped = await measureStartup(await bundledProgram(folder), { runs });
    const sources = await measureStartup(gumProgram(), { runs });
    for (const [at, { name, ratio, shortest, budget }] of shipped.entries()) {
      const verdict = budget === undefined
        ? ""
        : ratio <= budget
        ? `  budget ×${budget}`
        : "  OVER";
      const time = `${shortest.toFixed(1).padStart(7)} ms  ×${ratio.toFixed(2)}`;
      const source = `from source ×${(sources[at]?.ratio ?? Number.NaN).toFixed(2)}`;
      console.log(`${name.padEnd(40)}${time}  ${source}${verdict}`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
