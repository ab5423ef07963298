import assert from "node:assert/strict";
import type { JsonObject } from "../../json/mod.ts";
import { type Caller, callerOf, refuses, testSeed } from "../drive/testdata/calling.ts";
import { nativeFilesOf } from "../drive/mod.ts";
import { createSlides } from "./mod.ts";

interface World {
  call: Caller;
  ids: string[];
}

function slides(): World {
  const seed = testSeed({ world: {} });
  const call = callerOf(createSlides(seed));
  return { call, ids: nativeFilesOf(seed).list("presentation").map((file) => file.id) };
}

async function read(call: Caller, presentationId: string): Promise<JsonObject> {
  return (await call("slides.presentations.get", { params: { presentationId } })).json;
}

const batch = (
  call: Caller,
  presentationId: string,
  requests: JsonObject[],
  extra: JsonObject = {},
) =>
  call("slides.presentations.batchUpdate", {
    params: { presentationId },
    body: { requests, ...extra },
  });

const pagesOf = (presentation: JsonObject) => presentation.slides as JsonObject[];

function textOf(page: JsonObject): string {
  return (page.pageElements as JsonObject[]).flatMap((element) => {
    const text = (element.shape as JsonObject | undefined)?.text as JsonObject | undefined;
    return ((text?.textElements ?? []) as JsonObject[]).map((part) =>
      String((part.textRun as JsonObject | undefined)?.content ?? "")
    );
  }).join("");
}

Deno.test("emulated Slides: every seeded presentation opens, every page of it too", async () => {
  const { call, ids } = slides();
  const counts: number[] = [];
  for (const presentationId of ids) {
    const presentation = await read(call, presentationId);
    counts.push(pagesOf(presentation).length);
    const layouts = new Set(
      (presentation.layouts as JsonObject[]).map((layout) => layout.objectId),
    );
    const objects = pagesOf(presentation).flatMap((
      page,
    ) => [
      page.objectId,
      ...(page.pageElements as JsonObject[]).map((element) => element.objectId),
    ]);
    assert.equal(new Set(objects).size, objects.length);
    for (const page of pagesOf(presentation)) {
      assert.ok(layouts.has((page.slideProperties as JsonObject).layoutObjectId as string));
      const got = await call("slides.presentations.pages.get", {
        params: { presentationId, pageObjectId: String(page.objectId) },
      });
      assert.deepEqual(got.json, page);
    }
  }
  assert.ok(Math.max(...counts) >= 20 && Math.min(...counts) <= 3);
});

Deno.test("emulated Slides: text elements cover the text without gaps", async () => {
  const { call, ids } = slides();
  for (const page of pagesOf(await read(call, ids[0] as string))) {
    for (const element of page.pageElements as JsonObject[]) {
      const text = (element.shape as JsonObject | undefined)?.text as JsonObject | undefined;
      let at = 0;
      for (const part of ((text?.textElements ?? []) as JsonObject[])) {
        const run = part.textRun as JsonObject | undefined;
        assert.equal(part.startIndex ?? 0, at);
        if (run !== undefined) {
          at += String(run.content).length;
          assert.equal(part.endIndex, at);
        }
      }
    }
  }
});

