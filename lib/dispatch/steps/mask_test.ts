import assert from "node:assert/strict";
import { googleError, json } from "../../http/testdata/peer.ts";
import { readArtifact } from "../../artifact/mod.ts";
import { secret } from "../../auth/mod.ts";
import type { ResolvedProfile } from "../../profile/types.ts";
import type { Invocation } from "../types.ts";
import {
  FILES,
  type FixtureOptions,
  op,
  openFixture,
  temporaryDirectory,
  variant,
} from "../testdata/fixture.ts";

const LIST: Invocation = { opId: "drive.files.list", args: {}, format: "json" };
const MASKED: ResolvedProfile = { name: "p", field_mask: "files(id)" };

const DEFAULTED = op("x.y", [
  variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], { default_fields: "items(id)" }),
], { request_fields: [] });

async function fieldsSent(options: FixtureOptions, call: Invocation = LIST) {
  await using fixture = openFixture(options);
  await fixture.kernel.dispatch(call);
  const query = new URLSearchParams(fixture.peer.requests[0]?.target.split("?")[1]);
  return { fields: query.get("fields"), status: fixture.gain[0]?.fieldMaskStatus };
}

Deno.test("TestProfileFieldMaskReachesUpstream: the profile's mask goes on the wire and is reported", async () => {
  assert.deepEqual(await fieldsSent({ profile: MASKED }), {
    fields: "files(id)",
    status: "applied",
  });
  await using fixture = openFixture({ profile: MASKED });
  const answer = await fixture.kernel.dispatch(LIST);
  assert.equal(answer.expression?.field_mask, "files(id)");
});

Deno.test("TestCallerFieldsBeatsTheProfileMask: the caller's own mask stays", async () => {
  const sent = await fieldsSent({ profile: MASKED }, { ...LIST, args: { fields: "kind" } });
  assert.deepEqual(sent, { fields: "kind", status: "skipped" });
});

Deno.test("TestFieldMaskModeNoneSkipsInjection: mode none sends no mask", async () => {
  const sent = await fieldsSent({ profile: { ...MASKED, field_mask_mode: "none" } });
  assert.deepEqual(sent, { fields: null, status: "skipped" });
});

Deno.test("TestSuppressFieldMaskSkipsInjection: neither does a call that asks for none", async () => {
  const sent = await fieldsSent({ profile: MASKED }, { ...LIST, suppressFieldMask: true });
  assert.deepEqual(sent, { fields: null, status: "skipped" });
});

Deno.test("TestNoProfileMaskLeavesArgsAlone: no mask, no fields, nothing to skip", async () => {
  assert.deepEqual(await fieldsSent({}), { fields: null, status: "not_applicable" });
  const vetoed = await fieldsSent({}, { ...LIST, suppressFieldMask: true });
  assert.equal(vetoed.status, "not_applicable");
});

const CALL_DEFAULTED: Invocation = { opId: "x.y", args: {}, format: "json" };

Deno.test("TestVariantDefaultFieldsIsTheProfileMaskDefault: the variant's mask applies without a profile", async () => {
  assert.deepEqual(await fieldsSent({ ops: [DEFAULTED] }, CALL_DEFAULTED), {
    fields: "items(id)",
    status: "applied",
  });
});

Deno.test("TestProfileFieldMaskBeatsVariantDefaultFields: the profile's mask wins", async () => {
  const sent = await fieldsSent({ ops: [DEFAULTED], profile: MASKED }, CALL_DEFAULTED);
  assert.equal(sent.fields, "files(id)");
});

Deno.test("TestVariantDefaultFieldsHonorsTheStageOneVetoes: the same three vetoes", async () => {
  const vetoes: [FixtureOptions, Invocation, string | null][] = [
    [{}, { ...CALL_DEFAULTED, args: { fields: "own" } }, "own"],
    [{}, { ...CALL_DEFAULTED, suppressFieldMask: true }, null],
    [{ profile: { name: "n", field_mask_mode: "none" } }, CALL_DEFAULTED, null],
  ];
  for (const [options, call, fields] of vetoes) {
    assert.deepEqual(await fieldsSent({ ...options, ops: [DEFAULTED] }, call), {
      fields,
      status: "skipped",
    });
  }
});

Deno.test("other backends and operations with a mask header get no fields parameter", async () => {
  const header = variant("x.v", ["read", "GET", "https://places.googleapis.com/v1/x"], {
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.typed-rest-sdk",
      operation_key: "x",
      http: {
        method: "GET",
        path: "https://places.googleapis.com/v1/x",
        header_params: { fieldMask: "X-Goog-FieldMask" },
      },
    },
  });
  const sdk = variant("x.v", ["read", "GET", "https://www.googleapis.com/x"], {
    backend_kind: "maps-sdk",
  });
  for (const one of [header, sdk]) {
    const sent = await fieldsSent({ ops: [op("x.y", [one])], profile: MASKED }, {
      opId: "x.y",
      args: {},
    });
    assert.deepEqual(sent, { fields: null, status: "not_applicable" });
  }
});

