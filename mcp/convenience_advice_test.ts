import { equal, match, ok } from "node:assert/strict";
import { withEmulator } from "./testdata/emulated.ts";
import { withPeer } from "./testdata/raw_peer.ts";

Deno.test("TestNoticeNamesRowsDedupeAndLimitRemoved: a convenience tool advises what can be called", async () => {
  await withEmulator(async (session) => {
    await withPeer(session, {}, async (peer) => {
      const args = { userId: "me", maxResults: 150 };
      const cut = await peer.call("gmail_search", args);
      const notice = JSON.stringify(cut.content);
      match(
        notice,
        /50 rows omitted \(messages_omitted_count\); max_items: .{1,6}all.{1,2} of gum[._]read/,
      );
      ok(!/page_size: \d+(?!\d| of)/.test(notice), notice);
      // The tool itself refuses that control; the named one takes it.
      equal((await peer.call("gmail_search", { ...args, max_items: "all" })).isError, true);
      const whole = await peer.call("gum.read", {
        op_id: "gmail.users.messages.list",
        args: { userId: "me", maxResults: 150 },
        max_items: "all",
      });
      const { _expression: expression } = whole.structuredContent as {
        _expression: { result_count: number };
      };
      equal(expression.result_count, 150);
      const read = await peer.call("gum.read", { op_id: "gmail.users.messages.list", args });
      ok(!JSON.stringify(read.content).includes("of gum"), JSON.stringify(read.content));
    });
  });
});
