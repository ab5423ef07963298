import assert from "node:assert/strict";
import type { DiscoveryDocument } from "../lib/catalog/derive/mod.ts";
import { fetchSnapshot } from "./fetch.ts";
import type { Overrides } from "./overrides.ts";
import { pruneDocument } from "./prune.ts";
import { loadSnapshot } from "./snapshot.ts";
import { zipMembers } from "./wheel.ts";

const DOCUMENT: DiscoveryDocument & Record<string, unknown> = {
  kind: "discovery#restDescription",
  name: "demo",
  version: "v1",
  title: "Demo API",
  revision: "20260203",
  rootUrl: "https://demo.googleapis.com/",
  servicePath: "",
  ownerDomain: "google.com",
  parameters: { key: { type: "string", location: "query", description: "API key." } },
  schemas: {
    Thing: {
      id: "Thing",
      type: "object",
      description: "A thing.",
      properties: {
        zeta: { type: "string", description: "Kept: this is a request." },
        alpha: { $ref: "Part" },
      },
    },
    Part: { type: "object", properties: { name: { type: "string", description: "Dropped." } } },
    Unused: { type: "object" },
  },
  resources: {
    things: {
      methods: {
        get: {
          id: "demo.things.get",
          httpMethod: "GET",
          path: "v1/things/{id}",
          parameters: { id: { type: "string", location: "path", required: true } },
          response: { $ref: "Thing" },
        },
        create: {
          id: "demo.things.create",
          httpMethod: "POST",
          path: "v1/things",
          request: { $ref: "Thing" },
          response: { $ref: "Part" },
        },
      },
    },
    others: { methods: { list: { id: "demo.others.list", httpMethod: "GET", path: "v1/others" } } },
  },
};

const OVERRIDES: Overrides = {
  schema_version: 1,
  apis: {
    demo: {
      discovery_url: "https://demo.googleapis.com/$discovery/rest?version=v1",
      api: "demo",
      version: "v1",
      service_family: "demo",
    },
  },
  ops: { "demo.things.create": {} },
};

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gen-catalog-fetch-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("prune: patterns stay where a value could leave its segment", () => {
  const pattern = "^spaces/[^/]+$";
  const parameter = { type: "string", location: "path", required: true, pattern };
  const method = {
    id: "demo.spaces.get",
    httpMethod: "GET",
    path: "v1/{+name}/{id}",
    parameters: { name: parameter, id: parameter },
  };
  const document = { ...DOCUMENT, resources: { spaces: { methods: { get: method } } } };
  const { resources } = pruneDocument(document, new Set([method.id]));
  const kept = resources?.spaces?.methods?.get?.parameters;
  assert.equal(kept?.name?.pattern, pattern);
  assert.ok(kept?.id !== undefined && !("pattern" in kept.id));
});

Deno.test("prune: used methods, reachable schemas, listed keys, nothing else", () => {
  const pruned = pruneDocument(DOCUMENT, new Set(["demo.things.create"]));
  assert.deepEqual(Object.keys(pruned.resources ?? {}), ["things"]);
  assert.deepEqual(Object.keys(pruned.resources?.things?.methods ?? {}), ["create"]);
  assert.deepEqual(Object.keys(pruned.schemas ?? {}), ["Part", "Thing"]);
  assert.ok(!("kind" in pruned) && !("ownerDomain" in pruned));
  const { Thing, Part } = pruned.schemas ?? {};
  // The order of a request's properties decides which fields are listed.
  assert.deepEqual(Object.keys(Thing?.properties ?? {}), ["zeta", "alpha"]);
  assert.equal(Thing?.properties?.zeta?.description, "Kept: this is a request.");
  assert.equal(Part?.properties?.name?.description, undefined);
  const again = pruneDocument(pruned, new Set(["demo.things.create"]));
  assert.deepEqual(again, pruned);
});

