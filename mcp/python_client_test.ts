/** The Python SDK's client, as a peer that shares no line with ours or with the SDK we build on. */

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { gumProgram } from "../tasks/gum_program.ts";
import { CONVENIENCE_TOOLS, META_TOOLS, SKILL_TOOLS } from "./roster.ts";
import { cacheFolder, exists, run, skipped, tryRun } from "./testdata/outside_tools.ts";
import { homeVariables } from "./testdata/sdk_peers.ts";

const PACKAGE = "mcp==2.3.0";
const ROOT = new URL("..", import.meta.url).pathname;

/** Tools whose other half a session on the emulator may lack; what they say must be an envelope. */
const MAY_REFUSE = new Set(["gum.code", "gum.gain", "gum.poll", "flights_search"]);

/** A Python that has the client, or why there is none. */
async function python(): Promise<{ program: string } | { reason: string }> {
  const version = await tryRun("python3", ["-c", "import sys; print(sys.version_info >= (3, 10))"]);
  if (version?.stdout.trim() !== "True") return { reason: "there is no Python 3.10 or newer" };
  const folder = cacheFolder(`python-${PACKAGE.replace("==", "-")}`);
  const program = `${folder}/bin/python`;
  const ready = `${folder}/installed`;
  if (await exists(ready)) return { program };
  const made = await run("python3", ["-m", "venv", "--clear", folder]);
  if (made.code !== 0) return { reason: `no virtual environment: ${lastLine(made.stderr)}` };
  const args = ["-m", "pip", "install", "-q", "--disable-pip-version-check", PACKAGE];
  const installed = await run(program, args);
  if (installed.code !== 0) {
    return { reason: `pip could not install ${PACKAGE}: ${lastLine(installed.stderr)}` };
  }
  await Deno.writeTextFile(ready, "");
  return { program };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

let installing: ReturnType<typeof python> | undefined;

for (const [mode, revision] of [["legacy", "2025-11-25"], ["2026-07-28", "2026-07-28"]]) {
  Deno.test(`the Python client lists and calls every tool in ${revision}`, async () => {
    const found = await (installing ??= python());
    if ("reason" in found) return skipped(found.reason);
    const home = await Deno.makeTempDir({ prefix: "gum-python-" });
    try {
      const script = `${ROOT}testdata/mcp/python_client.py`;
      const { code, stdout, stderr } = await run(
        found.program,
        [script, mode ?? "", ...gumProgram(), "mcp", "--stdio", "--emulator"],
        { env: homeVariables(home) },
      );
      equal(code, 0, stderr.slice(-2_000));
      const { protocol, listed, outcomes } = JSON.parse(stdout) as {
        protocol: string;
        listed: string[];
        outcomes: Record<string, string>;
      };
      equal(protocol, revision);
      const every = [...META_TOOLS, ...CONVENIENCE_TOOLS, ...SKILL_TOOLS];
      deepStrictEqual(listed, every);
      deepStrictEqual(Object.keys(outcomes).toSorted(), every.toSorted());
      for (const [name, outcome] of Object.entries(outcomes)) {
        ok(outcome === "ok" || (MAY_REFUSE.has(name) && /^[A-Z_]+$/.test(outcome)), name + outcome);
      }
    } finally {
      await Deno.remove(home, { recursive: true });
    }
  });
}
