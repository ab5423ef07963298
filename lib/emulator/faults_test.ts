import assert from "node:assert/strict";
import { startEmulator } from "./mod.ts";
import type { Emulator, FaultEffect } from "./types.ts";

const LABELS = "/_host/gmail.googleapis.com/gmail/v1/users/me/labels";

/** One request over a bare socket: every byte that came back until the connection closed. */
async function exchange(
  emulator: Emulator,
  options: { path?: string; headers?: string; requests?: number } = {},
): Promise<Uint8Array> {
  const port = Number(new URL(emulator.origin).port);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const text = `GET ${options.path ?? LABELS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${emulator.credentials.bearer}\r\n${options.headers ?? ""}` +
    "Connection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(text));
  const chunks: number[] = [];
  const buffer = new Uint8Array(65_536);
  for (;;) {
    const read = await connection.read(buffer).catch(() => null);
    if (read === null) break;
    for (const byte of buffer.subarray(0, read)) chunks.push(byte);
  }
  connection.close();
  return new Uint8Array(chunks);
}

function split(bytes: Uint8Array): { head: string; body: Uint8Array } {
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, at), body: bytes.subarray(at + 4) };
}

function lengthOf(head: string): number {
  return Number(/content-length: ([0-9]+)/i.exec(head)?.[1]);
}

async function withFault(
  effect: FaultEffect,
  check: (emulator: Emulator) => Promise<void>,
): Promise<void> {
  const emulator = await startEmulator();
  try {
    const fault = emulator.addFault({ effect });
    await check(emulator);
    assert.equal(fault.fired, 1);
    assert.equal(emulator.journal[0]?.fault, effect.kind);
    // The script is over: the next request is an ordinary one.
    const after = split(await exchange(emulator));
    assert.match(after.head, /^HTTP\/1\.1 200/);
    assert.equal(after.body.length, lengthOf(after.head));
  } finally {
    await emulator.close();
  }
}

Deno.test("faults: status with reason, Retry-After, details, headers", () =>
  withFault({
    kind: "status",
    status: 403,
    reason: "RATE_LIMIT_EXCEEDED",
    message: "slow down",
    retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2s" }],
    headers: { "x-extra": "1" },
  }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.match(head, /^HTTP\/1\.1 403/);
    assert.match(head, /retry-after: Wed, 21 Oct 2026 07:28:00 GMT/i);
    assert.match(head, /x-extra: 1/i);
    const { error } = JSON.parse(new TextDecoder().decode(body));
    assert.equal(error.message, "slow down");
    assert.deepEqual(
      error.details.map((detail: Record<string, string>) => detail.reason ?? detail.retryDelay),
      [
        "RATE_LIMIT_EXCEEDED",
        "2s",
      ],
    );
  }));

Deno.test("faults: a legacy reason goes to errors[], a whole body is sent as it is", async () => {
  const emulator = await startEmulator();
  try {
    emulator.addFault({ effect: { kind: "status", status: 403, reason: "quotaExceeded" } });
    emulator.addFault({
      effect: { kind: "status", status: 502, body: "<h1>no</h1>", contentType: "text/html" },
    });
    const legacy = JSON.parse(new TextDecoder().decode(split(await exchange(emulator)).body));
    assert.deepEqual(legacy.error.errors[0].reason, "quotaExceeded");
    assert.equal(legacy.error.errors[0].domain, "usageLimits");
    const html = split(await exchange(emulator));
    assert.match(html.head, /^HTTP\/1\.1 502[\s\S]*text\/html/);
    assert.equal(new TextDecoder().decode(html.body), "<h1>no</h1>");
  } finally {
    await emulator.close();
  }
});

Deno.test("faults: latency delays the answer and nothing else", () =>
  withFault({ kind: "latency", ms: 60 }, async (emulator) => {
    const start = performance.now();
    assert.match(split(await exchange(emulator)).head, /^HTTP\/1\.1 200/);
    assert.ok(performance.now() - start >= 55);
  }));

Deno.test("faults: drop before headers sends no byte", () =>
  withFault({ kind: "drop_before_headers" }, async (emulator) => {
    assert.equal((await exchange(emulator)).length, 0);
    assert.equal(emulator.journal[0]?.clientAborted, false);
  }));

