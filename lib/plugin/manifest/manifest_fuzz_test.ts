import assert from "node:assert/strict";
import fc from "fast-check";
import { GumError } from "../../errors/mod.ts";
import { manifestTree } from "../testdata/fixture.ts";
import { checkManifest, decodeManifest } from "./mod.ts";

const LISTED = new Set([
  "PLUGIN_MANIFEST_INVALID",
  "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED",
  "PLUGIN_SHAPE_UNSUPPORTED",
  "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX",
  "PLUGIN_ENV_PROHIBITED",
  "PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID",
  "PLUGIN_BINDING_INVALID",
  "AUTH_COMPONENT_UNKNOWN",
  "UNKNOWN_CAPABILITY",
  "UNKNOWN_BACKEND_KIND",
  "UNKNOWN_INTERFACE_KIND",
  "BINDING_SCHEMA_UNSUPPORTED",
  "SERVICE_ROOT_TEMPLATE_DEFERRED",
]);

async function survives(fileName: "plugin.toml" | "manifest.json", bytes: Uint8Array<ArrayBuffer>) {
  try {
    await checkManifest(await decodeManifest({ fileName, bytes }));
  } catch (error) {
    assert.ok(error instanceof GumError && LISTED.has(error.code), String(error));
  }
}

Deno.test("FuzzPluginManifest: random bytes give a listed code and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      await survives("plugin.toml", new Uint8Array(bytes));
      await survives("manifest.json", new Uint8Array(bytes));
    }),
    { numRuns: 300 },
  );
});

Deno.test("FuzzPluginManifest: a good manifest with one value replaced gives a listed code or passes", async () => {
  const paths: string[][] = [];
  const collect = (value: unknown, path: string[]) => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) collect(member, [...path, key]);
  };
  const whole = manifestTree({
    package: { source: "git", repository: "https://example.com/a.git", ref: "0".repeat(40) },
    requirements: {
      needs_user_creds: ["SOME_TOKEN"],
      credential_descriptors: [{
        alias: "some",
        env: "SOME_TOKEN",
        kind: "other",
        display_name: "Some",
        setup_hint: "",
      }],
      auth_components: ["billing_enabled", { kind: "x-y" }],
      canary: { tool: "echo", args: { a: 1 }, timeout_ms: 2000, schedule: "6h" },
    },
    declared_capabilities: {
      network: true,
      net_hosts: ["a.example"],
      fs_write_dir: "x",
      env_allow: [],
    },
  });
  collect(whole, []);
  await checkManifest(whole);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, value) => {
      const tree = structuredClone(whole);
      let node: Record<string, unknown> = tree;
      for (const key of path.slice(0, -1)) node = node[key] as Record<string, unknown>;
      node[path.at(-1) ?? ""] = value;
      await survives("manifest.json", new TextEncoder().encode(JSON.stringify(tree)));
    }),
    { numRuns: 500 },
  );
});

Deno.test("FuzzPluginManifest: deep and hostile documents", async () => {
  const depth = 50_000;
  for (
    const text of [
      "[".repeat(depth),
      `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
      '{"__proto__":{"manifest_schema_version":1},"constructor":1}',
      '{"manifest_schema_version":1,"plugin":{"__proto__":{"shape":"mcp-plugin"}}}',
    ]
  ) await survives("manifest.json", new TextEncoder().encode(text));
  for (
    const text of [`a = ${"[".repeat(depth)}`, "a.".repeat(20_000) + "b = 1", "a = 1e400\nb = nan"]
  ) {
    await survives("plugin.toml", new TextEncoder().encode(text));
  }
});
