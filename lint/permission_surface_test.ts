/** Every command in a process of its own, with no permission but those it declares. */

import assert from "node:assert/strict";
import {
  isolatedEnvironment,
  PROGRAM,
  ROOT,
  runDeno,
  runGum,
  withFolder,
} from "../cli/testing/spawned.ts";
import { locate } from "../cli/parse.ts";
import { permissionFlags } from "../tasks/permission_flags.ts";
import { COMMANDS } from "../cli/tree.ts";
import type { CommandSpec } from "../cli/types.ts";

interface Row {
  /** Words after `gum`. */
  argv: string;
  /** Exit code; 0 when absent. */
  exit?: number;
  stdin?: string;
  /** What stdout or stderr shows when the command did its work. */
  shows?: RegExp;
}

const OP = "gmail.users.messages.list";
const BASE = "lib/profile/embedded/_base.list_ops.toml";
const OPEN =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
  '"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n' +
  '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' +
  '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';

/** One working line for every command that runs; `HOME` stands for the home of its group. */
interface Group {
  rows: readonly Row[];
  env?: Record<string, string>;
}

/** Rows of a group share a home and go in order; groups go side by side. */
const GROUPS: Readonly<Record<string, Group>> = {
  discover: {
    rows: [
      { argv: "schema", shows: /"schema_version"/ },
      { argv: "search send an email", shows: /gmail\.users\.messages\.send/ },
      { argv: `describe ${OP}`, shows: /"op_id"/ },
      { argv: "catalog list-overrides", shows: /risk_override_reason/ },
      { argv: "catalog stats", shows: /"curated"/ },
      { argv: "catalog update", shows: /"updated"/ },
      { argv: "help", shows: /Discover/ },
      { argv: "__complete read gmail.", shows: /gmail\.users/ },
      { argv: "__completeNoDesc read gmail.", shows: /gmail\.users/ },
      { argv: "completion bash", shows: /__gum/ },
      { argv: "version", shows: /^\S/ },
      { argv: "__notify-refresh" },
    ],
  },
  calls: {
    rows: [
      { argv: `read ${OP}`, shows: /format_version: 1/ },
      {
        argv: 'write tasks.tasklists.insert --allow-write --args {"body":{"title":"x"}}',
        shows: /"title"/,
      },
      {
        argv: 'destructive gmail.users.messages.delete --args {"id":"none"}',
        exit: 5,
        shows: /confirmation/,
      },
      { argv: `call ${OP} --risk read maxResults:=2`, shows: /"messages"/ },
      { argv: "code gum_print(1)", shows: /^1/ },
      { argv: "cache stats", shows: /"semantic"/ },
      { argv: "cache clear", shows: /"cleared"/ },
      { argv: "cache migrate", shows: /"ok": true/ },
      { argv: "gain", shows: /tokens/ },
      { argv: "status", shows: /default/ },
      { argv: "audit tail", shows: /gmail\.users\.messages\.list/ },
      { argv: "audit verify", shows: /whole/ },
      { argv: "mcp --stdio", stdin: OPEN, shows: /gum\.search_apis/ },
    ],
  },
  signIn: {
    rows: ["login", "logout", "auth login", "auth logout", "auth probe"]
      .map((argv) => ({ argv, exit: 2, shows: /needs no sign-in/ })),
  },
  credentials: {
    env: { GUM_VAULT_PASSPHRASE: "a phrase of several words" },
    rows: [
      { argv: "auth vault init", shows: /"profile"/ },
      { argv: "auth vault status", shows: /"credential_store"/ },
      { argv: "auth status", shows: /"provider"/ },
      { argv: "auth profiles", shows: /default/ },
      { argv: "auth setup gmail.users.labels.list", shows: /"next_commands"/ },
      { argv: "auth use-api-key", stdin: "a-key-of-nobody\n", shows: /profile/ },
      { argv: "auth use-ads-developer-token", stdin: "a-token-of-nobody\n", shows: /profile/ },
      { argv: "auth use-oauth-client", exit: 2, shows: /--client-id/ },
      { argv: "auth use-service-account HOME/none.json", exit: 2, shows: /no such file/ },
      { argv: "auth use-adc", shows: /adc_enabled/ },
      { argv: "auth vault rekey", stdin: "another phrase of words\n", shows: /profile/ },
      { argv: "auth vault migrate --to vault", shows: /profile/ },
      { argv: "doctor", exit: 1, shows: /application default credentials/ },
    ],
  },
  plugins: {
    rows: [
      { argv: "plugin new probe HOME/probe", shows: /plugin\.toml/ },
      { argv: "plugin validate HOME/probe", shows: /can be installed/ },
      // As far as it gets without a download.
      { argv: "plugin runtime install --format yaml", exit: 2, shows: /--format/ },
      { argv: "plugin install HOME/probe --yes", shows: /installed probe/ },
      { argv: "plugin list", shows: /probe/ },
      { argv: "plugin info probe", shows: /namespace_owner/ },
      { argv: "plugin setup probe", shows: /no credentials/ },
      { argv: "plugin reload probe", shows: /reloaded/ },
      { argv: 'plugin run probe greet {"name":"Ada"}', shows: /Ada/ },
      { argv: "canary --plugin probe", shows: /"ok":true/ },
      { argv: "plugin unquarantine probe", shows: /probe/ },
      {
        argv: "plugin transfer-namespace example.probe --release --yes",
        exit: 1,
        shows: /PLUGIN_PREFIX_NOT_BOUND/,
      },
      { argv: "plugin remove probe", shows: /removed/ },
    ],
  },
  settings: {
    rows: [
      { argv: `profile validate ${BASE}`, shows: /^ok/ },
      { argv: `profile test ${BASE}`, shows: /"passed": true/ },
      { argv: "profile list", shows: /_base\.list_ops/ },
      { argv: "profile show _base.list_ops", shows: /strip_nulls/ },
      { argv: "config set gain.enabled=true" },
      { argv: "config get gain.enabled", shows: /true/ },
      { argv: "config list", shows: /gain\.enabled/ },
      { argv: "config unset gain.enabled" },
      { argv: "setup", exit: 1, shows: /Plan/ },
      { argv: "agents install", shows: /wrote/ },
      { argv: "agents uninstall", shows: /removed/ },
      { argv: "skills list", shows: /core/ },
      { argv: "skills show core", shows: /gum/ },
      { argv: "skills export --out HOME/skills", shows: /written/ },
      { argv: "skills install", shows: /written/ },
      { argv: "init --global", exit: 1, shows: /declined/ },
    ],
  },
};

