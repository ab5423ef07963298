import assert from "node:assert/strict";
import { parseCatalog } from "../lib/catalog/mod.ts";
import type { Variant } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { minimalCatalog, minimalOp } from "../lib/catalog/validate/testdata/minimal.ts";
import { checkProfiles } from "./profile_gate.ts";

const PROFILES = {
  "demo.plain.v1": JSON.stringify({
    format: "toon",
    keep_fields: ["id"],
    recovery: "local_artifact",
  }),
  "demo.elide.v1": JSON.stringify({
    format: "json",
    keep_fields: ["id", "name"],
    strip_nulls: true,
    recovery: "local_artifact",
  }),
  "demo.long.v1": JSON.stringify({ format: "json", on_empty: "x".repeat(501) }),
};

async function outcome(variant: Partial<Variant>): Promise<string> {
  try {
    await checkProfiles(minimalCatalog({}, minimalOp({}, variant)), PROFILES);
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    assert.equal(error.variantId, "demo.v1.rest.things.get");
    return error.code;
  }
}

Deno.test("TestEmbeddedCatalogPassesTheBuildProfileGate: every name of the shipped catalog", async () => {
  const catalog = parseCatalog(await Deno.readFile(new URL("catalog.json", import.meta.url)));
  await checkProfiles(catalog);
  const bound = catalog.ops.flatMap((op) => op.variants)
    .filter((variant) => variant.output_profile !== undefined)
    .map((variant) => variant.output_profile);
  for (
    const name of [
      "flights.search.v1",
      "googleads.keyword_historical.v1",
      "googleads.keyword_ideas.v1",
    ]
  ) assert.ok(bound.includes(name), name);
});

Deno.test("TestValidateVariantProfilesRejectsDanglingName: an unknown or abstract name fails", async () => {
  assert.equal(await outcome({ output_profile: "demo.plain.v1" }), "ok");
  assert.equal(await outcome({ output_profile: "demo.missing.v1" }), "PROFILE_NOT_FOUND");
  assert.equal(await outcome({ output_profile: "_base.list_ops" }), "PROFILE_INVALID");
});

Deno.test("TestValidateVariantProfilesRunsStripNullsSafety: judged with the variant's safe fields", async () => {
  const output_profile = "demo.elide.v1";
  assert.equal(await outcome({ output_profile }), "PROFILE_STRIP_NULLS_UNSAFE");
  assert.equal(
    await outcome({ output_profile, null_elision_safe_fields: ["id"] }),
    "PROFILE_STRIP_NULLS_UNSAFE",
  );
  assert.equal(
    await outcome({ output_profile, null_elision_safe_fields: ["id", "name"] }),
    "ok",
  );
  assert.equal(await outcome({ output_profile, null_elision_safe_fields: ["*"] }), "ok");
  assert.equal(await outcome({ output_profile: "demo.long.v1" }), "ON_EMPTY_TOO_LONG");
});

Deno.test("TestValidateVariantProfilesSkipsUnsetNames: no name, no check", async () => {
  assert.equal(await outcome({}), "ok");
});
