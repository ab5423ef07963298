import assert from "node:assert/strict";
import { completionScript } from "./completion_scripts.ts";
import { respond } from "./complete.ts";
import { processFactories } from "./host.ts";
import { recordedHost, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandSpec } from "./types.ts";
import { withFolder } from "./testing/spawned.ts";

const LIST = "gmail.users.messages.list";

async function complete(words: string[], options: RecordedOptions = {}) {
  const { candidates, directive } = await respond(words, recordedHost([], options).host);
  return { values: candidates.map((candidate) => candidate.value), directive };
}

async function valuesOf(...words: string[]): Promise<string[]> {
  return (await complete(words)).values;
}

Deno.test("TestCLICompletionsAllShells: every script has its marker and calls the responder", () => {
  const markers = {
    bash: /__gum_/,
    zsh: /^#compdef gum\n/,
    fish: /complete -c gum/,
    powershell: /Register-ArgumentCompleter/,
  } as const;
  for (const [shell, marker] of Object.entries(markers)) {
    const script = completionScript(shell as keyof typeof markers, true);
    assert.match(script, marker, shell);
    assert.match(script, / __complete /, shell);
    assert.match(completionScript(shell as keyof typeof markers, false), / __completeNoDesc /);
    assert.ok(!/\beval\b/.test(script), `${shell}: typed text must never be evaluated`);
  }
});

Deno.test("TestCLICompletionsAllShells: commands, flags and their values", async () => {
  assert.deepEqual(await valuesOf("sea"), ["search"]);
  assert.ok(!(await valuesOf("")).some((value) => value.startsWith("_")));
  assert.deepEqual(await valuesOf("catalog", ""), ["list-overrides", "stats", "update"]);
  assert.deepEqual(await valuesOf("call", "--risk", ""), ["read", "write", "destructive"]);
  assert.deepEqual(await valuesOf("call", "--risk=w"), ["--risk=write"]);
  assert.deepEqual(await valuesOf("search", "--format", ""), ["json", "table"]);
  assert.deepEqual(await valuesOf("read", "--format", ""), [
    "toon",
    "json",
    "csv",
    "markdown",
    "raw",
  ]);
  assert.deepEqual(await valuesOf("read", "-o", "t"), ["table", "toon"]);
  assert.deepEqual(await valuesOf("--log-level", "d"), ["debug"]);
  assert.deepEqual(await valuesOf("completion", "z"), ["zsh"]);
  assert.ok((await valuesOf("help", "")).includes("exit-codes"));
  assert.deepEqual(await valuesOf("help", "field"), ["field-masks"]);
  assert.ok((await valuesOf("profile", "show", "_base")).includes("_base.list_ops"));
  assert.ok((await valuesOf("help", "ca")).includes("call"));
  assert.deepEqual(await valuesOf("config", "set", "rate_limit.cap"), ["rate_limit.capacity="]);
  assert.deepEqual(await valuesOf("config", "set", "output.tee_mode="), [
    "output.tee_mode=off",
    "output.tee_mode=failures",
    "output.tee_mode=always",
  ]);
  assert.deepEqual(await valuesOf("config", "set", "accounts.work.mode=draft"), [
    "accounts.work.mode=draft_only",
  ]);
  assert.deepEqual(await valuesOf("config", "set", "gain.enabled=f"), ["gain.enabled=false"]);
});

Deno.test("TestCLICompletionsAllShells: call has output flags and no --format of its own", async () => {
  const flags = await valuesOf("call", "--");
  for (const flag of ["--json", "--toon", "--csv", "--markdown"]) assert.ok(flags.includes(flag));
  assert.ok(!flags.includes("--format"));
  assert.ok((await valuesOf("call", LIST, "--")).includes("--label-ids"));
  assert.deepEqual(await valuesOf("call", LIST, "--format", "m"), ["metadata", "minimal"]);
});

Deno.test("TestCLICompletionsAllShells: variants and masks need the operation", async () => {
  assert.deepEqual(await valuesOf("read", LIST, "--variant-id", ""), [
    "gmail.v1.rest.users.messages.list",
  ]);
  assert.deepEqual(await valuesOf("read", "--variant-id", ""), []);
  assert.deepEqual(await valuesOf("read", "no.such.op", "--variant-id", ""), []);
  assert.deepEqual(await complete(["call", LIST, "--fields", ""]), {
    values: [
      "messages(id,threadId)",
      "nextPageToken",
      "resultSizeEstimate",
      "messages(id,threadId),nextPageToken,resultSizeEstimate",
    ],
    directive: 6,
  });
});

Deno.test("TestCLICompletionsAllShells: --profile offers valid folders and the default", async () => {
  await withFolder(async (home) => {
    for (const name of ["work", "b ad", "profiles", "play"]) {
      await Deno.mkdir(`${home}/.config/gum/${name}`, { recursive: true });
    }
    await Deno.writeTextFile(`${home}/.config/gum/file`, "");
    const environment = { HOME: home };
    assert.deepEqual((await complete(["--profile", ""], { environment })).values, [
      "default",
      "play",
      "work",
    ]);
    assert.deepEqual((await complete(["search", "--profile=p"], { environment })).values, [
      "--profile=play",
    ]);
  });
});

