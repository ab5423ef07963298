import assert from "node:assert/strict";
import type { Variant } from "../catalog/types.ts";
import {
  declaredProblems,
  effectiveProblems,
  type ResolvedProfile,
  variantProblems,
} from "./mod.ts";

const VARIANT: Variant = {
  variant_id: "v.rest.list",
  variant_schema_version: 1,
  stability: "stable",
  interface_kind: "discovery-rest",
  backend_kind: "typed-rest-sdk",
  risk_class: "read",
  auth_strategy: "byo_oauth",
  capabilities: [],
  annotations: { readOnly: true, idempotent: true },
};

function profile(keys: Partial<ResolvedProfile>): ResolvedProfile {
  return { name: "p.v1", ...keys };
}

function effective(
  keys: Partial<ResolvedProfile>,
  source: "user-global" | "catalog-embedded" | "plugin" = "catalog-embedded",
) {
  return effectiveProblems(profile(keys), { source });
}

const codes = (problems: { code: string; rule?: string }[]) =>
  problems.map(({ code, rule }) => rule ?? code);

Deno.test("TestValidateSemanticsRejectsLongOnEmpty: 501 characters, with length and limit", () => {
  const [problem] = declaredProblems(profile({ on_empty: "🐙".repeat(501) }));
  assert.equal(problem?.code, "ON_EMPTY_TOO_LONG");
  assert.deepEqual(problem?.details, { length: 501, limit: 500 });
});

Deno.test("TestValidateSemanticsAcceptsExactly500: 500 is allowed", () => {
  assert.deepEqual(declaredProblems(profile({ on_empty: "🐙".repeat(500) })), []);
});

Deno.test("TestOnEmptyLengthCountsAfterNFC: decomposed letters count once", () => {
  assert.deepEqual(declaredProblems(profile({ on_empty: "e\u0301".repeat(500) })), []);
  assert.equal(declaredProblems(profile({ on_empty: "e\u0301".repeat(501) })).length, 1);
  assert.equal(declaredProblems(profile({ on_empty: "\u0958".repeat(251) })).length, 1);
});

Deno.test("TestValidateSemanticsRejectsResourceLinkWithoutAlwaysTee: off and failures conflict", () => {
  for (const tee_mode of ["off", "failures"] as const) {
    const problems = effective({ recovery: "resource_link", tee_mode });
    assert.deepEqual(codes(problems), ["PROFILE_TEE_MODE_CONFLICT"]);
    assert.deepEqual(problems[0]?.details, { recovery: "resource_link", tee_mode });
  }
});

Deno.test("TestProfileTeeModeConflict: only resource_link demands always", () => {
  assert.deepEqual(effective({ recovery: "local_artifact", tee_mode: "off" }), []);
});

Deno.test("TestValidateSemanticsAcceptsResourceLinkWithAlwaysOrDefault: always, or nothing said", () => {
  assert.deepEqual(effective({ recovery: "resource_link", tee_mode: "always" }), []);
  assert.deepEqual(effective({ recovery: "resource_link" }), []);
});

Deno.test("TestValidateSemanticsReportsBothFailures: one fault does not hide the other", () => {
  const both = profile({ on_empty: "x".repeat(501), recovery: "resource_link", tee_mode: "off" });
  const found = [...declaredProblems(both), ...effectiveProblems(both, { source: "user-global" })];
  assert.deepEqual(codes(found), ["ON_EMPTY_TOO_LONG", "PROFILE_TEE_MODE_CONFLICT"]);
});

Deno.test("TestProfileStripNullsSafety: every case of the coverage rule", () => {
  const check = (keys: Partial<ResolvedProfile>, safe: string[] | undefined) => {
    const [problem] = variantProblems(profile(keys), {
      ...VARIANT,
      null_elision_safe_fields: safe,
    });
    return problem?.details?.fields;
  };
  const kept = { strip_nulls: true, keep_fields: ["b", "a.x", "c"] };
  assert.equal(check({ strip_nulls: false }, undefined), undefined);
  assert.equal(check({ strip_nulls: true }, ["*"]), undefined);
  assert.deepEqual(check(kept, undefined), ["a.x", "b", "c"]);
  assert.deepEqual(check(kept, []), ["a.x", "b", "c"]);
  assert.equal(check(kept, ["a[].x", "b", "c", "d"]), undefined);
  assert.deepEqual(check(kept, ["a.x"]), ["b", "c"]);
  assert.deepEqual(check({ strip_nulls: true }, ["a"]), []);
  const [problem] = variantProblems(profile(kept), {
    ...VARIANT,
    null_elision_safe_fields: ["a.x", "c"],
  });
  assert.equal(problem?.code, "PROFILE_STRIP_NULLS_UNSAFE");
  assert.match(problem?.message ?? "", /remove b, which v\.rest\.list/);
});

Deno.test("TestDualFetchReadOnlyIdempotentGate: dual_fetch needs an idempotent read", () => {
  const dual = profile({ field_mask_mode: "dual_fetch" });
  assert.deepEqual(variantProblems(dual, VARIANT), []);
  for (
    const change of [{ risk_class: "write" as const }, { annotations: { idempotent: false } }, {
      annotations: undefined,
    }]
  ) {
    const [problem] = variantProblems(dual, { ...VARIANT, ...change });
    assert.deepEqual([problem?.code, problem?.field], ["INVALID_ARGS", "field_mask_mode"]);
  }
});

Deno.test("TestValidateSemanticsReportsBothFailures: zero cap, loss without recovery, lost dedupe keys, odd masks", () => {
  assert.deepEqual(
    codes(effective({ collapse_arrays: { max_items: 0 }, recovery: "local_artifact" })),
    ["zero_max_items_needs_on_empty"],
  );
  assert.deepEqual(
    effective({ collapse_arrays: { max_items: 0 }, recovery: "local_artifact", on_empty: "x" }),
    [],
  );
  for (const source of ["catalog-embedded", "plugin"] as const) {
    assert.deepEqual(codes(effective({ limit: 3 }, source)), ["lossy_without_recovery"]);
    assert.deepEqual(codes(effective({ limit: 3, recovery: "none" }, source)), [
      "lossy_without_recovery",
    ]);
  }
  assert.deepEqual(
    effectiveProblems(profile({ limit: 3 }), {
      source: "catalog-embedded",
      variant: { raw_result_allowed: true },
    }),
    [],
  );
  assert.deepEqual(
    effective({ limit: 3 }, "user-global").map(({ rule, severity }) => [rule, severity]),
    [["recovery_disabled", "warning"]],
  );
  const recovery = "local_artifact" as const;
  assert.deepEqual(
    codes(effective({ recovery, keep_fields: ["a.id"], dedupe: { by: ["id", "x"] } })),
    ["dedupe_key_not_kept"],
  );
  assert.deepEqual(effective({ recovery, keep_fields: ["items"], dedupe: { by: ["id"] } }), []);
  for (
    const keys of [{ drop_fields: ["items.id"] }, {
      keep_fields: ["files.id", "files.name"],
      drop_fields: ["files.id"],
    }]
  ) {
    assert.deepEqual(codes(effective({ recovery, ...keys, dedupe: { by: ["id"] } })), [
      "dedupe_key_not_kept",
    ]);
  }
  const elsewhere = { drop_fields: ["items.owner.id", "owner.id", "id", "items.name"] };
  assert.deepEqual(effective({ recovery, ...elsewhere, dedupe: { by: ["id"] } }), []);
  assert.deepEqual(effective({ field_mask: "a/b" }).map(({ rule, severity }) => [rule, severity]), [
    ["field_mask_syntax", "warning"],
  ]);
});
