import assert from "node:assert/strict";
import type { Op, Variant } from "../catalog/types.ts";
import { type ErrorCode, GumError } from "../errors/mod.ts";
import { parsedLayer } from "./layers.ts";
import { parseProfileText } from "./parse_file.ts";
import { assembleProfileResolver, type Profile, type ProfileSources } from "./mod.ts";
import { resolveProfile } from "./resolve.ts";
import { assembleLayers } from "./resolver.ts";

const EMBEDDED = asShipped({
  "cat.v1":
    'format = "toon"\nprojection = ["id"]\nflatten_singletons = true\nlimit = 10\nrecovery = "local_artifact"\n',
  "other.v1": 'format = "csv"\n',
  "_base.list_ops": 'collapse_arrays = { max_items = 20 }\nrecovery = "local_artifact"\n',
});

const VARIANT: Variant = {
  variant_id: "a.v1.rest.list",
  variant_schema_version: 1,
  stability: "stable",
  interface_kind: "discovery-rest",
  backend_kind: "typed-rest-sdk",
  risk_class: "read",
  auth_strategy: "byo_oauth",
  capabilities: [],
  output_profile: "cat.v1",
};
const OP: Op = {
  op_id: "a.list",
  op_schema_version: 1,
  title: "t",
  summary: "s",
  service: "a",
  service_family: "f",
  default_variant_id: VARIANT.variant_id,
  variants: [VARIANT],
};

interface Space {
  project: string;
  user: string;
  sources: ProfileSources;
}

