import assert from "node:assert/strict";
import { type Recorded, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

const FILE = `[output_profiles.mail]
format = "json"
limit = 2

[output_profiles.other]
format = "csv"

[[tests]]
name = "two rows"
profile = "mail"
fixture = "in.json"
expect_result_count = 2
`;
const INPUT = '{"messages":[{"id":"a"},{"id":"b"},{"id":"c"}]}';

async function inFolder(
  files: Record<string, string>,
  body: (run: (...argv: string[]) => Promise<Recorded>, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    for (const [name, content] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, content);
    }
    const run = (...argv: string[]) =>
      runRecorded(["profile", ...argv.map((word) => word.replaceAll("%", folder))], {
        environment: { HOME: folder },
        factories: { readFile: (path) => Deno.readFile(path) },
      });
    await body(run, folder);
  });
}

Deno.test("profile validate: text and JSON, exit 1 with the findings on stdout", async () => {
  const bad = FILE.replace("limit = 2", "limit = -2");
  await inFolder({ "good.toml": FILE, "bad.toml": bad }, async (run, folder) => {
    const good = await run("validate", "%/good.toml");
    assert.deepEqual([good.code, good.stderr], [0, ""]);
    assert.match(good.stdout, /^ok\nskipped PROFILE_STRIP_NULLS_UNSAFE/m);
    const json = await run("validate", "%/good.toml", "--format", "json");
    const root = JSON.parse(json.stdout);
    assert.deepEqual(Object.keys(root), [
      "valid",
      "path",
      "profiles",
      "override_bindings",
      "errors",
      "warnings",
      "skipped_checks",
    ]);
    assert.deepEqual([root.valid, root.profiles], [true, ["mail", "other"]]);
    const wrong = await run("validate", "%/bad.toml");
    assert.deepEqual([wrong.code, wrong.stderr], [1, ""]);
    assert.match(
      wrong.stdout,
      new RegExp(`^${folder}/bad\\.toml(:\\d+)?: error PROFILE_INVALID`, "m"),
    );
    assert.ok(!/^ok$/m.test(wrong.stdout));
  });
});

Deno.test("profile validate: a binding's operation is looked up, however its table is spelled", async () => {
  const binding = (table: string) => `${FILE}\n[${table}]\n"no.such.operation" = "mail"\n`;
  const files = {
    "plain.toml": binding("override_bindings"),
    "escaped.toml": binding('"\\u006fverride_bindings"'),
    "known.toml": binding("override_bindings").replace(
      "no.such.operation",
      "gmail.users.messages.list",
    ),
  };
  await inFolder(files, async (run) => {
    for (const file of ["plain.toml", "escaped.toml"]) {
      const { code, stdout } = await run("validate", `%/${file}`);
      assert.deepEqual([code, /no operation or variant/.test(stdout)], [1, true], stdout);
    }
    assert.equal((await run("validate", "%/known.toml")).code, 0);
  });
});

Deno.test("profile validate: unknown variants, formats and files", async () => {
  await inFolder({ "p.toml": FILE }, async (run) => {
    const variant = await run("validate", "%/p.toml", "--variant", "no.such");
    assert.deepEqual([variant.code, variant.stdout], [4, ""]);
    assert.equal(JSON.parse(variant.stderr).error_code, "VARIANT_NOT_FOUND");
    const format = await run("validate", "%/p.toml", "--format", "yaml");
    assert.match(format.stderr, /^Error: CLI_ARG_INVALID: "--format"/);
    const missing = await run("validate", "%/none.toml");
    assert.match(missing.stderr, /CLI_ARG_INVALID.*no such file/);
  });
});

