/**
 * The inspector of the protocol's own project as an independent judge: it drives every era, and its
 * `--strict` check refuses schemas that some client would refuse. It is installed once into the
 * user's cache; without npm, or offline, these tests say so and do nothing.
 */

import { equal, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { shellWords } from "../tasks/gum_program.ts";
import { cacheFolder, exists, type Run, run, skipped, tryRun } from "./testdata/outside_tools.ts";

const PACKAGE = "@modelcontextprotocol/inspector@2.12";

/** The inspector's script, or why there is none. */
async function install(): Promise<{ script: string } | { reason: string }> {
  for (const program of ["node", "npm"]) {
    if ((await tryRun(program, ["--version"]))?.code !== 0) {
      return { reason: `${program} is not installed` };
    }
  }
  const folder = cacheFolder("inspector-2.12");
  const script = `${folder}/node_modules/.bin/mcp-inspector`;
  if (await exists(script)) return { script };
  await Deno.mkdir(folder, { recursive: true });
  const installed = await run(
    "npm",
    ["install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", PACKAGE],
    { cwd: folder },
  );
  return installed.code === 0
    ? { script }
    : { reason: `npm could not install ${PACKAGE}: ${installed.stderr.split("\n")[0]}` };
}

let installing: ReturnType<typeof install> | undefined;

/** Runs the inspector against a server on the emulator; undefined when it is not available. */
async function inspect(era: string, args: string[]): Promise<Run | undefined> {
  const inspector = await (installing ??= install());
  if ("reason" in inspector) {
    skipped(inspector.reason);
    return undefined;
  }
  // The inspector takes its own flags apart: the server is one program without arguments.
  const folder = await Deno.makeTempDir({ prefix: "gum-inspector-" });
  try {
    const server = `${folder}/server`;
    await Deno.writeTextFile(
      server,
      `#!/bin/sh\nXDG_DATA_HOME='${folder}' XDG_CONFIG_HOME='${folder}' exec ${shellWords()} ` +
        `mcp --stdio --emulator\n`,
      { mode: 0o700 },
    );
    return await run(inspector.script, [
      "--cli",
      server,
      "--protocol-era",
      era,
      "--format",
      "json",
      ...args,
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const era of ["legacy", "auto", "modern"]) {
  Deno.test(`the inspector accepts every schema in era ${era} under --strict`, async () => {
    const listed = await inspect(era, ["--method", "tools/list", "--strict"]);
    if (listed === undefined) return;
    equal(listed.code, 0, listed.stderr);
    const { result } = JSON.parse(listed.stdout);
    equal(result.tools.length, 29);
  });

  Deno.test(`the inspector calls tools and reads resources in era ${era}`, async () => {
    const called = await inspect(era, [
      "--method",
      "tools/call",
      "--tool-name",
      "gmail_search",
      "--tool-args-json",
      '{"userId":"me","maxResults":2}',
    ]);
    if (called === undefined) return;
    equal(called.code, 0, called.stderr);
    const { result } = JSON.parse(called.stdout) as { result: JsonObject };
    ok(JSON.stringify(result.structuredContent).includes("gmail.users.messages.list"));
    const read = await inspect(era, [
      "--method",
      "resources/read",
      "--uri",
      "gum://op/gmail.users.messages.list",
    ]);
    equal(read?.code, 0, read?.stderr ?? "not started");
  });
}
