/**
 * `deno task docs`: the pages of `docs/` that are made from the program itself.
 *
 * Writes `docs/commands.md` and the root help from the command tree, `docs/operations/` from the
 * catalog and `docs/troubleshooting.md` from the table of error codes. `--check` fails when one is
 * stale.
 *
 * @module
 */

import { renderRootHelp } from "../cli/help_text.ts";
import { COMMANDS } from "../cli/tree.ts";
import { commandPages } from "./docs_commands.ts";
import { operationPages } from "./docs_operations.ts";
import { troubleshootingPage } from "./docs_troubleshooting.ts";

const DOCS = new URL("../docs/", import.meta.url);

/** Every generated page: path below `docs/` to its text. */
export function generatedPages(): Map<string, string> {
  return new Map([
    ["commands.md", commandPages()],
    ...operationPages(),
    ["troubleshooting.md", troubleshootingPage()],
    ["../cli/root_help.generated.ts", rootHelpModule()],
  ]);
}

/** The root help as a constant: `gum --help` need not load the whole command tree to print it. */
function rootHelpModule(): string {
  const text = renderRootHelp(COMMANDS).split("\n").map((line) => JSON.stringify(line)).join(
    ",\n  ",
  );
  return `/** Made by \`deno task docs\` from the command tree. */\nexport const ROOT_HELP: string = [\n  ${text},\n].join("\\n");\n`;
}

/** What differs between the pages and the folder: missing, stale and superfluous files. */
export async function stalePages(folder: URL = DOCS): Promise<string[]> {
  const pages = generatedPages();
  const stale: string[] = [];
  for (const [path, text] of pages) {
    if (await textOf(new URL(path, folder)) !== text) stale.push(path);
  }
  for (const name of await filesIn(new URL("operations/", folder))) {
    if (!pages.has(`operations/${name}`)) stale.push(`operations/${name}`);
  }
  return stale.sort();
}

async function writePages(): Promise<void> {
  const pages = generatedPages();
  await Deno.mkdir(new URL("operations/", DOCS), { recursive: true });
  for (const path of await stalePages()) {
    const text = pages.get(path);
    if (text === undefined) await Deno.remove(new URL(path, DOCS));
    else await Deno.writeTextFile(new URL(path, DOCS), text);
    say(`${text === undefined ? "removed" : "wrote"} docs/${path}`);
  }
}

async function textOf(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function filesIn(folder: URL): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) names.push(entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) {
  if (Deno.args.includes("--check")) {
    const stale = await stalePages();
    for (const path of stale) say(`stale: docs/${path} (deno task docs brings it up to date)`);
    if (stale.length > 0) Deno.exit(1);
  } else await writePages();
}
