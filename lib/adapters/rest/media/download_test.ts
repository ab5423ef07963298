import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  call,
  type DriveFile,
  type MediaFixture,
  namesIn,
  noise,
  objectOf,
  openMedia,
  plant,
  refusal,
} from "./testdata/media_fixture.ts";
import { systemClock } from "../../../clock/mod.ts";
import type { MediaRequest } from "../../../dispatch/types.ts";

type Download = MediaRequest & { kind: "download" };

const BYTES_PATH = "/drive/v3/files/*";

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function get(file: Pick<DriveFile, "id">, media: Omit<Download, "kind">) {
  return call("drive.files.get", {
    args: { fileId: file.id },
    media: { kind: "download", ...media },
  });
}

async function folder(world: MediaFixture, name = "out"): Promise<string> {
  const path = `${world.home}/${name}`;
  await Deno.mkdir(path);
  return path;
}

Deno.test("TestMediaDownload: bytes land under the target, private, with size and hash", async () => {
  await using world = await openMedia();
  const bytes = noise(300_000);
  const file = await plant(world, { name: "noise.bin", bytes });
  const out = await folder(world);
  const target = `${out}/mine.bin`;
  const answer = await world.kernel.dispatch(get(file, { target }));
  assert.deepEqual(objectOf(answer), {
    path: target,
    name: "mine.bin",
    content_type: "application/octet-stream",
    size_bytes: 300_000,
    sha256: sha256(bytes),
    resumed: 0,
  });
  assert.deepEqual(await Deno.readFile(target), bytes);
  assert.deepEqual(namesIn(out), ["mine.bin"]);
  if (Deno.build.os !== "windows") {
    assert.equal(((await Deno.stat(target)).mode ?? 0) & 0o777, 0o600);
  }
  const [request] = world.emulator.journal;
  assert.deepEqual(request?.query.alt, ["media"]);
  assert.equal(request?.query.fields, undefined, "no mask travels with bytes");
  assert.equal(request?.headers["accept-encoding"], "identity");
  assert.equal(answer.expression?._unsupported_capabilities, undefined);
});

Deno.test("TestMediaDownload: audited with size and hash, never cached, no artifact", async () => {
  await using world = await openMedia({ settings: { teeMode: "always" } });
  const bytes = noise(1000);
  const file = await plant(world, { name: "a.bin", bytes });
  const out = await folder(world);
  for (const name of ["1", "2"]) {
    const answer = await world.kernel.dispatch(get(file, { target: `${out}/${name}` }));
    assert.equal(answer.fullResultPath, undefined);
  }
  assert.equal(world.emulator.journal.length, 2, "the second call asked again");
  assert.deepEqual(
    world.audit.map((row) => [row.op_id, row.media_bytes, row.media_sha256]),
    Array(2).fill(["drive.files.get", 1000, sha256(bytes)]),
  );
  assert.equal(world.deps.cache.stats().entries ?? 0, 0);
});

Deno.test("TestMediaDownload: an existing file stays unless told otherwise, and nothing is asked", async () => {
  await using world = await openMedia();
  const file = await plant(world, { name: "a.bin", bytes: noise(10) });
  const target = `${await folder(world)}/a.bin`;
  await Deno.writeTextFile(target, "precious");
  const error = await refusal(world, get(file, { target }));
  assert.deepEqual([error.code, error.details.reason], ["INVALID_ARGS", "target_exists"]);
  assert.match(error.toEnvelope().suggestion as string, /--overwrite/);
  assert.equal(world.emulator.journal.length, 0);
  assert.equal(await Deno.readTextFile(target), "precious");
  await world.kernel.dispatch(get(file, { target, overwrite: true }));
  assert.deepEqual(await Deno.readFile(target), noise(10));
});

Deno.test("TestMediaDownload: a file that appears meanwhile is not replaced", async () => {
  await using world = await openMedia();
  const file = await plant(world, { name: "a.bin", bytes: noise(10) });
  const out = await folder(world);
  const target = `${out}/a.bin`;
  const error = await refusal(
    world,
    get(file, {
      target,
      onProgress: () => Deno.writeTextFileSync(target, "came first"),
    }),
  );
  assert.equal(error.details.reason, "target_exists");
  assert.equal(await Deno.readTextFile(target), "came first");
  assert.deepEqual(namesIn(out), ["a.bin"]);
});

