import assert from "node:assert/strict";
import type { JsonObject } from "../json/mod.ts";
import { WORLD_INSTANT } from "./mod.ts";
import { startEmulator } from "./emulator.ts";
import type { Emulator, EmulatorOptions } from "./types.ts";

const AUTHORIZE = "https://accounts.google.com/o/oauth2/v2/auth";
const TOKEN = "https://oauth2.googleapis.com/token";
const REDIRECT = "http://127.0.0.1:54321/oauth/callback";
const READONLY = "https://www.googleapis.com/auth/gmail.readonly";
const SEND = "https://www.googleapis.com/auth/gmail.send";
const VERIFIER = "v".repeat(86);

async function withIdentity(
  run: (emulator: Emulator) => Promise<void>,
  options: EmulatorOptions = {},
): Promise<void> {
  const emulator = await startEmulator(options);
  try {
    await run(emulator);
  } finally {
    await emulator.close();
  }
}

async function challenge(): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(VERIFIER));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}

async function authorize(
  emulator: Emulator,
  changes: Record<string, string> = {},
): Promise<Response> {
  const query = new URLSearchParams({
    client_id: "client-1",
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: `${READONLY} email openid`,
    state: "s1",
    nonce: "n1",
    code_challenge: await challenge(),
    code_challenge_method: "S256",
    access_type: "offline",
    prompt: "select_account consent",
    gum_decision: "allow",
    ...changes,
  });
  for (const [name, value] of Object.entries(changes)) if (value === "") query.delete(name);
  return await fetch(emulator.rewrite(new URL(`${AUTHORIZE}?${query}`)), { redirect: "manual" });
}

async function callback(
  emulator: Emulator,
  changes?: Record<string, string>,
): Promise<URLSearchParams> {
  const response = await authorize(emulator, changes);
  await response.body?.cancel();
  assert.equal(response.status, 302);
  const location = new URL(response.headers.get("location") ?? "");
  assert.equal(`${location.origin}${location.pathname}`, REDIRECT);
  return location.searchParams;
}

async function token(
  emulator: Emulator,
  form: Record<string, string>,
): Promise<{ status: number; json: JsonObject }> {
  const response = await fetch(emulator.rewrite(new URL(TOKEN)), {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return { status: response.status, json: await response.json() };
}

async function exchange(
  emulator: Emulator,
  changes: Record<string, string> = {},
): Promise<{ status: number; json: JsonObject }> {
  const code = (await callback(emulator)).get("code") ?? "";
  return await token(emulator, {
    grant_type: "authorization_code",
    code,
    client_id: "client-1",
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...changes,
  });
}

async function profile(
  emulator: Emulator,
  bearer: unknown,
): Promise<{ status: number; json: JsonObject }> {
  const url = emulator.rewrite(new URL("https://gmail.googleapis.com/gmail/v1/users/me/profile"));
  const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
  return { status: response.status, json: await response.json() };
}

function claims(idToken: unknown): JsonObject {
  const part = String(idToken).split(".")[1] ?? "";
  return JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })),
  );
}

Deno.test("identity: consent, code, tokens, and an API call with them", () =>
  withIdentity(async (emulator) => {
    const back = await callback(emulator);
    assert.equal(back.get("state"), "s1");
    const { status, json } = await exchange(emulator);
    assert.equal(status, 200);
    assert.equal(json.token_type, "Bearer");
    assert.equal(json.scope, `${READONLY} email openid`);
    const identity = claims(json.id_token);
    assert.equal(identity.iss, "https://accounts.google.com");
    assert.equal(identity.aud, "client-1");
    assert.equal(identity.nonce, "n1");
    assert.equal(identity.email, emulator.account.email);
    assert.equal(identity.exp, WORLD_INSTANT / 1000 + 3600);
    assert.equal(
      (await profile(emulator, json.access_token)).json.emailAddress,
      emulator.account.email,
    );
    const refreshed = await token(emulator, {
      grant_type: "refresh_token",
      client_id: "client-1",
      refresh_token: String(json.refresh_token),
    });
    assert.equal(refreshed.status, 200);
    assert.notEqual(refreshed.json.access_token, json.access_token);
    assert.equal("refresh_token" in refreshed.json, false);
  }));

