import assert from "node:assert/strict";
import { googleError } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Invocation } from "../types.ts";
import { openFixture, refusalOf } from "../testdata/fixture.ts";

const READ: Invocation = { opId: "drive.files.get", args: { fileId: "a" } };

/** Row of the mapping table: status, reason, expected code and details. */
type Row = [
  status: number,
  reason: string | undefined,
  code: string,
  retryable: boolean,
  details?: JsonObject,
];

const ROWS: readonly Row[] = [
  [429, undefined, "RATE_LIMITED", true, { source: "upstream" }],
  [429, "quotaExceeded", "RATE_LIMITED", true],
  [403, "rateLimitExceeded", "RATE_LIMITED", true, { source: "upstream" }],
  [403, "userRateLimitExceeded", "RATE_LIMITED", true],
  [403, "RATE_LIMIT_EXCEEDED", "RATE_LIMITED", true],
  [403, "sharingRateLimitExceeded", "RATE_LIMITED", true],
  [403, "quotaExceeded", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "dailyLimitExceeded", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "dailyLimitExceededUnreg", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "RESOURCE_QUOTA_EXCEEDED", "RATE_LIMITED", false, { quota_exhausted: true }],
  [403, "USER_BLOCKED_BY_ADMIN", "AUTH_REQUIRED", false, {
    missing_components: ["workspace_admin_trust"],
    setup_command: "gum auth setup drive.files.get",
    auth_strategy: "byo_oauth",
  }],
  [403, "domainPolicy", "AUTH_REQUIRED", false, { missing_components: ["workspace_admin_trust"] }],
  [403, "ORG_RESTRICTION_VIOLATION", "AUTH_REQUIRED", false, {
    missing_components: ["org_policy_exception"],
  }],
  [403, "LOCATION_ORG_POLICY_VIOLATED", "AUTH_REQUIRED", false],
  [403, "TLS_ORG_POLICY_VIOLATED", "AUTH_REQUIRED", false],
  [403, "insufficientPermissions", "SCOPE_MISSING", false, {
    missing_components: ["oauth_scopes"],
  }],
  [403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "SCOPE_MISSING", false],
  [403, "insufficientScopes", "SCOPE_MISSING", false],
  [403, "accessNotConfigured", "AUTH_REQUIRED", false, {
    missing_components: ["api_enabled_project"],
  }],
  [403, "SERVICE_DISABLED", "AUTH_REQUIRED", false],
  [403, "BILLING_DISABLED", "AUTH_REQUIRED", false, { missing_components: ["billing_enabled"] }],
  [403, "USER_PROJECT_DENIED", "AUTH_REQUIRED", false, { missing_components: ["quota_project"] }],
  [403, "CONSUMER_INVALID", "AUTH_REQUIRED", false],
  [400, "API_KEY_INVALID", "AUTH_REQUIRED", false, { missing_components: ["api_key"] }],
  [400, "keyInvalid", "AUTH_REQUIRED", false],
  [403, "API_KEY_SERVICE_BLOCKED", "AUTH_REQUIRED", false],
  [403, "API_KEY_IP_ADDRESS_BLOCKED", "AUTH_REQUIRED", false],
  [403, "keyExpired", "AUTH_REQUIRED", false],
  [403, "ipRefererBlocked", "AUTH_REQUIRED", false],
  [401, undefined, "AUTH_REQUIRED", false, { missing_components: ["oauth_scopes"] }],
  [403, "forbidden", "UPSTREAM_REJECTED", false],
  [403, "insufficientFilePermissions", "UPSTREAM_REJECTED", false],
  [403, "IAM_PERMISSION_DENIED", "UPSTREAM_REJECTED", false],
  [403, undefined, "UPSTREAM_REJECTED", false],
  [400, "badRequest", "INVALID_ARGS", false, {
    source: "upstream",
    missing: [],
    unknown: [],
    type_errors: [],
  }],
  [422, undefined, "INVALID_ARGS", false],
  [404, "notFound", "RESOURCE_NOT_FOUND", false, { http_status: 404 }],
  [410, undefined, "RESOURCE_NOT_FOUND", false],
  [500, undefined, "SERVICE_DOWN", false],
  [503, undefined, "SERVICE_DOWN", false],
  [409, undefined, "UPSTREAM_REJECTED", false],
  [412, undefined, "UPSTREAM_REJECTED", false],
  [302, undefined, "UPSTREAM_REJECTED", false],
  // Policy reasons count for 403 only.
  [409, "domainPolicy", "UPSTREAM_REJECTED", false],
  [404, "ORG_RESTRICTION_VIOLATION", "RESOURCE_NOT_FOUND", false],
];

Deno.test("TestUpstreamUnmappedReasonKeepsGenericShape: the mapping table, row by row, both reason spellings", async () => {
  for (const [status, reason, code, retryable, details] of ROWS) {
    for (const legacy of [false, true]) {
      await using fixture = openFixture({ script: () => googleError(status, { reason, legacy }) });
      const error = await refusalOf(fixture.kernel, READ);
      const row = `${status} ${reason}`;
      assert.equal(error.code, code, row);
      assert.equal(error.retryable, retryable, row);
      assert.equal(error.details.http_status, status, row);
      assert.equal(error.details.op_id, "drive.files.get", row);
      for (const [key, value] of Object.entries(details ?? {})) {
        assert.deepEqual(error.details[key], value, `${row}: ${key}`);
      }
      if (code === "AUTH_REQUIRED" || code === "SCOPE_MISSING") {
        assert.equal(error.details.auth_strategy, "byo_oauth", row);
        assert.ok((error.details.missing_components as string[]).length > 0, row);
        assert.equal(error.details.setup_command, "gum auth setup drive.files.get", row);
      }
      if (code === "RATE_LIMITED") {
        assert.equal(error.message, `upstream rate-limited (HTTP ${status})`);
      }
      if (code === "SERVICE_DOWN") {
        assert.equal(error.message, `upstream service error (HTTP ${status})`);
      }
    }
  }
});

