import assert from "node:assert/strict";
import { googleError, json, type Reply } from "../http/testdata/peer.ts";
import type { ResolvedProfile } from "../profile/types.ts";
import { effectiveTeeMode } from "./mod.ts";
import type { Invocation } from "./types.ts";
import { openFixture, refusalOf, temporaryDirectory } from "./testdata/fixture.ts";

const READ: Invocation = { opId: "drive.files.get", args: { fileId: "a" } };

async function contentOf(path: unknown): Promise<string> {
  assert.equal(typeof path, "string");
  return await new Response(
    new Blob([await Deno.readFile(String(path))]).stream()
      .pipeThrough(new DecompressionStream("gzip")),
  ).text();
}

async function failWith(reply: Reply, teeMode: "off" | "failures" | "always") {
  const directory = await temporaryDirectory();
  await using fixture = openFixture({
    dataDir: directory.path,
    settings: { teeMode },
    script: () => reply,
  });
  const error = await refusalOf(fixture.kernel, READ);
  return { error, directory };
}

Deno.test("the mode in force: profile, then configuration, then what recovery implies", () => {
  const profile = (extra: Partial<ResolvedProfile>): ResolvedProfile => ({ name: "p", ...extra });
  const rows: [ResolvedProfile | undefined, string | undefined, string][] = [
    [undefined, undefined, "off"],
    [undefined, "failures", "failures"],
    [profile({}), undefined, "off"],
    [profile({ recovery: "none" }), undefined, "off"],
    [profile({ recovery: "local_artifact" }), undefined, "always"],
    [profile({ recovery: "local_artifact" }), "off", "off"],
    [profile({ recovery: "resource_link" }), "off", "always"],
    [profile({ recovery: "resource_link", tee_mode: "failures" }), "always", "failures"],
    [profile({ tee_mode: "always" }), "off", "always"],
    [profile({}), "sometimes", "off"],
    [profile({ tee_mode: "sometimes" as never }), "always", "off"],
  ];
  for (const [given, configured, expected] of rows) {
    assert.equal(
      effectiveTeeMode(given, configured),
      expected,
      JSON.stringify([given, configured]),
    );
  }
});

Deno.test("TestTeeFiresOnUpstream5xxWhenModeFailures: the body the server sent, verbatim", async () => {
  const { error, directory } = await failWith(googleError(400, { message: "bad" }), "failures");
  await using _cleanup = directory;
  assert.equal(
    await contentOf(error.details.full_result_path),
    JSON.stringify({ error: { code: 400, message: "bad" } }),
  );
});

Deno.test("TestTeeFiresOnUpstream5xxWhenModeFailures: text becomes one JSON string", async () => {
  const html: Reply = {
    kind: "answer",
    status: 502,
    headers: { "content-type": "text/html" },
    body: Uint8Array.of(0x3c, 0x68, 0x3e, 0xff),
  };
  const { error, directory } = await failWith(html, "failures");
  await using _cleanup = directory;
  assert.equal(await contentOf(error.details.full_result_path), '"<h>\uFFFD"');
});

Deno.test("TestTeeFiresOnTransportErrorWithoutBody: the envelope itself is kept", async () => {
  const { error, directory } = await failWith({ kind: "drop" }, "failures");
  await using _cleanup = directory;
  const kept = JSON.parse(await contentOf(error.details.full_result_path));
  assert.equal(kept.error_code, "SERVICE_DOWN");
  assert.equal(kept.reason, "reset");
});

Deno.test("TestTeeFiresOnFailureWhenModeAlways: always covers failures too", async () => {
  const { error, directory } = await failWith(googleError(429), "always");
  await using _cleanup = directory;
  assert.equal(typeof error.details.full_result_path, "string");
});

Deno.test("TestTeeSkippedOnFailureWhenModeOff: off keeps nothing", async () => {
  const { error, directory } = await failWith(googleError(500), "off");
  await using _cleanup = directory;
  assert.equal(error.details.full_result_path, undefined);
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});

Deno.test("TestTeeSkippedOnPreUpstreamError: a refusal of steps 1 to 6 keeps nothing", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ dataDir: directory.path, settings: { teeMode: "always" } });
  for (const call of [{ ...READ, args: {} }, { ...READ, allowWrite: true }]) {
    assert.equal((await refusalOf(fixture.kernel, call)).details.full_result_path, undefined);
  }
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});

Deno.test("successes: no profile, raw or an empty body keep nothing; lossless without recovery neither", async () => {
  await using directory = await temporaryDirectory();
  const lossy: ResolvedProfile = { name: "l", keep_fields: ["files.id"] };
  const cases: [ResolvedProfile | undefined, Invocation, Reply, boolean][] = [
    [undefined, READ, json({ a: 1 }), false],
    [{ ...lossy, recovery: "local_artifact" }, { ...READ, format: "raw" }, json({ a: 1 }), false],
    [
      { ...lossy, recovery: "local_artifact" },
      READ,
      { kind: "answer", status: 200, body: "" },
      false,
    ],
    [{ ...lossy, recovery: "local_artifact" }, READ, json({ a: 1 }), true],
    [{ ...lossy, recovery: "none", tee_mode: "always" }, READ, json({ a: 1 }), true],
    [{ name: "plain", recovery: "none", tee_mode: "always" }, READ, json({ a: 1 }), false],
  ];
  for (const [index, [profile, call, reply, kept]] of cases.entries()) {
    await using fixture = openFixture({
      dataDir: `${directory.path}/${index}`,
      profile,
      script: () => reply,
    });
    const answer = await fixture.kernel.dispatch(call);
    assert.equal(answer.fullResultPath !== undefined, kept, `case ${index}`);
    if (profile?.recovery === "none" && kept) {
      assert.equal(answer.expression?.full_result_path, undefined, "kept but not advertised");
    }
  }
});

Deno.test("a success that shaping empties is still a success, kept under always", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({
    dataDir: directory.path,
    profile: { name: "e", keep_fields: ["nothing"], recovery: "local_artifact" },
    script: () => json({ files: [{ id: "a" }] }),
  });
  const answer = await fixture.kernel.dispatch(READ);
  assert.equal(await contentOf(answer.fullResultPath), '{"files":[{"id":"a"}]}');
});

Deno.test("an artifact that cannot be written costs a warning in the log, never the answer", async () => {
  await using fixture = openFixture({
    profile: { name: "p", recovery: "local_artifact" },
    deps: {
      artifacts: {
        enabled: true,
        checkSecret: () => Promise.resolve(),
        write: () => Promise.reject(new Error("disk full")),
      },
    },
  });
  const answer = await fixture.kernel.dispatch(READ);
  assert.equal(answer.fullResultPath, undefined);
  const record = fixture.logs.find((entry) => entry.message === "tee artifact write failed");
  assert.equal(record?.fields.op_id, "drive.files.get");
});

Deno.test("a corrupt secret refuses the call before the request, on a cache hit too", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({
    dataDir: directory.path,
    profile: { name: "p", recovery: "local_artifact" },
  });
  await fixture.kernel.dispatch(READ);
  await Deno.writeTextFile(`${directory.path}/gum/default/tee.secret`, "short");
  assert.equal((await refusalOf(fixture.kernel, READ)).code, "TEE_SECRET_CORRUPT");
  assert.equal(
    (await refusalOf(fixture.kernel, { ...READ, args: { fileId: "b" } })).code,
    "TEE_SECRET_CORRUPT",
  );
  assert.equal(fixture.peer.requests.length, 1);
});
