import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../json/mod.ts";
import { type Caller, callerOf, refuses, testSeed } from "../drive/testdata/calling.ts";
import { nativeFilesOf } from "../drive/mod.ts";
import { createDocs } from "./mod.ts";

interface World {
  call: Caller;
  ids: string[];
}

function docs(): World {
  const seed = testSeed({ world: {} });
  const call = callerOf(createDocs(seed));
  return { call, ids: nativeFilesOf(seed).list("document").map((file) => file.id) };
}

async function read(call: Caller, documentId: string): Promise<JsonObject> {
  return (await call("docs.documents.get", { params: { documentId } })).json;
}

const batch = (call: Caller, documentId: string, requests: JsonObject[], extra: JsonObject = {}) =>
  call("docs.documents.batchUpdate", { params: { documentId }, body: { requests, ...extra } });

async function fresh(call: Caller, text = ""): Promise<string> {
  const made = await call("docs.documents.create", { body: { title: "Neu" } });
  const id = String(made.json.documentId);
  if (text !== "") await batch(call, id, [{ insertText: { location: { index: 1 }, text } }]);
  return id;
}

/** Structural elements in order, with what follows from their indexes checked. */
function checkIndexes(content: JsonObject[], start: number): number {
  let at = start;
  for (const element of content) {
    assert.equal(element.startIndex ?? 0, at);
    const { paragraph, table } = element as { paragraph?: JsonObject; table?: JsonObject };
    if (paragraph !== undefined) {
      for (const part of paragraph.elements as JsonObject[]) {
        assert.equal(part.startIndex, at);
        const run = part.textRun as JsonObject | undefined;
        const length = run === undefined ? 1 : String(run.content).length;
        assert.equal(part.endIndex, at + length);
        at += length;
      }
    } else if (table !== undefined) {
      at += 1;
      for (const row of table.tableRows as JsonObject[]) {
        assert.equal(row.startIndex, at);
        at += 1;
        for (const cell of row.tableCells as JsonObject[]) {
          assert.equal(cell.startIndex, at);
          at = checkIndexes(cell.content as JsonObject[], at + 1);
          assert.equal(cell.endIndex, at);
        }
        assert.equal(row.endIndex, at);
      }
      at += 1;
    } else at = element.endIndex as number;
    assert.equal(element.endIndex, at);
  }
  return at;
}

const contentOf = (document: JsonObject) => (document.body as JsonObject).content as JsonObject[];

function textOf(content: JsonObject[]): string {
  return content.map((element) => {
    const paragraph = element.paragraph as JsonObject | undefined;
    if (paragraph !== undefined) {
      return (paragraph.elements as JsonObject[]).map((part) =>
        (part.textRun as JsonObject | undefined)?.content ?? ""
      ).join("");
    }
    const rows = ((element.table as JsonObject | undefined)?.tableRows ?? []) as JsonObject[];
    return rows.flatMap((row) => row.tableCells as JsonObject[]).map((cell) =>
      textOf(cell.content as JsonObject[])
    ).join("");
  }).join("");
}

Deno.test("emulated Docs: every seeded document opens with consistent indexes; one is long", async () => {
  const { call, ids } = docs();
  const sizes: number[] = [];
  const kinds = new Set<string>();
  for (const id of ids) {
    const document = await read(call, id);
    assert.equal(document.documentId, id);
    const content = contentOf(document);
    sizes.push(checkIndexes(content, 0));
    for (const element of content) for (const kind of Object.keys(element)) kinds.add(kind);
  }
  assert.ok(ids.length > 50);
  assert.ok((sizes[0] as number) > 20_000, String(sizes[0]));
  assert.ok(Math.min(...sizes) * 6 < Math.max(...sizes));
  for (const kind of ["sectionBreak", "paragraph", "table"]) assert.ok(kinds.has(kind), kind);
});

Deno.test("emulated Docs: with tabs the content moves into the tab", async () => {
  const { call, ids } = docs();
  const { json } = await call("docs.documents.get", {
    params: { documentId: ids[0] as string },
    query: { includeTabsContent: "true" },
  });
  assert.equal(json.body, undefined);
  const tab = ((json.tabs as JsonObject[])[0] as JsonObject).documentTab as JsonObject;
  assert.deepEqual(tab.body, (await read(call, ids[0] as string)).body);
});

Deno.test("emulated Docs: insertText splits paragraphs, replaceAllText counts, revision moves on", async () => {
  const { call } = docs();
  const id = await fresh(call, "Erste Zeile\nZweite Zeile");
  const before = await read(call, id);
  assert.equal(textOf(contentOf(before)), "Erste Zeile\nZweite Zeile\n");
  const answer = await batch(call, id, [
    { replaceAllText: { containsText: { text: "ZEILE" }, replaceText: "Reihe" } },
    { replaceAllText: { containsText: { text: "ZEILE", matchCase: true }, replaceText: "x" } },
    { insertText: { endOfSegmentLocation: {}, text: " – Ende" } },
  ]);
  assert.deepEqual(answer.json.replies, [{ replaceAllText: { occurrencesChanged: 2 } }, {
    replaceAllText: {},
  }, {}]);
  const after = await read(call, id);
  assert.equal(textOf(contentOf(after)), "Erste Reihe\nZweite Reihe – Ende\n");
  assert.notEqual(after.revisionId, before.revisionId);
  assert.equal((answer.json.writeControl as JsonObject).requiredRevisionId, after.revisionId);
  await refuses(
    batch(call, id, [{ insertText: { location: { index: 1 }, text: "x" } }], {
      writeControl: { requiredRevisionId: before.revisionId as string },
    }),
    { status: 400 },
  );
});

