import assert from "node:assert/strict";
import type { CatalogSnapshot, Op, Variant } from "../catalog/types.ts";
import { type ErrorCode, GumError } from "../errors/mod.ts";
import { shapeBody } from "../shape/mod.ts";
import { countTokens } from "../tokens/mod.ts";
import { variantProblems } from "./semantics.ts";
import { embeddedModuleText, embeddedSources } from "./embed.ts";
import { EMBEDDED_PROFILES } from "./embedded.generated.ts";
import {
  embeddedLayer,
  fixtureFailure,
  listProfiles,
  resolveProfile,
  shapeInput,
  showProfile,
  testProfile,
  validateProfileText,
} from "./commands.ts";

const VARIANT = { variant_id: "a.v1.rest.list", null_elision_safe_fields: ["id"] } as Variant;
const CATALOG: CatalogSnapshot = {
  ops: [],
  findOp: (id) => id === "a.list" || id === "old.alias" ? { op_id: "a.list" } as never : undefined,
  findVariant: (id) =>
    id === VARIANT.variant_id ? { op: {} as never, variant: VARIANT } : undefined,
  requestSchema: () => undefined,
};
const LAYERS = [embeddedLayer(EMBEDDED_PROFILES)];
const TOOLS = { shape: shapeBody, countTokens };

function validate(
  text: string,
  more: { variantId?: string; path?: string; origin?: "catalog-embedded" } = {},
) {
  return validateProfileText(text, { path: "my.toml", layers: LAYERS, catalog: CATALOG, ...more })
    .validation;
}

async function refused(code: ErrorCode, action: () => unknown): Promise<GumError> {
  try {
    await action();
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    assert.equal(error.code, code);
    return error;
  }
  assert.fail("accepted");
}

const SEED_EXAMPLE = `[output_profiles."_base.list_ops"]
format = "toon"
strip_nulls = true
collapse_arrays = { max_items = 20 }
recovery = "local_artifact"

[output_profiles."gmail.messages.list.v1"]
inherits = "_base.list_ops"
field_mask = "nextPageToken,messages(id,threadId)"
truncate_strings = { default_chars = 500, fields = { snippet = 180 } }
on_empty = "No matching messages."
`;

Deno.test("TestProfileValidateAcceptsDocumentedEnvelope: the seed's two files, with the skipped check named", () => {
  assert.deepEqual(validate(SEED_EXAMPLE), {
    valid: true,
    path: "my.toml",
    profiles: ["_base.list_ops", "gmail.messages.list.v1"],
    override_bindings: 0,
    errors: [],
    warnings: [],
    skipped_checks: ["PROFILE_STRIP_NULLS_UNSAFE"],
  });
  const lean =
    '[output_profiles."lean"]\ninherits = "_base.list_ops"\nfield_mask = "messages(id,subject)"\n' +
    '[override_bindings]\n"a.list" = "lean"\n"a.v1.rest.list" = "lean"\n';
  assert.deepEqual([validate(lean).valid, validate(lean).override_bindings], [true, 2]);
});

Deno.test("TestProfileValidateRejectsLongOnEmpty: with the profile and the code", () => {
  const found = validate(`on_empty = "${"x".repeat(501)}"\n`);
  assert.equal(found.valid, false);
  assert.deepEqual([found.errors[0]?.code, found.errors[0]?.profile], ["ON_EMPTY_TOO_LONG", "my"]);
});

Deno.test("TestProfileValidateAcceptsResourceLinkWithAlwaysTee: link and always", () => {
  assert.equal(validate('recovery = "resource_link"\ntee_mode = "always"\n').valid, true);
  assert.equal(
    validate('recovery = "resource_link"\ntee_mode = "off"\n').errors[0]?.code,
    "PROFILE_TEE_MODE_CONFLICT",
  );
});

Deno.test("TestProfileValidateStripNullsNeedsAVariant: bound, the check runs", () => {
  const text = 'strip_nulls = true\nkeep_fields = ["id", "name"]\nrecovery = "local_artifact"\n';
  const bound = validate(text, { variantId: VARIANT.variant_id });
  assert.deepEqual(bound.errors.map(({ code }) => code), ["PROFILE_STRIP_NULLS_UNSAFE"]);
  assert.deepEqual(bound.skipped_checks, []);
  assert.equal(
    validate(text.replace(', "name"', ""), { variantId: VARIANT.variant_id }).valid,
    true,
  );
});

Deno.test("TestProfileValidateSkipsStripNullsWithoutAVariant: unbound, it is reported as skipped", () => {
  const unbound = validate('strip_nulls = true\nrecovery = "local_artifact"\n');
  assert.deepEqual([unbound.valid, unbound.skipped_checks], [true, ["PROFILE_STRIP_NULLS_UNSAFE"]]);
});

