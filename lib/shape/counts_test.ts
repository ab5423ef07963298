import assert from "node:assert/strict";
import fc from "fast-check";
import type { ExpressionFacts, ShapeRequest, ShapeResult } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { recordArray } from "../format/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { expressionOf, isLossy, shapeBody, shaper } from "./mod.ts";

function apply(
  value: unknown,
  profile: Partial<ResolvedProfile> = {},
  request: Partial<ShapeRequest> = {},
): ShapeResult {
  return shapeBody({
    body: new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)),
    opId: "test.op",
    variantId: "test.variant",
    profile: { name: "test", ...profile },
    ...request,
  });
}

function counts(result: ShapeResult): [number, number] {
  return [result.resultCount, result.omittedCount];
}

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index }));

Deno.test("TestEmptyUpstreamAndShapedAwayDifferByCounts: (0,0) against (0,N)", () => {
  assert.deepEqual(counts(apply({ messages: [] }, { on_empty: "none" })), [0, 0]);
  assert.deepEqual(counts(apply({ messages: rows(10), n: 1 }, { keep_fields: ["n"] })), [0, 10]);
});

Deno.test("TestOmittedCountsRowsLimitRemoved: limit counts as omission", () => {
  assert.deepEqual(counts(apply(rows(10), { limit: 4 })), [4, 6]);
});

Deno.test("TestOmittedCountsRowsDedupeRemoved: merged rows count as omission", () => {
  assert.deepEqual(counts(apply([{ a: 1 }, { a: 1 }, { a: 1 }], { dedupe: { by: ["a"] } })), [
    1,
    2,
  ]);
});

Deno.test("TestOmittedCountKeepsTheLargerOfTheTwoSources: cap and limit are not added twice", () => {
  const profile = { collapse_arrays: { max_items: 20 }, limit: 5 };
  assert.deepEqual(counts(apply(rows(50), profile)), [5, 45]);
  assert.deepEqual(counts(apply({ results: rows(243) }, { collapse_arrays: { max_items: 100 } })), [
    100,
    143,
  ]);
  const two = { items: rows(3), other: rows(10) };
  assert.deepEqual(counts(apply(two, { collapse_arrays: { max_items: 2 } })), [2, 9]);
});

Deno.test("TestOmittedCountsRowsLimitRemoved: also from an array that only became the record array", () => {
  const two = { a: rows(50), b: rows(1) };
  assert.deepEqual(counts(apply(two, { keep_fields: ["a"], limit: 5 })), [5, 45]);
  const capped = { drop_fields: ["b"], collapse_arrays: { max_items: 20 }, limit: 5 };
  assert.deepEqual(counts(apply(two, capped)), [5, 45]);
  assert.deepEqual(counts(apply([[1, 2, 3]], { flatten_singletons: true, limit: 1 })), [1, 2]);
});

