import assert from "node:assert/strict";
import type { Invocation } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { signIn } from "./login.ts";
import {
  answerScopeUpgrade,
  bindingOf,
  scopeUpgradeForm,
  type ScopeUpgradeParts,
} from "./scope_upgrade.ts";
import { byoGrantAccount } from "./store/mod.ts";
import { type AuthWorld, CLIENT, openWorld, scope } from "./testdata/auth_world.ts";
import { type Decision, listener, person } from "./testdata/person.ts";

const READ = scope("webmasters.readonly");
const WRITE = scope("webmasters");

const INVOCATION: Invocation = {
  opId: "searchconsole.sites.add",
  args: { siteUrl: "https://example.com/" },
};

const REFUSAL = new GumError("SCOPE_MISSING", {
  details: {
    op_id: "searchconsole.sites.add",
    variant_id: "searchconsole.sites.add.v1",
    auth_strategy: "byo_oauth",
    required_scopes: [WRITE],
    have_scopes: [READ],
    scopes_missing: [WRITE],
  },
});

interface Upgrade {
  world: AuthWorld;
  made: ScopeUpgradeParts;
  rows: JsonObject[];
  settled(): Promise<void>;
}

async function openUpgrade(decision: Decision = {}, world?: AuthWorld): Promise<Upgrade> {
  const own = world ?? await openWorld();
  if (world === undefined) {
    const { open, settled } = person();
    await signIn(own.parts, own.view, {
      scopes: [READ],
      openBrowser: open,
      io: listener().io,
      signal: own.signal,
    });
    await settled();
  }
  const rows: JsonObject[] = [];
  const { open, settled } = person(decision);
  return {
    world: own,
    rows,
    settled,
    made: {
      parts: own.parts,
      resolver: own.resolver,
      audit: { append: (row) => void rows.push(row) },
      io: listener().io,
      openBrowser: open,
    },
  };
}

async function form({ made, world }: Upgrade, invocation = INVOCATION) {
  const given = await scopeUpgradeForm(made, {
    refusal: REFUSAL,
    invocation,
    signal: world.signal,
  });
  assert.ok(given !== undefined);
  return given;
}

/** What a client sends that shows the form and gets a yes. */
function accepted(params: JsonObject, changes: JsonObject = {}): JsonObject {
  const { properties } = params.requestedSchema as { properties: Record<string, JsonObject> };
  const content: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) content[name] = schema.default ?? null;
  return { action: "accept", content: { ...content, approve: true, ...changes } };
}

const answer = async (upgrade: Upgrade, responses: JsonObject, invocation = INVOCATION) => {
  const reply = { invocation, responses, signal: upgrade.world.signal };
  const envelope = await answerScopeUpgrade(upgrade.made, { refusal: REFUSAL, reply });
  await upgrade.settled();
  return envelope;
};

async function storedText(world: AuthWorld): Promise<string | undefined> {
  const account = await byoGrantAccount("work", CLIENT.id);
  return (await world.parts.store.get(account, world))?.reveal();
}

Deno.test("TestElicitationScopeUpgradeBinding: the form binds call, account and scopes, and changes with each", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const { formId, params } = await form(upgrade);
  assert.match(formId, /^gum\.scope_upgrade\.[0-9a-f]{16}$/);
  const state = await world.view.current(world.signal);
  const schema = params.requestedSchema as JsonObject;
  const properties = schema.properties as Record<string, JsonObject>;
  assert.deepEqual(properties.approve, {
    type: "boolean",
    title: "Grant these scopes",
    default: false,
  });
  for (const name of (schema.required as string[]).filter((one) => one !== "approve")) {
    const property = properties[name];
    assert.equal(property?.type, "string");
    assert.deepEqual(property?.enum, [property?.default]);
  }
  assert.deepEqual(schema.required, Object.keys(properties));
  assert.equal(properties.expected_subject_fingerprint?.default, state.fingerprint);
  assert.equal(properties.required_scopes?.default, WRITE);
  assert.match(String(params.message), /profile work.*searchconsole\.sites\.add.*webmasters/);
  const again = await form(upgrade);
  assert.deepEqual(again, { formId, params }, "the same call gives the same form");
  const other = await form(upgrade, { ...INVOCATION, args: { siteUrl: "https://other.example/" } });
  assert.notEqual(other.formId, formId);
});

