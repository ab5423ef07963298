import assert from "node:assert/strict";
import { setDefaultLogger, silentLogger } from "../lib/log/mod.ts";
import { VERSION } from "../lib/version/mod.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";

Deno.test("usage errors: one Error line, empty stdout, exit 2", async () => {
  const cases: [string[], RegExp][] = [
    [["serch"], /^Error: unknown command "serch" for gum; did you mean "search"\?\n$/],
    [["frobnicate"], /^Error: unknown command "frobnicate" for gum\n$/],
    [["--nope"], /^Error: unknown flag: --nope\n$/],
    [["catalog", "--nope"], /^Error: unknown flag: --nope\n$/],
    [["--profile"], /^Error: flag needs a value: --profile\n$/],
    [["search", "--nope"], /^Error: unknown flag: --nope\n$/],
    [["describe"], /^Error: missing argument <op_id>\n$/],
    [["describe", "a.b", "extra"], /^Error: unexpected argument "extra"\n$/],
    [["read", "a.b", "q=x"], /^Error: unexpected argument "q=x"; .* gum call\n$/],
    [["search", "x", "--format", "xml"], /^Error: CLI_ARG_INVALID: "--format": .*json, table\n$/],
    [["search", "x", "--top-k", "many"], /^Error: CLI_ARG_INVALID: "--top-k": /],
    [
      ["version", "--log-level", "loud"],
      /^Error: CLI_ARG_INVALID: "--log-level": .*debug, info, warn, error\n$/,
    ],
    [
      ["version", "--log-format", "xml"],
      /^Error: CLI_ARG_INVALID: "--log-format": .*json, text\n$/,
    ],
    [["mcp"], /^Error: required flag --stdio is missing\n$/],
    [["completion", "tcsh"], /^Error: CLI_ARG_INVALID: "tcsh": .*powershell\n$/],
    [["help", "nothing-known"], /^Error: no help on "nothing-known"/],
  ];
  for (const [argv, expected] of cases) {
    const run = await runRecorded(argv);
    assert.equal(run.stdout, "", argv.join(" "));
    assert.match(run.stderr, expected, argv.join(" "));
    assert.equal(run.code, 2, argv.join(" "));
  }
});

Deno.test("parents: bare prints help with exit 0, an unknown word fails and is named", async () => {
  const parents = COMMANDS.filter((command) => command.children.length > 0);
  assert.ok(parents.length > 0);
  for (const parent of parents) {
    const bare = await runRecorded([parent.name]);
    assert.equal(bare.code, 0, parent.name);
    assert.match(bare.stdout, /Usage: gum/);
    const wrong = await runRecorded([parent.name, "bogus-word"]);
    assert.equal(wrong.code, 2, parent.name);
    assert.match(wrong.stderr, /bogus-word/);
    assert.equal(wrong.stdout, "");
  }
});

Deno.test("help: root groups in order, every command explains itself on stdout", async () => {
  const root = await runRecorded([]);
  assert.equal(root.code, 0);
  const titles = [...root.stdout.matchAll(/^([A-Z][^:\n]*):$/gm)].map((match) => match[1]);
  const expected = [
    "Discover",
    "Read",
    "Write & destructive",
    "Auth",
    "Plugin",
    "Profile & config",
    "Admin",
  ];
  assert.deepEqual(
    titles.filter((title) => expected.includes(title ?? "")),
    expected.filter((t) => titles.includes(t)),
  );
  assert.match(root.stdout, /^ {2}search {2,}/m);
  assert.ok(!root.stdout.includes("__complete"));
  for (const argv of [["--help"], ["-h"], ["help"]]) {
    assert.equal((await runRecorded(argv)).stdout, root.stdout);
  }
  for (const command of COMMANDS.filter((one) => !one.hidden)) {
    const byFlag = await runRecorded([command.name, "--help"]);
    assert.equal(byFlag.code, 0);
    assert.equal(byFlag.stderr, "");
    assert.match(byFlag.stdout, /Usage: gum /);
    assert.equal((await runRecorded(["help", command.name])).stdout, byFlag.stdout);
  }
  const call = await runRecorded(["call", "gmail.users.messages.list", "--help"]);
  assert.match(call.stdout, /^Fields of the operation:\n(?:.*\n)* +--label-ids <value> /m);
  const topic = await runRecorded(["help", "field-masks"]);
  assert.deepEqual([topic.code, topic.stderr], [0, ""]);
  assert.match(topic.stdout, /field mask/i);
  assert.match((await runRecorded(["help", "exit-codes"])).stdout, /^ {2}130 {2}interrupted/m);
});

