/**
 * Runner of the contract scripts in `testdata/script/*.txtar`.
 *
 * A script is lines, then files (`-- name --` starts one). Lines:
 *
 * ```text
 * # comment                     env NAME=value            stdin FILE | stdin -
 * gum WORDS                     the program must succeed  (! gum WORDS: it must fail)
 * exit N                        exit code of the last run
 * stdout REGEX | ! stdout REGEX    stderr likewise        empty stdout | empty stderr
 * cmp stdout FILE               byte for byte
 * json stdout PATH VALUE        value at a dotted path, as JSON
 * capture NAME stderr PATH      keeps a string for $NAME in later lines
 * exists PATH | ! exists PATH   below the script's folder
 * ```
 *
 * @module
 */

import assert from "node:assert/strict";
import { isolatedEnvironment, type Ran, runProgram } from "./spawned.ts";

/** Starts the program under test with these words. */
export type StartProgram = (
  argv: readonly string[],
  options: { env: Record<string, string>; cwd: string; stdin?: string },
) => Promise<Ran>;

/** Starts a command line with the words of the script after it. */
export const starting =
  (program: readonly [string, ...string[]]): StartProgram => (argv, options) =>
    runProgram([...program, ...argv], options);

interface State {
  env: Record<string, string>;
  stdin?: string;
  last?: Ran;
  captured: Map<string, string>;
  folder: string;
}

/** Runs one script in a fresh folder; throws an AssertionError that names the failing line. */
export async function runScript(
  text: string,
  options: { start: StartProgram; name: string },
): Promise<void> {
  const { lines, files } = parseTxtar(text);
  const folder = await Deno.makeTempDir({ prefix: "gum-script-" });
  try {
    for (const [name, content] of files) {
      const path = `${folder}/${name}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(path, content);
    }
    const env = await isolatedEnvironment(`${folder}/home`);
    await Deno.mkdir(`${folder}/home`, { recursive: true });
    const state: State = { env, captured: new Map(), folder };
    for (const [index, line] of lines.entries()) {
      if (line.trim() === "" || line.startsWith("#")) continue;
      try {
        await step(line, state, options.start);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const seen = state.last === undefined ? "" : `\nlast run: ${JSON.stringify(state.last)}`;
        throw new assert.AssertionError({
          message: `${options.name}:${index + 1}: ${line}\n${why}${seen}`,
        });
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Splits an archive into its script lines and its files. */
export function parseTxtar(text: string): { lines: string[]; files: Map<string, string> } {
  const lines: string[] = [];
  const files = new Map<string, string>();
  let name: string | undefined;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const header = /^-- (\S+) --$/.exec(line)?.[1];
    if (header !== undefined) {
      name = header;
      files.set(name, "");
    } else if (name === undefined) lines.push(line);
    else files.set(name, files.get(name) + line + "\n");
  }
  return { lines, files };
}

/** Words of a line: blanks separate, single quotes keep, `''` inside quotes is one quote. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/(?:'(?:[^']|'')*'|[^\s'])+/g)) {
    words.push(
      match[0].replace(/'((?:[^']|'')*)'/g, (_all, inner: string) => inner.replaceAll("''", "'")),
    );
  }
  return words;
}

async function step(line: string, state: State, start: StartProgram): Promise<void> {
  const expanded = line.replace(/\$([A-Z_]+)/g, (all, name) => state.captured.get(name) ?? all);
  const words = splitWords(expanded);
  const negated = words[0] === "!";
  const [command = "", ...rest] = negated ? words.slice(1) : words;
  switch (command) {
    case "gum": {
      const { env, stdin, folder } = state;
      state.last = await start(rest, { env, cwd: folder, stdin });
      state.stdin = undefined;
      return assert.equal(state.last.code !== 0, negated, `exit code ${state.last.code}`);
    }
    case "env": {
      const [name = "", value = ""] = (rest[0] ?? "").split(/=(.*)/s);
      state.env[name] = value;
      return;
    }
    case "stdin":
      state.stdin = rest[0] === "-" ? "" : await Deno.readTextFile(`${state.folder}/${rest[0]}`);
      return;
    case "exit":
      return assert.equal(state.last?.code, Number(rest[0]));
    case "stdout":
    case "stderr": {
      const matches = new RegExp(rest.join(" "), "m").test(streamOf(command, state));
      return assert.equal(matches, !negated, negated ? "matches" : "does not match");
    }
    case "empty":
      return assert.equal(streamOf(rest[0], state), "");
    case "cmp":
      return assert.equal(
        streamOf(rest[0], state),
        await Deno.readTextFile(`${state.folder}/${rest[1]}`),
      );
    case "json":
      return assert.deepEqual(
        valueAt(streamOf(rest[0], state), rest[1] ?? ""),
        JSON.parse(rest.slice(2).join(" ")),
      );
    case "capture": {
      const value = valueAt(streamOf(rest[1], state), rest[2] ?? "");
      assert.equal(typeof value, "string");
      state.captured.set(rest[0] ?? "", String(value));
      return;
    }
    case "exists": {
      const found = await Deno.stat(`${state.folder}/${rest[0]}`).then(() => true, () => false);
      return assert.equal(found, !negated);
    }
    default:
      throw new Error(`unknown script command ${command}`);
  }
}

function streamOf(name: string | undefined, state: State): string {
  assert.ok(state.last !== undefined, "nothing ran yet");
  return name === "stdout" ? state.last.stdout : state.last.stderr;
}

// A failure object on stderr may follow single-line log records.
function valueAt(text: string, path: string): unknown {
  const start = text.search(/^\{$/m);
  let value: unknown = JSON.parse(start < 0 ? text : text.slice(start));
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
