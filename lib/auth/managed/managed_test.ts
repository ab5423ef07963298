import assert from "node:assert/strict";
import type { ManagedScope, ManagedScopes } from "../../catalog/mod.ts";
import { AuthError } from "../errors.ts";
import type { LoginRequest } from "../login.ts";
import { createCompositeResolver } from "../resolver.ts";
import { purgeManaged } from "./purge.ts";
import { type AuthWorld, openWorld, scope } from "../testdata/auth_world.ts";
import { listener, person } from "../testdata/person.ts";
import { embeddedManifest, parseManifest } from "./embedded.ts";
import { createManagedClient, type ManagedClient } from "./managed_client.ts";
import { canStartGumOAuth, managedSupportedScopes } from "./manifest.ts";

const WEBMASTERS = scope("webmasters.readonly");
const GMAIL = scope("gmail.readonly");
const CALENDAR = scope("calendar.readonly");

type Project = ManagedScopes["managed_project"];

function manifest(
  change: {
    status?: Project["publishing_status"];
    rows?: Record<string, Partial<ManagedScope>>;
    secret?: boolean;
  } = {},
): ManagedScopes {
  const base = embeddedManifest();
  return {
    ...base,
    client_policy: { ...base.client_policy, embedded_client_secret: change.secret ?? false },
    managed_project: {
      ...base.managed_project,
      publishing_status: change.status ?? base.managed_project.publishing_status,
    },
    scopes: base.scopes.map((row) => ({ ...row, ...change.rows?.[row.scope] })),
  };
}

const ACTIVE: Partial<ManagedScope> = {
  status: "active",
  verification_state: "verified",
  project_evidence_state: "ready",
  live_canary_state: "passing",
  evidence: "e",
};

function refusal(run: () => void): AuthError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AuthError, String(error));
    return error;
  }
  return assert.fail("the gate opened");
}

Deno.test("TestCanStartGumOAuthTestingModeAllowsOptedInScope: one scope of a testing project", () => {
  canStartGumOAuth(manifest({ status: "testing" }), [WEBMASTERS]);
});

Deno.test("TestCanStartGumOAuthTestingModeRequiresOptIn: a scope without its own flag stays out", () => {
  const error = refusal(() =>
    canStartGumOAuth(manifest({ status: "testing" }), [GMAIL, WEBMASTERS])
  );
  assert.equal(error.code, "GUM_OAUTH_MANAGED_CLIENT_NOT_READY");
  assert.deepEqual(error.fields.missingComponents, [GMAIL]);
  assert.deepEqual(error.fields.requiredScopes, [GMAIL, WEBMASTERS]);
  assert.equal(error.fields.setupCommand, "gum auth use-oauth-client");
});

Deno.test("TestCanStartGumOAuthTestingFlagInertOutsideTestingStatus: planned, in review, published", () => {
  for (const status of ["planned", "in_review", "published"] as const) {
    const error = refusal(() => canStartGumOAuth(manifest({ status }), [WEBMASTERS]));
    assert.deepEqual(error.fields.missingComponents, [WEBMASTERS], status);
  }
});

Deno.test("TestCanStartGumOAuthEmbeddedSecretRejected: whatever the scopes", () => {
  const rows = { [GMAIL]: ACTIVE };
  for (const scopes of [[GMAIL], [WEBMASTERS], ["https://x"]]) {
    const error = refusal(() => canStartGumOAuth(manifest({ rows, secret: true }), scopes));
    assert.equal(error.code, "GUM_OAUTH_MANIFEST_INVALID");
  }
  assert.deepEqual(
    refusal(() => canStartGumOAuth(manifest({ rows }), [])).fields.missingComponents,
    ["active_scope_required"],
  );
  assert.equal(refusal(() => void parseManifest("{")).code, "GUM_OAUTH_MANIFEST_INVALID");
  const other = { ...manifest({ rows }), schema_version: 2 as unknown as 1 };
  assert.equal(refusal(() => canStartGumOAuth(other, [GMAIL])).code, "GUM_OAUTH_MANIFEST_INVALID");
});

Deno.test("TestManagedOAuthLiveCanaryRequired: an active scope counts only with all of its proofs", () => {
  canStartGumOAuth(manifest({ rows: { [GMAIL]: ACTIVE } }), [GMAIL]);
  const weaker: Partial<ManagedScope>[] = [
    { live_canary_state: "failing" },
    { live_canary_state: "pending" },
    { project_evidence_state: "pending" },
    { verification_state: "expired" },
    { status: "planned" },
  ];
  for (const change of weaker) {
    const rows = { [GMAIL]: { ...ACTIVE, ...change } };
    refusal(() => canStartGumOAuth(manifest({ rows }), [GMAIL]));
  }
});

Deno.test("TestManagedSupportedScopesIncludesSearchConsoleReadonly: a list, not a permission", () => {
  assert.ok(managedSupportedScopes(embeddedManifest()).includes(WEBMASTERS));
  refusal(() => canStartGumOAuth(embeddedManifest(), [WEBMASTERS]));
});

const READY = manifest({ rows: { [GMAIL]: ACTIVE, [CALENDAR]: ACTIVE } });

async function managedWorld(): Promise<{ world: AuthWorld; client: ManagedClient }> {
  const world = await openWorld({ registered: false, managedClientId: "managed.example" });
  return { world, client: createManagedClient(world.parts, READY) };
}

