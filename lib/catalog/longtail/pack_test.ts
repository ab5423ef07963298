import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import type { Logger } from "../../log/mod.ts";
import { describeOp, schemaResource } from "../describe/mod.ts";
import { loadCatalog } from "../load.ts";
import { openSearch } from "../search/mod.ts";
import { createSnapshot } from "../snapshot.ts";
import type { Op } from "../types.ts";
import { validateOp } from "../validate/mod.ts";
import {
  CHECKSUM_FILE,
  embeddedSource,
  folderSource,
  openLongTail,
  openSessionLongTail,
  PACK_FILES,
} from "./mod.ts";

const source = embeddedSource();
const pack = openLongTail(source, { exposure: "all" });

function everyOperation(visit: (op: Op) => void): number {
  let count = 0;
  for (const service of pack.services()) {
    for (const opId of pack.operationIds(service)) {
      const op = pack.findOp(opId);
      assert.ok(op !== undefined, opId);
      visit(op);
      count++;
    }
  }
  return count;
}

function recorder(): Logger & { warnings: string[] } {
  const warnings: string[] = [];
  return { warnings, log: (level, message) => level === "warn" && warnings.push(message) };
}

Deno.test("long tail: reserved placeholders have the patterns of their documents", () => {
  const patternOf = (opId: string, name: string) =>
    pack.findOp(opId)?.request_fields?.find((field) => field.name === name)?.pattern;
  // Told by the id, kept in the pack, united over versions, not a pattern at all.
  assert.equal(
    patternOf("run.projects.locations.jobs.delete", "name"),
    "^projects/[^/]+/locations/[^/]+/jobs/[^/]+$",
  );
  assert.equal(
    patternOf("datalineage.projects.locations.config.patch", "name"),
    "^projects/[^/]+/locations/[^/]+/config$",
  );
  assert.equal(
    patternOf("managedidentities.projects.locations.global.operations.list", "name"),
    "^(?:projects/[^/]+/locations/global/operations|projects/[^/]+/locations/global)$",
  );
  assert.equal(patternOf("speech.operations.get", "name"), undefined);
  let reserved = 0;
  let known = 0;
  everyOperation((op) => {
    for (const field of op.request_fields ?? []) {
      if (op.variants[0]?.binding?.http?.path.includes(`{+${field.name}}`) !== true) continue;
      reserved++;
      if (field.pattern !== undefined) known++;
    }
  });
  assert.ok(reserved > 12_000 && reserved - known < 50, `${known} of ${reserved}`);
});

Deno.test("long tail: every operation passes the catalog's rules and its own", () => {
  const variantIds = new Set<string>();
  const count = everyOperation((op) => {
    validateOp(op);
    const [main] = op.variants;
    assert.ok(main !== undefined && op.service_family !== "", op.op_id);
    const risks = new Set(op.variants.map(({ risk_class }) => risk_class));
    assert.equal(risks.size, 1, `${op.op_id}: versions differ in risk`);
    for (const variant of op.variants) {
      assert.ok(!variantIds.has(variant.variant_id), variant.variant_id);
      variantIds.add(variant.variant_id);
      assert.equal(variant.backend_kind, "discovery-rest");
      assert.equal(variant.binding?.adapter_key, "rest.discovery-rest");
      const atoms = new Set(variant.capabilities);
      const streams = atoms.has("server_streaming") || atoms.has("bidi_streaming");
      const media = ["media_download", "media_upload", "resumable_upload"]
        .filter((atom) => atoms.has(atom));
      const support = streams ? "schema_only" : media.length > 0 ? "partial" : undefined;
      assert.equal(variant.execution_support, support, variant.variant_id);
      if (support === "partial") assert.deepEqual(variant.unsupported_capabilities, media);
      if (op.service === "admin") assert.equal(variant.risk_class, "read", op.op_id);
    }
    if (main.auth_strategy === "adc") {
      assert.ok(main.auth_components?.some(({ kind }) => kind === "quota_project"), op.op_id);
    }
    if (main.auth_strategy === "api_key") assert.equal(main.scopes, undefined, op.op_id);
  });
  assert.ok(count > 10_000, `${count}`);
  const curated = new Set(loadCatalog().ops.flatMap((op) => op.variants.map((v) => v.variant_id)));
  assert.deepEqual([...variantIds].filter((id) => curated.has(id)), []);
});

Deno.test("long tail risk: sensitive services confirm every write, and no GET or POST read is named like a leak", () => {
  const sensitive =
    /^(?:cloudidentity|cloudbilling|iam\w*|orgpolicy|accesscontextmanager|cloudresourcemanager|serviceusage|reseller|cloudkms|secretmanager|identitytoolkit|androidmanagement|vault)$/;
  everyOperation((op) => {
    const [main] = op.variants;
    if (sensitive.test(op.service) && main?.risk_class === "write") {
      assert.equal(main.confirmation_policy, "high_stakes_write", op.op_id);
    }
    if (main?.binding?.http?.method === "DELETE") {
      assert.equal(main.risk_class, "destructive", op.op_id);
    }
    if (main?.risk_class !== "read") return;
    const name = op.op_id.slice(op.op_id.lastIndexOf(".") + 1);
    assert.ok(
      !/^(?:fetch|generate|get)\w*(?:AccessToken|KeyString|AuthString)$/.test(name),
      op.op_id,
    );
  });
  const risk = (opId: string) => pack.findOp(opId)?.variants[0]?.risk_class;
  assert.equal(risk("bigquery.jobs.query"), "write");
  assert.equal(risk("secretmanager.projects.secrets.versions.access"), "write");
  assert.equal(risk("storage.buckets.lockRetentionPolicy"), "destructive");
  assert.equal(risk("compute.instances.list"), "read");
  assert.equal(risk("analyticsdata.properties.runReport"), "read");
});

