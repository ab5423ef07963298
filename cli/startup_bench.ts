/**
 * Start-up budgets (spec 00 §8): whole-process medians of interleaved runs, as ratios to an empty
 * program. Run with `deno run -q -P=test cli/startup_bench.ts [runs]`.
 *
 * @module
 */

const MAIN = new URL("../main.ts", import.meta.url).pathname;

interface Subject {
  name: string;
  args: string[];
  budget?: number;
}

/** Measures every subject `runs` times, one after the other in each round. */
async function measure(runs: number): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-startup-" });
  try {
    const empty = `${folder}/empty.ts`;
    await Deno.writeTextFile(empty, "");
    const gum = ["run", "-q", "--no-prompt", "-P=gum", MAIN];
    const subjects: Subject[] = [
      { name: "empty program", args: ["run", "-q", empty] },
      { name: "gum --version", args: [...gum, "--version"], budget: 1.5 },
      { name: "gum search", args: [...gum, "search", "send", "an", "email"], budget: 2.5 },
      { name: "gum __complete", args: [...gum, "__complete", "read", "gmail."] },
      { name: "gum describe", args: [...gum, "describe", "gmail.users.messages.list"] },
      { name: "gum --help", args: [...gum, "--help"] },
    ];
    const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
    // The first round warms caches and is not counted.
    for (let round = -1; round < runs; round++) {
      for (const subject of subjects) {
        const started = performance.now();
        await new Deno.Command(Deno.execPath(), {
          args: subject.args,
          cwd: new URL("..", import.meta.url),
          stdout: "null",
          stderr: "null",
        }).output();
        if (round >= 0) times.get(subject.name)?.push(performance.now() - started);
      }
    }
    const base = median(times.get("empty program") ?? []);
    for (const { name, budget } of subjects) {
      const middle = median(times.get(name) ?? []);
      const ratio = middle / base;
      const verdict = budget === undefined ? "" : ratio <= budget ? "  ok" : "  OVER";
      const limit = budget === undefined ? "" : `  budget ${budget.toFixed(1)}`;
      write(
        `${name.padEnd(16)} ${middle.toFixed(1).padStart(7)} ms  ×${
          ratio.toFixed(2)
        }${limit}${verdict}`,
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function write(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));
}

if (import.meta.main) await measure(Math.max(15, Number(Deno.args[0] ?? 15)));
