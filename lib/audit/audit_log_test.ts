import assert from "node:assert/strict";
import { auditRow, disabledAuditSink, isAuditBroken, lastRows } from "./mod.ts";
import { holdLock, openRig } from "./testdata/rig.ts";

const POSIX = Deno.build.os !== "windows";
const NOW = Date.parse("2026-05-23T14:30:00.123Z");
const DAY = 86_400_000;
const filler = (length: number) => ({ op_id: "x", text: "x".repeat(length) });

Deno.test("TestAuditEntryShape: version and time lead, known keys follow in order, others sorted", () => {
  const row = auditRow({
    zulu: 1,
    panic: true,
    request_id: "r",
    risk_override: false,
    risk_class: "read",
    client_id: "cli",
    args_hash: "h",
    variant_id: "v",
    op_id: "o",
    alpha: 2,
    ts: "forged",
    v: 7,
  }, NOW);
  assert.equal(
    JSON.stringify(row),
    '{"v":1,"ts":"2026-05-23T14:30:00.123Z","op_id":"o","variant_id":"v","args_hash":"h",' +
      '"client_id":"cli","risk_class":"read","risk_override":false,"panic":true,' +
      '"alpha":2,"request_id":"r","zulu":1}',
  );
});

Deno.test("TestAuditEntryShape: flags are there only when true, the override always on calls", () => {
  const flags = ["shaping_bypassed", "sanitizer_bypassed", "dual_fetch", "panic"];
  const off = Object.fromEntries(flags.map((flag) => [flag, false]));
  assert.deepEqual(Object.keys(auditRow({ op_id: "o", ...off, risk_override_reason: null }, NOW)), [
    "v",
    "ts",
    "op_id",
    "risk_override",
  ]);
  const on = auditRow(
    { op_id: "o", ...Object.fromEntries(flags.map((flag) => [flag, true])) },
    NOW,
  );
  for (const flag of flags) assert.equal(on[flag], true);
  assert.deepEqual(Object.keys(auditRow({ event: "auth_login", scopes: [] }, NOW)), [
    "v",
    "ts",
    "event",
    "scopes",
  ]);
});

Deno.test("rows are in a private file when append returns; several logs never mix theirs", async () => {
  await using rig = await openRig();
  const [first, second] = [rig.open(), rig.open()];
  for (let index = 0; index < 50; index++) {
    first.append({ op_id: "first", text: "x".repeat(200) });
    second.append({ op_id: "second" });
  }
  disabledAuditSink.append({ op_id: "nowhere" });
  const rows = rig.rows();
  assert.equal(rows.length, 100);
  assert.equal(rows.filter((row) => row.op_id === "first").length, 50);
  if (POSIX) {
    assert.equal(((await Deno.stat(`${rig.folder}/audit.jsonl`)).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(rig.folder)).mode ?? 0) & 0o777, 0o700);
  }
});

Deno.test("TestAuditRotation: by size, with a limit of archives; foreign files are left alone", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 1_000, maxFiles: 2 });
  await Deno.mkdir(rig.folder, { recursive: true });
  for (const name of ["audit.notes.jsonl", "audit.2026-05-23T143000Z.x.jsonl"]) {
    await Deno.writeTextFile(`${rig.folder}/${name}`, "mine");
  }
  for (let index = 0; index < 5; index++) {
    log.append(filler(800));
    await log.idle();
    rig.clock.advance(1_000);
  }
  assert.deepEqual(rig.names(), [
    "audit.2026-05-23T143000Z.x.jsonl",
    "audit.2026-05-23T143003Z.jsonl",
    "audit.2026-05-23T143004Z.jsonl",
    "audit.jsonl",
    "audit.jsonl.lock",
    "audit.notes.jsonl",
  ]);
  assert.equal(rig.rows().length, 1);
});

