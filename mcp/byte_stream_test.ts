/** What any bytes on standard input may do to the server: nothing (spec 01 §3.2, 12 §1.2). */

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../lib/json/mod.ts";
import { serveStdio } from "./mod.ts";
import { fakeHelp, fakeSession } from "./testdata/fake_session.ts";
import { catalogSession } from "./testdata/real_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";

const REQUESTS = 500;

Deno.test("500 pipelined requests on one connection are all answered, each to its own id", async () => {
  const { session } = await catalogSession();
  const operations = session.catalog.ops.map(({ op_id }) => op_id);
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    await withPeer(session, { revision }, async (peer) => {
      const answers = await Promise.all(
        Array.from({ length: REQUESTS }, async (_, index) => {
          const opId = operations[index % operations.length] ?? "";
          const name = index % 3 === 0 ? "gum.read" : "gum.describe_op";
          const answer = await peer.request("tools/call", { name, arguments: { op_id: opId } });
          return { opId, name, answer };
        }),
      );
      for (const { opId, answer } of answers) {
        ok(JSON.stringify(answer.result).includes(opId), `${opId}: ${JSON.stringify(answer)}`);
      }
      equal(new Set(answers.map(({ answer }) => answer.id)).size, REQUESTS);
      deepStrictEqual(peer.stray, []);
    });
  }
});

const encoder = new TextEncoder();

/** One line, or something that should have been one. */
function frames(): fc.Arbitrary<Uint8Array> {
  const id = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom("a", "b", null, 1.5, {}, [], true),
    fc.string({ maxLength: 5 }),
  );
  const method = fc.oneof(
    fc.constantFrom(
      "initialize",
      "notifications/initialized",
      "notifications/cancelled",
      "tools/list",
      "tools/call",
      "resources/read",
      "prompts/get",
      "completion/complete",
      "server/discover",
      "subscriptions/listen",
      "logging/setLevel",
      "ping",
    ),
    fc.string({ maxLength: 20 }),
    fc.constantFrom(null, 7, {}),
  );
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constant({
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "fuzz", version: "1" },
    }),
    fc.record({
      name: fc.constantFrom("gum.read", "gum.cache_stats", "gmail_send", "nothing"),
      arguments: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constant({ op_id: "gmail.users.messages.list" }),
      ),
      _meta: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(envelope)),
      cursor: fc.jsonValue({ maxDepth: 1 }),
      uri: fc.constantFrom("gum://results/ab", "gum://op/x", "file:///etc/passwd", 5),
      ref: fc.jsonValue({ maxDepth: 2 }),
      requestId: id,
    }, { requiredKeys: [] }),
  );
  const message = fc.record({
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0", 2),
    id,
    method,
    params,
    result: fc.jsonValue({ maxDepth: 1 }),
    error: fc.jsonValue({ maxDepth: 1 }),
    extra: fc.jsonValue({ maxDepth: 1 }),
  }, { requiredKeys: ["jsonrpc"] });
  const text = (value: unknown) => encoder.encode(JSON.stringify(value));
  const deep = "[".repeat(50_000);
  return fc.oneof(
    { weight: 6, arbitrary: message.map(text) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }).map(text) },
    { weight: 1, arbitrary: fc.jsonValue().map(text) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((noise) => encoder.encode(noise)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }) },
    // A valid frame cut short, and bytes that are no UTF-8 inside a string.
    {
      weight: 1,
      arbitrary: message.map((value) => text(value)).map((bytes) =>
        bytes.subarray(0, bytes.length / 2)
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constant(
        Uint8Array.from([
          ...encoder.encode('{"jsonrpc":"2.0","id":1,"method":"'),
          0xff,
          0xfe,
          0xc3,
          ...encoder.encode('"}'),
        ]),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        encoder.encode(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":${deep}`),
        encoder.encode(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "x".repeat(300_000) })),
        encoder.encode(""),
        encoder.encode("\r"),
        encoder.encode("null"),
      ),
    },
  );
}

/** Feeds bytes in pieces, then one question; gives every line that came back. */
async function converse(
  input: { bytes: Uint8Array; pieces: number[]; question: string },
): Promise<{ lines: string[]; answer: JsonObject | undefined }> {
  const toServer = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const served = serveStdio(fakeSession().session, {
    version: "0.0.0-test",
    help: fakeHelp,
    stdin: toServer.readable,
    stdout: toClient.writable,
  }).then(() => toClient.writable.close());
  const lines: string[] = [];
  const answered = Promise.withResolvers<JsonObject | undefined>();
  const reading = (async () => {
    let rest = "";
    for await (const text of toClient.readable.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) {
        lines.push(line);
        if (line.includes(input.question)) answered.resolve(JSON.parse(line));
      }
    }
    if (rest !== "") lines.push(rest);
    answered.resolve(undefined);
  })();
  const writer = toServer.writable.getWriter();
  // A server that hung up takes no more bytes; what it did is judged by its answers.
  const write = (bytes: Uint8Array) => writer.write(bytes).catch(() => {});
  let at = 0;
  for (const piece of input.pieces) {
    if (at >= input.bytes.length) break;
    await write(input.bytes.slice(at, at + piece));
    at += piece;
  }
  await write(input.bytes.slice(at));
  await write(encoder.encode(
    `\n{"jsonrpc":"2.0","id":"${input.question}","method":"initialize","params":{"protocolVersion":` +
      `"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}\n`,
  ));
  const deadline = setTimeout(() => answered.resolve(undefined), 5_000);
  const answer = await answered.promise;
  clearTimeout(deadline);
  await writer.close().catch(() => {});
  await served;
  await reading;
  return { lines, answer };
}

Deno.test("no bytes kill the server, silence it or make it write anything but messages", async () => {
  const conversation = fc.record({
    frames: fc.array(frames(), { maxLength: 12 }),
    pieces: fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 40 }),
    opened: fc.boolean(),
  });
  const opening = encoder.encode(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
      '"capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}\n' +
      '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(conversation, async ({ frames, pieces, opened }) => {
      runs++;
      const newline = Uint8Array.of(10);
      const parts = [...(opened ? [opening] : []), ...frames.flatMap((frame) => [frame, newline])];
      const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
      const { lines, answer } = await converse({ bytes, pieces, question: "fuzz-question" });
      for (const line of lines) {
        const message: unknown = JSON.parse(line);
        ok(isJsonObject(message) && message.jsonrpc === "2.0", line.slice(0, 200));
      }
      ok(answer !== undefined, "the question after the noise was answered");
      ok(Object.hasOwn(answer, "result") || Object.hasOwn(answer, "error"));
    }),
    { interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false, numRuns: 2_000 },
  );
  ok(runs > 20, `${runs} conversations`);
});

Deno.test("a line over the limit ends the connection cleanly, without an answer to it", async () => {
  const bytes = new Uint8Array(11 * 1024 * 1024).fill(0x20);
  const { lines, answer } = await converse({ bytes, pieces: [], question: "after-the-flood" });
  deepStrictEqual(lines, []);
  equal(answer, undefined);
});