Deno.test("TestElicitationScopeUpgradeBinding: no form for other strategies, without a client, in ADC mode", async () => {
  await using world = await openWorld({ registered: false });
  const upgrade = await openUpgrade({}, world);
  const ask = (refusal: GumError, made = upgrade.made) =>
    scopeUpgradeForm(made, { refusal, invocation: INVOCATION, signal: world.signal });
  assert.equal(await ask(REFUSAL), undefined);
  assert.equal(await ask(REFUSAL.with({ auth_strategy: "gum_oauth" })), undefined);
  await using adc = await openWorld({
    beside: world,
    profileName: "adc",
    environment: { GUM_USE_ADC: "1" },
  });
  assert.equal(
    await ask(REFUSAL, { ...upgrade.made, parts: adc.parts, resolver: adc.resolver }),
    undefined,
  );
});

Deno.test("TestScopeUpgradeApprovalObject: an approval signs in and says that the call has not run", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const { formId, params } = await form(upgrade);
  const granted = await answer(upgrade, { [formId]: accepted(params) });
  const state = await world.view.current(world.signal);
  const { request_hash: hash } = granted.details;
  assert.equal(granted.code, "SCOPE_GRANTED");
  assert.equal(granted.retryable, true);
  assert.deepEqual({ ...granted.details }, {
    auth_strategy: "byo_oauth",
    auth_subject_fingerprint: state.fingerprint,
    granted_scopes: [WRITE, READ],
    op_id: "searchconsole.sites.add",
    profile: "work",
    request_hash: hash,
  });
  assert.equal(formId, `gum.scope_upgrade.${String(hash).slice(0, 16)}`);
});

Deno.test("TestScopeUpgradeApplyGrants: the grant holds old and new scopes, the event says so", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const { formId, params } = await form(upgrade);
  const granted = await answer(upgrade, { [formId]: accepted(params) });
  const state = await world.view.current(world.signal);
  assert.deepEqual(state.grant?.scopes, [WRITE, READ]);
  assert.deepEqual(upgrade.rows, [{
    event: "managed_scope_reconsent",
    profile: "work",
    op_id: "searchconsole.sites.add",
    request_hash: granted.details.request_hash,
    requested_scopes: [WRITE],
    granted_scopes: [WRITE, READ],
    outcome: "granted",
    auth_subject_fingerprint: state.fingerprint,
  }]);
  const found = await world.resolver.strategy("byo_oauth").resolve({
    scopes: [WRITE],
    signal: world.signal,
  });
  assert.ok(found?.token !== undefined);
});

