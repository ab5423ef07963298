import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../json/mod.ts";
import { requestFields } from "./request_fields.ts";

const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

Deno.test("request fields: a plain schema is a list of arguments in its order", () => {
  assert.deepEqual(
    requestFields(closed({
      text: { type: "string", description: "What to count", minLength: 1 },
      top: { type: "integer", minimum: 1 },
      tags: { type: "array", items: { type: "string" } },
      when: { type: ["string", "null"], format: "date" },
      order: { enum: ["up", "down"] },
      nested: { type: "object", properties: { a: { type: "string" } } },
    }, { required: ["text"] })),
    [
      {
        name: "text",
        location: "arg",
        type: "string",
        description: "What to count",
        required: true,
      },
      { name: "top", location: "arg", type: "integer" },
      { name: "tags", location: "arg", type: "array", item_type: "string" },
      { name: "when", location: "arg", type: "string", format: "date" },
      { name: "order", location: "arg", type: "string", enum: ["up", "down"] },
      { name: "nested", location: "arg", type: "object" },
    ],
  );
  assert.deepEqual(requestFields(closed({})), []);
  assert.deepEqual(requestFields({ type: "object", properties: {} }), []);
});

Deno.test("request fields: what a list cannot say is left to the schema", () => {
  const text = { a: { type: "string" } };
  for (
    const schema of [
      { type: "object" },
      closed(text, { additionalProperties: true }),
      closed(text, { additionalProperties: { type: "string" } }),
      closed(text, { anyOf: [{ required: ["a"] }] }),
      closed(text, { $ref: "#/$defs/x" }),
      closed(text, { patternProperties: { "^x": {} } }),
      closed({ a: {} }),
      closed({ a: true }),
      closed({ a: { type: ["string", "integer"] } }),
      closed({ a: { enum: ["x", 1] } }),
      closed({ a: { $ref: "#/$defs/x" } }),
      closed({ body: { type: "object" } }),
      closed({ "": { type: "string" } }),
    ] as JsonObject[]
  ) assert.equal(requestFields(schema), undefined, JSON.stringify(schema));
});

Deno.test("request fields: whatever the schema, the answer is a list or nothing, never a throw", () => {
  fc.assert(fc.property(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
    (properties, more) => {
      const fields = requestFields({
        ...more as JsonObject,
        properties: properties as JsonValue,
      });
      if (fields === undefined) return;
      assert.deepEqual(fields.map(({ name }) => name).sort(), Object.keys(properties).sort());
    },
  ));
});
