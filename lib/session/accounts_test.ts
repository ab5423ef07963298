import assert from "node:assert/strict";
import { storeClient } from "../auth/grants/client.ts";
import { signIn } from "../auth/login.ts";
import {
  type AuthWorld,
  CLIENT,
  openWorld,
  scope,
  VAULT_KEY,
} from "../auth/testdata/auth_world.ts";
import { listener, person } from "../auth/testdata/person.ts";
import { serviceAccountKey } from "../auth/testdata/service_account.ts";
import { environmentOf } from "../config/environment.ts";
import type { Invocation } from "../dispatch/types.ts";
import { openSession, type Session } from "./mod.ts";
import { LABELS, refusal } from "./testdata/refusal.ts";

const TABLE = `config_schema_version = 1

[accounts.office]
profile = "office"
deny = ["gmail.users.messages.send"]
max_risk = "write"

[accounts.reading]
profile = "office"
allow = ["gmail.users.labels.*"]
max_risk = "read"
`;

async function signedIn(world: AuthWorld, account?: string): Promise<void> {
  const { open, settled } = person({ account });
  await signIn(world.parts, world.view, {
    scopes: [scope("gmail.readonly"), scope("gmail.labels"), scope("gmail.modify")],
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  // A sign-in looks up its address; what follows counts from here.
  world.emulator.clearJournal();
}

async function withAccountTable(
  run: (made: { session: Session; world: AuthWorld }) => Promise<void>,
  variables: Parameters<typeof environmentOf>[0] = {},
): Promise<void> {
  await using world = await openWorld();
  await using office = await openWorld({ beside: world, profileName: "office" });
  await signedIn(world);
  await storeClient(office.parts.store, { profileName: "office", client: CLIENT }, world);
  await signedIn(office, world.emulator.accounts[1]?.email);
  const config = `${world.folder}/config/gum/work/config.toml`;
  await Deno.writeTextFile(config, TABLE);
  const session = await openSession({
    profileName: "work",
    emulator: false,
    directories: {
      config: `${world.folder}/config`,
      data: `${world.folder}/data`,
      cache: `${world.folder}/cache`,
    },
    environment: environmentOf({ GUM_VAULT_KEY: VAULT_KEY, ...variables }),
    credentials: { apiKey: variables.GUM_API_KEY },
    googlePeer: {
      rewriteOrigin: (url) => world.emulator.rewrite(url),
      endpoints: world.endpoints,
    },
  });
  try {
    await run({ session, world });
  } finally {
    await session.close();
  }
}

Deno.test("a call runs as the account it picks, with grants, cache and records of its own", async () => {
  await withAccountTable(async ({ session, world }) => {
    const own = await session.kernel.dispatch(LABELS);
    const other = await session.kernel.dispatch({ ...LABELS, account: "office" });
    assert.equal(own.expression?.account, undefined);
    assert.equal(other.expression?.account, "office (jonas.okafor@example.org)");
    const bearers = world.emulator.journal.filter(({ host }) => host.startsWith("gmail."))
      .map(({ headers }) => headers.authorization);
    assert.equal(bearers.length, 2, "the second account is not served from the first one's cache");
    assert.notEqual(bearers[0], bearers[1]);
    await session.kernel.dispatch(LABELS);
    await session.kernel.dispatch({ ...LABELS, account: "office" });
    await session.close();
    for (const profile of ["work", "office"]) {
      const rows = (await Deno.readTextFile(`${world.folder}/data/gum/${profile}/audit.jsonl`))
        .trim().split("\n").map((line) => JSON.parse(line))
        .filter(({ op_id }) => op_id === LABELS.opId);
      assert.equal(rows.length, 2, profile);
    }
  });
});

Deno.test("an account outside the table is refused before anything is read", async () => {
  await withAccountTable(async ({ session, world }) => {
    world.emulator.clearJournal();
    for (const account of ["home", "", "constructor", "../office"]) {
      const error = await refusal(session, { ...LABELS, account });
      assert.equal(error.code, "POLICY_DENIED");
      assert.equal(error.details.reason, "account_not_allowed");
    }
    assert.equal(world.emulator.journal.length, 0);
  });
});

Deno.test("an account's rules hold, and a refusal says which one and for whom", async () => {
  await withAccountTable(async ({ session, world }) => {
    world.emulator.clearJournal();
    const send = { opId: "gmail.users.messages.send", args: { userId: "me" }, allowWrite: true };
    const remove = {
      opId: "gmail.users.labels.delete",
      args: { userId: "me", id: "x" },
      allowDestructive: true,
    };
    const threads = { opId: "gmail.users.threads.list", args: { userId: "me" } };
    const cases: [Invocation, string][] = [
      [{ ...send, account: "office" }, "accounts.office.deny"],
      [{ ...remove, account: "office" }, "accounts.office.max_risk"],
      [{ ...threads, account: "reading" }, "accounts.reading.allow"],
      [{ ...remove, account: "reading" }, "accounts.reading.max_risk"],
    ];
    for (const [invocation, rule] of cases) {
      const error = await refusal(session, invocation);
      assert.equal(error.code, "POLICY_DENIED");
      assert.equal(error.details.configured_in, rule);
    }
    assert.equal(world.emulator.journal.length, 0);
    await session.kernel.dispatch({ ...LABELS, account: "reading" });
    const confirm = await refusal(session, { ...remove, account: undefined });
    assert.equal(confirm.code, "REQUIRES_CONFIRMATION");
    assert.equal(confirm.details.account, "profile work (mara.lindqvist@example.com)");
    assert.match(confirm.userMessage, /Account: profile work \(mara\.lindqvist@example\.com\)/);
    assert.deepEqual(
      (await session.accounts?.())?.map(({ label, address, max_risk }) => [
        label,
        address,
        max_risk,
      ]),
      [
        ["office", "jonas.okafor@example.org", "write"],
        ["reading", "jonas.okafor@example.org", "read"],
      ],
    );
  });
});

Deno.test("identities in the environment are the session's own profile's, never an account's", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/adc.json`;
  await Deno.writeTextFile(path, await serviceAccountKey());
  const geocode: Invocation = { opId: "maps.geocoding.geocode", args: { address: "x" } };
  const emulated = "AIzaSomebodyElsesKey0000000000";
  const variables = {
    GUM_API_KEY: emulated,
    GUM_SERVICE_ACCOUNT_KEY: path,
    GUM_USE_ADC: "1",
    GOOGLE_APPLICATION_CREDENTIALS: path,
  };
  await withAccountTable(async ({ session, world }) => {
    // The session itself is the host's service account, and the named account is still itself.
    await session.kernel.dispatch(LABELS);
    const other = await session.kernel.dispatch({ ...LABELS, account: "office" });
    assert.equal(other.expression?.account, "office (jonas.okafor@example.org)");
    const exchanges = world.emulator.journal.filter(({ path }) => path === "/token")
      .map(({ bodyText }) => new URLSearchParams(bodyText).get("grant_type"));
    assert.deepEqual(exchanges.filter((grant) => grant?.includes("jwt-bearer")).length, 1);
    world.emulator.clearJournal();
    const missing = await refusal(session, { ...geocode, account: "office" });
    assert.equal(missing.details.source_error_code, "AUTH_API_KEY_MISSING");
    assert.equal(missing.details.account, "office");
    assert.equal(
      missing.details.setup_command,
      "gum --profile office auth setup maps.geocoding.geocode",
    );
    assert.match(missing.suggestion, /gum --profile office auth use-api-key/);
    assert.equal(world.emulator.journal.length, 0);
    await refusal(session, geocode);
    assert.equal(world.emulator.journal.length, 1, "the session's own call sends its key");
  }, variables);
  await Deno.remove(folder, { recursive: true });
});
