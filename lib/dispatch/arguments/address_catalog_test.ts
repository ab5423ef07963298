import assert from "node:assert/strict";
import fc from "fast-check";
import {
  createSnapshot,
  embeddedRequestSchema,
  loadCatalog,
  openSessionLongTail,
} from "../../catalog/mod.ts";
import type { CatalogSnapshot, Op, Variant } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import { sampleSegment, sampleValue } from "../../resource_names/testdata/sample_value.ts";
import { strayAddress } from "./address.ts";

function wholeCatalog(exposure: "all" | "read" = "all"): { catalog: CatalogSnapshot; ops: Op[] } {
  const longTail = openSessionLongTail(exposure);
  assert.ok(longTail !== undefined);
  const catalog = createSnapshot(loadCatalog(), { requestSchema: embeddedRequestSchema, longTail });
  const further = longTail.services().flatMap((service) => longTail.operationIds(service))
    .flatMap((id) => catalog.findOp(id) ?? []);
  return { catalog, ops: [...catalog.ops, ...further] };
}

function seededRandom(): { seed: number; random: () => number } {
  const seed = Number(
    Deno.env.get("GUM_LONGTAIL_SEED") ?? new Date().toISOString().slice(0, 10).replaceAll("-", ""),
  );
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { seed, random };
}

/** Values of every path argument, as the catalog describes them. */
function pathArgs(op: Op, random: () => number): JsonObject {
  return Object.fromEntries(
    (op.request_fields ?? []).filter(({ location }) => location === "path").map((field) => [
      field.name,
      field.pattern === undefined ? sampleSegment(random) : sampleValue(field.pattern, random),
    ]),
  );
}

function mainOf(op: Op): Variant {
  const [variant] = op.variants;
  assert.ok(variant !== undefined, op.op_id);
  return variant;
}

const RESERVED = /\{\+[^}]+\}/;

Deno.test("no operation of the whole catalog refuses what its own patterns describe", () => {
  const { catalog, ops } = wholeCatalog();
  const { seed, random } = seededRandom();
  const counts = { checked: 0, patterned: 0 };
  for (const op of ops) {
    for (const variant of op.variants.slice(0, 3)) {
      if (!RESERVED.test(variant.binding?.http?.path ?? "")) continue;
      counts.checked++;
      if (op.request_fields?.some(({ pattern }) => pattern !== undefined)) counts.patterned++;
      const args = pathArgs(op, random);
      const stray = strayAddress({ op, variant, args }, catalog);
      const at = `GUM_LONGTAIL_SEED=${seed} ${variant.variant_id} ${JSON.stringify(args)}`;
      assert.equal(stray, undefined, `${at} ${JSON.stringify(stray)}`);
    }
  }
  assert.ok(
    counts.checked > 12_000 && counts.patterned / counts.checked > 0.99,
    JSON.stringify(counts),
  );
});

/** Method and address template of a variant with one reserved placeholder at its end. */
function nameTemplate(op: Op): string | undefined {
  const http = mainOf(op).binding?.http;
  const path = http?.path ?? "";
  if (http === undefined || !/\{\+[^}]+\}$/.test(path) || path.split("{").length !== 2) return;
  return `${http.method} ${path.replace(/\{\+[^}]+\}$/, "")}`;
}

Deno.test("no delete, change or read takes the name of another one: every pair that shares an address", () => {
  const { catalog, ops } = wholeCatalog();
  const { seed, random } = seededRandom();
  const groups = new Map<string, Op[]>();
  for (const op of ops) {
    const key = nameTemplate(op);
    if (key !== undefined) groups.set(key, [...groups.get(key) ?? [], op]);
  }
  const named = (op: Op) =>
    Object.entries(pathArgs(op, random)).find(([name]) =>
      op.request_fields?.some((field) => field.name === name && field.pattern !== undefined)
    );
  let crossed = 0;
  for (const members of groups.values()) {
    for (let round = 0; round < 4 * members.length && members.length > 1; round++) {
      const from = members[Math.floor(random() * members.length)];
      const to = members[Math.floor(random() * members.length)];
      const [given, own] = [to && named(to), from && named(from)];
      if (from === undefined || to === undefined || given === undefined || own === undefined) {
        continue;
      }
      const same = (op: Op) => op.request_fields?.find(({ name }) => name === own[0])?.pattern;
      const theirs = to.request_fields?.find(({ name }) => name === given[0])?.pattern;
      // Two ids for one thing, or one that takes whatever the other does.
      if (same(from) === theirs || new RegExp(same(from) ?? "").test(given[1] as string)) continue;
      crossed++;
      const call = { op: from, variant: mainOf(from), args: { [own[0]]: given[1] ?? "" } };
      const stray = strayAddress(call, catalog);
      const at = `GUM_LONGTAIL_SEED=${seed} ${from.op_id} with a name of ${to.op_id}`;
      assert.equal(stray?.field, own[0], at);
      assert.ok(stray.expected !== undefined && stray.belongsTo !== undefined, at);
    }
  }
  assert.ok(crossed > 5_000, `${crossed} crossed`);
});

