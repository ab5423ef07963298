import assert from "node:assert/strict";
import { assembleProfileLayers, type ResolvedProfile } from "../profile/mod.ts";
import { resolveProfile } from "../profile/commands.ts";
import { decodeToonDocument, visibleText } from "../format/mod.ts";
import { encodeMarked, noticeOf, shapeBody } from "./mod.ts";

async function embedded(name: string): Promise<ResolvedProfile> {
  const layersOf = await assembleProfileLayers({ uid: null });
  const resolution = resolveProfile(name, layersOf());
  assert.ok(resolution);
  return resolution.profile;
}

function fixture(name: string): Promise<Uint8Array> {
  return Deno.readFile(new URL(`../../testdata/profiles/${name}.json`, import.meta.url));
}

Deno.test("TestKeywordHistoryCountsMatchTheBody: the embedded profile keeps volumes, drops variants and says so", async () => {
  const profile = await embedded("googleads.keyword_historical.v1");
  const shape = shapeBody({
    body: await fixture("googleads.keyword_historical"),
    opId: "o",
    variantId: "v",
    profile,
  });
  assert.deepEqual([shape.resultCount, shape.omittedCount], [100, 143]);
  const [row] = (shape.value as { results: { keywordMetrics: object }[] }).results;
  assert.ok(row && "monthlySearchVolumes" in row.keywordMetrics && "matchedInputs" in row);
  const notice = noticeOf({
    opId: "o",
    variantId: "v",
    profileName: profile.name,
    shape,
    validationWarnings: [],
    annotationPaths: ["results.matchedInputs", "unmatchedInputs"],
  }, "mcp");
  assert.match(notice, /143 rows omitted \(results_omitted_count\)/);
  assert.match(notice, /results\.closeVariants/);
});

Deno.test("TestDataManagerResponseShaping: ids, warnings and counts per destination survive every format", () => {
  const body = {
    requestId: "req-1",
    requestStatusPerDestination: [
      {
        destination: { productDestinationId: "d1" },
        requestStatus: "PARTIAL_SUCCESS",
        warningInfo: {
          warningCounts: [{ recordCount: "3", reason: "PROCESSING_WARNING_REASON_KANON" }],
        },
        eventsIngestionStatus: { recordCount: "97" },
      },
      {
        destination: { productDestinationId: "d2" },
        requestStatus: "SUCCESS",
        eventsIngestionStatus: { recordCount: "100" },
      },
    ],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  for (const userFormat of ["json", "toon", "raw"] as const) {
    const shape = shapeBody({ body: bytes, opId: "o", variantId: "v", userFormat });
    const text = new TextDecoder().decode(shape.body);
    for (const fact of ["req-1", "PROCESSING_WARNING_REASON_KANON", "97", "100", "d2"]) {
      assert.ok(text.includes(fact), `${userFormat}: ${fact}`);
    }
  }
});

Deno.test("TestUntrustedFields: a marked mail list decodes to the shaped value", async () => {
  const profile = await embedded("gmail.threads.list.v1");
  const ids = { opId: "gmail.users.threads.list", variantId: "v" };
  const shape = shapeBody({ ...ids, body: await fixture("gmail.threads.list"), profile });
  assert.deepEqual(shape.untrustedPaths, ["threads.snippet"]);
  assert.ok(shape.value !== undefined);
  const marked = encodeMarked(shape.value, {
    ...ids,
    format: "toon",
    paths: shape.untrustedPaths,
    random: 5,
  });
  assert.ok(marked.text.includes(`untrusted_mark: ${marked.tag}\n`));
  assert.ok(marked.text.split(` ${marked.tag}`).length > 20);
  const plain = decodeToonDocument(new TextDecoder().decode(shape.body));
  // Marked text shows control characters; without them the two readings are one.
  plain.rows = plain.rows.map((row) =>
    row.map((cell) => typeof cell === "string" ? visibleText(cell) : cell)
  );
  assert.deepEqual(decodeToonDocument(marked.text), plain);
});
