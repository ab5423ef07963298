import assert from "node:assert/strict";
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { minimalCatalog, minimalOp } from "../lib/catalog/validate/testdata/minimal.ts";
import {
  checkManagedClientReady,
  checkManagedScopeUse,
  isEligibleScope,
  type ManagedScope,
  type ManagedScopes,
  parseManagedScopes,
  readManagedScopes,
} from "./managed_scopes.ts";

const FOLDER = new URL("./", import.meta.url);
const schema = JSON.parse(
  await Deno.readTextFile(new URL("data/auth-managed-scopes.v1.schema.json", FOLDER)),
);
const shipped = await readManagedScopes(FOLDER);
const READONLY = "https://www.googleapis.com/auth/gmail.readonly";

/** The shipped manifest with its Gmail row changed. */
function manifestWith(
  row: Partial<ManagedScope>,
  project: Partial<ManagedScopes["managed_project"]> = {},
): ManagedScopes {
  return {
    ...shipped,
    managed_project: { ...shipped.managed_project, ...project },
    scopes: shipped.scopes.map((scope) => scope.scope === READONLY ? { ...scope, ...row } : scope),
  };
}

const ACTIVE: Partial<ManagedScope> = {
  status: "active",
  verification_state: "verified",
  project_evidence_state: "ready",
  live_canary_state: "passing",
  evidence: "docs/evidence/gmail.md",
};

const EVIDENCE: Partial<ManagedScopes["managed_project"]> = {
  apis_enabled_evidence: "a",
  oauth_consent_screen_evidence: "b",
  token_exchange_canary_evidence: "c",
  refresh_canary_evidence: "d",
};

async function schemaCode(manifest: unknown): Promise<string> {
  return await codeOf(() => parseManagedScopes(JSON.stringify(manifest), schema));
}

async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action();
    return "ok";
  } catch (error) {
    assert.ok(error instanceof CatalogError, String(error));
    return error.code;
  }
}

function managedCatalog(scope: string): Catalog {
  return minimalCatalog({}, minimalOp({}, { auth_strategy: "gum_oauth", scopes: [scope] }));
}

Deno.test("TestManagedScopeManifestSchema: an active scope needs every piece of evidence", async () => {
  assert.equal(await schemaCode(shipped), "ok");
  assert.equal(await schemaCode(manifestWith(ACTIVE)), "ok");
  const weaker: Partial<ManagedScope>[] = [
    { verification_state: "pending" },
    { project_evidence_state: "pending" },
    { live_canary_state: "failing" },
    { evidence: "" },
  ];
  for (const change of weaker) {
    assert.equal(
      await schemaCode(manifestWith({ ...ACTIVE, ...change })),
      "GUM_OAUTH_MANIFEST_INVALID",
      JSON.stringify(change),
    );
  }
  assert.equal(await schemaCode({ ...shipped, extra: 1 }), "GUM_OAUTH_MANIFEST_INVALID");
  assert.equal(
    await schemaCode({ ...shipped, scopes: [...shipped.scopes, shipped.scopes[0]] }),
    "GUM_OAUTH_MANIFEST_INVALID",
  );
  assert.equal(
    await schemaCode(manifestWith({ scope: "https://evil.example/auth/x" })),
    "GUM_OAUTH_MANIFEST_INVALID",
  );
});

Deno.test("TestManagedOAuthScopeManifest: five planned scopes, none active", () => {
  assert.deepEqual(
    shipped.scopes.map((row) => row.scope.slice(row.scope.lastIndexOf("/") + 1)),
    [
      "calendar.readonly",
      "drive.metadata.readonly",
      "gmail.readonly",
      "spreadsheets.readonly",
      "webmasters.readonly",
    ],
  );
  assert.ok(shipped.scopes.every((row) => row.status === "planned"));
  assert.deepEqual(
    shipped.scopes.filter((row) => row.testing_allowed).map((row) => row.service),
    ["searchconsole"],
  );
});

Deno.test("TestGumOAuthScopeNotManaged: absent, planned and unverified scopes are refused", async () => {
  const use = (manifest: ManagedScopes, scope = READONLY) =>
    codeOf(() => checkManagedScopeUse(managedCatalog(scope), manifest));
  assert.equal(await use(shipped), "GUM_OAUTH_SCOPE_NOT_MANAGED");
  assert.equal(
    await use(shipped, "https://www.googleapis.com/auth/drive"),
    "GUM_OAUTH_SCOPE_NOT_MANAGED",
  );
  assert.equal(await use(manifestWith(ACTIVE)), "ok");
  assert.equal(await codeOf(() => checkManagedScopeUse(minimalCatalog(), shipped)), "ok");
});

Deno.test("TestManagedScopeVerificationEvidence: an expired verification does not count", async () => {
  const expired = manifestWith({ ...ACTIVE, verification_state: "expired" });
  assert.equal(isEligibleScope(expired, READONLY), false);
  assert.equal(await schemaCode(expired), "GUM_OAUTH_MANIFEST_INVALID");
});

Deno.test("TestManagedOAuthProjectReadiness: active scopes need the project's evidence", async () => {
  const ready = (manifest: ManagedScopes) => codeOf(() => checkManagedClientReady(manifest));
  assert.equal(await ready(shipped), "ok");
  assert.equal(await ready(manifestWith(ACTIVE, EVIDENCE)), "ok");
  for (const name of Object.keys(EVIDENCE)) {
    assert.equal(
      await ready(manifestWith(ACTIVE, { ...EVIDENCE, [name]: " " })),
      "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
      name,
    );
  }
  assert.equal(
    await ready(manifestWith({ ...ACTIVE, evidence: "" }, EVIDENCE)),
    "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
  );
});

Deno.test("TestManagedOAuthLiveCanaryRequired: no canary evidence, no release", async () => {
  const manifest = manifestWith(ACTIVE, { ...EVIDENCE, refresh_canary_evidence: "" });
  assert.equal(
    await codeOf(() => checkManagedClientReady(manifest)),
    "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
  );
  assert.equal(
    await schemaCode(manifestWith({ ...ACTIVE, live_canary_state: "pending" })),
    "GUM_OAUTH_MANIFEST_INVALID",
  );
});

Deno.test("managed scopes: an embedded client secret is refused by name", async () => {
  const manifest = {
    ...shipped,
    client_policy: { ...shipped.client_policy, embedded_client_secret: true },
  };
  assert.equal(await schemaCode(manifest), "GUM_OAUTH_MANIFEST_INVALID");
});

Deno.test("managed scopes: the testing window opens single scopes only, and only while testing", () => {
  const testing = { publishing_status: "testing" } as const;
  assert.equal(isEligibleScope(manifestWith({ testing_allowed: true }, testing), READONLY), true);
  assert.equal(isEligibleScope(manifestWith({}, testing), READONLY), false);
  for (const publishing_status of ["planned", "in_review", "published"] as const) {
    const manifest = manifestWith({ testing_allowed: true }, { publishing_status });
    assert.equal(isEligibleScope(manifest, READONLY), false, publishing_status);
  }
});