Deno.test("emulated Docs: deleting across paragraphs joins them; the last newline stays", async () => {
  const { call } = docs();
  const id = await fresh(call, "abc\ndef\nghi");
  await batch(call, id, [{ deleteContentRange: { range: { startIndex: 3, endIndex: 6 } } }]);
  const document = await read(call, id);
  assert.equal(textOf(contentOf(document)), "abef\nghi\n");
  checkIndexes(contentOf(document), 0);
  await refuses(
    batch(call, id, [{ deleteContentRange: { range: { startIndex: 6, endIndex: 10 } } }]),
    { status: 400, message: /newline character at the end/ },
  );
});

Deno.test("emulated Docs: tables can be made and written into, styles and bullets stick", async () => {
  const { call } = docs();
  const id = await fresh(call, "Titel\nText");
  await batch(call, id, [{ insertTable: { rows: 2, columns: 2, endOfSegmentLocation: {} } }]);
  const table = contentOf(await read(call, id)).find((element) =>
    element.table !== undefined
  ) as JsonObject;
  const firstCell =
    (((table.table as JsonObject).tableRows as JsonObject[])[0]?.tableCells as JsonObject[])[
      0
    ] as JsonObject;
  const inside = (firstCell.startIndex as number) + 1;
  await batch(call, id, [
    { insertText: { location: { index: inside }, text: "Zelle" } },
    {
      updateTextStyle: {
        range: { startIndex: 1, endIndex: 4 },
        textStyle: { bold: true },
        fields: "bold",
      },
    },
    {
      updateParagraphStyle: {
        range: { startIndex: 1, endIndex: 2 },
        paragraphStyle: { namedStyleType: "HEADING_1" },
        fields: "namedStyleType",
      },
    },
    {
      createParagraphBullets: {
        range: { startIndex: 7, endIndex: 8 },
        bulletPreset: "NUMBERED_DECIMAL_ALPHA_ROMAN",
      },
    },
    { createNamedRange: { name: "kopf", range: { startIndex: 1, endIndex: 6 } } },
  ]);
  const document = await read(call, id);
  const content = contentOf(document);
  checkIndexes(content, 0);
  assert.match(textOf(content), /^Titel\nText\nZelle\n/);
  const heading = content[1]?.paragraph as JsonObject;
  assert.equal((heading.paragraphStyle as JsonObject).namedStyleType, "HEADING_1");
  assert.deepEqual(((heading.elements as JsonObject[])[0] as JsonObject).textRun, {
    content: "Tit",
    textStyle: { bold: true },
  });
  assert.ok((content[2]?.paragraph as JsonObject).bullet);
  assert.ok((document.namedRanges as JsonObject).kopf);
});

Deno.test("emulated Docs: what Docs refuses leaves the document as it was", async () => {
  const { call } = docs();
  const id = await fresh(call, "abc");
  await refuses(call("docs.documents.get", { params: { documentId: "unknown" } }), { status: 404 });
  await refuses(
    batch(call, id, [{ insertText: { location: { index: 1 }, text: "x" } }, {
      insertText: { location: { index: 99 }, text: "y" },
    }]),
    {
      status: 400,
      message: /Index 99 must be less than the end index/,
    },
  );
  await refuses(batch(call, id, [{ insertText: { location: { index: 0 }, text: "x" } }]), {
    status: 400,
  });
  await refuses(
    batch(call, id, [{ deleteContentRange: { range: { startIndex: 2, endIndex: 2 } } }]),
    { status: 400 },
  );
  await refuses(batch(call, id, [{ fly: {} }]), { status: 400, message: /Unknown name "fly"/ });
  assert.equal(textOf(contentOf(await read(call, id))), "abc\n");
});

Deno.test("emulated Docs: edits by index do to the text what they do to a string (property)", async () => {
  const { call } = docs();
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    length: fc.integer({ min: 0, max: 9 }),
    text: fc.string({
      minLength: 1,
      maxLength: 8,
      unit: fc.constantFrom("a", "B", "ü", "\n", " ", "数"),
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
      const id = await fresh(call);
      let expected = "\n";
      for (const { at, length, text } of edits) {
        const index = Math.floor(at * expected.length);
        const end = Math.min(index + length, expected.length - 1);
        const requests: JsonObject[] = [];
        if (end > index) {
          requests.push({
            deleteContentRange: { range: { startIndex: 1 + index, endIndex: 1 + end } },
          });
          expected = expected.slice(0, index) + expected.slice(end);
        }
        requests.push({ insertText: { location: { index: 1 + index }, text } });
        expected = expected.slice(0, index) + text + expected.slice(index);
        await batch(call, id, requests);
      }
      const content = contentOf(await read(call, id));
      checkIndexes(content, 0);
      assert.equal(textOf(content), expected);
      for (const element of content.slice(1)) {
        assert.match(textOf([element]), /^[^\n]*\n$/);
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("emulated Docs: same account, same documents", async () => {
  const text = async () => {
    const { call, ids } = docs();
    return JSON.stringify(await Promise.all(ids.slice(0, 8).map((id) => read(call, id))));
  };
  assert.equal(await text(), await text());
});