Deno.test("faults: half a status line, then the end", () =>
  withFault({ kind: "half_status_line" }, async (emulator) => {
    assert.equal(new TextDecoder().decode(await exchange(emulator)), "HTTP/1.1 20");
  }));

Deno.test("faults: drop mid-body keeps the declared length", () =>
  withFault({ kind: "drop_mid_body", afterBytes: 33 }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.equal(body.length, 33);
    assert.ok(lengthOf(head) > 33);
  }));

Deno.test("faults: a content length that promises more than comes", () =>
  withFault({ kind: "short_content_length", missing: 9 }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.equal(lengthOf(head), body.length + 9);
    assert.ok(JSON.parse(new TextDecoder().decode(body)).labels);
  }));

Deno.test("faults: a broken chunk", () =>
  withFault({ kind: "broken_chunk" }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.match(head, /transfer-encoding: chunked/i);
    assert.match(new TextDecoder().decode(body), /\r\nnot-a-size\r\n/);
  }));

Deno.test("faults: a gzip body that ends too soon", () =>
  withFault({ kind: "truncated_gzip" }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.match(head, /content-encoding: gzip/i);
    assert.deepEqual([...body.subarray(0, 2)], [0x1f, 0x8b]);
    const stream = new Blob([new Uint8Array(body)]).stream().pipeThrough(
      new DecompressionStream("gzip"),
    );
    await assert.rejects(new Response(stream).arrayBuffer());
  }));

Deno.test("faults: hang answers nothing until the client leaves", () =>
  withFault({ kind: "hang" }, async (emulator) => {
    const leave = AbortSignal.timeout(80);
    await assert.rejects(fetch(`${emulator.origin}${LABELS}`, { signal: leave }));
    await until(() => emulator.journal[0]?.clientAborted === true);
  }));

Deno.test("faults: a slow body arrives whole, bit by bit", () =>
  withFault({ kind: "slow_body", bytesPerTick: 400, tickMs: 5 }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.equal(lengthOf(head), body.length);
    assert.ok(JSON.parse(new TextDecoder().decode(body)).labels);
  }));

Deno.test("faults: an endless body ends with the client", () =>
  withFault({ kind: "endless_body" }, async (emulator) => {
    const response = await fetch(`${emulator.origin}${LABELS}`);
    const reader = response.body?.getReader();
    let read = 0;
    while (reader !== undefined && read < 300_000) read += (await reader.read()).value?.length ?? 0;
    await reader?.cancel();
    await until(() => emulator.journal[0]?.clientAborted === true);
  }));

Deno.test("faults: a large body is as large as asked", () =>
  withFault({ kind: "large_body", bytes: 3_000_000 }, async (emulator) => {
    const response = await fetch(`${emulator.origin}${LABELS}`);
    assert.equal(response.headers.get("content-length"), "3000000");
    const text = await response.text();
    assert.equal(text.length, 3_000_000);
    assert.ok(JSON.parse(text).padding.length > 2_900_000);
  }));

Deno.test("faults: a 200 that is no JSON", () =>
  withFault({ kind: "non_json", body: "<html>", contentType: "text/html" }, async (emulator) => {
    const { head, body } = split(await exchange(emulator));
    assert.match(head, /^HTTP\/1\.1 200/);
    assert.equal(new TextDecoder().decode(body), "<html>");
  }));

Deno.test("faults: a redirect to anywhere", () =>
  withFault(
    { kind: "redirect", status: 307, location: "https://elsewhere.example/x" },
    async (emulator) => {
      assert.match(
        split(await exchange(emulator)).head,
        /^HTTP\/1\.1 307[\s\S]*location: https:\/\/elsewhere/i,
      );
    },
  ));

