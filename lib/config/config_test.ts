import assert from "node:assert/strict";
import fc from "fast-check";
import { findGumError } from "../errors/mod.ts";
import type { Logger } from "../log/mod.ts";
import { sessionAccounts } from "./accounts.ts";
import { editToml } from "./edit.ts";
import { coerce, CONFIG_KEYS, type ConfigKey, rowOf, type TomlValue } from "./keys.ts";
import {
  type ConfigWarning,
  expectedSubjects,
  invalidPolicyKey,
  loadConfig,
  type LoadedConfig,
  setting,
  settingFamily,
} from "./load.ts";
import { changeConfig, saveConfig } from "./save.ts";
import { parseFlat, sameConfig, tomlKey, tomlValue } from "./toml.ts";

async function withProfile(
  body: (profile: {
    directory: string;
    path: string;
    load(text?: string): Promise<LoadedConfig>;
    save(values: Record<string, TomlValue | undefined>): ReturnType<typeof saveConfig>;
    text(): Promise<string>;
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-config-" });
  const directory = `${folder}/gum/work`;
  const path = `${directory}/config.toml`;
  try {
    await body({
      directory,
      path,
      async load(text) {
        if (text !== undefined) {
          await Deno.mkdir(directory, { recursive: true });
          await Deno.writeTextFile(path, text, { mode: 0o600 });
        }
        return await loadConfig({ profileName: "work", directory });
      },
      save: (values) => saveConfig({ profileName: "work", directory }, values),
      text: () => Deno.readTextFile(path),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function refusal(work: Promise<unknown>) {
  const error = await work.then(() => undefined, (thrown) => thrown);
  const found = findGumError(error);
  assert.ok(found, `expected a refusal, got ${error}`);
  return found;
}

const codes = (warnings: readonly ConfigWarning[]) =>
  warnings.map(({ error_code, key }) => `${error_code} ${key}`);

Deno.test("TestProfileConfigSchemaVersion: a missing file is version 0 and writes version 1", async () => {
  await withProfile(async ({ load, save, text, path, directory }) => {
    const { config, warnings } = await load();
    assert.deepEqual([config.schemaVersion, config.values.size, warnings], [0, 0, []]);
    await save({ "cache.enabled": false });
    assert.equal(await text(), "config_schema_version = 1\ncache.enabled = false\n");
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
    assert.equal((await load()).config.schemaVersion, 1);
  });
});

Deno.test("TestProfileConfigSchemaVersion: version 0 is migrated by a write, comments survive", async () => {
  await withProfile(async ({ load, save, text }) => {
    const before = "# my settings\n\n[rate_limit] # slow down\ncapacity = 40 # per host\n";
    assert.equal((await load(before)).config.schemaVersion, 0);
    await save({ "rate_limit.capacity": 41n });
    assert.equal(
      await text(),
      "config_schema_version = 1\n# my settings\n\n[rate_limit] # slow down\n" +
        "capacity = 41 # per host\n",
    );
  });
});

Deno.test("TestProfileConfigSchemaVersion: a newer version is refused and left alone", async () => {
  await withProfile(async ({ load, save, text }) => {
    const future = "config_schema_version = 999\nsomething = 1\n";
    const error = await refusal(load(future));
    assert.equal(error.code, "CONFIG_SCHEMA_UNSUPPORTED");
    assert.match(
      error.message,
      /^CONFIG_SCHEMA_UNSUPPORTED: profile 'work' config_schema_version=999/,
    );
    const envelope = error.toEnvelope();
    assert.deepEqual(
      [envelope.profile, envelope.config_schema_version, envelope.supported_version],
      ["work", 999, 1],
    );
    assert.equal((await refusal(save({ "cache.enabled": false }))).code, error.code);
    assert.equal(await text(), future);
    for (const bad of ['config_schema_version = "1"', "config_schema_version = 1.0"]) {
      const odd = await refusal(load(bad));
      assert.equal(odd.code, "CONFIG_PARSE_ERROR");
      assert.match(odd.message, /must be an integer/);
    }
  });
});

Deno.test("TestProfileConfigSchemaVersion: unknown keys are kept, warned of and logged once", async () => {
  await withProfile(async ({ load, save, text, directory }) => {
    await load('future.key = "kept"\n[x.y]\nz = [1, 2]\n');
    const lines: string[] = [];
    const log: Logger = { log: (_level, message) => lines.push(message) };
    const first = await loadConfig({ profileName: "work", directory, log });
    // `load` above has already said it in this process.
    assert.deepEqual(lines, []);
    assert.deepEqual(codes(first.warnings), [
      "UNKNOWN_CONFIG_KEY future.key",
      "UNKNOWN_CONFIG_KEY x.y.z",
    ]);
    assert.equal(first.warnings[0]?.event, "unknown_config_key");
    assert.equal(first.warnings[0]?.profile, "work");
    assert.equal(first.config.values.get("future.key"), "kept");
    await save({ "cache.enabled": true });
    assert.match(await text(), /future\.key = "kept"/);
    assert.match(await text(), /z = \[1, 2\]/);
  });
});

Deno.test("config: tables and dotted keys say the same", async () => {
  await withProfile(async ({ load }) => {
    const forms = [
      'rate_limit.capacity = 7\ncache.ttl."gmail.users.list" = 60\n',
      "[rate_limit]\ncapacity = 7\n[cache.ttl.gmail.users]\nlist = 60\n",
      'rate_limit = { capacity = 7 }\n[cache]\nttl = { "gmail.users.list" = 60 }\n',
    ];
    for (const text of forms) {
      const { config, warnings } = await load(text);
      assert.deepEqual(warnings, [], text);
      assert.equal(setting(config, "rate_limit.capacity"), 7);
      assert.deepEqual([...settingFamily(config, "cache.ttl.<op_id>")], [["gmail.users.list", 60]]);
    }
    const twice = await refusal(load('"a.b" = 1\n[a]\nb = 2\n'));
    assert.equal(twice.code, "CONFIG_PARSE_ERROR");
  });
});

Deno.test("config: syntax errors name the place and quote nothing", async () => {
  await withProfile(async ({ load, path }) => {
    const error = await refusal(load('a = 1\nb = = "canary-secret"\n'));
    assert.equal(error.code, "CONFIG_PARSE_ERROR");
    assert.deepEqual([error.details.line, error.details.path], [2, path]);
    assert.equal(typeof error.details.column, "number");
    assert.ok(!JSON.stringify(error.toEnvelope()).includes("canary"));
    assert.equal((await refusal(load("a = 1\na = 2\n"))).details.line, 2);
    assert.match((await refusal(load(`# ${"x".repeat(256 * 1024)}\n`))).message, /larger than/);
    await Deno.writeFile(path, new Uint8Array([0xff, 0xfe, 0x00]));
    assert.match((await refusal(load())).message, /UTF-8/);
    await Deno.remove(path);
    await Deno.mkdir(path);
    assert.equal((await refusal(load())).code, "CONFIG_PARSE_ERROR");
  });
});

Deno.test("config: values out of type fall back, out of range are clamped", async () => {
  await withProfile(async ({ load }) => {
    const { config, warnings } = await load(`
[meta_tools.search_apis]
k = 99
truncate_strings.default_chars = "many"
collapse_arrays.max_items = 0
[gain]
enabled = "perhaps"
[cache]
enabled = " False "
max_entries = "2048"
[rate_limit]
refill_per_second = 2
[output]
default_format = "yaml"
`);
    assert.equal(setting(config, "meta_tools.search_apis.k"), 20);
    assert.equal(setting(config, "meta_tools.search_apis.truncate_strings.default_chars"), 120);
    assert.equal(setting(config, "meta_tools.search_apis.collapse_arrays.max_items"), 1);
    assert.equal(setting(config, "gain.enabled"), true);
    assert.equal(setting(config, "cache.enabled"), false);
    assert.equal(setting(config, "cache.max_entries"), 2048);
    assert.equal(setting(config, "rate_limit.refill_per_second"), 2);
    assert.equal(setting(config, "output.default_format"), undefined);
    assert.deepEqual(codes(warnings), [
      "CONFIG_VALUE_CLAMPED meta_tools.search_apis.k",
      "INVALID_CONFIG_VALUE meta_tools.search_apis.truncate_strings.default_chars",
      "CONFIG_VALUE_CLAMPED meta_tools.search_apis.collapse_arrays.max_items",
      "INVALID_CONFIG_VALUE gain.enabled",
      "INVALID_CONFIG_VALUE output.default_format",
    ]);
    // A warning names the key, never the value: someone may have put a secret there.
    assert.ok(!JSON.stringify(warnings).includes("perhaps"));
  });
});

Deno.test({
  name: "config: a file that others can write is warned of",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withProfile(async ({ load, path }) => {
      await load("cache.enabled = true\n");
      await Deno.chmod(path, 0o622);
      const { warnings } = await load();
      assert.deepEqual(codes(warnings), ["CONFIG_PERMISSIONS_LOOSE "]);
      await Deno.chmod(path, 0o644);
      assert.deepEqual((await load()).warnings, []);
    });
  },
});

Deno.test("config: damaged policies and expected subjects fail closed", async () => {
  await withProfile(async ({ load }) => {
    const good = await load('policy.deny_ops = ["gmail.*"]\npolicy.mode = "read_only"\n');
    assert.equal(invalidPolicyKey(good.config), undefined);
    for (
      const text of [
        'policy.deny_ops = "gmail.users.messages.send"',
        "policy.allow_ops = [1]",
        'policy.mode = "readonly"',
        'policy.admin_writes = "yes"',
        'policy.mod = "read_only"',
        'policy.deny_op = ["gmail.*"]',
      ]
    ) {
      const { config } = await load(`${text}\n`);
      assert.equal(invalidPolicyKey(config), text.split(" ")[0], text);
    }
    const { config } = await load(
      'auth.expected_subject.byo_oauth = "0123456789abcdef"\nauth.expected_subject.adc = "x"\n' +
        "auth.expected_subject.gum_oauth = 5\n",
    );
    const expected = expectedSubjects(config);
    assert.equal(expected.byo_oauth, "0123456789abcdef");
    for (const strategy of ["adc", "gum_oauth"]) {
      assert.notEqual(expected[strategy], undefined);
      assert.doesNotMatch(expected[strategy] ?? "", /^[0-9a-f]{16}$/);
    }
  });
});

Deno.test("config: the accounts of a session, and mistakes that close one", async () => {
  await withProfile(async ({ load }) => {
    const { config, warnings } = await load(`
accounts.home = { profile = "private" }
[accounts.work]
profile = "work"
allow = ["gmail.*", "calendar.*"]
deny = ["gmail.users.messages.send"]
max_risk = "write"
[accounts.odd]
profile = "odd"
max_risk = "everything"
[accounts.nobody]
allow = ["gmail.*"]
[accounts.path]
profile = "../other"
[accounts.typo]
profile = "typo"
alow = ["gmail.*"]
`);
    const { accounts, invalid } = sessionAccounts(config);
    assert.deepEqual([...accounts.keys()], ["home", "work"]);
    assert.deepEqual(accounts.get("work"), {
      label: "work",
      profileName: "work",
      allow: ["gmail.*", "calendar.*"],
      deny: ["gmail.users.messages.send"],
      maxRisk: "write",
      mode: undefined,
    });
    assert.deepEqual(invalid, ["nobody", "odd", "path", "typo"]);
    assert.deepEqual(codes(warnings), [
      "INVALID_CONFIG_VALUE accounts.odd.max_risk",
      "UNKNOWN_CONFIG_KEY accounts.typo.alow",
    ]);
  });
});

Deno.test("config: every row of the table accepts its own default", () => {
  for (const [name, spec] of Object.entries(CONFIG_KEYS)) {
    const concrete = name.replace(/<[^>]*>/, "some.thing");
    assert.equal(rowOf(concrete)?.name, name);
    if ("default" in spec) {
      const value = typeof spec.default === "number" && Number.isInteger(spec.default)
        ? BigInt(spec.default)
        : typeof spec.default === "object"
        ? [...spec.default]
        : spec.default;
      assert.equal(coerce(spec, value).kind, "fits", name);
    }
  }
  assert.equal(rowOf("cache.ttl."), undefined);
  assert.equal(rowOf("accounts..profile"), undefined);
  assert.equal(rowOf("toString"), undefined);
  assert.equal(rowOf("cache.ttl.<op_id>")?.name, "cache.ttl.<op_id>");
});

Deno.test("config set: places, comments, and what cannot be kept", () => {
  const edited = (text: string, key: string, value: TomlValue | undefined) =>
    editToml(text, [{ key, value }]);
  // In the table that is there, behind its last key.
  assert.equal(
    edited("[cache]\nenabled = true\n\n# next\n[gain]\nenabled = true\n", "cache.persist", false)
      .text,
    "[cache]\nenabled = true\npersist = false\n\n# next\n[gain]\nenabled = true\n",
  );
  // Before the first table and the comment on top of it.
  assert.equal(
    edited("# head\n\n# gain\n[gain]\nenabled = true\n", "notify.enabled", true).text,
    "# head\n\nnotify.enabled = true\n# gain\n[gain]\nenabled = true\n",
  );
  // A hash inside a string is no comment; line ends stay as they are.
  assert.equal(
    edited('profile.description = "a # b" # c\r\n', "profile.description", "x # y").text,
    'profile.description = "x # y" # c\r\n',
  );
  assert.equal(edited("a = 1\nb = 2\n", "a", undefined).text, "b = 2\n");
  assert.equal(
    edited('[cache.ttl]\n"gmail.users.list" = 5 # five\n', "cache.ttl.gmail.users.list", 6n).text,
    '[cache.ttl]\n"gmail.users.list" = 6 # five\n',
  );
  // A value over several lines cannot be edited in place: everything is written anew.
  const anew = edited("# c\nb.x = [\n  1, # one\n  2,\n]\na = 1.0\n", "b.x", [3n]);
  assert.deepEqual(anew, { text: "a = 1.0\nb.x = [ 3 ]\n", commentsDropped: true });
  // Text that only looks like a table must not mislead.
  const tricky = 'note = """\n[cache]\nenabled = true\n"""\n';
  const flat = parseFlat(edited(tricky, "cache.enabled", false).text);
  assert.equal(flat.get("cache.enabled"), false);
  assert.equal(flat.get("note"), "[cache]\nenabled = true\n");
});

Deno.test("config set: any change changes that key and nothing else", () => {
  const part = fc.constantFrom("a", "b", "c d", "e.f", "ü", "x-1", "0", "");
  const key = fc.array(part, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(".")).filter((name) => !/(^|\.)(\.|$)/.test(name));
  const value: fc.Arbitrary<TomlValue> = fc.oneof(
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }),
    fc.double({ noNaN: true }),
    fc.string({ unit: "grapheme" }).map((text) => text.toWellFormed()),
    fc.array(fc.string().map((text) => text.toWellFormed()), { maxLength: 3 }),
  );
  fc.assert(fc.property(fc.array(fc.tuple(key, fc.option(value)), { maxLength: 8 }), (changes) => {
    let text = "# top\n";
    const model = new Map<string, TomlValue>();
    for (const [name, option] of changes) {
      // A key cannot be a value and a table at once.
      const clash = [...model.keys()].some((other) =>
        other !== name && (other.startsWith(`${name}.`) || name.startsWith(`${other}.`))
      );
      if (clash) continue;
      const next = option ?? undefined;
      if (next === undefined) model.delete(name);
      else model.set(name, next);
      text = editToml(text, [{ key: name, value: next }]).text;
      assert.ok(sameConfig(parseFlat(text), model), `${name} in\n${text}`);
    }
  }));
  assert.equal(tomlKey("a.b c.ü"), 'a."b c"."ü"');
  assert.equal(tomlValue(["a", 1n, 1]), '[ "a", 1, 1.0 ]');
});

Deno.test("config: removing what is not there changes nothing", async () => {
  await withProfile(async ({ load, save, text, path }) => {
    assert.equal((await save({ "cache.enabled": undefined })).changed, false);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    await load("# v0\ncache.enabled = true\n");
    assert.equal((await save({ "gain.enabled": undefined })).changed, false);
    assert.equal(await text(), "# v0\ncache.enabled = true\n");
  });
});

Deno.test({
  name: "config: a link to a file kept elsewhere survives a change",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withProfile(async ({ load, save, path, directory }) => {
      await load("cache.enabled = true\n");
      const real = `${directory}/../dotfiles.toml`;
      await Deno.rename(path, real);
      await Deno.symlink(real, path);
      await save({ "cache.enabled": false });
      assert.ok((await Deno.lstat(path)).isSymlink);
      assert.match(await Deno.readTextFile(real), /enabled = false/);
    });
  },
});

Deno.test("config: a change from what the file says is made under the lock", async () => {
  await withProfile(async ({ directory }) => {
    const target = { profileName: "work", directory };
    await Promise.all(Array.from({ length: 6 }, () =>
      changeConfig(target, (config) => ({
        "cache.max_entries": BigInt(setting(config, "cache.max_entries")) + 1n,
      }))));
    const { config } = await loadConfig(target);
    assert.equal(setting(config, "cache.max_entries"), 1030);
  });
});

const WRITER = `
import { saveConfig } from ${JSON.stringify(new URL("save.ts", import.meta.url).href)};
const [directory, name] = Deno.args;
for (let index = 0; index < 8; index++) {
  await saveConfig({ profileName: "work", directory }, { [\`\${name}.k\${index}\`]: BigInt(index) });
}
`;

Deno.test("TestProfileConfigSchemaVersion: several processes change one file and lose nothing", async () => {
  await withProfile(async ({ load, directory }) => {
    await load("# kept\n");
    const script = `${directory}/writer.ts`;
    await Deno.writeTextFile(script, WRITER);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const ends = await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        new Deno.Command(Deno.execPath(), {
          args: ["run", "-q", "-A", "--no-check", `--config=${config}`, script, directory, name],
          stdout: "null",
          stderr: "piped",
        }).output()
      ),
    );
    for (const end of ends) assert.equal(end.code, 0, new TextDecoder().decode(end.stderr));
    const { config: after } = await load();
    assert.equal(after.values.size, 1 + 4 * 8);
    assert.match(await Deno.readTextFile(`${directory}/config.toml`), /^.*\n?# kept$/m);
    const left = [...Deno.readDirSync(directory)].map((entry) => entry.name).sort();
    assert.deepEqual(left, ["config.lock", "config.toml", "writer.ts"]);
  });
});

Deno.test("config: a key with a placeholder for its type", () => {
  // The types of `setting` follow the table; this line would not compile otherwise.
  const typed: ConfigKey = "cache.ttl.<op_id>";
  assert.ok(typed in CONFIG_KEYS);
});