async function login(
  world: AuthWorld,
  client: ManagedClient,
  request: Partial<LoginRequest> & { scopes: string[]; account?: string },
) {
  const { open, visits, settled } = person({ account: request.account });
  try {
    const result = await client.login({
      ...request,
      openBrowser: open,
      io: listener().io,
      signal: world.signal,
    });
    return { result, asked: visits[0]?.asked.searchParams };
  } finally {
    await settled();
  }
}

Deno.test("TestAuthScopeUpgradeFullReconsent: more scopes are one full consent of the same account", async () => {
  const { world, client } = await managedWorld();
  await using _world = world;
  const first = await login(world, client, { scopes: [GMAIL] });
  const second = await login(world, client, { scopes: [CALENDAR] });
  const asked = second.asked;
  assert.equal(asked?.get("prompt"), "consent");
  assert.equal(asked?.get("access_type"), "offline");
  assert.equal(asked?.get("code_challenge_method"), "S256");
  assert.equal(asked?.get("scope"), `${CALENDAR} ${GMAIL} openid`);
  assert.deepEqual(second.result.scopes, [CALENDAR, GMAIL]);
  assert.equal(second.result.subjectFingerprint, first.result.subjectFingerprint);
  const exchange = world.emulator.journal.filter(({ path }) => path === "/token").at(-1);
  assert.equal(new URLSearchParams(exchange?.bodyText).has("client_secret"), false);
  const found = await client.resolve({ scopes: [GMAIL, CALENDAR], signal: world.signal });
  assert.equal(found.subjectFingerprint, first.result.subjectFingerprint);
  // A scope outside the manifest refuses the lot before any page opens.
  const before = world.emulator.journal.length;
  await assert.rejects(
    login(world, client, { scopes: [GMAIL, scope("drive")] }),
    (error) => error instanceof AuthError && error.code === "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
  );
  assert.equal(world.emulator.journal.length, before);
});

Deno.test("TestManagedLoginRefusesASecondAccountForTheSameScopes: nothing changes", async () => {
  const { world, client } = await managedWorld();
  await using _world = world;
  const [, second] = world.emulator.accounts;
  const { result } = await login(world, client, { scopes: [GMAIL] });
  await assert.rejects(
    login(world, client, { scopes: [GMAIL], account: second?.email }),
    (error) => error instanceof AuthError && error.code === "AUTH_SUBJECT_MISMATCH",
  );
  const found = await client.resolve({ scopes: [GMAIL], signal: world.signal });
  assert.equal(found.subjectFingerprint, result.subjectFingerprint);
});

Deno.test("TestManagedLoginSwitchesAccountsWhenAsked: the chooser, the new subject", async () => {
  const { world, client } = await managedWorld();
  await using _world = world;
  const [, second] = world.emulator.accounts;
  const first = await login(world, client, { scopes: [GMAIL] });
  const switched = await login(world, client, {
    scopes: [GMAIL],
    account: second?.email,
    switchAccount: true,
  });
  assert.equal(switched.asked?.get("prompt"), "select_account consent");
  assert.notEqual(switched.result.subjectFingerprint, first.result.subjectFingerprint);
  const found = await client.resolve({ scopes: [GMAIL], signal: world.signal });
  assert.equal(found.subjectFingerprint, switched.result.subjectFingerprint);
  assert.equal(await purgeManaged(world.parts, world), 2);
  await assert.rejects(
    client.resolve({ scopes: [GMAIL], signal: world.signal }),
    (error) => error instanceof AuthError && error.code === "AUTH_LOGIN_REQUIRED",
  );
});

Deno.test("a managed login needs its refresh token, its id_token and every scope", async () => {
  const { world, client } = await managedWorld();
  await using _world = world;
  const cases: [AuthWorld["emulator"]["identity"]["switches"], string][] = [
    [{ noRefreshToken: true }, "GUM_OAUTH_NO_REFRESH_TOKEN"],
    [{ noIdToken: true }, "GUM_OAUTH_ID_TOKEN_MISSING"],
    [{ idTokenClaims: { nonce: "x" } }, "GUM_OAUTH_ID_TOKEN_INVALID"],
    [{ grantOnly: [] }, "GUM_OAUTH_TOKEN_EXCHANGE_FAILED"],
    [{ tokenError: "invalid_client" }, "GUM_OAUTH_TOKEN_EXCHANGE_FAILED"],
  ];
  for (const [switches, code] of cases) {
    world.emulator.identity.switches = switches;
    await assert.rejects(
      login(world, client, { scopes: [GMAIL] }),
      (error) => error instanceof AuthError && error.code === code,
    );
  }
  const keyless = createManagedClient({ ...world.parts, managedClientId: "" }, READY);
  await assert.rejects(
    login(world, keyless, { scopes: [GMAIL] }),
    (error) => error instanceof AuthError && error.code === "GUM_OAUTH_CLIENT_ID_MISSING",
  );
});

Deno.test("TestResolveAuthGumOAuthConcurrentIsRaceFree: eight at once, one request, nothing reassigned", async () => {
  const { world, client } = await managedWorld();
  await using _world = world;
  await login(world, client, { scopes: [GMAIL] });
  const resolver = createCompositeResolver(world.parts, { manifest: READY });
  assert.ok(Object.isFrozen(resolver));
  const before = Object.entries(resolver);
  const requests = world.tokenRequests();
  const found = await Promise.all(
    Array.from(
      { length: 8 },
      () => resolver.strategy("gum_oauth").resolve({ scopes: [GMAIL], signal: world.signal }),
    ),
  );
  assert.equal(new Set(found.map((one) => one?.token?.reveal())).size, 1);
  assert.equal(world.tokenRequests(), requests + 1);
  assert.deepEqual(Object.entries(resolver), before);
});
