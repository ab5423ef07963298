import assert from "node:assert/strict";
import { GumError, isGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  filesBelow,
  inTemporary,
  manifestTree,
  never,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import { checkPluginSelectors } from "../selectors/mod.ts";
import { checkManifest, decodeManifest, loadManifest } from "./mod.ts";

async function codeOf(tree: JsonObject): Promise<string> {
  try {
    await checkManifest(tree);
    return "ok";
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    return error.code;
  }
}

const tool = (more: JsonObject = {}): JsonObject => ({
  tool_name: "echo",
  risk_class: "read",
  ...more,
});

const TOML = `
manifest_schema_version = 1
[plugin]
name = "echo-box"
version = "1.0.0"
namespace_owner = "io.example.echo"
shape = "mcp-plugin"
executable = "./bin//echo-mcp"
schema_ref = "echo"
since = 2024-01-01
[requirements]
auth_components = ["billing_enabled", { kind = "x-thing", display_name = "Thing" }]
[requirements.canary]
tool = "echo"
[[tools]]
tool_name = "echo"
risk_class = "read"
capabilities = ["json_response", "json_request"]
`;

Deno.test("a TOML manifest gets its defaults, its canonical paths and warnings for what is unknown", async () => {
  await inTemporary(async (directory) => {
    await Deno.writeTextFile(`${directory}/plugin.toml`, TOML);
    const { manifest, warnings, fileName, bytes } = await loadManifest(directory);
    assert.equal(fileName, "plugin.toml");
    assert.equal(new TextDecoder().decode(bytes), TOML);
    assert.equal(manifest.plugin.display_name, "echo-box");
    assert.equal(manifest.plugin.executable, "bin/echo-mcp");
    assert.deepEqual(manifest.plugin.command, ["bin/echo-mcp"]);
    assert.equal(manifest.plugin.tos, "unspecified");
    assert.equal(manifest.package.source, "local");
    assert.deepEqual(manifest.declared_capabilities, {
      network: false,
      net_hosts: [],
      fs_write_dir: "",
      env_allow: [],
    });
    assert.deepEqual(manifest.requirements.auth_components.map(({ kind }) => kind), [
      "billing_enabled",
      "x-thing",
    ]);
    assert.equal(manifest.requirements.canary?.timeout_ms, 20_000);
    const [only] = manifest.tools;
    assert.equal(only?.name, "echo");
    assert.equal(only?.schema_ref, "echo");
    assert.deepEqual(only?.capabilities, ["json_request", "json_response"]);
    assert.equal(only?.auth_strategy, "plugin_managed");
    assert.deepEqual(
      warnings.map(({ code, message }) => `${code}: ${message.split(" ")[0]}`),
      ["unknown_key: /plugin/since", "no_output_profile: echo"],
    );
  });
});

Deno.test("the three forms of a manifest say the same", async () => {
  const canonical = manifestTree();
  const flat = {
    manifest_schema_version: 1,
    plugin_id: "echo-box",
    name: "Echo Box",
    version: "1.2.0",
    description: "Says <what> & how",
    namespace_owner: "io.example.echo",
    shape: "mcp-plugin",
    executable: "bin/echo-mcp",
    license: "MIT",
    tos: "unofficial",
    risk: "low",
    advertised_tools: [{ name: "echo", description: "Says it again", risk_class: "read" }],
  };
  const decode = (tree: unknown) =>
    decodeManifest({
      fileName: "manifest.json",
      bytes: new TextEncoder().encode(JSON.stringify(tree)),
    });
  const one = await checkManifest(await decode(canonical));
  const two = await checkManifest(await decode(flat));
  assert.deepEqual(two.manifest, one.manifest);
  for (
    const name of ["", "../escape", "a/b", "has space", "UpperCase", ".dot", "tab\t", undefined]
  ) {
    const bad = { ...flat, advertised_tools: [{ name, risk_class: "read" }] };
    assert.equal(await codeOf(await decode(bad)), "PLUGIN_MANIFEST_INVALID", String(name));
  }
});

Deno.test("a manifest that is absent, doubled or unreadable is refused first", async () => {
  await inTemporary(async (directory) => {
    await assert.rejects(
      loadManifest(directory),
      (error) => isGumError(error, "PLUGIN_MANIFEST_NOT_FOUND"),
    );
    await Deno.writeTextFile(`${directory}/plugin.toml`, TOML);
    await Deno.writeTextFile(`${directory}/manifest.json`, JSON.stringify(manifestTree()));
    await assert.rejects(
      loadManifest(directory),
      (error) => isGumError(error, "PLUGIN_MANIFEST_INVALID"),
    );
    await Deno.remove(`${directory}/manifest.json`);
    await Deno.writeTextFile(`${directory}/plugin.toml`, " ".repeat(256 * 1024 + 1));
    await assert.rejects(
      loadManifest(directory),
      (error) => isGumError(error, "PLUGIN_MANIFEST_INVALID"),
    );
  });
});

Deno.test("TestPluginManifestVersionAccepted: the integer 1 at the top", async () => {
  assert.equal(await codeOf(manifestTree()), "ok");
});

Deno.test("TestPluginManifestVersionRejectedTooOld: missing and 0", async () => {
  for (const version of [0, -1]) {
    const tree = manifestTree({ top: { manifest_schema_version: version } });
    assert.equal(await codeOf(tree), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED");
  }
  const { manifest_schema_version: _, ...missing } = manifestTree();
  assert.equal(await codeOf(missing), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED");
});

Deno.test("TestPluginManifestVersionRejectedTooNew: 2, 9999 and other types", async () => {
  for (const version of [2, 9999, "1", 1.5, true, null, [1]]) {
    const tree = manifestTree({ top: { manifest_schema_version: version } });
    assert.equal(await codeOf(tree), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED", JSON.stringify(version));
  }
});

Deno.test("TestPluginManifestSchemaVersionPlacement: a nested version is fatal, beside a valid one too", async () => {
  const nested = manifestTree({ plugin: { manifest_schema_version: 1 } });
  assert.equal(await codeOf(nested), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED");
  const { manifest_schema_version: _, ...only } = nested;
  assert.equal(await codeOf(only), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED");
  const flat = await decodeManifest({
    fileName: "manifest.json",
    bytes: new TextEncoder().encode(JSON.stringify({ plugin_id: "a", ...nested })),
  });
  assert.equal(await codeOf(flat), "PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED");
});

Deno.test("TestThirdPartyShape2InstallRejected: gRPC is refused before its selectors are looked at", async () => {
  const broken = { tool_name: 7, rpc_service: "", risk_class: "read" };
  const cases = [
    manifestTree({ plugin: { shape: "grpc-subprocess" }, tools: [broken] }),
    manifestTree({ plugin: { shape: "other" }, tools: [] }),
    manifestTree({ tools: [{ ...broken, backend_kind: "grpc-plugin" }] }),
  ];
  for (const tree of cases) {
    assert.equal(await codeOf(tree), "PLUGIN_SHAPE_UNSUPPORTED");
    await inTemporary(async (directory) => {
      const path = await writePlugin(`${directory}/plugin`, { tree });
      const profile = testProfile(directory);
      await assert.rejects(
        profile.install(path),
        (error) => isGumError(error, "PLUGIN_SHAPE_UNSUPPORTED"),
      );
      assert.deepEqual(await filesBelow(`${directory}/data`), []);
      profile.parts.http.close();
    });
  }
});

Deno.test("TestPluginBindingSchema: selectors are plain names, at installation and on a stored binding", async () => {
  for (const name of [undefined, null, 7, "", "a b", "a/b", "a\\b", "a\u0000", "x".repeat(129)]) {
    const tree = manifestTree({
      tools: [{ tool_name: name ?? null, name: "echo", risk_class: "read" }],
    });
    assert.equal(await codeOf(tree), "PLUGIN_BINDING_INVALID", JSON.stringify(name));
    assert.throws(
      () => checkPluginSelectors({ plugin_name: "p", tool_name: name }, "mcp-plugin"),
      (error) => isGumError(error, "PLUGIN_BINDING_INVALID"),
    );
  }
  checkPluginSelectors({ plugin_name: "p", tool_name: "Any-Name.1" }, "mcp-plugin");
  checkPluginSelectors({ plugin_name: "p", rpc_service: "s.S", rpc_method: "M" }, "grpc-plugin");
  for (const partial of [{ rpc_service: "s.S" }, { rpc_method: "M" }, {}]) {
    assert.throws(
      () => checkPluginSelectors({ plugin_name: "p", ...partial }, "grpc-plugin"),
      (error) => isGumError(error, "PLUGIN_BINDING_INVALID"),
    );
  }
});

Deno.test("TestUnknownCapabilityFailsClosed: atoms and kinds outside the enums have their own codes", async () => {
  const cases: [JsonObject, string][] = [
    [{ capabilities: ["telepathy"] }, "UNKNOWN_CAPABILITY"],
    [{ capabilities: ["x-telepathy"] }, "UNKNOWN_CAPABILITY"],
    [{ backend_kind: "carrier-pigeon" }, "UNKNOWN_BACKEND_KIND"],
    [{ backend_kind: "x-pigeon" }, "UNKNOWN_BACKEND_KIND"],
    [{ interface_kind: "smoke" }, "UNKNOWN_INTERFACE_KIND"],
    [{ service_root_template: "https://{x}" }, "SERVICE_ROOT_TEMPLATE_DEFERRED"],
    [{ binding_schema_version: 2 }, "BINDING_SCHEMA_UNSUPPORTED"],
    [{ binding_schema_version: "1" }, "BINDING_SCHEMA_UNSUPPORTED"],
    [{ binding: { binding_schema_version: 1.5 } }, "BINDING_SCHEMA_UNSUPPORTED"],
    [{ binding_schema_version: 1 }, "ok"],
    [{ backend_kind: "raw-http" }, "PLUGIN_MANIFEST_INVALID"],
  ];
  for (const [more, code] of cases) {
    assert.equal(await codeOf(manifestTree({ tools: [tool(more)] })), code, JSON.stringify(more));
  }
  const declared = tool({
    capabilities: ["x-telepathy"],
    unsupported_capabilities: ["x-telepathy"],
    execution_support: "schema_only",
    backend_kind: "x-pigeon",
    interface_kind: "x-smoke",
  });
  assert.equal(await codeOf(manifestTree({ tools: [declared] })), "ok");
});

Deno.test("the rules between fields", async () => {
  const plugin = (more: JsonObject) => manifestTree({ plugin: more });
  const tools = (...list: JsonObject[]) => manifestTree({ tools: list });
  const invalid: JsonObject[] = [
    ...["../x", "/x", ".", "", "a/../b", "a\\b", "C:/x", " "].map((executable) =>
      plugin({ executable })
    ),
    plugin({ name: "Upper" }),
    plugin({ shape: "deno-script", executable: "main.py" }),
    tools(tool({ confirmation_policy: "high_stakes_write" })),
    tools(tool(), tool()),
    tools(tool({ op_id: "plug.other.echo" })),
    tools(tool({ variant_id: "plug.echo-box.echo.v2" })),
    tools(tool({ auth_strategy: "magic" })),
    tools({ tool_name: "echo" }),
    tools(tool({ execution_support: "partial" })),
    tools(tool({ unsupported_capabilities: ["pagination"] })),
    manifestTree({ requirements: { canary: { tool: "absent" } } }),
    manifestTree({
      tools: [tool({ risk_class: "write" })],
      requirements: { canary: { tool: "echo" } },
    }),
    manifestTree({ package: { source: "git", repository: "https://example.com/a.git" } }),
    manifestTree({
      package: { source: "github_release", repository: "a/b", ref: "v1", artifact: "x.zip" },
    }),
    manifestTree({
      package: {
        source: "pypi",
        repository: "thing",
        ref: "1.0",
        artifact: "thing-1.0.tar.gz",
        checksum: "0".repeat(64),
      },
    }),
    manifestTree({ declared_capabilities: { net_hosts: ["a.example,b.example"] } }),
  ];
  for (const tree of invalid) {
    assert.equal(await codeOf(tree), "PLUGIN_MANIFEST_INVALID", JSON.stringify(tree));
  }
  for (const dir of ["/abs", "../up", "a/../../b"]) {
    const tree = manifestTree({ declared_capabilities: { fs_write_dir: dir } });
    assert.equal(await codeOf(tree), "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX");
  }
  const listed = { declared_capabilities: { fs_write_dir: "out,/home" } };
  assert.equal(await codeOf(manifestTree(listed)), "ok", "a mount takes any name");
  assert.equal(
    await codeOf(
      manifestTree({ ...listed, plugin: { shape: "deno-script", executable: "main.ts" } }),
    ),
    "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX",
    "a permission list would take it for two places",
  );
  assert.equal(await codeOf(tools(tool({ op_id: "plug.echo-box.echo" }))), "ok");
});

Deno.test("TestLoadManifestRejectsUnknownAuthStrategy: an unknown strategy is an invalid manifest", async () => {
  const tree = manifestTree({ tools: [tool({ auth_strategy: "magic" })] });
  assert.equal(await codeOf(tree), "PLUGIN_MANIFEST_INVALID");
});

const GOOGLE = { requirements: { auth_components: ["google_access_token"] } };
const compound = tool({ auth_strategy: "compound" });

Deno.test("TestGoogleAccessTokenRequiresCompoundTool: the token needs a compound tool to go to", async () => {
  assert.equal(await codeOf(manifestTree({ ...GOOGLE, tools: [] })), "PLUGIN_ENV_PROHIBITED");
  const reserved = { requirements: { needs_user_creds: ["GOOGLE_ACCESS_TOKEN"] } };
  assert.equal(
    await codeOf(manifestTree({ ...reserved, tools: [tool()] })),
    "PLUGIN_ENV_PROHIBITED",
  );
  assert.equal(await codeOf(manifestTree({ ...reserved, tools: [compound] })), "ok");
});

Deno.test("TestLoadManifestRefusesNonCompoundTokenDeclaration: one tool of another strategy is one too many", async () => {
  const tree = manifestTree({ ...GOOGLE, tools: [compound, tool({ tool_name: "other" })] });
  assert.equal(await codeOf(tree), "PLUGIN_ENV_PROHIBITED");
});

Deno.test("TestLoadManifestAcceptsCompoundTokenDeclaration: every tool compound", async () => {
  const tree = manifestTree({ ...GOOGLE, tools: [compound, { ...compound, tool_name: "other" }] });
  assert.equal(await codeOf(tree), "ok");
});

Deno.test("TestUndeclaredReservedNameIgnoresStrategy: without the declaration the strategy is free", async () => {
  assert.equal(await codeOf(manifestTree({ tools: [tool({ auth_strategy: "none" })] })), "ok");
});

Deno.test("TestManifestRejectsUnknownAuthComponent: a closed list, and x- for what is to come", async () => {
  for (
    const [component, code] of [
      ["moonlight", "AUTH_COMPONENT_UNKNOWN"],
      [{ kind: "moonlight" }, "AUTH_COMPONENT_UNKNOWN"],
      [{}, "AUTH_COMPONENT_UNKNOWN"],
      ["x-moonlight", "ok"],
      ["billing_enabled", "ok"],
    ] as [JsonObject[string], string][]
  ) {
    const tree = manifestTree({ requirements: { auth_components: [component] } });
    assert.equal(await codeOf(tree), code, JSON.stringify(component));
  }
});

Deno.test("gates speak in their order: an earlier fault hides a later one", async () => {
  const everything = manifestTree({
    top: { manifest_schema_version: 2 },
    plugin: { shape: "grpc-subprocess", executable: "/abs" },
    tools: [tool({ backend_kind: "pigeon", tool_name: "a b", name: "a" })],
    requirements: { needs_user_creds: ["GUM_X"], auth_components: ["moonlight"] },
  });
  const fixes: [string, (tree: JsonObject) => void][] = [
    ["PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED", (tree) => tree.manifest_schema_version = 1],
    ["PLUGIN_SHAPE_UNSUPPORTED", (tree) => (tree.plugin as JsonObject).shape = "mcp-plugin"],
    ["PLUGIN_MANIFEST_INVALID", (tree) => (tree.plugin as JsonObject).executable = "bin/x"],
    [
      "UNKNOWN_BACKEND_KIND",
      (tree) => delete ((tree.tools as JsonObject[])[0] as JsonObject).backend_kind,
    ],
    [
      "PLUGIN_ENV_PROHIBITED",
      (tree) => (tree.requirements as JsonObject).needs_user_creds = ["TOKEN"],
    ],
    ["AUTH_COMPONENT_UNKNOWN", (tree) => (tree.requirements as JsonObject).auth_components = []],
    [
      "PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID",
      (tree) => (tree.requirements as JsonObject).needs_user_creds = [],
    ],
    [
      "PLUGIN_BINDING_INVALID",
      (tree) => ((tree.tools as JsonObject[])[0] as JsonObject).tool_name = "a",
    ],
  ];
  for (const [code, fix] of fixes) {
    assert.equal(await codeOf(everything), code);
    fix(everything);
  }
  assert.equal(await codeOf(everything), "ok");
});

Deno.test("an aborted installation reads nothing", async () => {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    await assert.rejects(
      profile.install(`${directory}/none`, { signal: AbortSignal.abort("stop") }),
      (reason) => reason === "stop",
    );
    assert.ok(never().aborted === false);
    profile.parts.http.close();
  });
});

Deno.test("entries of env_allow that name no variable are dropped like denied ones", async () => {
  const { manifest, warnings } = await checkManifest(
    manifestTree({ declared_capabilities: { env_allow: ["", "A=B", "A,B", "GUM_X", "FINE"] } }),
  );
  assert.deepEqual(manifest.declared_capabilities.env_allow, ["FINE"]);
  assert.match(
    warnings.find(({ code }) => code === "env_allow_denied")?.message ?? "",
    /^4 entries of env_allow/,
  );
});
