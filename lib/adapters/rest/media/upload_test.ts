import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { MediaRequest } from "../../../dispatch/types.ts";
import { isJsonObject, type JsonObject } from "../../../json/mod.ts";
import {
  call,
  type MediaFixture,
  namesIn,
  noise,
  objectOf,
  openMedia,
  plant,
  refusal,
} from "./testdata/media_fixture.ts";
import { multipartBody } from "./upload.ts";

const UNIT = 256 * 1024;
const MULTIPART = "/upload/drive/v3/files";
const SESSION = "/resumable/upload/drive/v3/files";
const LARGE = 5 * 1024 * 1024 + 12_345;

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

function create(media: Omit<MediaRequest & { kind: "upload" }, "kind">, args: JsonObject = {}) {
  return call("drive.files.create", {
    args: { fields: "id,name,mimeType,size,sha256Checksum", ...args },
    allowWrite: true,
    media: { kind: "upload", ...media },
  });
}

async function source(world: MediaFixture, name: string, bytes: Uint8Array): Promise<string> {
  const path = `${world.home}/${name}`;
  await Deno.writeFile(path, bytes);
  return path;
}

function puts(world: MediaFixture): string[] {
  return world.emulator.journal.filter((entry) => entry.method === "PUT")
    .map((entry) => entry.headers["content-range"] ?? "");
}

/** Opening a session or, for a small file, the whole upload. */
function posts(world: MediaFixture) {
  return world.emulator.journal.filter((entry) => entry.method === "POST");
}

Deno.test("TestMediaUpload: a small file goes out as one multipart request with its metadata", async () => {
  await using world = await openMedia();
  const bytes = noise(200_000);
  const path = await source(world, "plan.pdf", bytes);
  const answer = objectOf(
    await world.kernel.dispatch(
      create({ source: path }, { name: "Plan 2026.pdf", parents: ["root"] }),
    ),
  );
  assert.deepEqual([answer.name, answer.mimeType, answer.size, answer.sha256Checksum], [
    "Plan 2026.pdf",
    "application/pdf",
    "200000",
    sha256(bytes),
  ]);
  assert.deepEqual(
    world.emulator.journal.map((entry) => [entry.method, entry.path, entry.query.uploadType?.[0]]),
    [["POST", MULTIPART, "multipart"]],
  );
  assert.match(
    posts(world)[0]?.headers["content-type"] ?? "",
    /^multipart\/related; boundary=gum-/,
  );
  assert.deepEqual(Object.keys(posts(world)[0]?.query ?? {}).sort(), [
    "fields",
    "supportsAllDrives",
    "uploadType",
  ]);
  const [row] = world.audit;
  assert.deepEqual([row?.media_bytes, row?.media_sha256], [200_000, sha256(bytes)]);
});

Deno.test("TestMediaUpload: a new file is named after its source unless told otherwise", async () => {
  await using world = await openMedia();
  const path = await source(world, "notes.md", new TextEncoder().encode("# Hi"));
  const named = objectOf(await world.kernel.dispatch(create({ source: path })));
  assert.deepEqual([named.name, named.mimeType], ["notes.md", "text/markdown"]);
  const own = objectOf(
    await world.kernel.dispatch(
      create({ source: path, contentType: "text/x-own" }, { body: { name: "Own" } }),
    ),
  );
  assert.deepEqual([own.name, own.mimeType], ["Own", "text/x-own"]);
});

Deno.test("TestMediaUpload: an empty file is a file", async () => {
  await using world = await openMedia();
  const path = await source(world, "empty.txt", new Uint8Array());
  const answer = objectOf(await world.kernel.dispatch(create({ source: path })));
  assert.deepEqual([answer.size, answer.name], ["0", "empty.txt"]);
  const streamed = objectOf(
    await world.kernel.dispatch(
      create({ source: "-", input: piecesOf(new Uint8Array(), 1) }, { name: "empty stream" }),
    ),
  );
  assert.equal(streamed.size, "0");
});