Deno.test("503 with a delay is RATE_LIMITED; details of the answer travel", async () => {
  await using fixture = openFixture({
    script: () =>
      googleError(503, {
        retryAfter: "45",
        message: "busy",
        details: [
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "r-9" },
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "X",
            metadata: { service: "drive.googleapis.com", quota_metric: "q" },
          },
        ],
      }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.equal(error.code, "RATE_LIMITED");
  assert.equal(error.details.retry_after_ms, 45_000);
  assert.equal(error.details.request_id, "r-9");
  assert.equal(error.details.service, "drive.googleapis.com");
  assert.equal(error.details.quota_metric, "q");
});

Deno.test("advice names a delay only where the answer gives one", async () => {
  for (const retryAfter of ["45", undefined]) {
    await using fixture = openFixture({ script: () => googleError(429, { retryAfter }) });
    const error = await refusalOf(fixture.kernel, READ);
    assert.equal(error.suggestion.includes("retry_after_ms"), retryAfter !== undefined);
    assert.equal(Object.hasOwn(error.details, "retry_after_ms"), retryAfter !== undefined);
  }
});

Deno.test("a write in doubt is looked for by id, one that makes something in the list", async () => {
  await using fixture = openFixture({ script: () => googleError(503, {}) });
  const create = { opId: "drive.files.create", args: { name: "n" }, allowWrite: true };
  const created = await refusalOf(fixture.kernel, create);
  assert.equal(created.details.write_outcome, "unknown");
  assert.ok(!created.suggestion.includes("drive.files.get`"), created.suggestion);
});

Deno.test("TestDataManagerValidationDetails: request id and field violations survive", async () => {
  await using fixture = openFixture({
    script: () =>
      googleError(400, {
        details: [
          { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "dm-1" },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "events[0].x", description: "required", reason: "R" }],
          },
        ],
      }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.equal(error.details.request_id, "dm-1");
  assert.deepEqual(error.details.field_violations, [
    { field: "events[0].x", description: "required", reason: "R" },
  ]);
});

Deno.test("a scope refusal names the variant's scopes, else those of the challenge", async () => {
  const script = () =>
    googleError(403, {
      reason: "insufficientScopes",
      headers: { "www-authenticate": 'Bearer realm="x", error="y", scope="s/b s/a"' },
    });
  await using fixture = openFixture({ script });
  assert.deepEqual((await refusalOf(fixture.kernel, READ)).details.required_scopes, ["s/a", "s/b"]);
});

Deno.test("TestUpstreamErrorCarriesRawBody: the thrown failure stays the cause, with its bytes", async () => {
  await using fixture = openFixture({
    script: () => ({
      kind: "answer",
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<h1>bad</h1>",
    }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  const cause = error.cause as { body: Uint8Array; contentType: string };
  assert.equal(new TextDecoder().decode(cause.body), "<h1>bad</h1>");
  assert.equal(cause.contentType, "text/html");
});

Deno.test("TestDispatchKeepsUpstreamPolicyRefusalEnvelope: an administrator's block is no login problem", async () => {
  await using fixture = openFixture({
    script: () => googleError(403, { reason: "USER_BLOCKED_BY_ADMIN" }),
  });
  const error = await refusalOf(fixture.kernel, READ);
  assert.match(error.suggestion, /administrator must allow/);
  assert.equal(error.details.upstream_reason, "USER_BLOCKED_BY_ADMIN");
});

Deno.test("TestUpstreamAdminBlockCarriesWorkspaceAdminTrust: both spellings of the reason", async () => {
  for (const legacy of [true, false]) {
    await using fixture = openFixture({
      script: () => googleError(403, { reason: "domainPolicy", legacy }),
    });
    const error = await refusalOf(fixture.kernel, READ);
    assert.deepEqual(error.details.missing_components, ["workspace_admin_trust"]);
  }
});

Deno.test("TestWorkspaceAdminPolicyAuthEnvelope: a policy refusal has every field of an auth refusal", async () => {
  await using fixture = openFixture({
    script: () => googleError(403, { reason: "ORG_RESTRICTION_VIOLATION" }),
  });
  const envelope = (await refusalOf(fixture.kernel, READ)).toEnvelope();
  assert.equal(envelope.error_code, "AUTH_REQUIRED");
  assert.deepEqual(envelope.missing_components, ["org_policy_exception"]);
  assert.equal(envelope.auth_strategy, "byo_oauth");
  assert.equal(envelope.setup_command, "gum auth setup drive.files.get");
  assert.equal(envelope.variant_id, "drive.v3.rest.files.get");
});

Deno.test("a refusal that names no field points at the operation's own arguments", async () => {
  await using bare = openFixture({ script: () => googleError(400, { message: "Invalid Value" }) });
  const error = await refusalOf(bare.kernel, READ);
  assert.match(error.suggestion, /gum describe drive\.files\.get/);
  assert.doesNotMatch(error.suggestion, /field_violations/);
});
