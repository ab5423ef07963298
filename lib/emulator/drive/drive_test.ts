import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { type Caller, callerOf, readAll, refuses, testSeed } from "./testdata/calling.ts";
import { createDrive } from "./mod.ts";

const drive = (): Caller => callerOf(createDrive(testSeed()));
const ALL = { supportsAllDrives: "true", includeItemsFromAllDrives: "true" };

async function listed(call: Caller, query: Record<string, string> = {}): Promise<JsonObject[]> {
  const { records } = await readAll(
    (token) =>
      call("drive.files.list", {
        query: {
          fields: "*",
          pageSize: "1000",
          ...query,
          ...(token === undefined ? {} : { pageToken: token }),
        },
      }),
    "files",
  );
  return records;
}

async function one(call: Caller, query: Record<string, string> = {}): Promise<JsonObject> {
  const file = (await listed(call, query))[0];
  assert.ok(file, JSON.stringify(query));
  return file;
}

Deno.test("emulated Drive: a few hundred files, every id that list returns resolves in get", async () => {
  const call = drive();
  const files = await listed(call, ALL);
  assert.ok(files.length >= 300, String(files.length));
  const types = new Set(files.map((file) => file.mimeType));
  for (const type of ["document", "spreadsheet", "presentation", "folder", "shortcut"]) {
    assert.ok(types.has(`application/vnd.google-apps.${type}`), type);
  }
  for (const type of ["application/pdf", "image/png", "text/csv", "text/plain"]) {
    assert.ok(types.has(type), type);
  }
  assert.ok(files.some((file) => /[^\x20-\x7e]/.test(String(file.name))));
  assert.ok(files.some((file) => file.trashed === true));
  assert.ok(files.some((file) => ((file.permissions ?? []) as JsonObject[]).length > 4));
  for (const file of files) {
    const got = await call("drive.files.get", {
      params: { fileId: String(file.id) },
      query: { fields: "*", supportsAllDrives: "true" },
    });
    assert.deepEqual(got.json, file);
  }
});

Deno.test("emulated Drive: without fields an answer has the four members that Google sends", async () => {
  const call = drive();
  const { json } = await call("drive.files.list", { query: { pageSize: "3" } });
  assert.deepEqual(Object.keys(json).sort(), [
    "files",
    "incompleteSearch",
    "kind",
    "nextPageToken",
  ]);
  const file = (json.files as JsonObject[])[0] as JsonObject;
  assert.deepEqual(Object.keys(file).sort(), ["id", "kind", "mimeType", "name"]);
  const got = await call("drive.files.get", { params: { fileId: String(file.id) } });
  assert.deepEqual(got.json, file);
});

Deno.test("emulated Drive: pages cover every file exactly once, whatever the size and order (property)", async () => {
  const call = drive();
  const expected = (await listed(call)).map((file) => file.id).sort();
  const orders = [
    "",
    "name",
    "folder,modifiedTime desc,name",
    "quotaBytesUsed desc",
    "createdTime",
    "name_natural desc",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 7, max: 200 }),
      fc.constantFrom(...orders),
      async (size, orderBy) => {
        const { records } = await readAll((token) =>
          call("drive.files.list", {
            query: {
              pageSize: String(size),
              ...(orderBy === "" ? {} : { orderBy }),
              ...(token === undefined ? {} : { pageToken: token }),
            },
          }), "files");
        assert.deepEqual(records.map((file) => file.id).sort(), expected);
      },
    ),
    { numRuns: 12 },
  );
});

