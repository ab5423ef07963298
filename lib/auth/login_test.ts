import assert from "node:assert/strict";
import { isGumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { AuthError, toStructuredError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import { type OAuthGrant, parseGrant } from "./grants/grant.ts";
import { storeClient } from "./grants/client.ts";
import { storeGrant } from "./grants/storing.ts";
import { type LoginResult, signIn } from "./login.ts";
import { BrowserFailed } from "./oauth/browser.ts";
import type { ProfileAuth } from "./profile_auth.ts";
import { createSessionSignIn } from "./session_sign_in.ts";
import { byoGrantAccount } from "./store/mod.ts";
import { type AuthWorld, CLIENT, openWorld, scope } from "./testdata/auth_world.ts";
import { type Decision, listener, person } from "./testdata/person.ts";

const READ = scope("gmail.readonly");
const SEND = scope("gmail.send");
const EMAIL = scope("userinfo.email");

interface LoginTry extends Decision {
  scopes?: readonly string[];
  switchAccount?: boolean;
}

async function login(world: AuthWorld, attempt: LoginTry = {}): Promise<LoginResult> {
  const { open, settled } = person(attempt);
  try {
    return await signIn(world.parts, world.view, {
      scopes: attempt.scopes ?? [READ],
      switchAccount: attempt.switchAccount,
      openBrowser: open,
      io: listener().io,
      signal: world.signal,
    });
  } finally {
    await settled();
  }
}

async function refusedLogin(world: AuthWorld, attempt: LoginTry = {}): Promise<AuthError> {
  try {
    await login(world, attempt);
  } catch (error) {
    assert.ok(error instanceof AuthError, String(error));
    return error;
  }
  return assert.fail("the login went through");
}

async function storedGrant(
  world: AuthWorld,
  clientId = CLIENT.id,
): Promise<OAuthGrant | undefined> {
  const account = await byoGrantAccount(world.parts.profileName, clientId);
  const text = await world.parts.store.get(account, { signal: world.signal });
  return text === null ? undefined : parseGrant(text.reveal());
}

const resolve = (world: AuthWorld, scopes: readonly string[]) =>
  world.resolver.strategy("byo_oauth").resolve({ scopes, signal: world.signal });

Deno.test("a login asks as it must, stores the grant and tells no token", async () => {
  await using world = await openWorld();
  const { open, visits, settled } = person();
  const { io, said } = listener();
  const result = await signIn(world.parts, world.view, {
    scopes: [SEND, READ],
    openBrowser: open,
    io,
    signal: world.signal,
  });
  await settled();
  const [visit] = visits;
  assert.ok(visit !== undefined);
  const asked = visit.asked.searchParams;
  assert.equal(asked.get("prompt"), "select_account consent");
  assert.equal(asked.get("access_type"), "offline");
  assert.equal(asked.get("include_granted_scopes"), "true");
  assert.equal(asked.get("code_challenge_method"), "S256");
  assert.equal(asked.get("code_challenge")?.length, 43);
  assert.equal(asked.get("state")?.length, 43);
  assert.equal(asked.get("nonce")?.length, 22);
  assert.equal(asked.get("scope"), `${READ} ${SEND} openid`);
  assert.match(
    asked.get("redirect_uri") ?? "",
    /^http:\/\/127\.0\.0\.1:[1-9][0-9]*\/oauth\/callback$/,
  );
  assert.equal(visit.status, 200);
  assert.match(visit.text, /close this tab/);
  assert.equal(visit.headers.get("cache-control"), "no-store");
  assert.equal(visit.headers.get("referrer-policy"), "no-referrer");
  assert.equal(visit.headers.get("content-security-policy"), "default-src 'none'");
  assert.ok(said.includes(visit.asked.href));
  const exchange = world.emulator.journal.find(({ path }) => path === "/token");
  const form = new URLSearchParams(exchange?.bodyText);
  assert.equal(form.get("code_verifier")?.length, 86);
  assert.equal(form.has("client_secret"), false, "a public client sends no secret");
  assert.deepEqual(result.scopes, [READ, SEND]);
  assert.deepEqual(result.scopesDenied, []);
  const grant = await storedGrant(world);
  assert.equal(grant?.principalKind, "sub");
  assert.equal(result.subjectFingerprint, await fingerprint("byo_oauth", grant?.principal ?? ""));
  const { expectedSubjects } = await world.parts.config.read();
  assert.equal(expectedSubjects.byo_oauth, result.subjectFingerprint);
  assert.equal(JSON.stringify(result).includes(grant?.refreshToken ?? "?"), false);
});

Deno.test("the client's secret is sent exactly when one is registered", async () => {
  await using world = await openWorld();
  world.emulator.identity.switches = { clients: { [CLIENT.id]: "the-secret" } };
  const missing = await refusedLogin(world);
  assert.equal(missing.code, "BYO_OAUTH_TOKEN_EXCHANGE_FAILED");
  assert.deepEqual(missing.fields.missingComponents, ["oauth_client_secret"]);
  const { profileName } = world.parts;
  const client = { ...CLIENT, secret: "the-secret" };
  await storeClient(world.parts.store, { profileName, client }, { signal: world.signal });
  assert.deepEqual((await login(world)).scopes, [READ]);
});

Deno.test("TestAuthLoopbackStateRequired: wrong and missing states are refused before anything else", async () => {
  await using world = await openWorld();
  for (const state of ["wrong", "missing"] as const) {
    world.emulator.identity.switches = { state };
    const { open, visits, settled } = person();
    await assert.rejects(
      signIn(world.parts, world.view, {
        scopes: [READ],
        openBrowser: open,
        io: listener().io,
        signal: world.signal,
      }),
      (error) => error instanceof AuthError && error.code === "AUTH_LOOPBACK_STATE_MISMATCH",
    );
    await settled();
    assert.equal(visits[0]?.status, 400);
  }
  // Even an error or a good code counts for nothing without the state.
  world.emulator.identity.switches = { state: "wrong", authorizationError: "access_denied" };
  assert.equal((await refusedLogin(world)).code, "AUTH_LOOPBACK_STATE_MISMATCH");
  assert.equal(world.tokenRequests(), 0);
  assert.equal(await storedGrant(world), undefined);
});

Deno.test("TestAuthLoopbackStateRequired: only the callback counts, once, on its own host", async () => {
  await using world = await openWorld();
  const seen: number[] = [];
  const result = await login(world, {
    redirect: (address) => {
      const visitAll = async () => {
        const statuses: [string, RequestInit?][] = [
          [new URL("/favicon.ico", address).href],
          [address.href, { method: "POST" }],
        ];
        for (const [url, init] of statuses) {
          const answer = await fetch(url, init);
          await answer.body?.cancel();
          seen.push(answer.status);
        }
        const good = await fetch(address);
        await good.body?.cancel();
        seen.push(good.status);
      };
      pending = visitAll();
      return undefined;
    },
  });
  await pending;
  assert.deepEqual(seen, [404, 405, 200]);
  assert.deepEqual(result.scopes, [READ]);
});
let pending: Promise<void> | undefined;

Deno.test("a foreign Host header is refused and the flow goes on", async () => {
  await using world = await openWorld();
  let status = "";
  await login(world, {
    redirect: (address) => {
      const visit = async () => {
        status = await rawGet(address, "evil.example:80");
        await (await fetch(address)).body?.cancel();
      };
      pending = visit();
      return undefined;
    },
  });
  await pending;
  assert.match(status, /^HTTP\/1\.1 400 /);
});

async function rawGet(address: URL, host: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(address.port) });
  const request = `GET ${address.pathname}${address.search} HTTP/1.1\r\nhost: ${host}\r\n` +
    "connection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4096);
  const count = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, count));
}

