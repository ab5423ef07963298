import assert from "node:assert/strict";
import fc from "fast-check";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse as parseToml } from "smol-toml";
import { GumError } from "../errors/mod.ts";
import { type Profile, PROFILE_KEYS, PROFILE_SCHEMA, serialiseProfile } from "./mod.ts";
import { parseProfileText, readProfileText } from "./parse_file.ts";
import { mergeProfiles } from "./resolve.ts";
import { structureProblems } from "./structure.ts";

const DOCUMENTED = `
[output_profiles."_base.list_ops"]
format = "toon"
strip_nulls = true
collapse_arrays = { max_items = 20 }
recovery = "local_artifact"

[output_profiles."gmail.messages.list.v1"]
inherits = "_base.list_ops"
field_mask = "nextPageToken,messages(id,threadId)"
truncate_strings = { default_chars = 500, fields = { snippet = 180 } }
on_empty = "No matching messages."

[[tests]]
name = "gmail list compact"
profile = "gmail.messages.list.v1"
fixture = "testdata/gmail/messages_list_full.json"
expect_format = "toon"
expect_max_tokens = 600
expect_lossy = true
expect_result_count = 20
expect_omitted_count = 80
expect_fields = ["id", "threadId"]
`;

const EVERY_KEY = `
format = "csv"
field_mask = "items(id)"
field_mask_mode = "none"
projection = ["a"]
keep_fields = ["a.b"]
drop_fields = ["c"]
strip_nulls = false
flatten = true
flatten_singletons = true
omit_zero_counts = true
collapse_arrays = { max_items = 3 }
truncate_strings = { default_chars = 9, fields = { "a.b" = 4 } }
dedupe = { by = ["a"] }
sort_by = "a"
limit = 0
recovery = "resource_link"
tee_mode = "always"
inherits = "base"
on_empty = "none"
untrusted_fields = ["a.b"]
`;

function parse(text: string, path = "dir/my.profile.toml") {
  return parseProfileText(text, { path });
}

function fault(text: string, path?: string): { code: string; rule: unknown; error: GumError } {
  try {
    parse(text, path);
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    return { code: error.code, rule: error.details.rule, error };
  }
  assert.fail("accepted");
}

Deno.test("TestParseFileReadsDocumentedEnvelope: the printed example, both profiles and the test", () => {
  const file = parse(DOCUMENTED);
  assert.equal(file.shape, "envelope");
  assert.deepEqual([...file.profiles.keys()], ["_base.list_ops", "gmail.messages.list.v1"]);
  assert.deepEqual(file.profiles.get("gmail.messages.list.v1"), {
    name: "gmail.messages.list.v1",
    inherits: "_base.list_ops",
    field_mask: "nextPageToken,messages(id,threadId)",
    truncate_strings: { default_chars: 500, fields: { snippet: 180 } },
    on_empty: "No matching messages.",
  });
});

Deno.test("TestParseFileReadsBareKeys: one profile, named after the file", () => {
  const file = parse(
    'format = "json"\nkeep_fields = [\n  "a",\n  "b", # two lines\n]\n[[tests]]\nname="t"\nfixture="f.json"\n',
  );
  assert.equal(file.shape, "bare");
  assert.deepEqual(file.profiles.get("my.profile"), {
    name: "my.profile",
    format: "json",
    keep_fields: ["a", "b"],
  });
  assert.equal(file.tests.length, 1);
});

Deno.test("TestParseFileAcceptsBindingsOnlyFile: bindings need no profile beside them", () => {
  const file = parse('[override_bindings]\n"gmail.users.messages.list" = "lean"\n');
  assert.deepEqual([...file.overrideBindings], [["gmail.users.messages.list", "lean"]]);
  assert.equal(file.profiles.size, 0);
});

Deno.test("TestParseFileRejectsMixedShapes: a profile key beside a table of profiles", () => {
  assert.equal(fault('format = "toon"\n[output_profiles.x]\nlimit = 1\n').rule, "mixed_shapes");
  assert.equal(fault('limit = 1\n[override_bindings]\na = "b"\n').rule, "mixed_shapes");
});

Deno.test("TestParseFileRejectsDuplicates: keys and tables, with line and column", () => {
  const key = fault('format = "toon"\nformat = "json"\n');
  assert.equal(key.rule, "toml_syntax");
  assert.equal(key.error.details.line, 2);
  assert.ok(typeof key.error.details.column === "number");
  assert.equal(
    fault("[output_profiles.a]\nlimit=1\n[output_profiles.a]\nlimit=2\n").rule,
    "toml_syntax",
  );
});