Deno.test("TestPresetOutputProfileBeatsBinding: the call's own profile wins", async () => {
  const sent = await fieldsSent({ profile: MASKED }, {
    ...LIST,
    outputProfile: { name: "preset", field_mask: "kind" },
  });
  assert.equal(sent.fields, "kind");
});

Deno.test("TestOverrideBindingAttachesProfileToUnprofiledVariant: the resolver's profile is used as it says", async () => {
  await using fixture = openFixture({ profile: { name: "bound", keep_fields: ["files.id"] } });
  assert.equal((await fixture.kernel.dispatch(LIST)).expression?.profile, "bound");
});

const DUAL: ResolvedProfile = {
  name: "dual",
  field_mask: "files(id)",
  field_mask_mode: "dual_fetch",
  recovery: "local_artifact",
  tee_mode: "always",
};

/** Answers masked and unmasked requests differently. */
function byMask(request: { target: string }) {
  return request.target.includes("fields=")
    ? json({ files: [{ id: "a" }] })
    : json({ files: [{ id: "a", name: "whole" }] });
}

/** One dual-fetch call, with everything it left behind. */
async function dualFetch() {
  const directory = await temporaryDirectory();
  await using fixture = openFixture({ profile: DUAL, dataDir: directory.path, script: byMask });
  const args = { q: "x" };
  const answer = await fixture.kernel.dispatch({ ...LIST, args });
  const { peer, audit } = fixture;
  return { answer, args, requests: peer.requests, audit, directory };
}

Deno.test("TestDualFetchIssuesSecondUnmaskedRequest: masked first, then the same without the mask", async () => {
  const { answer, requests, directory } = await dualFetch();
  await using _cleanup = directory;
  assert.deepEqual(requests.map((request) => request.target), [
    "/drive/v3/files?fields=files%28id%29&pageSize=100&q=x",
    "/drive/v3/files?pageSize=100&q=x",
  ]);
  assert.deepEqual(answer.structuredContent, { files: [{ id: "a" }] }, "the masked body is shaped");
});

Deno.test("TestDualFetchArtifactHoldsUnmaskedBody: what is kept is the whole", async () => {
  const { answer, directory } = await dualFetch();
  await using _cleanup = directory;
  const stored = await new Response(
    new Blob([await Deno.readFile(answer.fullResultPath ?? "")]).stream()
      .pipeThrough(new DecompressionStream("gzip")),
  ).json();
  assert.deepEqual(stored, { files: [{ id: "a", name: "whole" }] });
});

Deno.test("TestDualFetchLeavesInvocationArgsIntact: the caller's arguments are untouched", async () => {
  const { args, directory } = await dualFetch();
  await using _cleanup = directory;
  assert.deepEqual(args, { q: "x" });
});

Deno.test("TestDualFetchAuditRecordsSecondRequestOnly: two rows in order, the mark on the second", async () => {
  const { audit, directory } = await dualFetch();
  await using _cleanup = directory;
  assert.equal(audit.length, 2);
  assert.ok(!("dual_fetch" in (audit[0] ?? {})));
  assert.equal(audit[1]?.dual_fetch, true);
  assert.notEqual(audit[0]?.args_hash, audit[1]?.args_hash);
});

Deno.test("TestDualFetchKeyAbsentWithoutMode: ordinary rows have no such key", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({
    profile: { ...DUAL, field_mask_mode: "upstream" },
    dataDir: directory.path,
    script: byMask,
  });
  await fixture.kernel.dispatch(LIST);
  assert.equal(fixture.peer.requests.length, 1);
  assert.ok(!("dual_fetch" in (fixture.audit[0] ?? {})));
});

Deno.test("TestDualFetchSkippedWithoutMaskOnWire: without a mask there is nothing to fetch again", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ profile: DUAL, dataDir: directory.path, script: byMask });
  await fixture.kernel.dispatch({ ...LIST, suppressFieldMask: true });
  assert.equal(fixture.peer.requests.length, 1);
  await fixture.kernel.dispatch({ ...LIST, args: { fields: "own" } });
  assert.equal(fixture.peer.requests.length, 3, "the caller's own mask counts as one");
});

Deno.test("TestDualFetchSkippedWhenNoArtifactWouldBeWritten: tee off or failures, no directory, raw", async () => {
  await using directory = await temporaryDirectory();
  const cases: [FixtureOptions, Invocation][] = [
    [{ profile: { ...DUAL, tee_mode: "off", recovery: "none" }, dataDir: directory.path }, LIST],
    [{ profile: { ...DUAL, tee_mode: "failures" }, dataDir: directory.path }, LIST],
    [{ profile: DUAL }, LIST],
    [{ profile: DUAL, dataDir: directory.path }, { ...LIST, format: "raw" }],
  ];
  for (const [options, call] of cases) {
    await using fixture = openFixture({ ...options, script: byMask });
    await fixture.kernel.dispatch(call);
    assert.equal(fixture.peer.requests.length, 1);
  }
});

