import assert from "node:assert/strict";
import fc from "fast-check";
import type { Invocation } from "../dispatch/types.ts";
import { findGumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { openSession, type Session } from "./mod.ts";

const TABLE = `config_schema_version = 1

[accounts.office]
profile = "office"

[accounts.club]
profile = "club"
allow = ["gmail.*", "drive.files.list"]
deny = ["gmail.users.messages.send"]

[accounts.reading]
profile = "reading"
max_risk = "read"

[accounts.same]
profile = "home"
mode = "read_only"
`;

const PROFILES: Record<string, number> = { office: 1, club: 2, reading: 3, same: 0 };

async function emulated(run: (session: Session, folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-accounts-" });
  await Deno.mkdir(`${folder}/config/gum/home`, { recursive: true });
  await Deno.writeTextFile(`${folder}/config/gum/home/config.toml`, TABLE);
  const session = await openSession({
    profileName: "home",
    emulator: true,
    directories: {
      config: `${folder}/config`,
      data: `${folder}/data`,
      cache: `${folder}/cache`,
    },
  });
  try {
    await run(session, folder);
  } finally {
    await session.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function emulatorOf(session: Session): NonNullable<Session["emulator"]> {
  assert.ok(session.emulator !== undefined);
  return session.emulator;
}

/** Dispatches, confirming where that is asked; gives the refusal's code when there is one. */
async function outcome(session: Session, call: Invocation): Promise<string> {
  try {
    await session.kernel.dispatch(call);
    return "ok";
  } catch (error) {
    const known = findGumError(error) ?? assert.fail(String(error));
    const token = known.details.confirmation_token;
    if (known.code !== "REQUIRES_CONFIRMATION" || typeof token !== "string") return known.code;
    return await outcome(session, { ...call, confirmed: true, confirmationToken: token });
  }
}

Deno.test("accounts on the emulator: each profile is a person with a world of its own", async () => {
  await emulated(async (session) => {
    const emulator = emulatorOf(session);
    const listed = await session.accounts?.() ?? [];
    assert.deepEqual(
      listed.map(({ label, address }) => [label, address]),
      ["club", "office", "reading", "same"].map((label) => [
        label,
        // The profiles in the order of their labels, after the session's own.
        emulator.accounts[{ club: 1, office: 2, reading: 3, same: 0 }[label] ?? -1]?.email,
      ]),
    );
    const made = (name: string, account: string | undefined) =>
      outcome(session, {
        opId: "gmail.users.labels.create",
        args: { userId: "me", body: { name } },
        allowWrite: true,
        ...(account === undefined ? {} : { account }),
      });
    assert.equal(await made("of-office", "office"), "ok");
    assert.equal(await made("of-home", undefined), "ok");
    const names = async (account: string | undefined) => {
      const { structuredContent } = await session.kernel.dispatch({
        opId: "gmail.users.labels.list",
        args: { userId: "me" },
        format: "json",
        ...(account === undefined ? {} : { account }),
      });
      return JSON.stringify(structuredContent);
    };
    assert.match(await names("office"), /of-office/);
    assert.doesNotMatch(await names("office"), /of-home/);
    assert.match(await names(undefined), /of-home/);
    assert.match(await names("same"), /of-home/);
    for (const other of ["club", "reading"]) {
      assert.doesNotMatch(await names(other), /of-office|of-home/, other);
    }
  });
});

Deno.test("accounts: no call ever reaches an account that was not picked and allowed", async () => {
  await emulated(async (session) => {
    const emulator = emulatorOf(session);
    const bearers = emulator.accounts.map(({ bearer }) => `Bearer ${bearer}`);
    const order = ["club", "office", "reading"];
    const ownerOf = (label: string | undefined) =>
      label === undefined || label === "same" ? 0 : order.indexOf(label) + 1;
    const operations: { call: Invocation; refusedFor: string[] }[] = [
      {
        call: { opId: "gmail.users.labels.list", args: { userId: "me" } },
        refusedFor: [],
      },
      {
        call: { opId: "calendar.calendarList.list", args: {} },
        refusedFor: ["club"],
      },
      {
        call: {
          opId: "gmail.users.messages.send",
          args: { userId: "me", to: "ann@example.com", subject: "s", text: "t" },
          allowWrite: true,
        },
        refusedFor: ["club", "reading", "same"],
      },
    ];
    const label = fc.constantFrom(
      undefined,
      ...Object.keys(PROFILES),
      "home",
      "",
      "toString",
      "Office",
      "office ",
    );
    await fc.assert(
      fc.asyncProperty(label, fc.constantFrom(...operations), async (account, operation) => {
        emulator.clearJournal();
        const code = await outcome(session, {
          ...operation.call,
          ...(account === undefined ? {} : { account }),
        });
        const callers = emulator.journal.map(({ headers }) => headers.authorization);
        const known = account === undefined || Object.hasOwn(PROFILES, account);
        if (!known || operation.refusedFor.includes(account ?? "")) {
          assert.equal(code, "POLICY_DENIED");
          assert.deepEqual(callers, []);
          return;
        }
        assert.equal(code, "ok");
        // A cached answer makes no request; it is keyed by the account's fingerprint.
        for (const caller of callers) assert.equal(bearers.indexOf(caller ?? ""), ownerOf(account));
      }),
      { numRuns: 60 },
    );
  });
});

Deno.test("accounts: operations are waited for, and results read, as the account that has them", async () => {
  await emulated(async (session, folder) => {
    const emulator = emulatorOf(session);
    const name = "projects/p/locations/l/operations/made";
    emulator.startOperation({ name, polls: 0, response: { rows: 1 } });
    const { poll, readResult } = session;
    assert.ok(poll !== undefined && readResult !== undefined);
    const never = new AbortController().signal;
    const ask = (account?: string) =>
      poll({ operationName: name, handles: [], onPending: async () => {}, account }, never);
    for (const [account, index] of [["office", 2], ["club", 1], [undefined, 0]] as const) {
      emulator.clearJournal();
      assert.deepEqual(await ask(account), { name, done: true, response: { rows: 1 } });
      const callers = emulator.journal.map(({ headers }) => headers.authorization);
      assert.ok(callers.length > 0);
      for (const caller of callers) {
        assert.equal(caller, `Bearer ${emulator.accounts[index]?.bearer}`, account ?? "");
      }
    }
    await assert.rejects(ask("nobody"), /not one that this profile's sessions may use/);

    const response = await session.kernel.dispatch({
      opId: "gmail.users.messages.list",
      args: { userId: "me", maxResults: 100 },
      format: "json",
      maxItems: 1,
      account: "office",
    });
    const hash = /([0-9a-f]{64})\.json\.gz$/.exec(response.fullResultPath ?? "")?.[1];
    assert.ok(hash !== undefined, response.fullResultPath ?? "");
    const uri = `gum://results/${hash}`;
    const stored = await readResult(uri);
    assert.equal(await readResult(uri, { account: "office" }), stored);
    await assert.rejects(
      readResult(uri, { account: "club" }),
      (error) => findGumError(error, "RESULT_ARTIFACT_EXPIRED") !== undefined,
    );
    await assert.rejects(readResult(uri, { account: "nobody" }), /may use/);
    const folders = [...Deno.readDirSync(`${folder}/data/gum`)].map((entry) => entry.name).sort();
    assert.ok(folders.includes("office"), folders.join());
  });
});

Deno.test("accounts: every confirmation says which account would act, by label and address", async () => {
  await emulated(async (session) => {
    const emulator = emulatorOf(session);
    const remove: Invocation = {
      opId: "gmail.users.labels.delete",
      args: { userId: "me", id: "Label_1" },
      allowDestructive: true,
    };
    const script: Invocation = {
      opId: "gum.code",
      args: { language: "risor", source: "1", allow_destructive: true, destructive_budget: 1 },
      allowDestructive: true,
    };
    const cases: [Invocation, string | undefined, string][] = [
      [remove, undefined, `profile home (${emulator.accounts[0]?.email})`],
      [remove, "office", `office (${emulator.accounts[2]?.email})`],
      [remove, "club", `club (${emulator.accounts[1]?.email})`],
      [script, undefined, `profile home (${emulator.accounts[0]?.email})`],
      [script, "office", `office (${emulator.accounts[2]?.email})`],
    ];
    for (const [call, account, name] of cases) {
      const error = await session.kernel.dispatch({
        ...call,
        ...(account === undefined ? {} : { account }),
      }).then(() => assert.fail("it ran"), (thrown) => findGumError(thrown));
      assert.equal(error?.code, "REQUIRES_CONFIRMATION", `${error?.message}`);
      assert.equal(error?.details.account, name);
      assert.ok(error?.userMessage.endsWith(`Account: ${name}.`), error?.userMessage);
    }
    const response = await session.kernel.dispatch({
      opId: "gmail.users.labels.list",
      args: { userId: "me" },
      account: "club",
    });
    const expression: JsonObject = response.expression ?? {};
    assert.equal(expression.account, `club (${emulator.accounts[1]?.email})`);
  });
});
