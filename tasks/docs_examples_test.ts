/** The examples that `--help` and `docs/commands.md` show, run one after the other by one reader. */

import assert from "node:assert/strict";
import { runGum, withFolder } from "../cli/testing/spawned.ts";
import { COMMANDS } from "../cli/tree.ts";
import type { CommandSpec } from "../cli/types.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { startEmulator } from "../lib/emulator/mod.ts";
import { type Shown, shownCommands } from "./testing/shown_commands.ts";

const ROOT = new URL("..", import.meta.url);
const VAULT_KEY = new Uint8Array(32).fill(7).toBase64({ alphabet: "base64url", omitPadding: true });

/** Examples by the first lines of their commands, as the reference prints them. */
function examples(): Shown[] {
  const lines: string[] = [];
  const visit = (command: CommandSpec) => {
    lines.push(...(command.examples ?? []).map(putIn));
    command.children.forEach(visit);
  };
  COMMANDS.forEach(visit);
  return shownCommands("--help", "```sh\n" + [...new Set(lines)].join("\n") + "\n```\n");
}

/** What another test does with an example, word for word or nearly. */
const RUN_ELSEWHERE: readonly [RegExp, string, RegExp][] = [
  // A sign-in needs a Google that says yes.
  [/^gum login /, "docs/auth.md", /^gum login /m],
  // A catalog comes from a server of releases.
  [/^gum catalog update/, "cli/catalog_update_test.ts", /"--rollback"/],
];

/** What a reader puts in the place of what an example can only name. */
const PUT_IN: readonly [RegExp, string][] = [
  [/<op_id>/, "gmail.users.messages.list"],
  [/<id>/, "docs.apps.googleusercontent.com"],
  [/(drive\.files\.get .*)"fileId":"\.\.\."/, '$1"fileId":"14jAaixMoakazrCyu0cjYdJz8JWMocVZ7"'],
  [
    /(drive\.files\.delete .*)"fileId":"\.\.\."/,
    '$1"fileId":"1dV-r-Z_9se-81ljLvBZz7TtvOOU2RK816Yxo0JkLLGQ"',
  ],
];

function putIn(line: string): string {
  return PUT_IN.reduce((text, [pattern, value]) => text.replace(pattern, value), line);
}

async function writeReadersFiles(home: string): Promise<void> {
  const files: Record<string, string> = {
    "task.json": '{"tasklist":"@default","body":{"title":"Buy milk"}}',
    "plan.txt": "The plan.\n",
    "plan.pdf": "%PDF-1.4\n",
    "report.risor": 'gum_print(gum_search("send mail", 1))',
    "report.js": 'gum_print(gum_search("send mail", 1));',
    "clean.risor":
      `gum_confirm_destructive("drive.files.delete", "14jAaixMoakazrCyu0cjYdJz8JWMocVZ7")
gum_call("drive.files.delete", {fileId: "14jAaixMoakazrCyu0cjYdJz8JWMocVZ7"})
`,
    "client_secret.json": JSON.stringify({
      installed: { client_id: "docs.apps.googleusercontent.com", client_secret: "shh" },
    }),
    "mail.toml": [
      '[output_profiles."mail.short"]',
      'keep_fields = ["messages.id"]',
      'recovery = "local_artifact"',
      'on_empty = "Nothing here."',
      "",
      "[[tests]]",
      'name = "a page"',
      'profile = "mail.short"',
      'fixture = "response.json"',
      "expect_result_count = 2",
      "",
    ].join("\n"),
    "response.json": '{"messages":[{"id":"a","x":1},{"id":"b","x":2}]}',
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${home}/${name}`, text, { mode: 0o600 });
  }
  const plugin = new URL("examples/plugins/word-count/", ROOT);
  await copyFolder(plugin, `${home}/word-count`);
}

async function copyFolder(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

Deno.test("docs: every example of --help and the command reference runs", async () => {
  const shown = examples();
  assert.ok(shown.length > 60, `${shown.length} examples found`);
  const emulator = await startEmulator({ clock: systemClock });
  try {
    await withFolder(async (folder) => {
      const home = await Deno.realPath(folder);
      await writeReadersFiles(home);
      const env = { GUM_EMULATOR: emulator.origin, GUM_VAULT_KEY: VAULT_KEY, SHELL: "/bin/bash" };
      const run = (words: readonly string[], options: { stdin?: string; cwd?: string } = {}) =>
        runGum(words, { home, cwd: home, env, ...options });
      const golden = await run(["profile", "test", "mail.toml", "--input", "response.json"]);
      await Deno.writeTextFile(`${home}/want.toon`, golden.stdout);
      for (const { line, words, checkedOnly } of shown) {
        const elsewhere = RUN_ELSEWHERE.find(([pattern]) => pattern.test(line));
        if (elsewhere !== undefined) {
          const [, file, proof] = elsewhere;
          assert.match(await Deno.readTextFile(new URL(file, ROOT)), proof, line);
          continue;
        }
        if (checkedOnly) continue;
        const argv = words.map((word) => word.replace("http://127.0.0.1:8085", emulator.origin));
        // A template goes where nothing is yet; the other examples use the plugin that is there.
        const cwd = words[1] === "new" ? await Deno.makeTempDir({ dir: home }) : home;
        const stdin = line.includes("use-api-key")
          ? `AIza${"x".repeat(35)}\n`
          : line.includes("--secret-stdin")
          ? "shh\n"
          : "y\n";
        let ran = await run(argv, { stdin, cwd });
        if (ran.stderr.includes('"REQUIRES_CONFIRMATION"')) ran = await run([...argv, "--yes"]);
        assert.equal(ran.code, 0, `${line}\nexit ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
      }
    });
  } finally {
    await emulator.close();
  }
});
