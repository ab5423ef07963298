import assert from "node:assert/strict";
import { readOperation } from "./operation.ts";

function read(body: unknown) {
  return readOperation(new TextEncoder().encode(JSON.stringify(body)), "asked");
}

Deno.test("TestPollTimeoutAndCancellation: an operation with a status instead of done also ends", () => {
  const older = { kind: "compute#operation", name: "operation-1", operationType: "start" };
  for (const status of ["PENDING", "RUNNING"]) {
    assert.deepEqual(read({ ...older, status }), { kind: "running" }, status);
  }
  assert.deepEqual(read({ ...older, status: "DONE", targetLink: "https://x/i1", endTime: null }), {
    kind: "done",
    operation: {
      name: "operation-1",
      done: true,
      metadata: { operationType: "start", targetLink: "https://x/i1" },
    },
    error: undefined,
  });
  const failed = read({ ...older, status: "DONE", error: { errors: [{ code: "QUOTA" }] } });
  assert.deepEqual(failed?.kind === "done" && failed.error, { errors: [{ code: "QUOTA" }] });
});

Deno.test("a status ends only what is an operation of that form", () => {
  assert.deepEqual(read({ name: "n", status: "DONE" }), { kind: "running" });
  assert.deepEqual(read({ kind: "x#operation", name: "n", done: false, status: "DONE" }), {
    kind: "running",
  });
  assert.equal(read({ kind: "x#operation", status: "DONE" }), undefined);
});
