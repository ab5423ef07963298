import assert from "node:assert/strict";
import { openOperatorAuth } from "../lib/auth/account/mod.ts";
import { byoGrantAccount } from "../lib/auth/store/mod.ts";
import { signIn } from "../lib/auth/login.ts";
import { secret } from "../lib/auth/mod.ts";
import {
  type AuthWorld,
  CLIENT,
  openWorld,
  scope,
  VAULT_KEY,
} from "../lib/auth/testdata/auth_world.ts";
import { listener, person } from "../lib/auth/testdata/person.ts";
import { serviceAccountKey } from "../lib/auth/testdata/service_account.ts";
import { environmentOf } from "../lib/config/environment.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { lineLogger, type Logger } from "../lib/log/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import { envelopeOf, type RawPeer, withPeer } from "./testdata/raw_peer.ts";

const CALL: JsonObject = {
  name: "gum.read",
  arguments: { op_id: "gmail.users.labels.list", args: { userId: "me" } },
};

interface Served {
  session: Session;
  said: string[];
  settled(): Promise<void>;
}

async function serve(world: AuthWorld, log?: Logger, account?: string): Promise<Served> {
  const { open, settled } = person({ account });
  const { io, said } = listener();
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
    signIn: { io, openBrowser: open },
    serving: true,
    log,
  });
  return { session, said, settled };
}

async function operator(world: AuthWorld, log: Logger) {
  return await openOperatorAuth({
    profileName: "work",
    directories: { config: `${world.folder}/config`, data: `${world.folder}/data` },
    environment: environmentOf({ GUM_VAULT_KEY: VAULT_KEY }),
    http: world.http,
    clock: world.parts.clock,
    log,
    endpoints: world.endpoints,
    audit: { append() {} },
  });
}

async function login(world: AuthWorld, scopes: string[]): Promise<void> {
  const auth = await operator(world, world.parts.log);
  const { open, settled } = person();
  await auth.login({ scopes, openBrowser: open, io: listener().io, signal: world.signal });
  await settled();
  auth.close();
}

/** Fills in the form as a client does whose user says yes. */
function yes(params: JsonObject): JsonObject {
  const { properties } = params.requestedSchema as { properties: Record<string, JsonObject> };
  const content: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) content[name] = schema.default ?? null;
  return { action: "accept", content: { ...content, approve: true } };
}

async function callApproving(peer: RawPeer, call: JsonObject = CALL): Promise<JsonObject> {
  const { result } = await peer.request("tools/call", call);
  const first = result as JsonObject;
  if (first.resultType !== "input_required") return first;
  const requests = first.inputRequests as Record<string, { params: JsonObject }>;
  const inputResponses = Object.fromEntries(
    Object.entries(requests).map(([key, { params }]) => [key, yes(params)]),
  );
  return (await peer.request("tools/call", { ...call, inputResponses })).result as JsonObject;
}

Deno.test("TestScopeUpgradeApplyGrants: an approval over MCP signs in, and the next call succeeds", async () => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    await using world = await openWorld();
    await login(world, [scope("gmail.send")]);
    const served = await serve(world);
    const options = {
      revision,
      capabilities: { elicitation: {} },
      onRequest: (request: JsonObject) => yes(request.params as JsonObject),
    };
    try {
      await withPeer(served.session, options, async (peer) => {
        const answered = await callApproving(peer, { ...CALL, _meta: { progressToken: "up" } });
        await served.settled();
        const progress = peer.pushed.filter(({ method }) => method === "notifications/progress")
          .map(({ params }) => params as JsonObject);
        assert.deepEqual(progress[0], {
          progressToken: "up",
          progress: 0,
          total: 300,
          message: "waiting for the sign-in in the browser",
        });
        assert.equal(answered.isError, true);
        const envelope = envelopeOf(answered);
        assert.equal(envelope.error_code, "SCOPE_GRANTED", JSON.stringify(envelope));
        const again = (await peer.request("tools/call", CALL)).result as JsonObject;
        assert.equal(again.isError, undefined, JSON.stringify(again));
      });
    } finally {
      await served.session.close();
    }
    assert.ok(served.said.some((text) => text.includes("/o/oauth2/v2/auth")));
    const audit = await Deno.readTextFile(`${world.folder}/data/gum/work/audit.jsonl`);
    const events = audit.trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ event }) => event === "managed_scope_reconsent");
    assert.deepEqual(events.map(({ outcome }) => outcome), ["granted"]);
  }
});

