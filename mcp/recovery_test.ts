/** What was left out of an answer can be read: link, resource and cache, with the real session. */

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import type { Session, SessionOptions } from "../lib/session/types.ts";
import { withEmulator } from "./testdata/emulated.ts";
import { type RawPeer, textOf, withPeer } from "./testdata/raw_peer.ts";

/** Opens a session whose own profile for message lists promises a link. */
async function withLinks(
  use: (session: Session) => Promise<void>,
  options: Partial<SessionOptions> = {},
): Promise<void> {
  const config = await Deno.makeTempDir({ prefix: "gum-mcp-config-" });
  try {
    const folder = `${config}/gum/profiles`;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${folder}/gmail.messages.list.v1.toml`, PROFILE, { mode: 0o600 });
    await withEmulator((session) => use(session), {
      directories: { config, data: config },
      ...options,
    });
  } finally {
    await Deno.remove(config, { recursive: true });
  }
}

const PROFILE = `keep_fields = ["messages.id"]
collapse_arrays = { max_items = 10 }
recovery = "resource_link"
`;

const READ: JsonObject = {
  op_id: "gmail.users.messages.list",
  args: { userId: "me", maxResults: 50 },
};

async function read(peer: RawPeer, args: JsonObject) {
  const result = await peer.call("gum.read", args);
  equal(result.isError, undefined, textOf(result));
  const structured = result.structuredContent as JsonObject;
  const links = (result.content as JsonObject[]).filter(({ type }) => type === "resource_link");
  return { links, expression: structured._expression as JsonObject, content: result.content };
}

async function resource(peer: RawPeer, uri: JsonValue | undefined): Promise<JsonValue> {
  const { result, error } = await peer.request("resources/read", { uri: uri ?? null });
  if (!isJsonObject(result)) throw new Error(JSON.stringify(error));
  const [item] = result.contents as { text: string; mimeType: string }[];
  equal(item?.mimeType, "application/json");
  return parseJson(item?.text ?? "");
}

Deno.test("TestRecoveryResourceLinkContentBlock: the link of a real answer opens its whole result", async () => {
  await withLinks(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const { links, expression, content } = await read(peer, READ);
      equal(links.length, 1);
      const [link] = links;
      equal((content as JsonObject[]).at(-1), link, "the last block");
      equal(link?.uri, expression.full_result_resource);
      equal(link?.size, expression.full_result_size);
      ok(String(link?.description).length <= 120);
      const whole = await resource(peer, link?.uri) as { messages: JsonObject[] };
      equal(whole.messages.length, 50);
    });
  });
});

Deno.test("TestCacheHitEmitsResourceLink: an answer from the cache has the same link, and it opens", async () => {
  await withLinks(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const cold = await read(peer, READ);
      const requests = session.emulator?.journal.length ?? 0;
      ok(requests > 0);
      const warm = await read(peer, READ);
      equal(session.emulator?.journal.length, requests, "nothing was asked of the service");
      deepStrictEqual(
        warm.links.map(({ uri, size }) => [uri, size]),
        cold.links.map(({ uri, size }) => [uri, size]),
      );
      equal(warm.links.length, 1);
      deepStrictEqual(
        await resource(peer, warm.links[0]?.uri),
        await resource(peer, cold.links[0]?.uri),
      );
    });
  });
});

Deno.test("a result of one session cannot be read by guessing in another profile", async () => {
  await withLinks(async (session) => {
    const uri = await withPeer(session, {}, async (peer) => (await read(peer, READ)).links[0]?.uri);
    equal(typeof uri, "string");
    await withLinks(async (other) => {
      await withPeer(other, {}, async (peer) => {
        const { error } = await peer.request("resources/read", { uri: uri ?? null });
        ok(isJsonObject(error), "refused");
      });
    }, { profileName: "other" });
  });
});
