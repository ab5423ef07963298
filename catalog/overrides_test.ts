import assert from "node:assert/strict";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { parseOverrides } from "./overrides.ts";
import { readOverrides } from "./run.ts";

const FOLDER = new URL("./", import.meta.url);
const schema = JSON.parse(await Deno.readTextFile(new URL("overrides.schema.json", FOLDER)));

const API = `schema_version = 1
[apis.gmail]
discovery_url = "https://gmail.googleapis.com/$discovery/rest?version=v1"
api = "gmail"
version = "v1"
service_family = "workspace"
`;

const SDK_ONLY = `[[sdk_only]]
op_id = "gum.code"
variant_id = "gum.code.v1.risor"
title = "T"
summary = "S."
service = "meta"
service_family = "meta"
interface_kind = "sdk-native"
backend_kind = "typed-rest-sdk"
adapter_key = "code.risor"
operation_key = "gum.code.risor.exec"
risk_class = "read"
auth_strategy = "none"
stability = "stable"
`;

async function problem(toml: string): Promise<string> {
  try {
    await parseOverrides(toml, schema);
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    assert.equal(error.code, "OVERRIDES_SCHEMA_INVALID");
    return error.detail;
  }
}

Deno.test("TestOverridesManifestSchema: the shipped manifest passes", async () => {
  const overrides = await readOverrides(FOLDER);
  assert.equal(overrides.schema_version, 1);
  assert.ok(Object.keys(overrides.ops ?? {}).length > 200);
});

Deno.test("TestOverridesManifestSchema: every violation names its place", async () => {
  assert.equal(await problem(API), "ok");
  assert.equal(await problem(API + SDK_ONLY), "ok");
  const rows: [toml: string, pattern: RegExp][] = [
    ["schema_version = ", /not TOML/],
    [API.replace("schema_version = 1", "schema_version = 2"), /\/schema_version/],
    ["schema_version = 1", /apis/],
    [`${API}[colours]\nx = 1\n`, /colours/],
    [API.replace("discovery_url", "url"), /\/apis\/gmail/],
    [API.replace("https://", "http://"), /\/apis\/gmail\/discovery_url/],
    [API.replace(/discovery_url = .*\n/, ""), /discovery_url/],
    [API.replace("apis.gmail", "apis.Gmail"), /\/apis/],
    [`${API}[ops."Gmail.send"]\n`, /\/ops/],
    [
      `${API}[ops."gmail.send"]\nrisk_class = "scary"\nrisk_reason = "because of reasons"\n`,
      /risk_class/,
    ],
    [`${API}[ops."gmail.send"]\nrisk_class = "read"\n`, /risk_reason/],
    [`${API}[ops."gmail.send"]\nrisk_class = "read"\nrisk_reason = "short"\n`, /risk_reason/],
    [`${API}[ops."gmail.send"]\neffects = ["explodes"]\n`, /effects/],
    [`${API}[ops."gmail.send"]\nfield = [{ in = "query" }]\n`, /name/],
    [`${API}[ops."gmail.send"]\nfield = [{ name = "a", in = "cookie" }]\n`, /\/in/],
    [`${API}${SDK_ONLY.replace(/title = .*\n/, "")}`, /title/],
    [`${API}${SDK_ONLY.replace('"read"', '"harmless"')}`, /risk_class/],
    [`${API}[risk."x.y"]\nclass = "read"\n`, /reason/],
  ];
  for (const [toml, pattern] of rows) assert.match(await problem(toml), pattern, toml);
});

Deno.test("overrides: what the catalog rules out is listed", async () => {
  const overrides = await readOverrides(FOLDER);
  for (const glob of ["orgunits", "roles", "roleAssignments", "domains", "domainAliases"]) {
    assert.ok(overrides.exclude?.includes(`admin.directory.${glob}.*`), glob);
  }
  for (const [opId, table] of Object.entries(overrides.ops ?? {})) {
    assert.equal(table.scopes_reason, undefined, `${opId}: every scope is one Google accepts`);
  }
});
