import assert from "node:assert/strict";
import { ERROR_CODES } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { howToFix } from "./how_to_fix.ts";
import { nextCommand } from "./next_command.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandSpec } from "./types.ts";

const ROOT = new URL("../", import.meta.url);

/** What is wrong with the words after `gum`; undefined when they name a command and its flags. */
function fault(words: readonly string[]): string | undefined {
  const left = [...words];
  let children: readonly CommandSpec[] = COMMANDS;
  let command: CommandSpec | undefined;
  while (left[0]?.startsWith("--")) left.shift();
  while (children.length > 0) {
    const word = left[0] ?? "";
    // A parent alone prints its help; dots stand for any of its commands.
    if (word === "" || /^[…<[X]/.test(word)) break;
    const child = children.find(({ name }) => name === word);
    if (child === undefined) return `no command ${word}`;
    command = child;
    children = child.children;
    left.shift();
  }
  // The fields of an operation are flags too, so call and write take more than they declare.
  if (command === undefined || command.dynamicFlags !== undefined) return undefined;
  const known = [...command.flags, ...GLOBAL_FLAGS].map(({ name }) => name);
  return left.filter((word) => word.startsWith("--"))
    .map((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? word)
    .filter((flag) => !known.includes(flag))
    .map((flag) => `no flag --${flag}`)[0];
}

async function* sources(folder: URL): AsyncGenerator<URL> {
  for await (const entry of Deno.readDir(folder)) {
    const url = new URL(entry.isDirectory ? `${entry.name}/` : entry.name, folder);
    if (entry.isDirectory && entry.name !== "testing") yield* sources(url);
    else if (/\.ts$/.test(entry.name) && !/_test\.ts$|\.generated\.ts$/.test(entry.name)) yield url;
  }
}

/** Commands between backticks: the form in which messages name them. */
function quoted(source: string): string[] {
  return [
    ...source.replaceAll(/(?<=\w)\$\{[^}`]*\}/g, "").replaceAll(/\$\{[^}`]*\}/g, "X").matchAll(
      /`gum ([a-z-][^`\n]*?)\\?`/g,
    ),
  ]
    .map(([, words = ""]) => words);
}

Deno.test("messages: every command that a message names exists and has the flags shown", async () => {
  const faults: string[] = [];
  let seen = 0;
  for (const folder of ["cli/", "lib/", "mcp/"]) {
    for await (const url of sources(new URL(folder, ROOT))) {
      for (const command of quoted(await Deno.readTextFile(url))) {
        seen++;
        const what = fault(command.replaceAll(/[.,;:]$/g, "").split(/\s+/));
        if (what !== undefined) {
          faults.push(`${url.pathname.slice(ROOT.pathname.length)}: ${command}: ${what}`);
        }
      }
    }
  }
  assert.ok(seen > 150, `${seen} found`);
  assert.deepEqual(faults, []);
});

Deno.test("messages: the advice and the next command of every error code can be typed", () => {
  const shapes: JsonObject[] = [
    {},
    { op_id: "a.b", variant_risk_class: "write", suggestions: ["a.b"], plugin_name: "p" },
    { op_id: "a.b", variant_risk_class: "destructive", status: "needs_configuration" },
    { op_id: "a.b", reason: "emulator_unreachable", confirmation_token: "t" },
    { op_id: "a.b", reason: "plugin_not_installed", plugin_name: "p" },
    { reason: "canary_failed", plugin_name: "p", status: "installed_pending_restart" },
  ];
  for (const [code, { suggestion }] of Object.entries<{ suggestion?: string }>(ERROR_CODES)) {
    for (const shape of shapes) {
      for (const command of [undefined, "write", "code"]) {
        const envelope = { error_code: code, ...(suggestion ? { suggestion } : {}), ...shape };
        const extras = command === undefined ? undefined : { command };
        const next = nextCommand(envelope, extras);
        if (next !== undefined) {
          assert.match(next, /^gum /);
          assert.equal(fault(next.split(" ").slice(1)), undefined, `${code}: ${next}`);
        }
        const fix = howToFix(envelope, extras);
        for (const [, words = ""] of fix.matchAll(/\bgum ([a-z-]+(?: [a-z-]+)*)/g)) {
          const [word = "", second = ""] = words.split(" ");
          const known = COMMANDS.find(({ name }) => name === word);
          assert.ok(known !== undefined, `${code}: ${fix}`);
          if (known.children.length > 0 && second !== "") {
            assert.ok(known.children.some(({ name }) => name === second), `${code}: ${fix}`);
          }
        }
      }
    }
  }
});

Deno.test("messages: a command that does not exist would be noticed", () => {
  assert.equal(fault(["plugin", "list"]), undefined);
  assert.equal(fault(["plugin", "lst"]), "no command lst");
  assert.equal(fault(["cache", "clear", "--bak"]), "no flag --bak");
  assert.deepEqual(quoted("say(`run \\`gum doctor\\` on ${x}`)"), ["doctor"]);
});
