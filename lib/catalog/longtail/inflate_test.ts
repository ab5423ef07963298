import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { deflateRaw, Z_DEFAULT_STRATEGY, Z_FIXED } from "pako";
import { inflate } from "./inflate.ts";

Deno.test("inflate: gives back what the platform's compressor took, at every level", () => {
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 5_000 }),
    fc.array(fc.constantFrom("the ", "long ", "tail ", "é", "\u0000"), { maxLength: 3_000 })
      .map((words) => new TextEncoder().encode(words.join(""))),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(0, 1, 6, 9), (plain, level) => {
      const bytes = new Uint8Array(plain);
      assert.deepEqual(inflate(deflateRawSync(bytes, { level }), { size: bytes.length }), bytes);
    }),
    { numRuns: 150 },
  );
});

Deno.test("inflate: damaged, short and mislabelled data is refused, never misread", () => {
  const plain = new TextEncoder().encode("a chunk of operations ".repeat(200));
  const packed = new Uint8Array(deflateRawSync(plain, { level: 9 }));
  assert.throws(() => inflate(packed, { size: plain.length - 1 }), RangeError);
  assert.throws(() => inflate(packed, { size: plain.length + 1 }), RangeError);
  assert.throws(
    () => inflate(packed.subarray(0, packed.length >> 1), { size: plain.length }),
    RangeError,
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
    try {
      assert.equal(inflate(noise, { size: 1_000 }).length, 1_000);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }));
});

Deno.test("inflate: what was compressed with a dictionary comes back only with that dictionary", () => {
  const words = fc.array(fc.constantFrom("projects.", "locations.", "list ", "é", "get "), {
    minLength: 1,
    maxLength: 400,
  }).map((list) => new TextEncoder().encode(list.join("")));
  fc.assert(
    fc.property(words, words, fc.boolean(), (plain, dictionary, fixed) => {
      const strategy = fixed ? Z_FIXED : Z_DEFAULT_STRATEGY;
      const packed = deflateRaw(plain, { level: 9, dictionary, strategy });
      const size = plain.length;
      assert.deepEqual(inflate(packed, { size, dictionary }), new Uint8Array(plain));
    }),
    { numRuns: 150 },
  );
  const text = new TextEncoder().encode("Lists the instances of a zone. ".repeat(3));
  const packed = deflateRaw(text, { level: 9, dictionary: text });
  assert.ok(packed.length < 12, "the dictionary was used");
  assert.throws(() => inflate(packed, { size: text.length }), RangeError);
});
