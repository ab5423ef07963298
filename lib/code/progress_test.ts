/** What a caller hears of a script that is under way, and of one that was cancelled. */

import assert from "node:assert/strict";
import { googleError, json } from "../http/testdata/peer.ts";
import { op, variant } from "../dispatch/testdata/fixture.ts";
import type { ScriptProgress } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { codeRequest, liveWorkers } from "./mod.ts";
import { openKernelRig, scriptCall } from "./testdata/kernel_rig.ts";
import { openRig } from "./testdata/rig.ts";

const READ = [
  op("x.get", [variant("x.v", ["read", "GET", "https://www.googleapis.com/x"])]),
];

async function heard(language: string, source: string): Promise<ScriptProgress[]> {
  const told: ScriptProgress[] = [];
  await using rig = openRig({
    ops: READ,
    answer({ args }) {
      if (args.n === 3) throw new GumError("RESOURCE_NOT_FOUND");
      return 1;
    },
  });
  const onProgress = (progress: ScriptProgress) => told.push(progress);
  await rig.runner.run(
    codeRequest({ language, source }),
    { confirmed: false, requestId: "r", onProgress },
    new AbortController().signal,
  );
  return told;
}

Deno.test("progress counts single calls and the elements of batches, failed ones too", async () => {
  const scripts: [string, string][] = [
    ["risor", 'gum_call("x.get")\ngum_parallel(range(5).map(n => ({op: "x.get", args: {n: n}})))'],
    [
      "javascript",
      `await gum_call("x.get", {});
await gum_parallel([0, 1, 2, 3, 4].map((n) => ({ op: "x.get", args: { n } })));`,
    ],
  ];
  for (const [language, source] of scripts) {
    const told = await heard(language, source);
    assert.deepEqual(told[0], { phase: "running", done: 0, asked: 0 });
    assert.deepEqual(told.slice(1, 4).map(({ done, asked }) => [done, asked]), [
      [0, 1],
      [1, 1],
      [1, 6],
    ]);
    assert.deepEqual(told.at(-1), { phase: "running", done: 6, asked: 6 });
    const done = told.map((each) => each.done);
    assert.deepEqual(done, done.toSorted((a, b) => a - b), "it never goes back");
  }
});

Deno.test("a cancelled script says through the kernel how many calls are over and what was printed", async () => {
  const second = Promise.withResolvers<void>();
  let requests = 0;
  await using rig = openKernelRig({
    script: () => {
      if (++requests < 2) return json({ files: [] });
      second.resolve();
      return { kind: "hang" };
    },
  });
  const source = `gum_call("drive.files.list", {})
gum_print("one is done")
gum_call("drive.files.list", {q: "second"})`;
  const controller = new AbortController();
  const failing = rig.fixture.kernel.dispatch(scriptCall(source), controller.signal).then(
    () => assert.fail("the script was expected to be cancelled"),
    (error: GumError) => error,
  );
  await second.promise;
  controller.abort(new Error("enough"));
  const error = await failing;
  assert.equal(error.code, "CANCELLED");
  const { cancelled, completed_calls: calls, partial_output: output } = error.toEnvelope();
  assert.deepEqual([cancelled, calls, output], [true, 1, "one is done"]);
  await rig.runner.close();
  assert.equal(liveWorkers(), 0);
});

Deno.test("what is left of an answered call waits for whoever was told", async () => {
  await using rig = openKernelRig({ script: () => json({ files: [] }) });
  const { fixture } = rig;
  const told = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const onAnswered = () => {
    told.resolve();
    return goOn.promise;
  };
  const call = fixture.kernel.dispatch({ opId: "drive.files.list", args: {}, onAnswered });
  await told.promise;
  // A call that did not wait would have ended many turns ago.
  for (let turn = 0; turn < 50; turn++) await new Promise((resume) => setTimeout(resume, 0));
  assert.deepEqual([fixture.gain.length, fixture.audit.length], [0, 0]);
  goOn.resolve();
  await call;
  assert.deepEqual([fixture.gain.length, fixture.audit.length], [1, 1]);
});

Deno.test("a call says that its service has answered: not before, not for a hit, not for a failure", async () => {
  let failing = false;
  await using rig = openKernelRig({
    script: () => failing ? googleError(404) : json({ files: [] }),
  });
  const { fixture } = rig;
  const answered = async (q: string): Promise<number> => {
    let times = 0;
    const onAnswered = () => {
      times++;
      assert.ok(fixture.peer.requests.length > 0);
      assert.equal(fixture.gain.filter(({ opId }) => opId === "drive.files.list").length, 0);
    };
    const call = { opId: "drive.files.list", args: { q }, onAnswered };
    await fixture.kernel.dispatch(call).catch(() => {/* the failure is the point of one call */});
    return times;
  };
  assert.equal(await answered("a"), 1);
  fixture.gain.length = 0;
  failing = true;
  assert.equal(await answered("b"), 0);
});
