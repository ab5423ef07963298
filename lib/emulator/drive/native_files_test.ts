import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { createDocs } from "../docs/mod.ts";
import { createSheets } from "../sheets/mod.ts";
import { createSlides } from "../slides/mod.ts";
import { type Caller, callerOf, refuses, testSeed } from "./testdata/calling.ts";
import { createDrive } from "./mod.ts";

/** All four services of one world. */
function world(): Caller {
  const seed = testSeed({ world: {} });
  const callers = {
    drive: callerOf(createDrive(seed)),
    docs: callerOf(createDocs(seed)),
    sheets: callerOf(createSheets(seed)),
    slides: callerOf(createSlides(seed)),
  };
  return (methodId, request) =>
    callers[methodId.split(".")[0] as keyof typeof callers](methodId, request);
}

const EDITORS: readonly (readonly [string, string, string, string])[] = [
  ["document", "docs.documents", "documentId", "title"],
  ["spreadsheet", "sheets.spreadsheets", "spreadsheetId", "properties"],
  ["presentation", "slides.presentations", "presentationId", "title"],
];

function titleOf(json: JsonObject): string {
  return String((json.properties as JsonObject | undefined)?.title ?? json.title);
}

Deno.test("native files: what Drive lists opens in its editor under the same title", async () => {
  const call = world();
  for (const [kind, method, param] of EDITORS) {
    const { json } = await call("drive.files.list", {
      query: { q: `mimeType = 'application/vnd.google-apps.${kind}'`, pageSize: "200" },
    });
    const files = json.files as JsonObject[];
    assert.ok(files.length > 10);
    for (const file of files.slice(0, 6)) {
      const opened = await call(`${method}.get`, { params: { [param]: String(file.id) } });
      assert.equal(titleOf(opened.json), file.name);
    }
  }
});

Deno.test("native files: made in an editor, they are in Drive; made in Drive, they open empty", async () => {
  const call = world();
  for (const [kind, method, param] of EDITORS) {
    const made = await call(`${method}.create`, {
      body: kind === "spreadsheet"
        ? { properties: { title: `Neu ${kind}` } }
        : { title: `Neu ${kind}` },
    });
    const id = String(made.json[param]);
    const file = await call("drive.files.get", { params: { fileId: id }, query: { fields: "*" } });
    assert.equal(file.json.name, `Neu ${kind}`);
    assert.equal(file.json.mimeType, `application/vnd.google-apps.${kind}`);
    const inDrive = await call("drive.files.create", {
      body: { name: "Leer", mimeType: `application/vnd.google-apps.${kind}` },
    });
    assert.equal(
      titleOf((await call(`${method}.get`, { params: { [param]: String(inDrive.json.id) } })).json),
      "Leer",
    );
  }
});

Deno.test("native files: renames and deletions cross over, copies start with the same content", async () => {
  const call = world();
  const made = await call("docs.documents.create", { body: { title: "Quelle" } });
  const documentId = String(made.json.documentId);
  await call("docs.documents.batchUpdate", {
    params: { documentId },
    body: { requests: [{ insertText: { location: { index: 1 }, text: "Inhalt" } }] },
  });
  await call("drive.files.update", { params: { fileId: documentId }, body: { name: "Umbenannt" } });
  assert.equal(
    (await call("docs.documents.get", { params: { documentId } })).json.title,
    "Umbenannt",
  );
  const copy = await call("drive.files.copy", {
    params: { fileId: documentId },
    body: { name: "Kopie" },
  });
  const copied = await call("docs.documents.get", { params: { documentId: String(copy.json.id) } });
  assert.match(JSON.stringify(copied.json.body), /Inhalt/);
  const exported = await call("drive.files.export", {
    params: { fileId: documentId },
    query: { mimeType: "text/plain" },
  });
  assert.equal(new TextDecoder().decode(exported.bytes), "Inhalt\n");
  await call("drive.files.delete", { params: { fileId: documentId } });
  await refuses(call("docs.documents.get", { params: { documentId } }), { status: 404 });
});

Deno.test("native files: a spreadsheet's cells are what its CSV export holds", async () => {
  const call = world();
  const made = await call("sheets.spreadsheets.create", {
    body: { properties: { title: "Zahlen" } },
  });
  const spreadsheetId = String(made.json.spreadsheetId);
  await call("sheets.spreadsheets.values.update", {
    params: { spreadsheetId, range: "A1" },
    query: { valueInputOption: "USER_ENTERED" },
    body: { values: [['a, "b"', "=1+1"], ["50%"]] },
  });
  const { bytes } = await call("drive.files.export", {
    params: { fileId: spreadsheetId },
    query: { mimeType: "text/csv" },
  });
  assert.equal(new TextDecoder().decode(bytes), '"a, ""b""",2\r\n50.00%,');
});

Deno.test("native files: services without a common world stand alone but agree on the seeded files", async () => {
  const drive = callerOf(createDrive(testSeed()));
  const docs = callerOf(createDocs(testSeed()));
  const { json } = await drive("drive.files.list", {
    query: { q: "mimeType = 'application/vnd.google-apps.document'" },
  });
  const id = String((json.files as JsonObject[])[0]?.id);
  await docs("docs.documents.get", { params: { documentId: id } });
  await drive("drive.files.delete", { params: { fileId: id } }).catch(() => undefined);
  await docs("docs.documents.get", { params: { documentId: id } });
});