Deno.test("TestMediaUpload: no content ever holds the boundary", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), fc.string(), (bytes, name) => {
    const { body, boundary } = multipartBody({ metadata: { name }, contentType: "a/b" }, bytes);
    const text = new TextDecoder("latin1").decode(body);
    assert.equal(text.split(`--${boundary}`).length, 4, "two openings, one end");
  }));
});

Deno.test("TestMediaUpload: a large file goes out in chunks of 256 KiB multiples", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "film.mp4", bytes);
  const seen: number[] = [];
  const answer = objectOf(
    await world.kernel.dispatch(
      create({ source: path, onProgress: ({ bytes }) => seen.push(bytes) }, { name: "Film" }),
    ),
  );
  assert.deepEqual([answer.name, answer.size, answer.sha256Checksum], [
    "Film",
    String(LARGE),
    sha256(bytes),
  ]);
  const chunk = 8 * UNIT;
  assert.deepEqual(puts(world), [
    `bytes 0-${chunk - 1}/${LARGE}`,
    `bytes ${chunk}-${2 * chunk - 1}/${LARGE}`,
    `bytes ${2 * chunk}-${LARGE - 1}/${LARGE}`,
  ]);
  const [opening] = posts(world);
  assert.deepEqual(
    [
      opening?.path,
      opening?.query.uploadType,
      opening?.headers["x-upload-content-type"],
      opening?.headers["x-upload-content-length"],
      JSON.parse(opening?.bodyText ?? ""),
    ],
    [SESSION, ["resumable"], "video/mp4", String(LARGE), { name: "Film" }],
  );
  assert.deepEqual(seen, [chunk, 2 * chunk]);
  assert.equal(namesIn(world.uploads).filter((name) => name.endsWith(".json")).length, 0);
  assert.deepEqual(world.audit.map((row) => row.media_sha256), [sha256(bytes)]);
});

Deno.test("TestMediaUpload: more than five MiB is never one request", async () => {
  await using world = await openMedia();
  const atLimit = await source(world, "limit", new Uint8Array(5 * 1024 * 1024));
  await world.kernel.dispatch(create({ source: atLimit }));
  const above = await source(world, "above", new Uint8Array(5 * 1024 * 1024 + 1));
  await world.kernel.dispatch(create({ source: above }));
  assert.deepEqual(posts(world).map((entry) => entry.query.uploadType?.[0]), [
    "multipart",
    "resumable",
  ]);
});

Deno.test("TestMediaUpload: a stream has no size until its end, whatever its pieces", async () => {
  await using world = await openMedia({ media: { chunkBytes: UNIT } });
  for (
    const [size, piece] of [[1, 1], [UNIT - 1, 1000], [UNIT, UNIT], [UNIT + 1, 70_001], [
      2 * UNIT,
      3 * UNIT,
    ]] as const
  ) {
    world.emulator.clearJournal();
    const bytes = noise(size, size);
    const answer = objectOf(
      await world.kernel.dispatch(
        create({ source: "-", input: piecesOf(bytes, piece) }, { name: "s" }),
      ),
    );
    assert.deepEqual([answer.size, answer.sha256Checksum], [String(size), sha256(bytes)]);
    const ranges = puts(world);
    assert.ok(ranges.slice(0, -1).every((range) => range.endsWith("/*")), `${ranges}`);
    assert.ok(ranges.at(-1)?.endsWith(`/${size}`), `${ranges}`);
    assert.equal(ranges.length, Math.ceil(size / UNIT));
    assert.equal(posts(world)[0]?.headers["x-upload-content-length"], undefined);
  }
});