Deno.test("TestParseFileRejectsEmptyFile: nothing, only unknown tables, only tests", () => {
  assert.equal(fault("").rule, "empty_file");
  assert.equal(fault("# only a comment\n").rule, "empty_file");
  assert.equal(fault("[unknown]\na = 1\n").rule, "empty_file");
  assert.equal(fault('[[tests]]\nname = "t"\nfixture = "f"\n').rule, "tests_only");
});

Deno.test("TestParseFileRejectsUnquotedProfileName: the error says to quote the name", () => {
  const unquoted = fault('[output_profiles.gmail.list]\nformat = "toon"\n');
  assert.equal(unquoted.rule, "unquoted_name");
  assert.match(unquoted.error.message, /quote the name: "gmail\.list"/);
  const longer = fault('[output_profiles.gmail.messages.list.v1]\nformat = "toon"\n');
  assert.match(longer.error.message, /quote the name: "gmail\.messages\.list\.v1"/);
  assert.equal(fault("[output_profiles.gmail.list]\n").rule, "unquoted_name");
});

Deno.test("TestParseFileRejectsUnquotedProfileName: a mistyped key is no name, and what was meant is said", () => {
  const typos: [string, RegExp][] = [
    ["collapse_array = { max_items = 20 }", /collapse_array is .*did you mean collapse_arrays\?/],
    ["truncate_string = { fields = { a = 5 } }", /did you mean truncate_strings\?/],
    ['on_emtpy = "x"', /on_emtpy is not a known key; did you mean on_empty\?/],
    ["truncate_strings = { default_char = 2 }", /default_char is .*did you mean default_chars\?/],
    ["something_else = 1", /something_else is not a known key$/],
  ];
  for (const [line, message] of typos) {
    for (const head of ["limit = 1\n", "[output_profiles.a]\n"]) {
      const typo = fault(head + line + "\n");
      assert.equal(typo.rule, "unknown_key", line);
      assert.match(typo.error.message, message);
    }
  }
});

Deno.test("TestParseFileRejectsStructuralBindingErrors: always the binding code, never the profile's", () => {
  for (
    const table of [
      "[override_bindings]\na = 1\n",
      '[override_bindings]\n"" = "x"\n',
      "override_bindings = 3\n",
    ]
  ) {
    const binding = fault(table);
    assert.equal(binding.code, "OVERRIDE_BINDING_INVALID", table);
    assert.equal(binding.rule, "structure");
  }
});

Deno.test("TestParseFileAttachesTestsToNamedProfile: a test says which profile it is for", () => {
  assert.deepEqual(parse(DOCUMENTED).tests[0], {
    name: "gmail list compact",
    profile: "gmail.messages.list.v1",
    fixture: "testdata/gmail/messages_list_full.json",
    expect_format: "toon",
    expect_max_tokens: 600,
    expect_lossy: true,
    expect_result_count: 20,
    expect_omitted_count: 80,
    expect_fields: ["id", "threadId"],
  });
});

Deno.test("TestParseReadsTheDocumentedFormatKey: format is the key", () => {
  assert.equal(parse('format = "toon"\n').profiles.get("my.profile")?.format, "toon");
});

Deno.test("TestParseAcceptsCSVAndMarkdown: all four formats", () => {
  for (const format of ["toon", "csv", "json", "markdown"]) {
    assert.equal(parse(`format = "${format}"\n`).profiles.get("my.profile")?.format, format);
  }
});

Deno.test("TestParseRejectsDefaultFormatKey: the error points at format", () => {
  const unknown = fault('default_format = "toon"\n');
  assert.equal(unknown.rule, "unknown_key");
  assert.match(unknown.error.message, /use format/);
  assert.equal(unknown.error.details.line, 1);
});

Deno.test("TestParseRejectsRawAsAProfileFormat: raw is a flag of the call", () => {
  const raw = fault('limit = 1\nformat = "raw"\n');
  assert.equal(raw.rule, "raw_format");
  assert.match(raw.error.message, /--format raw/);
  assert.deepEqual([raw.error.details.line, raw.error.details.field], [2, "format"]);
});

Deno.test("TestParseFormatInvalidValueSurfacesError: an unknown format names the allowed ones", () => {
  const bad = fault('[output_profiles."a.b"]\nformat = "yaml"\n');
  assert.deepEqual([bad.code, bad.rule, bad.error.details.profile], [
    "PROFILE_INVALID",
    "schema",
    "a.b",
  ]);
  assert.match(bad.error.message, /toon, csv, json, markdown/);
});

