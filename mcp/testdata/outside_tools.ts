/** Test only: programs of other makers that are used when they can be had, and kept in a cache. */

/** What a finished program left. */
export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. */
export async function run(
  program: string,
  args: readonly string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env"> = {},
): Promise<Run> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args: [...args],
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The program's exit code and output, or undefined when there is no such program. */
export async function tryRun(program: string, args: readonly string[]): Promise<Run | undefined> {
  try {
    return await run(program, args);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A folder that outlives the test run, so that a download happens once a machine. */
export function cacheFolder(name: string): string {
  const home = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME") ?? "/tmp"}/.cache`;
  return `${home}/gum-test/${name}`;
}

/** Whether a file exists. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Says why a test did nothing. */
export function skipped(reason: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`skipped: ${reason}\n`));
}