Deno.test("TestMediaUpload: a chunk that failed is asked about, then sent from where it stopped", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  const faults = [
    { kind: "status", status: 503 },
    { kind: "drop_before_headers" },
    { kind: "status", status: 500 },
  ] as const;
  for (const effect of faults) {
    world.emulator.clearJournal();
    world.emulator.addFault({ match: { method: "PUT", path: SESSION }, effect });
    const answer = objectOf(await world.kernel.dispatch(create({ source: path })));
    assert.equal(answer.sha256Checksum, sha256(bytes));
    const [first, ...then] = puts(world);
    assert.equal(first, `bytes 0-${8 * UNIT - 1}/${LARGE}`);
    // On a reused connection that dies, fetch itself may send a chunk again, which is harmless.
    const asked = then[0] === `bytes */${LARGE}`;
    assert.ok(asked || effect.kind === "drop_before_headers");
    assert.equal(then[asked ? 1 : 0], first, effect.kind);
  }
});

Deno.test("TestMediaUpload: a last chunk whose answer was lost is found finished, not sent twice", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  let chunks = 0;
  const invocation = create({
    source: path,
    onProgress() {
      // The third chunk is the last: it arrives, its answer does not.
      if (++chunks !== 2) return;
      world.emulator.addFault({
        match: { method: "PUT", path: SESSION },
        effect: { kind: "drop_mid_body", afterBytes: 1 },
      });
    },
  });
  const answer = objectOf(await world.kernel.dispatch(invocation));
  assert.equal(answer.sha256Checksum, sha256(bytes));
  assert.equal(puts(world).at(-1), `bytes */${LARGE}`);
  assert.equal(puts(world).length, 4);
  const drive = filesNamed(world, "a.bin");
  assert.equal(drive.length, 1);
});

function filesNamed(world: MediaFixture, name: string): JsonObject[] {
  const account = world.emulator.inspect()[world.emulator.account.email];
  const drive = isJsonObject(account) ? account.drive : undefined;
  const files = isJsonObject(drive) && Array.isArray(drive.files) ? drive.files : [];
  return files.filter(isJsonObject).filter((file) => file.name === name);
}

Deno.test("TestMediaUpload: a lost session is replaced once, and only before the last chunk", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  const lose = (status: number) =>
    world.emulator.addFault({
      match: { method: "PUT", path: SESSION },
      effect: { kind: "status", status },
    });
  for (const status of [404, 410]) {
    world.emulator.clearJournal();
    lose(status);
    const answer = objectOf(await world.kernel.dispatch(create({ source: path })));
    assert.equal(answer.sha256Checksum, sha256(bytes));
    assert.equal(posts(world).length, 2);
  }
  world.emulator.clearJournal();
  lose(404);
  lose(404);
  const twice = await refusal(world, create({ source: path }));
  assert.deepEqual([twice.code, twice.details.reason, twice.details.write_outcome], [
    "SERVICE_DOWN",
    "upload_session_lost",
    undefined,
  ]);
  assert.equal(posts(world).length, 2);

  world.emulator.clearJournal();
  let chunks = 0;
  const late = await refusal(
    world,
    create({ source: path, onProgress: () => ++chunks === 2 && lose(410) }),
  );
  assert.deepEqual([late.code, late.details.write_outcome], ["RESOURCE_NOT_FOUND", "unknown"]);
  assert.equal(posts(world).length, 1);
});

Deno.test("TestMediaUpload: an upload that keeps failing says how far it came, and that nothing exists", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  const error = await refusal(
    world,
    create({ source: path, onProgress: () => keepFailing(world) }),
  );
  assert.deepEqual([error.code, error.details.uploaded_bytes, error.details.write_outcome], [
    "SERVICE_DOWN",
    8 * UNIT,
    undefined,
  ]);
  assert.match(error.toEnvelope().suggestion as string, /same call again/);
  assert.equal(filesNamed(world, "a.bin").length, 0);
});

function keepFailing(world: MediaFixture): void {
  world.emulator.addFault({
    times: Infinity,
    match: { method: "PUT", path: SESSION },
    effect: { kind: "status", status: 503 },
  });
}

