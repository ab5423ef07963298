import { deepStrictEqual, equal, match, ok } from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { envelopeOf, type RawPeer, type RawPeerOptions, withPeer } from "./testdata/raw_peer.ts";

const TABLE = `config_schema_version = 1

[accounts.office]
profile = "office"
deny = ["gmail.users.messages.send"]

[accounts.club]
profile = "club"
max_risk = "read"
`;

async function served(
  table: string,
  run: (peer: RawPeer, session: Session) => Promise<void>,
  options: RawPeerOptions = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-mcp-accounts-" });
  await Deno.mkdir(`${folder}/config/gum/home`, { recursive: true });
  await Deno.writeTextFile(`${folder}/config/gum/home/config.toml`, table);
  const session = await openSession({
    profileName: "home",
    emulator: true,
    serving: true,
    directories: { config: `${folder}/config`, data: `${folder}/data`, cache: `${folder}/cache` },
  });
  try {
    await withPeer(session, options, (peer) => run(peer, session));
  } finally {
    await session.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const LABELS: JsonObject = { op_id: "gmail.users.labels.list", args: { userId: "me" } };
const REMOVE: JsonObject = {
  op_id: "gmail.users.labels.delete",
  args: { userId: "me", id: "Label_1" },
};

/** Who asked Google, as indexes of the emulator's accounts. */
function callers({ emulator }: Session): number[] {
  return emulator?.journal.map(({ headers }) =>
    emulator.accounts.findIndex(({ bearer }) => headers.authorization === `Bearer ${bearer}`)
  ) ?? [];
}

async function tools(peer: RawPeer): Promise<Map<string, JsonObject>> {
  const { result } = await peer.request("tools/list");
  const { tools } = result as { tools: { name: string; inputSchema: JsonObject }[] };
  return new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
}

Deno.test("accounts over MCP: the argument is advertised on four tools, and only with accounts", async () => {
  const PICKING = ["gum.read", "gum.write", "gum.destructive", "gum.code"];
  await served(TABLE, async (peer) => {
    for (const [name, { properties }] of await tools(peer)) {
      const { account } = properties as JsonObject;
      equal(account !== undefined, PICKING.includes(name), name);
      if (account !== undefined) {
        match(String((account as JsonObject).description), /club, office/);
      }
    }
  }, { toolNames: "dotted" });
  await served("config_schema_version = 1\n", async (peer) => {
    for (const [name, { properties }] of await tools(peer)) {
      equal((properties as JsonObject).account, undefined, name);
    }
    const refused = await peer.call("gum.read", { ...LABELS, account: "office" });
    equal(envelopeOf(refused).error_code, "INVALID_ARGS");
    const { result } = await peer.request("resources/list");
    ok(!JSON.stringify(result).includes("gum://accounts"));
    const byMeta = await peer.call("gum.read", LABELS, { _meta: { "gum/account": "office" } });
    equal(envelopeOf(byMeta).reason, "account_not_allowed");
  });
});

Deno.test("accounts over MCP: a call picks one by argument or by _meta, and nothing else is reached", async () => {
  await served(TABLE, async (peer, session) => {
    const { emulator } = session;
    const cases: [JsonObject, JsonObject, number][] = [
      [{}, {}, 0],
      [{ account: "office" }, {}, 2],
      [{ account: "club" }, {}, 1],
      [{}, { "gum/account": "office" }, 2],
      [{ account: "office" }, { "gum/account": "office" }, 2],
    ];
    for (const [args, _meta, expected] of cases) {
      emulator?.clearJournal();
      const result = await peer.call("gum.read", {
        ...LABELS,
        args: { userId: "me", quotaUser: crypto.randomUUID() },
        ...args,
      }, { _meta });
      equal(result.isError, undefined, JSON.stringify(result));
      const { _expression } = result.structuredContent as { _expression: JsonObject };
      const picked = expected !== 0;
      equal(typeof _expression.account, picked ? "string" : "undefined");
      if (picked) {
        ok(String(_expression.account).includes(emulator?.accounts[expected]?.email ?? "-"));
      }
      deepStrictEqual([...new Set(callers(session))], [expected]);
    }
    emulator?.clearJournal();
    const refusals: [string, JsonObject, JsonObject, string][] = [
      ["gum.read", { ...LABELS, account: "home" }, {}, "POLICY_DENIED"],
      ["gum.read", LABELS, { "gum/account": 7 }, "POLICY_DENIED"],
      ["gum.read", { ...LABELS, account: "club" }, { "gum/account": "office" }, "INVALID_ARGS"],
      ["gum.read", { ...LABELS, account: "" }, {}, "INVALID_ARGS"],
      ["gum.destructive", { ...REMOVE, account: "club" }, {}, "POLICY_DENIED"],
      [
        "gum.code",
        { language: "risor", source: "1", allow_write: true, account: "club" },
        {},
        "POLICY_DENIED",
      ],
      ["gum.poll", { operation_name: "operations/x" }, { "gum/account": "home" }, "POLICY_DENIED"],
      ["gmail_search", { userId: "me" }, { "gum/account": "nobody" }, "POLICY_DENIED"],
    ];
    for (const [tool, args, _meta, code] of refusals) {
      const result = await peer.call(tool, args, { _meta });
      equal(envelopeOf(result).error_code, code, `${tool} ${JSON.stringify([args, _meta])}`);
    }
    deepStrictEqual(callers(session), []);
  });
});

Deno.test("accounts over MCP: a script runs as its account, confirmations name it, results are read back", async () => {
  await served(TABLE, async (peer, session) => {
    const { emulator } = session;
    const email = emulator?.accounts[2]?.email;
    const script = await peer.call("gum.code", {
      language: "risor",
      source: 'gum_print(gum_call("gmail.users.labels.list", {"userId": "me"}))',
      account: "office",
    });
    equal(script.isError, undefined, JSON.stringify(script));
    deepStrictEqual([...new Set(callers(session))], [2]);
    const asked = envelopeOf(await peer.call("gum.destructive", { ...REMOVE, account: "office" }));
    equal(asked.error_code, "REQUIRES_CONFIRMATION");
    equal(asked.account, `office (${email})`);
    ok(String(asked.user_message).includes(`office (${email})`));
    // The token is for that account: another one does not take it.
    const moved = envelopeOf(
      await peer.call("gum.destructive", {
        ...REMOVE,
        confirmed: true,
        confirmation_token: asked.confirmation_token ?? "",
      }),
    );
    match(String(moved.error_code), /CONFIRMATION/);
    equal(callers(session).filter((index) => index === 0).length, 0);
    const name = "projects/p/locations/l/operations/made";
    emulator?.startOperation({ name, polls: 0, response: { rows: 1 } });
    emulator?.clearJournal();
    const polled = await peer.call("gum.poll", { operation_name: name }, {
      _meta: { "gum/account": "club" },
    });
    equal(polled.isError, undefined, JSON.stringify(polled));
    deepStrictEqual([...new Set(callers(session))], [1]);
  });
});

Deno.test("gum://accounts: labels, addresses and policies, and no secret", async () => {
  await served(TABLE, async (peer, session) => {
    const listed = (await peer.request("resources/list")).result as { resources: JsonObject[] };
    equal(listed.resources[0]?.uri, "gum://accounts");
    const read = (await peer.request("resources/read", { uri: "gum://accounts" })).result;
    const [{ text, mimeType }] =
      (read as { contents: [{ text: string; mimeType: string }] }).contents;
    equal(mimeType, "application/json");
    const [home, club, office] = session.emulator?.accounts ?? [];
    deepStrictEqual(JSON.parse(text), {
      own: { profile: "home", address: home?.email },
      accounts: [
        {
          label: "club",
          profile: "club",
          address: club?.email,
          allow: [],
          deny: [],
          max_risk: "read",
          policy_mode: null,
        },
        {
          label: "office",
          profile: "office",
          address: office?.email,
          allow: [],
          deny: ["gmail.users.messages.send"],
          max_risk: null,
          policy_mode: null,
        },
      ],
    });
    for (const { bearer, apiKey } of session.emulator?.accounts ?? []) {
      ok(!text.includes(bearer) && !text.includes(apiKey));
    }
  });
});