Deno.test("TestScopeUpgradeRefusals: each outcome keeps the grant byte for byte and the first refusal", async () => {
  const base = await openUpgrade();
  await using world = base.world;
  const [, second] = world.emulator.accounts;
  const { formId, params } = await form(base);
  const yes = accepted(params);
  const cases: {
    outcome: string;
    responses: JsonObject;
    decision?: Decision;
    switches?: AuthWorld["emulator"]["identity"]["switches"];
  }[] = [
    { outcome: "declined", responses: { [formId]: { action: "decline" } } },
    { outcome: "cancelled", responses: { [formId]: { action: "cancel" } } },
    { outcome: "not_approved", responses: { [formId]: accepted(params, { approve: false }) } },
    { outcome: "not_approved", responses: { [formId]: accepted(params, { approve: "true" }) } },
    { outcome: "binding_mismatch", responses: { [formId]: accepted(params, { profile: "x" }) } },
    {
      outcome: "binding_mismatch",
      responses: { [formId]: accepted(params, { required_scopes: READ }) },
    },
    { outcome: "binding_mismatch", responses: { [formId]: { action: "accept" } } },
    { outcome: "binding_mismatch", responses: { [formId]: { action: "perhaps" } } },
    { outcome: "binding_mismatch", responses: { [formId]: "yes" } },
    { outcome: "unknown_form", responses: { "gum.scope_upgrade.0000000000000000": yes } },
    { outcome: "unknown_form", responses: { [formId]: yes, other: yes } },
    {
      outcome: "partial_grant",
      responses: { [formId]: yes },
      switches: { grantOnly: [READ] },
    },
    {
      outcome: "subject_mismatch",
      responses: { [formId]: yes },
      decision: { account: second?.email ?? "" },
    },
    { outcome: "login_failed", responses: { [formId]: yes }, decision: { decision: "deny" } },
    {
      outcome: "login_failed",
      responses: { [formId]: yes },
      switches: { tokenError: "invalid_client" },
    },
  ];
  const before = await storedText(world);
  for (const { outcome, responses, decision, switches } of cases) {
    world.emulator.identity.switches = switches ?? {};
    const upgrade = await openUpgrade(decision, world);
    assert.equal(await answer(upgrade, responses), REFUSAL, outcome);
    assert.deepEqual(upgrade.rows.map((row) => row.outcome), [outcome]);
    assert.deepEqual(upgrade.rows[0]?.granted_scopes, [READ]);
    assert.equal(await storedText(world), before, outcome);
  }
});

Deno.test("TestScopeUpgradeRefusals: a form of another call is unknown here", async () => {
  const upgrade = await openUpgrade();
  await using _world = upgrade.world;
  const { formId, params } = await form(upgrade);
  const other = { ...INVOCATION, args: { siteUrl: "https://other.example/" } };
  assert.equal(await answer(upgrade, { [formId]: accepted(params) }, other), REFUSAL);
  assert.deepEqual(upgrade.rows.map((row) => row.outcome), ["unknown_form"]);
});

Deno.test("TestScopeUpgradeConcurrentAllowlist: every reader sees one whole set, before or after", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const { view } = world;
  await view.current(world.signal);
  const { formId, params } = await form(upgrade);
  const seen = new Set<string>();
  let signing = true;
  const reading = (async () => {
    while (signing) {
      const covered = view.covered();
      if (covered !== undefined) {
        assert.ok(Object.isFrozen(covered));
        seen.add([...covered].sort().join(" "));
      }
      await view.current(world.signal);
      await new Promise((resume) => setTimeout(resume, 0));
    }
  })();
  await answer(upgrade, { [formId]: accepted(params) });
  signing = false;
  await reading;
  seen.add([...view.covered() ?? []].sort().join(" "));
  assert.deepEqual([...seen].sort(), [`${WRITE} ${READ}`, READ].sort());
});

Deno.test("TestByoOAuthRequiredScopes: the form names all the scopes of the refusal, sorted and once", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const refusal = REFUSAL.with({ required_scopes: [WRITE, READ, WRITE] });
  const binding = await bindingOf(upgrade.made, {
    refusal,
    invocation: INVOCATION,
    signal: world.signal,
  });
  assert.deepEqual(binding.requiredScopes, [WRITE, READ]);
});

Deno.test("an abort ends the sign-in, leaves the grant, and is recorded once", async () => {
  const upgrade = await openUpgrade();
  await using world = upgrade.world;
  const { formId, params } = await form(upgrade);
  const leaving = new AbortController();
  const made: ScopeUpgradeParts = {
    ...upgrade.made,
    openBrowser: () => {
      leaving.abort(new DOMException("left", "AbortError"));
      return Promise.resolve();
    },
  };
  const before = await storedText(world);
  const reply = {
    invocation: INVOCATION,
    responses: { [formId]: accepted(params) },
    signal: leaving.signal,
  };
  await assert.rejects(answerScopeUpgrade(made, { refusal: REFUSAL, reply }), {
    name: "AbortError",
  });
  assert.deepEqual(upgrade.rows.map((row) => row.outcome), ["cancelled"]);
  assert.equal(await storedText(world), before);
});
