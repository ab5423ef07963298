import assert from "node:assert/strict";
import { json } from "../http/testdata/peer.ts";
import { openFixture, refusalOf, tokenFor } from "./testdata/fixture.ts";

Deno.test("a read, a write and a confirmed delete reach the wire as the catalog says", async () => {
  await using fixture = openFixture({
    script: (request) =>
      request.method === "DELETE"
        ? { kind: "answer", status: 204 }
        : json({ files: [{ id: "a" }] }),
  });
  const { kernel, peer } = fixture;
  const listed = await kernel.dispatch({
    opId: "drive.files.list",
    args: { q: "x y" },
    format: "json",
    caller: "cli",
  });
  assert.deepEqual(listed.structuredContent, { files: [{ id: "a" }] });
  assert.equal(peer.requests[0]?.target, "/drive/v3/files?pageSize=100&q=x+y");
  await kernel.dispatch({
    opId: "drive.files.create",
    args: { name: "n", starred: "true" },
    allowWrite: true,
  });
  assert.equal(peer.requests[1]?.body, '{"name":"n","starred":true}');
  const call = { opId: "drive.files.delete", args: { fileId: "abc" }, allowDestructive: true };
  const token = await tokenFor(kernel, call);
  assert.equal(peer.requests.length, 2);
  const deleted = await kernel.dispatch({ ...call, confirmed: true, confirmationToken: token });
  assert.deepEqual(deleted.structuredContent, {});
  assert.equal(peer.requests[2]?.method, "DELETE");
  const replay = await refusalOf(kernel, { ...call, confirmed: true, confirmationToken: token });
  assert.equal(replay.details.reason, "replayed");
  assert.equal(peer.requests.length, 3);
});