Deno.test("TestProfileValidateUnknownVariant: a variant nobody has is an error of the call", async () => {
  const error = await refused(
    "VARIANT_NOT_FOUND",
    () => validate("limit = 1\n", { variantId: "x" }),
  );
  assert.equal(error.details.variant_id, "x");
});

Deno.test("TestProfileValidateRejectsDanglingBindingProfile: the value must exist somewhere", () => {
  const [error] = validate('[override_bindings]\n"a.list" = "gone.v1"\n').errors;
  assert.deepEqual([error?.code, error?.rule, error?.field], [
    "OVERRIDE_BINDING_INVALID",
    "unknown_profile",
    "a.list",
  ]);
  assert.equal(validate('[override_bindings]\n"a.list" = "_base.list_ops"\n').valid, true);
});

Deno.test("TestProfileValidateRejectsUnknownBindingTarget: the key must be a canonical id", () => {
  for (const key of ["nope", "old.alias"]) {
    const [error] = validate(`[override_bindings]\n"${key}" = "_base.list_ops"\n`).errors;
    assert.deepEqual([error?.code, error?.rule], ["OVERRIDE_BINDING_INVALID", "unknown_target"]);
  }
});

Deno.test("TestProfileValidateAcceptsDocumentedEnvelope: warnings for users are errors for what ships", () => {
  const text = "limit = 3\n";
  assert.deepEqual([validate(text).valid, validate(text).warnings[0]?.rule], [
    true,
    "recovery_disabled",
  ]);
  const shipped = validate(text, { origin: "catalog-embedded" });
  assert.deepEqual([shipped.valid, shipped.errors[0]?.rule], [false, "lossy_without_recovery"]);
  assert.equal(validate('inherits = "nobody"\n').errors[0]?.rule, "inherits_unknown");
  const tests = '[[tests]]\nname = "t"\nfixture = "f"\n';
  assert.equal(
    validate(`[output_profiles.a]\nflatten = true\n[output_profiles.b]\nflatten = true\n${tests}`)
      .errors[0]?.rule,
    "test_profile",
  );
});

const FIXTURE_FILE = `[output_profiles."one"]
keep_fields = ["items.id", "items.name"]
collapse_arrays = { max_items = 2 }
dedupe = { by = ["id"] }
recovery = "local_artifact"
[output_profiles."two"]
format = "json"
[[tests]]
name = "first"
profile = "one"
fixture = "list.json"
expect_format = "toon"
expect_max_tokens = 200
expect_lossy = true
expect_result_count = 2
expect_omitted_count = 1
expect_fields = ["id", "items.name"]
[[tests]]
name = "raw"
profile = "two"
fixture = "list.json"
expect_format = "raw"
`;

