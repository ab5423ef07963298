import assert from "node:assert/strict";
import { TransportFailure, UpstreamFailure } from "../errors/wire/mod.ts";
import { createHttpClient, sendWithAttempts, streaming, type StreamRequest } from "./mod.ts";
import { type Reply, type Script, startPeer } from "./testdata/peer.ts";

const FILE = new URL("https://www.googleapis.com/file");

async function over(
  script: Script,
  work: (parts: {
    open: (request?: Partial<StreamRequest>, signal?: AbortSignal) => ReturnType<
      ReturnType<typeof createHttpClient>["open"]
    >;
    client: ReturnType<typeof createHttpClient>;
    peer: ReturnType<typeof startPeer>;
  }) => Promise<void>,
): Promise<void> {
  await using peer = startPeer(script);
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  await work({
    client,
    peer,
    open: (request = {}, signal = new AbortController().signal) =>
      client.open({ method: "GET", url: FILE, headers: {}, ...request }, signal),
  });
}

async function textOf(pieces: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces ?? []) text += decoder.decode(piece, { stream: true });
  return text;
}

const answer = (body: string, more: Partial<Extract<Reply, { kind: "answer" }>> = {}): Reply => ({
  kind: "answer",
  status: 200,
  body,
  ...more,
});

Deno.test("TestMediaStream: a body arrives in pieces, its declared size before them", async () => {
  await over(() => answer("x".repeat(100_000)), async ({ open }) => {
    const stream = await open();
    assert.deepEqual([stream.status, stream.declaredBytes], [200, 100_000]);
    assert.equal((await textOf(stream.pieces)).length, 100_000);
  });
});

Deno.test("TestMediaStream: a refusal has its body at once, and attempts treat it like any other", async () => {
  const script: Script = (_request, index) =>
    index === 0 ? answer("busy", { status: 503 }) : answer("fine");
  await over(script, async ({ open, client }) => {
    const refused = await open();
    assert.deepEqual([new TextDecoder().decode(refused.body), refused.pieces], ["busy", undefined]);
    const stream = await sendWithAttempts(streaming(client), {
      request: { method: "GET", url: FILE, headers: {} },
      repeatable: true,
    }, new AbortController().signal);
    assert.equal(await textOf(stream.pieces), "fine");
  });
  await over(() => answer("no", { status: 404 }), async ({ client }) => {
    await assert.rejects(
      sendWithAttempts(streaming(client), {
        request: { method: "GET", url: FILE, headers: {} },
        repeatable: true,
      }, new AbortController().signal),
      UpstreamFailure,
    );
  });
});

Deno.test("TestMediaStream: silence ends the exchange, before the headers and within the body", async () => {
  await over(() => ({ kind: "hang" }), async ({ open }) => {
    await assert.rejects(
      open({ stallMs: 60 }),
      (error) => error instanceof TransportFailure && error.reason === "timeout",
    );
  });
  await over(() => ({ kind: "stall_body" }), async ({ open }) => {
    const stream = await open({ stallMs: 60 });
    await assert.rejects(
      textOf(stream.pieces),
      (error) => error instanceof TransportFailure && error.reason === "timeout",
    );
  });
});

Deno.test("TestMediaStream: a slow reader is no silent line", async () => {
  await over(() => answer("x".repeat(3_000_000)), async ({ open }) => {
    const stream = await open({ stallMs: 40 });
    let size = 0;
    for await (const piece of stream.pieces ?? []) {
      if (size === 0) await new Promise((resolve) => setTimeout(resolve, 120));
      size += piece.length;
    }
    assert.equal(size, 3_000_000);
  });
});

Deno.test("TestMediaStream: a body that breaks off is a failure with the status that was seen", async () => {
  await over(() => ({ kind: "short_body", body: "half" }), async ({ open }) => {
    const stream = await open();
    await assert.rejects(
      textOf(stream.pieces),
      (error) =>
        error instanceof TransportFailure && error.reason === "truncated_body" &&
        error.status === 200,
    );
  });
});

Deno.test("TestMediaStream: credentials go to Google hosts only, and stay behind on a hop elsewhere", async () => {
  const hop: Script = (request) =>
    request.host === "www.googleapis.com"
      ? answer("", { status: 302, headers: { location: "https://elsewhere.example/file" } })
      : answer("there");
  await over(hop, async ({ open, peer }) => {
    const stream = await open({
      headers: { authorization: "Bearer canary", range: "bytes=5-" },
      credentialed: true,
    });
    assert.equal(await textOf(stream.pieces), "there");
    assert.equal(peer.requests[1]?.headers.get("authorization"), null);
    assert.equal(peer.requests[1]?.headers.get("range"), "bytes=5-");
    await assert.rejects(
      open({ url: new URL("https://elsewhere.example/file"), credentialed: true }),
      (error) => (error as { code?: string }).code === "POLICY_DENIED",
    );
    assert.equal(peer.requests.length, 2);
  });
});

Deno.test("TestMediaStream: an abort ends the reading with its own reason", async () => {
  await over(() => ({ kind: "endless_body" }), async ({ open, peer }) => {
    const controller = new AbortController();
    const stream = await open({}, controller.signal);
    const reason = new Error("enough");
    let read = 0;
    await assert.rejects(async () => {
      for await (const piece of stream.pieces ?? []) {
        read += piece.length;
        controller.abort(reason);
      }
    }, reason);
    assert.ok(read > 0);
    const deadline = performance.now() + 5000;
    while (peer.abandoned() === 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(peer.abandoned(), 1);
  });
});

Deno.test("TestMediaStream: a body nobody wants is given up without a trace", async () => {
  await over(() => ({ kind: "endless_body" }), async ({ open }) => {
    await (await open()).discard();
    const begun = await open();
    for await (const _piece of begun.pieces ?? []) break;
    await begun.discard();
  });
});