Deno.test("TestVersionStamp: both version outputs are exactly the stamp", async () => {
  for (
    const argv of [["version"], ["--version"], ["--version", "--emulator"], ["call", "--version"]]
  ) {
    const run = await runRecorded(argv);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, VERSION + "\n", ""], argv.join(" "));
  }
});

Deno.test("profile: a bad name fails before anything runs, the flag beats the variable", async () => {
  const environment = { GUM_PROFILE: "../escape" };
  const bad = await runRecorded(["version"], { environment });
  assert.equal(bad.code, 1);
  assert.equal(bad.stdout, "");
  const envelope = JSON.parse(bad.stderr);
  assert.equal(envelope.error_code, "PROFILE_NAME_INVALID");
  assert.match(envelope.message, /invalid profile name/);
  assert.equal((await runRecorded(["version", "--profile", "work"], { environment })).code, 0);
  assert.equal((await runRecorded(["--profile=a/b", "version"])).code, 1);
});

Deno.test("log level: an invalid variable is ignored, names are case-insensitive", async () => {
  assert.equal(
    (await runRecorded(["version"], { environment: { GUM_LOG_LEVEL: "loud" } })).code,
    0,
  );
  for (const level of ["DEBUG", "Warning", "error"]) {
    assert.equal((await runRecorded(["version", "--log-level", level])).code, 0, level);
  }
});

Deno.test("run: the process logger is put back after a run", async () => {
  const before = setDefaultLogger(silentLogger);
  try {
    await runRecorded(["version"]);
    await runRecorded(["search", "--nope"]);
    assert.equal(setDefaultLogger(silentLogger), silentLogger);
  } finally {
    setDefaultLogger(before);
  }
});

Deno.test("permissions: a command keeps exactly what it declares", async () => {
  assert.deepEqual((await runRecorded(["search", "mail"])).kept, ["read", "env"]);
  assert.deepEqual((await runRecorded(["version"])).kept, ["read", "run", "env"]);
  assert.deepEqual((await runRecorded(["schema"])).kept, ["read", "env"]);
});

Deno.test("schema: every visible command and flag, hidden ones left out", async () => {
  const { stdout } = await runRecorded(["schema", "--json"]);
  const document = JSON.parse(stdout);
  assert.equal(document.schema_version, 1);
  assert.equal(stdout, JSON.stringify(document, null, 2) + "\n");
  const names = document.command.subcommands.map((node: { name: string }) => node.name);
  assert.deepEqual(names, COMMANDS.filter((one) => !one.hidden).map((one) => one.name));
  const call = document.command.subcommands.find((node: { name: string }) => node.name === "call");
  assert.equal(call.path, "gum call");
  assert.equal(call.usage, "gum call <op_id> [argument...] [flags]");
  assert.deepEqual(call.arguments.map((arg: { name: string }) => arg.name), ["op_id", "argument"]);
  const flags = call.flags.map((flag: { name: string }) => flag.name);
  assert.equal(new Set(flags).size, flags.length);
  assert.ok(flags.indexOf("risk") < flags.indexOf("profile"));
  const size = call.flags.find((flag: { name: string }) => flag.name === "page-size");
  assert.deepEqual([size.type, size.default, size.has_default], ["int", "0", true]);
  const catalog = document.command.subcommands.find((n: { name: string }) => n.name === "catalog");
  assert.equal(catalog.subcommands[0].path, "gum catalog list-overrides");
});

Deno.test("usage: every required flag that is missing is named as one", async () => {
  const missing: readonly [string[], string][] = [
    [["call", "gmail.users.messages.list"], "risk"],
    [["canary"], "plugin"],
    [["mcp"], "stdio"],
    [["skills", "export"], "out"],
    [["auth", "use-oauth-client"], "client-id"],
    [["auth", "vault", "migrate"], "to"],
    [["plugin", "install", "x"], "yes"],
  ];
  for (const [argv, name] of missing) {
    const { code, stdout, stderr } = await runRecorded(argv);
    assert.deepEqual([code, stdout], [2, ""], argv.join(" "));
    assert.match(stderr, new RegExp(`^Error: required flag.*${name}.*\n$`), argv.join(" "));
  }
});

Deno.test("help: the cache stands with the configuration, as the tree says", async () => {
  const { stdout } = await runRecorded(["help"]);
  const group = /\nProfile & config:\n((?: {2}\S.*\n| {4,}\S.*\n)+)/.exec(stdout)?.[1] ?? "";
  assert.deepEqual([...group.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name), [
    "profile",
    "config",
    "cache",
  ]);
});
