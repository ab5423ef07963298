import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { crc32c, md5 } from "./checksum.ts";
import { downloadAnswer, receiveUpload, type UploadedMedia, UploadSessions } from "./media.ts";
import { type EmulatedCall, EmulatedError } from "./service.ts";

function callOf(
  init: Partial<Omit<EmulatedCall, "headers" | "query">> & {
    headers?: Record<string, string>;
    query?: string;
  },
): EmulatedCall {
  const { headers, query, ...rest } = init;
  return {
    method: "POST",
    host: "www.googleapis.com",
    path: "/upload/drive/v3/files",
    params: {},
    body: undefined,
    bodyBytes: new Uint8Array(),
    accountEmail: "mara.lindqvist@example.com",
    now: 0,
    ...rest,
    headers: new Headers(headers),
    query: new URLSearchParams(query),
  };
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("media: checksums agree with another implementation", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
    assert.equal(md5(content).toHex(), createHash("md5").update(content).digest("hex"));
  }));
  assert.equal(crc32c(bytes("123456789")).toHex(), "e3069283");
});

Deno.test("media: a download gives the range while its tag holds, else the whole", () => {
  const media = { bytes: bytes("0123456789"), contentType: "text/plain" };
  const ask = (headers: Record<string, string>) => {
    const answer = downloadAnswer(callOf({ method: "GET", headers }), media);
    return { ...answer, text: new TextDecoder().decode(answer.body as Uint8Array) };
  };
  const whole = ask({});
  assert.equal(whole.status, 200);
  assert.match(whole.headers?.["x-goog-hash"] ?? "", /^crc32c=.+,md5=eB5eJF1ptWaXm4bijSPyxw==$/);
  const etag = whole.headers?.etag ?? "";
  const part = ask({ range: "bytes=3-5", "if-range": etag });
  assert.deepEqual([part.status, part.text, part.headers?.["content-range"]], [
    206,
    "345",
    "bytes 3-5/10",
  ]);
  assert.deepEqual([ask({ range: "bytes=7-" }).text, ask({ range: "bytes=-2" }).text], [
    "789",
    "89",
  ]);
  assert.equal(ask({ range: "bytes=3-5", "if-range": '"other"' }).status, 200);
  assert.throws(
    () => ask({ range: "bytes=10-" }),
    (error) => error instanceof EmulatedError && error.status === 416,
  );
});

Deno.test("media: resumable uploads arrive whole whatever the chunks, repeats included", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (content, steps, lengthKnown) => {
        const sessions = new UploadSessions();
        const finished: UploadedMedia[] = [];
        const finish = (media: UploadedMedia) => {
          finished.push(media);
          return { body: { size: media.bytes.length } };
        };
        const begun = await receiveUpload(
          sessions,
          callOf({
            query: "uploadType=resumable",
            body: { name: "n" },
            headers: {
              "x-upload-content-type": "image/png",
              ...(lengthKnown ? { "x-upload-content-length": String(content.length) } : {}),
            },
          }),
          finish,
        );
        const query = new URL(begun.headers?.location ?? "").search.slice(1);
        const put = (chunk: Uint8Array, range: string) =>
          receiveUpload(
            sessions,
            callOf({ method: "PUT", query, bodyBytes: chunk, headers: { "content-range": range } }),
            finish,
          );
        let offset = 0;
        for (let turn = 0; offset < content.length; turn++) {
          const end = Math.min(content.length, offset + (steps[turn % steps.length] ?? 1));
          const last = end === content.length;
          const range = `bytes ${offset}-${end - 1}/${last || lengthKnown ? content.length : "*"}`;
          const answer = await put(content.subarray(offset, end), range);
          // A client that lost the answer sends the chunk again.
          const again = await put(content.subarray(offset, end), range);
          assert.deepEqual(again, answer);
          assert.equal(answer.status ?? 200, last ? 200 : 308);
          if (!last) assert.equal(answer.headers?.range, `bytes=0-${end - 1}`);
          offset = end;
        }
        assert.equal(finished.length, 1);
        assert.deepEqual(finished[0]?.bytes, new Uint8Array(content));
        assert.equal(finished[0]?.contentType, "image/png");
        assert.deepEqual(finished[0]?.metadata, { name: "n" });
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("media: gaps, malformed ranges and lost sessions are refused", async () => {
  const sessions = new UploadSessions();
  const finish = () => ({ body: {} });
  const begun = await receiveUpload(sessions, callOf({ query: "uploadType=resumable" }), finish);
  const query = new URL(begun.headers?.location ?? "").search.slice(1);
  const put = (range: string) =>
    receiveUpload(
      sessions,
      callOf({ method: "PUT", query, bodyBytes: bytes("x"), headers: { "content-range": range } }),
      finish,
    );
  await assert.rejects(put("bytes 5-5/10"), EmulatedError);
  await assert.rejects(put("chunks 1 of 2"), EmulatedError);
  sessions.loseAll();
  await assert.rejects(
    put("bytes 0-0/10"),
    (error) => error instanceof EmulatedError && error.status === 404,
  );
  await assert.rejects(
    receiveUpload(sessions, callOf({ query: "uploadType=carrier-pigeon" }), finish),
    EmulatedError,
  );
  await assert.rejects(
    receiveUpload(
      sessions,
      callOf({
        query: "uploadType=multipart",
        headers: { "content-type": "multipart/related; boundary=b" },
        bodyBytes: bytes("--b\r\n\r\n{}\r\n--b--"),
      }),
      finish,
    ),
    EmulatedError,
  );
});

Deno.test("media: X-Goog-Upload sessions start, answer queries, and finish", async () => {
  const sessions = new UploadSessions();
  const finish = (media: UploadedMedia) => ({
    body: { text: new TextDecoder().decode(media.bytes) },
  });
  const send = (command: string, extra: Record<string, string> = {}, query = "", body = "") =>
    receiveUpload(
      sessions,
      callOf({
        query,
        bodyBytes: bytes(body),
        headers: { "x-goog-upload-command": command, ...extra },
      }),
      finish,
    );
  const begun = await send("start", { "x-goog-upload-protocol": "resumable" });
  const query = new URL(begun.headers?.["x-goog-upload-url"] ?? "").search.slice(1);
  await send("upload", { "x-goog-upload-offset": "0" }, query, "hello ");
  assert.equal((await send("query", {}, query)).headers?.["x-goog-upload-size-received"], "6");
  await assert.rejects(send("upload", { "x-goog-upload-offset": "2" }, query, "x"), EmulatedError);
  const done = await send("upload, finalize", { "x-goog-upload-offset": "6" }, query, "world");
  assert.deepEqual(done.body, { text: "hello world" });
  assert.equal(done.headers?.["x-goog-upload-status"], "final");
});
