import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { embeddedCatalogBytes, loadCatalog } from "../lib/catalog/mod.ts";
import { createArtifactStore, readArtifact } from "../lib/artifact/mod.ts";
import { jcs } from "../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { fakeSession, shaped, smallCatalog } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";
import { catalogSession } from "./testdata/real_session.ts";
import { readError, readItem, tempFolder } from "./testdata/reading.ts";

Deno.test("TestStaticResourceRegistration: five entries, the catalog with size and a warning not to inject", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    const { result } = await peer.request("resources/list");
    const { resources, ...rest } = result as { resources: JsonObject[] };
    deepStrictEqual(rest, {});
    deepStrictEqual(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]), [
      ["gum://catalog", "gum_catalog", "application/json"],
      ["gum://help/topics", "gum_help_topics", "text/plain"],
      ["gum://plugins", "gum_plugins", "text/plain"],
      ["gum://status/canaries", "gum_status_canaries", "text/plain"],
      ["gum://status/health", "gum_status_health", "text/plain"],
    ]);
    const bytes = embeddedCatalogBytes();
    equal(resources[0]?.size, bytes.length);
    deepStrictEqual(resources[0]?._meta, { "x-gum-do-not-auto-inject": true });
    const { text } = await readItem(peer, "gum://catalog");
    deepStrictEqual(new TextEncoder().encode(text), new Uint8Array(bytes));
  });
});

Deno.test("TestResourceTemplateRegistration: six templates, listed nowhere else", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    const { result } = await peer.request("resources/templates/list");
    const { resourceTemplates } = result as { resourceTemplates: JsonObject[] };
    deepStrictEqual(
      resourceTemplates.map(({ uriTemplate, name, mimeType }) => [uriTemplate, name, mimeType]),
      [
        ["gum://help/{topic}", "gum_help_topic", "text/markdown"],
        ["gum://op/{id}", "gum_op", "application/json"],
        ["gum://plugin/{name}", "gum_plugin", "application/json"],
        ["gum://results/{hash}", "gum_result_artifact", "application/json"],
        ["gum://schema/{ref}", "gum_schema", "application/schema+json"],
        ["gum://variant/{id}", "gum_variant", "application/json"],
      ],
    );
    const listed = await peer.request("resources/list");
    const { resources } = listed.result as { resources: JsonObject[] };
    ok(resources.every(({ uri }) => !String(uri).includes("{")));
  });
});

Deno.test("TestOpVariantResourceWireShape: whole records in canonical form, characters literal", async () => {
  const catalog = smallCatalog();
  const [op] = catalog.ops;
  if (op === undefined) throw new Error("the catalog has an operation");
  op.summary = "Tom & Jerry <cat> > mouse";
  await withPeer(fakeSession({ catalog }).session, {}, async (peer) => {
    const read = await readItem(peer, `gum://op/${op.op_id}`);
    equal(read.mimeType, "application/json");
    equal(read.text, jcs(op as unknown as JsonValue));
    ok(read.text.includes("Tom & Jerry <cat> > mouse"));
    const variant = await readItem(peer, `gum://variant/${op.default_variant_id}`);
    equal(
      variant.text,
      jcs({ op_id: op.op_id, variant: op.variants[0] } as unknown as JsonValue),
    );
    equal((await readError(peer, "gum://op/none")).code, -32004);
    equal((await readError(peer, "gum://variant/none")).code, -32004);
  });
});

Deno.test("TestSchemaResourceServesAGeneratedRequestSchema: a described ref can be read", async () => {
  const { session } = await catalogSession();
  const op = loadCatalog().ops.find(({ variants }) => variants[0]?.binding?.request_ref);
  const ref = op?.variants[0]?.binding?.request_ref;
  await withPeer(session, {}, async (peer) => {
    const read = await readItem(peer, `gum://schema/${ref}`);
    equal(read.mimeType, "application/schema+json");
    equal(read.text, jcs(JSON.parse(read.text)));
    equal(
      (await readItem(peer, `gum://schema/${encodeURIComponent(String(ref))}`)).text,
      read.text,
    );
  });
});

