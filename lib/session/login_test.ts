import assert from "node:assert/strict";
import { storeClient } from "../auth/grants/client.ts";
import {
  type AuthWorld,
  CLIENT,
  openWorld,
  scope,
  VAULT_KEY,
} from "../auth/testdata/auth_world.ts";
import { listener, person } from "../auth/testdata/person.ts";
import { signIn } from "../auth/login.ts";
import { createProfileAuth } from "../auth/mod.ts";
import type { Variant } from "../catalog/types.ts";
import { environmentOf } from "../config/environment.ts";
import { importGraph } from "../../lint/import_graph.ts";
import { openSession, type Session } from "./mod.ts";
import { LABELS, refusal } from "./testdata/refusal.ts";

async function login(world: AuthWorld, scopes: string[], account?: string): Promise<void> {
  const { open, settled } = person({ account });
  await signIn(world.parts, world.view, {
    scopes,
    switchAccount: true,
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  // A sign-in looks up its address; what follows counts from here.
  world.emulator.clearJournal();
}

async function withSession(
  world: AuthWorld,
  run: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await openSession({
    profileName: "work",
    emulator: false,
    directories: {
      config: `${world.folder}/config`,
      data: `${world.folder}/data`,
      cache: `${world.folder}/cache`,
    },
    environment: environmentOf({ GUM_VAULT_KEY: VAULT_KEY }),
    googlePeer: {
      rewriteOrigin: (url) => world.emulator.rewrite(url),
      endpoints: world.endpoints,
    },
  });
  try {
    await run(session);
  } finally {
    await session.close();
  }
}

const apiRequests = (world: AuthWorld) =>
  world.emulator.journal.filter(({ host }) => host.startsWith("gmail.")).length;

Deno.test("a session follows the profile's login without being opened anew", async () => {
  await using world = await openWorld();
  await withSession(world, async (session) => {
    const none = await refusal(session);
    assert.equal(none.details.source_error_code, "NO_REFRESH_TOKEN");
    await login(world, [scope("gmail.send")]);
    const narrow = await refusal(session);
    assert.equal(narrow.code, "SCOPE_MISSING");
    assert.deepEqual(narrow.details.have_scopes, [scope("gmail.send")]);
    assert.equal(apiRequests(world), 0);
    const needed = narrow.details.required_scopes as string[];
    await login(world, needed);
    const { structuredContent } = await session.kernel.dispatch(LABELS);
    assert.ok(structuredContent !== undefined);
    const bearer = world.emulator.journal.at(-1)?.headers.authorization;
    assert.match(bearer ?? "", /^Bearer emulator-access-/);
  });
});

Deno.test("TestDispatchRefusesACredentialFromAnotherAccount: a grant that is not the expected account's", async () => {
  await using world = await openWorld();
  await login(world, [scope("gmail.readonly"), scope("gmail.labels")]);
  await Deno.writeTextFile(
    `${world.folder}/config/gum/work/config.toml`,
    'config_schema_version = 1\nauth.expected_subject.byo_oauth = "0123456789abcdef"\n',
  );
  await withSession(world, async (session) => {
    const error = await refusal(session);
    assert.equal(error.code, "AUTH_SUBJECT_MISMATCH");
    assert.equal(error.details.expected_subject_fingerprint, "0123456789abcdef");
    assert.equal(apiRequests(world), 0);
  });
});

Deno.test("a token that Google refuses is renewed once, behind the caller's back", async () => {
  await using world = await openWorld();
  await login(world, [scope("gmail.readonly"), scope("gmail.labels")]);
  await withSession(world, async (session) => {
    const refused = world.emulator.addFault({
      match: { path: "/gmail/v1/users/me/labels" },
      effect: { kind: "status", status: 401 },
    });
    const { structuredContent } = await session.kernel.dispatch(LABELS);
    assert.ok(structuredContent !== undefined);
    assert.equal(refused.fired, 1);
    const bearers = world.emulator.journal
      .filter(({ host }) => host.startsWith("gmail."))
      .map(({ headers }) => headers.authorization);
    assert.equal(bearers.length, 2);
    assert.notEqual(bearers[0], bearers[1]);
  });
});

Deno.test("a session of calls without credentials never loads the sign-in modules", () => {
  const root = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
  const edges = importGraph(root).filter((edge) => !edge.typeOnly && !edge.lazy);
  const reached = new Set(["lib/session/mod.ts"]);
  for (const file of reached) {
    for (const edge of edges) if (edge.from === file) reached.add(edge.to);
  }
  assert.ok(reached.has("lib/auth/profile_auth.ts"));
  const heavy = [...reached].filter((file) =>
    (/^lib\/auth\/(oauth|grants|managed|adc|service_account|account|store)\//.test(file) &&
      !file.endsWith("/account_names.ts")) ||
    /^lib\/auth\/(resolver|parts|login|strategy_)/.test(file)
  );
  assert.deepEqual(heavy, []);
});

Deno.test("an operation without a credential opens nothing of the profile", async () => {
  const untouchable = new Proxy({}, {
    get: (_target, key) => assert.fail(`${String(key)} was looked at`),
  });
  const auth = createProfileAuth({
    profileName: "work",
    directories: {},
    environment: untouchable as never,
    http: untouchable as never,
    clock: untouchable as never,
    log: untouchable as never,
  });
  const { signal } = new AbortController();
  for (const strategy of ["none", "plugin_managed"] as const) {
    const variant = { variant_id: "v", auth_strategy: strategy } as Variant;
    await auth.prepare([strategy], signal);
    assert.equal(await auth.resolve({ opId: "x", variant, args: {} }, signal), undefined);
  }
  auth.close();
});

Deno.test("an explicit client registration in the store is all a session needs to know", async () => {
  await using world = await openWorld({ registered: false });
  await withSession(world, async (session) => {
    const error = await refusal(session);
    assert.equal(error.details.source_error_code, "BYO_OAUTH_CLIENT_NOT_CONFIGURED");
    await storeClient(world.parts.store, { profileName: "work", client: CLIENT }, world);
    assert.equal((await refusal(session)).details.source_error_code, "NO_REFRESH_TOKEN");
  });
});