Deno.test("long tail: lookups by variant, version and schema ref agree", () => {
  const op = pack.findOp("compute.instances.insert");
  assert.ok(op !== undefined && op.variants.length > 1);
  for (const variant of op.variants) {
    assert.deepEqual(pack.findVariant(variant.variant_id), { op, variant });
  }
  assert.deepEqual(op.variants.map(({ stability }) => stability), [
    "stable",
    "alpha",
    "beta",
    "alpha",
  ]);
  const ref = op.variants[0]?.binding?.request_ref ?? "";
  const schema = pack.requestSchema(ref);
  assert.equal(schema?.$id, ref);
  const body = (schema?.properties as JsonObject).body as JsonObject;
  const disks = (body.properties as JsonObject).disks as JsonObject;
  assert.equal(disks.type, "array");
  assert.ok(isJsonObject(disks.items) && isJsonObject(disks.items.properties));
  assert.ok(!JSON.stringify(schema).includes("$ref"));
  for (
    const unknown of ["compute", "compute.", "nothere.things.list", "", ".", "compute.instances"]
  ) {
    assert.equal(pack.findOp(unknown), undefined);
    assert.equal(pack.findVariant(unknown), undefined);
    assert.equal(pack.requestSchema(unknown), undefined);
  }
});

Deno.test("long tail: recursive schemas end, and the deepest document stays readable", () => {
  let largest = 0;
  for (
    const service of ["docs", "dialogflow", "spanner", "healthcare", "firestore", "displayvideo"]
  ) {
    for (const opId of pack.operationIds(service)) {
      const ref = pack.findOp(opId)?.variants[0]?.binding?.request_ref;
      if (ref === undefined) continue;
      const text = JSON.stringify(pack.requestSchema(ref));
      assert.ok(!text.includes('"$ref"'), opId);
      largest = Math.max(largest, text.length);
    }
  }
  assert.ok(largest > 1_000 && largest < 2_000_000, `${largest}`);
});

Deno.test("long tail: a snapshot finds and describes what its operations list leaves out", () => {
  const snapshot = createSnapshot(loadCatalog(), {
    requestSchema: () => undefined,
    longTail: openLongTail(source, { exposure: "read" }),
  });
  assert.ok(snapshot.ops.every(({ op_id }) => !op_id.startsWith("compute.")));
  const op = snapshot.findOp("compute.instances.list");
  assert.ok(op !== undefined);
  const contract = describeOp(op);
  assert.deepEqual(contract.params?.filter(({ required }) => required).map(({ name }) => name), [
    "project",
    "zone",
  ]);
  assert.equal(contract.schema_refs.input, "compute.instances.list.request");
  assert.equal(schemaResource("compute.instances.list.request", snapshot).kind, "found");
  assert.equal(schemaResource("compute.instances.insert.request", snapshot).kind, "absent");
  assert.equal(snapshot.findOp("compute.instances.insert"), undefined);
  assert.equal(snapshot.findOp("gmail.users.messages.list")?.service, "gmail");
});

Deno.test("long tail: nothing is read before the first lookup that needs it", () => {
  const reads: string[] = [];
  const counted = openSessionLongTail("read", {
    source: {
      read: (file) => (reads.push(file), source.read(file)),
      range: (file, part) => (reads.push(file), source.range(file, part)),
    },
  });
  assert.deepEqual(reads, []);
  counted?.findOp("compute.instances.list");
  const first = reads.length;
  assert.ok(first > 0 && reads.every((file) => file === "methods.bin"));
  counted?.findOp("compute.instances.list");
  assert.equal(reads.length, first, "a repeated lookup reads nothing");
  assert.equal(openSessionLongTail("off"), undefined);
});

Deno.test("long tail: a missing or damaged pack costs the long tail, nothing else, and one warning", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const broken = folderSource(new URL(`file://${folder}/`));
    for (const damage of [undefined, "noise"]) {
      if (damage !== undefined) {
        for (const file of PACK_FILES) await Deno.writeTextFile(`${folder}/${file}`, damage);
      }
      const logger = recorder();
      const damaged = openSessionLongTail("all", { source: broken, logger });
      assert.equal(damaged?.findOp("compute.instances.list"), undefined);
      assert.equal(damaged?.findVariant("compute.v1.rest.instances.list"), undefined);
      assert.deepEqual(damaged?.services(), []);
      const search = await openSearch({ logger, longTail: { exposure: "all", source: broken } });
      assert.equal(search.search("send an email", 1)[0]?.op_id, "gmail.users.messages.send");
      assert.equal(logger.warnings.length, 2);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("long tail: the shipped files are those that were built, and small enough", async () => {
  const stated = new TextDecoder().decode(source.read(CHECKSUM_FILE));
  let bytes = 0;
  for (const file of PACK_FILES) {
    const content = source.read(file);
    bytes += content.length;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    assert.ok(stated.includes(`${hex}  ${file}\n`), file);
  }
  assert.ok(bytes <= 4_000_000, `${bytes}`);
});
