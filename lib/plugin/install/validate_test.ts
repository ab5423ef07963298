import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import {
  filesBelow,
  inTemporary,
  manifestTree,
  never,
  schemaBundle,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import { type PluginValidation, validatePlugin } from "./mod.ts";

async function scene(
  given: Parameters<typeof writePlugin>[1],
  work: (
    at: { plugin: string; profile: TestProfile; validate: () => Promise<PluginValidation> },
  ) => Promise<void>,
): Promise<void> {
  await inTemporary(async (directory) => {
    const plugin = await writePlugin(`${directory}/plugin`, given);
    const profile = testProfile(directory);
    profile.parts.http.close();
    await work({
      plugin,
      profile,
      validate: () => validatePlugin({ path: plugin, signal: never() }, profile.parts),
    });
  });
}

const codesOf = ({ violations }: PluginValidation) => violations.map(({ code }) => code);

Deno.test("validate: a plugin that can be installed has no violation, and nothing is written", async () => {
  await scene({
    tree: manifestTree({ plugin: { schema_ref: "echo" } }),
    files: { "schemas/echo.json": schemaBundle() },
  }, async ({ profile, validate }) => {
    const found = await validate();
    assert.equal(found.ok, true, JSON.stringify(found));
    assert.deepEqual([found.plugin_id, found.version], ["echo-box", "1.2.0"]);
    assert.deepEqual(found.warnings.map(({ code }) => code), ["no_output_profile"]);
    assert.match(found.permissions.join(), /network: none/);
    assert.deepEqual(await filesBelow(profile.profileDir), []);
  });
});

Deno.test("validate: every broken rule is told, not only the first", async () => {
  const tree = manifestTree({
    top: { manifest_schema_version: 2 },
    plugin: { shape: "grpc-subprocess", executable: "../x" },
    requirements: {
      needs_user_creds: ["GUM_PROFILE", "LD_PRELOAD", "FINE"],
      credential_descriptors: [{ alias: "Fine", env: "FINE", kind: "other", display_name: "x" }],
      auth_components: ["magic", "x-fine"],
    },
    declared_capabilities: { net_hosts: ["a b", "fine.example", "c,d"], fs_write_dir: "/etc" },
    tools: [
      { tool_name: "a b", risk_class: "reed", capabilities: ["zap"], schema_ref: "gone" },
      { tool_name: "two", risk_class: "read", confirmation_policy: "high_stakes_write" },
      { tool_name: "two", risk_class: "read", backend_kind: "smoke" },
    ],
  });
  await scene({ tree }, async ({ validate }) => {
    const found = await validate();
    assert.equal(found.ok, false);
    const codes = codesOf(found);
    for (
      const code of [
        "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED",
        "PLUGIN_SHAPE_UNSUPPORTED",
        "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX",
        "UNKNOWN_CAPABILITY",
        "UNKNOWN_BACKEND_KIND",
        "AUTH_COMPONENT_UNKNOWN",
        "PLUGIN_BINDING_INVALID",
        "PLUGIN_SCHEMA_REF_INVALID",
      ]
    ) assert.equal(codes.filter((other) => other === code).length, 1, `${code} in ${codes}`);
    // Two names that nobody may have; an alias that is none, and what has no descriptor at all.
    for (const code of ["PLUGIN_ENV_PROHIBITED", "PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID"]) {
      assert.equal(codes.filter((other) => other === code).length, 2, `${code} in ${codes}`);
    }
    const paths = found.violations.map(({ path }) => path);
    for (
      const path of [
        "/plugin/executable",
        "/tools/0/risk_class",
        "/tools/1/confirmation_policy",
        "/tools/2/name",
        "/declared_capabilities/net_hosts/0",
        "/declared_capabilities/net_hosts/2",
      ]
    ) assert.equal(paths.filter((other) => other === path).length, 1, `${path} in ${paths}`);
  });
});

Deno.test("validate: what installing would refuse, validating refuses with the same code", async () => {
  const cases: [string, Parameters<typeof writePlugin>[1], (plugin: string) => Promise<void>][] = [
    ["PLUGIN_NAMESPACE_CONFLICT", { tree: manifestTree({ plugin: { name: "gmail" } }) }, untouched],
    [
      "PLUGIN_NAMESPACE_CONFLICT",
      { tree: manifestTree({ plugin: { namespace_owner: "" } }) },
      untouched,
    ],
    ["PLUGIN_MANIFEST_INVALID", { files: { "plugin.toml": "" } }, untouched],
    [
      "PLUGIN_MANIFEST_INVALID",
      {
        tree: manifestTree({
          tools: [{ tool_name: "e", risk_class: "read", output_profile: "no" }],
        }),
      },
      untouched,
    ],
    [
      "PLUGIN_EXECUTABLE_UNTRUSTED",
      { tree: manifestTree({ plugin: { command: ["python3", "x"] } }) },
      untouched,
    ],
    [
      "PLUGIN_EXECUTABLE_UNTRUSTED",
      {},
      (plugin) => Deno.remove(`${plugin}/bin/echo-mcp`),
    ],
    ["PLUGIN_EXECUTABLE_UNTRUSTED", {}, (plugin) => Deno.symlink("/etc", `${plugin}/link`)],
    ["PLUGIN_MANIFEST_NOT_FOUND", {}, (plugin) => Deno.remove(`${plugin}/manifest.json`)],
  ];
  for (const [code, given, change] of cases) {
    await scene(given, async ({ plugin, profile, validate }) => {
      await change(plugin);
      assert.deepEqual(codesOf(await validate()), [code]);
      await assert.rejects(profile.install(plugin), { code });
    });
  }
});

async function untouched(): Promise<void> {}

Deno.test("validate: the profile's own plugins count, an update of one of them does not collide", async () => {
  const given = {
    tree: manifestTree({ plugin: { schema_ref: "echo" } }),
    files: { "schemas/echo.json": schemaBundle() },
  };
  await scene(given, async ({ plugin, profile, validate }) => {
    await profile.install(plugin);
    await writePlugin(plugin, {
      ...given,
      files: { "schemas/echo.json": schemaBundle({ response: { type: "object", title: "2" } }) },
    });
    assert.equal((await validate()).ok, true);
    await writePlugin(plugin, {
      tree: manifestTree({
        plugin: { name: "other", namespace_owner: "io.o", schema_ref: "echo" },
      }),
    });
    assert.deepEqual(codesOf(await validate()), ["SCHEMA_REF_COLLISION"]);
    await writePlugin(plugin, {
      tree: manifestTree({
        plugin: { namespace_owner: "io.somebody", schema_ref: "echo" } as JsonObject,
      }),
    });
    assert.deepEqual(codesOf(await validate()), ["PLUGIN_NAMESPACE_CONFLICT"]);
  });
});