Deno.test("TestMediaDownload: in a directory the file keeps its name, whatever the name tries", async () => {
  await using world = await openMedia();
  const names: [string, string][] = [
    ["Quarterly plan.pdf", "Quarterly plan.pdf"],
    ["../../etc/passwd", "_.._etc_passwd"],
    ["..\\..\\evil.exe", "_.._evil.exe"],
    [".bashrc", "bashrc"],
    ["naïve – Übersicht.txt", "naïve – Übersicht.txt"],
    ["gpj\u202etxt.exe", "gpj_txt.exe"],
    ["a\u0000b\nc", "a_b_c"],
    ["nul.txt", "_nul.txt"],
    ["/", "_"],
  ];
  for (const [index, [name, expected]] of names.entries()) {
    const file = await plant(world, { name, bytes: noise(5) });
    const out = await folder(world, `out${index}`);
    const answer = objectOf(await world.kernel.dispatch(get(file, { target: out })));
    assert.deepEqual(namesIn(out), [expected]);
    assert.deepEqual([answer.path, answer.name], [`${out}/${expected}`, expected]);
  }
});

Deno.test("TestMediaDownload: broken streams go on where they broke, at most five times", async () => {
  await using world = await openMedia();
  const bytes = noise(100_000);
  const file = await plant(world, { name: "a.bin", bytes });
  const out = await folder(world);
  world.emulator.addFault({
    times: 5,
    match: { path: BYTES_PATH },
    effect: { kind: "drop_mid_body", afterBytes: 7_000 },
  });
  const answer = objectOf(await world.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.deepEqual([answer.resumed, answer.sha256], [5, sha256(bytes)]);
  assert.deepEqual(await Deno.readFile(`${out}/a`), bytes);
  const asked = world.emulator.journal.map((entry) => entry.headers.range);
  assert.deepEqual(
    asked,
    [undefined, "bytes=7000-", "bytes=14000-", "bytes=21000-", "bytes=28000-", "bytes=35000-"],
  );
  const tags = new Set(world.emulator.journal.slice(1).map((entry) => entry.headers["if-range"]));
  assert.equal(tags.size, 1);
  assert.match([...tags][0] ?? "", /^"/);

  world.emulator.clearJournal();
  world.emulator.addFault({
    times: 6,
    match: { path: BYTES_PATH },
    effect: { kind: "drop_mid_body", afterBytes: 7_000 },
  });
  const error = await refusal(world, get(file, { target: `${out}/b` }));
  assert.deepEqual([error.code, error.details.reason], ["SERVICE_DOWN", "truncated_body"]);
  assert.equal(world.emulator.journal.length, 6);
  assert.deepEqual(namesIn(out), ["a"], "nothing is left of the failed one");
});

Deno.test("TestMediaDownload: a file that changed under way starts from zero", async () => {
  await using world = await openMedia();
  const file = await plant(world, { name: "a.bin", bytes: noise(50_000, 1) });
  const out = await folder(world);
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "drop_mid_body", afterBytes: 20_000 },
  });
  const later = noise(60_000, 2);
  let changed = false;
  const changing = {
    ...world.clock,
    // The pause before the second request is when somebody else saves the file.
    async sleep(ms: number, signal?: AbortSignal) {
      await world.clock.sleep(ms, signal);
      if (changed) return;
      changed = true;
      await replace(world, file, later);
    },
  };
  await using second = await openMedia({ share: world, clock: changing });
  const answer = objectOf(await second.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.deepEqual([answer.size_bytes, answer.sha256, answer.resumed], [60_000, sha256(later), 1]);
  assert.deepEqual(await Deno.readFile(`${out}/a`), later);
});