Deno.test("profile test: --name picks, fixtures run, a failing one ends in PROFILE_FIXTURE_FAILED", async () => {
  const failing = FILE.replace("expect_result_count = 2", "expect_result_count = 3");
  await inFolder({ "p.toml": FILE, "f.toml": failing, "in.json": INPUT }, async (run) => {
    const passed = await run("test", "%/p.toml", "--name", "mail");
    assert.equal(passed.code, 0, passed.stderr);
    assert.equal(JSON.parse(passed.stdout).passed, true);
    const failed = await run("test", "%/f.toml", "--name", "mail");
    assert.equal(failed.code, 1);
    assert.match(JSON.parse(failed.stdout).fixtures[0].failures[0], /expect_result_count/);
    const error = JSON.parse(failed.stderr);
    assert.deepEqual([error.error_code, error.failed, error.total], [
      "PROFILE_FIXTURE_FAILED",
      1,
      1,
    ]);
    const none = await run("test", "%/p.toml", "--name", "other");
    assert.equal(JSON.parse(none.stderr).error_code, "PROFILE_NO_FIXTURES");
    const unnamed = await run("test", "%/p.toml");
    assert.match(unnamed.stderr, /^Error: CLI_ARG_INVALID: "--name"/);
    assert.equal(unnamed.code, 2);
  });
});

Deno.test("profile test: --input prints the shaped body, --golden compares it", async () => {
  const files = { "p.toml": FILE, "in.json": INPUT, "want": "id\na\nb\nc\n", "other": "id\n" };
  await inFolder(files, async (run) => {
    const base = ["test", "%/p.toml", "--name", "other", "--input", "%/in.json"];
    assert.equal((await run(...base)).stdout, "id\na\nb\nc\n");
    assert.equal((await run(...base, "--golden", "%/want")).stdout, "ok\n");
    const mismatch = await run(...base, "--golden", "%/other");
    assert.deepEqual([mismatch.code, mismatch.stdout], [1, ""]);
    assert.equal(JSON.parse(mismatch.stderr).error_code, "PROFILE_GOLDEN_MISMATCH");
    assert.match((await run(...base, "--format", "xml")).stderr, /"--format"/);
    const csv = await run("test", "%/p.toml", "--name", "mail", "--format", "csv");
    assert.match(csv.stderr, /CLI_ARG_INVALID: "--format"/);
    const alone = await run("test", "%/p.toml", "--golden", "%/want");
    assert.match(alone.stderr, /CLI_ARG_INVALID: "--golden"/);
  });
});

Deno.test("profile list and show: shipped profiles, unknown names", async () => {
  await inFolder({}, async (run) => {
    const list = JSON.parse((await run("list", "--format", "json")).stdout);
    const first = list.profiles[0];
    assert.equal(first.source, "catalog-embedded");
    assert.match((await run("list")).stdout, new RegExp(`^${first.name} +catalog-embedded`, "m"));
    const shown = await run("show", first.name);
    assert.match(shown.stdout, new RegExp(`^# ${first.name} \\(catalog-embedded\\)\n`));
    const unknown = await run("show", "nope");
    assert.equal(unknown.code, 4);
    assert.equal(JSON.parse(unknown.stderr).error_code, "RESOURCE_NOT_FOUND");
  });
});

Deno.test("profile test: an input that is not JSON is a matter of the words typed", async () => {
  await inFolder({ "p.toml": FILE, "in.json": "{not json" }, async (run) => {
    const base = ["test", "%/p.toml", "--name", "mail", "--input", "%/in.json"];
    const wrong = await run(...base);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /CLI_ARG_INVALID: "--input".*not JSON/);
    assert.equal((await run(...base, "--format", "raw")).stdout, "{not json\n");
  });
});

Deno.test("profile validate: every finding is one plain line, whatever the file's keys hold", async () => {
  const hostile = '[override_bindings]\n"x\\nok\\u001b[2J" = "none"\n';
  await inFolder({ "p.toml": hostile }, async (run, folder) => {
    const { stdout, code } = await run("validate", "%/p.toml");
    assert.equal(code, 1);
    assert.ok(!stdout.includes("\u001b"));
    for (const line of stdout.trimEnd().split("\n")) {
      assert.ok(line.startsWith(`${folder}/p.toml:2: error `) || line.startsWith("skipped "), line);
    }
  });
});