Deno.test("the ways by which one operation was made to do another's work are closed", () => {
  const { catalog } = wholeCatalog();
  const rows: [opId: string, args: JsonObject, belongsTo: string | undefined][] = [
    ["chat.spaces.messages.delete", { name: "spaces/A" }, "chat.spaces.delete"],
    ["chat.spaces.messages.delete", { name: "spaces%2FA" }, "chat.spaces.delete"],
    ["chat.spaces.messages.delete", { name: "spaces/A/" }, "chat.spaces.delete"],
    ["chat.spaces.messages.delete", { name: "spaces//A" }, "chat.spaces.delete"],
    ["chat.spaces.messages.delete", { name: "spaces/\nA" }, "chat.spaces.delete"],
    ["chat.spaces.messages.delete", { name: "spaces/A/members/B" }, "chat.spaces.members.delete"],
    ["chat.spaces.delete", { name: "spaces/A/messages/B" }, "chat.spaces.messages.delete"],
    // One segment as it is written, four as a server may come to read it.
    ["chat.spaces.delete", { name: "spaces/A%2Fmessages%2FB" }, "chat.spaces.messages.delete"],
    ["chat.spaces.delete", { name: "spaces/A%252Fm%65ssages%2FB" }, "chat.spaces.messages.delete"],
    [
      "people.contactGroups.delete",
      { resourceName: "people/1:deleteContact" },
      "people.people.deleteContact",
    ],
    [
      "people.contactGroups.delete",
      { resourceName: "people/1%3AdeleteContact" },
      "people.people.deleteContact",
    ],
    [
      "bigquery.datasets.delete",
      { projectId: "p", datasetId: "d/tables/t" },
      "bigquery.tables.delete",
    ],
    ["chat.spaces.get", { name: "spaces/A/messages" }, "chat.spaces.messages.list"],
    [
      "logging.projects.logs.delete",
      { logName: "projects/p/metrics/m" },
      "logging.projects.metrics.delete",
    ],
    [
      "bigqueryreservation.projects.locations.reservations.delete",
      { name: "projects/p/locations/l/reservations/r/assignments/a" },
      "bigqueryreservation.projects.locations.reservations.assignments.delete",
    ],
    // Neither argument of the two has a pattern that says anything.
    [
      "firebasedataconnect.projects.locations.services.postgrest.postgrestSelect",
      {
        firebasedataconnectService: "projects/p/locations/l/services/s",
        firebasedataconnectTable: "rpc/f",
      },
      "firebasedataconnect.projects.locations.services.postgrest.rpc.postgrestQueryFunction",
    ],
    ["chat.spaces.messages.delete", { name: "elsewhere" }, undefined],
  ];
  for (const [id, args, belongsTo] of rows) {
    const op = catalog.findOp(id);
    assert.ok(op !== undefined, id);
    const stray = strayAddress({ op, variant: mainOf(op), args }, catalog);
    assert.ok(stray !== undefined, `${id} ${JSON.stringify(args)}`);
    assert.equal(stray.belongsTo, belongsTo, `${id} ${JSON.stringify(args)}`);
  }
  // What a profile hides stays out of reach: this read would disclose the secret's text.
  const reading = wholeCatalog("read").catalog;
  const get = reading.findOp("secretmanager.projects.secrets.versions.get");
  assert.ok(get !== undefined);
  assert.equal(reading.findOp("secretmanager.projects.secrets.versions.access"), undefined);
  const name = "projects/p/secrets/s/versions/1:access";
  assert.equal(
    strayAddress({ op: get, variant: mainOf(get), args: { name } }, reading)?.belongsTo,
    "secretmanager.projects.secrets.versions.access",
  );
  // A log id holds a slash, which its service wants encoded.
  const log = "projects/p/logs/cloudaudit.googleapis.com%2Factivity";
  const op = catalog.findOp("logging.projects.logs.delete");
  assert.ok(op !== undefined);
  assert.equal(
    strayAddress({ op, variant: mainOf(op), args: { logName: log } }, catalog),
    undefined,
  );
});

Deno.test("whatever a value is, what passes fits its pattern", () => {
  const { catalog } = wholeCatalog();
  const op = catalog.findOp("chat.spaces.messages.delete");
  assert.ok(op !== undefined);
  const variant = mainOf(op);
  const piece = fc.constantFrom("spaces", "messages", "a", "/", "//", "%2F", "%", ":", "..", "\n");
  const text = fc.oneof(
    fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (name) => {
      const passes = strayAddress({ op, variant, args: { name } }, catalog) === undefined;
      const segments = name.replace(/[\r\n]/g, "").split("/");
      const fits = segments.length === 4 && segments[0] === "spaces" &&
        segments[2] === "messages" && segments[1] !== "" && segments[3] !== "";
      assert.ok(!passes || fits, JSON.stringify(name));
    }),
    { numRuns: 2_000 },
  );
});
