import assert from "node:assert/strict";
import fc from "fast-check";
import { sha256Hex } from "./digest.ts";
import { sha256HexSync } from "./sha256_sync.ts";

Deno.test("the synchronous digest is the digest", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      assert.equal(sha256HexSync(bytes), await sha256Hex(new Uint8Array(bytes)));
    }),
  );
  for (const length of [0, 55, 56, 63, 64, 65, 119, 120, 5000]) {
    const bytes = new Uint8Array(length).fill(7);
    assert.equal(sha256HexSync(bytes), await sha256Hex(bytes), String(length));
  }
});