Deno.test("identity: the page lists accounts and scopes, and its links decide", () =>
  withIdentity(async (emulator) => {
    const page = await authorize(emulator, { gum_decision: "" });
    assert.equal(page.status, 200);
    const html = await page.text();
    assert.match(html, /gmail\.readonly/);
    const links = [...html.matchAll(/href="(\?[^"]+)"/g)].map((found) =>
      (found[1] ?? "").replaceAll("&amp;", "&")
    );
    assert.equal(links.length, 3);
    const second = new URL(`${AUTHORIZE}${links[1]}`);
    const response = await fetch(emulator.rewrite(second), { redirect: "manual" });
    await response.body?.cancel();
    const code = new URL(response.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const { json } = await token(emulator, {
      grant_type: "authorization_code",
      code,
      client_id: "client-1",
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    });
    assert.equal(claims(json.id_token).email, emulator.accounts[1]?.email);
    const denied = await fetch(emulator.rewrite(new URL(`${AUTHORIZE}${links[2]}`)), {
      redirect: "manual",
    });
    await denied.body?.cancel();
    assert.match(denied.headers.get("location") ?? "", /error=access_denied/);
  }));

Deno.test("identity: a code works once, with its verifier, client and redirect", () =>
  withIdentity(async (emulator) => {
    assert.equal(
      (await exchange(emulator, { code_verifier: "w".repeat(86) })).json.error,
      "invalid_grant",
    );
    assert.equal(
      (await exchange(emulator, { client_id: "client-2" })).json.error,
      "unauthorized_client",
    );
    assert.equal(
      (await exchange(emulator, { redirect_uri: `${REDIRECT}/x` })).json.error,
      "redirect_uri_mismatch",
    );
    const code = (await callback(emulator)).get("code") ?? "";
    const form = {
      grant_type: "authorization_code",
      code,
      client_id: "client-1",
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    };
    assert.equal((await token(emulator, form)).status, 200);
    assert.equal((await token(emulator, form)).json.error, "invalid_grant");
    const malformed: Record<string, string>[] = [
      { redirect_uri: "https://evil.example/" },
      { code_challenge_method: "plain" },
      { scope: "" },
      { response_type: "token" },
    ];
    for (const changes of malformed) {
      const refused = await authorize(emulator, changes);
      await refused.body?.cancel();
      assert.equal(refused.status, 400, JSON.stringify(changes));
    }
  }));

Deno.test("identity: granted scopes bind the API, and tokens expire with the clock", async () => {
  let now = WORLD_INSTANT;
  await withIdentity(async (emulator) => {
    const { json } = await exchange(emulator);
    const send = await fetch(
      emulator.rewrite(new URL("https://gmail.googleapis.com/gmail/v1/users/me/messages/send")),
      {
        method: "POST",
        headers: { authorization: `Bearer ${json.access_token}` },
        body: "{}",
      },
    );
    assert.equal(send.status, 403);
    assert.match(await send.text(), /ACCESS_TOKEN_SCOPE_INSUFFICIENT/);
    assert.equal((await profile(emulator, json.access_token)).status, 200);
    now += 3_600_000;
    const expired = await profile(emulator, json.access_token);
    assert.equal(expired.status, 401);
    assert.match(JSON.stringify(expired.json), /ACCESS_TOKEN_EXPIRED/);
  }, { clock: { now: () => now, sleep: () => Promise.resolve() } });
});

Deno.test("identity: revocation ends a grant and its tokens", () =>
  withIdentity(async (emulator) => {
    const { json } = await exchange(emulator);
    const revoke = (value: unknown) =>
      fetch(emulator.rewrite(new URL("https://oauth2.googleapis.com/revoke")), {
        method: "POST",
        body: new URLSearchParams({ token: String(value) }),
      }).then(async (response) => (await response.body?.cancel(), response.status));
    assert.equal(await revoke(json.refresh_token), 200);
    assert.equal((await profile(emulator, json.access_token)).status, 401);
    const again = await token(emulator, {
      grant_type: "refresh_token",
      client_id: "client-1",
      refresh_token: String(json.refresh_token),
    });
    assert.equal(again.json.error, "invalid_grant");
    assert.equal(await revoke(json.refresh_token), 400);
    emulator.identity.switches = { revocationDown: true };
    assert.equal(await revoke("x"), 503);
  }));