Deno.test("emulated Drive: a token of another query, bad sizes, orders and queries are 400", async () => {
  const call = drive();
  const first = await call("drive.files.list", { query: { pageSize: "5" } });
  const pageToken = String(first.json.nextPageToken);
  await refuses(
    call("drive.files.list", { query: { pageSize: "5", pageToken, q: "trashed = true" } }),
    { status: 400 },
  );
  await refuses(call("drive.files.list", { query: { pageToken: "nonsense" } }), { status: 400 });
  await refuses(call("drive.files.list", { query: { pageSize: "1001" } }), { status: 400 });
  await refuses(call("drive.files.list", { query: { pageSize: "0" } }), { status: 400 });
  await refuses(call("drive.files.list", { query: { orderBy: "size" } }), { status: 400 });
  await refuses(call("drive.files.list", { query: { q: "name like 'x'" } }), {
    status: 400,
    reason: "invalid",
  });
});

Deno.test("emulated Drive: q filters like a look at every file", async () => {
  const call = drive();
  const all = await listed(call);
  const check = async (q: string, wanted: (file: JsonObject) => boolean) => {
    const got = (await listed(call, { q })).map((file) => file.id).sort();
    assert.deepEqual(got, all.filter(wanted).map((file) => file.id).sort(), q);
    assert.ok(got.length > 0 && got.length < all.length, q);
  };
  await check("trashed = true", (file) => file.trashed === true);
  await check(
    "mimeType = 'application/pdf' and trashed = false",
    (file) => file.mimeType === "application/pdf" && !file.trashed,
  );
  await check("sharedWithMe", (file) => file.sharedWithMeTime !== undefined);
  await check(
    "'root' in parents",
    (file) => ((file.parents ?? []) as string[]).some((id) => id.startsWith("0A")),
  );
  await check(
    "modifiedTime > '2026-04-01T00:00:00'",
    (file) => String(file.modifiedTime) > "2026-04-01T00:00:00",
  );
  const folder = await one(call, { q: "mimeType = 'application/vnd.google-apps.folder'" });
  await check(
    `'${folder.id}' in parents`,
    (file) => ((file.parents ?? []) as string[]).includes(String(folder.id)),
  );
});

Deno.test("emulated Drive: full text finds a text file by its words and a document by its content", async () => {
  const call = drive();
  const plain = await one(call, { q: "mimeType = 'text/plain' and trashed = false" });
  const { bytes } = await call("drive.files.get", {
    params: { fileId: String(plain.id) },
    query: { alt: "media" },
  });
  const phrase = new TextDecoder().decode(bytes).slice(0, 60).split(" ").slice(0, 4).join(" ");
  const found = await listed(call, {
    q: `fullText contains '"${phrase.replace(/[\\']/g, "\\$&")}"'`,
  });
  assert.ok(found.some((file) => file.id === plain.id));
  const document = await one(call, { q: "mimeType = 'application/vnd.google-apps.document'" });
  const exported = await call("drive.files.export", {
    params: { fileId: String(document.id) },
    query: { mimeType: "text/plain" },
  });
  const word = /\p{L}{9,}/u.exec(new TextDecoder().decode(exported.bytes).slice(-400))?.[0];
  assert.ok(word);
  const hits = await listed(call, { q: `fullText contains '${word}'` });
  assert.ok(hits.some((file) => file.id === document.id));
});

Deno.test("emulated Drive: shared drives show only to callers that support them", async () => {
  const call = drive();
  const own = await listed(call);
  assert.ok(own.every((file) => file.driveId === undefined));
  const everything = await listed(call, ALL);
  const inside = everything.find((file) => file.driveId !== undefined) as JsonObject;
  assert.ok(inside);
  assert.equal(inside.owners, undefined);
  await refuses(call("drive.files.get", { params: { fileId: String(inside.id) } }), {
    status: 404,
    reason: "notFound",
  });
  const got = await call("drive.files.get", {
    params: { fileId: String(inside.id) },
    query: { supportsAllDrives: "true" },
  });
  assert.equal(got.json.id, inside.id);
  const drives = await call("drive.drives.list");
  const id = String(((drives.json.drives as JsonObject[])[0] as JsonObject).id);
  const scoped = await listed(call, { ...ALL, corpora: "drive", driveId: id });
  assert.ok(scoped.length > 10 && scoped.every((file) => file.driveId === id));
  await refuses(call("drive.files.list", { query: { includeItemsFromAllDrives: "true" } }), {
    status: 403,
  });
  await refuses(call("drive.files.list", { query: { corpora: "drive" } }), { status: 403 });
  assert.equal(
    (await call("drive.drives.get", { params: { driveId: id }, query: { fields: "*" } })).json.name,
    "Harbour team – gemeinsam",
  );
});

