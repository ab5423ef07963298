import assert from "node:assert/strict";
import {
  type ApiContext,
  deriveOperation,
  type DiscoveryDocument,
  type DiscoveryMethod,
  projectResponse,
} from "./mod.ts";

const DOCUMENT: DiscoveryDocument = {
  name: "demo",
  version: "v1",
  title: "Demo API",
  revision: "20260101",
  rootUrl: "https://demo.googleapis.com/",
  servicePath: "demo/v1/",
  schemas: {
    Thing: {
      type: "object",
      properties: {
        id: { type: "string" },
        parts: { type: "array", items: { $ref: "Part" } },
        labels: { type: "object", additionalProperties: { type: "string" } },
      },
    },
    Part: { type: "object", properties: { name: { type: "string" }, parent: { $ref: "Thing" } } },
  },
};

const METHOD: DiscoveryMethod = {
  id: "demo.things.get",
  httpMethod: "GET",
  path: "things/{thingId}",
  description: "Returns a thing. More.",
  parameters: {
    thingId: { type: "string", location: "path", required: true },
    region: { type: "string", location: "query" },
  },
  response: { $ref: "Thing" },
  scopes: ["https://www.googleapis.com/auth/demo", "https://www.googleapis.com/auth/demo.readonly"],
};

const API: ApiContext = {
  service: "demo",
  service_family: "demo",
  host_defaults: { region: "eu" },
};

Deno.test("operation: everything that nobody curated", () => {
  const { op, schema, ruleRisk } = deriveOperation("demo.things.get", {
    document: DOCUMENT,
    method: METHOD,
    api: API,
  });
  const variant = op.variants[0];
  assert.equal(op.title, "Get thing (Demo)");
  assert.equal(op.summary, "Returns a thing.");
  assert.equal(variant?.variant_id, "demo.v1.rest.things.get");
  assert.equal(
    variant?.binding?.http?.path,
    "https://demo.googleapis.com/demo/v1/things/{thingId}",
  );
  assert.deepEqual(variant?.scopes, ["https://www.googleapis.com/auth/demo.readonly"]);
  assert.deepEqual(variant?.annotations, { readOnly: true, openWorld: true, idempotent: true });
  assert.equal(ruleRisk, "read");
  assert.equal(op.request_fields?.find((field) => field.name === "region")?.host_default, "eu");
  assert.equal(schema?.$id, variant?.binding?.request_ref);
  // A host default is what GUM fills in, not what the service documents.
  const region = (schema?.properties as Record<string, object>).region;
  assert.ok(region !== undefined && !("default" in region));
});

Deno.test("operation: a curated class that differs is an override with a reason", () => {
  const { op } = deriveOperation("demo.things.get", {
    document: DOCUMENT,
    method: METHOD,
    api: API,
    curation: { risk_class: "write", risk_reason: "it marks the thing as seen" },
  });
  assert.equal(op.variants[0]?.risk_override, true);
  assert.equal(op.variants[0]?.risk_override_reason, "it marks the thing as seen");
  assert.equal(op.variants[0]?.annotations?.readOnly, false);
  const same = deriveOperation("demo.things.get", {
    document: DOCUMENT,
    method: METHOD,
    api: API,
    curation: { risk_class: "read", risk_reason: "it only looks at it" },
  });
  assert.equal(same.op.variants[0]?.risk_override, undefined);
});

Deno.test("operation: upload endpoints become absolute and set their atoms", () => {
  const { op } = deriveOperation("demo.things.create", {
    document: DOCUMENT,
    method: {
      ...METHOD,
      id: "demo.things.create",
      httpMethod: "POST",
      path: "things",
      parameters: {},
      mediaUpload: {
        accept: ["*/*"],
        maxSize: "1024",
        protocols: {
          simple: { multipart: true, path: "/upload/demo/v1/things" },
          resumable: { multipart: true, path: "/resumable/upload/demo/v1/things" },
        },
      },
    },
    api: API,
  });
  assert.deepEqual(op.variants[0]?.binding?.http?.media_upload, {
    multipart_path: "https://demo.googleapis.com/upload/demo/v1/things",
    resumable_path: "https://demo.googleapis.com/resumable/upload/demo/v1/things",
    accept: ["*/*"],
    max_bytes: 1024,
  });
  assert.ok(op.variants[0]?.capabilities.includes("media_upload"));
  assert.ok(op.variants[0]?.capabilities.includes("resumable_upload"));
});

Deno.test("operation: an API key variant asks for no scope", () => {
  const { op } = deriveOperation("demo.things.get", {
    document: DOCUMENT,
    method: METHOD,
    api: { ...API, auth_strategy: "api_key" },
  });
  assert.equal(op.variants[0]?.auth_strategy, "api_key");
  assert.equal(op.variants[0]?.scopes, undefined);
});

Deno.test("projection: arrays are transparent, maps open, cycles end", () => {
  assert.deepEqual(projectResponse(DOCUMENT, METHOD), {
    id: true,
    labels: { "*": true },
    parts: { name: true, parent: true },
  });
});
