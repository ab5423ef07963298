import assert from "node:assert/strict";
import fc from "fast-check";
import { GumError } from "../../errors/mod.ts";
import { FIVE_OPS, testOp, TWO_OPS } from "../testdata/ops.ts";
import { buildIndex, EMPTY_TABLES, extendIndex } from "./build.ts";
import {
  createSearch,
  decodeIndex,
  encodeIndex,
  type SearchTables,
  unpackPostings,
} from "./mod.ts";

const TABLES: SearchTables = {
  service_aliases: { gmail: ["email", "mail"] },
  synonyms: { email: ["message"], mail: ["email"] },
};
const index = buildIndex(FIVE_OPS, { catalogSha256: "ab".repeat(32), tables: TABLES });

function refusal(bytes: Uint8Array, catalogSha256?: string): GumError {
  try {
    decodeIndex(bytes, { catalogSha256 });
  } catch (error) {
    assert.ok(error instanceof GumError);
    return error;
  }
  assert.fail("the file was accepted");
}

Deno.test("TestCatalogIndexSnapshotInvariant: save then load gives the same index and scores", () => {
  const loaded = decodeIndex(encodeIndex(index), { catalogSha256: index.catalogSha256 });
  assert.deepEqual(loaded.docs, index.docs);
  assert.deepEqual(loaded.terms, index.terms);
  assert.deepEqual(loaded.params, index.params);
  for (const query of ["send email", "create", "trash message", "mailbox", "headers"]) {
    assert.deepEqual(createSearch(loaded).search(query), createSearch(index).search(query));
  }
});

Deno.test("TestCatalogIndexSnapshotInvariant: the same operations in any order give the same bytes", () => {
  const again = buildIndex(FIVE_OPS.toReversed(), {
    catalogSha256: index.catalogSha256,
    tables: {
      synonyms: { mail: ["email"], email: ["message"] },
      service_aliases: TABLES.service_aliases,
    },
  });
  assert.deepEqual(encodeIndex(again), encodeIndex(index));
});

Deno.test("TestCatalogIndexSnapshotInvariant: one header line names version, format and catalog", () => {
  const bytes = encodeIndex(index);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0x0a))));
  assert.equal(header.version, "bm25-only-v1");
  assert.equal(header.format, "bm25f-1");
  assert.equal(header.catalog_sha256, "ab".repeat(32));
  assert.equal(header.params.k1, 1.2);
  assert.equal(header.docs[0].op_id, "calendar.events.insert");
  assert.equal(header.docs[0].risk_class, "read");
  assert.equal(header.docs[0].auth_strategy, "byo_oauth");
});

Deno.test("index file: another catalog, another version, missing docs, cut, longer, empty", () => {
  const bytes = encodeIndex(index);
  const text = new TextDecoder("latin1").decode(bytes);
  const latin = (changed: string) => Uint8Array.from(changed, (char) => char.charCodeAt(0));
  const cases: Record<string, Uint8Array> = {
    version: latin(text.replace("bm25-only-v1", "bm25-only-v2")),
    format: latin(text.replace("bm25f-1", "bm25f-9")),
    docs: latin(text.replace('"docs"', '"dogs"')),
    cut: bytes.subarray(0, bytes.length - 1),
    longer: Uint8Array.from([...bytes, 0]),
    empty: new Uint8Array(),
    noise: latin("not an index\n"),
    json: latin("{}\n"),
  };
  for (const [name, damaged] of Object.entries(cases)) {
    assert.equal(refusal(damaged).code, "BM25_INDEX_CORRUPT", name);
  }
  assert.equal(refusal(cases.version ?? bytes).details.version, "bm25-only-v2");
  assert.equal(refusal(bytes, "cd".repeat(32)).code, "BM25_INDEX_CORRUPT");
});

Deno.test("index file: no flipped bit in the binary sections goes unnoticed", () => {
  const bytes = encodeIndex(index);
  const start = bytes.indexOf(0x0a) + 1;
  fc.assert(fc.property(
    fc.integer({ min: start, max: bytes.length - 1 }),
    fc.integer({ min: 0, max: 7 }),
    (at, bit) => {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      assert.equal(refusal(damaged).code, "BM25_INDEX_CORRUPT");
    },
  ));
});

Deno.test("index build: a catalog without operations cannot be indexed", () => {
  assert.throws(
    () => buildIndex([], { catalogSha256: "", tables: EMPTY_TABLES }),
    (error) => error instanceof GumError && error.code === "BM25_CATALOG_EMPTY",
  );
});

Deno.test("index file: every document of every term survives packing", () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,6}\.[a-z]{2,6}$/), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.lorem({ maxCount: 6 }), { minLength: 40, maxLength: 40 }),
      (opIds, summaries) => {
        const ops = opIds.map((opId, at) => testOp(opId, { summary: summaries[at] ?? "x" }));
        const loaded = decodeIndex(
          encodeIndex(buildIndex(ops, { catalogSha256: "", tables: EMPTY_TABLES })),
        );
        loaded.terms.forEach((term, at) => {
          const postings = unpackPostings(loaded, at);
          assert.ok(postings.length > 0, term);
          const docs = postings.map(({ doc }) => doc);
          assert.deepEqual(docs, [...new Set(docs)].sort((left, right) => left - right));
          assert.ok(docs.every((doc) => doc >= 0 && doc < ops.length));
          assert.ok(postings.every(({ wtf }) => wtf >= 1 && wtf <= 255));
        });
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("plugin operations: added operations are found, existing ones keep their weights", () => {
  const plugin = testOp("plug.weather.forecast", {
    title: "Forecast weather",
    summary: "Weather for a city.",
  });
  const extended = extendIndex(index, [plugin, ...TWO_OPS, FIVE_OPS[0] ?? plugin]);
  assert.equal(extended.docs.length, 8);
  assert.equal(extended.params.n, 8);
  assert.equal(createSearch(extended).search("weather")[0]?.op_id, "plug.weather.forecast");
  assert.equal(createSearch(extended).search("send email")[0]?.op_id, "gmail.users.messages.send");
  assert.equal(index.docs.length, 5, "the base index is untouched");
  assert.equal(extendIndex(index, [...FIVE_OPS]), index, "nothing new, nothing copied");
});