async function replace(
  world: MediaFixture,
  file: DriveFile,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const response = await fetch(
    world.emulator.rewrite(
      new URL(`https://www.googleapis.com/upload/drive/v3/files/${file.id}?uploadType=media`),
    ),
    {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${world.emulator.credentials.bearer}`,
        "content-type": file.mimeType,
      },
      body: bytes,
    },
  );
  await response.body?.cancel();
  assert.equal(response.status, 200);
}

Deno.test("TestMediaDownload: a silent line is broken off and resumed", async () => {
  await using world = await openMedia({ media: { stallMs: 150 } });
  const bytes = noise(40_000);
  const file = await plant(world, { name: "a.bin", bytes });
  const out = await folder(world);
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "slow_body", bytesPerTick: 10_000, tickMs: 20_000 },
  });
  const answer = objectOf(await world.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.deepEqual([answer.resumed, answer.sha256], [1, sha256(bytes)]);
  assert.equal(world.emulator.journal[1]?.headers.range, "bytes=10000-");
});

Deno.test("TestMediaDownload: a slow line that never falls silent may take its time", async () => {
  await using world = await openMedia({
    media: { stallMs: 250 },
    clock: { ...systemClock, advance() {} },
  });
  const bytes = noise(10_000);
  const file = await plant(world, { name: "a.bin", bytes });
  const out = await folder(world);
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "slow_body", bytesPerTick: 1000, tickMs: 50 },
  });
  const startedAt = performance.now();
  const answer = objectOf(await world.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.ok(performance.now() - startedAt > 400, "longer in all than one silence may be");
  assert.deepEqual([answer.resumed, answer.sha256], [0, sha256(bytes)]);
});

Deno.test("TestMediaDownload: bytes that do not match the checksum are never renamed into place", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const file = await plant(world, { name: "a.bin", bytes: noise(1000) });
  for (const hash of ["md5=1B2M2Y8AsgTpgAmY7PhCfg==", "crc32c=AAAAAA=="]) {
    world.emulator.addFault({
      match: { path: BYTES_PATH },
      effect: {
        kind: "status",
        status: 200,
        body: "not what was stored",
        contentType: "application/octet-stream",
        headers: { "x-goog-hash": hash, etag: '"x"' },
      },
    });
    const error = await refusal(world, get(file, { target: `${out}/a` }));
    assert.deepEqual([error.code, error.details.reason, error.details.checksum], [
      "SERVICE_DOWN",
      "checksum_mismatch",
      hash.split("=")[0],
    ]);
    assert.deepEqual(namesIn(out), []);
  }
});

Deno.test("TestMediaDownload: a true crc32c alone is enough", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const file = await plant(world, { name: "a.bin", bytes: noise(1000) });
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: {
      kind: "status",
      status: 200,
      body: "123456789",
      contentType: "text/plain",
      headers: { "x-goog-hash": "crc32c=4waSgw==" },
    },
  });
  const answer = objectOf(await world.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.equal(answer.size_bytes, 9);
});

Deno.test("TestMediaDownload: without a checksum in the answer Drive's metadata is asked", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const file = await plant(world, { name: "report.txt", bytes: noise(1000) });
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "status", status: 200, body: "damaged", contentType: "text/plain" },
  });
  const error = await refusal(world, get(file, { target: `${out}/a` }));
  assert.equal(error.details.reason, "checksum_mismatch");
  assert.deepEqual(namesIn(out), []);
  assert.deepEqual(
    world.emulator.journal.map((entry) => entry.query.fields?.[0]),
    [undefined, "name,mimeType,md5Checksum,sha256Checksum"],
  );
});

Deno.test("TestMediaDownload: what declares more than the cap is refused before a byte is read", async () => {
  const cap = 2 ** 20;
  await using world = await openMedia({ media: { maxDownloadBytes: cap } });
  const out = await folder(world);
  const file = await plant(world, { name: "a.bin", bytes: noise(10) });
  const large = (bytes: number) =>
    world.emulator.addFault({ match: { path: BYTES_PATH }, effect: { kind: "large_body", bytes } });
  large(cap + 1);
  const error = await refusal(world, get(file, { target: `${out}/a` }));
  assert.deepEqual([error.code, error.details.cap_bytes, error.details.size_bytes], [
    "RESPONSE_TOO_LARGE",
    cap,
    cap + 1,
  ]);
  assert.match(error.toEnvelope().suggestion as string, /media\.max_download_bytes/);
  assert.deepEqual(namesIn(out), []);
  world.emulator.addFault({ match: { path: BYTES_PATH }, effect: { kind: "endless_body" } });
  const endless = await refusal(world, get(file, { target: `${out}/a` }));
  assert.deepEqual([endless.code, namesIn(out)], ["RESPONSE_TOO_LARGE", []]);
});

Deno.test("TestMediaDownload: exactly as much as allowed is allowed", async () => {
  await using world = await openMedia({ media: { maxDownloadBytes: 1000 } });
  const out = await folder(world);
  const file = await plant(world, { name: "a.bin", bytes: noise(1000) });
  const answer = objectOf(await world.kernel.dispatch(get(file, { target: `${out}/a` })));
  assert.equal(answer.size_bytes, 1000);
  const { MAX_DOWNLOAD_BYTES } = await import("./download.ts");
  assert.equal(MAX_DOWNLOAD_BYTES, 2_147_483_648);
});

Deno.test("TestMediaDownload: a sink gets the bytes, and the answer their summary", async () => {
  await using world = await openMedia();
  const bytes = noise(30_000);
  const file = await plant(world, { name: "a.bin", bytes });
  const got: Uint8Array[] = [];
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "drop_mid_body", afterBytes: 10_000 },
  });
  const answer = objectOf(
    await world.kernel.dispatch(
      get(file, { target: "-", sink: (piece) => void got.push(piece.slice()) }),
    ),
  );
  assert.equal(
    sha256(new Uint8Array(await new Blob(got as BlobPart[]).arrayBuffer())),
    sha256(bytes),
  );
  assert.deepEqual([answer.path, answer.name, answer.resumed], ["-", "a.bin", 1]);
});

Deno.test("TestMediaDownload: a caller who gives up leaves nothing behind, at once", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const file = await plant(world, { name: "a.bin", bytes: noise(50_000) });
  world.emulator.addFault({
    match: { path: BYTES_PATH },
    effect: { kind: "slow_body", bytesPerTick: 10_000, tickMs: 10_000 },
  });
  const controller = new AbortController();
  const error = await refusal(
    world,
    get(file, {
      target: `${out}/a`,
      onProgress() {
        assert.deepEqual(namesIn(out), ["a.part"]);
        controller.abort();
      },
    }),
    controller.signal,
  );
  assert.equal(error.code, "CANCELLED");
  assert.deepEqual(namesIn(out), []);
  const deadline = performance.now() + 5000;
  while (!world.emulator.journal[0]?.clientAborted && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(world.emulator.journal[0]?.clientAborted);
});

Deno.test("TestMediaDownload: two at once for one target do not mix; a dead one's rest is cleared", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const target = `${out}/a`;
  const file = await plant(world, { name: "a.bin", bytes: noise(50_000) });
  await Deno.writeTextFile(`${target}.part`, "left by a process that was killed");
  let inner: Promise<unknown> | undefined;
  await world.kernel.dispatch(get(file, {
    target,
    onProgress() {
      inner ??= refusal(world, get(file, { target }));
    },
  }));
  const other = await inner as Awaited<ReturnType<typeof refusal>>;
  assert.match(`${other.details.reason}`, /download_in_progress|target_exists/);
  assert.deepEqual(await Deno.readFile(target), noise(50_000));
  assert.deepEqual(namesIn(out), ["a"]);
});

Deno.test("TestMediaDownload: unusable targets are refused before anything is sent", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  await Deno.mkdir(`${out}/sub`);
  const cases: [string, string][] = [
    [`${out}/missing/a`, "no_such_directory"],
    [`${out}/missing/`, "no_such_directory"],
    ["-", "no_sink"],
  ];
  for (const [target, reason] of cases) {
    const error = await refusal(world, get({ id: "x" }, { target }));
    assert.deepEqual([error.code, error.details.reason], ["INVALID_ARGS", reason]);
  }
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestMediaDownload: only variants that declare it, and only reads", async () => {
  await using world = await openMedia();
  const media = { kind: "download", target: `${world.home}/x` } as const;
  const none = await refusal(world, call("drive.files.list", { media }));
  assert.deepEqual([none.code, none.details.unsupported_capabilities], [
    "UNSUPPORTED_CAPABILITY",
    ["media_download"],
  ]);
  const write = await refusal(
    world,
    call("drive.files.create", { media, allowWrite: true, args: { name: "x" } }),
  );
  assert.equal(write.code, "UNSUPPORTED_CAPABILITY");
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestMediaDownload: an export is downloaded the same way", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const listed = objectOf(
    await world.kernel.dispatch(
      call("drive.files.list", {
        args: { q: "mimeType = 'application/vnd.google-apps.document'", pageSize: 1 },
      }),
    ),
  );
  const [document] = listed.files as { id: string; name: string }[];
  assert.ok(document);
  const answer = objectOf(
    await world.kernel.dispatch(
      call("drive.files.export", {
        args: { fileId: document.id, mimeType: "text/plain" },
        media: { kind: "download", target: out },
      }),
    ),
  );
  assert.equal(answer.content_type, "text/plain");
  assert.ok(Number(answer.size_bytes) > 0);
  assert.equal(namesIn(out).length, 1);
});

Deno.test("TestDriveExport: a Google document asked for its bytes explains the export", async () => {
  await using world = await openMedia();
  const file = await native(world, "document");
  const out = await folder(world);
  const error = await refusal(world, get(file, { target: out }));
  assert.deepEqual([error.code, error.details.use_op_id, error.details.http_status], [
    "UPSTREAM_REJECTED",
    "drive.files.export",
    403,
  ]);
  assert.match(error.toEnvelope().suggestion as string, /drive\.files\.export/);
  assert.deepEqual(namesIn(out), []);
});

Deno.test("TestDriveExport: without a type the kind of the file decides", async () => {
  await using world = await openMedia();
  const kinds = {
    document: "text/markdown",
    spreadsheet: "text/csv",
    presentation: "application/pdf",
  };
  for (const [kind, type] of Object.entries(kinds)) {
    const file = await native(world, kind);
    const out = await folder(world, kind);
    const answer = objectOf(
      await world.kernel.dispatch(
        call("drive.files.export", {
          args: { fileId: file.id, mimeType: "auto" },
          media: { kind: "download", target: out },
        }),
      ),
    );
    assert.equal(answer.content_type, type);
  }
  const file = await native(world, "document");
  world.emulator.addFault({
    match: { path: `/drive/v3/files/${file.id}` },
    effect: { kind: "status", status: 403 },
  });
  const guessed = await world.kernel.dispatch(
    call("drive.files.export", {
      args: { fileId: file.id, mimeType: "auto" },
      media: { kind: "download", target: await folder(world, "guessed") },
    }),
  );
  assert.equal(objectOf(guessed).content_type, "application/pdf");
  assert.match(guessed.validationWarnings.join(), /kind of the file could not be read/);
});

async function native(world: MediaFixture, kind: string): Promise<{ id: string; name: string }> {
  const listed = objectOf(
    await world.kernel.dispatch(
      call("drive.files.list", {
        args: { q: `mimeType = 'application/vnd.google-apps.${kind}'`, pageSize: 1 },
      }),
    ),
  );
  const [file] = listed.files as { id: string; name: string }[];
  assert.ok(file);
  return file;
}

Deno.test("TestMediaDownload: a field of base64url becomes a file", async () => {
  await using world = await openMedia();
  const out = await folder(world);
  const bytes = noise(100_000);
  const path = "/gmail/v1/users/me/messages/m1/attachments/a1";
  const respond = (data: unknown) =>
    world.emulator.addFault({
      match: { path },
      effect: {
        kind: "non_json",
        body: JSON.stringify({ size: 1, deep: [{ data }] }),
        contentType: "application/json",
      },
    });
  const attachment = (target: string, decodeField: string) =>
    call("gmail.users.messages.attachments.get", {
      args: { userId: "me", messageId: "m1", id: "a1" },
      media: { kind: "download", target, decodeField },
    });
  for (
    const text of [bytes.toBase64({ alphabet: "base64url", omitPadding: true }), bytes.toBase64()]
  ) {
    respond(text);
    const answer = objectOf(
      await world.kernel.dispatch({
        ...attachment(out, "deep.0.data"),
        args: { userId: "me", messageId: "m1", id: "a1" },
        media: { kind: "download", target: out, overwrite: true, decodeField: "deep.0.data" },
      }),
    );
    assert.deepEqual([answer.path, answer.sha256, answer.size_bytes], [
      `${out}/a1`,
      sha256(bytes),
      100_000,
    ]);
    assert.deepEqual(await Deno.readFile(`${out}/a1`), bytes);
  }
  for (
    const [data, field] of [["!!", "deep.0.data"], [5, "deep.0.data"], ["eA", "nowhere"]] as const
  ) {
    respond(data);
    const error = await refusal(world, attachment(`${out}/b`, field));
    assert.deepEqual([error.code, error.details.field], ["INVALID_ARGS", "decode"]);
  }
  assert.deepEqual(namesIn(out), ["a1"]);
});

Deno.test("TestMediaPath: clients other than the command line stay in their directories", async () => {
  await using world = await openMedia();
  const open = await folder(world, "open");
  const closed = await folder(world, "closed");
  await Deno.symlink(closed, `${open}/door`);
  await Deno.symlink(`${closed}/new`, `${open}/dangling`);
  const file = await plant(world, { name: "../a.bin", bytes: noise(10) });
  const mediaDirs = [open];
  await using inside = await openMedia({ share: world, settings: { mediaDirs } });
  const denied = [
    `${closed}/a`,
    `${open}/../closed/a`,
    `${open}/door/a`,
    `${open}/door`,
    `${open}/dangling`,
    `${open}-sibling`,
    "relative",
    "-",
    "",
  ];
  for (const target of denied) {
    const error = await refusal(inside, { ...get(file, { target }), caller: "mcp" });
    assert.deepEqual([error.code, error.details.reason], [
      "POLICY_DENIED",
      "download_path_not_allowed",
    ], target);
  }
  assert.equal(world.emulator.journal.length, 0);
  for (const target of [`${open}/a`, open]) {
    await inside.kernel.dispatch({ ...get(file, { target }), caller: "mcp" });
  }
  assert.deepEqual(namesIn(open), ["_a.bin", "a", "dangling", "door"]);
  const roots = { ...get(file, { target: `${closed}/b` }), caller: "mcp" as const };
  await inside.kernel.dispatch({ ...roots, mediaRoots: [closed] });
  await inside.kernel.dispatch({
    ...get(file, { target: `${closed}/c` }),
    caller: "mcp",
    projectRootPath: closed,
  });
  assert.deepEqual(namesIn(closed), ["b", "c"]);
});

Deno.test("TestMediaInline: bytes nobody gave a target for are summed up, not shaped away", async () => {
  await using world = await openMedia();
  const text = await plant(world, {
    name: "t.txt",
    bytes: new TextEncoder().encode("Grüße"),
    mimeType: "text/plain",
  });
  const inline = (file: DriveFile) =>
    world.kernel.dispatch(call("drive.files.get", { args: { fileId: file.id, alt: "media" } }));
  const small = objectOf(await inline(text));
  assert.deepEqual([small.text, small.content_type, small.suggestion], [
    "Grüße",
    "text/plain",
    undefined,
  ]);
  const binary = await plant(world, { name: "b.bin", bytes: noise(100) });
  const large = objectOf(await inline(binary));
  assert.deepEqual([large.text, large.size_bytes, large.sha256], [
    undefined,
    100,
    sha256(noise(100)),
  ]);
  assert.match(`${large.suggestion}`, /--download/);
});

Deno.test("TestMediaDownload: bytes given out once are not given out again after a renewed login", async () => {
  await using world = await openMedia();
  const bytes = noise(300_000);
  const file = await plant(world, { name: "a.bin", bytes });
  world.deps.auth.refresh = (request, signal) => world.deps.auth.resolve(request, signal);
  const path = `/drive/v3/files/${file.id}`;
  const breakOff = () => {
    world.emulator.addFault({
      match: { path },
      effect: { kind: "drop_mid_body", afterBytes: 1000 },
    });
    world.emulator.addFault({ match: { path }, effect: { kind: "status", status: 401 } });
  };
  breakOff();
  const pieces: Uint8Array[] = [];
  const error = await refusal(
    world,
    call("drive.files.get", {
      args: { fileId: file.id },
      media: { kind: "download", target: "-", sink: (piece) => void pieces.push(piece) },
    }),
  );
  assert.deepEqual([error.code, error.details.reason], ["SERVICE_DOWN", "truncated_body"]);
  const given = new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  assert.deepEqual(given, bytes.subarray(0, given.length));
  breakOff();
  const target = `${world.home}/a.bin`;
  await world.kernel.dispatch(
    call("drive.files.get", {
      args: { fileId: file.id },
      media: { kind: "download", target },
    }),
  );
  assert.deepEqual(await Deno.readFile(target), bytes);
});
