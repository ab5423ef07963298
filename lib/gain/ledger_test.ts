import assert from "node:assert/strict";
import { HEADER_LINE, openLedger, summarizeLedger } from "./mod.ts";
import { ledgerFiles } from "./ledger.ts";
import { entry, openRig } from "./testdata/rig.ts";

const POSIX = Deno.build.os !== "windows";

Deno.test("TestGainLedgerHeader: the exact bytes, once after three opens", async () => {
  await using rig = await openRig();
  assert.equal(
    HEADER_LINE,
    '{"record_type":"header","schema_version":1,"tokenizer":"cl100k_base"}',
  );
  for (let round = 0; round < 3; round++) {
    const ledger = openLedger({ directory: rig.folder, clock: rig.clock });
    await ledger.append(entry());
    await ledger.close();
    await ledger.close();
  }
  const lines = rig.lines();
  assert.equal(lines.length, 4);
  assert.deepEqual(lines.flatMap((line, index) => line === HEADER_LINE ? [index] : []), [0]);
});

/** Appends from processes of their own; each writes `count` entries of its own session. */
async function appendFromProcesses(
  folder: string,
  options: { processes: number; count: number; rotateBytes: number },
): Promise<void> {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const file = `${folder}/writer.ts`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(
    file,
    `import { openLedger } from ${url("./mod.ts")};
     import { entry } from ${url("./testdata/rig.ts")};
     const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
     const ledger = openLedger({ directory: ${JSON.stringify(folder)}, clock,
       rotateBytes: ${options.rotateBytes} });
     for (let index = 0; index < ${options.count}; index++) {
       await ledger.append(entry({ session: Deno.args[0], request_tokens: index }));
     }
     await ledger.close();`,
  );
  await Promise.all(Array.from({ length: options.processes }, async (_, process) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--allow-read",
        "--allow-write",
        file,
        `0000000${process}`,
      ],
      stdout: "null",
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  }));
}

Deno.test("TestGainLedgerHeader: racing processes leave one header, and no row is lost", async () => {
  await using rig = await openRig();
  await appendFromProcesses(rig.folder, { processes: 3, count: 50, rotateBytes: 1e9 });
  const lines = rig.lines().filter((line) => line !== "");
  assert.equal(lines.filter((line) => line === HEADER_LINE).length, 1);
  assert.equal(lines[0], HEADER_LINE);
  assert.equal(lines.length, 151);
});

Deno.test("TestGainStatsIncludesRotatedSegments: processes that rotate together lose nothing", async () => {
  await using rig = await openRig();
  await appendFromProcesses(rig.folder, { processes: 3, count: 120, rotateBytes: 20_000 });
  const segments = [...Deno.readDirSync(rig.folder)].map(({ name }) => name)
    .filter((name) => /^gain-ledger-[0-9]+\.jsonl$/.test(name));
  assert.ok(segments.length >= 3, segments.join());
  for (const name of segments) assert.equal(rig.lines(name)[0], HEADER_LINE);
  const { sessions } = await summarizeLedger(rig.folder, { mode: "summary" });
  assert.deepEqual(
    sessions?.map(({ session, calls }) => [session, calls]).toSorted(),
    [["00000000", 120], ["00000001", 120], ["00000002", 120]],
  );
});

Deno.test("TestGainStatsIncludesRotatedSegments: a segment's name is free, two in one second differ", async () => {
  await using rig = await openRig();
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock, rotateBytes: 100 });
  for (let index = 0; index < 3; index++) await ledger.append(entry());
  await ledger.close();
  const second = Math.floor(rig.clock.now() / 1000);
  assert.deepEqual(
    [...Deno.readDirSync(rig.folder)].map(({ name }) => name).sort(),
    [
      `gain-ledger-${second}.jsonl`,
      `gain-ledger-${second + 1}.jsonl`,
      `gain-ledger-${second + 2}.jsonl`,
      "gain-ledger.jsonl",
      "gain-ledger.jsonl.lock",
    ],
  );
  assert.deepEqual(rig.lines(), [HEADER_LINE]);
});

Deno.test("segments keep their order when the clock is set back", async () => {
  await using rig = await openRig();
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock, rotateBytes: 10 });
  await ledger.append(entry({ request_tokens: 1 }));
  rig.clock.advance(-86_400_000);
  await ledger.append(entry({ request_tokens: 2 }));
  await ledger.close();
  const tokens = (await ledgerFiles(rig.folder)).flatMap((path) =>
    Deno.readTextFileSync(path).split("\n").filter((line) => line.includes('"entry"'))
      .map((line) => JSON.parse(line).request_tokens)
  );
  assert.deepEqual(tokens, [1, 2]);
});

Deno.test("a rotation that fails costs no row and is logged; the lock of a peer is no failure", async () => {
  await using rig = await openRig();
  const logs: string[] = [];
  const log = { log: (_level: string, message: string) => void logs.push(message) };
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock, rotateBytes: 100, log });
  // The header is there, so only rotating takes the lock, which is a directory here.
  await Deno.mkdir(`${rig.folder}/gain-ledger.jsonl.lock`, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/gain-ledger.jsonl`, HEADER_LINE + "\n");
  await ledger.append(entry());
  await ledger.append(entry());
  await ledger.close();
  assert.equal(rig.lines().length, 3);
  assert.deepEqual(logs, ["gain_rotate_failed", "gain_rotate_failed"]);
});

Deno.test("TestLedgerFileIsMode600: private files in a private directory", async () => {
  await using rig = await openRig();
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock });
  await ledger.append(entry());
  await ledger.close();
  if (!POSIX) return;
  for (const name of ["", "/gain-ledger.jsonl", "/gain-ledger.jsonl.lock"]) {
    const { mode } = await Deno.stat(rig.folder + name);
    assert.equal((mode ?? 0) & 0o777, name === "" ? 0o700 : 0o600, name);
  }
});

Deno.test("TestExistingLedgerIsTightenedOnOpen: a looser file becomes private", async () => {
  await using rig = await openRig();
  await Deno.mkdir(rig.folder, { recursive: true });
  await Deno.writeTextFile(`${rig.folder}/gain-ledger.jsonl`, HEADER_LINE + "\n", { mode: 0o644 });
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock });
  await ledger.append(entry());
  await ledger.close();
  if (!POSIX) return;
  assert.equal(((await Deno.stat(`${rig.folder}/gain-ledger.jsonl`)).mode ?? 0) & 0o777, 0o600);
});

Deno.test("half a line of a dead process is closed off; the file may vanish under the writer", async () => {
  await using rig = await openRig();
  const ledger = openLedger({ directory: rig.folder, clock: rig.clock });
  await ledger.append(entry());
  await Deno.writeTextFile(`${rig.folder}/gain-ledger.jsonl`, '{"record_type":"en', {
    append: true,
  });
  await ledger.append(entry());
  assert.equal(rig.lines().length, 4);
  const { sessions } = await summarizeLedger(rig.folder, { mode: "summary" });
  assert.equal(sessions?.[0]?.calls, 2);
  await Deno.remove(`${rig.folder}/gain-ledger.jsonl`);
  await ledger.append(entry());
  await ledger.close();
  assert.deepEqual(rig.lines().length, 2);
});