async function withFixture(body: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/list.json`,
      '{"items":[{"id":1,"name":"a","x":1},{"id":2,"name":"b"},{"id":3}]}',
    );
    await body(`${folder}/p.toml`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const request = (path: string, text: string, name?: string) => ({
  path,
  text,
  name,
  layers: LAYERS,
  catalog: CATALOG,
});

Deno.test("TestProfileTestSelectsNamedProfile: --name picks one of several, and is then needed", async () => {
  await withFixture(async (path) => {
    const report = await testProfile(request(path, FIXTURE_FILE, "one"), TOOLS);
    assert.deepEqual(report.fixtures, [{
      name: "first",
      profile: "one",
      fixture: "list.json",
      passed: true,
      actual_format: "toon",
      actual_tokens: report.fixtures[0]?.actual_tokens,
      actual_result_count: 2,
      actual_omitted_count: 1,
      actual_lossy: true,
    }]);
    assert.equal(report.token_budget.total_tokens, report.token_budget.max_tokens_observed);
    assert.equal(fixtureFailure(report), undefined);
    const raw = await testProfile(request(path, FIXTURE_FILE, "two"), TOOLS);
    assert.deepEqual([raw.passed, raw.fixtures[0]?.actual_format], [true, "raw"]);
    await refused("CLI_ARG_INVALID", () => testProfile(request(path, FIXTURE_FILE), TOOLS));
    await refused("CLI_ARG_INVALID", () => testProfile(request(path, FIXTURE_FILE, "zz"), TOOLS));
  });
});

Deno.test("TestProfileTestRunsTheSemanticValidator: an invalid file runs no fixture", async () => {
  const text = `on_empty = "${"x".repeat(501)}"\n`;
  await refused("ON_EMPTY_TOO_LONG", () => testProfile(request("p.toml", text), TOOLS));
  await refused(
    "PROFILE_NO_FIXTURES",
    () => testProfile(request("p.toml", "flatten = true\n"), TOOLS),
  );
});

Deno.test("TestProfileTestSelectsNamedProfile: every unmet expectation says what was wanted and what came", async () => {
  await withFixture(async (path) => {
    const text = `format = "json"
dedupe = { by = ["ghost"] }
recovery = "local_artifact"
[[tests]]
name = "bad"
fixture = "list.json"
expect_format = "csv"
expect_max_tokens = 1
expect_lossy = false
expect_result_count = 9
expect_omitted_count = 9
expect_fields = ["nope"]
[[tests]]
name = "missing"
fixture = "gone.json"
`;
    const report = await testProfile(request(path, text), TOOLS);
    assert.equal(report.passed, false);
    const failures = report.fixtures[0]?.failures ?? [];
    const keys = [
      "expect_format",
      "expect_lossy",
      "expect_result_count",
      "expect_omitted_count",
      "expect_max_tokens",
      "expect_fields",
      "dedupe.by",
    ];
    assert.deepEqual(failures.map((failure) => failure.split(":")[0]), keys);
    assert.equal(failures[0], "expect_format: want csv, got json");
    assert.match(report.fixtures[1]?.failures?.[0] ?? "", /^fixture: /);
    assert.equal(report.token_budget.ceiling_violations, 1);
    assert.deepEqual(fixtureFailure(report)?.details, { failed: 2, total: 2 });
  });
});

Deno.test("TestProfileTestSelectsNamedProfile: an input is shaped and compared byte by byte", async () => {
  const text = 'keep_fields = ["id"]\nrecovery = "local_artifact"\n';
  const input = new TextEncoder().encode('[{"id":1,"x":2}]');
  const shaped = shapeInput({ ...request("p.toml", text), input, format: "json" }, TOOLS);
  assert.equal(new TextDecoder().decode(shaped), '[{"id":1}]\n');
  shapeInput({ ...request("p.toml", text), input, format: "json", golden: shaped }, TOOLS);
  const golden = new TextEncoder().encode("other");
  const error = await refused(
    "PROFILE_GOLDEN_MISMATCH",
    () => shapeInput({ ...request("p.toml", text), input, golden }, TOOLS),
  );
  assert.equal(error.details.want, "other");
});

Deno.test("TestBuiltinProfilesPassSemanticValidation: every embedded profile, by the rules of what ships", () => {
  const sources = embeddedSources();
  const names = [...sources.keys()];
  assert.ok(names.includes("_base.list_ops") && names.includes("googleads.keyword_historical.v1"));
  for (const name of names) {
    const text = sources.get(name) ?? "";
    const found = validate(text, { path: `${name}.toml`, origin: "catalog-embedded" });
    assert.deepEqual([name, found.errors, found.warnings], [name, [], []]);
    assert.deepEqual(found.profiles, [name]);
  }
});

Deno.test("TestBuiltinProfilesPassSemanticValidation: every embedded profile passes its own fixtures", async () => {
  for (const [name, text] of embeddedSources()) {
    const path = new URL(`./embedded/${name}.toml`, import.meta.url).pathname;
    const report = await testProfile({ ...request(path, text), origin: "catalog-embedded" }, TOOLS);
    assert.deepEqual([name, report.fixtures.flatMap(({ failures }) => failures ?? [])], [name, []]);
  }
});

Deno.test("TestBuiltinProfilesPassSemanticValidation: the generated module is fresh", async () => {
  const committed = await Deno.readTextFile(new URL("./embedded.generated.ts", import.meta.url));
  assert.equal(committed, embeddedModuleText());
});

Deno.test("TestBuiltinProfilesPassStripNullsSafetyForTheirVariant: bound by the catalog, safe on the variant", async () => {
  const path = new URL("../../catalog/catalog.json", import.meta.url);
  const { ops } = JSON.parse(await Deno.readTextFile(path)) as { ops: Op[] };
  const bound = ops.flatMap(({ variants }) => variants)
    .filter(({ output_profile }) => output_profile !== undefined);
  assert.ok(bound.length > 30, `${bound.length} bound variants`);
  for (const variant of bound) {
    const resolution = resolveProfile(variant.output_profile ?? "", LAYERS);
    assert.ok(resolution !== undefined, `${variant.variant_id}: ${variant.output_profile}`);
    assert.deepEqual(variantProblems(resolution.profile, variant), []);
  }
});

Deno.test("TestBuiltinProfilesPassSemanticValidation: list and show name source, format and effective keys", () => {
  assert.deepEqual(listProfiles(LAYERS).profiles[0], {
    name: "_base.list_ops",
    source: "catalog-embedded",
    format: "toon",
  });
  const shown = showProfile("_base.list_ops", LAYERS);
  assert.deepEqual(shown?.effective, {
    format: "toon",
    strip_nulls: true,
    collapse_arrays: { max_items: 20 },
    recovery: "local_artifact",
  });
  assert.equal(showProfile("gone", LAYERS), undefined);
});