Deno.test("TestScopeUpgradeApplyGrants: more access for a picked account signs in that account, no other", async () => {
  await using world = await openWorld();
  await using office = await openWorld({ beside: world, profileName: "office" });
  await login(world, [scope("gmail.send")]);
  const { open, settled } = person({ account: world.emulator.accounts[1]?.email });
  await signIn(office.parts, office.view, {
    scopes: [scope("gmail.send")],
    openBrowser: open,
    io: listener().io,
    signal: world.signal,
  });
  await settled();
  const config = `${world.folder}/config/gum/work/config.toml`;
  await Deno.writeTextFile(
    config,
    `${await Deno.readTextFile(config)}\n[accounts.office]\nprofile = "office"\n`,
  );
  const grantOf = async ({ parts }: AuthWorld) =>
    (await parts.store.get(await byoGrantAccount(parts.profileName, CLIENT.id), world))?.reveal();
  const before = await grantOf(world);
  const served = await serve(world, undefined, world.emulator.accounts[1]?.email);
  const forms: JsonObject[] = [];
  const options = {
    capabilities: { elicitation: {} },
    onRequest: (request: JsonObject) => {
      forms.push(request.params as JsonObject);
      return yes(request.params as JsonObject);
    },
  };
  try {
    await withPeer(served.session, options, async (peer) => {
      const call = { ...CALL, _meta: { "gum/account": "office" } };
      const envelope = envelopeOf(await callApproving(peer, call));
      await served.settled();
      assert.equal(envelope.error_code, "SCOPE_GRANTED", JSON.stringify(envelope));
      assert.equal(envelope.profile, "office");
      assert.equal(envelope.account, "office");
      const again = (await peer.request("tools/call", call)).result as JsonObject;
      assert.equal(again.isError, undefined, JSON.stringify(again));
    });
  } finally {
    await served.session.close();
  }
  assert.match(String(forms[0]?.message), /^GUM \(profile office\) needs more access/);
  assert.equal(await grantOf(world), before, "the session's own grant is as it was");
  assert.match(String(await grantOf(office)), /gmail\.readonly|gmail\.labels/);
});

Deno.test("a call may pick an account by its label only", async () => {
  await using world = await openWorld();
  await login(world, [scope("gmail.readonly"), scope("gmail.labels")]);
  const served = await serve(world);
  try {
    await withPeer(served.session, {}, async (peer) => {
      for (const account of ["office", 7, null]) {
        const params = { ...CALL, _meta: { "gum/account": account } };
        const { result } = await peer.request("tools/call", params);
        assert.equal(envelopeOf(result as JsonObject).reason, "account_not_allowed");
      }
      const { result } = await peer.request("tools/call", CALL);
      assert.equal((result as JsonObject).isError, undefined);
    });
  } finally {
    await served.session.close();
  }
});

