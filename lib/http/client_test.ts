import assert from "node:assert/strict";
import { GumError } from "../errors/mod.ts";
import { OversizeFailure, TransportFailure } from "../errors/wire/mod.ts";
import { createHttpClient, type HttpRequest } from "./mod.ts";
import { json, type Reply, type SeenRequest, sequence, startPeer } from "./testdata/peer.ts";

const NEVER = new AbortController().signal;

function get(path: string, extra: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: "GET",
    url: new URL(path, "https://www.googleapis.com"),
    headers: {},
    ...extra,
  };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("a failure was expected");
}

/** Answers the first request of a connection and drops it on the second: a dead pooled connection. */
function dropWhenReused() {
  return (request: SeenRequest, index: number): Reply =>
    index === 0 ? json({ warm: true }) : request.connection === 1 ? { kind: "drop" } : json({});
}

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: a dead reused connection never doubles a write", async () => {
  const bodies: [string, string | undefined][] = [
    ["POST", '{"a":1}'],
    ["PATCH", '{"a":1}'],
    ["PUT", '{"a":1}'],
    ["DELETE", undefined],
    ["POST", undefined],
    ["PATCH", undefined],
  ];
  for (const [method, body] of bodies) {
    await using peer = startPeer(dropWhenReused());
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    await client.send(get("/warm"), NEVER);
    const outcome = await client.send(
      { ...get("/act"), method, body, headers: { "content-type": "application/json" } },
      NEVER,
    ).then((answer) => answer.status, (error) => error);
    const sent = peer.requests.filter((request) => request.target === "/act");
    assert.equal(sent.length, 1, `${method} ${body ?? "without body"} is sent once`);
    assert.equal(sent[0]?.body, body ?? "");
    if (outcome instanceof Error) {
      assert.ok(outcome instanceof TransportFailure);
      assert.equal(outcome.reason, "reset");
    } else assert.equal(outcome, 200, "a fresh connection reached the peer");
  }
});

Deno.test("a body travels with its length, not chunked", async () => {
  await using peer = startPeer(() => json({}));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  await client.send({
    ...get("/x"),
    method: "POST",
    body: '{"é":1}',
    headers: { "content-type": "application/json" },
  }, NEVER);
  const [seen] = peer.requests;
  assert.equal(seen?.headers.get("content-length"), "8");
  assert.equal(seen?.headers.get("content-type"), "application/json");
  assert.equal(seen?.headers.get("transfer-encoding"), null);
});

Deno.test("credentials go to Google hosts over https only", async () => {
  await using peer = startPeer(() => json({}));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const refused = [
    "https://example.com/",
    "https://googleapis.com.evil.example/",
    "https://evilgoogleapis.com/",
    "http://www.googleapis.com/",
    "https://www.googleapis.com:8443/",
    "https://user:pw@www.googleapis.com/",
    "https://www.googleapis.com/#fragment",
  ];
  for (const url of refused) {
    const error = await failureOf(
      client.send({ ...get("/"), url: new URL(url), credentialed: true }, NEVER),
    );
    assert.ok(error instanceof GumError, url);
    assert.equal(error.details.reason, "credential_host_not_allowed");
    assert.ok(!error.message.includes("pw"));
  }
  assert.equal(peer.requests.length, 0);
  for (const url of ["https://googleapis.com/a", "https://a.b.googleapis.com/a"]) {
    await client.send({ ...get("/"), url: new URL(url), credentialed: true }, NEVER);
  }
  assert.equal(peer.requests.length, 2);
});

Deno.test("extra credential hosts come from construction; a given port must match", async () => {
  await using peer = startPeer(() => json({}));
  using client = createHttpClient({
    rewriteOrigin: (url) => peer.rewrite(url),
    extraCredentialHosts: ["one.example", "two.example:444", "http://127.0.0.1:9"],
  });
  const send = (url: string) =>
    client.send({ ...get("/"), url: new URL(url), credentialed: true }, NEVER);
  await send("https://one.example/");
  await send("https://two.example:444/");
  await send("http://127.0.0.1:9/");
  for (const url of ["https://one.example:1/", "https://two.example/", "http://one.example/"]) {
    assert.ok(await failureOf(send(url)) instanceof GumError, url);
  }
});

