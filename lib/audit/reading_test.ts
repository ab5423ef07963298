import assert from "node:assert/strict";
import fc from "fast-check";
import { lastRows, verifyAuditLog } from "./mod.ts";
import { openRig } from "./testdata/rig.ts";

Deno.test("the last rows come oldest first, over archives, through a filter", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 600, maxFiles: 100 });
  for (let index = 0; index < 30; index++) {
    log.append({ op_id: index % 2 === 0 ? "even" : "odd", index });
    await log.idle();
    rig.clock.advance(1_000);
  }
  const indexes = async (count: number, op?: string) =>
    (await lastRows(rig.folder, { count, keep: (row) => op === undefined || row.op_id === op }))
      .map((row) => row.index);
  assert.deepEqual(await indexes(4), [26, 27, 28, 29]);
  assert.deepEqual(await indexes(3, "even"), [24, 26, 28]);
  assert.equal((await indexes(1_000)).length, 30);
  assert.deepEqual(await lastRows(`${rig.folder}/none`, { count: 3 }), []);
});

Deno.test("a rotation while the log is read costs no row and is no damage", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 600, maxFiles: 2 });
  const append = async (index: number) => {
    log.append({ op_id: "x", index });
    await log.idle();
    rig.clock.advance(1_000);
  };
  for (let index = 0; index < 12; index++) await append(index);
  const reading = lastRows(rig.folder, { count: 5 });
  const verifying = verifyAuditLog(rig.folder);
  // Moves every file that was listed, and prunes all of them but two.
  for (let index = 12; index < 40; index++) await append(index);
  const indexes = (await reading).map((row) => Number(row.index));
  assert.equal(indexes.at(-1), 11);
  assert.deepEqual(indexes, indexes.toSorted((left, right) => left - right));
  const { ok, failure } = await verifying;
  assert.deepEqual({ ok, failure }, { ok: true, failure: null });
});

Deno.test("lines longer than a piece of the file are read whole, whatever their lengths", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(150_000), { minLength: 1, maxLength: 6 }), async (lengths) => {
      await using rig = await openRig();
      const log = rig.open();
      for (const [index, length] of lengths.entries()) {
        log.append({ index, text: "é".repeat(length) });
      }
      const rows = await lastRows(rig.folder, { count: lengths.length });
      assert.deepEqual(rows.map((row) => [row.index, String(row.text).length]), [
        ...lengths.entries(),
      ]);
      assert.equal((await verifyAuditLog(rig.folder)).rows, lengths.length);
    }),
    { numRuns: 15 },
  );
});

Deno.test("verifying names half rows and foreign text; old and later versions are rows", async () => {
  await using rig = await openRig();
  const log = rig.open();
  log.append({ op_id: "x" });
  assert.equal((await verifyAuditLog(rig.folder)).ok, true);
  const extra =
    '{"ts":"2026-01-01T00:00:00Z","op_id":"of version 0"}\nnot json\n{"v":2,"ts":"t"}\n' +
    '{"v":1,"ts":"half';
  await Deno.writeTextFile(`${rig.folder}/audit.jsonl`, extra, { append: true });
  const verification = await verifyAuditLog(rig.folder);
  assert.deepEqual(verification, {
    ok: false,
    rows: 3,
    files: [{ file: "audit.jsonl", rows: 3, unreadable: 2, unreadable_lines: [3, 5] }],
    broken: null,
    failure: null,
  });
  await Deno.writeTextFile(`${rig.folder}/audit.broken`, "2026 disk full\n");
  assert.equal((await verifyAuditLog(rig.folder)).broken, "2026 disk full");
  const none = await verifyAuditLog(`${rig.folder}/none`);
  assert.deepEqual([none.ok, none.rows], [true, 0]);
  // Where no log can be, none is sound.
  const below = await verifyAuditLog(`${rig.folder}/audit.jsonl/below`);
  assert.deepEqual([below.ok, below.rows], [false, 0]);
  assert.match(below.failure ?? "", /not a directory/i);
});
