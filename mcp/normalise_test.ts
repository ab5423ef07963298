import { deepStrictEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { type JsonObject, parseJson } from "../lib/json/mod.ts";
import { normaliseArguments } from "./normalise.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    count: { type: "integer" },
    flag: { type: "boolean" },
    items: { type: "array", items: {} },
    cap: { type: "string", pattern: "^(all|[1-9][0-9]*)$" },
  },
  required: ["id"],
};

const normalise = (args: JsonObject) => normaliseArguments(args, schema);

Deno.test("an empty optional value counts as absent, a required one does not", () => {
  deepStrictEqual(
    normalise({ id: null, name: null, count: "", flag: null, items: "" }),
    { id: null },
  );
  deepStrictEqual(normalise({ id: "", name: "" }), { id: "", name: "" });
});

Deno.test("numbers and words change type only where the schema asks for the other", () => {
  deepStrictEqual(normalise({ count: "12", flag: "true", cap: 3 }), {
    count: 12,
    flag: true,
    cap: "3",
  });
  deepStrictEqual(normalise({ count: "-0", flag: "yes", name: 5, cap: 1.5 }), {
    count: "-0",
    flag: "yes",
    name: 5,
    cap: 1.5,
  });
  equal(normalise({ count: "99999999999999999999" }).count, "99999999999999999999");
  equal(
    normalise(parseJson('{"cap":12345678901234567890}') as JsonObject).cap,
    "12345678901234567890",
  );
});

Deno.test("_meta is dropped, unknown keys stay for the validator to name", () => {
  deepStrictEqual(normalise({ _meta: {}, nope: null }), { nope: null });
});

Deno.test("normalising twice is the same as once, and valid values are untouched", () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("id", "name", "count", "flag", "cap", "x"), value),
      (given) => {
        const once = normalise({ ...given } as JsonObject);
        deepStrictEqual(normalise(once), once);
      },
    ),
  );
  const valid = { id: "a", name: "b", count: 1, flag: false, items: [null], cap: "all" };
  deepStrictEqual(normalise(valid), valid);
});
