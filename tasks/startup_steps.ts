/**
 * `deno run -P=build tasks/startup_steps.ts [runs]`: what each step of the release build gains in
 * start-up, on executables: the sources compiled as they are, one bundle, the split bundle that is
 * shipped, and that one without V8's code cache. Writes the table of docs/benchmarks.md between its
 * markers. Needs a runtime base (.ci/runtime_base).
 */

import { build, compileStaged, hostTarget } from "../release/mod.ts";
import { permissionFlags } from "./permission_flags.ts";
import { median } from "./startup.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const PAGE = `${ROOT}docs/benchmarks.md`;
const START = "<!-- startup: tasks/startup_steps.ts -->";
const END = "<!-- /startup -->";

interface Variant {
  name: string;
  path: string;
}

const COMMANDS: readonly { name: string; args: string[]; stdin?: string }[] = [
  { name: "`gum --version`", args: ["--version"] },
  { name: "`gum search`", args: ["search", "send", "an", "email"] },
  { name: "`gum describe`", args: ["describe", "gmail.users.messages.list"] },
  {
    name: "`gum mcp`, tools listed, ended",
    args: ["mcp", "--stdio", "--emulator"],
    stdin: [
      {
        id: 0,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "startup", version: "1" },
        },
      },
      { method: "notifications/initialized" },
      { id: 1, method: "tools/list" },
    ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })).join("\n") + "\n",
  },
];

async function variants(folder: string): Promise<Variant[]> {
  const target = hostTarget();
  if (target === undefined) throw new Error("no executable is built for this machine");
  const shipped = `${folder}/shipped`;
  const plan = {
    targets: [target],
    artifacts: [{ name: "gum", permissionSet: "gum" } as const],
    keepStage: true,
  };
  const { missing } = await build({ ...plan, out: shipped });
  if (missing[0] !== undefined) throw new Error(missing[0].why);
  const one = `${folder}/one`;
  await build({ ...plan, out: one, splitting: false });
  const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const flags = permissionFlags(permissions.gum);
  const stage = `${shipped}/stage`;
  const include = [...Deno.readDirSync(stage)].map(({ name }) => name);
  const staged = async (name: string, more: string[], entry = "dist/app/main.js") => {
    const path = `${folder}/${name}`;
    const step = { stage, target, path, flags: [...more, ...flags], entry, include };
    const why = await compileStaged(step);
    if (why !== undefined) throw new Error(why);
    return path;
  };
  await Deno.writeTextFile(`${stage}/empty.js`, "");
  return [
    { name: "an empty program", path: await staged("empty", [], "empty.js") },
    { name: "one bundle", path: `${one}/gum` },
    {
      name: "split bundle, no code cache",
      path: await staged("uncached", ["--no-code-cache"]),
    },
    { name: "split bundle (shipped)", path: `${shipped}/gum` },
  ];
}

async function run(path: string, { args, stdin }: typeof COMMANDS[number], home: string) {
  const started = performance.now();
  const child = new Deno.Command(path, {
    args,
    clearEnv: true,
    env: { HOME: home, PATH: "/usr/bin:/bin", TMPDIR: home },
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { code } = await child.status;
  if (code !== 0) throw new Error(`${path} ${args.join(" ")} ended with ${code}`);
  return performance.now() - started;
}

async function measure(runs: number): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "gum-steps-" });
  try {
    const built = await variants(folder);
    const times = new Map<string, number[]>();
    for (let round = -2; round < runs; round++) {
      for (const command of COMMANDS) {
        for (const { name, path } of built) {
          const took = await run(path, command, folder);
          if (round < 0) continue;
          const key = `${name} ${command.name}`;
          times.set(key, [...times.get(key) ?? [], took]);
        }
      }
    }
    const of = (name: string, command: string) => median(times.get(`${name} ${command}`) ?? []);
    const rows = built.map(({ name }) => {
      const cells = COMMANDS.map((command) => {
        const took = of(name, command.name);
        const ratio = took / of("an empty program", command.name);
        return name === "an empty program"
          ? `${took.toFixed(0)} ms`
          : `${took.toFixed(0)} ms, ×${ratio.toFixed(2)}`;
      });
      return `| ${name} | ${cells.join(" | ")} |`;
    });
    return [
      `| executable | ${COMMANDS.map(({ name }) => name).join(" | ")} |`,
      `| --- |${" ---: |".repeat(COMMANDS.length)}`,
      ...rows,
    ].join("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const table = await measure(Math.max(9, Number(Deno.args[0] ?? 15)));
  console.log(table);
  const page = await Deno.readTextFile(PAGE);
  const section = `${START}\n\n${table}\n\n${END}`;
  const [before, rest] = page.split(START);
  await Deno.writeTextFile(
    PAGE,
    rest === undefined
      ? `${page.trimEnd()}\n\n## Start-up of the executable\n\n` +
        "What each step of the release build gains: whole processes, medians of interleaved runs, as\n" +
        "ratios to an empty program on the same runtime base.\n\n" + section + "\n"
      : before + section + (rest.split(END)[1] ?? "\n"),
  );
}
