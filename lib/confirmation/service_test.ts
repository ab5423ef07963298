import assert from "node:assert/strict";
import type { ConfirmationBinding } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { createConfirmationService } from "./mod.ts";
import { createMemoryReplayStore } from "./replay.ts";

const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
const BINDING: ConfirmationBinding = {
  purpose: "gum_confirm_destructive",
  opId: "drive.files.delete",
  variantId: "v",
  argsHash: "0".repeat(64),
  scope: "[]",
};

async function temporary(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "gum-confirm-" });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
    },
  };
}

const POSIX = Deno.build.os !== "windows";

Deno.test("the key is created once, private, and read by every later service", async () => {
  await using directory = await temporary();
  const services = Array.from(
    { length: 8 },
    () => createConfirmationService({ profileName: "p", dataDir: directory.path, clock }),
  );
  const tokens = await Promise.all(services.map((service) => service.issue(BINDING)));
  // Whoever lost the race to create the file signs with the winner's key all the same.
  for (const { token } of tokens) {
    for (const service of services) await service.verify(token, BINDING);
  }
  const path = `${directory.path}/gum/confirmation-signing.key`;
  const { size, mode } = await Deno.stat(path);
  assert.equal(size, 32);
  if (POSIX) {
    assert.equal((mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(`${directory.path}/gum`)).mode ?? 0) & 0o777, 0o700);
  }
  const left = [...Deno.readDirSync(`${directory.path}/gum`)].map((entry) => entry.name);
  assert.deepEqual(left, ["confirmation-signing.key"], "no temporary file stays");
});

Deno.test("an unusable key file is never overwritten: no token, a named file, a refused second contact", async () => {
  for (const kind of ["symlink", "short", "empty", "directory"] as const) {
    if (kind === "symlink" && !POSIX) continue;
    await using directory = await temporary();
    const path = `${directory.path}/gum/confirmation-signing.key`;
    await Deno.mkdir(`${directory.path}/gum`);
    if (kind === "directory") await Deno.mkdir(path);
    else if (kind === "symlink") {
      await Deno.writeFile(`${directory.path}/elsewhere`, new Uint8Array(32));
      await Deno.symlink(`${directory.path}/elsewhere`, path);
    } else await Deno.writeFile(path, new Uint8Array(kind === "short" ? 31 : 0));
    const service = createConfirmationService({ profileName: "p", dataDir: directory.path, clock });
    await assert.rejects(
      service.issue(BINDING),
      (error: Error & { details?: unknown; suggestion?: string }) => {
        assert.deepEqual(error.details, { reason: "signing_key_unavailable", op_id: BINDING.opId });
        assert.ok(error.suggestion?.includes(path));
        return true;
      },
    );
    const elsewhere = createConfirmationService({ profileName: "p", clock });
    const { token } = await elsewhere.issue(BINDING);
    await assert.rejects(service.verify(token, BINDING), { code: "CONFIRMATION_TOKEN_INVALID" });
    if (kind === "short") assert.equal((await Deno.stat(path)).size, 31);
    // Repaired while the process lives: the next call works.
    await Deno.remove(path);
    await service.issue(BINDING);
  }
});

Deno.test("a directory that cannot be written gives a key of this process and a warning", async () => {
  await using directory = await temporary();
  const blocked = `${directory.path}/file`;
  await Deno.writeTextFile(blocked, "not a directory");
  const warnings: string[] = [];
  const service = createConfirmationService({
    profileName: "p",
    dataDir: blocked,
    clock,
    log: { log: (level, message) => level === "warn" && warnings.push(message) },
  });
  const { token } = await service.issue(BINDING);
  const verified = await service.verify(token, BINDING);
  await service.spend(verified);
  await assert.rejects(service.spend(verified), { code: "CONFIRMATION_TOKEN_INVALID" });
  assert.deepEqual(warnings, ["confirmation key kept in memory only"]);
});

