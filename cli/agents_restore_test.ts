/** Taking gum out of clients' files that people have written in, before and since. */

import assert from "node:assert/strict";
import { CURSOR, runAt, writeText } from "./testing/agents_home.ts";
import { withFolder } from "./testing/spawned.ts";

/** Entries of gum that their owners wrote by hand, each as far from gum's own as may be. */
const OWN_ENTRIES = [
  // The same but for one argument more, laid out like gum's own: installing only deletes.
  '{\n  "mcpServers": {\n    "gum": {\n      "args": [\n        "mcp",\n        "--stdio",\n' +
  '        "--read-only"\n      ],\n      "command": "gum"\n    }\n  }\n}\n',
  '{"mcpServers":{"gum":{"args":["mcp","--stdio","--mark-untrusted"],"command":"gum"}}}',
  '{"mcpServers":{"gum":{"command":"gum","args":["mcp","--stdio"],"env":{"A":"1"}}}}',
  '{"mcpServers":{"gum":{/* mine */"command":"/opt/gum","args":["mcp","--stdio"]}}}',
  '{"mcpServers":{"gum":{"command":"a"},"gum":{"command":"b"}}}',
  // Gum's own, word for word.
  '{"mcpServers":{"gum":{"command":"gum","args":["mcp","--stdio"]}}}',
];

Deno.test("agents: an entry of gum written by hand comes back, from every command that replaced it", async () => {
  const installs = [
    ["agents", "install", "--target", "cursor", "--features", "mcp"],
    ["init", "--target", "cursor", "--yes"],
  ];
  for (const install of installs) {
    for (const text of OWN_ENTRIES) {
      await withFolder(async (home) => {
        const file = `${home}/.cursor/mcp.json`;
        await writeText(file, text);
        for (const _time of [1, 2]) {
          const run = await runAt(home, install, { environment: { GUM_EMULATOR: "1" } });
          assert.equal(run.code, 0, run.stderr);
        }
        const uninstall = ["agents", "uninstall", "--target", "cursor", "--features", "mcp"];
        for (const _time of [1, 2]) {
          assert.equal((await runAt(home, uninstall)).code, 0);
          assert.equal(await Deno.readTextFile(file), text);
        }
      });
    }
  }
  await withFolder(async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    const words = ["--target", "cursor", "--features", "mcp"];
    await writeText(file, OWN_ENTRIES.at(-1) ?? "");
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    const kept = await runAt(home, ["agents", "uninstall", ...words]);
    assert.equal(kept.stdout, `skipped cursor mcp ${file}\n`);
    // Its owner changes it, another installation replaces it: the changed one comes back.
    const changed = '{"mcpServers":{"gum":{"command":"gum","args":["mcp","--stdio"],"env":{}}}}';
    await writeText(file, changed);
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
    assert.equal(await Deno.readTextFile(file), changed);
    await writeText(file, OWN_ENTRIES.at(-1) ?? "");
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    assert.equal((await runAt(home, ["agents", "uninstall", ...words, "--force"])).code, 0);
    assert.equal(await Deno.readTextFile(file), "{}");
  });
});

Deno.test("agents: a replaced entry comes back into a file that was edited since", async () => {
  for (const text of OWN_ENTRIES) {
    await withFolder(async (home) => {
      const file = `${home}/.cursor/mcp.json`;
      const words = ["--target", "cursor", "--features", "mcp"];
      await writeText(file, text);
      assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
      const now = await Deno.readTextFile(file);
      await Deno.writeTextFile(file, now.replace("{", '{ "theirs": [1], // new\n'));
      assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
      assert.equal(await Deno.readTextFile(file), text.replace("{", '{ "theirs": [1], // new\n'));
    });
  }
});

Deno.test("agents: lines written around gum's block of a TOML file stay lines of their own", async () => {
  const words = ["--target", "codex", "--features", "mcp"];
  for (const ending of ["", "\n", "\n\n", "\r\n"]) {
    await withFolder(async (home) => {
      const file = `${home}/.codex/config.toml`;
      await writeText(file, `model = "o"${ending}`);
      assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
      await Deno.writeTextFile(file, await Deno.readTextFile(file) + "[profiles.a]\nx = 1\n");
      assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
      const left = await Deno.readTextFile(file);
      assert.match(left, /^model = "o"\s*\n\[profiles\.a\]\nx = 1\n$/, JSON.stringify(left));
    });
  }
});

Deno.test("agents: a remark inside gum's entry does not keep it from being taken out", async () => {
  await withFolder(async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    const words = ["--target", "cursor", "--features", "mcp"];
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, text.replace('"command"', '// by name\n"command"'));
    const { stdout } = await runAt(home, ["agents", "uninstall", ...words]);
    assert.equal(stdout, `restored cursor mcp ${file}\n`);
    // Made by gum, and nothing of anybody else's left in it.
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  });
});

Deno.test("agents: a broken file of a client that never had gum keeps no other from being cleared", async () => {
  await withFolder(async (home) => {
    const words = ["--target", "cursor", "--features", "mcp"];
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    await writeText(`${home}/.gemini/settings.json`, "{ broken");
    await writeText(`${home}/.claude/mcp.json`, "");
    const { code, stdout, stderr } = await runAt(home, ["agents", "uninstall"]);
    assert.deepEqual([code, stdout], [0, `restored cursor mcp ${home}/.cursor/mcp.json\n`], stderr);
    assert.equal(await Deno.readTextFile(`${home}/.gemini/settings.json`), "{ broken");
    // One that may well start gum is named.
    await writeText(`${home}/.gemini/settings.json`, '{ "mcpServers": { "gum": ');
    const broken = await runAt(home, ["agents", "uninstall"]);
    assert.deepEqual([broken.code, /settings\.json: .*not valid JSON/.test(broken.stderr)], [
      1,
      true,
    ]);
  });
});

Deno.test("agents: installations of one client at once, each its own way, can be taken back", async () => {
  await withFolder(async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    const words = ["--target", "cursor", "--features", "mcp"];
    for (let round = 0; round < 5; round++) {
      await writeText(file, CURSOR);
      const runs = await Promise.all(
        [[], ["--mcp-arg=--read-only"], ["--mcp-arg=--mark-untrusted"]].map((more) =>
          runAt(home, ["agents", "install", ...words, ...more])
        ),
      );
      assert.deepEqual(runs.map(({ code }) => code), [0, 0, 0]);
      assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
      assert.equal(await Deno.readTextFile(file), CURSOR);
    }
  });
});

Deno.test("agents: whoever is stopped between the note and the change has changed nothing", async () => {
  await withFolder(async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    const words = ["--target", "cursor", "--features", "mcp"];
    await writeText(file, CURSOR);
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    // The file as it was, the note there already: so a kill before the rename leaves them.
    await Deno.writeTextFile(file, CURSOR);
    const nothing = await runAt(home, ["agents", "uninstall", ...words]);
    assert.deepEqual([nothing.code, nothing.stdout], [0, ""]);
    assert.equal(await Deno.readTextFile(file), CURSOR);
    assert.equal((await runAt(home, ["agents", "install", ...words])).code, 0);
    assert.equal((await runAt(home, ["agents", "uninstall", ...words])).code, 0);
    assert.equal(await Deno.readTextFile(file), CURSOR);
  });
});
