/** The real program in a process of its own, with a home of its own. */

import { gumProgram } from "../../tasks/gum_program.ts";

/** Folder of the repository. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** Arguments of `deno` that start the program from source. */
export const GUM = ["run", "-q", "--no-prompt", "-P=gum", `${ROOT}main.ts`];

/** What starts the program under test: the sources, or the executable that `GUM_BIN` names. */
export const PROGRAM = gumProgram();

/** How a process ended. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Options of {@link runDeno}. */
export interface SpawnOptions {
  env?: Record<string, string>;
  stdin?: string;
  cwd?: string;
}

let denoDirectory: Promise<string> | undefined;

/** Runs `deno` with exactly these arguments and variables. */
export async function runDeno(args: string[], options: SpawnOptions = {}): Promise<Ran> {
  return await runProgram([Deno.execPath(), ...args], options);
}

/** Runs a command line with exactly these variables. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  options: SpawnOptions = {},
): Promise<Ran> {
  const child = new Deno.Command(program, {
    args,
    cwd: options.cwd ?? ROOT,
    env: options.env,
    clearEnv: options.env !== undefined,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.output();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await output;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs `gum` with its home below `home` and nothing else of the environment. */
export async function runGum(
  argv: readonly string[],
  options: SpawnOptions & { home: string },
): Promise<Ran> {
  return await runProgram([...PROGRAM, ...argv], {
    ...options,
    env: { ...await isolatedEnvironment(options.home), ...options.env },
  });
}

/** Variables that keep a process out of the real home but let `deno` find its cache. */
export async function isolatedEnvironment(home: string): Promise<Record<string, string>> {
  denoDirectory ??= findDenoDirectory();
  return {
    HOME: home,
    PATH: Deno.env.get("PATH") ?? "",
    DENO_DIR: await denoDirectory,
    DENO_NO_UPDATE_CHECK: "1",
  };
}

async function findDenoDirectory(): Promise<string> {
  const { stdout } = await runDeno(["info", "--json"]);
  return (JSON.parse(stdout) as { denoDir: string }).denoDir;
}

/** Calls `body` with a fresh folder and removes it afterwards. */
export async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-cli-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