Deno.test("TestMediaUpload: an identical call of a later process goes on where the first stopped", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  await refusal(world, create({ source: path, onProgress: () => keepFailing(world) }));
  world.emulator.clearFaults();
  const [kept] = namesIn(world.uploads).filter((name) => name.endsWith(".json"));
  assert.ok(kept);
  const file = `${world.uploads}/${kept}`;
  const state = JSON.parse(await Deno.readTextFile(file));
  assert.deepEqual(Object.keys(state).sort(), [
    "args_hash",
    "expires_at",
    "offset",
    "session_uri",
    "sha256",
    "size",
  ]);
  assert.deepEqual([state.sha256, state.size, state.offset, `${state.args_hash}.json`], [
    sha256(bytes),
    LARGE,
    8 * UNIT,
    kept,
  ]);
  assert.equal(
    Date.parse(state.expires_at) - Math.floor(world.clock.now() / 1000) * 1000 <= 7 * 86_400_000,
    true,
  );
  if (Deno.build.os !== "windows") assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);

  world.emulator.clearJournal();
  await using later = await openMedia({ share: world, media: { chunkBytes: 8 * UNIT } });
  const answer = objectOf(await later.kernel.dispatch(create({ source: path })));
  assert.equal(answer.sha256Checksum, sha256(bytes));
  assert.equal(posts(world).length, 0, "no new session");
  assert.deepEqual(puts(world), [
    `bytes */${LARGE}`,
    `bytes ${8 * UNIT}-${16 * UNIT - 1}/${LARGE}`,
    `bytes ${16 * UNIT}-${LARGE - 1}/${LARGE}`,
  ]);
  assert.equal(namesIn(world.uploads).some((name) => name.endsWith(".json")), false);
});

Deno.test("TestMediaUpload: other content, other arguments, another account or a week later start anew", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  await refusal(world, create({ source: path, onProgress: () => keepFailing(world) }));
  world.emulator.clearFaults();
  const sessions = async (invocation: ReturnType<typeof create>, after = 0) => {
    world.emulator.clearJournal();
    await using later = await openMedia({ share: world, media: { chunkBytes: 8 * UNIT } });
    later.clock.advance(after);
    await later.kernel.dispatch(invocation);
    return posts(world).length;
  };
  assert.equal(await sessions(create({ source: path }, { name: "other" })), 1);
  assert.equal(await sessions(create({ source: path }), 7 * 86_400_000 + 5000), 1);
  await refusal(world, create({ source: path, onProgress: () => keepFailing(world) }));
  world.emulator.clearFaults();
  await Deno.writeFile(path, noise(LARGE, 2));
  assert.equal(await sessions(create({ source: path })), 1);
});

Deno.test("TestMediaUpload: a credential that expires under way is renewed, the session goes on", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  let refreshed = 0;
  world.deps.auth.refresh = async (request, signal) => {
    refreshed++;
    return await world.deps.auth.resolve(request, signal);
  };
  const expire = () =>
    world.emulator.addFault({
      match: { method: "PUT", path: SESSION },
      effect: { kind: "status", status: 401 },
    });
  let chunks = 0;
  const answer = objectOf(
    await world.kernel.dispatch(
      create({ source: path, onProgress: () => ++chunks === 1 && expire() }),
    ),
  );
  assert.deepEqual([answer.sha256Checksum, refreshed, posts(world).length], [
    sha256(bytes),
    1,
    1,
  ]);
  assert.deepEqual(world.audit.length, 1);
});

Deno.test("TestMediaUpload: an interrupted upload is remembered too", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  const controller = new AbortController();
  const error = await refusal(
    world,
    create({ source: path, onProgress: () => controller.abort(new Error("SIGINT")) }),
    controller.signal,
  );
  assert.equal(error.code, "CANCELLED");
  await lockFree(world);
  world.emulator.clearJournal();
  await using later = await openMedia({ share: world, media: { chunkBytes: 8 * UNIT } });
  await later.kernel.dispatch(create({ source: path }));
  assert.deepEqual([posts(world).length, puts(world)[0]], [0, `bytes */${LARGE}`]);
});

