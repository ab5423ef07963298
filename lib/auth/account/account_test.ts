import assert from "node:assert/strict";
import { systemClock } from "../../clock/mod.ts";
import { environmentOf, type VariableName } from "../../config/environment.ts";
import type { JsonObject } from "../../json/mod.ts";
import { silentLogger } from "../../log/mod.ts";
import { secret } from "../secret.ts";
import { byoClientAccount, byoGrantAccount } from "../store/mod.ts";
import { type AuthWorld, CLIENT, openWorld, scope, VAULT_KEY } from "../testdata/auth_world.ts";
import { listener, person } from "../testdata/person.ts";
import { openOperatorAuth, type OperatorAuth } from "./mod.ts";

const READ = scope("gmail.readonly");

async function operator(
  world: AuthWorld,
  profileName = "work",
  environment: Partial<Record<VariableName, string>> = {},
): Promise<{ auth: OperatorAuth; rows: JsonObject[] }> {
  const rows: JsonObject[] = [];
  const auth = await openOperatorAuth({
    profileName,
    directories: { config: `${world.folder}/config`, data: `${world.folder}/data` },
    environment: environmentOf({ GUM_VAULT_KEY: VAULT_KEY, ...environment }),
    http: world.http,
    clock: systemClock,
    log: silentLogger,
    endpoints: world.endpoints,
    audit: { append: (row) => void rows.push(row) },
  });
  return { auth, rows };
}

