/** What may happen between a token request and its answer (spec 05 §3.7, §3.8). */

import assert from "node:assert/strict";
import { systemClock } from "../clock/mod.ts";
import type { HttpAnswer } from "../http/mod.ts";
import { AuthError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import { parseGrant } from "./grants/grant.ts";
import { signIn } from "./login.ts";
import { signOut } from "./logout.ts";
import { byoGrantAccount } from "./store/mod.ts";
import { type AuthWorld, CLIENT, openWorld, scope } from "./testdata/auth_world.ts";
import { listener, person } from "./testdata/person.ts";

const READ = scope("gmail.readonly");
const EMAIL = scope("userinfo.email");

async function login(
  world: AuthWorld,
  options: { account?: string; switchAccount?: boolean } = {},
): Promise<void> {
  const { open, settled } = person({ account: options.account });
  await signIn(world.parts, world.view, {
    scopes: [READ, EMAIL],
    switchAccount: options.switchAccount,
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
}

const forgetTokens = async (world: AuthWorld) =>
  await world.parts.tokenCache?.drop(await byoGrantAccount("work", CLIENT.id), world);

const resolve = (world: AuthWorld) =>
  world.resolver.strategy("byo_oauth").resolve({ scopes: [READ], signal: world.signal });

/** Address of the account that a token really is for. */
async function ownerOf(world: AuthWorld, token: string): Promise<string> {
  const answer = await world.http.send({
    method: "GET",
    url: new URL("https://gmail.googleapis.com/gmail/v1/users/me/profile"),
    headers: { authorization: `Bearer ${token}` },
    credentialed: true,
  }, world.signal);
  const body = JSON.parse(new TextDecoder().decode(answer.body));
  return String(body.emailAddress);
}

/** Holds back the answer to the next refresh until `meanwhile` is done. */
function duringRefresh(world: AuthWorld, meanwhile: () => Promise<void>): void {
  const { http } = world.parts;
  const send = http.send.bind(http);
  let pending = true;
  Object.assign(http, {
    send: async (...[request, signal]: Parameters<typeof send>): Promise<HttpAnswer> => {
      const answer = await send(request, signal);
      if (pending && String(request.body).includes("grant_type=refresh_token")) {
        pending = false;
        await meanwhile();
      }
      return answer;
    },
  });
}

Deno.test("another account signs in while a rotated token is under way: its name never covers the old token", async () => {
  await using world = await openWorld();
  await login(world);
  await forgetTokens(world);
  await using other = await openWorld({ beside: world, registered: false });
  const [, second] = world.emulator.accounts;
  assert.ok(second !== undefined);
  world.emulator.identity.switches = { rotateRefreshToken: true };
  duringRefresh(world, () => login(other, { account: second.email, switchAccount: true }));
  for (const place of [world, await openWorld({ beside: world, registered: false })]) {
    const found = await resolve(place);
    assert.ok(found?.token !== undefined);
    const owner = await ownerOf(world, found.token.reveal());
    assert.equal(found.subjectFingerprint, await fingerprint("byo_oauth", owner));
    assert.equal(owner, second.email);
    if (place !== world) await place[Symbol.asyncDispose]();
  }
});

Deno.test("a sign-out while a rotated token is under way ends in no token at all", async () => {
  await using world = await openWorld();
  await login(world);
  await forgetTokens(world);
  await using other = await openWorld({ beside: world, registered: false });
  world.emulator.identity.switches = { rotateRefreshToken: true };
  duringRefresh(world, async () => {
    await signOut(other.parts, other.view, { keepRemote: true, signal: other.signal });
  });
  await assert.rejects(
    resolve(world),
    (error) => error instanceof AuthError && error.code === "NO_REFRESH_TOKEN",
  );
  assert.equal(
    await world.parts.store.get(await byoGrantAccount("work", CLIENT.id), world),
    null,
    "the sign-out stands",
  );
});

Deno.test("a session that closes while a rotated token is under way still stores it", async () => {
  await using world = await openWorld();
  await login(world);
  await forgetTokens(world);
  const other = await openWorld({ beside: world, registered: false });
  world.emulator.identity.switches = { rotateRefreshToken: true };
  // A keychain's tool is not even started for a call that was given up.
  const { exclusive } = other.parts.store;
  Object.assign(other.parts.store, {
    exclusive: (async (work, call) => {
      call.signal.throwIfAborted();
      return await exclusive(work, call);
    }) satisfies typeof exclusive,
  });
  duringRefresh(other, async () => await other[Symbol.asyncDispose]());
  await assert.rejects(resolve(other), { name: "AbortError" });
  assert.ok((await resolve(world))?.token !== undefined, "nobody has to sign in again");
  const refused = world.emulator.journal.filter(({ path, status }) =>
    path === "/token" && status !== 200
  );
  assert.deepEqual(refused, []);
});

Deno.test("two people sign in at once: the token that is kept is of the grant that is kept", async () => {
  await using world = await openWorld();
  await using other = await openWorld({ beside: world, registered: false });
  const [first, second] = world.emulator.accounts;
  assert.ok(first !== undefined && second !== undefined);
  const { open, settled } = person();
  let looks = 0;
  const result = await signIn(world.parts, {
    ...world.view,
    async current(signal, options) {
      // The first look is before the page, the second right after the grant was stored.
      if (++looks === 2) await login(other, { account: second.email, switchAccount: true });
      return await world.view.current(signal, options);
    },
  }, { scopes: [READ, EMAIL], openBrowser: open, io: listener().io, signal: world.signal });
  await settled();
  assert.equal(result.subjectFingerprint, await fingerprint("byo_oauth", first.email));
  await using later = await openWorld({ beside: world, registered: false });
  const found = await resolve(later);
  assert.ok(found?.token !== undefined);
  assert.equal(await ownerOf(world, found.token.reveal()), second.email);
  assert.equal(found.subjectFingerprint, await fingerprint("byo_oauth", second.email));
});

Deno.test("a data folder whose lock cannot be opened is no reason to refuse a token", async () => {
  await using world = await openWorld();
  await login(world);
  await forgetTokens(world);
  // A folder in its place cannot be opened for writing, not even by root.
  const lock = `${world.folder}/data/gum/work/auth.refresh.lock`;
  await Deno.remove(lock).catch((error) => assert.ok(error instanceof Deno.errors.NotFound));
  await Deno.mkdir(lock);
  assert.ok((await resolve(world))?.token !== undefined);
});

Deno.test("a look at the store that began before a sign-in is not the answer to one that began after", async () => {
  await using world = await openWorld();
  await login(world);
  await using other = await openWorld({ beside: world, registered: false });
  const [, second] = world.emulator.accounts;
  assert.ok(second !== undefined);
  const { store } = world.parts;
  const { get } = store;
  const account = await byoGrantAccount("work", CLIENT.id);
  const read = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let held = false;
  Object.assign(store, {
    get: (async (name, call) => {
      const found = await get(name, call);
      if (name === account && !held) {
        held = true;
        read.resolve();
        await gate.promise;
      }
      return found;
    }) satisfies typeof get,
  });
  world.view.forget();
  const before = world.view.current(world.signal);
  await read.promise;
  await login(other, { account: second.email, switchAccount: true });
  const after = world.view.current(world.signal);
  gate.resolve();
  await before;
  assert.equal((await after).fingerprint, await fingerprint("byo_oauth", second.email));
});

Deno.test("the expectation follows a switch that another process made, at once", async () => {
  const at = Date.now();
  const clock = { now: () => at, sleep: systemClock.sleep };
  await using world = await openWorld({ clock });
  await login(world);
  await resolve(world);
  const before = world.view.expectedSubjects().byo_oauth;
  await using other = await openWorld({ beside: world, registered: false, clock });
  await login(other, { account: world.emulator.accounts[1]?.email, switchAccount: true });
  const question = {
    opId: "svc.things.list",
    // Only what the resolver reads of a variant.
    variant: { variant_id: "v", auth_strategy: "byo_oauth", scopes: [READ] } as never,
    args: {},
  };
  await world.view.current(world.signal);
  const found = await world.resolver.resolve(question, world.signal);
  assert.notEqual(found?.subjectFingerprint, before);
  assert.equal(world.view.expectedSubjects().byo_oauth, found?.subjectFingerprint);
});

Deno.test("TestLoginSwitchAccountRebindsTheProfile: a switch to an account nobody named expects nobody", async () => {
  await using world = await openWorld();
  await login(world);
  assert.ok((await world.parts.config.read()).expectedSubjects.byo_oauth !== undefined);
  world.emulator.identity.switches = { noIdToken: true };
  await login(world, { account: world.emulator.accounts[1]?.email, switchAccount: true });
  assert.deepEqual((await world.parts.config.read()).expectedSubjects, {});
  const text = await world.parts.store.get(await byoGrantAccount("work", CLIENT.id), world);
  assert.equal(parseGrant(text?.reveal() ?? "")?.principal, undefined);
});