Deno.test("TestCLICompletionsAllShells: lists go on behind a comma, without what they have", async () => {
  assert.deepEqual(await valuesOf("agents", "install", "--target", "claude,co"), ["claude,codex"]);
  assert.deepEqual(await valuesOf("setup", "--features=skills,"), ["--features=skills,mcp"]);
  const shipped = {
    factories: processFactories({ commandGroup: () => Promise.resolve(undefined) }),
  };
  const services = await complete(["login", "--service", "gmail,"], shipped);
  assert.ok(services.values.includes("gmail,calendar"));
  assert.ok(!services.values.includes("gmail,gmail"));
  const fields = await complete(
    ["call", "drive.files.list", "--fields", "nextPageToken,inc"],
    shipped,
  );
  assert.ok(fields.values.includes("nextPageToken,incompleteSearch"), fields.values.join(" "));
  assert.deepEqual(await valuesOf("call", "--risk", "read,"), []);
});

Deno.test("TestCLICompletionsAllShells: a word that is not finished gets no space", async () => {
  assert.deepEqual(await complete(["read", "x", "-o", "va"]), { values: ["value("], directive: 6 });
  assert.equal((await complete(["read", "x", "-o", ""])).directive, 4);
});

Deno.test("TestCLICompletionsAllShells: --account offers the accounts of the typed profile", async () => {
  await withFolder(async (home) => {
    for (const [profile, label] of [["default", "work"], ["other", "home"]]) {
      await Deno.mkdir(`${home}/.config/gum/${profile}`, { recursive: true });
      await Deno.writeTextFile(
        `${home}/.config/gum/${profile}/config.toml`,
        `config_schema_version = 1\n[accounts.${label}]\nprofile = "p"\n[accounts."b c"]\nx = 1\n`,
        { mode: 0o600 },
      );
    }
    const options = { environment: { HOME: home } };
    const values = async (...words: string[]) => (await complete(words, options)).values;
    assert.deepEqual(await values("read", LIST, "--account", ""), ["work"]);
    assert.deepEqual(await values("call", LIST, "--account=w"), ["--account=work"]);
    assert.deepEqual(await values("--profile", "other", "code", "--account", ""), ["home"]);
    assert.deepEqual(await values("--profile=../x", "code", "--account", ""), []);
  });
});

Deno.test("TestCLICompletionsAllShells: a failing completer yields no candidates", async () => {
  const factories = { catalog: () => Promise.reject(new Error("broken")) };
  assert.deepEqual(await complete(["read", ""], { factories }), { values: [], directive: 4 });
  assert.deepEqual((await complete(["call", "a.b", "--ri"], { factories })).values, []);
  const run = await runRecorded(["__complete", "read", ""], { factories });
  assert.deepEqual([run.code, run.stdout], [0, ":4\n"]);
});

Deno.test("TestCLICompletionsAllShells: protocol lines, with and without descriptions", async () => {
  const described = await runRecorded(["__complete", "read", "gmail"]);
  assert.equal(described.stdout, `${LIST}\tList mail messages in a mailbox\n:4\n`);
  assert.match(described.stderr, /^directive 4: .+\n$/);
  const plain = await runRecorded(["__completeNoDesc", "read", "gmail"]);
  assert.equal(plain.stdout, `${LIST}\n:4\n`);
  // Words after the responder are the line being typed, not words for the responder itself.
  const help = await runRecorded(["__complete", "search", "--help"]);
  assert.equal(help.stdout, "--help\tprint help and exit\n:4\n");
});

Deno.test("TestCLICompletionInvokeSurfaceParity: op ids follow the risk class of the command", async () => {
  assert.deepEqual(await valuesOf("read", ""), [LIST]);
  assert.deepEqual(await valuesOf("write", ""), [
    "gmail.users.messages.send",
    "tasks.tasks.insert",
  ]);
  assert.deepEqual(await valuesOf("destructive", ""), ["drive.files.delete"]);
  const all = ["drive.files.delete", LIST, "gmail.users.messages.send", "tasks.tasks.insert"];
  assert.deepEqual(await valuesOf("call", ""), all);
  assert.deepEqual(await valuesOf("describe", ""), all);
  assert.deepEqual(await valuesOf("read", "x", ""), []);
});

Deno.test("TestCLICompletionInvokeSurfaceParity: every visible flag of every command is offered", async () => {
  const visit = async (command: CommandSpec, path: string[]) => {
    const offered = await valuesOf(...path, "--");
    for (const flag of command.flags.filter((one) => !one.hidden)) {
      assert.ok(offered.includes(`--${flag.name}`), `${path.join(" ")} --${flag.name}`);
    }
    for (const child of command.children) await visit(child, [...path, child.name]);
  };
  for (const command of COMMANDS.filter((one) => !one.hidden)) await visit(command, [command.name]);
});

Deno.test("completion: an operation of the long tail completes once no curated one goes on like it", async () => {
  const options = {
    factories: processFactories({ commandGroup: () => Promise.resolve(undefined) }),
  };
  const further = await complete(["describe", "compute.instances.l"], options);
  assert.ok(further.values.includes("compute.instances.list"), further.values.join());
  assert.ok(further.values.every((value) => value.startsWith("compute.instances.l")));
  const curated = await complete(["describe", "gmail.users.messages.l"], options);
  assert.deepEqual(curated.values, [LIST]);
  // The profile shows reads only, so what changes something is not offered.
  assert.deepEqual((await complete(["describe", "compute.instances.inse"], options)).values, []);
});

Deno.test("completion: a command typed out loads its own group alone", async () => {
  const asked: string[] = [];
  const options = {
    factories: processFactories({
      commandGroup: (word) => {
        asked.push(word);
        return Promise.resolve(COMMANDS.filter(({ name }) => name === word));
      },
    }),
  };
  const alone = await complete(["config", "s"], options);
  assert.deepEqual(alone, await complete(["config", "s"]));
  assert.deepEqual(asked, ["config"]);
});