Deno.test("planted secrets appear in no output of a full session", async () => {
  await using world = await openWorld();
  const canaries: Record<string, string> = {
    "client secret": "GOCSPX-canary0client0secret",
    "API key": "AIzaCanaryApiKey0123456789",
    "developer token": "canary-developer-token",
    "vault key": VAULT_KEY,
  };
  const logged: string[] = [];
  const log = lineLogger({
    level: "debug",
    format: "json",
    write: (line) => void logged.push(line),
    now: () => Date.now(),
  });
  const outputs: string[] = [];
  const shown = (value: unknown) => void outputs.push(render(value));
  const auth = await operator(world, log);
  await auth.useOAuthClient({
    id: CLIENT.id,
    secret: secret(canaries["client secret"] ?? ""),
    signal: world.signal,
  });
  for (const kind of ["api_key", "developer_token"] as const) {
    const name = kind === "api_key" ? "API key" : "developer token";
    await auth.storeSecret({ kind, value: secret(canaries[name] ?? ""), signal: world.signal });
  }
  const keyText = await serviceAccountKey();
  canaries["private key"] = JSON.parse(keyText).private_key.split("\n")[3];
  await auth.useServiceAccount({ keyText, signal: world.signal });
  await login(world, [scope("gmail.readonly"), scope("gmail.labels"), scope("adwords")]);
  const account = await byoGrantAccount("work", CLIENT.id);
  const grant = await world.parts.store.get(account, world);
  canaries["refresh token"] = JSON.parse(grant?.reveal() ?? "{}").refresh_token;
  for (const strategy of ["auto", "service_account", "api_key"] as const) {
    shown(await auth.probe({ scopes: [scope("gmail.readonly")], strategy, signal: world.signal }));
  }
  shown(await auth.status({ scopes: [scope("gmail.readonly")], signal: world.signal }));
  const served = await serve(world, log);
  const calls: JsonObject[] = [
    CALL,
    {
      name: "gum.read",
      arguments: {
        op_id: "googleads.keywordPlanIdeas.generateKeywordIdeas",
        args: { customerId: "1", keywords: "tea" },
      },
    },
    { name: "gum.read", arguments: { op_id: "maps.geocoding.geocode", args: { address: "x" } } },
    { name: "gum.read", arguments: { op_id: "drive.files.list", args: {} } },
    { name: "gum.describe_op", arguments: { op_id: "gmail.users.labels.list" } },
  ];
  const told = [canaries["refresh token"], canaries["client secret"], canaries["API key"]];
  try {
    const options = {
      capabilities: { elicitation: {} },
      onRequest: (request: JsonObject) => {
        shown(request);
        return { action: "decline" };
      },
    };
    await withPeer(served.session, options, async (peer) => {
      for (const call of calls) shown(await peer.request("tools/call", call));
      shown(await peer.request("tools/list"));
      shown(await peer.request("resources/list"));
      shown(await peer.request("resources/read", { uri: "gum://status/health" }));
      // A token service that says everything it was told, in an error and in a page.
      await world.parts.tokenCache?.drop(account, world);
      for (
        const body of [
          ...told.map((text) => JSON.stringify({ error: "odd", error_description: text })),
          JSON.stringify({ error: "invalid_grant", error_description: told.join(" ") }),
          `<html>${told.join(" ")}</html>`,
        ]
      ) {
        world.emulator.addFault({
          match: { path: "/token" },
          effect: { kind: "status", status: 400, body, contentType: "application/json" },
        });
        const fresh = await serve(world, log);
        try {
          const invocation = { opId: "gmail.users.labels.list", args: { userId: "me" } };
          await assert.rejects(fresh.session.kernel.dispatch(invocation), (error) => {
            shown(error);
            return true;
          });
        } finally {
          await fresh.session.close();
        }
      }
      shown(peer.pushed);
      shown(peer.stray);
    });
  } finally {
    await served.session.close();
  }
  const result = await auth.logout({
    forgetClient: true,
    keepRemote: false,
    signal: world.signal,
  });
  shown(result);
  auth.close();
  const tokens = new Set(
    world.emulator.journal.flatMap(({ headers }) =>
      headers.authorization?.startsWith("Bearer ") ? [headers.authorization.slice(7)] : []
    ),
  );
  assert.ok(tokens.size >= 1);
  [...tokens].forEach((token, index) => canaries[`access token ${index}`] = token);
  const files = await filesBelow(world.folder);
  assert.ok(files.some(({ path }) => path.endsWith("audit.jsonl")));
  assert.ok(outputs.join("").length > 5_000 && logged.length > 0);
  for (const [what, canary] of Object.entries(canaries)) {
    assert.ok(canary.length > 10, what);
    for (const text of [...outputs, ...logged, ...served.said]) {
      assert.equal(text.includes(canary), false, `${what} in ${text.slice(0, 300)}`);
    }
    for (const { path, text } of files) {
      assert.equal(text.includes(canary), false, `${what} in ${path}`);
    }
  }
});

/** Everything a surface could show of a value: JSON, inspection, message, stack and causes. */
function render(value: unknown): string {
  const parts = [JSON.stringify(value) ?? "", Deno.inspect(value, { depth: 20 }), String(value)];
  for (let error = value; error instanceof Error; error = error.cause) {
    parts.push(error.stack ?? "", JSON.stringify({ ...error }));
  }
  return parts.join("\n");
}

async function filesBelow(folder: string): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await filesBelow(path));
    else found.push({ path, text: await Deno.readTextFile(path) });
  }
  return found;
}