Deno.test("a refusal at the consent page is told apart by its reason", async () => {
  await using world = await openWorld();
  const denied = await refusedLogin(world, { decision: "deny" });
  assert.equal(denied.code, "GUM_OAUTH_USER_DENIED");
  assert.match(denied.message, /access_denied/);
  assert.match(denied.fields.userMessage ?? "", /test users/);
  const reasons: [string, string][] = [
    ["admin_policy_enforced", "workspace_admin_trust"],
    ["org_internal", "org_policy_exception"],
  ];
  for (const [authorizationError, component] of reasons) {
    world.emulator.identity.switches = { authorizationError };
    const error = await refusedLogin(world);
    assert.equal(error.code, "AUTH_REQUIRED");
    assert.deepEqual(error.fields.missingComponents, [component]);
    const wire = toStructuredError(error, { profile: "work" });
    assert.ok(isGumError(wire, "AUTH_REQUIRED"));
    assert.equal((wire as { retryable?: boolean }).retryable, false);
  }
  assert.equal(await storedGrant(world), undefined);
});

Deno.test("a code that Google did not give is refused, and nothing is stored", async () => {
  await using world = await openWorld();
  const error = await refusedLogin(world, {
    redirect: (address) => {
      const changed = new URL(address);
      changed.searchParams.set("code", `${address.searchParams.get("code")}x`);
      return changed;
    },
  });
  assert.equal(error.code, "BYO_OAUTH_TOKEN_EXCHANGE_FAILED");
  assert.equal(error.fields.details?.failure, "code_refused");
  assert.equal(await storedGrant(world), undefined);
});

