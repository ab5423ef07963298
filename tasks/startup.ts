/**
 * Start-up budgets (spec 00 §8): whole-process medians of interleaved runs, as ratios to an empty
 * program. `deno task bench:startup [runs]`.
 */

const ROOT = new URL("..", import.meta.url);

/** A measured command line. */
export interface StartupFigure {
  name: string;
  /** Milliseconds, median. */
  median: number;
  /** Against the empty program. */
  ratio: number;
  budget?: number;
}

interface Subject {
  name: string;
  args: string[];
  budget?: number;
}

const GUM = ["run", "-q", "--no-prompt", "-P=gum", new URL("main.ts", ROOT).pathname];

const SUBJECTS: readonly Subject[] = [
  { name: "gum --version", args: [...GUM, "--version"], budget: 1.5 },
  // Over the whole Discovery directory; the curated catalog alone is held to 2.5 (spec 04 §10).
  { name: "gum search", args: [...GUM, "search", "send", "an", "email"], budget: 3.5 },
  { name: "gum __complete", args: [...GUM, "__complete", "read", "gmail."] },
  { name: "gum describe", args: [...GUM, "describe", "gmail.users.messages.list"] },
  { name: "gum --help", args: [...GUM, "--help"] },
];

/** Measures every subject `runs` times, one after the other in each round. */
export async function measureStartup(runs: number): Promise<StartupFigure[]> {
  const folder = await Deno.makeTempDir({ prefix: "gum-startup-" });
  try {
    const empty = `${folder}/empty.ts`;
    await Deno.writeTextFile(empty, "");
    const subjects: Subject[] = [
      { name: "an empty program", args: ["run", "-q", empty] },
      ...SUBJECTS,
    ];
    const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
    // The first round warms caches and is not counted.
    for (let round = -1; round < runs; round++) {
      for (const subject of subjects) {
        const started = performance.now();
        await new Deno.Command(Deno.execPath(), {
          args: subject.args,
          cwd: ROOT,
          stdout: "null",
          stderr: "null",
        }).output();
        if (round >= 0) times.get(subject.name)?.push(performance.now() - started);
      }
    }
    const base = median(times.get("an empty program") ?? []);
    return subjects.map(({ name, budget }) => {
      const middle = median(times.get(name) ?? []);
      return { name, median: middle, ratio: middle / base, budget };
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
  for (const figure of await measureStartup(Math.max(15, Number(Deno.args[0] ?? 15)))) {
    const { name, ratio, budget } = figure;
    const verdict = budget === undefined ? "" : ratio <= budget ? `  budget ×${budget}` : "  OVER";
    console.log(
      `${name.padEnd(18)}${figure.median.toFixed(1).padStart(7)} ms  ×${
        ratio.toFixed(2)
      }${verdict}`,
    );
  }
}