Deno.test("TestFixtureExpectFormatCoversEveryReportedFormat: raw too", () => {
  for (const format of ["toon", "csv", "json", "markdown", "raw"]) {
    const text = `limit = 1\n[[tests]]\nname="t"\nfixture="f"\nexpect_format="${format}"\n`;
    assert.equal(parse(text).tests[0]?.expect_format, format);
  }
  assert.equal(
    fault('limit = 1\n[[tests]]\nname="t"\nfixture="f"\nexpect_format="x"\n').rule,
    "schema",
  );
});

Deno.test("TestParserAcceptsEveryDSLKey: what the schema declares arrives in the profile", () => {
  const profile = parse(EVERY_KEY).profiles.get("my.profile") as unknown as Record<string, unknown>;
  for (const key of PROFILE_KEYS) assert.notEqual(profile[key], undefined, key);
});

Deno.test("TestSchemaAcceptsEveryDSLKey: an independent validator takes every key the parser takes", () => {
  const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(PROFILE_SCHEMA);
  const envelope = { output_profiles: { x: parseToml(EVERY_KEY) } };
  assert.ok(validate(envelope), JSON.stringify(validate.errors));
  assert.deepEqual(Object.keys(envelope.output_profiles.x).sort(), [...PROFILE_KEYS].sort());
});

