import assert from "node:assert/strict";
import { killWriters } from "../../testdata/durability/harness.ts";
import { jumpingClock } from "../dispatch/testdata/fixture.ts";
import { checkedDoctor } from "../../testdata/durability/doctor.ts";
import { verifyAuditLog } from "../audit/mod.ts";
import { silentLogger } from "../log/mod.ts";
import { openSession } from "./mod.ts";

Deno.test("TestAuditRecovery: writers killed at random lose nothing that was accepted", async () => {
  const report = await killWriters({ kills: 40, writers: 5, longestMs: 200 });
  assert.equal(report.kills, 40);
  assert.deepEqual(report.faults, []);
  assert.ok((report.accepted.audit ?? 0) >= 40, JSON.stringify(report.accepted));
  assert.ok(report.slowestRepairMs <= 1_000, `${report.slowestRepairMs} ms`);
});

/** Mounts a small file system; a reason when that is not possible here. */
async function mountTmpfs(path: string, size: string): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "tmpfs is of Linux";
  try {
    const { success, stderr } = await new Deno.Command("mount", {
      args: ["-t", "tmpfs", "-o", `size=${size}`, "gum-test", path],
    }).output();
    return success ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function unmount(path: string): Promise<void> {
  await new Deno.Command("umount", { args: [path] }).output();
}

const READ = { opId: "gmail.users.labels.list", args: { userId: "me" }, format: "json" } as const;

/** A call on a data directory that takes nothing, and what health and doctor say of it. */
async function callOn(data: string) {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { data },
    clock: jumpingClock(),
    log: silentLogger,
  });
  try {
    const answer = await session.kernel.dispatch(READ);
    await session.gain?.().catch(() => undefined);
    const look = async (name: "audit_log" | "gain_ledger") => {
      try {
        return (await session.health?.[name]?.())?.status;
      } catch {
        return "unavailable";
      }
    };
    return {
      opId: answer.opId,
      audit: await look("audit_log"),
      ledger: await look("gain_ledger"),
      doctor: await checkedDoctor(data),
    };
  } finally {
    await session.close();
  }
}

Deno.test("a full disk: calls answer, health and doctor show it, and it heals when there is room", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gum-full-" });
  const problem = await mountTmpfs(folder, "64k");
  if (problem !== undefined) {
    console.log(`skipped: no small file system can be mounted here (${problem})`);
    return await Deno.remove(folder, { recursive: true });
  }
  try {
    await Deno.mkdir(`${folder}/gum/default`, { recursive: true });
    const ballast = `${folder}/ballast`;
    await Deno.writeFile(ballast, new Uint8Array(1024 * 1024)).catch(
      () => {/* that is the point */},
    );
    const full = await callOn(folder);
    assert.equal(full.opId, READ.opId);
    assert.notEqual(full.audit, "healthy");
    assert.notEqual(full.ledger, "healthy");
    assert.equal(full.doctor.ok, false);
    await Deno.remove(ballast);
    const healed = await callOn(folder);
    assert.deepEqual([healed.audit, healed.ledger, healed.doctor.ok], ["healthy", "healthy", true]);
    const verification = await verifyAuditLog(`${folder}/gum/default`);
    assert.ok(verification.rows >= 1);
    assert.equal(verification.broken, null);
  } finally {
    await unmount(folder);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a read-only directory: calls answer, health and doctor show it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gum-readonly-" });
  const problem = await mountTmpfs(folder, "64k");
  if (problem !== undefined) {
    console.log(`skipped: no small file system can be mounted here (${problem})`);
    return await Deno.remove(folder, { recursive: true });
  }
  try {
    await Deno.mkdir(`${folder}/gum/default`, { recursive: true });
    await new Deno.Command("mount", { args: ["-o", "remount,ro", folder] }).output();
    const found = await callOn(folder);
    assert.equal(found.opId, READ.opId);
    assert.deepEqual([found.audit, found.ledger, found.doctor.ok], [
      "unavailable",
      "unavailable",
      false,
    ]);
    assert.ok(found.doctor.hint);
  } finally {
    await unmount(folder);
    await Deno.remove(folder, { recursive: true });
  }
});