Deno.test("a redirect that is replayed after a finished sign-in finds nobody listening", async () => {
  await using world = await openWorld();
  let redirect: URL | undefined;
  await login(world, {
    redirect: (address) => {
      redirect = address;
      return address;
    },
  });
  assert.ok(redirect !== undefined);
  await assert.rejects(fetch(redirect), TypeError);
  // Nor does the token service take the code a second time, even with its verifier.
  const first = world.emulator.journal.find(({ path }) => path === "/token");
  const again = await world.http.send({
    method: "POST",
    url: new URL(world.endpoints.token),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: first?.bodyText,
  }, world.signal);
  assert.equal(again.status, 400);
});

Deno.test("without a refresh token nothing is stored", async () => {
  await using world = await openWorld();
  world.emulator.identity.switches = { noRefreshToken: true };
  assert.equal((await refusedLogin(world)).code, "BYO_OAUTH_NO_REFRESH_TOKEN");
  assert.equal(await storedGrant(world), undefined);
});

Deno.test("no scopes and no client are refused without a browser", async () => {
  await using world = await openWorld({ registered: false });
  assert.equal((await refusedLogin(world)).code, "BYO_OAUTH_CLIENT_NOT_CONFIGURED");
  await using registered = await openWorld({ beside: world, profileName: "other" });
  assert.equal((await refusedLogin(registered, { scopes: [] })).code, "BYO_OAUTH_NO_SCOPES");
  assert.equal(world.emulator.journal.length, 0);
});

Deno.test("an id_token is believed only when every claim fits", async () => {
  await using world = await openWorld();
  world.emulator.identity.switches = { bareIssuer: true };
  const { subjectFingerprint } = await login(world);
  const wrong: Record<string, string | number>[] = [
    { iss: "https://accounts.example" },
    { aud: "another-client" },
    { nonce: "another" },
    { exp: 1 },
    { sub: "" },
  ];
  for (const idTokenClaims of wrong) {
    world.emulator.identity.switches = { idTokenClaims };
    const error = await refusedLogin(world);
    assert.equal(error.code, "AUTH_SUBJECT_MISMATCH", JSON.stringify(idTokenClaims));
    assert.equal(error.fields.details?.expected_subject_fingerprint, subjectFingerprint);
  }
  world.emulator.identity.switches = { noIdToken: true };
  assert.equal((await refusedLogin(world)).code, "AUTH_SUBJECT_MISMATCH");
});

Deno.test("a login without an id_token is fine where nobody is expected", async () => {
  await using world = await openWorld();
  world.emulator.identity.switches = { noIdToken: true };
  await login(world);
  const grant = await storedGrant(world);
  assert.equal(grant?.principal, undefined);
  assert.deepEqual((await world.parts.config.read()).expectedSubjects, {});
});

Deno.test("TestByoOAuthBroadGrantSatisfiesNarrowResolve: one broad grant answers narrow calls", async () => {
  await using world = await openWorld();
  await login(world, { scopes: [READ, SEND, scope("calendar")] });
  for (const scopes of [[SEND], [READ, scope("calendar")], []]) {
    assert.ok((await resolve(world, scopes))?.token !== undefined);
  }
  assert.ok((await resolve(world, [scope("gmail.metadata")]))?.token !== undefined);
});