Deno.test("TestProfileSchemaFixtures: our checker and an independent one agree on any value", () => {
  const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(PROFILE_SCHEMA);
  const member = fc.oneof(
    fc.constantFrom<unknown>(
      "toon",
      "raw",
      "",
      0,
      -1,
      1.5,
      3,
      true,
      null,
      [],
      ["a"],
      [""],
      [1],
      {},
      { max_items: 2 },
      { max_items: -1 },
      { by: [] },
      { by: ["a"] },
      { default_chars: 0 },
      { fields: { a: 1 } },
      { fields: { a: "x" } },
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const profile = fc.dictionary(fc.constantFrom(...PROFILE_KEYS, "default_format", "x"), member, {
    maxKeys: 4,
    noNullPrototype: true,
  });
  const envelope = fc.record({
    output_profiles: fc.oneof(
      fc.dictionary(fc.constantFrom("a.b", "-bad", "ok"), profile, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      fc.constant([]),
    ),
    override_bindings: fc.dictionary(
      fc.constantFrom("a", "", "b"),
      fc.oneof(fc.string(), fc.integer()),
      { maxKeys: 2, noNullPrototype: true },
    ),
    tests: fc.array(
      fc.record({
        name: fc.string(),
        fixture: fc.constantFrom("", "f"),
        expect_format: fc.constantFrom("raw", "x"),
        expect_max_tokens: fc.integer({ min: -1, max: 2 }),
      }, { requiredKeys: [], noNullPrototype: true }),
      { maxLength: 2 },
    ),
    other: fc.constant(1),
  }, { requiredKeys: [], noNullPrototype: true });
  fc.assert(
    fc.property(envelope, (value) => {
      assert.equal(
        structureProblems(value, PROFILE_SCHEMA).length === 0,
        validate(value),
        JSON.stringify(value),
      );
    }),
    { numRuns: 800 },
  );
});

Deno.test("TestParseFileRejectsEmptyFile: names that could leave the directory are refused", () => {
  for (const name of ["../x", "a..b", "-x", ".x", "a/b", "x".repeat(129)]) {
    assert.equal(fault(`[output_profiles."${name}"]\nlimit = 1\n`).rule, "profile_name", name);
  }
  assert.equal(fault("limit = 1\n", "dir/.toml").rule, "profile_name");
  assert.equal(parse("limit = 1\n", `dir/${"x".repeat(128)}.toml`).profiles.size, 1);
});

Deno.test("TestParseFileRejectsEmptyFile: every structural fault is listed, not the first", () => {
  const { file, problems } = readProfileText(
    '[output_profiles.a]\nlimit = -1\nnope = 1\n[output_profiles.b]\nflatten = "yes"\n[override_bindings]\nx = 1\n',
    { path: "f.toml" },
  );
  assert.equal(file, undefined);
  assert.deepEqual(problems.map(({ profile, field, code }) => [profile, field, code]), [
    ["a", "limit", "PROFILE_INVALID"],
    ["a", "nope", "PROFILE_INVALID"],
    ["b", "flatten", "PROFILE_INVALID"],
    [undefined, "x", "OVERRIDE_BINDING_INVALID"],
  ]);
  assert.deepEqual(problems.map(({ line }) => line), [2, 3, 5, 7]);
});

Deno.test("TestParseReadsFieldMask: mask and mode", () => {
  const profile = parse('field_mask = "items(id)"\nfield_mask_mode = "dual_fetch"\n').profiles.get(
    "my.profile",
  );
  assert.deepEqual([profile?.field_mask, profile?.field_mask_mode], ["items(id)", "dual_fetch"]);
});

Deno.test("TestParseNormalizesOnEmpty: the composed form is what is stored", () => {
  const profile = parse('on_empty = "cafe\\u0301"\n').profiles.get("my.profile");
  assert.equal(profile?.on_empty, "caf\u00e9");
});

Deno.test("TestSerializeRoundTripsFieldMask: a written profile reads back the same", () => {
  const profile = parse(EVERY_KEY).profiles.get("my.profile") as Profile;
  assert.deepEqual(parse(serialiseProfile(profile)).profiles.get("my.profile"), profile);
  assert.ok(serialiseProfile(profile).includes('field_mask = "items(id)"\n'));
});

Deno.test("TestSerializeRoundTripsFieldMask: parse(serialise(p)) is p for any profile", () => {
  const text = fc.string({ unit: "grapheme" }).map((value) => value.toWellFormed()).filter((
    value,
  ) => value !== "");
  const list = fc.array(text, { maxLength: 3 });
  const count = fc.integer({ min: 1, max: 9_999 });
  const profile = fc.record({
    format: fc.constantFrom("toon", "csv", "json", "markdown"),
    field_mask: text,
    field_mask_mode: fc.constantFrom("upstream", "dual_fetch", "none"),
    projection: list,
    keep_fields: list,
    drop_fields: list,
    strip_nulls: fc.boolean(),
    flatten: fc.boolean(),
    omit_zero_counts: fc.boolean(),
    collapse_arrays: fc.record({ max_items: fc.nat() }, { noNullPrototype: true }),
    truncate_strings: fc.record({
      default_chars: count,
      fields: fc.dictionary(text, count, { maxKeys: 3, noNullPrototype: true }),
    }, { requiredKeys: [], noNullPrototype: true }),
    dedupe: fc.record({ by: fc.array(text, { minLength: 1, maxLength: 3 }) }, {
      noNullPrototype: true,
    }),
    sort_by: text,
    limit: fc.nat(),
    recovery: fc.constantFrom("none", "local_artifact", "resource_link"),
    tee_mode: fc.constantFrom("off", "failures", "always"),
    inherits: text,
    on_empty: text.map((value) => value.normalize("NFC")),
    untrusted_fields: list,
  }, { requiredKeys: [], noNullPrototype: true }).filter((keys) => Object.keys(keys).length > 0);
  fc.assert(
    fc.property(profile, (keys) => {
      const whole = { name: "my.profile", ...keys } as Profile;
      assert.deepEqual(parse(serialiseProfile(whole)).profiles.get("my.profile"), whole);
    }),
    { numRuns: 300 },
  );
});

Deno.test("TestMergeProfilesInheritsFieldMask: a lower layer's mask fills the gap, false and 0 stand", () => {
  const merged = mergeProfiles([
    { name: "p", strip_nulls: false, limit: 0, keep_fields: [] },
    { name: "p", strip_nulls: true, limit: 10, keep_fields: ["a"], field_mask: "a(b)" },
  ]);
  assert.deepEqual(merged, {
    name: "p",
    strip_nulls: false,
    limit: 0,
    keep_fields: [],
    field_mask: "a(b)",
  });
  assert.deepEqual(
    mergeProfiles([
      { name: "p", truncate_strings: { default_chars: 5 } },
      { name: "p", truncate_strings: { fields: { a: 1 } } },
    ]),
    { name: "p", truncate_strings: { default_chars: 5 } },
  );
});

Deno.test("FuzzParse: no text makes the parser throw anything but its own errors", () => {
  const pieces = fc.constantFrom(
    "[output_profiles.a]\n",
    '[output_profiles."a.b"]\n',
    "[override_bindings]\n",
    "[[tests]]\n",
    'format = "toon"\n',
    "limit = 1\n",
    "limit = 99999999999999999999\n",
    "x = 1979-05-27\n",
    'on_empty = "\\ud800"\n',
    "a.b.c = 1\n",
    '"',
    "=",
    "\n",
    "[",
    "__proto__ = 1\n",
    'name = "x"\n',
  );
  fc.assert(
    fc.property(fc.oneof(fc.array(pieces).map((parts) => parts.join("")), fc.string()), (text) => {
      try {
        parse(text);
      } catch (error) {
        assert.ok(error instanceof GumError, String(error));
        assert.ok(["PROFILE_INVALID", "OVERRIDE_BINDING_INVALID"].includes(error.code));
      }
    }),
    { numRuns: 500 },
  );
});
