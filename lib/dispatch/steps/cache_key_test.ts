import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../../auth/mod.ts";
import { json } from "../../http/testdata/peer.ts";
import { type JsonObject, parseJson } from "../../json/mod.ts";
import type { ResponseCache } from "../types.ts";
import { op, openFixture, variant } from "../testdata/fixture.ts";

const LIST = "https://www.googleapis.com/drive/v3/files";

function operation(id: string, variants: string[]) {
  return op(id, variants.map((name) => variant(name, ["read", "GET", LIST])), {
    request_fields: [
      { name: "q", location: "query", type: "string" },
      { name: "n", location: "query", type: "integer" },
      { name: "fields", location: "query", type: "string" },
    ],
  });
}

/** Asks once and gives the key that the cache was asked for. */
async function keyOf(
  call: { opId?: string; args?: JsonObject; variantId?: string; fingerprint?: string },
): Promise<string> {
  const keys: string[] = [];
  const cache: ResponseCache = {
    get(key) {
      keys.push(key);
      return Promise.resolve(undefined);
    },
    put: () => Promise.resolve(),
    renew: () => Promise.resolve(),
    evict: () => Promise.resolve(),
    invalidate: () => Promise.resolve(),
    stats: () => ({}),
  };
  const fingerprint = call.fingerprint ?? "fp";
  await using fixture = openFixture({
    ops: [operation("a.b", ["v1", "v2"]), operation("a.c", ["v3"])],
    script: () => json({}),
    deps: {
      cache,
      auth: createExplicitAuthResolver({ bearer: "token", subjectFingerprint: fingerprint }),
    },
  });
  await fixture.kernel.dispatch({
    opId: call.opId ?? "a.b",
    args: call.args ?? { q: "x" },
    requestedVariantId: call.variantId,
  });
  return keys[0] ?? "no key";
}

Deno.test("TestCacheKeyDimensions: operation, variant, arguments, mask and principal each change the key", async () => {
  const keys = [
    await keyOf({}),
    await keyOf({ opId: "a.c" }),
    await keyOf({ variantId: "v2" }),
    await keyOf({ args: { q: "y" } }),
    await keyOf({ args: { q: "x", fields: "files(id)" } }),
    await keyOf({ fingerprint: "other" }),
  ];
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^[0-9a-f]{64}$/);
  assert.equal(await keyOf({}), keys[0]);
});

Deno.test("TestCacheKeyDimensions: numbers beyond exactness never share a key", async () => {
  const number = (digits: string) => parseJson(`{"n":${digits}}`) as JsonObject;
  const [one, other] = [
    await keyOf({ args: number("9007199254740992") }),
    await keyOf({ args: number("9007199254740993") }),
  ];
  assert.notEqual(one, other);
});
