import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { jumpingClock } from "../lib/dispatch/testdata/fixture.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { rawPeer } from "./testdata/raw_peer.ts";

const NAME = "projects/p/locations/l/operations/made";

async function withSession(run: (session: Session) => Promise<void>): Promise<void> {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    clock: jumpingClock(Date.parse("2026-05-19T10:00:00Z")),
  });
  try {
    await run(session);
  } finally {
    await session.close();
  }
}

Deno.test("TestPollProgressTokenContract: gum.poll over the emulator reports to the asking client only", async () => {
  await withSession(async (session) => {
    const asking = rawPeer(session);
    const other = rawPeer(session);
    await asking.open();
    await other.open();
    for (const token of [7, "seven", undefined]) {
      session.emulator?.startOperation?.({ name: NAME, polls: 2, response: { rows: 3 } });
      const already = asking.pushed.length;
      const result = await asking.call(
        "gum.poll",
        { operation_name: NAME },
        token === undefined ? {} : { _meta: { progressToken: token } },
      );
      deepStrictEqual((result.structuredContent as JsonObject).data, {
        name: NAME,
        done: true,
        response: { rows: 3 },
      });
      const progress = asking.pushed.slice(already).map(({ params }) => params as JsonObject);
      deepStrictEqual(
        progress.map((params) => [params.progressToken, params.progress, params.total]),
        token === undefined ? [] : [[token, 0, 600], [token, 2, 600]],
      );
      ok(progress.every(({ message }) => message === `${NAME}: RUNNING`));
    }
    deepStrictEqual(other.pushed, []);
    await asking.close();
    await other.close();
  });
});

Deno.test("TestPollTimeoutAndCancellation: a failed, an unknown and an endless operation are error results", async () => {
  await withSession(async (session) => {
    const peer = rawPeer(session);
    await peer.open();
    const rows: [string, string][] = [
      ["projects/p/locations/l/operations/bad", "LRO_FAILED"],
      ["projects/p/locations/l/operations/nobody", "LRO_UNROUTABLE"],
      ["projects/p/locations/l/operations/endless", "LRO_TIMEOUT"],
    ];
    session.emulator?.startOperation?.({ name: rows[0]?.[0] ?? "", polls: 0, error: { code: 3 } });
    session.emulator?.startOperation?.({ name: rows[2]?.[0] ?? "", polls: 1000 });
    for (const [name, code] of rows) {
      const result = await peer.call("gum.poll", { operation_name: name });
      equal(result.isError, true);
      const [block] = result.content as { text: string }[];
      const envelope = JSON.parse(block?.text ?? "{}");
      equal(envelope.error_code, code);
      equal(envelope.operation_name, name);
      if (code === "LRO_TIMEOUT") equal(envelope.resume_handle, name);
    }
    await peer.close();
  });
});
