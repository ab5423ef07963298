import { deepStrictEqual, equal, ok, throws } from "node:assert/strict";
import { GumError, isGumError } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { selectRoot } from "./roots.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { envelopeOf, type RawPeer, type RawPeerOptions, withPeer } from "./testdata/raw_peer.ts";

const READ: JsonObject = { name: "gum.read", arguments: { op_id: "gmail.users.messages.list" } };
const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"];

interface RootsPeer {
  /** Calls gum.read, answering an input request once where the revision has them. */
  read(meta?: JsonObject): Promise<JsonObject>;
  asked: number;
  peer: RawPeer;
}

/** A client with roots on either protocol style. */
async function withRoots<T>(
  revision: string,
  answer: JsonValue | undefined,
  use: (client: RootsPeer, invocations: ReturnType<typeof fakeSession>["asked"]) => Promise<T>,
  capabilities: JsonObject = { roots: {} },
): Promise<T> {
  const fake = fakeSession();
  const client: RootsPeer = { read: () => Promise.resolve({}), asked: 0, peer: undefined as never };
  const options: RawPeerOptions = {
    revision,
    capabilities,
    onRequest: ({ method }) => {
      equal(method, "roots/list");
      client.asked++;
      return answer;
    },
  };
  return await withPeer(fake.session, options, async (peer) => {
    client.peer = peer;
    client.read = async (meta = {}) => {
      const call = { ...READ, _meta: meta };
      const { result } = await peer.request("tools/call", call);
      const first = result as JsonObject;
      if (first.resultType !== "input_required") return first;
      client.asked++;
      deepStrictEqual(first.inputRequests, { "gum.roots": { method: "roots/list" } });
      const inputResponses: JsonObject = answer === undefined
        ? { other: {} }
        : { "gum.roots": answer };
      const retried = await peer.request("tools/call", { ...call, inputResponses });
      return retried.result as JsonObject;
    };
    return await use(client, fake.asked);
  });
}

const roots = (...uris: string[]): JsonValue => ({ roots: uris.map((uri) => ({ uri })) });

Deno.test("TestProfileResolutionFromMCPRoots: one root is used, on every revision", async () => {
  for (const revision of REVISIONS) {
    await withRoots(revision, roots("file:///work/a%20b"), async (client, asked) => {
      await client.read();
      equal(asked[0]?.projectRootUri, "file:///work/a%20b", revision);
      equal(asked[0]?.projectRootPath, "/work/a b", revision);
    });
  }
});

Deno.test("TestProfileResolutionFromMCPRoots: several roots need _meta.gumRoot", async () => {
  for (const revision of REVISIONS) {
    const answer = roots("file:///a", "https://not-a-file", "file:///b");
    await withRoots(revision, answer, async (client, asked) => {
      const missing = envelopeOf(await client.read());
      equal(missing.error_code, "PROJECT_ROOT_REQUIRED");
      deepStrictEqual(missing.negotiated_roots, ["file:///a", "file:///b"]);
      equal(missing.reason, "missing_gumroot_in_multi_root_session");
      equal(missing.supplied_root, "");
      equal(envelopeOf(await client.read({ gumRoot: "/a" })).reason, "gumroot_not_file_uri");
      const foreign = envelopeOf(await client.read({ gumRoot: "file:///c" }));
      equal(foreign.reason, "gumroot_not_in_negotiated_set");
      equal(foreign.supplied_root, "file:///c");
      equal(envelopeOf(await client.read({ gumRoot: 7 })).reason, missing.reason);
      equal(asked.length, 0);
      await client.read({ gumRoot: "file:///b" });
      equal(asked[0]?.projectRootUri, "file:///b");
    });
  }
});

Deno.test("TestProfileResolutionFromMCPRoots: a client without the capability is never asked", async () => {
  for (const revision of REVISIONS) {
    await withRoots(revision, roots("file:///a"), async (client, asked) => {
      await client.read({ gumRoot: "file:///a" });
      equal(client.asked, 0);
      equal(asked[0]?.projectRootUri, undefined);
    }, {});
  }
});

Deno.test("TestRootsCacheStickyAcrossRootsChange: one question for the whole connection", async () => {
  for (const revision of REVISIONS) {
    await withRoots(revision, roots("file:///a"), async (client, asked) => {
      await client.read();
      await client.peer.notify("notifications/roots/list_changed");
      await client.read();
      await client.peer.call("drive_find");
      equal(client.asked, 1, revision);
      deepStrictEqual(asked.map((call) => call.projectRootUri), [
        "file:///a",
        "file:///a",
        "file:///a",
      ]);
    });
  }
});

Deno.test("TestRootsCacheStickyAcrossRootsChange: calls at the same time share the question", async () => {
  await withRoots("2025-11-25", roots("file:///a"), async (client, asked) => {
    await Promise.all([client.read(), client.read(), client.read()]);
    equal(client.asked, 1);
    equal(asked.length, 3);
  });
});

Deno.test("a useless answer means no roots for this call, and is not remembered", async () => {
  for (const revision of REVISIONS) {
    await withRoots(revision, {}, async (client, asked) => {
      await client.read();
      await client.read();
      equal(client.asked, 2, revision);
      equal(asked.length, 2);
      ok(asked.every((call) => call.projectRootUri === undefined));
    });
  }
});

Deno.test("a client that fails to list its roots is asked once a call, forms or not", async () => {
  const { session } = fakeSession({
    answer: ({ opId }) => {
      throw new GumError("REQUIRES_CONFIRMATION", {
        details: { op_id: opId, confirmation_token: "v1.token" },
      });
    },
  });
  const options: RawPeerOptions = {
    capabilities: { roots: {}, elicitation: {} },
    rejects: ["roots/list"],
    onRequest: ({ method }) => method === "roots/list" ? undefined : { action: "cancel" },
  };
  await withPeer(session, options, async (peer) => {
    const result = await peer.call("gum.read", READ.arguments as JsonObject);
    equal(envelopeOf(result).error_code, "REQUIRES_CONFIRMATION");
    deepStrictEqual(peer.pushed.map(({ method }) => method), ["roots/list", "elicitation/create"]);
  });
});

Deno.test("a retry that answers something else is not asked again", async () => {
  await withRoots("2026-07-28", undefined, async (client, asked) => {
    const result = await client.read();
    equal(result.isError, undefined);
    equal(asked.length, 1);
  });
});

Deno.test("nothing is asked for a call that is refused anyway, nor by tools that do not dispatch", async () => {
  await withRoots("2025-11-25", roots("file:///a"), async (client) => {
    await client.peer.call("gum.read", { op_id: "gmail.users.messages.send" });
    await client.peer.call("gum.read", { op_id: "no.such.op" });
    await client.peer.call("gum.search_apis", { query: "mail" });
    await client.peer.call("gum.describe_op", { op_id: "gmail.users.messages.list" });
    equal(client.asked, 0);
  });
});

Deno.test("an undecodable root counts as none; a drive letter is a path", () => {
  deepStrictEqual(selectRoot([], "file:///x"), {});
  deepStrictEqual(selectRoot(["file:///C:/a%20b"], undefined), {
    projectRootUri: "file:///C:/a%20b",
    projectRootPath: "C:\\a b",
  });
  const unclear: [string[], string | undefined][] = [
    [["file:///a", "file:///b"], undefined],
    [["file:///a"], "https://a"],
    [["file:///a"], "file:///a/"],
  ];
  for (const [roots, gumRoot] of unclear) {
    throws(
      () => selectRoot(roots, gumRoot),
      (error) => isGumError(error, "PROJECT_ROOT_REQUIRED"),
    );
  }
});