async function login(world: AuthWorld, auth: OperatorAuth, account?: string): Promise<void> {
  const { open, settled } = person({ account });
  await auth.login({
    scopes: [READ],
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
}

const logout = (
  world: AuthWorld,
  auth: OperatorAuth,
  request: { forgetClient?: boolean; keepRemote?: boolean } = {},
) =>
  auth.logout({
    forgetClient: request.forgetClient ?? false,
    keepRemote: request.keepRemote ?? false,
    signal: world.signal,
  });

const revocations = (world: AuthWorld) =>
  world.emulator.journal.filter(({ path }) => path === "/revoke").length;

Deno.test("logout removes the grant here and at Google, keeps the expectation, and can be repeated", async () => {
  await using world = await openWorld();
  const { auth, rows } = await operator(world);
  await login(world, auth);
  const first = await logout(world, auth);
  assert.deepEqual(
    [first.grantCleared, first.remoteRevoked, first.clientForgotten],
    [true, true, false],
  );
  assert.ok((await world.parts.config.read()).expectedSubjects.byo_oauth !== undefined);
  const second = await logout(world, auth);
  assert.deepEqual([second.grantCleared, second.remoteRevoked], [false, false]);
  assert.deepEqual(rows.map((row) => [row.event, row.outcome]), [
    ["auth_login", "granted"],
    ["auth_logout", "cleared"],
    ["auth_logout", "nothing_stored"],
  ]);
  auth.close();
});

Deno.test("logout --forget-client removes client and expectation; without a client it says so", async () => {
  await using world = await openWorld();
  const { auth } = await operator(world);
  await login(world, auth);
  const result = await logout(world, auth, { forgetClient: true });
  assert.equal(result.clientForgotten, true);
  assert.equal((await world.parts.config.read()).expectedSubjects.byo_oauth, undefined);
  assert.equal(await world.parts.store.get(byoClientAccount("work"), world), null);
  const again = await logout(world, auth, { forgetClient: true });
  assert.deepEqual([again.clientForgotten, again.forgetClientSkipped], [false, true]);
  auth.close();
});

Deno.test("logout with a damaged grant, a damaged client, and a revocation service that is down", async () => {
  await using world = await openWorld();
  const { auth } = await operator(world);
  const account = await byoGrantAccount("work", CLIENT.id);
  await world.parts.store.set(account, secret("{ not a grant"), world);
  const damaged = await logout(world, auth);
  assert.deepEqual([damaged.grantCleared, damaged.remoteRevoked], [true, false]);
  await login(world, auth);
  world.emulator.identity.switches = { revocationDown: true };
  const down = await logout(world, auth);
  assert.deepEqual([down.grantCleared, down.remoteRevoked], [true, false]);
  world.emulator.identity.switches = {};
  await login(world, auth);
  await world.parts.store.set(byoClientAccount("work"), secret("{"), world);
  const broken = await logout(world, auth, { forgetClient: true });
  assert.deepEqual([broken.grantCleared, broken.clientForgotten], [true, true]);
  assert.equal(await world.parts.store.get(account, world), null);
  auth.close();
});

Deno.test("logout leaves Google's side alone when asked, or when another profile shares the grant", async () => {
  await using world = await openWorld();
  const { auth } = await operator(world);
  await login(world, auth);
  await logout(world, auth, { keepRemote: true });
  assert.equal(revocations(world), 0);
  await login(world, auth);
  await using other = await openWorld({ beside: world, profileName: "home" });
  const { auth: home } = await operator(other, "home");
  await login(other, home);
  const shared = await logout(world, auth);
  assert.equal(shared.remoteRevoked, false);
  assert.match(shared.note ?? "", /another profile/);
  assert.equal(revocations(world), 0);
  assert.ok(
    (await home.probe({ scopes: [READ], strategy: "auto", signal: world.signal })).tokenBytes > 0,
  );
  // The same account, known to one profile by its address and to the other by its number.
  await login(world, auth);
  await renamed(other, "home", { principal: "person@example.com", principal_kind: "email" });
  assert.equal((await logout(world, auth)).remoteRevoked, false);
  await login(world, auth);
  await renamed(other, "home", { principal: "person@example.com", principal_kind: "email" }, "sub");
  assert.equal((await logout(world, auth)).remoteRevoked, false, "it cannot be told apart");
  assert.equal(revocations(world), 0);
  // Another account under the same client is no reason to keep this one.
  const [, second] = world.emulator.accounts;
  await logout(other, home, { forgetClient: true, keepRemote: true });
  await home.useOAuthClient({ id: CLIENT.id, signal: world.signal });
  await login(other, home, second?.email);
  await login(world, auth);
  assert.equal((await logout(world, auth)).remoteRevoked, true);
  auth.close();
  home.close();
});

/** Changes the stored grant of a profile as another release of this program may have left it. */
async function renamed(
  world: AuthWorld,
  profileName: string,
  change: JsonObject,
  without?: string,
): Promise<void> {
  const account = await byoGrantAccount(profileName, CLIENT.id);
  const text = await world.parts.store.get(account, world);
  const grant = { ...JSON.parse(text?.reveal() ?? ""), ...change };
  if (without !== undefined) delete grant[without];
  await world.parts.store.set(account, secret(JSON.stringify(grant)), world);
}

Deno.test("setup with the host's identity still asks for what goes along with it", async () => {
  await using world = await openWorld({ registered: false });
  const { auth } = await operator(world, "work", { GUM_USE_ADC: "1" });
  // Only what a set-up reads of a variant.
  const variant = (extra: JsonObject) =>
    ({ variant_id: "v", auth_strategy: "byo_oauth", scopes: [READ], ...extra }) as never;
  const look = (extra: JsonObject) =>
    auth.setup({ opId: "svc.x", variant: variant(extra), signal: world.signal });
  assert.equal((await look({})).ready, true);
  const ads = await look({ backend_kind: "google-ads-sdk" });
  assert.equal(ads.ready, false);
  assert.deepEqual(ads.missing, ["developer_token"]);
  auth.close();
});

Deno.test("status reports what is there without the network and without a secret", async () => {
  await using world = await openWorld();
  const { auth } = await operator(world, "work", { GUM_API_KEY: "CANARY-API-KEY" });
  await login(world, auth);
  world.emulator.clearJournal();
  const report = await auth.status({ scopes: [READ, scope("drive")], signal: world.signal });
  assert.equal(report.provider, "byo_oauth");
  assert.deepEqual(report.scopes_covered, [READ]);
  assert.deepEqual(report.scopes_missing, [scope("drive")]);
  const strategies = report.strategies as JsonObject[];
  assert.deepEqual(
    strategies.map(({ strategy, ready }) => [strategy, ready]),
    [["byo_oauth", true], ["service_account", false], ["api_key", true], ["adc", false]],
  );
  assert.equal(strategies[0]?.subject_matches, true);
  assert.equal(JSON.stringify(report).includes("CANARY"), false);
  assert.equal(world.emulator.journal.length, 0);
  auth.close();
});

Deno.test("probe gets a token by the chosen way and shows its size only", async () => {
  await using world = await openWorld();
  const { auth } = await operator(world, "work", { GUM_API_KEY: "0123456789" });
  await login(world, auth);
  const probe = (strategy: "auto" | "api_key") =>
    auth.probe({ scopes: [READ], strategy, signal: world.signal });
  const found = await probe("auto");
  assert.equal(found.strategy, "byo_oauth");
  assert.ok(found.tokenBytes > 20 && found.expiresAt !== undefined);
  const key = await probe("api_key");
  assert.deepEqual([key.tokenBytes, key.expiresAt], [10, undefined]);
  auth.close();
});
