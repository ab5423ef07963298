import assert from "node:assert/strict";
import type { RequestField } from "../types.ts";
import {
  bodyFields,
  buildRequestSchema,
  deriveFields,
  type DiscoveryDocument,
  type DiscoveryMethod,
  parameterFields,
} from "./mod.ts";

const METHOD: DiscoveryMethod = {
  id: "demo.things.create",
  httpMethod: "POST",
  path: "v1/{+parent}/things/{kind}",
  parameters: {
    kind: { type: "string", location: "path", required: true },
    parent: { type: "string", location: "path" },
    labels: { type: "string", location: "query", repeated: true, enum: ["", "A", "B"] },
    count: { type: "integer", format: "int32", location: "query", required: true },
    filter: { $ref: "Filter", location: "query" },
    anything: { location: "query" },
    note: {
      type: "string",
      location: "query",
      default: "x",
      description: `Required. A\nlong \`note\` ${"y".repeat(200)}`,
    },
  },
  request: { $ref: "Thing" },
};

Deno.test("fields: a reserved placeholder keeps its pattern, whole; nothing else has one", () => {
  const parent = { type: "string", location: "path", pattern: "spaces/[^/]+" };
  const kind = { ...parent, pattern: "^[a-z]+$" };
  const method = { ...METHOD, parameters: { parent, kind, q: { ...kind, location: "query" } } };
  const fields = parameterFields(method);
  assert.deepEqual(
    fields.map(({ name, pattern }) => [name, pattern]),
    [["kind", undefined], ["parent", "^spaces/[^/]+$"], ["q", undefined]],
  );
  const schema = buildRequestSchema("demo.things.create", { fields });
  assert.deepEqual(schema?.properties, {
    kind: { type: "string" },
    parent: { type: "string", pattern: "^spaces/[^/]+$" },
    q: { type: "string" },
  });
});

function documentOf(properties: Record<string, object>): DiscoveryDocument {
  return {
    name: "demo",
    version: "v1",
    revision: "20260101",
    rootUrl: "https://demo.googleapis.com/",
    servicePath: "",
    schemas: { Thing: { type: "object", properties } },
  };
}

const THING = documentOf({
  kind: { type: "string" },
  etag: { type: "string" },
  selfLink: { type: "string" },
  id: { type: "string", readOnly: true },
  old: { type: "string", deprecated: true },
  created: { type: "string", description: "[Output Only] When it was made." },
  updated: { type: "string", description: "Output only. When it changed." },
  url: { type: "string", description: "The URL of the thing. Read-only." },
  title: { type: "string", description: "Required. Title." },
  owner: { $ref: "Owner", annotations: { required: ["demo.things.create"] } },
  other: { type: "string", annotations: { required: ["demo.things.update"] } },
  tags: { type: "array", items: { type: "string" } },
  rows: { type: "array", items: { $ref: "Row" } },
  free: { type: "any" },
});

const brief = ({ name, location, type, item_type, required }: RequestField) =>
  `${location} ${name}: ${type}${item_type ? `<${item_type}>` : ""}${required ? "!" : ""}`;

Deno.test("fields: parameters by location and name, repeated as arrays", () => {
  const fields = parameterFields(METHOD);
  assert.deepEqual(fields.map(brief), [
    "path kind: string!",
    "path parent: string!",
    "query anything: string",
    "query count: integer!",
    "query filter: object",
    "query labels: array<string>",
    "query note: string",
  ]);
  const note = fields.find((field) => field.name === "note");
  assert.equal(note?.default, undefined);
  assert.equal([...note?.description ?? ""].length, 120);
  assert.ok(!note?.description?.includes("\n"));
  assert.deepEqual(fields.find((field) => field.name === "labels")?.enum, ["A", "B"]);
});

Deno.test("fields: the writable body, one level deep", () => {
  assert.deepEqual(bodyFields(THING, METHOD).map(brief), [
    "body title: string!",
    "body owner: object!",
    "body other: string",
    "body tags: array<string>",
    "body rows: array<object>",
    "body free: string",
  ]);
});

Deno.test("fields: at most sixteen body fields are listed, required ones always", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`f${at}`, { type: "string" }]),
  );
  const wide = documentOf({
    ...properties,
    last: { type: "string", description: "Required. Last." },
  });
  const { fields, bodyFields: all } = deriveFields(wide, METHOD);
  const listed = fields.filter((field) => field.location === "body");
  assert.equal(listed.length, 16);
  assert.ok(listed.some((field) => field.name === "last"));
  assert.equal(all.length, 31);
});

Deno.test("fields: a parameter wins over a body property of the same name", () => {
  const named = documentOf({ parent: { type: "string" }, title: { type: "string" } });
  const { fields, bodyFields: all } = deriveFields(named, METHOD);
  assert.equal(fields.filter((field) => field.name === "parent").length, 1);
  assert.equal(fields.find((field) => field.name === "parent")?.location, "path");
  assert.ok(all.some((field) => field.name === "parent"));
});

Deno.test("fields: curation keeps, drops, replaces, adds and orders", () => {
  const { fields } = deriveFields(THING, METHOD, {
    curation: {
      drop_fields: ["anything", "filter"],
      field: [
        { name: "note", required: true },
        { name: "tags", description: "Tags." },
        { name: "title", required: false },
        { name: "mask", in: "header", type: "string", required: true },
        { name: "extra", in: "body", type: "integer", default: "3" },
      ],
    },
  });
  assert.deepEqual(fields.map(brief), [
    "path kind: string!",
    "path parent: string!",
    "header mask: string!",
    "query note: string!",
    "query count: integer!",
    "query labels: array<string>",
    "body tags: array<string>",
    "body title: string",
    "body extra: integer",
  ]);
  const only = deriveFields(THING, METHOD, {
    curation: { only_fields: ["parent", "kind", "title"] },
  });
  assert.deepEqual(only.fields.map((field) => field.name), ["parent", "kind", "title"]);
  const fixed = deriveFields(THING, METHOD, { curation: { fixed_path: { parent: "things/me" } } });
  assert.ok(!fixed.fields.some((field) => field.name === "parent"));
});

Deno.test("fields: an adapter that builds its own body gets arguments", () => {
  const { fields } = deriveFields(THING, METHOD, {
    adapterBuildsBody: true,
    curation: { field: [{ name: "keywords", in: "arg", type: "array", item_type: "string" }] },
  });
  assert.ok(!fields.some((field) => field.location === "body"));
  assert.equal(fields.at(-1)?.location, "arg");
});

Deno.test("request schema: fields on top, body below, closed on top", () => {
  const { fields, bodyFields: all } = deriveFields(THING, METHOD);
  const schema = buildRequestSchema("demo.things.create", { fields, bodyFields: all });
  assert.equal(schema?.$id, "demo.things.create.request");
  assert.equal(schema?.additionalProperties, false);
  assert.deepEqual(schema?.required, ["body", "count", "kind", "parent"]);
  const { body, labels } = schema?.properties as Record<string, Record<string, unknown>>;
  assert.deepEqual(labels?.items, { type: "string", enum: ["A", "B"] });
  assert.deepEqual(body?.required, ["owner", "title"]);
  assert.equal(body?.additionalProperties, true);
  assert.equal(buildRequestSchema("demo.none", { fields: [] }), undefined);
  const untyped = buildRequestSchema("demo.a", {
    fields: [{ name: "list", location: "arg", type: "array", default: "[1]" }],
  });
  assert.deepEqual(untyped?.properties, { list: { type: "array", items: {}, default: [1] } });
});
