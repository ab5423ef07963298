import assert from "node:assert/strict";
import { findGumError, isGumError } from "../../../errors/mod.ts";
import { loadCatalog } from "../../load.ts";
import { openSearch } from "../../search/mod.ts";
import { openSessionLongTail, shippedContext } from "../mod.ts";
import { currentRevision } from "../installed.ts";
import { rollBack, type UpdateContext, updateLongTail } from "./mod.ts";

const LIST = "https://www.googleapis.com/discovery/v1/apis/list.json";

function documentOf(name: string, description: string, resource = "lanterns"): object {
  return {
    name,
    version: "v1",
    title: `${name} API`,
    revision: "20990101",
    rootUrl: `https://${name}.googleapis.com/`,
    servicePath: "",
    schemas: {},
    resources: {
      [resource]: {
        methods: {
          list: {
            id: `${name}.${resource}.list`,
            path: "v1/lanterns",
            httpMethod: "GET",
            description,
            scopes: ["https://www.googleapis.com/auth/lantern.readonly"],
          },
        },
      },
    },
  };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A release channel of its own: keys, documents, and what of them to spoil. */
async function channel(updates: string) {
  const keys = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const served = new Map<string, Uint8Array<ArrayBuffer>>();
  const encode = (content: object) => new TextEncoder().encode(JSON.stringify(content));
  const asked: string[] = [];
  async function publish(revision: string, documents: Record<string, object>): Promise<void> {
    const listed = [];
    for (const [api, document] of Object.entries(documents)) {
      const url = `https://${api}.googleapis.com/$discovery/rest?version=v1`;
      served.set(url, encode(document));
      listed.push({
        api,
        version: "v1",
        revision: "20990101",
        url,
        sha256: await sha256(encode(document)),
      });
    }
    const list = encode({ schema_version: 1, revision, documents: listed });
    served.set(LIST, list);
    const signature = await crypto.subtle.sign("Ed25519", keys.privateKey, list);
    served.set(`${LIST}.sig`, new Uint8Array(signature));
  }
  const context: UpdateContext = {
    updates,
    listUrl: LIST,
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey)),
    shipped: {},
    build: shippedContext(loadCatalog().ops.map(({ op_id }) => op_id)),
    download(url) {
      asked.push(url);
      const bytes = served.get(url);
      return bytes === undefined ? Promise.reject(new Error(url)) : Promise.resolve(bytes);
    },
  };
  return { context, publish, served, asked };
}