/** The end of a process frees its locks; within one, the abandoned call has to wind down. */
async function lockFree(world: MediaFixture): Promise<void> {
  const deadline = performance.now() + 5000;
  while (performance.now() < deadline) {
    const name = namesIn(world.uploads).find((entry) => entry.endsWith(".lock"));
    using file = await Deno.open(`${world.uploads}/${name}`, { write: true });
    if (await file.tryLock(true)) return await file.unlock();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("the lock stayed taken");
}

Deno.test("TestMediaUpload: two identical uploads at once do not share a session", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  const both = await Promise.all([0, 1].map(() => world.kernel.dispatch(create({ source: path }))));
  const ids = new Set(both.map((answer) => objectOf(answer).id));
  assert.deepEqual([ids.size, posts(world).length], [2, 2]);
  for (const answer of both) assert.equal(objectOf(answer).sha256Checksum, sha256(bytes));
});

Deno.test("TestMediaUpload: what is remembered of uploads goes after a week", async () => {
  await using world = await openMedia();
  await Deno.mkdir(world.uploads, { recursive: true });
  const now = world.clock.now();
  const days = (count: number) => new Date(now - count * 86_400_000);
  const files: [string, number][] = [
    [`${"a".repeat(64)}.json`, 8],
    [`${"a".repeat(64)}.lock`, 8],
    [`${"b".repeat(64)}.json`, 6],
    ["notes.json", 30],
  ];
  for (const [name, age] of files) {
    await Deno.writeTextFile(`${world.uploads}/${name}`, "{}");
    await Deno.utime(`${world.uploads}/${name}`, days(age), days(age));
  }
  const path = await source(world, "a.bin", noise(LARGE));
  await world.kernel.dispatch(create({ source: path }));
  const left = namesIn(world.uploads).filter((name) => !name.endsWith(".lock"));
  assert.deepEqual(left, [`${"b".repeat(64)}.json`, "notes.json"]);
  assert.ok(!namesIn(world.uploads).includes(`${"a".repeat(64)}.lock`));
});

Deno.test("TestMediaUpload: a session that a service offers elsewhere is refused, and named nowhere", async () => {
  await using world = await openMedia();
  const path = await source(world, "a.bin", new Uint8Array(LARGE));
  for (
    const location of [
      "https://evil.example/upload?upload_id=SECRET",
      "http://www.googleapis.com/u?upload_id=SECRET",
    ]
  ) {
    world.emulator.addFault({
      match: { method: "POST", path: SESSION },
      effect: { kind: "status", status: 200, body: "", headers: { location } },
    });
    const error = await refusal(world, create({ source: path }));
    assert.deepEqual([error.code, error.details.reason], [
      "POLICY_DENIED",
      "credential_host_not_allowed",
    ]);
    assert.ok(!JSON.stringify(error.toEnvelope()).includes("SECRET"));
  }
  assert.deepEqual(puts(world), []);
});

Deno.test("TestMediaUpload: the address of a session is in no log, audit row, answer or error", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  const failed = await refusal(
    world,
    create({ source: path, onProgress: () => keepFailing(world) }),
  );
  world.emulator.clearFaults();
  const answer = await world.kernel.dispatch(create({ source: path }));
  const ids = world.emulator.journal.flatMap((entry) => entry.query.upload_id ?? []);
  assert.ok(ids.length > 0);
  const shown = JSON.stringify([
    world.audit,
    world.logs,
    failed.toEnvelope(),
    `${failed.stack}`,
    answer.structuredContent,
    answer.expression,
    answer.notice,
  ]);
  for (const id of ids) assert.ok(!shown.includes(id));
});

