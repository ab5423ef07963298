import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { type PluginFileSystem, realFileSystem } from "../file_system.ts";
import { filesBelow, inTemporary, never, recordingLogger } from "../testdata/fixture.ts";
import { forgetSyncWarnings, openPluginRegistry } from "./mod.ts";
import { addState, errnoError, registryIn, text } from "./testdata/rig.ts";

function syncing(failure: () => Error): Partial<PluginFileSystem> {
  return {
    async createFile(path, mode) {
      const file = await realFileSystem.createFile(path, mode);
      return { ...file, sync: () => Promise.reject(failure()) };
    },
  };
}

Deno.test("TestWriteTransactionAbortsOnARealStagingFsyncFailure: a disk error publishes nothing", async () => {
  for (const code of ["EIO", "ENOSPC"]) {
    await inTemporary(async (directory) => {
      const { registry, auditSink } = registryIn(directory, syncing(() => errnoError(code)));
      await assert.rejects(registry.writeTransaction(addState("one"), { signal: never() }));
      assert.deepEqual(await filesBelow(directory), ["plugins.install.lock"]);
      assert.deepEqual(auditSink.rows, []);
    });
  }
});

Deno.test("TestWriteTransactionSurvivesUnsupportedFsync: a file system without sync still publishes", async () => {
  for (const code of ["EINVAL", "ENOTSUP", "EOPNOTSUPP"]) {
    forgetSyncWarnings();
    await inTemporary(async (directory) => {
      const unsupported = () => errnoError(code);
      const { registry, logger } = registryIn(directory, {
        ...syncing(unsupported),
        syncDirectory: () => Promise.reject(unsupported()),
      });
      await registry.writeTransaction(addState("one"), { signal: never() });
      await registry.writeTransaction(addState("two"), { signal: never() });
      assert.equal((await registry.loadSnapshot()).generation, 2);
      const warnings = logger.records.filter(({ fields }) =>
        fields.event === "fsync_not_supported"
      );
      assert.equal(warnings.length, 1, "once a process, not once a transaction");
      assert.equal(warnings[0]?.level, "warn");
      assert.equal(warnings[0]?.fields.syscall_errno, code);
    });
  }
});

Deno.test("TestUnsupportedFsyncWritesAuditRow: one event row with the same values", async () => {
  forgetSyncWarnings();
  await inTemporary(async (directory) => {
    const { registry, auditSink, logger } = registryIn(
      directory,
      syncing(() => errnoError("EINVAL")),
    );
    await registry.writeTransaction(addState("one"), { signal: never() });
    await registry.writeTransaction(addState("two"), { signal: never() });
    assert.equal(auditSink.rows.length, 1);
    const [row] = auditSink.rows;
    const { event, path, syscall_errno, suggestion } = row ?? {};
    assert.deepEqual(row, { event, path, syscall_errno, suggestion });
    assert.equal(event, "fsync_not_supported");
    assert.equal(syscall_errno, "EINVAL");
    assert.equal(logger.records[0]?.fields.path, path);
    const elsewhere = registryIn(`${directory}/other`, syncing(() => errnoError("EINVAL")));
    await elsewhere.registry.writeTransaction(addState("one"), { signal: never() });
    assert.equal(elsewhere.auditSink.rows.length, 1, "another profile is told too");
  });
});

Deno.test("TestRegistryAuditSinkWritesProfileAuditRow: the row reaches the profile's audit log", async () => {
  forgetSyncWarnings();
  const { openAuditLog } = await import("../../audit/mod.ts");
  await inTemporary(async (directory) => {
    const audit = openAuditLog({ directory, profileName: "default", clock: systemClock });
    const registry = openPluginRegistry({
      profileDir: directory,
      clock: systemClock,
      auditSink: audit,
      logger: recordingLogger(),
      fs: { ...realFileSystem, ...syncing(() => errnoError("ENOTSUP")) },
    });
    await registry.writeTransaction(addState("one"), { signal: never() });
    await audit.close();
    const row = JSON.parse(text(`${directory}/audit.jsonl`).trim());
    assert.equal(row.event, "fsync_not_supported");
    assert.equal(row.syscall_errno, "ENOTSUP");
  });
});
