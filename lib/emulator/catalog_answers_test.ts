import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { type DiscoveryMethod, loadDiscovery } from "./discovery.ts";
import { startEmulator } from "./mod.ts";
import { resolveSchema } from "./schema_values.ts";
import type { Emulator } from "./types.ts";

/** Where a body leaves its schema: unknown members and wrong types, as paths. */
function misfits(schemas: JsonObject, value: JsonValue, given: JsonObject, path: string): string[] {
  const schema = resolveSchema(schemas, given);
  switch (schema.type) {
    case "string":
      return typeof value === "string" ? [] : [`${path}: no string`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${path}: no boolean`];
    case "integer":
    case "number":
      return typeof value === "number" ? [] : [`${path}: no number`];
    case "array":
      if (!Array.isArray(value)) return [`${path}: no array`];
      return value.flatMap((item, index) =>
        misfits(schemas, item, (schema.items ?? {}) as JsonObject, `${path}[${index}]`)
      );
    default:
      break;
  }
  const { properties } = schema;
  if (!isJsonObject(properties ?? null)) return [];
  if (!isJsonObject(value)) return [`${path}: no object`];
  return Object.entries(value).flatMap(([key, member]) => {
    const property = (properties as JsonObject)[key];
    if (!isJsonObject(property ?? null)) return [`${path}.${key}: unknown`];
    return misfits(schemas, member, property as JsonObject, `${path}.${key}`);
  });
}

function urlOf(method: DiscoveryMethod): string {
  const known: Record<string, string> = {
    customerId: "1234567890",
    userId: "me",
  };
  let index = 0;
  const source = method.pattern.expression.source.slice(1, -1).replace(
    /\(\[\^\/\]\+\)|\(\.\+\)/g,
    () =>
      method.collections.length > 0
        ? method.collections.map((collection) => `${collection}/x1`).join("/")
        : known[method.pattern.names[index++] ?? ""] ?? "x1",
  );
  const query = new URLSearchParams(
    method.requiredQuery.map((name) => [name, name === "part" ? "snippet" : "1"]),
  );
  return `https://${method.host}${source.replaceAll("\\", "")}?${query}`;
}

async function call(emulator: Emulator, method: DiscoveryMethod): Promise<Response> {
  return await fetch(emulator.rewrite(new URL(urlOf(method))), {
    method: method.httpMethod,
    headers: {
      authorization: `Bearer ${emulator.credentials.bearer}`,
      "developer-token": emulator.credentials.developerToken,
      "x-goog-fieldmask": "*",
    },
  });
}

Deno.test("catalog answers: every operation is served, and what is 200 fits its response schema", async () => {
  const emulator = await startEmulator();
  try {
    const methods = await loadDiscovery();
    assert.ok(methods.length > 200, String(methods.length));
    let fitting = 0;
    for (const method of methods) {
      const response = await call(emulator, method);
      const text = await response.text();
      const shown = `${method.id} ${response.status} ${text.slice(0, 200)}`;
      assert.ok([200, 204, 400, 404, 409].includes(response.status), shown);
      assert.match(response.headers.get("content-type") ?? "application/json", /json/, shown);
      if (response.status !== 200 || method.response === undefined) continue;
      const found = misfits(method.schemas, JSON.parse(text), { $ref: method.response }, method.id);
      // YouTube sends this one although its document does not know it.
      const misfit = found.filter((path) => !path.endsWith("snippet.publishTime: unknown"));
      assert.deepEqual(misfit.slice(0, 5), []);
      fitting++;
    }
    assert.ok(fitting > 80, String(fitting));
  } finally {
    await emulator.close();
  }
});

Deno.test("catalog answers: a delete answers 204 with nothing, or says why not", async () => {
  const emulator = await startEmulator();
  try {
    const methods = await loadDiscovery();
    for (const method of methods.filter(({ httpMethod }) => httpMethod === "DELETE")) {
      const response = await call(emulator, method);
      await response.body?.cancel();
      assert.ok([204, 400, 404].includes(response.status), `${method.id} ${response.status}`);
    }
  } finally {
    await emulator.close();
  }
});