async function withUpdates(run: (updates: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(`${folder}/long tail #1 100%`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const summary = (updates: string, opId: string) =>
  openSessionLongTail("all", { updates })?.findOp(opId)?.summary;

Deno.test("catalog update: what the list brings is found, described, replaced and taken back", async () => {
  await withUpdates(async (updates) => {
    const { context, publish, asked } = await channel(updates);
    await publish("20990101", { lanterns: documentOf("lanterns", "Lists lamps.") });
    const first = await updateLongTail(context);
    assert.deepEqual([first.status, first.operations, first.services], [
      "updated",
      1,
      ["lanterns"],
    ]);
    assert.equal(summary(updates, "lanterns.lanterns.list"), "Lists lamps.");
    assert.ok(summary(updates, "compute.instances.list"), "the shipped pack stays below");
    const search = await openSearch({ longTail: { exposure: "read", updates } });
    assert.equal(search.search("list lanterns", 1)[0]?.op_id, "lanterns.lanterns.list");

    const before = asked.length;
    assert.equal((await updateLongTail(context)).status, "up_to_date");
    assert.equal(asked.length, before + 2, "only the list and its signature");

    await publish("20990102", {
      lanterns: documentOf("lanterns", "Lists lamps and wicks."),
      compute: documentOf("compute", "Lists lanterns of a cluster."),
    });
    assert.equal((await updateLongTail(context)).status, "updated");
    assert.equal(summary(updates, "lanterns.lanterns.list"), "Lists lamps and wicks.");
    assert.equal(
      summary(updates, "compute.instances.list"),
      undefined,
      "a service is replaced whole",
    );
    const rows = (await openSearch({ longTail: { exposure: "all", updates } }))
      .search("compute engine instances", 50).map(({ op_id }) => op_id);
    assert.ok(!rows.includes("compute.instances.list"));

    assert.equal((await rollBack(updates)).revision, "20990101");
    assert.equal(summary(updates, "lanterns.lanterns.list"), "Lists lamps.");
    assert.ok(summary(updates, "compute.instances.list"));
    assert.equal((await rollBack(updates)).revision, "shipped");
    assert.equal(summary(updates, "lanterns.lanterns.list"), undefined);
    assert.equal((await rollBack(updates)).revision, "shipped");
  });
});

Deno.test("catalog update: what ships meanwhile takes the place of an older update", async () => {
  await withUpdates(async (updates) => {
    const { context, publish, served } = await channel(updates);
    await publish("20990101", { compute: documentOf("compute", "Lists lanterns of a cluster.") });
    await updateLongTail(context);
    assert.equal(summary(updates, "compute.instances.list"), undefined);

    const newer = { compute: documentOf("compute", "Lists lanterns and lamps.") };
    await publish("20990102", newer);
    const listed = served.get("https://compute.googleapis.com/$discovery/rest?version=v1");
    const shipped = { "compute.v1": { sha256: await sha256(listed ?? assert.fail()) } };
    const upgraded = { ...context, shipped };
    const report = await updateLongTail(upgraded);
    assert.deepEqual([report.status, report.downloaded], ["updated", 0]);
    assert.ok(summary(updates, "compute.instances.list"), "the shipped pack is in use");
    assert.equal(currentRevision(updates), undefined);
    assert.equal((await updateLongTail(upgraded)).status, "up_to_date");
    assert.equal((await rollBack(updates)).revision, "shipped");
  });
});

Deno.test("catalog update: an operation that was renamed is still found by its old id", async () => {
  await withUpdates(async (updates) => {
    const { context, publish } = await channel(updates);
    await publish("20990101", { lanterns: documentOf("lanterns", "Lists lamps.") });
    await updateLongTail(context);
    await publish("20990102", { lanterns: documentOf("lanterns", "Lists lights.", "lights") });
    await updateLongTail(context);
    const op = openSessionLongTail("all", { updates })?.findOp("lanterns.lanterns.list");
    assert.equal(op?.op_id, "lanterns.lights.list");
    assert.deepEqual(op?.deprecated_op_ids, ["lanterns.lanterns.list"]);
  });
});

Deno.test("catalog update: nothing unsigned, changed, foreign or older gets in", async () => {
  await withUpdates(async (updates) => {
    const { context, publish, served } = await channel(updates);
    const document = documentOf("lanterns", "Lists lamps.");
    const url = "https://lanterns.googleapis.com/$discovery/rest?version=v1";
    await publish("20990105", { lanterns: document });
    const denied = (reason: string) => (error: unknown) =>
      isGumError(error, "POLICY_DENIED") && findGumError(error)?.details.reason === reason;

    const list = served.get(LIST) ?? new Uint8Array();
    served.set(LIST, new TextEncoder().encode(new TextDecoder().decode(list).replace("05", "06")));
    await assert.rejects(updateLongTail(context), denied("signature_invalid"));
    served.set(LIST, list);

    const honest = served.get(url) ?? new Uint8Array();
    served.set(url, new TextEncoder().encode(JSON.stringify(documentOf("lanterns", "Spoilt."))));
    await assert.rejects(updateLongTail(context), denied("digest_mismatch"));
    served.set(url, honest);
    assert.equal(currentRevision(updates), undefined);
    assert.equal(summary(updates, "lanterns.lanterns.list"), undefined);

    await updateLongTail(context);
    await publish("20990104", { lanterns: documentOf("lanterns", "Old.") });
    await assert.rejects(updateLongTail(context), denied("revision_older"));
    assert.equal(summary(updates, "lanterns.lanterns.list"), "Lists lamps.");

    await publish("20990106", { other: documentOf("lanterns", "Another API's document.") });
    await assert.rejects(updateLongTail(context), denied("another_document"));
    await publish("../20990107", { lanterns: document });
    await assert.rejects(
      updateLongTail(context),
      (error) => isGumError(error, "CATALOG_SCHEMA_UNSUPPORTED"),
    );
    assert.equal(currentRevision(updates), "20990105");
    const left = [...Deno.readDirSync(updates)].map(({ name }) => name).sort();
    assert.deepEqual(left, ["20990105", "current"]);
  });
});

Deno.test("catalog update: a damaged update leaves the shipped pack in use", async () => {
  await withUpdates(async (updates) => {
    const { context, publish } = await channel(updates);
    await publish("20990101", { lanterns: documentOf("lanterns", "Lists lamps.") });
    await updateLongTail(context);
    for (const file of ["methods.bin", "bm25.bin"]) {
      await Deno.writeTextFile(`${updates}/20990101/${file}`, "damaged");
    }
    const warnings: string[] = [];
    const logger = {
      log: (level: string, message: string) => void (level === "warn" && warnings.push(message)),
    };
    const pack = openSessionLongTail("all", { updates, logger });
    assert.ok(pack?.findOp("compute.instances.list"));
    const search = await openSearch({ logger, longTail: { exposure: "all", updates } });
    assert.ok(search.search("compute engine zones").some(({ tier }) => tier === "long_tail"));
    assert.equal(warnings.length, 2);
  });
});
