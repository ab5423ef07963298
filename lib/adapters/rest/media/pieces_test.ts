import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { contentTypeOfName, extensionOfType, typeAccepted } from "./content_types.ts";
import { checksumsOf, streamDigest } from "./digest.ts";
import { dispositionName, safeFileName } from "./file_name.ts";
import { fileSource, streamSource, type UploadSource } from "./upload_source.ts";

Deno.test("TestMediaFileName: whatever a name tries, it is one harmless component", () => {
  fc.assert(fc.property(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(fc.constantFrom("..", "/", "\\", ".", "a", " ", "\u202e", "\0", "CON", ":", "ü"), {
        maxLength: 40,
      }).map((parts) => parts.join("")),
    ),
    (given) => {
      const name = safeFileName(given);
      assert.ok(name.length > 0 && new TextEncoder().encode(name).length <= 200);
      assert.ok(!/[/\\\0]/.test(name));
      assert.ok(!name.startsWith("."));
      assert.ok(!/[. ]$/.test(name), JSON.stringify(name));
      assert.equal(
        new URL(`file:///base/${encodeURIComponent(name)}`).pathname.split("/").length,
        3,
      );
      assert.equal(safeFileName(name), name, "a safe name is kept");
    },
  ));
  assert.equal(safeFileName("..."), "download");
  assert.ok(safeFileName(`${"ü".repeat(300)}.tar`).endsWith(".tar"));
});

Deno.test("TestMediaFileName: both forms of Content-Disposition are read", () => {
  const cases: [string | null, string | undefined][] = [
    [null, undefined],
    ["attachment", undefined],
    ['attachment; filename="a b.txt"', "a b.txt"],
    ["attachment; filename=plain.txt; size=3", "plain.txt"],
    ['attachment; filename="say \\"hi\\".txt"', 'say "hi".txt'],
    ["attachment; filename=\"x\"; filename*=UTF-8''%C3%BCber.txt", "über.txt"],
    ["attachment; filename=\"x.txt\"; filename*=UTF-8''%E0%A4", "x.txt"],
  ];
  for (const [header, name] of cases) assert.equal(dispositionName(header), name, `${header}`);
});

Deno.test("TestMediaTypes: names give types, types give endings, patterns accept", () => {
  assert.equal(contentTypeOfName("A.PDF"), "application/pdf");
  assert.equal(contentTypeOfName("no ending"), undefined);
  assert.equal(contentTypeOfName("x.constructor"), undefined);
  assert.equal(extensionOfType("text/csv; charset=utf-8"), ".csv");
  assert.equal(extensionOfType("x/y"), "");
  assert.ok(typeAccepted("image/png", ["image/*"]) && typeAccepted("a/b", ["*/*"]));
  assert.ok(typeAccepted("a/b") && typeAccepted("Message/RFC822; x=1", ["message/rfc822"]));
  assert.ok(!typeAccepted("imagery/png", ["image/*"]) && !typeAccepted("a/b", ["a/c"]));
});

Deno.test("TestMediaDigest: pieces give the digest of the whole", () => {
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (pieces) => {
    const digest = streamDigest({ md5: true });
    const whole = createHash("md5");
    for (const piece of pieces) {
      digest.update(piece);
      whole.update(piece);
    }
    assert.equal(digest.md5(), whole.digest("hex"));
  }));
  const digest = streamDigest({ crc32c: true });
  for (const part of ["1234", "", "56789"]) digest.update(new TextEncoder().encode(part));
  assert.equal(digest.crc32c(), "4waSgw==");
  const headers = new Headers({ "x-goog-hash": "crc32c=4waSgw==, md5=1B2M2Y8AsgTpgAmY7PhCfg==" });
  assert.deepEqual(checksumsOf(headers), {
    crc32c: "4waSgw==",
    md5: "d41d8cd98f00b204e9800998ecf8427e",
  });
  assert.deepEqual(checksumsOf(new Headers({ "x-goog-hash": "md5=!!" })), { md5: undefined });
});

/** Sends like a service that sometimes keeps only part of a chunk. */
async function drain(source: UploadSource, kept: number[]): Promise<Uint8Array> {
  const whole: number[] = [];
  for (let round = 0;; round++) {
    const chunk = await source.chunkAt(whole.length);
    assert.ok(chunk);
    assert.equal(chunk.offset, whole.length);
    const share = chunk.last ? 1 : (kept[round % kept.length] ?? 1);
    whole.push(...chunk.bytes.subarray(0, Math.ceil(chunk.bytes.length * share)));
    if (chunk.last) return Uint8Array.from(whole);
  }
}

Deno.test("TestMediaSource: files and streams give every byte once, however chunks are kept", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 32 }),
        fc.array(fc.constantFrom(0.3, 0.5, 1), { minLength: 1, maxLength: 5 }),
        async (pieces, chunkBytes, kept) => {
          const whole = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
          await using stream = streamSource(
            (async function* () {
              await Promise.resolve();
              yield* pieces;
            })(),
            { chunkBytes },
          );
          assert.deepEqual(await drain(stream, kept), whole);
          assert.equal(stream.size, whole.length);
          await Deno.writeFile(`${directory}/f`, whole);
          await using file = await fileSource(`${directory}/f`, { size: whole.length, chunkBytes });
          assert.deepEqual(await drain(file, kept), whole);
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("TestMediaSource: a stream goes back within its chunk and no further", async () => {
  await using source = streamSource(
    (async function* () {
      await Promise.resolve();
      yield Uint8Array.from({ length: 10 }, (_, index) => index);
    })(),
    { chunkBytes: 4 },
  );
  await source.chunkAt(0);
  assert.deepEqual([...(await source.chunkAt(4))?.bytes ?? []], [4, 5, 6, 7]);
  assert.deepEqual([...(await source.chunkAt(4))?.bytes ?? []], [4, 5, 6, 7]);
  assert.equal(await source.chunkAt(0), undefined);
  assert.equal(await source.chunkAt(9), undefined);
});