Deno.test("identity: switches misbehave one by one", () =>
  withIdentity(async (emulator) => {
    const { identity } = emulator;
    const withSwitches = async (switches: typeof identity.switches) => {
      identity.switches = switches;
      return await exchange(emulator);
    };
    assert.equal("refresh_token" in (await withSwitches({ noRefreshToken: true })).json, false);
    assert.equal("id_token" in (await withSwitches({ noIdToken: true })).json, false);
    assert.equal(
      claims((await withSwitches({ bareIssuer: true })).json.id_token).iss,
      "accounts.google.com",
    );
    assert.equal(
      claims((await withSwitches({ idTokenClaims: { nonce: "other" } })).json.id_token).nonce,
      "other",
    );
    assert.equal((await withSwitches({ grantOnly: [] })).json.scope, "openid");
    assert.equal((await withSwitches({ reportedScope: SEND })).json.scope, SEND);
    assert.deepEqual((await withSwitches({ tokenError: "invalid_rapt" })).json, {
      error: "invalid_grant",
      error_description: "reauth related error (invalid_rapt)",
      error_subtype: "invalid_rapt",
    });
    assert.equal((await withSwitches({ tokenError: "invalid_client" })).status, 401);
    assert.match(
      String((await withSwitches({ clients: { "client-1": "shh" } })).json.error_description),
      /client_secret is missing/,
    );
    identity.switches = { clients: {} };
    const unknown = await authorize(emulator);
    await unknown.body?.cancel();
    assert.equal(unknown.status, 401);
    identity.switches = { state: "wrong" };
    assert.notEqual((await callback(emulator)).get("state"), "s1");
    identity.switches = { state: "missing" };
    assert.equal((await callback(emulator)).has("state"), false);
    identity.switches = { authorizationError: "admin_policy_enforced" };
    assert.equal((await callback(emulator)).get("error"), "admin_policy_enforced");
    identity.switches = {};
    const { json } = await exchange(emulator);
    identity.switches = { rotateRefreshToken: true };
    const form = {
      grant_type: "refresh_token",
      client_id: "client-1",
      refresh_token: String(json.refresh_token),
    };
    const rotated = await token(emulator, form);
    assert.ok(rotated.json.refresh_token);
    assert.equal((await token(emulator, form)).json.error, "invalid_grant");
    emulator.addFault({
      match: { host: "oauth2.googleapis.com" },
      effect: { kind: "status", status: 503 },
    });
    const down = await fetch(emulator.rewrite(new URL(TOKEN)), { method: "POST", body: "x" });
    await down.body?.cancel();
    assert.equal(down.status, 503);
  }));

Deno.test("identity: service-account assertions and the metadata server", () =>
  withIdentity(async (emulator) => {
    const part = (value: JsonObject) =>
      new TextEncoder().encode(JSON.stringify(value)).toBase64({
        alphabet: "base64url",
        omitPadding: true,
      });
    const seconds = WORLD_INSTANT / 1000;
    const assertion = (changes: JsonObject) =>
      `${part({ alg: "RS256" })}.${
        part({
          iss: "robot@p.iam.example.com",
          aud: TOKEN,
          scope: READONLY,
          iat: seconds,
          exp: seconds + 3600,
          ...changes,
        })
      }.${part({})}`;
    const grant = (changes: JsonObject) =>
      token(emulator, {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: assertion(changes),
      });
    const { json } = await grant({ sub: emulator.accounts[1]?.email ?? "" });
    assert.equal(
      (await profile(emulator, json.access_token)).json.emailAddress,
      emulator.accounts[1]?.email,
    );
    assert.equal((await grant({ exp: seconds - 4000 })).json.error, "invalid_grant");
    assert.equal((await grant({ aud: "https://else.example" })).json.error, "invalid_grant");
    const metadata = (path: string, headers: Record<string, string>) =>
      fetch(
        emulator.rewrite(new URL(`http://metadata.google.internal/computeMetadata/v1/${path}`)),
        { headers },
      );
    const refused = await metadata("instance/service-accounts/default/token", {});
    await refused.body?.cancel();
    assert.equal(refused.status, 403);
    const given = await metadata("instance/service-accounts/default/token", {
      "metadata-flavor": "Google",
    });
    assert.equal(given.headers.get("metadata-flavor"), "Google");
    assert.ok((await given.json()).access_token);
    emulator.identity.switches = { metadataFlavorMissing: true };
    const bare = await metadata("", { "metadata-flavor": "Google" });
    await bare.body?.cancel();
    assert.equal(bare.headers.get("metadata-flavor"), null);
  }));
