import assert from "node:assert/strict";
import type { AuthComponent, Variant } from "../catalog/types.ts";
import { findGumError, type GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { AuthError } from "./errors.ts";
import { apiKeyFingerprint, fingerprint } from "./fingerprint.ts";
import { signIn } from "./login.ts";
import { secret } from "./secret.ts";
import { apiKeyAccount, developerTokenAccount, serviceAccountAccount } from "./store/mod.ts";
import { type AuthWorld, openWorld, scope } from "./testdata/auth_world.ts";
import { listener, person } from "./testdata/person.ts";
import { serviceAccountKey } from "./testdata/service_account.ts";

const READ = scope("gmail.readonly");
const OP = "svc.things.list";

function variantOf(
  strategy: string,
  extra: Partial<Variant> = {},
): Variant {
  return {
    variant_id: `${OP}.v1`,
    auth_strategy: strategy,
    scopes: [READ],
    backend_kind: "typed-rest-sdk",
    ...extra,
  } as Variant; // only what auth reads
}

const resolve = (world: AuthWorld, variant: Variant, args: JsonObject = {}) =>
  world.resolver.resolve({ opId: OP, variant, args }, world.signal);

async function refusal(world: AuthWorld, variant: Variant, args: JsonObject = {}) {
  try {
    await resolve(world, variant, args);
  } catch (error) {
    const known = findGumError(error);
    assert.ok(known !== undefined, String(error));
    return known;
  }
  return assert.fail("a credential was given");
}

async function login(world: AuthWorld, scopes = [READ]): Promise<void> {
  const { open, settled } = person();
  await signIn(world.parts, world.view, {
    scopes,
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
}

async function config(world: AuthWorld, text: string): Promise<void> {
  const folder = `${world.folder}/config/gum/work`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/config.toml`, text);
  world.view.forget();
}

Deno.test("strategies without a credential, reserved ones and unknown ones", async () => {
  await using world = await openWorld();
  assert.equal(await resolve(world, variantOf("none")), undefined);
  assert.equal(await resolve(world, variantOf("plugin_managed")), undefined);
  for (const strategy of ["workload_identity", "impersonation", "moon_phase"]) {
    const error = await refusal(world, variantOf(strategy));
    assert.equal(error.code, "AUTH_REQUIRED");
    assert.equal(error.details.source_error_code, "AUTH_STRATEGY_NOT_IMPLEMENTED");
  }
});

Deno.test("TestAuthErrorNextAction: every strategy's refusal says what to do next", async () => {
  await using world = await openWorld({ registered: false });
  const expected: [string, Partial<GumError["details"]>][] = [
    ["byo_oauth", {
      source_error_code: "BYO_OAUTH_CLIENT_NOT_CONFIGURED",
      missing_components: ["oauth_client"],
      next_command: "gum auth use-oauth-client --client-id <id> --secret-stdin",
    }],
    ["adc", { source_error_code: "ADC_NOT_ENABLED", next_command: "gum auth use-adc" }],
    ["api_key", {
      source_error_code: "AUTH_API_KEY_MISSING",
      missing_components: ["api_key"],
      next_command: "gum auth use-api-key --stdin",
    }],
    ["service_account", {
      source_error_code: "AUTH_SA_KEY_NOT_CONFIGURED",
      missing_components: ["service_account_key"],
      next_command: "gum auth use-service-account <key.json>",
    }],
    ["compound", { missing_components: ["see_setup_command"] }],
  ];
  for (const [strategy, details] of expected) {
    const error = await refusal(world, variantOf(strategy));
    assert.equal(error.code, "AUTH_REQUIRED");
    assert.equal(error.retryable, false);
    const whole = {
      ...details,
      auth_strategy: strategy,
      op_id: OP,
      variant_id: `${OP}.v1`,
      profile: "work",
      setup_command: `gum auth setup ${OP}`,
    };
    for (const [key, value] of Object.entries(whole)) {
      assert.deepEqual(error.details[key], value, `${strategy}: ${key}`);
    }
    assert.ok(Array.isArray(error.details.missing_components));
    assert.ok(error.details.missing_components.length > 0);
    assert.match(error.userMessage, new RegExp(`gum auth setup ${OP}`));
    assert.equal(/^Run `gum auth login`/.test(error.userMessage), false);
  }
  const managed = await refusal(world, variantOf("gum_oauth"));
  assert.equal(managed.code, "GUM_OAUTH_MANAGED_CLIENT_NOT_READY");
  assert.equal(managed.details.setup_command, "gum auth use-oauth-client");
  assert.equal(JSON.stringify(managed.toEnvelope()).includes("gum auth login"), false);
});

Deno.test("TestAuthErrorNextAction: a login that covers too little is retryable after the command", async () => {
  await using world = await openWorld();
  await login(world);
  const error = await refusal(world, variantOf("byo_oauth", { scopes: [scope("drive")] }));
  assert.equal(error.details.source_error_code, "NO_REFRESH_TOKEN");
  assert.equal(error.details.next_command, `gum login --scope ${scope("drive")}`);
  assert.deepEqual(error.details.have_scopes, [READ]);
  assert.deepEqual(error.details.required_scopes, [scope("drive")]);
  assert.equal(error.retryable, true);
  const keys = Object.keys(error.toEnvelope());
  assert.deepEqual(keys.slice(0, 2), ["error_code", "message"]);
  assert.equal(keys.at(-1), "retryable");
  assert.deepEqual(keys.slice(2, -1), keys.slice(2, -1).toSorted());
});

Deno.test("TestResolveAuthNoManagedClientStillNotConfigured: byo_oauth needs a client of the operator's", async () => {
  await using world = await openWorld({ registered: false });
  const error = await refusal(world, variantOf("byo_oauth"));
  assert.equal(error.details.source_error_code, "BYO_OAUTH_CLIENT_NOT_CONFIGURED");
});

Deno.test("TestResolveAuthIgnoresInjectedManagedClient: a client built in never counts as registered", async () => {
  await using world = await openWorld({ registered: false, managedClientId: "built-in.example" });
  const error = await refusal(world, variantOf("byo_oauth"));
  assert.equal(error.details.source_error_code, "BYO_OAUTH_CLIENT_NOT_CONFIGURED");
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestResolveAuthRequiresBYOForAllScopes: whatever the scope, also one the managed client knows", async () => {
  await using world = await openWorld({ registered: false, managedClientId: "built-in.example" });
  for (const name of ["webmasters.readonly", "gmail.readonly", "drive", "calendar"]) {
    const error = await refusal(world, variantOf("byo_oauth", { scopes: [scope(name)] }));
    assert.equal(error.details.source_error_code, "BYO_OAUTH_CLIENT_NOT_CONFIGURED", name);
  }
});

Deno.test("API keys: the store before the variable, a fingerprint that no search for the key finds", async () => {
  await using world = await openWorld({ environment: { GUM_API_KEY: " from-variable\n" } });
  const given = await resolve(world, variantOf("api_key"));
  assert.equal(given?.apiKey?.reveal(), "from-variable");
  assert.equal(given?.token, undefined);
  await world.parts.store.set(apiKeyAccount("work"), secret("from-store"), world);
  const stored = await resolve(world, variantOf("api_key"));
  assert.equal(stored?.apiKey?.reveal(), "from-store");
  assert.equal(stored?.subjectFingerprint, await apiKeyFingerprint("from-store"));
  assert.notEqual(stored?.subjectFingerprint, await fingerprint("api_key", "from-store"));
  const renew = world.resolver.refresh(
    { opId: OP, variant: variantOf("api_key"), args: {} },
    world.signal,
  );
  assert.equal(await renew, undefined, "a key cannot be renewed");
});

Deno.test("TestBackendKindGoogleAdsSDK: the developer token comes with the bearer, from the store or its variable", async () => {
  await using world = await openWorld();
  await login(world);
  const ads = variantOf("byo_oauth", { backend_kind: "google-ads-sdk" });
  const error = await refusal(world, ads);
  assert.deepEqual(error.details.missing_components, ["developer_token"]);
  assert.equal(error.details.next_command, "gum auth use-ads-developer-token --stdin");
  await world.parts.store.set(developerTokenAccount("work"), secret("dev-token"), world);
  const found = await resolve(world, ads);
  assert.equal(found?.developerToken?.reveal(), "dev-token");
  assert.ok(found?.token !== undefined);
  assert.equal((await resolve(world, variantOf("byo_oauth")))?.developerToken, undefined);
});

Deno.test("service account: a signed assertion, one exchange per scope set, delegation on request", async () => {
  await using world = await openWorld();
  const keyText = await serviceAccountKey();
  await world.parts.store.set(serviceAccountAccount("work"), secret(keyText), world);
  const found = await resolve(world, variantOf("service_account"));
  assert.ok(found?.token !== undefined);
  assert.equal(
    found?.subjectFingerprint,
    await fingerprint("service_account", "robot@p.iam.example.com"),
  );
  await resolve(world, variantOf("service_account"));
  assert.equal(world.tokenRequests(), 1);
  const claims = assertionClaims(world);
  assert.equal(claims.iss, "robot@p.iam.example.com");
  assert.equal(claims.scope, READ);
  assert.equal(claims.sub, undefined);
  assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
  const { email } = world.emulator.account;
  await config(world, `auth.service_account.subject = "${email}"\n`);
  const delegated = await resolve(world, variantOf("service_account"));
  assert.equal(
    delegated?.subjectFingerprint,
    await fingerprint("service_account", `robot@p.iam.example.com|${email}`),
  );
  assert.equal(assertionClaims(world).sub, email);
});

function assertionClaims(world: AuthWorld): JsonObject {
  const form = new URLSearchParams(world.emulator.journal.at(-1)?.bodyText);
  const [header = "", payload = ""] = (form.get("assertion") ?? "").split(".");
  const read = (part: string) =>
    JSON.parse(
      new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })),
    );
  assert.deepEqual(read(header), { alg: "RS256", typ: "JWT", kid: "kid-1" });
  return read(payload);
}

Deno.test("service account: every unusable key says what is wrong and quotes nothing of it", async () => {
  await using world = await openWorld();
  const canary = "CANARY-KEY-MATERIAL";
  const texts: [string, RegExp][] = [
    [`{ ${canary}`, /not JSON/],
    [await serviceAccountKey({ type: canary }), /"type"/],
    [await serviceAccountKey({ client_email: "" }), /client_email/],
    [await serviceAccountKey({ private_key: canary }), /PKCS#8/],
    [
      await serviceAccountKey({
        private_key: `-----BEGIN PRIVATE KEY-----\n${btoa(canary)}\n-----END PRIVATE KEY-----`,
      }),
      /cannot be imported/,
    ],
    [await serviceAccountKey({ token_uri: "http://oauth2.googleapis.com/token" }), /token_uri/],
  ];
  for (const [text, message] of texts) {
    await world.parts.store.set(serviceAccountAccount("work"), secret(text), world);
    const error = await refusal(world, variantOf("service_account"));
    assert.equal(error.details.source_error_code, "AUTH_SA_KEY_INVALID");
    assert.match(error.message, message);
    assert.equal(JSON.stringify(error.toEnvelope()).includes(canary), false);
  }
});

Deno.test("service account: the variable's file, and what is wrong with it, only when it is asked for", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/key.json`;
  await using world = await openWorld({ environment: { GUM_SERVICE_ACCOUNT_KEY: path } });
  assert.equal(await resolve(world, variantOf("none")), undefined);
  const missing = await refusal(world, variantOf("service_account"));
  assert.equal(missing.details.source_error_code, "AUTH_SA_KEY_NOT_FOUND");
  assert.equal(missing.details.path, path);
  await Deno.writeTextFile(path, await serviceAccountKey());
  assert.ok((await resolve(world, variantOf("service_account")))?.token !== undefined);
  await Deno.writeTextFile(path, " ".repeat(70_000));
  const large = await refusal(world, variantOf("service_account"));
  assert.equal(large.details.source_error_code, "AUTH_SA_KEY_INVALID");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("TestAuthNoAmbientADCWithoutOptIn: host credentials are not even opened without the opt-in", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/adc.json`;
  await Deno.writeTextFile(path, await serviceAccountKey());
  const environment = { GOOGLE_APPLICATION_CREDENTIALS: path, HOME: folder };
  await using world = await openWorld({ environment });
  for (const strategy of ["byo_oauth", "adc", "service_account"]) {
    const error = await refusal(world, variantOf(strategy));
    assert.equal(error.code, "AUTH_REQUIRED", strategy);
  }
  assert.equal(world.tokenRequests(), 0);
  await using opted = await openWorld({
    beside: world,
    profileName: "opted",
    environment: { ...environment, GUM_USE_ADC: "1" },
    registered: false,
  });
  for (const strategy of ["byo_oauth", "adc"]) {
    const found = await resolve(opted, variantOf(strategy));
    assert.ok(found?.token !== undefined);
    assert.equal(found.signInStrategy, "adc");
    assert.equal(found.subjectFingerprint, await fingerprint("adc", "robot@p.iam.example.com"));
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("TestAuthNoAmbientADCWithoutOptIn: a failing login is not rescued by host credentials", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/adc.json`, await serviceAccountKey());
  await using world = await openWorld({
    environment: { GOOGLE_APPLICATION_CREDENTIALS: `${folder}/adc.json`, GUM_API_KEY: "key" },
  });
  await login(world);
  await world.parts.tokenCache?.drop((await world.view.current(world.signal)).account, world);
  world.emulator.identity.switches = { tokenError: "invalid_grant" };
  const error = await refusal(world, variantOf("byo_oauth"));
  assert.equal(error.details.source_error_code, "AUTH_REFRESH_FAILED");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("ADC mode is a choice: it wins over a login, needs no store, and follows the configuration", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${folder}/adc.json`,
    JSON.stringify({
      type: "authorized_user",
      client_id: "gcloud",
      refresh_token: "1//no-such-token",
      quota_project_id: "quota-p",
    }),
  );
  // No vault key: the store cannot be opened at all.
  await using world = await openWorld({
    registered: false,
    environment: {
      GUM_VAULT_KEY: "",
      GUM_USE_ADC: "1",
      GOOGLE_APPLICATION_CREDENTIALS: `${folder}/adc.json`,
    },
  });
  const error = await refusal(world, variantOf("byo_oauth"));
  assert.equal(error.details.source_error_code, "ADC_TOKEN_FETCH_FAILED");
  assert.match(error.userMessage, /gcloud auth application-default login/);
  await Deno.writeTextFile(`${folder}/adc.json`, JSON.stringify({ type: "gdch_service_account" }));
  const exotic = await refusal(world, variantOf("byo_oauth"));
  assert.match(exotic.message, /gdch_service_account/);
  await Deno.writeTextFile(
    `${folder}/adc.json`,
    await serviceAccountKey({ quota_project_id: "q" }),
  );
  const found = await resolve(world, variantOf("byo_oauth"));
  assert.equal(found?.quotaProjectId, "q");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("ADC from the metadata server: probed once, and only when it says it is Google's", async () => {
  const folder = await Deno.makeTempDir();
  await using world = await openWorld({
    registered: false,
    environment: { GUM_USE_ADC: "1", HOME: folder },
  });
  const found = await resolve(world, variantOf("adc"));
  assert.ok(found?.token !== undefined);
  assert.notEqual(found.subjectFingerprint, "");
  await resolve(world, variantOf("adc", { scopes: [scope("drive")] }));
  const probes = world.emulator.journal.filter(({ path }) => path === "/");
  assert.equal(probes.length, 1);
  world.emulator.identity.switches = { metadataFlavorMissing: true };
  await using other = await openWorld({
    beside: world,
    profileName: "other",
    registered: false,
    environment: { GUM_USE_ADC: "1", HOME: folder },
  });
  const error = await refusal(other, variantOf("adc"));
  assert.equal(error.details.source_error_code, "NO_ADC_CREDENTIALS");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("ADC from the metadata server: a server out of order is an outage, and no answer of it is quoted", async () => {
  const folder = await Deno.makeTempDir();
  const token = "/computeMetadata/v1/instance/service-accounts/default/token";
  const effects: Parameters<AuthWorld["emulator"]["addFault"]>[0]["effect"][] = [
    { kind: "status", status: 503 },
    { kind: "drop_before_headers" },
  ];
  for (const path of [token, token.replace(/token$/, "email")]) {
    for (const effect of effects) {
      await using world = await openWorld({
        registered: false,
        environment: { GUM_USE_ADC: "1", HOME: folder },
      });
      world.emulator.addFault({ match: { path }, times: 10, effect });
      const error = await refusal(world, variantOf("adc"));
      assert.equal(error.code, "SERVICE_DOWN", `${path} ${effect.kind}`);
      assert.equal(error.retryable, true);
      assert.equal(error.details.source_error_code, "ADC_TOKEN_FETCH_FAILED");
    }
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a host that signs in as somebody else is somebody else at once", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/adc.json`;
  await Deno.writeTextFile(path, await serviceAccountKey());
  await using world = await openWorld({
    registered: false,
    environment: { GUM_USE_ADC: "1", GOOGLE_APPLICATION_CREDENTIALS: path },
  });
  const first = await resolve(world, variantOf("adc"));
  await resolve(world, variantOf("adc"));
  assert.equal(world.tokenRequests(), 1, "one file, one token");
  await Deno.writeTextFile(path, await serviceAccountKey({ client_email: "b@p.iam.example.com" }));
  const second = await resolve(world, variantOf("adc"));
  assert.notEqual(second?.subjectFingerprint, first?.subjectFingerprint);
  assert.equal(await world.resolver.address(world.signal), "b@p.iam.example.com");
  assert.equal(
    second?.subjectFingerprint,
    await fingerprint("adc", "b@p.iam.example.com"),
    "the token is of the account that is shown",
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a refused key or host credential never sends anybody to a login that cannot help", async () => {
  const folder = await Deno.makeTempDir();
  const files = {
    key: await serviceAccountKey(),
    user: JSON.stringify({ type: "authorized_user", client_id: "c", refresh_token: "1//r" }),
  };
  const cases = [
    { strategy: "service_account", file: "key", next: "gum auth use-service-account <key.json>" },
    { strategy: "adc", file: "key", next: "gcloud auth application-default login" },
    { strategy: "adc", file: "user", next: "gcloud auth application-default login" },
  ] as const;
  for (const { strategy, file, next } of cases) {
    for (const tokenError of ["invalid_grant", "invalid_client", "deleted_client", "other"]) {
      await Deno.writeTextFile(`${folder}/credential.json`, files[file]);
      const path = `${folder}/credential.json`;
      await using world = await openWorld({
        registered: false,
        environment: strategy === "adc"
          ? { GUM_USE_ADC: "1", GOOGLE_APPLICATION_CREDENTIALS: path }
          : { GUM_SERVICE_ACCOUNT_KEY: path },
      });
      world.emulator.identity.switches = { tokenError, tokenErrorDescription: "no" };
      const error = await refusal(world, variantOf(strategy));
      const shown = JSON.stringify(error.toEnvelope());
      const where = `${strategy} ${file} ${tokenError}`;
      assert.equal(error.code, "AUTH_REQUIRED", where);
      assert.equal(error.details.next_command, next, where);
      assert.equal(/gum login|use-oauth-client/.test(shown), false, `${where}: ${shown}`);
    }
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("an unreadable configuration refuses every credential, and nothing that needs none", async () => {
  await using world = await openWorld({ environment: { GUM_API_KEY: "key" } });
  await login(world);
  world.view.forget();
  await config(world, "this is = not toml =\n");
  for (const strategy of ["byo_oauth", "api_key", "service_account", "adc", "compound"]) {
    assert.equal((await refusal(world, variantOf(strategy))).code, "CONFIG_PARSE_ERROR", strategy);
  }
  assert.equal(await resolve(world, variantOf("none")), undefined);
});

const KEYWORD_PLANNER: AuthComponent[] = [
  { kind: "developer_token" },
  { kind: "oauth_client" },
  { kind: "oauth_client_secret" },
  { kind: "oauth_scopes" },
  { kind: "customer_id" },
  { kind: "login_customer_id", optional: true },
  { kind: "billing_enabled" },
  { kind: "manager_account" },
  { kind: "account_permission" },
  { kind: "service_allowlist" },
  { kind: "consent_verification" },
];

Deno.test("TestCompoundAuthErrorEnvelope: all gaps in the declared order, before any request", async () => {
  await using world = await openWorld({ registered: false });
  const error = await refusal(world, variantOf("compound", { auth_components: KEYWORD_PLANNER }));
  assert.equal(error.code, "AUTH_REQUIRED");
  assert.equal(error.details.auth_strategy, "compound");
  assert.deepEqual(error.details.missing_components, KEYWORD_PLANNER.map(({ kind }) => kind));
  assert.equal(error.details.setup_command, `gum auth setup ${OP}`);
  assert.equal(error.retryable, false);
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("TestCompoundAuthReportsRealMissingComponents: what is set up is not reported", async () => {
  await using world = await openWorld();
  await login(world);
  await world.parts.store.set(developerTokenAccount("work"), secret("t"), world);
  const variant = variantOf("compound", { auth_components: KEYWORD_PLANNER });
  const error = await refusal(world, variant, { customerId: "1" });
  assert.deepEqual(error.details.missing_components, [
    "oauth_client_secret",
    "login_customer_id",
    "billing_enabled",
    "manager_account",
    "account_permission",
    "service_allowlist",
    "consent_verification",
  ]);
  const acknowledged = KEYWORD_PLANNER.slice(6).map(({ kind }) => `"${OP}:${kind}"`).join(", ");
  await config(world, `auth.acknowledged_prerequisites = [${acknowledged}]\n`);
  world.view.forget();
  const partly = await refusal(world, variant, { customerId: "1" });
  assert.deepEqual(partly.details.missing_components, ["oauth_client_secret", "login_customer_id"]);
  const rest = KEYWORD_PLANNER.filter(({ kind }) => kind !== "oauth_client_secret");
  const found = await resolve(world, variantOf("compound", { auth_components: rest }), {
    customerId: "1",
  });
  assert.equal(found?.signInStrategy, "byo_oauth");
  assert.equal(found?.developerToken?.reveal(), "t");
});

Deno.test("TestCompoundComponentsDeduplicateAndKeepOrder: the first of each kind counts", async () => {
  await using world = await openWorld({ registered: false });
  const auth_components: AuthComponent[] = [
    { kind: "x-approval" },
    { kind: "api_key" },
    { kind: "x-approval", optional: true },
    { kind: "api_key" },
  ];
  const error = await refusal(world, variantOf("compound", { auth_components }));
  assert.deepEqual(error.details.missing_components, ["x-approval", "api_key"]);
});

Deno.test("TestCompoundComponentsCarryNoSecretValues: kinds only", async () => {
  await using world = await openWorld({ environment: { GUM_API_KEY: "CANARY-KEY" } });
  const auth_components: AuthComponent[] = [{ kind: "api_key" }, { kind: "billing_enabled" }];
  const error = await refusal(world, variantOf("compound", { auth_components }));
  assert.deepEqual(error.details.missing_components, ["billing_enabled"]);
  assert.equal(JSON.stringify(error.toEnvelope()).includes("CANARY"), false);
});

Deno.test("TestWorkspaceAdminPolicyAuthEnvelope: an administrator's part refuses even when optional", async () => {
  await using world = await openWorld({ environment: { GUM_API_KEY: "key" } });
  for (const kind of ["workspace_admin_trust", "org_policy_exception"]) {
    const auth_components: AuthComponent[] = [{ kind: "api_key" }, { kind, optional: true }];
    const error = await refusal(world, variantOf("compound", { auth_components }));
    assert.deepEqual(error.details.missing_components, [kind]);
  }
  const auth_components: AuthComponent[] = [
    { kind: "api_key" },
    { kind: "billing_enabled", optional: true },
  ];
  assert.ok(await resolve(world, variantOf("compound", { auth_components })));
});

Deno.test("TestAuthKeychainUnavailable: a store that cannot be opened is said to be that, never 'not configured'", async () => {
  await using world = await openWorld({ registered: false, environment: { GUM_VAULT_KEY: "" } });
  await config(world, 'auth.credential_store = "vault"\n');
  for (const strategy of ["byo_oauth", "api_key", "service_account"]) {
    const error = await refusal(world, variantOf(strategy));
    assert.equal(error.code, "AUTH_KEYCHAIN_UNAVAILABLE", strategy);
    assert.match(JSON.stringify(error.toEnvelope()), /gum auth use-adc/);
  }
});

Deno.test("an unknown error of a strategy becomes AUTH_REQUIRED; an abort stays one", async () => {
  await using world = await openWorld();
  const aborted = AbortSignal.abort(new DOMException("gone", "AbortError"));
  const question = { opId: OP, variant: variantOf("byo_oauth"), args: {} };
  await assert.rejects(world.resolver.resolve(question, aborted), { name: "AbortError" });
  Object.assign(world.parts.store, { get: () => Promise.reject(new Error("strange")) });
  world.view.forget();
  const error = await refusal(world, variantOf("byo_oauth"));
  assert.equal(error.code, "AUTH_REQUIRED");
  assert.equal(error.message, "strange");
  Object.assign(world.parts.store, {
    get: () => Promise.reject(new SyntaxError('Unexpected token "ya29.a0-secret" in JSON')),
  });
  world.view.forget();
  const quoting = await refusal(world, variantOf("byo_oauth"));
  assert.equal(JSON.stringify(quoting.toEnvelope()).includes("a0-secret"), false);
  assert.ok(AuthError);
});