Deno.test("emulated Drive: about needs fields, then reports the account", async () => {
  const call = drive();
  await refuses(call("drive.about.get"), { status: 400, reason: "required" });
  const { json } = await call("drive.about.get", { query: { fields: "*" } });
  assert.equal((json.user as JsonObject).emailAddress, testSeed().account.email);
  assert.ok(Number((json.storageQuota as JsonObject).usageInDrive) > 1_000_000);
});

Deno.test("emulated Drive: media are the bytes that size and checksums promise, with ranges", async () => {
  const call = drive();
  const files = (await listed(call)).filter((file) => file.md5Checksum !== undefined);
  assert.ok(files.length > 100);
  for (const file of files.slice(0, 40)) {
    const { bytes, contentType } = await call("drive.files.get", {
      params: { fileId: String(file.id) },
      query: { alt: "media" },
    });
    assert.equal(String(bytes.length), file.size);
    assert.equal(contentType, file.mimeType);
    assert.equal(createHash("md5").update(bytes).digest("hex"), file.md5Checksum);
  }
  const big = files.toSorted((a, b) => Number(b.size) - Number(a.size))[0] as JsonObject;
  const part = await call("drive.files.get", {
    params: { fileId: String(big.id) },
    query: { alt: "media" },
    headers: { range: "bytes=10-19" },
  });
  assert.equal(part.status, 206);
  assert.equal(part.bytes.length, 10);
  assert.equal(part.headers["content-range"], `bytes 10-19/${big.size}`);
});

Deno.test("emulated Drive: seeded PDF, PNG and ZIP files are what they say", async () => {
  const call = drive();
  const starts: [string, string][] = [["application/pdf", "%PDF-1."], ["image/png", "\x89PNG"], [
    "application/zip",
    "PK\x03\x04",
  ]];
  for (const [mimeType, magic] of starts) {
    const file = await one(call, { q: `mimeType = '${mimeType}'` });
    const { bytes } = await call("drive.files.get", {
      params: { fileId: String(file.id) },
      query: { alt: "media" },
    });
    assert.equal(String.fromCharCode(...bytes.subarray(0, magic.length)), magic);
  }
});

Deno.test("emulated Drive: native files refuse media and export instead, others the reverse", async () => {
  const call = drive();
  const native = await one(call, { q: "mimeType = 'application/vnd.google-apps.document'" });
  const fileId = String(native.id);
  await refuses(call("drive.files.get", { params: { fileId }, query: { alt: "media" } }), {
    status: 403,
    reason: "fileNotDownloadable",
  });
  for (const type of Object.keys(native.exportLinks as JsonObject)) {
    const exported = await call("drive.files.export", {
      params: { fileId },
      query: { mimeType: type },
    });
    assert.equal(exported.contentType, type);
    assert.ok(exported.bytes.length > 50, type);
  }
  await refuses(
    call("drive.files.export", { params: { fileId }, query: { mimeType: "video/mp4" } }),
    { status: 400 },
  );
  await refuses(call("drive.files.export", { params: { fileId } }), {
    status: 400,
    reason: "required",
  });
  const plain = await one(call, { q: "mimeType = 'text/plain'" });
  await refuses(
    call("drive.files.export", {
      params: { fileId: String(plain.id) },
      query: { mimeType: "application/pdf" },
    }),
    {
      status: 403,
      reason: "fileNotExportable",
    },
  );
});