Deno.test("a redirect within a host keeps credentials, one to another host drops them", async () => {
  await using peer = startPeer((request) => {
    if (request.target.startsWith("/start")) {
      return { kind: "answer", status: 302, headers: { location: "/same" } };
    }
    if (request.target === "/same") {
      return {
        kind: "answer",
        status: 302,
        headers: { location: "https://other.googleapis.com/far?key=SECRET&q=1" },
      };
    }
    return json({});
  });
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const answer = await client.send(
    get("/start?key=SECRET", {
      credentialed: true,
      headers: {
        authorization: "Bearer t",
        "x-goog-api-key": "k",
        "x-goog-user-project": "p",
        "developer-token": "d",
        "login-customer-id": "1",
        cookie: "c",
        "x-other": "kept",
      },
    }),
    NEVER,
  );
  assert.equal(answer.status, 200);
  const [first, second, third] = peer.requests;
  assert.equal(first?.headers.get("authorization"), "Bearer t");
  assert.equal(second?.headers.get("authorization"), "Bearer t");
  assert.equal(third?.host, "other.googleapis.com");
  assert.equal(third?.target, "/far?q=1");
  for (
    const name of [
      "authorization",
      "cookie",
      "x-goog-api-key",
      "x-goog-user-project",
      "developer-token",
      "login-customer-id",
    ]
  ) assert.equal(third?.headers.get(name), null, name);
  assert.equal(third?.headers.get("x-other"), "kept");
});

Deno.test("redirects: https to http, foreign 307 of a write, loops and junk targets are refused", async () => {
  const to = (status: number, location: string): Reply => ({
    kind: "answer",
    status,
    headers: { location },
  });
  const cases: [string, Reply, Partial<HttpRequest>][] = [
    ["downgrade", to(302, "http://www.googleapis.com/x"), {}],
    ["write elsewhere", to(307, "https://other.googleapis.com/x"), { method: "POST", body: "{}" }],
    ["loop", to(302, "/again"), {}],
    ["short loop", to(302, "/again"), { maxRedirects: 5 }],
    ["junk", to(302, "javascript:alert(1)"), {}],
  ];
  const asked: Record<string, number> = { loop: 11, "short loop": 6 };
  for (const [name, reply, extra] of cases) {
    await using peer = startPeer(() => reply);
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    const error = await failureOf(client.send(get("/s", extra), NEVER));
    assert.ok(error instanceof TransportFailure, name);
    assert.equal(error.reason, "redirect", name);
    assert.equal(peer.requests.length, asked[name] ?? 1, name);
  }
});

Deno.test("303 becomes a GET without a body; 307 on the same host keeps both", async () => {
  for (const [status, method, body] of [[303, "GET", ""], [307, "POST", '{"a":1}']] as const) {
    await using peer = startPeer(sequence(
      { kind: "answer", status, headers: { location: "/next" } },
      json({}),
    ));
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    await client.send({
      ...get("/s"),
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json" },
    }, NEVER);
    assert.equal(peer.requests[1]?.method, method);
    assert.equal(peer.requests[1]?.body, body);
  }
});

Deno.test("a 308 without Location is an answer like any other", async () => {
  await using peer = startPeer(() => ({
    kind: "answer",
    status: 308,
    headers: { range: "bytes=0-9" },
  }));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  assert.equal((await client.send(get("/up"), NEVER)).status, 308);
});

Deno.test("a body over the cap is refused, by its declared length or while it streams", async () => {
  for (const reply of [json({ big: "x".repeat(5000) }), { kind: "endless_body" } as const]) {
    await using peer = startPeer(() => reply);
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    const error = await failureOf(client.send(get("/x", { capBytes: 1000 }), NEVER));
    assert.ok(error instanceof OversizeFailure);
    assert.equal(error.capBytes, 1000);
    assert.equal(error.status, 200);
  }
});

Deno.test("a declared length over the cap is refused before a byte is read", async () => {
  await using peer = startPeer(() => ({ kind: "stall_body", declared: 128 << 20 }));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const error = await failureOf(client.send(get("/x", { timeoutMs: 5000 }), NEVER));
  assert.ok(error instanceof OversizeFailure);
});

Deno.test("a hop away from Google goes on without credentials, and without the host rule", async () => {
  await using peer = startPeer(sequence(
    { kind: "answer", status: 302, headers: { location: "https://storage.example/blob?x=1" } },
    json({ there: true }),
  ));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const answer = await client.send(
    get("/s", { credentialed: true, headers: { authorization: "Bearer t" } }),
    NEVER,
  );
  assert.equal(answer.status, 200);
  assert.equal(peer.requests[1]?.host, "storage.example");
  assert.equal(peer.requests[1]?.headers.get("authorization"), null);
});