/** A project with a nested folder and a user directory, holding the given files. */
async function withSpace(
  files: { project?: Record<string, string>; user?: Record<string, string> },
  body: (space: Space) => void | Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    const project = `${root}/project/deep/er`;
    const user = `${root}/config/gum/profiles`;
    await Deno.mkdir(project, { recursive: true });
    await Deno.mkdir(`${root}/project/.gum/profiles`, { recursive: true });
    await Deno.mkdir(user, { recursive: true });
    for (const [name, text] of Object.entries(files.project ?? {})) {
      await Deno.writeTextFile(`${root}/project/.gum/profiles/${name}`, text);
    }
    for (const [name, text] of Object.entries(files.user ?? {})) {
      await Deno.writeTextFile(`${user}/${name}`, text);
    }
    await body({ project, user, sources: { userDirectory: user, embedded: EMBEDDED } });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function resolve(
  space: Space,
  more: { op?: Op; variant?: Variant; preset?: Profile; noProject?: boolean } = {},
) {
  const resolver = await assembleProfileResolver(space.sources);
  return resolver.resolve({
    op: more.op ?? OP,
    variant: more.variant ?? VARIANT,
    preset: more.preset,
    projectRootPath: more.noProject ? undefined : space.project,
  });
}

async function refused(code: ErrorCode, action: () => Promise<unknown>): Promise<GumError> {
  let caught: unknown;
  try {
    await action();
  } catch (error) {
    caught = error;
  }
  assert.ok(caught instanceof GumError, String(caught));
  assert.equal(caught.code, code);
  return caught;
}

Deno.test("TestResolveProfileReadsEnvelopeFile: layers merge by declaration, the highest one names the source", async () => {
  await withSpace({
    project: { "cat.v1.toml": 'format = "json"\nsort_by = "subject"\n' },
    user: {
      "any.toml": '[output_profiles."cat.v1"]\nprojection = ["id", "subject"]\nlimit = 25\n',
    },
  }, async (space) => {
    const { profile } = await resolve(space);
    assert.deepEqual(profile, {
      name: "cat.v1",
      format: "json",
      sort_by: "subject",
      projection: ["id", "subject"],
      limit: 25,
      flatten_singletons: true,
      recovery: "local_artifact",
      source: "project-local",
    });
    assert.equal((await resolve(space, { noProject: true })).profile?.source, "user-global");
  });
});

Deno.test("TestResolveProfileReadsEnvelopeFile: the file named after the profile first, then in name order", async () => {
  await withSpace({
    user: {
      "a.toml": '[output_profiles."cat.v1"]\nlimit = 1\n',
      "cat.v1.toml": '[output_profiles."cat.v1"]\nlimit = 2\n',
      "b.toml": '[output_profiles."other.v1"]\nformat = "json"\n',
      "c.toml": '[output_profiles."other.v1"]\nformat = "markdown"\n',
    },
  }, async (space) => {
    assert.equal((await resolve(space)).profile?.limit, 2);
    const other = await resolve(space, { variant: { ...VARIANT, output_profile: "other.v1" } });
    assert.equal(other.profile?.format, "json");
  });
});

Deno.test("TestResolveProfileFailsClosedOnMalformedFile: never taken for absent", async () => {
  await withSpace({ user: { "z.toml": "format = \n" } }, async (space) => {
    const error = await refused("PROFILE_INVALID", () => resolve(space));
    assert.equal(error.details.path, `${space.user}/z.toml`);
    assert.match(error.suggestion, /gum profile validate/);
  });
  await withSpace({}, async (space) => {
    await Deno.mkdir(`${space.user}/cat.v1.toml`);
    const error = await refused("PROFILE_INVALID", () => resolve(space));
    assert.equal(error.details.rule, "unreadable");
  });
});

Deno.test("TestResolveProfileFailsClosedOnMalformedFile: bytes that are no UTF-8 are no profile", async () => {
  await withSpace({}, async (space) => {
    await Deno.writeFile(
      `${space.user}/cat.v1.toml`,
      new Uint8Array([...new TextEncoder().encode('sort_by = "a'), 0xff, 0x22]),
    );
    const error = await refused("PROFILE_INVALID", () => resolve(space));
    assert.deepEqual([error.details.rule, error.details.path], [
      "toml_syntax",
      `${space.user}/cat.v1.toml`,
    ]);
  });
});

Deno.test("TestResolveProfileRunsTheSemanticValidator: the error names the file that has to change", async () => {
  const files = {
    project: { "p.toml": '[output_profiles."cat.v1"]\nformat = "csv"\n' },
    user: {
      "u.toml":
        '[output_profiles."cat.v1"]\ninherits = "base"\ncollapse_arrays = { max_items = 0 }\n',
      "base.toml": 'dedupe = { by = ["nope"] }\n',
    },
  };
  await withSpace(files, async (space) => {
    const zero = await refused("PROFILE_INVALID", () => resolve(space));
    assert.deepEqual([zero.details.rule, zero.details.path], [
      "zero_max_items_needs_on_empty",
      `${space.user}/u.toml`,
    ]);
    assert.equal(zero.suggestion, `Run gum profile validate ${space.user}/u.toml.`);
    await Deno.writeTextFile(
      `${space.user}/u.toml`,
      '[output_profiles."cat.v1"]\ninherits = "base"\n',
    );
    await Deno.writeTextFile(
      `${space.user}/strip.toml`,
      '[output_profiles."other.v1"]\nstrip_nulls = true\n',
    );
    const other = { ...VARIANT, output_profile: "other.v1" };
    const unsafe = await refused(
      "PROFILE_STRIP_NULLS_UNSAFE",
      () => resolve(space, { variant: other }),
    );
    assert.equal(unsafe.details.path, `${space.user}/strip.toml`);
    const lost = await refused("PROFILE_INVALID", () => resolve(space));
    assert.deepEqual([lost.details.rule, lost.details.path], [
      "dedupe_key_not_kept",
      `${space.user}/base.toml`,
    ]);
  });
});

Deno.test("TestResolveProfileRunsTheSemanticValidator: a project's profile is refused before it shapes", async () => {
  await withSpace(
    { project: { "cat.v1.toml": `on_empty = "${"x".repeat(501)}"\n` } },
    async (space) => {
      const error = await refused("ON_EMPTY_TOO_LONG", () => resolve(space));
      assert.deepEqual([error.details.length, error.details.limit], [501, 500]);
    },
  );
  await withSpace(
    { project: { "cat.v1.toml": 'recovery = "resource_link"\ntee_mode = "off"\n' } },
    async (space) => {
      await refused("PROFILE_TEE_MODE_CONFLICT", () => resolve(space));
    },
  );
});

Deno.test("TestResolveProfileUserGlobalRunsTheSemanticValidator: the user's too, on the effective profile", async () => {
  await withSpace({
    user: { "cat.v1.toml": 'tee_mode = "failures"\nrecovery = "resource_link"\n' },
  }, async (space) => {
    await refused("PROFILE_TEE_MODE_CONFLICT", () => resolve(space));
  });
  await withSpace({ user: { "cat.v1.toml": 'recovery = "none"\n' } }, async (space) => {
    const { warnings } = await resolve(space);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /recovery is off/);
  });
  await withSpace({ user: { "cat.v1.toml": "strip_nulls = true\n" } }, async (space) => {
    await refused("PROFILE_STRIP_NULLS_UNSAFE", () => resolve(space));
  });
});