Deno.test("fetch: a folder of documents becomes a pinned snapshot that loads", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/in`);
    await Deno.writeTextFile(`${folder}/in/demo.v1.json`, JSON.stringify(DOCUMENT));
    const snapshot = new URL(`file://${folder}/out/`);
    await Deno.mkdir(snapshot);
    const lines = await fetchSnapshot({
      folder: snapshot,
      overrides: OVERRIDES,
      from: `${folder}/in`,
    });
    assert.match(lines[0] ?? "", /^demo\.v1: revision 20260203, \d+ bytes$/);
    const documents = await loadSnapshot(snapshot, OVERRIDES);
    assert.equal(documents.get("demo")?.revision, "20260203");
    const lock = await Deno.readTextFile(new URL("discovery.lock.json", snapshot));
    await fetchSnapshot({ folder: snapshot, overrides: OVERRIDES, from: `${folder}/in` });
    assert.equal(await Deno.readTextFile(new URL("discovery.lock.json", snapshot)), lock);
  });
});

Deno.test("fetch: a wheel is read member by member, stored and deflated", async () => {
  const name = "googleapiclient/discovery_cache/documents/demo.v1.json";
  const data = new TextEncoder().encode(JSON.stringify(DOCUMENT));
  for (const deflate of [false, true]) {
    const archive = await zipOf(name, { data, deflate });
    const members = zipMembers(archive);
    assert.deepEqual(members.map((member) => member.name), [name]);
    assert.deepEqual(await members[0]?.read(), data);
    await withFolder(async (folder) => {
      const wheel = `${folder}/google_api_python_client-9.8.7-py3-none-any.whl`;
      await Deno.writeFile(wheel, archive);
      const snapshot = new URL(`file://${folder}/out/`);
      await Deno.mkdir(snapshot);
      await fetchSnapshot({ folder: snapshot, overrides: OVERRIDES, from: wheel });
      const lock = JSON.parse(
        await Deno.readTextFile(new URL("discovery.lock.json", snapshot)),
      );
      assert.equal(lock.documents["demo.v1"].source, "google-api-python-client 9.8.7");
    });
  }
  assert.throws(() => zipMembers(new Uint8Array(100)), /not a zip/);
});

Deno.test("fetch: a hand-written document is re-digested, never replaced", async () => {
  await withFolder(async (folder) => {
    const snapshot = new URL(`file://${folder}/`);
    const authored = JSON.stringify(DOCUMENT);
    await Deno.writeTextFile(new URL("demo.v1.json", snapshot), authored);
    await Deno.writeTextFile(
      new URL("discovery.lock.json", snapshot),
      JSON.stringify({
        schema_version: 1,
        documents: { "demo.v1": { revision: "", sha256: "", url: "", source: "authored" } },
      }),
    );
    await fetchSnapshot({ folder: snapshot, overrides: OVERRIDES, from: folder });
    assert.equal(await Deno.readTextFile(new URL("demo.v1.json", snapshot)), authored);
    assert.equal((await loadSnapshot(snapshot, OVERRIDES)).size, 1);
  });
});

/** A zip archive with one member. */
async function zipOf(
  name: string,
  content: { data: Uint8Array<ArrayBuffer>; deflate: boolean },
): Promise<Uint8Array<ArrayBuffer>> {
  const stored = content.deflate
    ? new Uint8Array(
      await new Response(
        new Blob([content.data]).stream().pipeThrough(new CompressionStream("deflate-raw")),
      ).arrayBuffer(),
    )
    : content.data;
  const path = new TextEncoder().encode(name);
  const local = new Uint8Array(30 + path.length + stored.length);
  local.set(path, 30);
  local.set(stored, 30 + path.length);
  new DataView(local.buffer).setUint16(26, path.length, true);
  const entry = new Uint8Array(46 + path.length);
  const entryView = new DataView(entry.buffer);
  entryView.setUint32(0, 0x02014b50, true);
  entryView.setUint16(10, content.deflate ? 8 : 0, true);
  entryView.setUint32(20, stored.length, true);
  entryView.setUint16(28, path.length, true);
  entry.set(path, 46);
  const end = new Uint8Array(22);
  const endView = new DataView(end.buffer);
  endView.setUint32(0, 0x06054b50, true);
  endView.setUint16(10, 1, true);
  endView.setUint32(16, local.length, true);
  return new Uint8Array([...local, ...entry, ...end]);
}
