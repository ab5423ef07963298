import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { hmacSha256, sha256Hex, sha256HexSync } from "./mod.ts";
import { sha256 } from "./sha256.ts";

const expected = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

Deno.test("a short message has the digest that everybody gives it", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    assert.equal(sha256(bytes).toHex(), expected(bytes));
  }));
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 4_096]) {
    const bytes = new Uint8Array(length).fill(0xa7);
    assert.equal(sha256(bytes).toHex(), expected(bytes), `${length} bytes`);
  }
});

Deno.test("short and long texts are hashed alike, whichever way is taken", async () => {
  for (const length of [0, 10, 4_095, 4_096, 4_097, 100_000]) {
    const text = "é".repeat(length);
    assert.equal(await sha256Hex(text), expected(new TextEncoder().encode(text)));
  }
});

Deno.test("the synchronous digest is the digest", async () => {
  for (const content of ["", "é", "x".repeat(5_000), new Uint8Array([0, 255])]) {
    assert.equal(sha256HexSync(content), await sha256Hex(content));
  }
});

Deno.test("a keyed digest is the one that everybody computes, whatever the key's length", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 300 }),
      (key, text) =>
        assert.equal(
          hmacSha256(key, text).toHex(),
          createHmac("sha256", key).update(text).digest("hex"),
        ),
    ),
  );
  const text = new TextEncoder().encode("abc");
  for (const length of [0, 1, 63, 64, 65, 128]) {
    const key = new Uint8Array(length).fill(0x5a);
    const expectedCode = createHmac("sha256", key).update(text).digest("hex");
    assert.equal(hmacSha256(key, text).toHex(), expectedCode, `${length} bytes`);
  }
});