/** Signs of a permission that was needed and given up, or of a failure nobody expected. */
const REFUSALS = /NotCapable|[Rr]equires \w+ access|INTERNAL|\n\s+at /;

function wordsOf(row: Row, home: string): string[] {
  return row.argv.split(" ").map((word) => word.replace("HOME", home));
}

function leaves(command: CommandSpec, above: readonly string[]): string[] {
  const path = [...above, command.name];
  const below = command.children.flatMap((child) => leaves(child, path));
  return command.run === undefined ? below : [path.join(" "), ...below];
}

Deno.test("TestPermissionSurface: every command has a line here", () => {
  const reached = Object.values(GROUPS).flatMap(({ rows }) => rows).map((row) =>
    locate(COMMANDS, wordsOf(row, "/home")).path.map((command) => command.name).join(" ")
  );
  // Served emulators have a test of their own below.
  reached.push("emulator serve", "emulator log", "emulator fault");
  const commands = COMMANDS.flatMap((command) => leaves(command, []));
  assert.deepEqual([...new Set(reached)].sort(), commands.sort());
});

for (const [name, { rows, env }] of Object.entries(GROUPS)) {
  Deno.test(`TestPermissionSurface: ${name} commands work with what they declare and nothing else`, async () => {
    await withFolder(async (home) => {
      for (const row of rows) {
        const { code, stdout, stderr } = await runGum(wordsOf(row, home), {
          home,
          env: { GUM_EMULATOR: "1", ...env },
          stdin: row.stdin ?? "",
        });
        const said = `gum ${row.argv}\n${code}\n${stdout}\n${stderr}`;
        assert.equal(code, row.exit ?? 0, said);
        assert.ok(!REFUSALS.test(stdout + stderr), said);
        if (row.shows !== undefined) {
          assert.ok(row.shows.test(stdout) || row.shows.test(stderr), said);
        }
      }
    });
  });
}

Deno.test("TestPermissionSurface: a served emulator answers its log and fault commands", async () => {
  await withFolder(async (home) => {
    const [program, ...args] = PROGRAM;
    const served = new Deno.Command(program, {
      args: [...args, "emulator", "serve", "--port", "0"],
      env: await isolatedEnvironment(home),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    try {
      const reader = served.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!/"origin": ?"[^"]+"/.test(text)) {
        const { done, value } = await reader.read();
        assert.ok(!done, `the emulator ended: ${text}`);
        text += value;
      }
      await reader.cancel();
      const env = { GUM_EMULATOR: /"origin": ?"([^"]+)"/.exec(text)?.[1] ?? "" };
      for (const argv of [["read", OP], ["emulator", "log"], ["emulator", "fault"]]) {
        const ran = await runGum(argv, { home, env });
        const said = `gum ${argv.join(" ")}\n${ran.code}\n${ran.stdout}\n${ran.stderr}`;
        assert.equal(ran.code, 0, said);
        assert.ok(!REFUSALS.test(ran.stdout + ran.stderr), said);
      }
    } finally {
      served.kill("SIGTERM");
      await served.stderr.cancel();
      await served.status;
    }
  });
});

Deno.test("TestPermissionSurface: what a command does not declare is really gone", async () => {
  await withFolder(async (folder) => {
    const probe = `${folder}/probe.ts`;
    const host = new URL("../cli/host.ts", import.meta.url);
    await Deno.writeTextFile(
      probe,
      `import { revokePermissions } from ${JSON.stringify(host.href)};
revokePermissions(JSON.parse(Deno.args[0]));
const kinds = ["read", "write", "net", "run", "env", "sys", "ffi", "import"];
const kept = kinds.filter((name) => {
  const { state, partial } = Deno.permissions.querySync({ name });
  return state === "granted" || partial;
});
console.log(JSON.stringify(kept));`,
    );
    const declared = new Set(
      COMMANDS.flatMap((command) => needsOf(command)).map((needs) => JSON.stringify(needs)),
    );
    assert.ok(declared.size > 3);
    const { permissions } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    const flags = permissionFlags(permissions.gum);
    for (const needs of declared) {
      const ran = await runDeno(["run", "-q", "--no-prompt", ...flags, probe, needs]);
      const kept = JSON.parse(ran.stdout) as string[];
      assert.ok(kept.every((kind) => needs.includes(`"${kind}"`)), `${needs}: ${kept}`);
    }
  });
});

function needsOf(command: CommandSpec): (readonly string[])[] {
  return [command.permissions, ...command.children.flatMap(needsOf)];
}