Deno.test("emulated Drive: create, update, move, trash, copy and delete are visible to the next read", async () => {
  const call = drive();
  const folder = await call("drive.files.create", {
    body: { name: "Neu/Alt", mimeType: "application/vnd.google-apps.folder" },
  });
  const made = await call("drive.files.create", {
    query: { fields: "*" },
    body: {
      name: "plan.txt",
      mimeType: "text/plain",
      description: "erste Fassung",
      properties: { stage: "1" },
    },
  });
  const fileId = String(made.json.id);
  assert.equal(made.json.size, "0");
  const moved = await call("drive.files.update", {
    params: { fileId },
    query: { fields: "*", addParents: String(folder.json.id), removeParents: "root" },
    body: { name: "plan v2.txt", starred: true, properties: { stage: null, colour: "red" } },
  });
  assert.deepEqual(moved.json.parents, [folder.json.id]);
  assert.deepEqual(moved.json.properties, { colour: "red" });
  assert.ok(Number(moved.json.version) > Number(made.json.version));
  assert.deepEqual(
    (await listed(call, { q: `'${folder.json.id}' in parents` })).map((file) => file.name),
    ["plan v2.txt"],
  );
  await refuses(call("drive.files.update", { params: { fileId }, body: { parents: ["root"] } }), {
    status: 403,
    reason: "fieldNotWritable",
  });
  await call("drive.files.update", {
    params: { fileId: String(folder.json.id) },
    body: { trashed: true },
  });
  const trashed = await call("drive.files.get", { params: { fileId }, query: { fields: "*" } });
  assert.equal(trashed.json.trashed, true);
  assert.equal(trashed.json.explicitlyTrashed, false);
  const copy = await call("drive.files.copy", {
    params: { fileId },
    body: { name: "Kopie", parents: ["root"] },
  });
  const deleted = await call("drive.files.delete", { params: { fileId: String(folder.json.id) } });
  assert.equal(deleted.status, 204);
  await refuses(call("drive.files.get", { params: { fileId } }), { status: 404 });
  assert.equal(
    (await call("drive.files.get", { params: { fileId: String(copy.json.id) } })).json.name,
    "Kopie",
  );
  await refuses(call("drive.files.copy", { params: { fileId: "root" } }), {
    status: 403,
    reason: "cannotCopyFile",
  });
});

Deno.test("emulated Drive: generated ids make a create safe to repeat", async () => {
  const call = drive();
  const ids = (await call("drive.files.generateIds", { query: { count: "2" } })).json
    .ids as string[];
  const made = await call("drive.files.create", { body: { id: ids[0] as string, name: "once" } });
  assert.equal(made.json.id, ids[0]);
  await refuses(call("drive.files.create", { body: { id: ids[0] as string, name: "once" } }), {
    status: 409,
  });
  await refuses(call("drive.files.create", { body: { id: "1madeUp", name: "x" } }), {
    status: 400,
  });
});

Deno.test("emulated Drive: multipart and media uploads store their bytes, an update replaces them", async () => {
  const call = drive();
  const service = createDrive(testSeed());
  const upload = async (
    method: string,
    pattern: string,
    request: { query: string; params?: Record<string, string>; type: string; bytes: Uint8Array },
  ) => {
    const route = service.routes.find((item) => item.method === method && item.pattern === pattern);
    assert.ok(route);
    const answer = await route.handle({
      method,
      host: route.host,
      path: pattern,
      params: request.params ?? {},
      query: new URLSearchParams(request.query),
      headers: new Headers({ "content-type": request.type }),
      body: undefined,
      bodyBytes: request.bytes,
      accountEmail: testSeed().account.email,
      now: testSeed().now,
    });
    return answer.body as JsonObject;
  };
  const text = new TextEncoder();
  const boundary = "x-part-x";
  const body = text.encode(
    `--${boundary}\r\nContent-Type: application/json\r\n\r\n{"name":"größe.csv"}\r\n--${boundary}\r\nContent-Type: text/csv\r\n\r\na,b\r\n1,2\r\n\r\n--${boundary}--`,
  );
  const made = await upload("POST", "/upload/drive/v3/files", {
    query: "uploadType=multipart&fields=*",
    type: `multipart/related; boundary=${boundary}`,
    bytes: body,
  });
  assert.equal(made.name, "größe.csv");
  assert.equal(made.mimeType, "text/csv");
  assert.equal(made.size, "10");
  const changed = await upload("PATCH", "/upload/drive/v3/files/{fileId}", {
    query: "uploadType=media&fields=*",
    params: { fileId: String(made.id) },
    type: "text/plain",
    bytes: text.encode("neu"),
  });
  assert.equal(changed.size, "3");
  const read = await callerOf(service)("drive.files.get", {
    params: { fileId: String(made.id) },
    query: { alt: "media" },
  });
  assert.equal(new TextDecoder().decode(read.bytes), "neu");
  await refuses(call("drive.files.get", { params: { fileId: String(made.id) } }), { status: 404 });
});