Deno.test("TestSchemaResourceGrammarRejection: refused before any path is built", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    for (
      const ref of ["Test.v1", "good..bad", "good%2fbad", "good%5cbad", ".hidden.v1", "%00", "%zz"]
    ) {
      const error = await readError(peer, `gum://schema/${ref}`);
      equal(error.code, -32004, ref);
      ok(String((error.data as JsonObject).detail).includes("grammar"), ref);
      equal((error.data as JsonObject).retryable, undefined);
    }
  });
});

Deno.test("TestSchemaResourceLookup: unknown refs are not in the active snapshot", async () => {
  const { session } = await catalogSession();
  await withPeer(session, {}, async (peer) => {
    const error = await readError(peer, "gum://schema/unknown.schema.v1");
    ok(String((error.data as JsonObject).detail).includes("not in active snapshot"));
  });
});

Deno.test("TestResourceReadResultsHit: a kept result is read back in canonical form", async () => {
  await using folder = await tempFolder();
  const store = createArtifactStore({ directory: folder.path });
  const handle = await store.write({
    opId: "gmail.users.messages.list",
    variantId: "v",
    argsCanonical: "{}",
    fingerprint: "",
    body: new TextEncoder().encode('{"b": 12345678901234567890, "a": "<&>"}'),
  });
  const { session } = fakeSession();
  const kept = {
    ...session,
    readResult: (uri: string) => readArtifact(uri, { directory: folder.path }),
  };
  await withPeer(kept, {}, async (peer) => {
    const read = await readItem(peer, `gum://results/${handle.hash}`);
    equal(read.mimeType, "application/json");
    equal(read.text, '{"a":"<&>","b":12345678901234567890}');
    deepStrictEqual(peer.pushed, []);
  });
});

Deno.test("TestResultArtifactExpiredError: every miss has the same keys", async () => {
  await using folder = await tempFolder();
  const { session } = fakeSession();
  const sessions = [session, {
    ...session,
    readResult: (uri: string) => readArtifact(uri, { directory: folder.path }),
  }];
  for (const served of sessions) {
    await withPeer(served, {}, async (peer) => {
      for (
        const [tail, hash] of [["abc123", "abc123"], ["ABC", ""], ["a/b", ""], ["", ""], ["zz", ""]]
      ) {
        const uri = `gum://results/${tail}`;
        const error = await readError(peer, uri);
        equal(error.code, -32010);
        equal(error.message, "Result artifact expired");
        const data = error.data as JsonObject;
        deepStrictEqual(Object.keys(data).toSorted(), [
          "error_code",
          "expires_at",
          "hash",
          "suggestion",
          "uri",
          "user_message",
        ]);
        deepStrictEqual([data.hash, data.uri, data.expires_at], [hash, uri, null]);
      }
    });
  }
});

Deno.test("TestResultsReadsEmitNoResourceUpdatedNotifications: reading is silent", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    await readError(peer, "gum://results/ab");
    await peer.request("ping");
    deepStrictEqual(peer.pushed, []);
  });
});

Deno.test("a URI is echoed byte for byte, and a missing one is an argument error", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (const uri of ["gum://op/a b", "gum://op/%2f", "gum://op/é", "http://x", "gum://nope"]) {
      equal(((await readError(peer, uri)).data as JsonObject).uri, uri);
    }
    for (const uri of [undefined, 7, null]) {
      const error = await readError(peer, uri as unknown as JsonValue);
      equal(error.code, -32602);
      equal((error.data as JsonObject).error_code, "INVALID_ARGS");
    }
    equal((await readError(peer, `gum://op/${"x".repeat(257)}`)).code, -32004);
  });
});

Deno.test("results of a call are completed newest first", async () => {
  let count = 0;
  const { session } = fakeSession({
    answer: ({ opId }) => {
      const response = shaped(opId, {});
      if (response.expression) {
        response.expression.full_result_resource = `gum://results/a${++count}`;
      }
      return response;
    },
  });
  await withPeer(session, {}, async (peer) => {
    await peer.call("drive_find");
    await peer.call("drive_find");
    const { result } = await peer.request("completion/complete", {
      ref: { type: "ref/resource", uri: "gum://results/{hash}" },
      argument: { name: "hash", value: "" },
    });
    deepStrictEqual(((result as JsonObject).completion as JsonObject).values, ["a2", "a1"]);
  });
});