Deno.test("TestMediaUpload: a confirmation binds the content of the file", async () => {
  await using world = await openMedia();
  const message = (text: string) =>
    new TextEncoder().encode(`To: a@example.com\r\nSubject: x\r\n\r\n${text}\r\n`);
  const path = await source(world, "m.eml", message("first"));
  const send = call("gmail.users.messages.send", {
    allowWrite: true,
    media: { kind: "upload", source: path },
  });
  const asked = await refusal(world, send);
  assert.equal(asked.code, "REQUIRES_CONFIRMATION");
  const pending = asked.details.pending_request;
  assert.deepEqual(isJsonObject(pending) ? pending.media : undefined, {
    sha256: sha256(message("first")),
    size: message("first").length,
    content_type: "message/rfc822",
  });
  const confirmed = {
    ...send,
    confirmed: true,
    confirmationToken: String(asked.details.confirmation_token),
  };
  await Deno.writeFile(path, message("other"));
  const swapped = await refusal(world, confirmed);
  assert.equal(swapped.code, "CONFIRMATION_TOKEN_INVALID");
  assert.equal(world.emulator.journal.length, 0);
  await Deno.writeFile(path, message("first"));
  const sent = objectOf(await world.kernel.dispatch(confirmed));
  assert.equal(typeof sent.id, "string");
  const stream = await refusal(world, {
    ...send,
    media: { kind: "upload", source: "-", input: piecesOf(message("x"), 10) },
  });
  assert.deepEqual([stream.code, stream.details.reason], [
    "INVALID_ARGS",
    "stream_cannot_be_confirmed",
  ]);
});

Deno.test("TestMediaUpload: a file that changes under way is never completed", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  const error = await refusal(
    world,
    create({ source: path, onProgress: () => Deno.writeFileSync(path, noise(LARGE, 9)) }),
  );
  assert.deepEqual([error.code, error.details.reason], ["INVALID_ARGS", "source_changed"]);
  assert.equal(filesNamed(world, "a.bin").length, 0);
});

Deno.test("TestMediaUpload: what an operation does not take is refused before it is sent", async () => {
  await using world = await openMedia();
  const path = await source(world, "a.png", noise(10));
  const draft = call("gmail.users.drafts.create", {
    allowWrite: true,
    media: { kind: "upload", source: path, contentType: "image/png" },
  });
  assert.equal((await refusal(world, draft)).details.reason, "type_not_accepted");
  const none = await refusal(
    world,
    call("tasks.tasklists.insert", {
      allowWrite: true,
      args: { title: "x" },
      media: { kind: "upload", source: path },
    }),
  );
  assert.deepEqual([none.code, none.details.unsupported_capabilities], [
    "UNSUPPORTED_CAPABILITY",
    ["media_upload"],
  ]);
  for (const missing of [`${world.home}/none`, world.home]) {
    const error = await refusal(world, create({ source: missing }));
    assert.deepEqual([error.code, error.details.reason], ["INVALID_ARGS", "source_unreadable"]);
  }
  const spoofed = await refusal(world, create({ source: path }, { _media: { sha256: "x" } }));
  assert.deepEqual(spoofed.details.unknown, ["_media"]);
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestMediaPath: other clients upload from their directories only, and learn nothing of other files", async () => {
  await using world = await openMedia();
  const open = `${world.home}/open`;
  await Deno.mkdir(open);
  const outside = await source(world, "secret", noise(10));
  await Deno.symlink(outside, `${open}/link`);
  await Deno.writeFile(`${open}/mine`, noise(20));
  await using inside = await openMedia({ share: world, settings: { mediaDirs: [open] } });
  for (const path of [outside, `${open}/link`, `${world.home}/none`, "-"]) {
    const error = await refusal(inside, { ...create({ source: path }), caller: "mcp" });
    assert.deepEqual([error.code, error.details.reason], [
      "POLICY_DENIED",
      "upload_path_not_allowed",
    ]);
  }
  assert.equal(world.emulator.journal.length, 0);
  const answer = objectOf(
    await inside.kernel.dispatch({ ...create({ source: `${open}/mine` }), caller: "mcp" }),
  );
  assert.equal(answer.size, "20");
});