Deno.test("emulated Drive: permissions round trip, ownership needs transferOwnership", async () => {
  const call = drive();
  const made = await call("drive.files.create", { body: { name: "shared.txt" } });
  const fileId = String(made.json.id);
  const created = await call("drive.permissions.create", {
    params: { fileId },
    query: { fields: "*" },
    body: { type: "user", role: "commenter", emailAddress: "renaud.lefevre@example.org" },
  });
  assert.equal(created.json.displayName, "Renaud Lefèvre");
  const permissionId = String(created.json.id);
  await call("drive.permissions.create", {
    params: { fileId },
    body: { type: "anyone", role: "reader" },
  });
  const page = await call("drive.permissions.list", {
    params: { fileId },
    query: { pageSize: "2" },
  });
  assert.equal((page.json.permissions as JsonObject[]).length, 2);
  assert.ok(page.json.nextPageToken);
  await call("drive.permissions.update", {
    params: { fileId, permissionId },
    body: { role: "writer" },
  });
  assert.equal(
    (await call("drive.permissions.get", { params: { fileId, permissionId } })).json.role,
    "writer",
  );
  await refuses(
    call("drive.permissions.update", { params: { fileId, permissionId }, body: { role: "owner" } }),
    { status: 403 },
  );
  assert.equal(
    (await call("drive.permissions.delete", { params: { fileId, permissionId } })).status,
    204,
  );
  await refuses(call("drive.permissions.get", { params: { fileId, permissionId } }), {
    status: 404,
  });
  await refuses(
    call("drive.permissions.create", {
      params: { fileId },
      body: { type: "user", role: "boss", emailAddress: "a@example.com" },
    }),
    { status: 400 },
  );
  await refuses(
    call("drive.permissions.create", {
      params: { fileId },
      body: { type: "user", role: "reader" },
    }),
    { status: 400 },
  );
});

Deno.test("emulated Drive: a reader of someone else's file may not change, share or delete it", async () => {
  const call = drive();
  const foreign = (await listed(call, { q: "sharedWithMe" })).find((file) =>
    (file.capabilities as JsonObject).canEdit === false
  );
  assert.ok(foreign);
  const fileId = String(foreign.id);
  const denied = { status: 403, reason: "insufficientFilePermissions" };
  await refuses(
    call("drive.files.update", { params: { fileId }, body: { name: "mine now" } }),
    denied,
  );
  await refuses(call("drive.files.delete", { params: { fileId } }), denied);
  await refuses(call("drive.permissions.list", { params: { fileId } }), denied);
  assert.equal(
    (await call("drive.files.update", { params: { fileId }, body: { starred: true } })).status,
    200,
  );
});

Deno.test("emulated Drive: same seed, same world; another seed, another one", async () => {
  const world = async (seed: number) =>
    JSON.stringify(await listed(callerOf(createDrive(testSeed({ seed }))), ALL));
  assert.equal(await world(7), await world(7));
  assert.notEqual(await world(7), await world(8));
});