Deno.test("TestOmittedCountsRowsLimitRemoved: shown and left out make up what reached the row stages", () => {
  const row = fc.oneof(fc.record({ id: fc.nat({ max: 3 }) }), fc.constantFrom("x", 7, null));
  const list = fc.array(row, { maxLength: 8 });
  const body = fc.oneof(
    list,
    fc.dictionary(fc.constantFrom("items", "value", "a", "b", "definitions", "n"), list, {
      minKeys: 1,
      maxKeys: 3,
    }),
  );
  const profile = fc.record({
    drop_fields: fc.subarray(["a", "b", "n"]),
    flatten: fc.boolean(),
    collapse_arrays: fc.record({ max_items: fc.integer({ min: 1, max: 6 }) }),
    dedupe: fc.record({ by: fc.constant<string[]>(["id"]) }),
    sort_by: fc.constant("id"),
    limit: fc.nat({ max: 5 }),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(body, profile, (value, keys) => {
      const reached = apply(value, { drop_fields: keys.drop_fields, flatten: keys.flatten });
      if (recordArray(reached.value ?? null) === undefined) return;
      const result = apply(value, keys);
      const shown = recordArray(result.value ?? null)?.length;
      const leftOut = (result.omittedRecords ?? 0) + result.dedupedRows + result.limitedRows;
      assert.equal(result.resultCount, shown);
      assert.equal(result.resultCount + leftOut, reached.resultCount);
      assert.ok(result.omittedCount >= leftOut);
      for (const [key, count] of Object.entries(result.omittedByKey)) {
        assert.equal((result.value as Record<string, unknown>)[key], count);
      }
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("TestResultCountReadsResultsBesideASecondArray: results wins over an unnamed array", () => {
  const body = { results: rows(100), results_omitted_count: 143, unmatchedInputs: ["x"] };
  assert.deepEqual(counts(apply(body)), [100, 0]);
});

Deno.test("TestKeywordHistoryCountsMatchTheBody: the body's counter and the envelope agree", () => {
  const result = apply({ results: rows(243), unmatchedInputs: ["x"] }, {
    collapse_arrays: { max_items: 100 },
    keep_fields: ["results.id", "unmatchedInputs"],
  });
  const value = result.value as Record<string, unknown>;
  assert.equal(value.results_omitted_count, 143);
  assert.equal(result.omittedCount, 143);
  assert.deepEqual(result.omittedByKey, { results_omitted_count: 143 });
});

Deno.test("TestLossyFollowsThePerCallMaxItems: a cap given with the call makes it lossy", () => {
  assert.equal(apply(rows(3), {}, { maxItems: 5 }).lossy, true);
  assert.equal(apply(rows(3), {}).lossy, false);
});

Deno.test("TestLossyDropsWhenTheCallRemovesTheOnlyCap: all lifts the cap and its lossiness", () => {
  const profile = { collapse_arrays: { max_items: 2 } };
  assert.equal(apply(rows(3), profile, { maxItems: "all" }).lossy, false);
  assert.equal(apply(rows(3), profile, { maxItems: "all" }).resultCount, 3);
  assert.equal(apply(rows(3), { ...profile, limit: 9 }, { maxItems: "all" }).lossy, true);
});

Deno.test("TestIsLossyBranches: every key that can remove something, and none that cannot", () => {
  const lossy: Partial<ResolvedProfile>[] = [
    { projection: ["a"] },
    { keep_fields: ["a"] },
    { drop_fields: ["a"] },
    { strip_nulls: true },
    { collapse_arrays: { max_items: 9 } },
    { truncate_strings: {} },
    { dedupe: { by: ["a"] } },
    { limit: 1 },
  ];
  for (const keys of lossy) {
    assert.equal(isLossy({ name: "p", ...keys }, undefined), true, JSON.stringify(keys));
  }
  const harmless: Partial<ResolvedProfile>[] = [
    {},
    { projection: [], keep_fields: [], drop_fields: [] },
    { strip_nulls: false, limit: 0 },
    { flatten: true, flatten_singletons: true, sort_by: "a", omit_zero_counts: true },
    { field_mask: "a", on_empty: "x", untrusted_fields: ["a"] },
  ];
  for (const keys of harmless) {
    assert.equal(isLossy({ name: "p", ...keys }, undefined), false, JSON.stringify(keys));
  }
  assert.equal(isLossy(undefined, undefined), false);
  assert.equal(shaper.isLossy(undefined, 3), true);
});

Deno.test("TestOnEmptyFiresWhenShapingEmptiesTheBody: the message does not depend on who emptied it", () => {
  const emptied = apply({ messages: rows(4) }, { drop_fields: ["messages"], on_empty: "none" });
  assert.equal(emptied.onEmptyMessage, "none");
  assert.deepEqual(counts(emptied), [0, 4]);
  assert.equal(apply({ a: 1 }, { on_empty: "none" }).onEmptyMessage, undefined);
  assert.equal(apply({ a: [], b: [] }, { on_empty: "none" }).onEmptyMessage, "none");
  assert.equal(apply({ a: [], b: [1] }, { on_empty: "none" }).onEmptyMessage, undefined);
});

Deno.test("TestOnEmptyFiresWhenShapingEmptiesTheBody: a list that the service left out is an empty one", () => {
  const profile = {
    keep_fields: ["resultSizeEstimate", "messages.id", "messages.snippet"],
    on_empty: "No matching messages.",
  };
  const none = apply({ resultSizeEstimate: 0 }, profile);
  assert.deepEqual([none.onEmptyMessage, none.resultKind], ["No matching messages.", "empty"]);
  assert.deepEqual([none.value, ...counts(none)], [{ resultSizeEstimate: 0 }, 0, 0]);
  for (
    const taken of [
      { strip_nulls: true },
      { keep_fields: ["total"] },
      { drop_fields: ["messages"] },
    ]
  ) {
    const body = { messages: taken.strip_nulls ? [] : rows(3), total: 9 };
    const away = apply(body, { ...taken, on_empty: "none" });
    assert.deepEqual([away.onEmptyMessage, away.value], ["none", { total: 9 }]);
  }
  const masked = { field_mask: "size,messages(id)", on_empty: "none" };
  assert.equal(apply({ size: 0 }, masked).onEmptyMessage, "none");
  // Not a list, a part of one, or nothing known about it.
  const kinds = [
    apply({ resultSizeEstimate: 0 }, { keep_fields: profile.keep_fields }),
    apply({ resultSizeEstimate: 0 }, profile, { askedMask: "resultSizeEstimate" }),
    apply({ resultSizeEstimate: 0, messages: { id: "x" } }, profile),
    apply({ resultSizeEstimate: 7, nextPageToken: "t" }, profile),
    apply({ id: "x" }, { keep_fields: ["id"], on_empty: "none" }),
    apply([{ id: "x" }], { flatten_singletons: true, on_empty: "none" }),
  ];
  for (const { resultKind, onEmptyMessage } of kinds) {
    assert.deepEqual([resultKind, onEmptyMessage], ["object", undefined]);
  }
});

Deno.test("TestZeroMaxItemsKeepsItsMessageOnAnEmptyUpstream: the flag never travels without the message", () => {
  const profile = { collapse_arrays: { max_items: 0 }, on_empty: "counted only" };
  for (const body of [[], { messages: [] }, { messages: rows(3) }, rows(3)]) {
    const result = apply(body, profile);
    assert.equal(result.intentionalZero, true);
    assert.equal(result.onEmptyMessage, "counted only");
  }
  const unsaid = apply(rows(3), { collapse_arrays: { max_items: 0 } });
  assert.equal(unsaid.intentionalZero, false);
  assert.equal(apply({ a: 1 }, profile).intentionalZero, false);
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: the call's cap replaces the profile's, raw ignores it", () => {
  const profile = { collapse_arrays: { max_items: 2 } };
  assert.equal(apply(rows(9), profile, { maxItems: 5 }).resultCount, 5);
  assert.equal(apply(rows(9), profile, { maxItems: "all" }).omittedCount, 0);
  const text = ' [ {"id": 1.0} ] ';
  const raw = apply(text, profile, { maxItems: 1, userFormat: "raw" });
  assert.equal(new TextDecoder().decode(raw.body), text);
  assert.deepEqual([raw.format, raw.value, raw.lossy, raw.profileApplied], [
    "raw",
    undefined,
    false,
    false,
  ]);
});

Deno.test("TestShapeResponseMaxItemsOverridesBuiltinCap: an empty body is an empty object", () => {
  for (const body of ["", " \n"]) {
    const result = apply(body, { on_empty: "none", limit: 1 });
    assert.equal(new TextDecoder().decode(result.body), "{}");
    assert.deepEqual([result.format, result.profileApplied, result.onEmptyMessage], [
      "json",
      false,
      undefined,
    ]);
    assert.equal(result.resultKind, "empty");
  }
});

Deno.test("TestApplyDefaultFormatFallback: flag, profile, fallback, toon, in that order", () => {
  const list = rows(1);
  assert.equal(
    apply(list, { format: "csv" }, { userFormat: "markdown", fallbackFormat: "json" }).format,
    "markdown",
  );
  assert.equal(apply(list, { format: "csv" }, { fallbackFormat: "json" }).format, "csv");
  assert.equal(apply(list, {}, { fallbackFormat: "json" }).format, "json");
  assert.equal(apply(list).format, "toon");
  assert.equal(apply({ a: 1 }).format, "json");
});

Deno.test("TestApplyUnknownFormatStillEncodesTOON: the reported format is the one that was written", () => {
  const result = apply(rows(1), {}, { userFormat: "yaml" as "json" });
  assert.equal(result.format, "toon");
  assert.match(new TextDecoder().decode(result.body), /^op: test\.op\nvariant: test\.variant\n/);
});

Deno.test("TestReplayFallsBackToJSONWhenNotRepresentable: toon asked, JSON written, JSON reported", () => {
  const result = apply([1, 2], { format: "toon" });
  assert.equal(result.format, "json");
  assert.equal(new TextDecoder().decode(result.body), "[1,2]");
});

Deno.test("TestApplyEncodesCSV: csv and markdown report their format and the arrays they count", () => {
  const body = { items: rows(2), labels: ["a", "b"] };
  const csv = apply(body, { format: "csv" });
  assert.equal(csv.format, "csv");
  assert.equal(new TextDecoder().decode(csv.body), "id,labels\n0,[2 items]\n1,[2 items]\n");
  assert.deepEqual(csv.countedArrays, ["labels"]);
});

Deno.test("TestApplyEncodesMarkdown: markdown text and format", () => {
  const result = apply(rows(1), { format: "markdown" });
  assert.equal(result.format, "markdown");
  assert.equal(new TextDecoder().decode(result.body), "| id |\n| --- |\n| 0 |\n");
});

Deno.test("TestApplyEncodesCSV: a body that is not JSON is an internal fault that names the way out", () => {
  assert.throws(() => apply("<html>"), (error: unknown) => {
    assert.ok(error instanceof GumError);
    assert.equal(error.code, "SERVICE_DOWN");
    assert.equal(error.details.op_id, "test.op");
    return true;
  });
});

function facts(shape: ShapeResult, more: Partial<ExpressionFacts> = {}): ExpressionFacts {
  return {
    opId: "test.op",
    variantId: "test.variant",
    profileName: "p.v1",
    shape,
    validationWarnings: [],
    annotationPaths: [],
    ...more,
  };
}

Deno.test("TestExpressionEnvelopeReportsShapedCounts: counts, kind and what was dropped", () => {
  const paths = Array.from({ length: 10 }, (_, index) => `d${index}`);
  const body = rows(3).map((row) => ({
    ...row,
    ...Object.fromEntries(paths.map((path) => [path, 1])),
  }));
  const shape = apply(body, { keep_fields: ["id"], limit: 2 });
  assert.deepEqual(
    expressionOf(facts(shape, { profileSource: "user-global", fieldMask: "a(b)" })),
    {
      profile: "p.v1",
      op_id: "test.op",
      variant_id: "test.variant",
      lossy: true,
      result_count: 2,
      omitted_count: 1,
      result_kind: "records",
      profile_source: "user-global",
      field_mask: "a(b)",
      limited_rows: 1,
      dropped_paths: paths.slice(0, 8),
      dropped_paths_total: 10,
    },
  );
  assert.equal(expressionOf(facts(apply({ a: 1 }))).omitted_count, 0);
});

Deno.test("TestExpressionEnvelopeCarriesOnEmptyMessage: the message and the zeros", () => {
  const meta = expressionOf(facts(apply({ messages: [] }, { on_empty: "none" })));
  assert.deepEqual([meta.on_empty_message, meta.result_count, meta.omitted_count], ["none", 0, 0]);
  assert.equal(meta.result_kind, "empty");
  assert.ok(!("intentional_zero_max_items" in meta));
});

Deno.test("TestExpressionEnvelopeFlagsIntentionalZero: true, together with its message", () => {
  const shape = apply(rows(3), { collapse_arrays: { max_items: 0 }, on_empty: "counted only" });
  const meta = expressionOf(facts(shape));
  assert.equal(meta.intentional_zero_max_items, true);
  assert.equal(meta.on_empty_message, "counted only");
  assert.equal(meta.omitted_count, 3);
});

Deno.test("TestExpressionEnvelopeOnRawIsSentinel: five keys and nothing else", () => {
  const meta = expressionOf(
    facts(apply("x", {}, { userFormat: "raw" }), { validationWarnings: ["w"] }),
  );
  assert.deepEqual(meta, {
    profile: "_raw",
    op_id: "test.op",
    variant_id: "test.variant",
    lossy: false,
    result_count: 0,
  });
});

Deno.test("TestArtifactHandlesTravelTogether: path, size and expiry, or none of them", () => {
  const handle = { path: "/a.gz", hash: "ab", size: 9, expiresAt: "2026-01-01T00:00:00Z" };
  const shape = apply(rows(1));
  const with_ = expressionOf(
    facts(shape, { artifact: { ...handle, advertised: true, resource: "gum://results/ab" } }),
  );
  assert.deepEqual(
    [
      with_.full_result_path,
      with_.full_result_size,
      with_.artifact_expires_at,
      with_.full_result_resource,
    ],
    ["/a.gz", 9, "2026-01-01T00:00:00Z", "gum://results/ab"],
  );
  const without = expressionOf(facts(shape, { artifact: { ...handle, advertised: false } }));
  assert.ok(
    !Object.keys(without).some((key) =>
      key.startsWith("full_result") || key.startsWith("artifact")
    ),
  );
});

Deno.test("TestNoArtifactHandlesWithoutRecovery: no artifact, no handle", () => {
  const meta = expressionOf(facts(apply(rows(1))));
  assert.ok(!("full_result_path" in meta) && !("artifact_expires_at" in meta));
});

Deno.test("TestPartialVariantWarnsInTheExpressionEnvelope: blocked capabilities are named", () => {
  const meta = expressionOf(facts(apply(rows(1)), { unsupportedCapabilities: ["media_upload"] }));
  assert.deepEqual(meta._unsupported_capabilities, ["media_upload"]);
});

Deno.test("TestFullVariantCarriesNoCapabilityWarning: nothing blocked, nothing said", () => {
  assert.ok(
    !("_unsupported_capabilities" in
      expressionOf(facts(apply(rows(1)), { unsupportedCapabilities: [] }))),
  );
});

Deno.test("TestUntrustedFields: the declared paths that hold text are reported, flattened ones too", () => {
  const profile = { flatten: true, untrusted_fields: ["items.summary", "items.absent", "note"] };
  const shape = apply({ items: [{ summary: "x", note: "y", id: "z" }] }, profile);
  assert.deepEqual(shape.untrustedPaths, ["note", "summary"]);
  assert.deepEqual(expressionOf(facts(shape)).untrusted_fields, ["note", "summary"]);
  const warned = expressionOf(
    facts(shape, { validationWarnings: ["w"], projectRootUri: "file:///p" }),
  );
  assert.deepEqual([warned._validation_warnings, warned.project_root_uri], [["w"], "file:///p"]);
});

Deno.test("TestUntrustedFields: no envelope that shaping takes off or puts on hides text from the marks", () => {
  const rowText = fc.constantFrom("alpha", "beta");
  const list = fc.array(fc.record({ note: rowText, id: fc.nat() }), { minLength: 1, maxLength: 6 });
  const key = fc.constantFrom(undefined, "items", "data", "results", "value", "messages");
  fc.assert(
    fc.property(
      list,
      key,
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      (rows, name, flat, cap) => {
        const shape = apply(name === undefined ? rows : { [name]: rows }, {
          flatten: flat,
          untrusted_fields: [name === undefined ? "note" : `${name}.note`],
        }, { maxItems: cap, untrustedRandom: 0, userFormat: "json" });
        const kept = recordArray(shape.value ?? null) ?? [];
        assert.equal(kept.length, Math.min(cap, rows.length));
        for (const row of kept) {
          const { note } = row as { note: string };
          assert.ok(note.startsWith(`${shape.untrustedMark} `), note);
        }
        assert.equal(shape.untrustedPaths?.length, 1);
      },
    ),
    { numRuns: 300 },
  );
});
