import assert from "node:assert/strict";
import { systemClock } from "../clock/mod.ts";
import { findGumError } from "../errors/mod.ts";
import { AuthError, toStructuredError } from "./errors.ts";
import { parseGrant } from "./grants/grant.ts";
import { signIn } from "./login.ts";
import { byoGrantAccount } from "./store/mod.ts";
import { type AuthWorld, CLIENT, openWorld, scope, VAULT_KEY } from "./testdata/auth_world.ts";
import { listener, person } from "./testdata/person.ts";

const READ = scope("gmail.readonly");
const SEND = scope("gmail.send");

/** A signed-in world whose access token has been forgotten. */
async function signedIn(
  options: Parameters<typeof openWorld>[0] = {},
  scopes: readonly string[] = [READ, SEND],
): Promise<AuthWorld> {
  const world = await openWorld(options);
  const { open, settled } = person();
  await signIn(world.parts, world.view, {
    scopes,
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  await forgetTokens(world);
  world.emulator.clearJournal();
  return world;
}

async function forgetTokens(world: AuthWorld): Promise<void> {
  await world.parts.tokenCache?.drop(await byoGrantAccount("work", CLIENT.id), world);
}

const resolve = (
  world: AuthWorld,
  options: { scopes?: readonly string[]; renew?: boolean; signal?: AbortSignal } = {},
) =>
  world.resolver.strategy("byo_oauth").resolve({
    scopes: options.scopes ?? [READ],
    renew: options.renew,
    signal: options.signal ?? world.signal,
  });

async function refreshToken(world: AuthWorld): Promise<string | undefined> {
  const text = await world.parts.store.get(await byoGrantAccount("work", CLIENT.id), world);
  return text === null ? undefined : parseGrant(text.reveal())?.refreshToken;
}

async function refusal(world: AuthWorld): Promise<AuthError> {
  try {
    await resolve(world);
  } catch (error) {
    assert.ok(error instanceof AuthError, String(error));
    return error;
  }
  return assert.fail("a token was given");
}

const wireOf = (error: AuthError) =>
  findGumError(toStructuredError(error, { profile: "work", opId: "gmail.x" }));

Deno.test("a refresh sends what it must and nothing more", async () => {
  await using world = await signedIn();
  const found = await resolve(world);
  assert.ok(found?.token?.reveal().startsWith("emulator-access-"));
  assert.deepEqual(found?.scopes, [READ, SEND]);
  const form = new URLSearchParams(world.emulator.journal.at(-1)?.bodyText);
  assert.deepEqual([...form.keys()].sort(), ["client_id", "grant_type", "refresh_token"]);
});

Deno.test("eight callers share one refresh, and one who leaves ends nobody else's", async () => {
  await using world = await signedIn();
  world.emulator.addFault({ match: { path: "/token" }, effect: { kind: "latency", ms: 30 } });
  const leaving = new AbortController();
  const gone = resolve(world, { signal: leaving.signal });
  const others = Array.from({ length: 7 }, () => resolve(world));
  leaving.abort(new Error("left"));
  await assert.rejects(gone, /left/);
  const tokens = new Set((await Promise.all(others)).map((found) => found?.token?.reveal()));
  assert.equal(tokens.size, 1);
  assert.equal(world.tokenRequests(), 1);
});

Deno.test("a token is used until 30 s before its end", async () => {
  let now = Date.now();
  const clock = { now: () => now, sleep: systemClock.sleep };
  await using world = await signedIn({ clock });
  await resolve(world);
  now += (3599 - 31) * 1000;
  await resolve(world);
  assert.equal(world.tokenRequests(), 1);
  now += 2_000;
  await resolve(world);
  assert.equal(world.tokenRequests(), 2);
});

Deno.test("a 401 makes one new token, however many calls were refused", async () => {
  await using world = await signedIn();
  const first = await resolve(world);
  // Older than the pause in which a renewal answers everyone.
  const tokens = await Promise.all(
    Array.from({ length: 5 }, () => resolve(world, { renew: true })),
  );
  const renewed = new Set(tokens.map((found) => found?.token?.reveal()));
  assert.equal(renewed.size, 1);
  assert.ok(world.tokenRequests() <= 2);
  assert.ok(first?.token !== undefined);
});

Deno.test("a rotated refresh token is stored before its access token is used", async () => {
  await using world = await signedIn();
  world.emulator.identity.switches = { rotateRefreshToken: true };
  const before = await refreshToken(world);
  await resolve(world);
  const after = await refreshToken(world);
  assert.notEqual(after, before);
  await forgetTokens(world);
  await using again = await openWorld({ beside: world, registered: false });
  assert.ok((await resolve(again))?.token !== undefined, "the stored one works");
});

Deno.test("a rotated refresh token that cannot be stored is an error, not a lost login in silence", async () => {
  await using world = await signedIn();
  world.emulator.identity.switches = { rotateRefreshToken: true };
  const vault = `${world.folder}/data/gum/work/credentials.vault`;
  const store = world.parts.store;
  const exclusive = store.exclusive;
  Object.assign(store, {
    exclusive: () => Promise.reject(new Error(`cannot write ${vault}`)),
  });
  await assert.rejects(resolve(world), /cannot write/);
  Object.assign(store, { exclusive });
});

Deno.test("a grant that Google narrowed is narrowed here, and then asks for a login", async () => {
  await using world = await signedIn();
  world.emulator.identity.switches = { reportedScope: READ };
  await assert.rejects(
    resolve(world, { scopes: [SEND] }),
    (error) =>
      error instanceof AuthError && error.code === "NO_REFRESH_TOKEN" &&
      JSON.stringify(error.fields.haveScopes) === JSON.stringify([READ]),
  );
  assert.ok(await resolve(world));
});

Deno.test("every cause of a refused refresh has its own words and its own next step", async () => {
  const day = 86_400_000;
  const cases: {
    switches: { tokenError: string; tokenErrorDescription?: string };
    ageMs?: number;
    failure: string;
    message: RegExp;
  }[] = [
    {
      switches: { tokenError: "invalid_grant" },
      ageMs: 30 * day,
      failure: "revoked_or_expired",
      message: /removed in the Google account/,
    },
    {
      switches: { tokenError: "invalid_grant" },
      ageMs: 7 * day + 60_000,
      failure: "test_mode_expiry",
      message: /Testing after seven days/,
    },
    {
      switches: { tokenError: "invalid_rapt" },
      failure: "reauthentication_required",
      message: /re-authentication policy/,
    },
    {
      switches: { tokenError: "deleted_client" },
      failure: "client_deleted",
      message: /no longer exists/,
    },
    {
      switches: { tokenError: "invalid_client" },
      failure: "client_refused",
      message: /does not accept the registered OAuth client/,
    },
    {
      switches: {
        tokenError: "invalid_request",
        tokenErrorDescription: "client_secret is missing.",
      },
      failure: "client_secret_missing",
      message: /needs its secret/,
    },
  ];
  for (const { switches, ageMs = 0, failure, message } of cases) {
    let shift = 0;
    const clock = { now: () => Date.now() - ageMs + shift, sleep: systemClock.sleep };
    await using world = await signedIn({ clock });
    shift = ageMs;
    world.emulator.identity.switches = switches;
    const error = await refusal(world);
    assert.equal(error.code, "AUTH_REFRESH_FAILED");
    assert.equal(error.fields.details?.failure, failure);
    const wire = wireOf(error);
    assert.equal(wire?.code, "AUTH_REQUIRED", failure);
    assert.equal(wire?.details.source_error_code, "AUTH_REFRESH_FAILED");
    assert.equal(wire?.retryable, false);
    assert.match(wire?.userMessage ?? "", message);
    assert.match(wire?.userMessage ?? "", /gum auth setup gmail\.x/);
  }
});

Deno.test("a clock that is wrong is named as the cause", async () => {
  let shift = 0;
  const clock = { now: () => Date.now() + shift, sleep: systemClock.sleep };
  await using world = await signedIn({ clock });
  shift = 2 * 3_600_000;
  world.emulator.identity.switches = { tokenError: "invalid_grant" };
  const error = await refusal(world);
  assert.equal(error.fields.details?.failure, "clock_skew");
  assert.match(error.message, /120 minutes ahead/);
  assert.equal(wireOf(error)?.details.next_command, undefined);
});

Deno.test("an outage is never a reason to log in again", async () => {
  await using world = await signedIn();
  const effects: Parameters<AuthWorld["emulator"]["addFault"]>[0]["effect"][] = [
    { kind: "status", status: 500 },
    { kind: "status", status: 503, body: "<html>busy</html>", contentType: "text/html" },
    { kind: "status", status: 429 },
    { kind: "non_json", body: "<html>Welcome to the hotel</html>", contentType: "text/html" },
    { kind: "large_body", bytes: 2 * 1024 * 1024 },
    { kind: "drop_before_headers" },
    { kind: "drop_mid_body", afterBytes: 10 },
    { kind: "redirect", status: 302, location: "https://oauth2.googleapis.com/elsewhere" },
  ];
  for (const effect of effects) {
    const fault = world.emulator.addFault({ match: { path: "/token" }, times: 10, effect });
    const wire = wireOf(await refusal(world));
    fault.remove();
    assert.equal(wire?.code, "SERVICE_DOWN", JSON.stringify(effect));
    assert.equal(wire?.retryable, true);
    assert.equal(wire?.details.source_error_code, "AUTH_REFRESH_FAILED");
    assert.equal(/log ?in|sign in again/i.test(JSON.stringify(wire?.toEnvelope())), false);
  }
  assert.ok(await resolve(world), "the grant was not touched");
});

Deno.test("a dead grant is asked about once a minute, and at once after a new login", async () => {
  let now = Date.now();
  const clock = { now: () => now, sleep: systemClock.sleep };
  await using world = await signedIn({ clock });
  world.emulator.identity.switches = { tokenError: "invalid_grant" };
  for (let call = 0; call < 4; call++) await refusal(world);
  assert.equal(world.tokenRequests(), 1);
  now += 61_000;
  await refusal(world);
  assert.equal(world.tokenRequests(), 2);
  world.emulator.identity.switches = {};
  const { open, settled } = person();
  await signIn(world.parts, world.view, {
    scopes: [READ],
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  assert.ok(await resolve(world));
});

Deno.test("fifty processes' worth of calls cost one refresh; the cache can be switched off", async () => {
  await using world = await signedIn();
  for (let run = 0; run < 50; run++) {
    await using other = await openWorld({ beside: world, registered: false });
    assert.ok((await resolve(other))?.token !== undefined);
  }
  assert.equal(world.tokenRequests(), 1);
  await Deno.writeTextFile(
    `${world.folder}/config/gum/work/config.toml`,
    "config_schema_version = 1\nauth.token_cache = false\n",
  );
  for (let run = 0; run < 3; run++) {
    await using other = await openWorld({ beside: world, registered: false });
    await resolve(other);
  }
  assert.equal(world.tokenRequests(), 4);
});

Deno.test("two processes and a rotating refresh token: nobody is logged out", async () => {
  await using world = await signedIn();
  world.emulator.identity.switches = { rotateRefreshToken: true, expiresIn: 1 };
  const program = new URL("./testdata/refreshing_process.ts", import.meta.url).pathname;
  const start = () =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "-P=test",
        "--config",
        new URL("../../deno.json", import.meta.url).pathname,
        program,
        world.folder,
        world.emulator.origin,
        VAULT_KEY,
        "6",
      ],
      stdout: "piped",
      stderr: "piped",
    }).output();
  const runs = await Promise.all([start(), start()]);
  for (const { stdout, stderr } of runs) {
    const decoder = new TextDecoder();
    assert.equal(decoder.decode(stdout).trim(), "6 tokens", decoder.decode(stderr));
  }
  assert.ok(world.tokenRequests() >= 6);
  const refused = world.emulator.journal.filter(({ path, status }) =>
    path === "/token" && status !== 200
  );
  assert.deepEqual(refused, []);
});
