import assert from "node:assert/strict";
import { parseTxtar, runScript, splitWords, starting } from "./testing/script.ts";
import { PROGRAM } from "./testing/spawned.ts";

const FOLDER = new URL("../testdata/script/", import.meta.url);

for (const entry of [...Deno.readDirSync(FOLDER)].toSorted((a, b) => a.name < b.name ? -1 : 1)) {
  if (!entry.name.endsWith(".txtar")) continue;
  Deno.test(`TestCLIScripts: ${entry.name}`, async () => {
    const text = await Deno.readTextFile(new URL(entry.name, FOLDER));
    await runScript(text, { start: starting(PROGRAM), name: entry.name });
  });
}

Deno.test("TestCLIScripts: the runner itself fails where a script does not hold", async () => {
  const start = () => Promise.resolve({ code: 3, stdout: '{"a":{"b":[1]}}', stderr: "line\n" });
  const run = (script: string) => runScript(script, { start, name: "self" });
  await run(
    "! gum x\nexit 3\nstdout a.*b\n! stdout z\njson stdout a.b [1]\nstderr ^line$\n! exists f",
  );
  for (
    const script of [
      "gum x",
      "! gum x\nexit 2",
      "! gum x\nstdout z",
      "! gum x\n! stdout a",
      "! gum x\nempty stderr",
      "! gum x\njson stdout a.b [2]",
      "! gum x\ncmp stdout want\n-- want --\nother\n",
      "exists f",
      "bogus",
      "stdout x",
    ]
  ) await assert.rejects(run(script), assert.AssertionError, script);
});

Deno.test("TestCLIScripts: archives and words are split as documented", () => {
  const { lines, files } = parseTxtar("a\nb\n-- f/x --\n1\n2\n-- g --\n");
  assert.deepEqual(lines, ["a", "b"]);
  assert.deepEqual([...files], [["f/x", "1\n2\n"], ["g", ""]]);
  assert.deepEqual(splitWords(`gum 'a b' c='d e' '' 'it''s'`), ["gum", "a b", "c=d e", "", "it's"]);
});
