import { deepStrictEqual, equal, throws } from "node:assert/strict";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { page } from "./pager.ts";
import { fakeSession } from "./testdata/fake_session.ts";
import { withPeer } from "./testdata/raw_peer.ts";

Deno.test("TestMCPResourceCursorPagination: pages of one hundred, opaque and bound to their list", () => {
  const entries = Array.from({ length: 250 }, (_, index) => index);
  const seen: number[] = [];
  let cursor: string | undefined;
  const sizes: number[] = [];
  do {
    const shown = page(entries, { list: "tools", cursor });
    sizes.push(shown.entries.length);
    seen.push(...shown.entries);
    cursor = shown.next;
  } while (cursor !== undefined);
  deepStrictEqual(sizes, [100, 100, 50]);
  deepStrictEqual(seen, entries);
  const { next } = page(entries, { list: "tools", cursor: undefined });
  const forged = btoa('{"l":"tools","o":1000}').replaceAll("=", "");
  for (const bad of [7, "", "%%", "abc", next?.slice(1), forged, null, {}]) {
    throws(() => page(entries, { list: "tools", cursor: bad as JsonValue }), { code: -32602 });
  }
  throws(() => page(entries, { list: "prompts", cursor: next }), { code: -32602 });
});

Deno.test("TestMCPResourceCursorPagination: bad cursors are refused on every list, page sizes ignored", async () => {
  await withPeer(fakeSession().session, {}, async (peer) => {
    for (
      const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    ) {
      const { error } = await peer.request(method, { cursor: "nonsense" });
      equal((error as JsonObject).code, -32602, method);
      equal(((error as JsonObject).data as JsonObject).error_code, "INVALID_ARGS");
      const { result } = await peer.request(method, { limit: 1, pageSize: 1 });
      equal((result as JsonObject).nextCursor, undefined, method);
    }
  });
});