Deno.test("faults: a repeated page token makes a loop", async () => {
  const emulator = await startEmulator();
  try {
    const messages = `${LABELS.replace("labels", "messages")}?maxResults=2`;
    const headers = { authorization: `Bearer ${emulator.credentials.bearer}` };
    const fault = emulator.addFault({ effect: { kind: "repeat_page_token" } });
    const first = await (await fetch(`${emulator.origin}${messages}`, { headers })).json();
    assert.equal(fault.fired, 0);
    const second =
      await (await fetch(`${emulator.origin}${messages}&pageToken=${first.nextPageToken}`, {
        headers,
      })).json();
    assert.equal(second.nextPageToken, first.nextPageToken);
    const third =
      await (await fetch(`${emulator.origin}${messages}&pageToken=${first.nextPageToken}`, {
        headers,
      })).json();
    assert.notEqual(third.nextPageToken, first.nextPageToken);
    assert.equal(fault.fired, 1);
  } finally {
    await emulator.close();
  }
});

Deno.test("faults: they play in the order they were added, only where they match", async () => {
  const emulator = await startEmulator();
  try {
    emulator.addFault({
      effect: { kind: "status", status: 418 },
      match: { host: "drive.googleapis.com" },
    });
    emulator.addFault({ effect: { kind: "status", status: 418 }, match: { method: "POST" } });
    emulator.addFault({
      effect: { kind: "status", status: 418 },
      match: { path: "/gmail/v1/*/labels" },
    });
    emulator.addFault({
      effect: { kind: "status", status: 429 },
      match: { host: "googleapis.com", path: "/gmail/**" },
    });
    emulator.addFault({
      effect: { kind: "status", status: 503 },
      match: { path: "/gmail/v1/users/*/labels" },
    });
    const gone = emulator.addFault({ effect: { kind: "status", status: 500 } });
    gone.remove();
    const seen: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      seen.push(split(await exchange(emulator)).head.slice(9, 12));
    }
    assert.deepEqual(seen, ["429", "503", "200"]);
    emulator.addFault({ effect: { kind: "status", status: 500 }, times: Infinity });
    emulator.clearFaults();
    assert.match(split(await exchange(emulator)).head, /^HTTP\/1\.1 200/);
  } finally {
    await emulator.close();
  }
});

Deno.test("faults: one request can bring its own", async () => {
  const emulator = await startEmulator();
  try {
    const effect = JSON.stringify({ kind: "status", status: 410, reason: "deleted" });
    const answer = split(
      await exchange(emulator, { headers: `x-gum-emulator-fault: ${effect}\r\n` }),
    );
    assert.match(answer.head, /^HTTP\/1\.1 410/);
    const malformed = split(
      await exchange(emulator, { headers: "x-gum-emulator-fault: {oops\r\n" }),
    );
    assert.match(malformed.head, /^HTTP\/1\.1 400/);
  } finally {
    await emulator.close();
  }
});

Deno.test("faults: a connection that was fine before can be cut under a later request", async () => {
  const emulator = await startEmulator();
  const port = Number(new URL(emulator.origin).port);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    const request = `GET ${LABELS}?prettyPrint=false HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${emulator.credentials.bearer}\r\n\r\n`;
    const buffer = new Uint8Array(65_536);
    await connection.write(new TextEncoder().encode(request));
    let text = "";
    while (!text.endsWith("]}")) {
      const read = await connection.read(buffer);
      assert.notEqual(read, null);
      text += new TextDecoder().decode(buffer.subarray(0, read ?? 0));
    }
    emulator.addFault({ effect: { kind: "drop_before_headers" } });
    await connection.write(new TextEncoder().encode(request));
    assert.equal(await connection.read(buffer).catch(() => null), null);
    assert.equal(emulator.journal.length, 2);
  } finally {
    connection.close();
    await emulator.close();
  }
});

Deno.test("faults: a client that leaves in the middle of its body is journaled as such", async () => {
  const emulator = await startEmulator();
  try {
    const port = Number(new URL(emulator.origin).port);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request = `POST ${LABELS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${emulator.credentials.bearer}\r\nContent-Length: 500\r\n\r\n{"name":`;
    await connection.write(new TextEncoder().encode(request));
    await until(() => emulator.journal.length === 1);
    connection.close();
    await until(() => emulator.journal[0]?.clientAborted === true);
    assert.equal(emulator.journal[0]?.status, undefined);
  } finally {
    await emulator.close();
  }
});

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, "gave up waiting");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
