import assert from "node:assert/strict";
import { processFactories } from "./host.ts";
import { runCommandLine } from "./run.ts";
import { recordedHost, type RecordedOptions } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";
import { COMMANDS } from "./tree.ts";

const VAULT_KEY = new Uint8Array(32).fill(7).toBase64({ alphabet: "base64url", omitPadding: true });

async function at(home: string, argv: readonly string[], options: RecordedOptions = {}) {
  const { host, recorded } = recordedHost(argv, {
    ...options,
    environment: { HOME: home, GUM_VAULT_KEY: VAULT_KEY, NO_COLOR: "1", ...options.environment },
    factories: processFactories(),
  });
  const code = await runCommandLine(COMMANDS, { ...host, workingDirectory: () => home });
  return { ...recorded(), code };
}

Deno.test("gum status: one document in a pipe, one page for a person, nothing written", async () => {
  await withFolder(async (home) => {
    const piped = await at(home, ["status"]);
    assert.equal(piped.code, 0, piped.stderr);
    const document = JSON.parse(piped.stdout);
    assert.deepEqual(Object.keys(document), [
      "version",
      "profile",
      "emulator",
      "sign_in",
      "policy_mode",
      "settings",
      "long_tail",
      "plugins",
      "cache",
      "clients",
      "folders",
    ]);
    assert.deepEqual(
      [document.sign_in.provider, document.policy_mode, document.clients, document.plugins],
      ["none", "full", [], {}],
    );
    assert.match(document.sign_in.next_command, /^gum auth use-oauth-client/);
    assert.equal(document.long_tail, "read");
    const page = await at(home, ["status"], { terminals: ["stdout"], columns: 60 });
    assert.match(page.stdout, /^Signs in with {2}nothing yet; gum auth use-oauth-client/m);
    assert.match(page.stdout, /^Agent clients {2}none yet; gum setup/m);
    for (const line of page.stdout.split("\n")) assert.ok(line.length <= 60, line);
    assert.equal((await at(home, ["status", "--format", "xml"])).code, 2);
    assert.deepEqual([...Deno.readDirSync(home)].map(({ name }) => name), []);
  });
});

Deno.test("gum status: names the clients that start gum, the policy and the emulator", async () => {
  await withFolder(async (home) => {
    for (const target of ["cursor", "codex", "vscode"]) {
      const words = ["agents", "install", "--target", target, "--features", "mcp"];
      assert.equal((await at(home, words)).code, 0);
    }
    await Deno.mkdir(`${home}/.gemini`);
    await Deno.writeTextFile(`${home}/.gemini/settings.json`, "{ broken");
    await at(home, ["config", "set", "policy.mode=read_only"]);
    const { stdout } = await at(home, ["status"], { environment: { GUM_EMULATOR: "1" } });
    const { clients, policy_mode: mode, emulator, sign_in: signIn } = JSON.parse(stdout);
    assert.deepEqual(clients.toSorted(), ["codex", "cursor", "vscode"]);
    assert.deepEqual([mode, emulator, signIn], ["read_only", "built-in", null]);
  });
});
