import assert from "node:assert/strict";
import { parseCallArguments } from "../cli/arg_grammar.ts";
import { checkArgumentValues } from "../cli/call_checks.ts";
import { arrayFields } from "../cli/call_fields.ts";
import { exampleCommand } from "../cli/describe_page.ts";
import { processFactories } from "../cli/host.ts";
import { locate, parseWords } from "../cli/parse.ts";
import { runCommandLine } from "../cli/run.ts";
import { recordedHost } from "../cli/testing/recorded_host.ts";
import { withFolder } from "../cli/testing/spawned.ts";
import { COMMANDS } from "../cli/tree.ts";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { ERROR_CODES } from "../lib/errors/mod.ts";
import { openSession } from "../lib/session/mod.ts";
import { bundledSkills } from "../lib/skills/mod.ts";
import { generatedPages, stalePages } from "./docs.ts";
import { shellWords, type Shown, shownCommands } from "./testing/shown_commands.ts";

const ROOT = new URL("..", import.meta.url);

/** Without a keychain, which a test must not touch, credentials live in a vault. */
const VAULT_KEY = new Uint8Array(32).fill(7).toBase64({ alphabet: "base64url", omitPadding: true });

/** Runs a command line in this process, on the emulator, at home in `home`. */
async function run(
  words: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const { host, recorded } = recordedHost(words, {
    environment: { HOME: home, GUM_EMULATOR: "1", GUM_VAULT_KEY: VAULT_KEY, ...environment },
  });
  const code = await runCommandLine(COMMANDS, {
    ...host,
    factories: processFactories(),
    workingDirectory: () => home,
  });
  return { ...recorded(), code };
}

async function runAll(commands: readonly Shown[]): Promise<void> {
  await withFolder(async (home) => {
    for (const { page, line, words, needs, environment, checkedOnly } of commands) {
      const { path, rest, unknown } = locate(COMMANDS, words);
      assert.equal(unknown, undefined, `${page}: ${line}`);
      const command = path.at(-1);
      if (command?.dynamicFlags === undefined) parseWords(rest, command?.flags ?? []);
      if (checkedOnly || needs !== "nothing") continue;
      const { code, stderr } = await run(words, home, environment);
      // A fresh home has no credentials, which the doctor rightly calls a failed check.
      const expected = words[0] === "doctor" ? [0, 1] : [0];
      assert.ok(expected.includes(code), `${page}: ${line}\nexit ${code}\n${stderr}`);
    }
  });
}

Deno.test("docs: generated pages are what the program says today", async () => {
  assert.deepEqual(await stalePages(), [], "run deno task docs");
});

Deno.test("docs: a changed page is noticed", async () => {
  await withFolder(async (folder) => {
    const url = new URL(`file://${folder}/`);
    await Deno.mkdir(`${folder}/operations`);
    await Deno.writeTextFile(`${folder}/operations/gone.md`, "");
    const stale = await stalePages(url);
    assert.ok(stale.includes("operations/gone.md") && stale.includes("commands.md"));
  });
});

Deno.test("docs: every error code has an entry, every command a section", () => {
  const pages = generatedPages();
  const troubleshooting = pages.get("troubleshooting.md") ?? "";
  for (const code of Object.keys(ERROR_CODES)) {
    assert.match(troubleshooting, new RegExp(`^### ${code}\n\n[A-Z].{10,}`, "m"), code);
  }
  const commands = pages.get("commands.md") ?? "";
  for (const command of COMMANDS.filter(({ hidden }) => !hidden)) {
    assert.ok(commands.includes(`\n## gum ${command.name}\n`), command.name);
    for (const child of command.children) {
      assert.ok(commands.includes(`\n### gum ${command.name} ${child.name}\n`), child.name);
    }
  }
});

Deno.test("docs: every command of README and the guides runs on the emulator", async () => {
  const pages = ["README.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) {
    // The examples of the command reference have a test of their own, docs_examples_test.ts.
    if (name.endsWith(".md") && name !== "commands.md") pages.push(`docs/${name}`);
  }
  const commands: Shown[] = [];
  for (const page of pages.sort()) {
    commands.push(...shownCommands(page, await Deno.readTextFile(new URL(page, ROOT))));
  }
  assert.ok(commands.length > 40, `${commands.length} commands found`);
  await runAll(commands);
});

Deno.test("docs: every command a skill shows runs on the emulator", async () => {
  const skills = await bundledSkills();
  const commands = skills.flatMap(({ name, body }) => shownCommands(name, body));
  assert.ok(commands.length >= 5);
  assert.ok(commands.every(({ checkedOnly }) => !checkedOnly));
  await runAll(commands);
});

Deno.test("docs: a command that does not hold is noticed", async () => {
  const bad = async (markdown: string) =>
    await runAll(shownCommands("x", "```sh\n" + markdown + "\n```\n"));
  await bad("gum search mail | head");
  await assert.rejects(bad("gum serach mail"), assert.AssertionError);
  await assert.rejects(bad("gum describe no.such.op"), assert.AssertionError);
  await assert.rejects(bad("gum search --bogus"));
  // What would be passed over in silence is refused: another language, another way to start it.
  await bad("GUM_LOG_LEVEL=error gum search mail");
  await assert.rejects(bad("GUM_PROFILE=../x gum search mail"), assert.AssertionError);
  await assert.rejects(bad("sudo gum search mail"), /in a way that no test runs/);
  const block = (tag: string) => () => shownCommands("x", "```" + tag + "\ngum search x\n```\n");
  for (const tag of ["bash", "console", "shell", "json"]) assert.throws(block(tag), /no test/, tag);
  assert.equal(block("sh")().length, 1);
});