Deno.test("TestAuditRotation: archives of one second keep their order past nine", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 200, maxFiles: 5 });
  for (let index = 0; index < 14; index++) {
    log.append({ op_id: "x", index, text: "x".repeat(150) });
    await log.idle();
  }
  const archives = rig.names().filter((name) => /Z.*jsonl$/.test(name));
  assert.deepEqual(archives.map((name) => /Z\.?([0-9]*)\.?jsonl/.exec(name)?.[1]).sort(), [
    "10",
    "11",
    "12",
    "8",
    "9",
  ]);
  assert.equal(rig.rows("audit.2026-05-23T143000Z.12.jsonl")[0]?.index, 12);
  assert.equal(rig.rows()[0]?.index, 13);
});

Deno.test("TestAuditRotation: after the clock was set back, the newest rows stay and come last", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 200, maxFiles: 2, retentionDays: 0 });
  const append = async (index: number) => {
    log.append({ op_id: "x", index, text: "x".repeat(150) });
    await log.idle();
    rig.clock.advance(1_000);
  };
  rig.clock.advance(3_000 * DAY);
  for (let index = 0; index < 4; index++) await append(index);
  rig.clock.advance(-3_000 * DAY);
  for (let index = 4; index < 8; index++) await append(index);
  const rows = await lastRows(rig.folder, { count: 10 });
  assert.deepEqual(rows.map((row) => row.index), [5, 6, 7]);
});

Deno.test("TestAuditRotation: by age of the first row, read once; zero switches each rule off", async () => {
  await using rig = await openRig();
  const log = rig.open({ retentionDays: 2 });
  log.append(filler(10));
  rig.clock.advance(2 * DAY - 1);
  log.append(filler(10));
  await log.idle();
  assert.equal(rig.rows().length, 2);
  rig.clock.advance(1);
  log.append(filler(10));
  await log.idle();
  assert.equal(rig.rows().length, 1);
  const forever = rig.open({ retentionDays: 0, maxBytes: 0 });
  rig.clock.advance(10_000 * DAY);
  for (let index = 0; index < 20; index++) forever.append(filler(10));
  await forever.idle();
  assert.equal(rig.rows().length, 21);
});

Deno.test("TestAuditRotation: several writers rotate together; every row lands, nothing is broken", async () => {
  await using rig = await openRig();
  const logs = Array.from({ length: 4 }, () => rig.open({ maxBytes: 2_000, maxFiles: 1_000 }));
  for (let index = 0; index < 100; index++) {
    for (const [writer, log] of logs.entries()) log.append({ op_id: `${writer}`, index });
    if (index % 10 === 0) await Promise.all(logs.map((log) => log.idle()));
  }
  await Promise.all(logs.map((log) => log.close()));
  const rows = rig.names().filter((name) => name.endsWith(".jsonl")).flatMap((name) =>
    rig.rows(name)
  );
  assert.equal(rows.length, 400);
  assert.equal(new Set(rows.map((row) => `${row.op_id} ${row.index}`)).size, 400);
  assert.equal(rig.sentinel(), undefined);
});

Deno.test("TestAuditRotation: a row waits for the one before it while the file is moved aside", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 300 });
  for (let index = 0; index < 20; index++) log.append({ op_id: "x", index });
  await log.idle();
  const names = rig.names().filter((name) => name.endsWith(".jsonl"));
  const indexes = names.flatMap((name) => rig.rows(name).map((row) => Number(row.index)));
  assert.deepEqual(indexes.toSorted((left, right) => left - right).at(-1), 19);
  for (const name of names) {
    const own = rig.rows(name).map((row) => Number(row.index));
    assert.deepEqual(own, own.toSorted((left, right) => left - right));
  }
});

