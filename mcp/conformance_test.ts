/** The protocol's official conformance suite against GUM's server factory (spec 12 §1.3). */

import { equal, match, ok } from "node:assert/strict";
import { type Run, run, skipped } from "./testdata/outside_tools.ts";

const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const ROOT = new URL("..", import.meta.url).pathname;
const BASELINE = `${ROOT}testdata/mcp/conformance_expected_failures.yml`;

/** Runs the suite's own command in a folder of its own, away from our configuration and lock. */
async function suite(folder: string, args: readonly string[]): Promise<Run> {
  const permissions = ["--allow-net=127.0.0.1", "--allow-read", "--allow-env", "--allow-sys"];
  const place = ["--no-config", "--no-lock", `--allow-write=${folder}`];
  return await run(
    Deno.execPath(),
    ["run", "-q", "--no-prompt", ...permissions, ...place, SUITE, ...args],
    { cwd: folder, env: { NO_COLOR: "1" } },
  );
}

/** Serves the bridge while `use` runs. */
async function withBridge(use: (url: string) => Promise<void>): Promise<void> {
  const bridge = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "-P=test", `${ROOT}testdata/mcp/conformance_bridge.ts`],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    let url = "";
    const reader = bridge.stdout.pipeThrough(new TextDecoderStream()).getReader();
    while (!url.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the bridge did not start");
      url += value;
    }
    await use(url.trim());
    await reader.cancel();
  } finally {
    await bridge.stdin.close();
    await bridge.status;
  }
}

Deno.test("the official conformance suite passes on both revisions but for what is explained", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gum-conformance-" });
  try {
    const available = await suite(folder, ["--version"]);
    if (available.code !== 0) {
      const reason = available.stderr.trim().split("\n")[0] ?? "";
      return skipped(`the suite cannot be installed: ${reason}`);
    }
    await withBridge(async (url) => {
      for (const revision of ["2026-07-28", "2025-11-25"]) {
        const { code, stdout, stderr } = await suite(folder, [
          "server",
          "--url",
          url,
          "--requirements",
          revision,
          "--expected-failures",
          BASELINE,
          "-o",
          `${folder}/${revision}`,
        ]);
        const summary = stdout.slice(stdout.indexOf("=== SUMMARY ==="));
        equal(code, 0, `${revision}\n${summary}\n${stderr}`);
        match(summary, /Baseline check passed/);
        // A suite that could not reach the server would also report no surprise.
        const passed = Number(/Total: (\d+) passed/.exec(summary)?.[1]);
        ok(passed >= 70, `${revision}: ${passed} checks passed`);
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