/** Commands that prose quotes: `gum …` in backticks, with `<x>` for what a reader puts in. */
function quotedCommands(markdown: string): string[] {
  const prose = markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [...prose.matchAll(/`((?:deno task )?gum [^`]+)`/g)].map(([, line = ""]) =>
    line.replace(/^deno task /, "").replaceAll(/\s+/g, " ")
  );
}

/** @throws when a quoted command names a command or a flag that does not exist. */
function checkQuoted(line: string): void {
  const words = shellWords(line.replaceAll(/<[^<>]*>/g, "X")).slice(1)
    .filter((word) => !/^[…|,.]+$/.test(word));
  const { path, rest, unknown } = locate(COMMANDS, words);
  assert.ok(unknown === undefined || unknown.word === "X", `unknown command in ${line}`);
  const command = path.at(-1);
  if (command?.dynamicFlags === undefined) parseWords(rest, command?.flags ?? []);
}

Deno.test("docs: every command that prose quotes exists, with its flags", async () => {
  const pages: [string, string][] = [
    ["README.md", await Deno.readTextFile(new URL("README.md", ROOT))],
    ["init_guide.md", await Deno.readTextFile(new URL("cli/init_guide.md", ROOT))],
  ];
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) {
    if (!name.endsWith(".md")) continue;
    pages.push([name, await Deno.readTextFile(new URL(`docs/${name}`, ROOT))]);
  }
  for (const { name, body } of await bundledSkills()) pages.push([name, body]);
  const quoted = pages.flatMap(([page, text]) =>
    quotedCommands(text).map((line) => ({ page, line }))
  );
  assert.ok(quoted.length > 50, `${quoted.length} quoted commands found`);
  for (const { page, line } of quoted) {
    assert.doesNotThrow(() => checkQuoted(line), `${page}: ${line}`);
  }
  assert.throws(() => checkQuoted("gum auth log-in"));
  assert.throws(() => checkQuoted("gum search <words> --bogus"));
  assert.throws(() => checkQuoted("gum plugin instal <id>"));
});

Deno.test("docs: every task that README and the guides name is one", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const pages = ["README.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  let found = 0;
  for (const page of pages) {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    for (const [, task = ""] of text.matchAll(/\bdeno(?:@[0-9.]+)? task ([a-z][a-z:-]*)/g)) {
      assert.ok(Object.hasOwn(config.tasks, task), `${page}: deno task ${task}`);
      found++;
    }
  }
  assert.ok(found > 10, `${found} tasks found`);
});

Deno.test("docs: the example of every operation makes a request the kernel accepts", async () => {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    log: { log: () => {} },
  });
  const refused: string[] = [];
  const composed: { opId: string; words: string[] }[] = [];
  try {
    for (const op of loadCatalog().ops) {
      const risk = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id)
        ?.risk_class;
      const words = shellWords(exampleCommand(op, risk ?? "read")).slice(4);
      // Mails are composed from flags; plugins are not part of the emulator.
      if (words[0]?.startsWith("--")) {
        composed.push({ opId: op.op_id, words });
        continue;
      }
      if (op.variants.some(({ auth_strategy }) => auth_strategy === "plugin_managed")) continue;
      const args = await parseCallArguments(words, {
        arrayFields: arrayFields(op),
        readSource: () => Promise.reject(new Error("no file is shown")),
      });
      checkArgumentValues(args, op);
      try {
        await session.kernel.dispatch({
          opId: op.op_id,
          args,
          dryRun: true,
          allowWrite: risk === "write",
          allowDestructive: risk === "destructive",
          caller: "cli",
        });
      } catch (error) {
        refused.push(`${op.op_id}: ${error instanceof Error ? error.message : error}`);
      }
    }
  } finally {
    await session.close();
  }
  assert.deepEqual(refused, []);
  await withFolder(async (home) => {
    for (const { opId, words } of composed) {
      const { code, stderr } = await run(
        ["call", opId, "--risk=write", ...words, "--dry-run"],
        home,
      );
      assert.equal(code, 0, stderr);
    }
  });
});

Deno.test("docs: links between pages lead somewhere", async () => {
  const generated = generatedPages();
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) {
    if (!name.endsWith(".md")) continue;
    const text = await Deno.readTextFile(new URL(`docs/${name}`, ROOT));
    for (const [, target = ""] of text.matchAll(/\]\(([a-z-]+(?:\/[a-z-]+)?\.md)(?:#[^)]*)?\)/g)) {
      const exists = generated.has(target) ||
        await Deno.stat(new URL(`docs/${target}`, ROOT)).then(() => true, () => false);
      assert.ok(exists, `${name} -> ${target}`);
    }
  }
});