Deno.test("markers are private files with the expiry; expired ones go with the next spend", async () => {
  await using directory = await temporary();
  let now = 1_780_000_000_000;
  const moving = { now: () => now, sleep: () => Promise.resolve() };
  const service = createConfirmationService({
    profileName: "p",
    dataDir: directory.path,
    clock: moving,
  });
  const spend = async () => {
    const { token } = await service.issue(BINDING);
    const verified = await service.verify(token, BINDING);
    await service.spend(verified);
    return verified;
  };
  const first = await spend();
  const folder = `${directory.path}/gum/p/confirmation-replay`;
  assert.equal(await Deno.readTextFile(`${folder}/${first.mac}`), `${first.expiresMs}`);
  if (POSIX) assert.equal(((await Deno.stat(folder)).mode ?? 0) & 0o777, 0o700);
  now += 300_001;
  const second = await spend();
  assert.deepEqual([...Deno.readDirSync(folder)].map((entry) => entry.name), [second.mac]);
});

Deno.test("a marker store that cannot be used refuses the call", async () => {
  await using directory = await temporary();
  const service = createConfirmationService({ profileName: "p", dataDir: directory.path, clock });
  const { token } = await service.issue(BINDING);
  await Deno.mkdir(`${directory.path}/gum/p`);
  await Deno.writeTextFile(`${directory.path}/gum/p/confirmation-replay`, "in the way");
  const reason = await service.verify(token, BINDING)
    .then((verified) => service.spend(verified))
    .then(() => "spent", (error) => error.details.reason);
  assert.equal(reason, "replay_store_unavailable");
});

Deno.test("the memory store keeps 1024 entries, dropping expired ones first, then the earliest", async () => {
  const store = createMemoryReplayStore();
  for (let index = 0; index < 1024; index++) {
    await store.spend({ mac: `m${index}`, expiresMs: index < 5 ? 10 : 1000 + index, now: 0 });
  }
  await store.spend({ mac: "new", expiresMs: 5000, now: 100 });
  for (let index = 0; index < 5; index++) assert.ok(!await store.isSpent(`m${index}`));
  assert.ok(await store.isSpent("m5"));
  for (let index = 0; index < 5; index++) {
    await store.spend({ mac: `more${index}`, expiresMs: 6000, now: 100 });
  }
  assert.ok(!await store.isSpent("m5"), "the earliest expiry went");
  assert.ok(await store.isSpent("m6"));
});

Deno.test("tampering with any field of a token is noticed", async () => {
  const service = createConfirmationService({ profileName: "p", clock });
  const { token } = await service.issue(BINDING);
  const fields = token.split(".");
  const changes: [number, string][] = [
    [1, "1"],
    [2, `${Number(fields[2]) + 1}`],
    [3, "f".repeat(32)],
    [5, "a".repeat(64)],
    [6, "b".repeat(64)],
    [6, "zz"],
    [5, (fields[5] ?? "").toUpperCase()],
  ];
  for (const [index, text] of changes) {
    const forged = fields.with(index, text).join(".");
    await assert.rejects(service.verify(forged, BINDING), { code: "CONFIRMATION_TOKEN_INVALID" });
  }
});

Deno.test("a token that a clock far ahead gave out does not outlive the mistake", async () => {
  await using directory = await temporary();
  let now = Date.UTC(2121, 0, 1);
  const service = createConfirmationService({
    profileName: "p",
    dataDir: directory.path,
    clock: { ...clock, now: () => now },
  });
  const { token } = await service.issue(BINDING);
  await service.verify(token, BINDING);
  // A small step back, as a clock takes it every day, costs nobody a confirmation.
  now -= 60_000;
  await service.verify(token, BINDING);
  now = Date.UTC(2026, 0, 1);
  await assert.rejects(service.verify(token, BINDING), (error) => {
    assert.ok(error instanceof GumError);
    assert.deepEqual([error.code, error.details.reason], [
      "CONFIRMATION_TOKEN_INVALID",
      "expired",
    ]);
    return true;
  });
});
