import assert from "node:assert/strict";
import { embeddedRequestSchema, referencedSchemas } from "../../catalog/mod.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { jcs } from "../../format/jcs.ts";
import type { JsonObject } from "../../json/mod.ts";
import { openPluginView } from "../status/mod.ts";
import {
  embeddedCatalog,
  filesBelow,
  inTemporary,
  manifestTree,
  never,
  schemaBundle,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import type { StateRow } from "../types.ts";
import { materializeSchemas, requireSchemaRef } from "./mod.ts";

async function codeOf(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    return error.code;
  }
}

/** Installs a plugin that serves one bundle. */
async function installWith(
  profile: TestProfile,
  given: { directory: string; name?: string; ref?: string; bundle?: string; version?: string },
) {
  const { directory, name = "echo-box", ref = "echo", version = "1" } = given;
  const plugin = await writePlugin(`${directory}/${name}-${version}`, {
    tree: manifestTree({
      plugin: { name, version, namespace_owner: `io.${name}`, schema_ref: ref },
    }),
    files: { [`schemas/${ref}.json`]: given.bundle ?? schemaBundle() },
  });
  return await profile.install(plugin);
}

async function inProfile(run: (profile: TestProfile, directory: string) => Promise<void>) {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    try {
      await run(profile, directory);
    } finally {
      profile.parts.http.close();
    }
  });
}

async function activate(profile: TestProfile, more: Partial<StateRow> = {}) {
  await profile.registry.writeTransaction((draft) => {
    for (const row of draft.state.plugins) {
      Object.assign(row, { status: "active", activated_at: "2026-01-01T00:00:00Z", ...more });
    }
  }, { signal: never() });
}

const other = schemaBundle({ request: { type: "object", title: "other" } });

Deno.test("TestPluginSchemaBundleMaterialization: halves are stored as canonical JSON under their digest", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    const [row] = (await profile.registry.loadSnapshot()).catalog.variants;
    assert.equal(row?.binding.request_ref, "echo.request");
    assert.equal(row?.binding.response_ref, "echo.response");
    const { $defs } = JSON.parse(schemaBundle());
    for (const half of ["request", "response"]) {
      const hash: string = row?.schema_hashes?.[`echo.${half}`] ?? "";
      const stored = await Deno.readFile(profile.registry.paths.schemaFile(`echo.${half}`, hash));
      assert.equal(new TextDecoder().decode(stored), jcs($defs[half]));
      assert.equal(await sha256Hex(stored), hash);
    }
    if (Deno.build.os !== "windows") {
      const [file = ""] = await filesBelow(profile.registry.paths.schemas);
      const { mode } = await Deno.stat(`${profile.registry.paths.schemas}/${file}`);
      assert.equal((mode ?? 0) & 0o777, 0o600);
    }
  });
});

Deno.test("TestPluginSchemaBundleMissingDefs: a bundle without both halves, or with half a schema", async () => {
  const bad = [
    "not json",
    "[]",
    "{}",
    JSON.stringify({ $defs: {} }),
    JSON.stringify({ $defs: { request: {} } }),
    JSON.stringify({ $defs: { request: {}, response: [] } }),
    JSON.stringify({ $defs: { request: true, response: {} } }),
    schemaBundle({ request: { $ref: "other.json" } }),
    schemaBundle({ request: { $ref: "#/$defs/absent" } }),
    schemaBundle({ request: { properties: { a: { $ref: "#/properties/b" } } } }),
    schemaBundle({ request: { $dynamicRef: "#gone" } }),
    schemaBundle({ request: { type: "no-such-type" } }),
    schemaBundle({ response: { minimum: "one" } }),
  ];
  for (const bundle of bad) {
    await inProfile(async (profile, directory) => {
      assert.equal(
        await codeOf(() => installWith(profile, { directory, bundle })),
        "PLUGIN_SCHEMA_REF_INVALID",
        bundle,
      );
      assert.deepEqual(await filesBelow(profile.registry.paths.schemas), []);
    });
  }
  const good = [
    { $defs: { t: { type: "string" } }, properties: { a: { $ref: "#/$defs/t" } } },
    { properties: { a: { $ref: "#" } } },
    { $defs: { t: { $anchor: "here" } }, properties: { a: { $ref: "#here" } } },
    { enum: [{ $ref: "only data" }] },
    { $defs: { "a/b": {} }, properties: { a: { $ref: "#/$defs/a~1b" } } },
  ] as JsonObject[];
  for (const request of good) {
    await inTemporary(async (directory) => {
      await writePlugin(directory, { files: { "schemas/x.json": schemaBundle({ request }) } });
      assert.equal((await materializeSchemas(directory, ["x", "x"])).length, 1);
    });
  }
});

Deno.test("TestPluginSchemaRefThirdPartyInstall: the grammar of refs, before any path is built", async () => {
  for (
    const ref of [
      "",
      "Upper.v1",
      "a..b",
      "../escape",
      "a/b",
      "a\\b",
      "a%2fb",
      "a%5Cb",
      ".hidden",
      "a b",
      "a\u0000",
      "x".repeat(120),
    ]
  ) assert.equal(await codeOf(() => requireSchemaRef(ref)), "PLUGIN_SCHEMA_REF_INVALID", ref);
  requireSchemaRef("x".repeat(119));
  requireSchemaRef("flights.search.v1");
  await inProfile(async (profile, directory) => {
    const plugin = await writePlugin(`${directory}/p`, {
      tree: manifestTree({ plugin: { schema_ref: "../../escape" } }),
    });
    assert.equal(await codeOf(() => profile.install(plugin)), "PLUGIN_SCHEMA_REF_INVALID");
    const absent = await writePlugin(`${directory}/q`, {
      tree: manifestTree({ plugin: { schema_ref: "absent" } }),
    });
    assert.equal(await codeOf(() => profile.install(absent)), "PLUGIN_SCHEMA_REF_INVALID");
  });
});

