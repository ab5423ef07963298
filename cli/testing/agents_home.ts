/** Commands about agent clients, run in this process for a reader at home in a folder. */

import { runCommandLine } from "../run.ts";
import { COMMANDS } from "../tree.ts";
import { recordedHost, type RecordedOptions } from "./recorded_host.ts";
import type { Ran } from "./spawned.ts";

/** Runs a command at home in `home`, inside `home/project`. */
export async function runAt(
  home: string,
  argv: readonly string[],
  options: RecordedOptions = {},
): Promise<Ran> {
  await Deno.mkdir(`${home}/project`, { recursive: true });
  const { host, recorded } = recordedHost(argv, {
    ...options,
    environment: { HOME: home, ...options.environment },
  });
  const code = await runCommandLine(COMMANDS, {
    ...host,
    workingDirectory: () => `${home}/project`,
  });
  return { ...recorded(), code };
}

/** A file of Cursor's with remarks, trailing commas and a server of somebody else's. */
export const CURSOR =
  '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "x"}, // keep\n  },\n}\n';

/** Writes a file and the folders above it. */
export async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** Every file below a folder, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesBelow(path));
    else found.push(path);
  }
  return found.sort();
}
