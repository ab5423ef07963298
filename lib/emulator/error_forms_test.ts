import assert from "node:assert/strict";
import { createExplicitAuthResolver } from "../auth/mod.ts";
import { op, openFixture, refusalOf, variant } from "../dispatch/testdata/fixture.ts";
import type { GumError } from "../errors/mod.ts";
import { readGoogleError } from "../errors/wire/mod.ts";
import { type FaultEffect, startEmulator } from "./mod.ts";

type StatusFault = FaultEffect & { kind: "status" };

const LABELS = op("gmail.users.labels.list", [
  variant("gmail.v1.rest.users.labels.list", [
    "read",
    "GET",
    "https://gmail.googleapis.com/gmail/v1/users/me/labels",
  ]),
]);

/** What the emulator sends for each fault, and the error that a call over it ends with. */
async function refusals(effects: readonly StatusFault[]): Promise<
  { body: unknown; facts: ReturnType<typeof readGoogleError>; error: GumError }[]
> {
  const emulator = await startEmulator();
  try {
    const { bearer } = emulator.credentials;
    await using fixture = openFixture({
      ops: [LABELS],
      rewriteOrigin: (url) => emulator.rewrite(url),
      deps: {
        auth: createExplicitAuthResolver({
          bearer,
          subjectFingerprint: emulator.account.fingerprint,
        }),
      },
    });
    const seen = [];
    for (const effect of effects) {
      emulator.clearFaults();
      emulator.addFault({ effect, times: 2 });
      const answer = await fetch(
        emulator.rewrite(new URL("https://gmail.googleapis.com/gmail/v1/users/me/labels")),
        { headers: { authorization: `Bearer ${bearer}` } },
      );
      const bytes = await answer.bytes();
      const error = await refusalOf(fixture.kernel, {
        opId: LABELS.op_id,
        args: {},
        caller: "cli",
      });
      seen.push({
        body: JSON.parse(new TextDecoder().decode(bytes)),
        facts: readGoogleError({
          status: answer.status,
          statusText: answer.statusText,
          body: bytes,
          now: 0,
        }),
        error,
      });
    }
    return seen;
  } finally {
    await emulator.close();
  }
}

Deno.test("error forms: wrapped, in an array and bare say the same to a caller", async () => {
  const told: StatusFault = {
    kind: "status",
    status: 403,
    message: "The API is off.",
    reason: "SERVICE_DISABLED",
    helpUrl: "https://console.example/enable",
    requestId: "r-7",
  };
  const [wrapped, array, bare] = await refusals([
    told,
    { ...told, form: "array" },
    { ...told, form: "bare" },
  ]);
  assert.ok(wrapped && array && bare);
  assert.deepEqual(array.body, [wrapped.body]);
  assert.deepEqual(Object.keys(bare.body as object), ["code", "message", "details"]);
  for (const { error } of [wrapped, array, bare]) {
    assert.equal(error.code, "AUTH_REQUIRED");
    assert.deepEqual(error.details.missing_components, ["api_enabled_project"]);
    assert.equal(error.details.upstream_reason, "SERVICE_DISABLED");
    assert.equal(error.details.help_url, "https://console.example/enable");
    assert.equal(error.details.request_id, "r-7");
    assert.equal(error.details.http_status, 403);
  }
  assert.equal(array.error.details.google_status, "PERMISSION_DENIED");
  assert.equal(bare.error.details.google_status, undefined, "a bare status names no status word");
});

Deno.test("error forms: OAuth's own pair is read as reason and message", async () => {
  const [oauth] = await refusals([{
    kind: "status",
    status: 401,
    form: "oauth",
    reason: "invalid_grant",
    message: "Token has been expired or revoked.",
  }]);
  assert.ok(oauth);
  assert.deepEqual(oauth.body, {
    error: "invalid_grant",
    error_description: "Token has been expired or revoked.",
  });
  assert.equal(oauth.facts.message, "Token has been expired or revoked.");
  assert.deepEqual(oauth.facts.reasons, ["invalid_grant"]);
  assert.equal(oauth.error.code, "AUTH_REQUIRED");
  assert.equal(oauth.error.details.upstream_reason, "invalid_grant");
});

Deno.test("error forms: RetryInfo is waited for, QuotaFailure rides along", async () => {
  const [quota] = await refusals([{
    kind: "status",
    status: 429,
    form: "array",
    retryDelay: "90s",
    quota: { subject: "project:1", description: "Queries per minute" },
  }]);
  assert.ok(quota);
  const [first] = quota.body as { error: { details: unknown[] } }[];
  assert.deepEqual(first?.error.details, [
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "90s" },
    {
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ subject: "project:1", description: "Queries per minute" }],
    },
  ]);
  assert.equal(quota.error.code, "RATE_LIMITED");
  assert.equal(quota.error.retryable, true);
  assert.equal(quota.error.details.retry_after_ms, 90_000);
});

Deno.test("error forms: BadRequest names the fields", async () => {
  const fieldViolations = [{ field: "a.b", description: "must be set", reason: "REQUIRED" }];
  const forms = (["error", "array", "bare"] as const).map((form): StatusFault => ({
    kind: "status",
    status: 400,
    form,
    fieldViolations,
  }));
  for (const { error } of await refusals(forms)) {
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.details.source, "upstream");
    assert.deepEqual(error.details.field_violations, fieldViolations);
  }
});

Deno.test("error forms: the control endpoint takes them and refuses what is none", async () => {
  const emulator = await startEmulator();
  try {
    const add = async (effect: unknown): Promise<[number, string]> => {
      const answer = await fetch(`${emulator.origin}/_control/faults`, {
        method: "POST",
        body: JSON.stringify({ effect }),
      });
      return [answer.status, await answer.text()];
    };
    const status = { kind: "status", status: 403 };
    assert.equal(
      (await add({ ...status, form: "bare", quota: { subject: "s", description: "d" } }))[0],
      201,
    );
    const refused: [object, RegExp][] = [
      [{ form: "soap" }, /form must be one of error, array, bare, oauth/],
      [{ retryDelay: 2 }, /retryDelay must be text/],
      [{ fieldViolations: "a" }, /fieldViolations must be an array/],
      [{ quota: { subject: "s" } }, /quota must have/],
    ];
    for (const [members, why] of refused) {
      const [code, text] = await add({ ...status, ...members });
      assert.equal(code, 400, text);
      assert.match(text, why);
    }
  } finally {
    await emulator.close();
  }
});
