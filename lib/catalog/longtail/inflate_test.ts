import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
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
      assert.deepEqual(inflate(deflateRawSync(bytes, { level }), bytes.length), bytes);
    }),
    { numRuns: 150 },
  );
});

Deno.test("inflate: damaged, short and mislabelled data is refused, never misread", () => {
  const plain = new TextEncoder().encode("a chunk of operations ".repeat(200));
  const packed = new Uint8Array(deflateRawSync(plain, { level: 9 }));
  assert.throws(() => inflate(packed, plain.length - 1), RangeError);
  assert.throws(() => inflate(packed, plain.length + 1), RangeError);
  assert.throws(() => inflate(packed.subarray(0, packed.length >> 1), plain.length), RangeError);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
    try {
      assert.equal(inflate(noise, 1_000).length, 1_000);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }));
});