Deno.test("TestMergeProfilesInheritsFieldMask: one level, over the layers, and never in a circle", async () => {
  const layer = parsedLayer(
    "catalog-embedded",
    new Map<string, Profile>([
      ["child", { name: "child", inherits: "parent", projection: ["id"] }],
      ["parent", { name: "parent", inherits: "grand", format: "toon", field_mask: "a" }],
      ["grand", { name: "grand", limit: 50 }],
      ["self", { name: "self", inherits: "self" }],
      ["a", { name: "a", inherits: "b" }],
      ["b", { name: "b", inherits: "c" }],
      ["c", { name: "c", inherits: "a" }],
      ["lost", { name: "lost", inherits: "nobody" }],
    ]),
  );
  assert.deepEqual(resolveProfile("child", [layer])?.profile, {
    name: "child",
    projection: ["id"],
    format: "toon",
    field_mask: "a",
    source: "catalog-embedded",
  });
  const rules = ["self", "a", "lost"].map((name) =>
    resolveProfile(name, [layer])?.problems[0]?.rule
  );
  assert.deepEqual(rules, ["inherits_cycle", "inherits_cycle", "inherits_unknown"]);
  await withSpace({ project: { "cat.v1.toml": 'inherits = "cat.v1"\n' } }, async (space) => {
    await refused("PROFILE_INVALID", () => resolve(space));
  });
  await withSpace(
    { project: { "cat.v1.toml": 'inherits = "_base.list_ops"\n' } },
    async (space) => {
      assert.deepEqual((await resolve(space)).profile?.collapse_arrays, { max_items: 20 });
    },
  );
});

Deno.test("TestProfileResolutionFromMCPRoots: a project's base counts as the project's, and is checked", async () => {
  const inheriting = { ...VARIANT, output_profile: "heir.v1" };
  const embedded = asShipped({
    "heir.v1": 'inherits = "_base.list_ops"\nformat = "csv"\n',
    "_base.list_ops": 'limit = 9\nrecovery = "local_artifact"\n',
  });
  const base = { "_base.list_ops.toml": "limit = 2\n" };
  await withSpace({ project: base }, async (space) => {
    space.sources.embedded = embedded;
    const used = await resolve(space, { variant: inheriting });
    assert.deepEqual([used.profile?.limit, used.profile?.format], [2, "csv"]);
    assert.equal(used.usedProjectLayer, true);
    const unused = await resolve(space, { variant: inheriting, noProject: true });
    assert.deepEqual([unused.profile?.limit, unused.usedProjectLayer], [9, false]);
  });
  const conflicting = {
    "b.toml": '[output_profiles."_base.list_ops"]\ntee_mode = "off"\nrecovery = "resource_link"\n',
  };
  for (const layer of ["project", "user"] as const) {
    await withSpace({ [layer]: conflicting }, async (space) => {
      space.sources.embedded = embedded;
      await refused("PROFILE_TEE_MODE_CONFLICT", () => resolve(space, { variant: inheriting }));
    });
  }
  const lossy = { "b.toml": '[output_profiles."_base.list_ops"]\nrecovery = "none"\n' };
  await withSpace({ user: lossy }, async (space) => {
    space.sources.embedded = embedded;
    assert.match(
      (await resolve(space, { variant: inheriting })).warnings.join(),
      /recovery is off/,
    );
  });
});

Deno.test("TestOverrideBindingByOpIDWins: a binding beats the catalog's own profile", async () => {
  await withSpace(
    { user: { "b.toml": '[override_bindings]\n"a.list" = "other.v1"\n' } },
    async (space) => {
      const found = await resolve(space);
      assert.equal(found.profile?.name, "other.v1");
      assert.equal(found.usedProjectLayer, false);
    },
  );
});

Deno.test("TestOverrideBindingByVariantIDBeatsOpID: even from a lower layer", async () => {
  await withSpace({
    project: { "b.toml": '[override_bindings]\n"a.list" = "cat.v1"\n' },
    user: { "b.toml": '[override_bindings]\n"a.v1.rest.list" = "other.v1"\n' },
  }, async (space) => {
    assert.equal((await resolve(space)).profile?.name, "other.v1");
  });
});

Deno.test("TestOverrideBindingIgnoresOtherTargets: other operations keep their profile", async () => {
  await withSpace(
    { user: { "b.toml": '[override_bindings]\n"x.list" = "nowhere.v1"\n' } },
    async (space) => {
      assert.equal((await resolve(space)).profile?.name, "cat.v1");
    },
  );
});