Deno.test("TestByoOAuthMissingScopeForcesReauth: no token request for a scope nobody granted", async () => {
  await using world = await openWorld();
  await login(world);
  world.emulator.clearJournal();
  await assert.rejects(
    resolve(world, [READ, SEND]),
    (error) =>
      error instanceof AuthError && error.code === "NO_REFRESH_TOKEN" &&
      error.fields.retryable === true &&
      error.fields.nextCommand === `gum login --scope ${READ} --scope ${SEND}` &&
      JSON.stringify(error.fields.haveScopes) === JSON.stringify([READ]),
  );
  assert.equal(world.tokenRequests(), 0);
});

Deno.test("TestByoOAuthGrantUnionAccumulates: a second login asks for everything and keeps it", async () => {
  await using world = await openWorld();
  await login(world);
  const first = await storedGrant(world);
  const { open, visits, settled } = person();
  const second = await signIn(world.parts, world.view, {
    scopes: [SEND],
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  assert.equal(visits[0]?.asked.searchParams.get("scope"), `${READ} ${SEND} openid`);
  assert.deepEqual(second.scopes, [READ, SEND]);
  const grant = await storedGrant(world);
  assert.notEqual(grant?.refreshToken, first?.refreshToken);
  assert.deepEqual(grant?.scopes, [READ, SEND]);
});

Deno.test("TestByoOAuthGrantUnionAccumulates: two separate grants of one account end as one", async () => {
  await using world = await openWorld();
  const grant = (refreshToken: string, scopes: string[], principal?: string): OAuthGrant => ({
    refreshToken,
    scopes,
    principal,
    grantedAt: "2026-05-19T10:00:00Z",
    updatedAt: "2026-05-19T10:00:00Z",
  });
  const store = (given: OAuthGrant) =>
    storeGrant(world.parts, { clientId: CLIENT.id, grant: given, mode: "union" }, world);
  await store(grant("one", [READ], "a@example.com"));
  await store(grant("two", [SEND], "a@example.com"));
  const both = await storedGrant(world);
  assert.deepEqual([both?.refreshToken, both?.scopes], ["two", [READ, SEND]]);
  await store(grant("three", [EMAIL], "b@example.com"));
  const other = await storedGrant(world);
  assert.deepEqual(other?.scopes, [EMAIL], "another account inherits nothing");
});

Deno.test("TestByoOAuthPerClientIsolation: another client and another profile see no grant", async () => {
  await using world = await openWorld();
  await login(world);
  await using other = await openWorld({ beside: world, profileName: "other" });
  await assert.rejects(resolve(other, [READ]), AuthError);
  const client = { ...CLIENT, id: "client-2.apps.example" };
  await storeClient(world.parts.store, { profileName: "work", client }, world);
  world.view.forget();
  await assert.rejects(
    resolve(world, [READ]),
    (error) => error instanceof AuthError && error.code === "NO_REFRESH_TOKEN",
  );
  await storeClient(world.parts.store, { profileName: "work", client: CLIENT }, world);
  world.view.forget();
  assert.ok(await resolve(world, [READ]), "the first client's grant was not touched");
});

Deno.test("TestByoOAuthFingerprintSurvivesReLogin: a new refresh token, the same fingerprint", async () => {
  await using world = await openWorld();
  const first = await login(world);
  const second = await login(world);
  assert.equal(second.subjectFingerprint, first.subjectFingerprint);
  assert.match(first.subjectFingerprint, /^[0-9a-f]{16}$/);
  // With and without the e-mail scope it is the same person.
  const third = await login(world, { scopes: [READ, EMAIL] });
  assert.equal(third.subjectFingerprint, first.subjectFingerprint);
  assert.equal((await resolve(world, [READ]))?.subjectFingerprint, first.subjectFingerprint);
});

Deno.test("TestByoOAuthFingerprintDiffersPerAccount: two accounts under one client", async () => {
  await using world = await openWorld();
  const [, second] = world.emulator.accounts;
  const first = await login(world);
  const other = await login(world, { account: second?.email, switchAccount: true });
  assert.notEqual(other.subjectFingerprint, first.subjectFingerprint);
});

Deno.test("TestByoOAuthFingerprintNormalizesEmailCase: case of the address is irrelevant", async () => {
  await using world = await openWorld();
  const scopes = [READ, EMAIL];
  const first = await login(world, { scopes });
  world.emulator.identity.switches = {
    idTokenClaims: { email: world.emulator.account.email.toUpperCase() },
  };
  const second = await login(world, { scopes });
  assert.equal(second.subjectFingerprint, first.subjectFingerprint);
  assert.equal((await storedGrant(world))?.principal, world.emulator.account.email);
});

Deno.test("TestByoOAuthLegacyGrantFallsBackToRefreshToken: a grant without a principal", async () => {
  await using world = await openWorld();
  world.emulator.identity.switches = { noIdToken: true };
  await login(world);
  const grant = await storedGrant(world);
  const expected = await fingerprint("byo_oauth", grant?.refreshToken ?? "");
  assert.equal((await resolve(world, [READ]))?.subjectFingerprint, expected);
});

Deno.test("TestByoLoginRefusesASubjectTheProfileDidNotExpect: another account stores nothing", async () => {
  await using world = await openWorld();
  await login(world);
  const before = await storedGrant(world);
  const [, second] = world.emulator.accounts;
  const error = await refusedLogin(world, { account: second?.email });
  assert.equal(error.code, "AUTH_SUBJECT_MISMATCH");
  const wire = toStructuredError(error, { profile: "work" });
  assert.ok(isGumError(wire, "AUTH_SUBJECT_MISMATCH"));
  assert.equal(JSON.stringify(wire).includes("@"), false, "fingerprints only");
  assert.deepEqual(await storedGrant(world), before);
  const revocations = world.emulator.journal.filter(({ path }) => path === "/revoke");
  assert.equal(revocations.length, 0, "the other account's grants elsewhere live on");
});

Deno.test("TestLoginSwitchAccountRebindsTheProfile: the new account, only its scopes, a new expectation", async () => {
  await using world = await openWorld();
  await login(world, { scopes: [READ, SEND] });
  const [, second] = world.emulator.accounts;
  const result = await login(world, {
    account: second?.email,
    switchAccount: true,
    scopes: [scope("calendar")],
  });
  assert.deepEqual(result.scopes, [scope("calendar")]);
  const { expectedSubjects } = await world.parts.config.read();
  assert.equal(expectedSubjects.byo_oauth, result.subjectFingerprint);
  const [first] = world.emulator.accounts;
  assert.equal(
    (await refusedLogin(world, { account: first?.email })).code,
    "AUTH_SUBJECT_MISMATCH",
  );
});

Deno.test("a partial consent stores what was granted and names the rest", async () => {
  await using world = await openWorld();
  const result = await login(world, { scopes: [READ, SEND] });
  assert.deepEqual(result.scopesDenied, []);
  await using fresh = await openWorld({ beside: world, profileName: "partial" });
  world.emulator.identity.switches = { grantOnly: [READ] };
  const partial = await login(fresh, { scopes: [READ, SEND] });
  assert.deepEqual(partial.scopes, [READ]);
  assert.deepEqual(partial.scopesDenied, [SEND]);
});

Deno.test("the address can be pasted from a browser elsewhere, a bare code cannot", async () => {
  await using world = await openWorld();
  const said: string[] = [];
  const { io } = {
    io: {
      say: (text: string) => void said.push(text),
      readLine: async () => {
        lines++;
        if (lines === 1) return "4/0abc-just-a-code";
        const address = said.find((text) => text.startsWith("http")) ?? "";
        const decided = new URL(address);
        decided.searchParams.set("gum_decision", "allow");
        const answer = await fetch(decided, { redirect: "manual" });
        await answer.body?.cancel();
        return answer.headers.get("location") ?? "";
      },
    },
  };
  let lines = 0;
  const result = await signIn(world.parts, world.view, {
    scopes: [READ],
    io,
    signal: world.signal,
  });
  assert.deepEqual(result.scopes, [READ]);
  assert.equal(lines, 2);
});

Deno.test("the address can be pasted when the browser that was asked for gave up", async () => {
  await using world = await openWorld();
  const said: string[] = [];
  const io = {
    say: (text: string) => void said.push(text),
    readLine: async () => {
      const decided = new URL(said.find((text) => text.startsWith("http")) ?? "");
      decided.searchParams.set("gum_decision", "allow");
      const answer = await fetch(decided, { redirect: "manual" });
      await answer.body?.cancel();
      return answer.headers.get("location") ?? "";
    },
  };
  const result = await signIn(world.parts, world.view, {
    scopes: [READ],
    openBrowser: () => Promise.reject(new BrowserFailed("xdg-open", 3)),
    io,
    signal: world.signal,
  });
  assert.deepEqual(result.scopes, [READ]);
  assert.ok(said.some((text) => text.includes("xdg-open ended with exit code 3")), said.join());
});

Deno.test("where nobody can type, a sign-in without a browser says how the answer can get here", async () => {
  await using world = await openWorld();
  const { io, said } = listener();
  const { open, settled } = person();
  const watching = {
    say(text: string) {
      io.say(text);
      // The address first, what to do about it after: only then somebody follows it.
      if (text.includes("ssh -L")) void open(said.find((line) => line.startsWith("http")) ?? "");
    },
  };
  await signIn(world.parts, world.view, { scopes: [READ], io: watching, signal: world.signal });
  await settled();
  const address = new URL(said.find((line) => line.startsWith("http")) ?? "");
  const { port } = new URL(address.searchParams.get("redirect_uri") ?? "");
  assert.ok(said.some((line) => line.includes(`ssh -L ${port}:127.0.0.1:${port} `)), said.join());
});

Deno.test("a sign-in that a refusal led to leaves a row whichever way it ends", async () => {
  await using world = await openWorld();
  const rows: JsonObject[] = [];
  const { parts, resolver } = world;
  const attempt = async (decision: Decision) => {
    const { open, settled } = person(decision);
    const signIn = createSessionSignIn(
      // Only what a sign-in opens.
      { open: () => Promise.resolve({ parts, resolver }) } as unknown as ProfileAuth,
      { audit: { append: (row) => void rows.push(row) }, openBrowser: open },
    );
    const { io } = listener();
    await signIn.login({ scopes: [READ], io, signal: world.signal }).catch((error) =>
      assert.ok(error instanceof AuthError, String(error))
    );
    await settled();
  };
  await attempt({});
  await attempt({ decision: "deny" });
  await attempt({ account: world.emulator.accounts[1]?.email });
  assert.deepEqual(rows.map(({ event, outcome }) => [event, outcome]), [
    ["auth_login", "granted"],
    ["auth_login", "GUM_OAUTH_USER_DENIED"],
    ["auth_login", "AUTH_SUBJECT_MISMATCH"],
  ]);
  assert.equal(JSON.stringify(rows).includes("@"), false);
});

Deno.test("nobody answers: the wait ends, and so it does on an abort", async () => {
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number, signal?: AbortSignal) =>
      ms === 300_000 ? Promise.resolve() : new Promise<void>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
  await using world = await openWorld({ clock });
  const attempt = (signal: AbortSignal) =>
    signIn(world.parts, world.view, { scopes: [READ], io: listener().io, signal });
  await assert.rejects(
    attempt(world.signal),
    (error) => error instanceof AuthError && error.code === "GUM_OAUTH_TIMEOUT",
  );
  await assert.rejects(attempt(AbortSignal.abort(new Error("enough"))), /enough/);
});

Deno.test("a long scope list is announced before the browser opens", async () => {
  await using world = await openWorld();
  const { open, settled } = person();
  const { io, said } = listener();
  const scopes = Array.from({ length: 30 }, (_, index) => scope(`made.up.${index}`));
  await signIn(world.parts, world.view, {
    scopes,
    openBrowser: (address) => {
      said.push("opened");
      return open(address);
    },
    io,
    signal: world.signal,
  });
  await settled();
  const warned = said.findIndex((text) => text.includes("30 scopes"));
  assert.ok(warned >= 0 && warned < said.indexOf("opened"));
});

Deno.test("TestAuthKeychainStorageOnly: no file holds the refresh token in the clear", async () => {
  await using world = await openWorld();
  await login(world);
  await resolve(world, [READ]);
  const refreshToken = (await storedGrant(world))?.refreshToken ?? "";
  const token = (await resolve(world, [READ]))?.token?.reveal() ?? "";
  assert.ok(refreshToken.length > 20 && token.length > 20);
  const files = await filesBelow(world.folder);
  assert.ok(files.some(({ path }) => path.endsWith("credentials.vault")));
  for (const { path, text } of files) {
    for (const secret of [refreshToken, token, btoa(refreshToken)]) {
      assert.equal(text.includes(secret), false, path);
    }
  }
});

async function filesBelow(folder: string): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesBelow(path));
    else found.push({ path, text: await Deno.readTextFile(path) });
  }
  return found;
}