Deno.test("an endless body is cut off with bounded memory", async () => {
  await using peer = startPeer(() => ({ kind: "endless_body" }));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const error = await failureOf(client.send(get("/x", { capBytes: 8 << 20 }), NEVER));
  assert.ok(error instanceof OversizeFailure);
  assert.ok(peer.bytesSent() < 64 << 20, `the peer got rid of ${peer.bytesSent()} bytes`);
});

Deno.test("the body of a refusal is cut at 1 MiB instead", async () => {
  await using peer = startPeer(() => ({ kind: "endless_body", status: 500 }));
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const answer = await client.send(get("/x"), NEVER);
  assert.equal(answer.status, 500);
  assert.equal(answer.body.length, 1 << 20);
});

Deno.test("transport faults have names and never show a query", async () => {
  const faults: [Reply, string, number | undefined][] = [
    [{ kind: "drop" }, "reset", undefined],
    [{ kind: "half_status_line" }, "reset", undefined],
    [{ kind: "short_body" }, "truncated_body", 200],
    [{ kind: "bad_gzip" }, "decode", 200],
  ];
  for (const [reply, reason, status] of faults) {
    await using peer = startPeer(() => reply);
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    const error = await failureOf(
      client.send({ ...get("/x?key=SECRET"), method: "POST", body: "{}" }, NEVER),
    );
    assert.ok(error instanceof TransportFailure, reason);
    assert.equal(error.reason, reason);
    assert.equal(error.status, status);
    assert.ok(error.requestStarted);
    assert.ok(!error.message.includes("SECRET"));
    assert.ok(error.message.includes("https://www.googleapis.com"));
  }
});

Deno.test("a refused connection and TLS trouble mean the request never started", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr as Deno.NetAddr;
  closed.close();
  using client = createHttpClient();
  const refused = await failureOf(
    client.send({ ...get("/"), url: new URL(`http://127.0.0.1:${port}/`) }, NEVER),
  );
  assert.ok(refused instanceof TransportFailure);
  assert.deepEqual([refused.reason, refused.requestStarted], ["connect", false]);
  const plain = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = plain.accept().then(async (connection) => {
    await connection.read(new Uint8Array(4096));
    await connection.write(new TextEncoder().encode("HTTP/1.1 400 no TLS here\r\n\r\n"));
    connection.close();
  });
  const url = new URL(`https://127.0.0.1:${(plain.addr as Deno.NetAddr).port}/`);
  const tls = await failureOf(client.send({ ...get("/"), url }, NEVER));
  await answering;
  plain.close();
  assert.ok(tls instanceof TransportFailure);
  assert.deepEqual([tls.reason, tls.requestStarted], ["tls", false]);
});

Deno.test("the time limit covers the body, and is no cancel", async () => {
  for (
    const [reply, status] of [[{ kind: "hang" }, undefined], [{ kind: "stall_body" }, 200]] as const
  ) {
    await using peer = startPeer(() => reply);
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    const error = await failureOf(client.send(get("/x", { timeoutMs: 40 }), NEVER));
    assert.ok(error instanceof TransportFailure);
    assert.equal(error.reason, "timeout");
    assert.equal(error.status, status);
  }
});

Deno.test("an abort ends the exchange at once, with its own reason, and closes the socket", async () => {
  for (const kind of ["hang", "stall_body"] as const) {
    const reached = Promise.withResolvers<void>();
    await using peer = startPeer(() => {
      reached.resolve();
      return { kind };
    });
    using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
    const controller = new AbortController();
    const failing = failureOf(client.send(get("/x"), controller.signal));
    await reached.promise;
    const reason = { because: "test" };
    const startedAt = performance.now();
    controller.abort(reason);
    assert.equal(await failing, reason);
    assert.ok(performance.now() - startedAt <= 100);
  }
});

Deno.test("an origin rewriter that leaves loopback is refused", async () => {
  using client = createHttpClient({ rewriteOrigin: () => new URL("https://example.com/") });
  assert.ok(await failureOf(client.send(get("/x"), NEVER)) instanceof TypeError);
});

Deno.test("a redirect with a fragment is followed, its credential kept and the fragment not", async () => {
  await using peer = startPeer((request) =>
    request.target === "/start"
      ? { kind: "answer", status: 302, headers: { location: "/there#part" } }
      : json({})
  );
  using client = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const headers = { authorization: "Bearer t" };
  const answer = await client.send(get("/start", { credentialed: true, headers }), NEVER);
  assert.equal(answer.status, 200);
  assert.equal(answer.url.hash, "");
  assert.equal(peer.requests[1]?.headers.get("authorization"), "Bearer t");
});