Deno.test("TestPluginSchemaRefCollision: the same ref with another body names ref and both owners", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    await assert.rejects(
      installWith(profile, { directory, name: "other-box", bundle: other }),
      (error) =>
        error instanceof GumError && error.code === "SCHEMA_REF_COLLISION" &&
        error.details.schema_ref === "echo.request" &&
        error.details.existing_owner === "echo-box" &&
        error.details.declared_owner === "other-box",
    );
    const { lock } = await profile.registry.loadSnapshot();
    assert.deepEqual(lock.plugins.map(({ name }) => name), ["echo-box"]);
  });
});

Deno.test("TestPluginSchemaRefCrossPluginCollision: an identical body may be served by two", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    await installWith(profile, { directory, name: "other-box" });
    assert.equal((await filesBelow(profile.registry.paths.schemas)).length, 2);
  });
});

Deno.test("TestSchemaRefCollisionSpansEveryPluginState: whoever holds a ref holds it in every status", async () => {
  const states: Partial<StateRow>[] = [
    {},
    { status: "installed_pending_restart" },
    { status: "needs_configuration", needs_configuration: true },
    { quarantined: true },
  ];
  for (const more of states) {
    await inProfile(async (profile, directory) => {
      await installWith(profile, { directory });
      await activate(profile, more);
      const claim = installWith(profile, { directory, name: "other-box", bundle: other });
      assert.equal(await codeOf(() => claim), "SCHEMA_REF_COLLISION", JSON.stringify(more));
    });
  }
});

Deno.test("TestPluginSchemaRefReinstallIsNotSelfCollision: a plugin may change its own schema", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    const before = await filesBelow(profile.registry.paths.schemas);
    await installWith(profile, { directory, bundle: other, version: "2" });
    const after = await filesBelow(profile.registry.paths.schemas);
    assert.equal(after.length, 2, "the old body is swept");
    assert.notDeepEqual(after, before);
  });
});

Deno.test("a profile whose inventory collides with itself is reported", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    await installWith(profile, { directory, name: "other-box", ref: "elsewhere" });
    await profile.registry.writeTransaction((draft) => {
      for (const row of draft.catalog.variants) {
        if (row.owner_plugin === "other-box") {
          row.schema_hashes = { "echo.request": "0".repeat(64) };
        }
      }
    }, { signal: never() });
    const third = installWith(profile, { directory, name: "third-box", ref: "third" });
    assert.equal(await codeOf(() => third), "SCHEMA_REF_COLLISION");
  });
});

const FIRST_PARTY = "tasks.tasks.insert";

Deno.test("TestPluginCannotClaimAFirstPartyRef: GUM's own refs are taken", async () => {
  await inProfile(async (profile, directory) => {
    const claim = installWith(profile, { directory, ref: FIRST_PARTY });
    await assert.rejects(
      claim,
      (error) =>
        error instanceof GumError && error.code === "SCHEMA_REF_COLLISION" &&
        error.details.existing_owner === "gum",
    );
  });
});

Deno.test("TestPluginMayMirrorAFirstPartyRefByteForByte: the identical body is no claim", async () => {
  const own = embeddedRequestSchema(`${FIRST_PARTY}.request`);
  assert.ok(own !== undefined, "the embedded store has the ref");
  await inProfile(async (profile, directory) => {
    await installWith(profile, {
      directory,
      ref: FIRST_PARTY,
      bundle: schemaBundle({ request: own }),
    });
  });
});

Deno.test("TestFirstPartySchemaRefsCoverTheEmbeddedStore: every embedded ref can be collided with", () => {
  const refs = referencedSchemas(embeddedCatalog().ops);
  assert.ok(refs.length > 100);
  for (const ref of refs) assert.ok(embeddedRequestSchema(ref) !== undefined, ref);
});

Deno.test("TestSchemaResourceServesInstalledPluginSchema: active plugins' schemas, and no others", async () => {
  await inProfile(async (profile, directory) => {
    await installWith(profile, { directory });
    const { paths } = profile.registry;
    const served = () => {
      const view = openPluginView({ paths, logger: profile.logger });
      return [view.schemaRefs(), view.schema("echo.request")?.type];
    };
    assert.deepEqual(served(), [[], undefined], "pending");
    await activate(profile);
    assert.deepEqual(served(), [["echo.request", "echo.response"], "object"]);
    const view = openPluginView({ paths });
    for (
      const ref of ["Echo.request", "../echo.request", "echo..request", "none", "echo%2frequest"]
    ) {
      assert.equal(view.schema(ref), undefined, ref);
    }
    await activate(profile, { quarantined: true });
    assert.deepEqual(served(), [[], undefined], "quarantined");
    await activate(profile, { quarantined: false });
    const [file = ""] = (await filesBelow(paths.schemas)).filter((name) =>
      name.startsWith("echo.request")
    );
    await Deno.writeTextFile(`${paths.schemas}/${file}`, "{}");
    assert.deepEqual(served()[1], undefined, "bytes without their digest are not served");
  });
});
