import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../auth/mod.ts";
import { googleError, json, type Reply } from "../http/testdata/peer.ts";
import type { Invocation } from "./types.ts";
import { FILES, op, openFixture, temporaryDirectory, variant } from "./testdata/fixture.ts";

const BEARER = "ya29.canary-bearer-5f1e";
const API_KEY = "AIzaCanaryKey0123456789012345678901234";

/** What a careless service might send back about the caller. */
const ECHOES: Reply[] = [
  json({ ok: true }),
  googleError(400, { message: `bad token Bearer ${BEARER} and key=${API_KEY}` }),
  googleError(403, { message: `consumer api_key:${API_KEY} is blocked`, reason: "forbidden" }),
  googleError(500),
  { kind: "drop" },
  { kind: "short_body" },
  {
    kind: "answer",
    status: 302,
    headers: { location: "http://www.googleapis.com/x?key=" + API_KEY },
  },
];

Deno.test("credentials are on the wire and nowhere else: not in answers, errors, logs, audit or gain rows", async () => {
  const maps = op("maps.geocode", [
    variant("maps.v", ["read", "GET", "https://maps.googleapis.com/maps/api/geocode/json"], {
      auth_strategy: "api_key",
    }),
  ]);
  for (const reply of ECHOES) {
    await using directory = await temporaryDirectory();
    await using fixture = openFixture({
      ops: [...FILES, maps],
      dataDir: directory.path,
      script: () => reply,
      deps: {
        auth: createExplicitAuthResolver({
          bearer: BEARER,
          apiKey: API_KEY,
          subjectFingerprint: "fp",
        }),
      },
    });
    const calls: Invocation[] = [
      { opId: "drive.files.list", args: {} },
      { opId: "drive.files.create", args: { name: "n" }, allowWrite: true },
      { opId: "drive.files.delete", args: { fileId: "a" }, allowDestructive: true },
      { opId: "maps.geocode", args: { address: "x" } },
      { opId: "maps.geocode", args: { address: "x" }, dryRun: true },
    ];
    const shown: string[] = [];
    for (const call of calls) {
      await fixture.kernel.dispatch(call).then(
        (answer) => shown.push(JSON.stringify(answer), new TextDecoder().decode(answer.body)),
        (error) => shown.push(JSON.stringify(error.toEnvelope()), error.message, error.stack),
      );
    }
    shown.push(
      JSON.stringify([fixture.logs, fixture.audit, fixture.gain.map((row) => row.request)]),
    );
    for (const text of shown) {
      assert.ok(!text.includes(BEARER), text);
      assert.ok(!text.includes(API_KEY), text);
    }
    const sent = fixture.peer.requests.map((request) =>
      `${request.headers.get("authorization")} ${request.target}`
    ).join("\n");
    assert.ok(sent.includes(BEARER) && sent.includes(API_KEY), "the canaries did travel");
  }
});
