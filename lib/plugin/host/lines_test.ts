import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { createMessageLines } from "./message_lines.ts";
import { createStderrTail } from "./stderr_tail.ts";

const encoder = new TextEncoder();

/** Cuts bytes at arbitrary places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

Deno.test("message lines: however the bytes are cut, the same messages come out", () => {
  fc.assert(fc.property(
    fc.array(fc.string({ unit: "grapheme" })),
    fc.array(fc.nat(500)),
    (texts, cuts) => {
      const sent = texts.map((text) => ({ jsonrpc: "2.0", text }));
      const bytes = encoder.encode(sent.map((message) => JSON.stringify(message) + "\n").join(""));
      const got: JsonObject[] = [];
      const take = createMessageLines({
        frameBytes: 1 << 20,
        junkLines: 0,
        onMessage: (message) => got.push(message),
        onJunk: () => assert.fail("junk"),
        onOverflow: () => assert.fail("overflow"),
      });
      for (const piece of pieces(bytes, cuts)) take(piece);
      assert.deepEqual(got, sent);
    },
  ));
});

Deno.test("message lines: nothing is delivered after a limit was passed", () => {
  const events: string[] = [];
  const take = createMessageLines({
    frameBytes: 20,
    junkLines: 1,
    onMessage: () => events.push("message"),
    onJunk: () => events.push("junk"),
    onOverflow: () => events.push("overflow"),
  });
  take(encoder.encode("x\n\n  \ny\n" + '{"jsonrpc":"2.0"}\n'));
  assert.deepEqual(events, ["junk", "junk", "overflow"]);
});

Deno.test("stderr tail: keeps the last bytes, whatever the pieces", () => {
  fc.assert(fc.property(fc.array(fc.stringMatching(/^[a-z]{0,40}$/)), (texts) => {
    const tail = createStderrTail(16);
    for (const text of texts) tail.take(encoder.encode(text));
    assert.equal(tail.text(), texts.join("").slice(-16));
  }));
});
