/** How demos, benchmarks and tests start the program. */

const ROOT = new URL("..", import.meta.url).pathname;

/**
 * The command line that starts `gum`: the executable that `GUM_BIN` names, else the sources. Whole
 * suites run against the executable by setting the variable.
 */
export function gumProgram(): readonly [string, ...string[]] {
  const binary = Deno.env.get("GUM_BIN");
  return binary === undefined || binary === ""
    ? [Deno.execPath(), "run", "-q", "--no-prompt", "-P=gum", `${ROOT}main.ts`]
    : [binary];
}

/** The program as words of a POSIX shell. */
export function shellWords(): string {
  return gumProgram().map((word) => `'${word}'`).join(" ");
}