Deno.test("TestOverrideBindingAttachesProfileToUnprofiledVariant: a variant without a profile gets one", async () => {
  const variant = { ...VARIANT, output_profile: undefined };
  await withSpace(
    { user: { "b.toml": '[override_bindings]\n"a.list" = "_base.list_ops"\n' } },
    async (space) => {
      assert.equal((await resolve(space, { variant })).profile?.name, "_base.list_ops");
    },
  );
  await withSpace({}, async (space) => {
    assert.equal((await resolve(space, { variant })).profile, undefined);
    assert.equal(
      (await resolve(space, { variant: { ...VARIANT, output_profile: "gone" } })).profile,
      undefined,
    );
  });
});

Deno.test("TestPresetOutputProfileBeatsBinding: the caller's choice is final", async () => {
  await withSpace(
    { user: { "b.toml": '[override_bindings]\n"a.list" = "other.v1"\n' } },
    async (space) => {
      assert.equal((await resolve(space, { preset: { name: "mine" } })).profile?.name, "mine");
    },
  );
});

Deno.test("TestLoadOverrideBindingsProjectBeatsUserGlobal: the same key, two layers; and it is marked", async () => {
  await withSpace({
    project: { "b.toml": '[override_bindings]\n"a.list" = "other.v1"\n' },
    user: { "b.toml": '[override_bindings]\n"a.list" = "cat.v1"\n' },
  }, async (space) => {
    const found = await resolve(space);
    assert.deepEqual([found.profile?.name, found.usedProjectLayer], ["other.v1", true]);
  });
});

Deno.test("TestMergeOverrideBindingsFirstLayerWins: within a directory the first file in name order", async () => {
  await withSpace({
    user: {
      "a.toml": '[override_bindings]\n"a.list" = "other.v1"\n',
      "b.toml": '[override_bindings]\n"a.list" = "cat.v1"\n',
    },
  }, async (space) => assert.equal((await resolve(space)).profile?.name, "other.v1"));
});

Deno.test("TestValidateOverrideBindings: a selected binding to nothing is refused before any request", async () => {
  await withSpace(
    { user: { "b.toml": '[override_bindings]\n"a.list" = "gone.v1"\n' } },
    async (space) => {
      const error = await refused("OVERRIDE_BINDING_INVALID", () => resolve(space));
      assert.deepEqual(
        [error.details.key, error.details.value, error.details.rule, error.details.path],
        ["a.list", "gone.v1", "unknown_profile", `${space.user}/b.toml`],
      );
    },
  );
});

Deno.test("TestResolveProfileReadsEnvelopeFile: a changed file is read again, a foreign directory is not read", async () => {
  await withSpace({ user: { "cat.v1.toml": "limit = 1\n" } }, async (space) => {
    const layersOf = assembleLayers(space.sources);
    assert.equal(resolveProfile("cat.v1", layersOf())?.profile.limit, 1);
    await Deno.writeTextFile(`${space.user}/cat.v1.toml`, "limit = 222\n");
    assert.equal(resolveProfile("cat.v1", layersOf())?.profile.limit, 222);
    const foreign = assembleLayers({ ...space.sources, uid: 4_000_000 });
    assert.equal(resolveProfile("cat.v1", foreign(space.project))?.profile.limit, 10);
  });
});

Deno.test("TestProfileResolutionFromMCPRoots: what is no folder on the way up is walked past", async () => {
  const text = "limit = 3\n";
  await withSpace({ project: { "cat.v1.toml": text } }, async (space) => {
    const limit = async () => (await resolve(space)).profile?.limit;
    await Deno.symlink(".gum", `${space.project}/.gum`);
    assert.equal(await limit(), 3);
    await Deno.remove(`${space.project}/.gum`);
    await Deno.writeTextFile(`${space.project}/.gum`, "a file");
    assert.equal(await limit(), 3);
  });
});

Deno.test("TestResolveProfileReadsEnvelopeFile: an embedded profile replaces a plugin's of the same name", () => {
  const pluginProfiles = new Map<string, Profile>([
    ["cat.v1", { name: "cat.v1", sort_by: "plugin" }],
    ["plug.v1", { name: "plug.v1", sort_by: "plugin" }],
  ]);
  const layers = assembleLayers({ embedded: EMBEDDED, pluginProfiles, uid: null })();
  assert.equal(resolveProfile("cat.v1", layers)?.profile.sort_by, undefined);
  assert.equal(resolveProfile("plug.v1", layers)?.profile.sort_by, "plugin");
});

/** Profiles the way a build holds them. */
function asShipped(sources: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, text]) => {
      const { profiles } = parseProfileText(text, { path: `${name}.toml` });
      return [name, JSON.stringify(profiles.get(name))];
    }),
  );
}