Deno.test("emulated Slides: create, add a slide with text, replace, reorder, delete", async () => {
  const { call } = slides();
  const made = await call("slides.presentations.create", { body: { title: "Bericht" } });
  const id = String(made.json.presentationId);
  assert.equal(pagesOf(made.json).length, 1);
  const answer = await batch(call, id, [
    {
      createSlide: {
        objectId: "slide_neu",
        slideLayoutReference: { predefinedLayout: "TITLE_AND_BODY" },
        placeholderIdMappings: [{ layoutPlaceholder: { type: "TITLE" }, objectId: "titel_neu" }],
      },
    },
    { insertText: { objectId: "titel_neu", text: "Hallo Welt" } },
    { insertText: { objectId: "titel_neu", text: ", ", insertionIndex: 5 } },
    {
      createShape: {
        objectId: "kasten",
        shapeType: "TEXT_BOX",
        elementProperties: { pageObjectId: "slide_neu" },
      },
    },
    { insertText: { objectId: "kasten", text: "Welt A\nWelt B" } },
    { replaceAllText: { containsText: { text: "welt" }, replaceText: "Erde" } },
    {
      deleteText: {
        objectId: "kasten",
        textRange: { type: "FIXED_RANGE", startIndex: 0, endIndex: 7 },
      },
    },
    {
      createTable: {
        objectId: "tabelle",
        rows: 2,
        columns: 2,
        elementProperties: { pageObjectId: "slide_neu" },
      },
    },
    {
      insertText: {
        objectId: "tabelle",
        cellLocation: { rowIndex: 1, columnIndex: 0 },
        text: "Zelle",
      },
    },
    { updateSlidesPosition: { slideObjectIds: ["slide_neu"], insertionIndex: 0 } },
  ]);
  assert.deepEqual((answer.json.replies as JsonObject[])[0], {
    createSlide: { objectId: "slide_neu" },
  });
  assert.deepEqual((answer.json.replies as JsonObject[])[5], {
    replaceAllText: { occurrencesChanged: 3 },
  });
  const page = pagesOf(await read(call, id))[0] as JsonObject;
  assert.equal(page.objectId, "slide_neu");
  assert.equal(textOf(page), "Hallo,  Erde\nErde B\n");
  assert.match(JSON.stringify(page), /"Zelle\\n"/);
  await batch(call, id, [{ deleteObject: { objectId: "slide_neu" } }]);
  assert.equal(pagesOf(await read(call, id)).length, 1);
});

Deno.test("emulated Slides: duplicates get ids of their own", async () => {
  const { call, ids } = slides();
  const id = ids[0] as string;
  const before = pagesOf(await read(call, id));
  const source = before[1] as JsonObject;
  const answer = await batch(call, id, [{
    duplicateObject: { objectId: source.objectId as string },
  }]);
  const copyId =
    (((answer.json.replies as JsonObject[])[0] as JsonObject).duplicateObject as JsonObject)
      .objectId;
  const after = pagesOf(await read(call, id));
  assert.equal(after.length, before.length + 1);
  assert.equal(after[2]?.objectId, copyId);
  assert.equal(textOf(after[2] as JsonObject), textOf(source));
});

Deno.test("emulated Slides: what Slides refuses leaves the presentation as it was", async () => {
  const { call, ids } = slides();
  const id = ids[1] as string;
  const before = await read(call, id);
  await refuses(call("slides.presentations.get", { params: { presentationId: "unknown" } }), {
    status: 404,
  });
  await refuses(batch(call, id, [{ createSlide: {} }, { deleteObject: { objectId: "missing" } }]), {
    status: 400,
    message: /could not be found/,
  });
  await refuses(batch(call, id, [{ insertText: { objectId: "missing", text: "x" } }]), {
    status: 400,
  });
  await refuses(
    batch(call, id, [{ createSlide: { slideLayoutReference: { predefinedLayout: "FANCY" } } }]),
    { status: 400 },
  );
  await refuses(batch(call, id, [{ createSlide: { objectId: "ab" } }]), { status: 400 });
  await refuses(batch(call, id, [{ explode: {} }]), { status: 400 });
  await refuses(
    batch(call, id, [{ createSlide: {} }], { writeControl: { requiredRevisionId: "old" } }),
    { status: 400 },
  );
  assert.deepEqual(await read(call, id), before);
});

Deno.test("emulated Slides: same account, same presentations", async () => {
  const text = async () => {
    const { call, ids } = slides();
    return JSON.stringify(await Promise.all(ids.map((id) => read(call, id))));
  };
  assert.equal(await text(), await text());
});
