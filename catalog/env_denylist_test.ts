import assert from "node:assert/strict";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { minimalCatalog, minimalOp } from "../lib/catalog/validate/testdata/minimal.ts";
import { checkCredentialNames, isDeniedName, parseDenylist } from "./env_denylist.ts";

function catalogAsking(alias: string) {
  return minimalCatalog(
    {},
    minimalOp({}, {
      auth_strategy: "compound",
      auth_components: [{ kind: "api_key", credential_alias: alias }],
    }),
  );
}

Deno.test("credential names: exact and prefix patterns, comments ignored", () => {
  const patterns = parseDenylist("# names\nGUM_*\nPATH # the search path\n\n");
  assert.deepEqual(patterns, ["GUM_*", "PATH"]);
  assert.equal(isDeniedName("GUM_PROFILE", patterns), true);
  assert.equal(isDeniedName("PATH", patterns), true);
  assert.equal(isDeniedName("PATHS", patterns), false);
  assert.equal(isDeniedName("path", patterns), false);
});

Deno.test("credential names: a denied one stops the build, and so does a missing list", async () => {
  const file = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    await Deno.writeTextFile(file, "GUM_*\n");
    const list = new URL(`file://${file}`);
    await checkCredentialNames(catalogAsking("WEATHER_KEY"), list);
    await assert.rejects(
      checkCredentialNames(catalogAsking("GUM_TOKEN"), list),
      (error: unknown) => error instanceof CatalogError && error.code === "PLUGIN_ENV_PROHIBITED",
    );
  } finally {
    await Deno.remove(file);
  }
  const missing = new URL(`file://${file}`);
  await checkCredentialNames(minimalCatalog(), missing);
  await assert.rejects(checkCredentialNames(catalogAsking("WEATHER_KEY"), missing), CatalogError);
});