Deno.test("TestMediaUpload: a read tool is told its place before the file is read", async () => {
  await using world = await openMedia();
  const error = await refusal(world, {
    ...create({ source: `${world.home}/not there` }),
    allowWrite: false,
  });
  assert.equal(error.code, "RISK_TOOL_MISMATCH");
});

Deno.test("TestMediaUpload: existing files get new content by update", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const file = await plant(world, { name: "a.bin", bytes: noise(10) });
  for (const size of [1000, LARGE]) {
    const bytes = noise(size, 3);
    const path = await source(world, "b.bin", bytes);
    const answer = objectOf(
      await world.kernel.dispatch(
        call("drive.files.update", {
          allowWrite: true,
          args: { fileId: file.id, fields: "id,name,sha256Checksum" },
          media: { kind: "upload", source: path },
        }),
      ),
    );
    assert.deepEqual([answer.id, answer.name, answer.sha256Checksum], [
      file.id,
      "a.bin",
      sha256(bytes),
    ]);
  }
});

Deno.test("TestMediaUpload: the X-Goog-Upload protocol does the same behind the same loop", async () => {
  const catalog: Parameters<typeof openMedia>[0] = {
    media: { chunkBytes: 8 * UNIT },
    catalog(embedded) {
      const op = structuredClone(embedded.findOp("drive.files.create"));
      const upload = op?.variants[0]?.binding?.http?.media_upload;
      assert.ok(op && upload);
      upload.protocol = "x_goog_upload";
      delete upload.multipart_path;
      return { ...embedded, findOp: (id) => id === op.op_id ? op : embedded.findOp(id) };
    },
  };
  await using world = await openMedia(catalog);
  const bytes = noise(LARGE);
  const path = await source(world, "a.bin", bytes);
  const commands = () =>
    world.emulator.journal.map((entry) => [
      entry.headers["x-goog-upload-command"],
      entry.headers["x-goog-upload-offset"],
    ]);
  const answer = objectOf(await world.kernel.dispatch(create({ source: path })));
  assert.equal(answer.sha256Checksum, sha256(bytes));
  assert.deepEqual(commands(), [
    ["start", undefined],
    ["upload", "0"],
    ["upload", String(8 * UNIT)],
    ["upload, finalize", String(16 * UNIT)],
  ]);
  world.emulator.clearJournal();
  let chunks = 0;
  await world.kernel.dispatch(create({
    source: path,
    onProgress() {
      if (++chunks !== 1) return;
      world.emulator.addFault({
        match: { method: "POST", path: SESSION },
        effect: { kind: "drop_before_headers" },
      });
    },
  }));
  assert.deepEqual(commands().map(([command]) => command), [
    "start",
    "upload",
    "upload",
    "query",
    "upload",
    "upload, finalize",
  ]);
  const streamed = objectOf(
    await world.kernel.dispatch(
      create({ source: "-", input: piecesOf(bytes, 100_000) }, { name: "s" }),
    ),
  );
  assert.equal(streamed.sha256Checksum, sha256(bytes));
});

Deno.test("TestMediaUpload: a dry run and a confirmation show where the bytes would go", async () => {
  await using world = await openMedia();
  const path = await source(world, "a.bin", noise(10));
  const answer = objectOf(
    await world.kernel.dispatch({ ...create({ source: path }), dryRun: true }),
  );
  const request = answer.request as JsonObject;
  assert.match(`${request.url}`, /\/upload\/drive\/v3\/files\?.*uploadType=multipart/);
  assert.deepEqual(request.upload, {
    protocol: "multipart",
    sha256: sha256(noise(10)),
    size: 10,
    content_type: "application/octet-stream",
  });
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestMediaUpload: after the last chunk no failure of a question says that nothing was made", async () => {
  const questions: { status: number; reason?: string }[] = [
    { status: 403 },
    { status: 429 },
    { status: 503 },
  ];
  for (const { status } of questions) {
    await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
    const path = await source(world, "a.bin", noise(LARGE));
    let chunks = 0;
    const onProgress = () => {
      if (++chunks !== 2) return;
      const match = { method: "PUT", path: SESSION };
      world.emulator.addFault({ match, effect: { kind: "drop_mid_body", afterBytes: 1 } });
      world.emulator.addFault({ times: Infinity, match, effect: { kind: "status", status } });
    };
    const error = await refusal(world, create({ source: path, onProgress }));
    assert.equal(error.details.write_outcome, "unknown", `${status}`);
  }
});

