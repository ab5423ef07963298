import assert from "node:assert/strict";
import { isGumError } from "../../errors/mod.ts";
import { ENV_DENYLIST as GENERATOR_LIST, parseDenylist } from "../../../catalog/env_denylist.ts";
import { sha256Hex } from "../../digest/mod.ts";
import { manifestTree } from "../testdata/fixture.ts";
import { checkManifest, ENV_DENYLIST, ENV_DENYLIST_TEXT, isDeniedEnvName } from "./mod.ts";

const MEMBERS =
  ("ANTHROPIC_API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET " +
    "DENO_* DYLD_* GOOGLE_APPLICATION_CREDENTIALS GUM_* GUM_AUTH_* GUM_LOG_LEVEL " +
    "GUM_OAUTH_CLIENT_SECRET GUM_PROJECT_ROOT GUM_USAGE_AUTH_HEADER GUM_USAGE_ENDPOINT " +
    "GUM_USAGE_SOCKET LD_* NODE_OPTIONS OPENAI_API_KEY _GUM*").split(" ");

Deno.test("TestPluginEnvDenylistMembers: the list, sorted and without doubles", () => {
  assert.deepEqual(ENV_DENYLIST, MEMBERS);
  assert.deepEqual([...new Set(ENV_DENYLIST)].sort(), MEMBERS);
});

Deno.test("TestPluginEnvDenylistSingleSource: installation and generator read the same bytes", async () => {
  const asset = await Deno.readFile(GENERATOR_LIST);
  assert.equal(await sha256Hex(ENV_DENYLIST_TEXT), await sha256Hex(asset));
  assert.deepEqual(parseDenylist(new TextDecoder().decode(asset)), [...ENV_DENYLIST]);
});

Deno.test("TestPluginEnvDenylistSingleSource: no second copy in the sources", async () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const copies: string[] = [];
  const walk = async (folder: string) => {
    for await (const entry of Deno.readDir(`${root}${folder}`)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory) {
        if (!/^(\.git|dist|node_modules|testdata)$/.test(entry.name)) await walk(path);
      } else if (/\.(ts|txt|toml)$/.test(entry.name) && !/_test\.ts$/.test(entry.name)) {
        const text = await Deno.readTextFile(`${root}${path}`);
        if (/AZURE_CLIENT_SECRET/.test(text)) copies.push(path);
      }
    }
  };
  for (const folder of ["lib", "catalog", "cli", "mcp", "lint", "tasks"]) await walk(folder);
  assert.deepEqual(copies, ["lib/plugin/env_denylist.txt"]);
});

Deno.test("TestPluginEnvDenylistApplied: exact names and prefixes, case-sensitive but on Windows", () => {
  for (const name of ["GUM_PROFILE", "_GUMX", "_GUM", "LD_PRELOAD", "DENO_DIR", "NODE_OPTIONS"]) {
    assert.ok(isDeniedEnvName(name, "linux"), name);
  }
  for (const name of ["GUM", "gum_profile", "NODE_OPTIONS_X", "MY_LD_X", "OPENAI_API_KEYS"]) {
    assert.ok(!isDeniedEnvName(name, "linux"), name);
  }
  assert.ok(isDeniedEnvName("gum_profile", "windows"));
  assert.ok(isDeniedEnvName("Ld_Preload", "windows"));
});

Deno.test("TestPluginEnvProhibited: a needed name on the list stops the installation and is named", async () => {
  for (const name of ["GUM_PROFILE", "_GUMX", "OPENAI_API_KEY", "DYLD_INSERT_LIBRARIES"]) {
    await assert.rejects(
      checkManifest(manifestTree({ requirements: { needs_user_creds: [name] } })),
      (error) =>
        isGumError(error, "PLUGIN_ENV_PROHIBITED") && String(error).includes(name) &&
        String(error).includes("echo-box"),
    );
  }
});

Deno.test("TestPluginEnvProhibited: a denied name of env_allow is dropped with a warning", async () => {
  const { manifest, warnings } = await checkManifest(manifestTree({
    declared_capabilities: { env_allow: ["LD_PRELOAD", "ECHO_AGENT", "GUM_X"] },
  }));
  assert.deepEqual(manifest.declared_capabilities.env_allow, ["ECHO_AGENT"]);
  const warning = warnings.find(({ code }) => code === "env_allow_denied");
  assert.match(warning?.message ?? "", /^2 entries/);
});