Deno.test("TestDualFetchFailureKeepsPrimaryResponse: the answer stands, nothing is kept, one warning", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({
    profile: DUAL,
    dataDir: directory.path,
    script: (request) => request.target.includes("fields=") ? byMask(request) : googleError(404),
  });
  const answer = await fixture.kernel.dispatch(LIST);
  assert.deepEqual(answer.structuredContent, { files: [{ id: "a" }] });
  assert.equal(answer.fullResultPath, undefined);
  assert.equal(answer.validationWarnings.length, 1);
  assert.match(answer.validationWarnings[0] ?? "", /RESOURCE_NOT_FOUND/);
  assert.equal(fixture.audit.length, 1);
});

Deno.test("TestDualFetchOnCacheHitStillRecovers: a hit on the masked request still fetches the whole", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({ profile: DUAL, dataDir: directory.path, script: byMask });
  const cold = await fixture.kernel.dispatch(LIST);
  const warm = await fixture.kernel.dispatch(LIST);
  assert.equal(warm.fullResultPath, cold.fullResultPath);
  assert.deepEqual(
    fixture.peer.requests.map((request) => request.target.includes("fields=")),
    [true, false, false],
  );
});

/** A cold and a warm call under a recovery profile; the cold artifact is removed in between. */
async function coldAndWarm(caller: Invocation["caller"]) {
  const directory = await temporaryDirectory();
  await using fixture = openFixture({
    profile: { name: "p", recovery: "resource_link" },
    dataDir: directory.path,
    script: () => json({ files: [{ id: "a" }] }),
  });
  const call: Invocation = { ...LIST, caller };
  const cold = await fixture.kernel.dispatch(call);
  await Deno.remove(cold.fullResultPath ?? "");
  const warm = await fixture.kernel.dispatch(call);
  const text = await readArtifact(
    `gum://results/${/([0-9a-f]+)\.json\.gz$/.exec(warm.fullResultPath ?? "")?.[1]}`,
    {
      directory: `${directory.path}/gum/default`,
      clock: fixture.clock,
    },
  );
  return { cold, warm, text, requests: fixture.peer.requests.length, directory };
}

Deno.test("TestCacheHitStillWritesRecoveryArtifact: a warm call leaves the same artifact as a cold one", async () => {
  const { cold, warm, text, requests, directory } = await coldAndWarm("mcp");
  await using _cleanup = directory;
  assert.equal(requests, 1);
  assert.equal(text, '{"files":[{"id":"a"}]}');
  for (const key of ["fullResultPath", "fullResultSize", "artifactExpiresAt"] as const) {
    assert.notEqual(cold[key], undefined, key);
    assert.equal(warm[key], cold[key], key);
  }
});

Deno.test("TestCacheHitEmitsResourceLink: a warm call links it too, except on the command line", async () => {
  const { cold, warm, directory } = await coldAndWarm("mcp");
  await using _cleanup = directory;
  assert.match(warm.fullResultResource ?? "", /^gum:\/\/results\/[0-9a-f]{64}$/);
  assert.equal(warm.fullResultResource, cold.fullResultResource);
  const cli = await coldAndWarm("cli");
  await using _cli = cli.directory;
  assert.equal(cli.warm.fullResultResource, undefined);
  assert.notEqual(cli.warm.fullResultPath, undefined);
});

Deno.test("principals never share an artifact", async () => {
  await using directory = await temporaryDirectory();
  await using fixture = openFixture({
    ops: FILES,
    profile: { name: "p", recovery: "local_artifact" },
    dataDir: directory.path,
  });
  const one = await fixture.kernel.dispatch(LIST);
  const two = await fixture.kernel.dispatch({ ...LIST, authSubjectFingerprint: "fp-two" });
  assert.notEqual(one.fullResultPath, two.fullResultPath);
});

Deno.test("TestDualFetchIssuesSecondUnmaskedRequest: with the credential that the first one got through with", async () => {
  await using directory = await temporaryDirectory();
  const as = (token: string) => () =>
    Promise.resolve({
      token: secret(token),
      subjectFingerprint: "f",
      signInStrategy: "byo_oauth",
    });
  await using fixture = openFixture({
    profile: DUAL,
    dataDir: directory.path,
    deps: { auth: { resolve: as("stale"), refresh: as("fresh") } },
    script: (request) =>
      request.headers.get("authorization") === "Bearer fresh" ? byMask(request) : googleError(401),
  });
  const answer = await fixture.kernel.dispatch(LIST);
  assert.ok(answer.fullResultPath !== undefined);
  assert.deepEqual(answer.validationWarnings, []);
  assert.equal(fixture.peer.requests.length, 3);
});