Deno.test("TestMediaUpload: a later process does not repeat a last chunk whose session is gone", async () => {
  await using world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
  const path = await source(world, "a.bin", noise(LARGE));
  const match = { method: "PUT", path: SESSION };
  let chunks = 0;
  const onProgress = () => {
    if (++chunks !== 2) return;
    world.emulator.addFault({ match, effect: { kind: "drop_mid_body", afterBytes: 1 } });
    keepFailing(world);
  };
  await refusal(world, create({ source: path, onProgress }));
  assert.equal(filesNamed(world, "a.bin").length, 1, "the last chunk did act");
  world.emulator.clearFaults();
  world.emulator.clearJournal();
  await using later = await openMedia({ share: world, media: { chunkBytes: 8 * UNIT } });
  world.emulator.addFault({ match, effect: { kind: "status", status: 410 } });
  const error = await refusal(later, create({ source: path }));
  assert.deepEqual([error.code, error.details.write_outcome], ["RESOURCE_NOT_FOUND", "unknown"]);
  assert.deepEqual([posts(world).length, filesNamed(world, "a.bin").length], [0, 1]);
  // Whoever looked and calls again means it.
  await later.kernel.dispatch(create({ source: path }));
  assert.equal(filesNamed(world, "a.bin").length, 2);
});

Deno.test("TestMediaUpload: a type that would start a line of its own is refused", async () => {
  await using world = await openMedia();
  const path = await source(world, "a.txt", noise(10));
  for (
    const contentType of ["text/plain\r\nX-Evil: 1", "text", "", "text/plain; name=ü", "a/b c"]
  ) {
    const error = await refusal(world, create({ source: path, contentType }));
    assert.deepEqual([error.code, error.details.field], ["INVALID_ARGS", "upload_type"]);
  }
  assert.equal(world.emulator.journal.length, 0);
  const fine = 'text/plain; charset="utf-8"';
  const answer = objectOf(await world.kernel.dispatch(create({ source: path, contentType: fine })));
  assert.equal(answer.name, "a.txt");
});

Deno.test("TestMediaUpload: a stream whose login is renewed is sent whole, or not at all", async () => {
  const bytes = noise(20 * UNIT);
  const expiring = async (method: "POST" | "PUT") => {
    const world = await openMedia({ media: { chunkBytes: 8 * UNIT } });
    world.deps.auth.refresh = (request, signal) => world.deps.auth.resolve(request, signal);
    world.emulator.addFault({
      match: { method, path: SESSION },
      effect: { kind: "status", status: 401 },
    });
    return { world, call: create({ source: "-", input: piecesOf(bytes, 100_000) }) };
  };
  {
    const { world, call } = await expiring("POST");
    await using _end = world;
    const answer = objectOf(await world.kernel.dispatch(call));
    assert.deepEqual([answer.size, answer.sha256Checksum], [`${bytes.length}`, sha256(bytes)]);
  }
  const { world, call } = await expiring("PUT");
  await using _end = world;
  const error = await refusal(world, call);
  assert.deepEqual([error.code, error.details.reason, error.details.write_outcome], [
    "AUTH_REQUIRED",
    "upload_not_rewindable",
    undefined,
  ]);
  assert.equal(puts(world).length, 1, "nothing of the rest was sent as a whole");
});