Deno.test("TestAuditRecovery: a lock without a live file is what a crash left; it is put right", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/audit.jsonl.lock`, "");
  await rig.open().recover();
  assert.equal((await Deno.stat(`${rig.folder}/audit.jsonl`)).size, 0);
  await Deno.remove(`${rig.folder}/audit.jsonl`);
  using _held = await holdLock(rig.folder);
  await rig.open({ rotationWaitMs: 20 }).recover();
  assert.deepEqual(rig.logged.map(({ message }) => message), ["audit log could not be put right"]);
  const log = rig.open();
  log.append(filler(1));
  assert.equal(rig.rows().length, 1, "the next row does not need it");
});

Deno.test("TestAuditRecovery: a folder that went away is made again; half a row is closed off", async () => {
  await using rig = await openRig();
  const log = rig.open();
  log.append(filler(1));
  await Deno.remove(rig.folder, { recursive: true });
  log.append(filler(2));
  assert.equal(rig.rows().length, 1);
  await Deno.writeTextFile(`${rig.folder}/audit.jsonl`, '{"v":1,"ts":"20', { append: true });
  log.append(filler(3));
  const lines = (await Deno.readTextFile(`${rig.folder}/audit.jsonl`)).split("\n");
  assert.equal(lines[1], '{"v":1,"ts":"20');
  assert.equal(JSON.parse(lines[2] ?? "").text, "xxx");
});

Deno.test("TestAuditBrokenSentinel: a lost row leaves it, the next that lands takes it away", async () => {
  await using rig = await openRig();
  const log = rig.open();
  await Deno.mkdir(`${rig.folder}/audit.jsonl`, { recursive: true });
  log.append(filler(1));
  await log.idle();
  assert.match(rig.sentinel() ?? "", /^2026-05-23T14:30:00\.123Z .+\n$/);
  assert.equal(isAuditBroken(rig.folder), true);
  assert.deepEqual(rig.logged[0]?.message, "audit_write_failure");
  assert.equal(rig.logged[0]?.fields.profile, "default");
  await Deno.remove(`${rig.folder}/audit.jsonl`);
  log.append(filler(1));
  await log.idle();
  assert.equal(rig.sentinel(), undefined);
  assert.equal(isAuditBroken(rig.folder), false);
});

Deno.test("TestAuditBrokenSentinel: what another process left is seen, however long all was well", async () => {
  await using rig = await openRig();
  const log = rig.open();
  log.append(filler(1));
  Deno.utimeSync(rig.folder, 1, 1);
  // Twice: the second row need not look for a sentinel any more.
  log.append(filler(1));
  log.append(filler(1));
  await Deno.writeTextFile(`${rig.folder}/audit.broken`, "lost\n");
  assert.notEqual((await Deno.stat(rig.folder)).mtime?.getTime(), 1_000);
  log.append(filler(1));
  await log.idle();
  assert.equal(rig.sentinel(), undefined);
});

Deno.test("TestAuditBrokenSentinel: a row that is no JSON is a lost row, and append does not throw", async () => {
  await using rig = await openRig();
  const log = rig.open();
  const loop: Record<string, never> = {};
  Object.assign(loop, { loop });
  log.append(loop);
  await log.idle();
  assert.match(rig.sentinel() ?? "", /circular/);
});

Deno.test("TestAuditBrokenSentinel: trouble with archiving costs no row but is not hidden", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 100 });
  log.append(filler(90));
  await Deno.mkdir(`${rig.folder}/audit.jsonl.lock`);
  log.append(filler(90));
  await log.idle();
  assert.equal(rig.rows().length, 2);
  assert.match(rig.sentinel() ?? "", /rotation failed/);
});

Deno.test("a peer that rotates is waited for, then the row goes where it can", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 100, rotationWaitMs: 30 });
  log.append(filler(90));
  using _held = await holdLock(rig.folder);
  log.append(filler(90));
  await log.idle();
  assert.equal(rig.rows().length, 2);
  assert.equal(rig.sentinel(), undefined);
});

Deno.test("TestAuditHardCeilingContention: at the ceiling a row waits for rotation or is not written", async () => {
  await using rig = await openRig();
  const bounds = { maxBytes: 0, retentionDays: 0, ceilingBytes: 500 };
  const log = rig.open({ ...bounds, ceilingWaitMs: 30 });
  log.append(filler(400));
  {
    using _held = await holdLock(rig.folder);
    log.append(filler(400));
    await log.idle();
    assert.equal(rig.rows().length, 1);
    assert.ok(!rig.names().some((name) => /Z\.jsonl/.test(name)), "no archive was made");
    assert.match(rig.sentinel() ?? "", /lock/);
  }
  const patient = rig.open({ ...bounds, ceilingWaitMs: 10_000 });
  const held = await holdLock(rig.folder);
  patient.append(filler(400));
  held[Symbol.dispose]();
  await patient.idle();
  assert.equal(rig.rows().length, 1);
  assert.equal(rig.names().filter((name) => /Z\.jsonl/.test(name)).length, 1);
  assert.equal(rig.sentinel(), undefined);
  const unbounded = rig.open({ ...bounds, unbounded: true });
  for (let index = 0; index < 5; index++) unbounded.append(filler(400));
  assert.equal(rig.rows().length, 6);
});

Deno.test("TestAuditGracefulShutdown: what waits is written within the drain time and counted", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 100, announceDrain: true });
  for (let index = 0; index < 30; index++) log.append(filler(90));
  assert.deepEqual(await log.close(), { drained: 30, dropped: 0, timedOut: false });
  log.append(filler(1));
  assert.deepEqual(await log.close(), { drained: 30, dropped: 0, timedOut: false });
  const drains = rig.logged.filter(({ message }) => message === "audit_drain_complete");
  assert.deepEqual(drains.map(({ fields }) => fields), [
    { drained: 30, dropped: 0, timed_out: false },
  ]);
});

Deno.test("TestAuditGracefulShutdown: rows that are late are dropped, counted, and no failure", async () => {
  for (const drainTimeoutMs of [0, 30]) {
    await using rig = await openRig();
    const log = rig.open({
      maxBytes: 0,
      retentionDays: 0,
      ceilingBytes: 100,
      drainTimeoutMs,
      announceDrain: true,
    });
    log.append(filler(90));
    using _held = await holdLock(rig.folder);
    for (let index = 0; index < 10; index++) log.append(filler(90));
    const report = await log.close();
    assert.deepEqual(report, { drained: 1, dropped: 10, timedOut: true });
    assert.equal(rig.sentinel(), undefined);
    assert.equal(rig.rows().length, 1);
  }
});

Deno.test("TestAuditGracefulShutdown: a command's log drains in silence", async () => {
  await using rig = await openRig();
  const log = rig.open();
  log.append(filler(1));
  await log.close();
  assert.deepEqual(rig.logged, []);
});

Deno.test("rows that pile up behind a peer's rotation are appended: none is lost, in order", async () => {
  await using rig = await openRig();
  const log = rig.open({ maxBytes: 100, rotationWaitMs: 60_000, queueRows: 4, slotWaitMs: 5_000 });
  log.append(filler(90));
  using _held = await holdLock(rig.folder);
  for (let index = 0; index < 50; index++) log.append({ op_id: "x", index });
  await log.idle();
  assert.deepEqual(rig.rows().slice(1).map((row) => row.index), [...Array(50).keys()]);
  assert.equal(rig.sentinel(), undefined);
});

Deno.test("at the ceiling, a queue that is full for too long drops rows where everyone can see it", async () => {
  await using rig = await openRig();
  const log = rig.open({
    maxBytes: 0,
    retentionDays: 0,
    ceilingBytes: 600,
    ceilingWaitMs: 10_000,
    queueRows: 4,
    slotWaitMs: 20,
    maxFiles: 100,
  });
  log.append(filler(500));
  const held = await holdLock(rig.folder);
  for (let index = 0; index < 10; index++) log.append({ op_id: "x", index });
  const deadline = performance.now() + 5_000;
  while (rig.sentinel() === undefined && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, 5));
  }
  assert.match(rig.sentinel() ?? "", /audit queue full/);
  held[Symbol.dispose]();
  await log.idle();
  const { drained, dropped } = await log.close();
  assert.deepEqual([drained, dropped], [5, 6]);
});
