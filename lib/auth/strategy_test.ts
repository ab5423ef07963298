import assert from "node:assert/strict";
import { AUTH_STRATEGY_VALUES } from "../catalog/validate/mod.ts";
import { AUTH_STRATEGIES, BASELINE_STRATEGIES, residualStrategyChecks } from "./strategy.ts";

const ROOT = new URL("../../", import.meta.url);

const ABI = [
  "# ABI",
  "- `backend_kind`: `rest`; not `moon_phase`.",
  "- `auth_strategy`: `none`, `api_key`,",
  "  `star_sign`.",
  "- `risk_class`: `read`, `moon_phase`.",
].join("\n");

Deno.test("TestAuthStrategyEnumExtensionComplete: whatever was added to the enum came with all of its parts", async () => {
  const files: string[] = [];
  for await (const entry of Deno.readDir(new URL("./", import.meta.url))) {
    files.push(`lib/auth/${entry.name}`);
  }
  assert.deepEqual(
    residualStrategyChecks(AUTH_STRATEGIES, BASELINE_STRATEGIES, {
      catalogAbiDoc: await Deno.readTextFile(new URL("docs/catalog-abi.md", ROOT)),
      matrixText: await Deno.readTextFile(new URL("docs/test-matrix.md", ROOT)),
      files,
    }),
    [],
  );
  for (const strategy of AUTH_STRATEGIES) {
    assert.ok(files.includes(`lib/auth/strategy_${strategy}.ts`), strategy);
  }
  assert.deepEqual([...AUTH_STRATEGIES].sort(), [...AUTH_STRATEGY_VALUES].sort());
  assert.equal(BASELINE_STRATEGIES.length, 10);
});

Deno.test("TestResidualStrategyChecksReportEveryMissingStep: all three at once", () => {
  const missing = residualStrategyChecks(["none", "moon_phase"], ["none"], {
    catalogAbiDoc: ABI,
    files: ["lib/auth/strategy_moon_phases.ts"],
    matrixText: "| `TestAuthStrategyMoonPhaseExtra` |",
  });
  assert.equal(missing.length, 3);
  assert.ok(missing.every((step) => step.startsWith("moon_phase: ")));
});

Deno.test("TestResidualStrategyChecksPassOnACompletePR: document, file and row", () => {
  assert.deepEqual(
    residualStrategyChecks(["none", "star_sign"], ["none"], {
      catalogAbiDoc: ABI,
      files: ["lib/auth/strategy_star_sign.ts"],
      matrixText: "| 1 | new | `TestAuthStrategyStarSign` | CI |",
    }),
    [],
  );
});

Deno.test("TestAuthStrategyCrossReferenceIsScopedToItsBullet: a mention elsewhere does not count", () => {
  const evidence = {
    files: ["lib/auth/strategy_moon_phase.ts"],
    matrixText: "`TestAuthStrategyMoonPhase`",
  };
  const missing = residualStrategyChecks(["moon_phase"], [], { ...evidence, catalogAbiDoc: ABI });
  assert.deepEqual(missing, [
    "moon_phase: not in the auth_strategy bullet of docs/catalog-abi.md",
  ]);
  assert.equal(
    residualStrategyChecks(["moon_phase"], [], { ...evidence, catalogAbiDoc: "" }).length,
    1,
  );
});
