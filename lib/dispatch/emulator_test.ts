import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../auth/mod.ts";
import { type Emulator, type Fault, startEmulator } from "../emulator/mod.ts";
import type { Invocation } from "./types.ts";
import { op, openFixture, refusalOf, tokenFor, variant } from "./testdata/fixture.ts";

const GMAIL = "https://gmail.googleapis.com/gmail/v1/users/{userId}";
const USER = {
  name: "userId",
  location: "path",
  type: "string",
  required: true,
  host_default: "me",
} as const;
const ID = { name: "id", location: "path", type: "string", required: true } as const;

const OPS = [
  op("gmail.users.messages.list", [
    variant("gmail.v1.rest.users.messages.list", ["read", "GET", `${GMAIL}/messages`]),
  ], { request_fields: [USER] }),
  op("gmail.users.messages.get", [
    variant("gmail.v1.rest.users.messages.get", ["read", "GET", `${GMAIL}/messages/{id}`]),
  ], { request_fields: [USER, ID] }),
  op("gmail.users.messages.delete", [
    variant("gmail.v1.rest.users.messages.delete", [
      "destructive",
      "DELETE",
      `${GMAIL}/messages/{id}`,
    ]),
  ], { request_fields: [USER, ID] }),
  op("gmail.users.drafts.create", [
    variant("gmail.v1.rest.users.drafts.create", ["write", "POST", `${GMAIL}/drafts`]),
  ], {
    request_fields: [USER, { name: "message", location: "body", type: "object", required: true }],
  }),
];

async function withEmulator(
  run: (world: { emulator: Emulator; fixture: ReturnType<typeof openFixture> }) => Promise<void>,
) {
  const emulator = await startEmulator({ seed: 1 });
  try {
    const { bearer } = emulator.credentials;
    await using fixture = openFixture({
      ops: OPS,
      rewriteOrigin: (url) => emulator.rewrite(url),
      deps: {
        auth: createExplicitAuthResolver({
          bearer,
          subjectFingerprint: emulator.account.fingerprint,
        }),
      },
    });
    await run({ emulator, fixture });
  } finally {
    await emulator.close();
  }
}

const LIST: Invocation = {
  opId: "gmail.users.messages.list",
  args: {},
  format: "json",
  caller: "cli",
};

async function firstMessage(fixture: ReturnType<typeof openFixture>): Promise<string> {
  const listed = await fixture.kernel.dispatch(LIST);
  const { messages } = listed.structuredContent as { messages: { id: string }[] };
  const [first] = messages;
  assert.ok(first);
  return first.id;
}

Deno.test("the emulator's mailbox: list, read, delete with confirmation, gone", async () => {
  await withEmulator(async ({ emulator, fixture }) => {
    const id = await firstMessage(fixture);
    const read: Invocation = { ...LIST, opId: "gmail.users.messages.get", args: { id } };
    const message = await fixture.kernel.dispatch(read);
    assert.equal((message.structuredContent as { id: string }).id, id);
    const remove: Invocation = {
      opId: "gmail.users.messages.delete",
      args: { id },
      caller: "cli",
      allowDestructive: true,
    };
    const seen = emulator.journal.length;
    const confirmationToken = await tokenFor(fixture.kernel, remove);
    assert.equal(emulator.journal.length, seen, "first contact reaches nobody");
    const gone = await fixture.kernel.dispatch({ ...remove, confirmed: true, confirmationToken });
    assert.deepEqual(gone.structuredContent, {});
    const missing = await refusalOf(fixture.kernel, read);
    assert.equal(missing.code, "RESOURCE_NOT_FOUND", "the cached answer went with the write");
    const last = emulator.journal.at(-1);
    assert.equal(last?.host, "gmail.googleapis.com");
    assert.equal(last?.headers.authorization, `Bearer ${emulator.credentials.bearer}`);
  });
});

const MATCH: Fault["match"] = { path: "/gmail/v1/users/me/messages" };

Deno.test("TestDataManagerReadFailureRetry: the emulator's faults meet the same attempts as the scripted ones", async () => {
  await withEmulator(async ({ emulator, fixture }) => {
    const attempts: [Fault["effect"], number, string][] = [
      [{ kind: "status", status: 500 }, 4, "SERVICE_DOWN"],
      [{ kind: "status", status: 429, retryAfter: "1" }, 2, "RATE_LIMITED"],
      [{ kind: "status", status: 429, retryAfter: "60" }, 1, "RATE_LIMITED"],
      [{ kind: "status", status: 403, reason: "insufficientPermissions" }, 1, "SCOPE_MISSING"],
      [{ kind: "drop_mid_body", afterBytes: 10 }, 4, "SERVICE_DOWN"],
      [{ kind: "truncated_gzip" }, 4, "SERVICE_DOWN"],
    ];
    for (const [effect, sent, code] of attempts) {
      emulator.clearJournal();
      emulator.clearFaults();
      emulator.addFault({ match: MATCH, times: 10, effect });
      const error = await refusalOf(fixture.kernel, LIST);
      assert.equal(error.code, code, JSON.stringify(effect));
      assert.equal(emulator.journal.length, sent, JSON.stringify(effect));
    }
    emulator.clearFaults();
    emulator.addFault({ match: MATCH, times: 1, effect: { kind: "status", status: 429 } });
    emulator.addFault({ match: MATCH, times: 1, effect: { kind: "status", status: 503 } });
    await fixture.kernel.dispatch(LIST);
  });
});

Deno.test("TestTypedRestUncertainWriteIsNotReplayed: a write on the emulator is sent once", async () => {
  await withEmulator(async ({ emulator, fixture }) => {
    const raw = btoa("To: a@example.com\r\nSubject: s\r\n\r\nbody");
    const call: Invocation = {
      opId: "gmail.users.drafts.create",
      args: { message: { raw } },
      allowWrite: true,
      caller: "cli",
    };
    await fixture.kernel.dispatch(call);
    for (const kind of ["drop_before_headers", "half_status_line"] as const) {
      // The connection is warm: the case in which fetch would repeat the request by itself.
      await fixture.kernel.dispatch({ ...LIST, args: { maxResults: 1, quotaUser: kind } });
      emulator.clearJournal();
      emulator.clearFaults();
      emulator.addFault({ match: { method: "POST" }, times: 10, effect: { kind } });
      const error = await refusalOf(fixture.kernel, call);
      assert.equal(error.details.write_outcome, "unknown");
      assert.equal(emulator.journal.length, 1, kind);
    }
  });
});
