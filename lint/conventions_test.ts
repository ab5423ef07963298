/** Conventions that a look at the source text can hold: one way to do a thing, files of one subject. */

import assert from "node:assert/strict";
import { sourceFiles } from "./import_graph.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Files that ship, without comments, by path. */
const SHIPPED: ReadonlyMap<string, string> = new Map(
  sourceFiles(ROOT)
    .filter((file) => /^(?:lib|cli|mcp)\/|^main\.ts$/.test(file) && !file.includes(".generated."))
    .filter((file) => !/(?:^|\/)(?:testdata|testing)\//.test(file))
    .map((file) => [file, withoutComments(Deno.readTextFileSync(`${ROOT}/${file}`))]),
);

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");
}

/** Files in which a pattern stands, other than the places that are meant to have it. */
function strays(pattern: RegExp, places: readonly string[]): string[] {
  assert.ok(SHIPPED.size > 300, "the sources were found");
  for (const place of places) {
    const meant = [...SHIPPED].filter(([file]) => file.startsWith(place));
    assert.ok(
      meant.some(([, source]) => pattern.test(source)),
      `${place} no longer needs its place`,
    );
  }
  return [...SHIPPED]
    .filter(([file, source]) => pattern.test(source) && !places.some((one) => file.startsWith(one)))
    .map(([file]) => file);
}

Deno.test("TestOneWay: one module reads the environment", () => {
  assert.deepEqual(strays(/\bDeno\.env\b|\bprocess\.env\b/, ["lib/config/environment.ts"]), []);
});

Deno.test("TestOneWay: one client talks to Google; the others talk to what is named here", () => {
  assert.deepEqual(
    strays(/\bfetch\(/, [
      "lib/http/client.ts",
      // Whether a newer version was released.
      "lib/notifier/mod.ts",
      // The emulator, on loopback.
      "lib/emulator/",
      "cli/emulator_run.ts",
    ]),
    [],
  );
});

Deno.test("TestOneWay: one clock tells the time", () => {
  assert.deepEqual(
    strays(/\bDate\.now\(\)|\bnew Date\(\)/, [
      "lib/clock/mod.ts",
      // Compared with the time that the file system gives a file.
      "lib/confirmation/replay.ts",
    ]),
    [],
  );
});

Deno.test("TestOneWay: text is never run as code outside the sandbox", () => {
  assert.deepEqual(strays(/\beval\(|\bnew Function\(|\bimport\(\s*[^"'\s)]/, []), []);
});

Deno.test("TestConventions: a switched-off lint rule says why", () => {
  const silent = [...sourceFiles(ROOT), ...testFiles()].flatMap((file) =>
    Deno.readTextFileSync(`${ROOT}/${file}`).split("\n")
      .filter((line) => /^\s*\/\/ deno-lint-ignore|@ts-(?:ignore|expect-error|nocheck)/.test(line))
      .filter((line) => !/ -- \S+/.test(line))
      .map((line) => `${file}: ${line.trim()}`)
  );
  assert.deepEqual(silent, []);
});

/** Test files of the tree, relative. */
function testFiles(folder = ""): string[] {
  return [...Deno.readDirSync(`${ROOT}/${folder}`)].flatMap(({ name, isDirectory }) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (isDirectory) return /^(?:\.|dist$|node_modules$)/.test(name) ? [] : testFiles(path);
    return name.endsWith("_test.ts") ? [path] : [];
  });
}

/** Long files, how long they may be, and why they are not split. */
const LONG_FILES: Readonly<Record<string, number>> = {
  // Contracts: one list of shapes that is read as a whole.
  "lib/plugin/types.ts": 450,
};
const USUAL_LENGTH = 400;

Deno.test("TestConventions: a file past four hundred lines is listed with its reason", () => {
  const tooLong = sourceFiles(ROOT).filter((file) => !file.includes(".generated.")).flatMap(
    (file) => {
      const lines = Deno.readTextFileSync(`${ROOT}/${file}`).split("\n").length;
      return lines > (LONG_FILES[file] ?? USUAL_LENGTH) ? [`${file}: ${lines} lines`] : [];
    },
  );
  assert.deepEqual(tooLong, []);
  for (const file of Object.keys(LONG_FILES)) {
    const lines = Deno.readTextFileSync(`${ROOT}/${file}`).split("\n").length;
    assert.ok(lines > USUAL_LENGTH, `${file} is short enough now`);
  }
});

Deno.test("TestConventions: every folder of lib has a face", () => {
  for (const { name, isDirectory } of Deno.readDirSync(`${ROOT}/lib`)) {
    if (!isDirectory || !sourceFiles(ROOT, `lib/${name}`).length) continue;
    assert.ok(SHIPPED.has(`lib/${name}/mod.ts`), `lib/${name} has no mod.ts`);
  }
});
