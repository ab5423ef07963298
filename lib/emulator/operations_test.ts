import assert from "node:assert/strict";
import { startEmulator } from "./mod.ts";

Deno.test("operations: the control endpoint starts one and refuses what is none", async () => {
  const emulator = await startEmulator();
  try {
    const start = async (operation: unknown): Promise<[number, Record<string, unknown>]> => {
      const answer = await fetch(`${emulator.origin}/_control/operations`, {
        method: "POST",
        body: JSON.stringify(operation),
      });
      return [answer.status, await answer.json()];
    };
    const full = { name: "operations/a", response: { b: 1 }, metadata: { c: 2 }, polls: 0 };
    assert.deepEqual(await start(full), [
      201,
      { name: "operations/a", metadata: { c: 2 }, done: false },
    ]);
    const url = new URL("https://run.googleapis.com/v1/operations/a");
    const polled = await fetch(emulator.rewrite(url), {
      headers: { authorization: `Bearer ${emulator.credentials.bearer}` },
    });
    assert.deepEqual(await polled.json(), {
      name: "operations/a",
      metadata: { c: 2 },
      done: true,
      response: { b: 1 },
    });
    const refused: [unknown, RegExp][] = [
      [[], /needs a name/],
      [{ name: 7 }, /needs a name/],
      [{ name: "operations/x", polls: "3" }, /polls/],
      [{ name: "operations/x", polls: -1 }, /polls/],
      [{ name: "operations/x", error: "no" }, /error must be an object/],
      [{ name: "operations/x", response: [] }, /response must be an object/],
      [{ name: "operations/x", host: 1 }, /host must be text/],
    ];
    for (const [operation, why] of refused) {
      const [status, body] = await start(operation);
      assert.equal(status, 400, JSON.stringify(operation));
      assert.match(String(body.error), why);
    }
    assert.equal((await start({ name: "operations/d" }))[0], 201);
  } finally {
    await emulator.close();
  }
});
