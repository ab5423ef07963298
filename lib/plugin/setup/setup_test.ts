import assert from "node:assert/strict";
import { openCredentialStore, pluginCredentialAccount } from "../../auth/store/mod.ts";
import type { CredentialStore } from "../../auth/store/types.ts";
import { environmentOf } from "../../config/environment.ts";
import { GumError, isGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { openPluginView } from "../status/mod.ts";
import {
  inTemporary,
  manifestTree,
  never,
  type TestProfile,
  testProfile,
  writePlugin,
} from "../testdata/fixture.ts";
import type { CanaryOutcome, StateRow } from "../types.ts";
import { setupPlugin } from "./mod.ts";

const ENV_NAMES = ["ECHO_SESSION", "ECHO_API_TOKEN"];
const SECRETS = ["s3cr3t-cookie", "t0ken-value"];

const REQUIREMENTS: JsonObject = {
  needs_user_creds: ENV_NAMES,
  credential_descriptors: [
    {
      alias: "session",
      env: ENV_NAMES[0] ?? "",
      kind: "session",
      display_name: "Echo cookie",
      setup_hint: "From the browser's developer tools",
    },
    {
      alias: "token",
      env: ENV_NAMES[1] ?? "",
      kind: "api_key",
      display_name: "Echo key",
      setup_hint: "",
    },
  ],
  auth_components: [
    { kind: "billing_enabled", display_name: "Billing account", setup_hint: "Enable billing" },
    { kind: "x-thing", credential_alias: "token" },
  ],
};

interface Scene {
  profile: TestProfile;
  store: CredentialStore;
  /** Everything that was shown, in order. */
  said: string[];
  canaries: string[];
  setup(
    answers: readonly string[],
    outcome?: "pass" | "fail" | "unconfined",
    name?: string,
  ): Promise<string>;
  state(): Promise<StateRow>;
}

async function scene(tree: JsonObject, run: (at: Scene) => Promise<void>) {
  await inTemporary(async (directory) => {
    const profile = testProfile(directory);
    profile.parts.http.close();
    await profile.install(await writePlugin(`${directory}/plugin`, { tree }));
    const store = openCredentialStore({
      profileName: "default",
      directory: profile.profileDir,
      environment: environmentOf({ GUM_VAULT_KEY: new Uint8Array(32).fill(7).toBase64() }),
      choice: "vault",
    });
    const said: string[] = [];
    const canaries: string[] = [];
    await run({
      profile,
      store,
      said,
      canaries,
      async state() {
        const [row] = (await profile.registry.loadSnapshot()).state.plugins;
        assert.ok(row !== undefined);
        return row;
      },
      async setup(answers, outcome = "pass", name = "echo-box") {
        const left = [...answers];
        const canary = (pluginId: string): Promise<CanaryOutcome> => {
          canaries.push(pluginId);
          return Promise.resolve(
            outcome === "pass"
              ? {
                ok: true,
                plugin_id: pluginId,
                live: true,
                latency_ms: 1,
                sandbox: { backend: "none", fs: "none", network: "none" },
              }
              : {
                ok: false,
                plugin_id: pluginId,
                error_code: "SERVICE_DOWN",
                ...(outcome === "fail"
                  ? { source_error_code: "ErrCanaryFailed", message: `bad ${ENV_NAMES[0]}` }
                  : {
                    source_error_code: "ErrSandboxUnsupported",
                    message: "nothing here confines it",
                    host_condition: true,
                  }),
              },
          );
        };
        return await setupPlugin({ name, signal: never() }, {
          registry: profile.registry,
          credentials: store,
          profileName: "default",
          dialogue: {
            say: (line) => void said.push(line),
            ask(prompt) {
              said.push(prompt);
              return Promise.resolve(left.shift());
            },
          },
          canary,
          clock: profile.clock,
          logger: profile.logger,
          auditSink: profile.audit,
        });
      },
    });
  });
}

const TREE = manifestTree({ requirements: REQUIREMENTS });
const account = (alias: string) =>
  pluginCredentialAccount("default", { plugin: "echo-box", alias });

Deno.test("TestPluginSetupCredentialFlow: prompts, stores, proves and activates", async () => {
  await scene(TREE, async ({ profile, store, said, canaries, setup, state }) => {
    assert.equal((await state()).status, "needs_configuration");
    assert.equal(await setup([`${SECRETS[0]}\r\n`, SECRETS[1] ?? ""]), "activated");
    assert.deepEqual(canaries, ["echo-box"]);
    assert.deepEqual(said, [
      "- [ ] Billing account: Enable billing",
      "From the browser's developer tools",
      "Echo cookie (session): ",
      "Echo key (api_key): ",
    ]);
    assert.equal((await store.get(account("session"), { signal: never() }))?.reveal(), SECRETS[0]);
    assert.equal((await store.get(account("token"), { signal: never() }))?.reveal(), SECRETS[1]);
    const row = await state();
    assert.equal(row.status, "active");
    assert.equal(row.activated_at, "2026-03-04T05:06:07Z");
    assert.equal(row.needs_configuration, false);
    assert.ok(!("reason" in row));
    const { ts: _, ...logged } = profile.audit.rows.at(-1) ?? {};
    assert.deepEqual(logged, { event: "plugin_activated", plugin: "echo-box", version: "1.2.0" });
  });
});

Deno.test("TestPluginSetupCredentialFlow: an empty line keeps what is stored and fails where nothing is", async () => {
  await scene(TREE, async ({ store, canaries, setup, state }) => {
    await assert.rejects(
      setup(["first", ""]),
      (error) =>
        error instanceof GumError && error.code === "AUTH_REQUIRED" &&
        error.userMessage.includes("Echo key") &&
        JSON.stringify(error.details.missing_components) === '["token"]',
    );
    assert.deepEqual(canaries, []);
    assert.equal((await state()).status, "needs_configuration");
    assert.equal(await setup(["", "second"]), "activated");
    assert.equal((await store.get(account("session"), { signal: never() }))?.reveal(), "first");
  });
});

Deno.test("TestPluginSetupCredentialFlow: a failing canary quarantines and says what to do", async () => {
  await scene(TREE, async ({ setup, state }) => {
    await assert.rejects(setup(SECRETS, "fail"), (error) => {
      assert.ok(error instanceof GumError && error.code === "SERVICE_DOWN");
      assert.match(error.suggestion, /gum plugin setup echo-box/);
      assert.match(error.suggestion, /reload/);
      return true;
    });
    const row = await state();
    assert.equal(row.quarantined, true);
    assert.equal(row.needs_configuration, true, "it still needs it");
    assert.deepEqual([row.reason, row.last_error_code], ["CANARY_FAILED", "CANARY_FAILED"]);
    assert.ok(!("next_retry_at" in row));
  });
});

Deno.test("TestSetupSuccessClearsQuarantine: a plugin that proves itself is healthy again", async () => {
  await scene(TREE, async ({ profile, setup, state }) => {
    await profile.registry.writeTransaction((draft) => {
      Object.assign(draft.state.plugins[0] ?? {}, {
        quarantined: true,
        permanent_quarantine: true,
        quarantined_at: "2026-01-01T00:00:00Z",
        last_error_code: "SERVICE_DOWN",
        next_retry_at: "2026-01-01T00:00:30Z",
        retry_count: 6,
        backoff_step: 6,
      });
    }, { signal: never() });
    await setup(SECRETS);
    const row = await state();
    assert.deepEqual(
      [row.quarantined, row.permanent_quarantine, row.retry_count, row.backoff_step, row.status],
      [false, false, 0, 0, "active"],
    );
    for (const key of ["quarantined_at", "last_error_code", "next_retry_at", "reason"]) {
      assert.ok(!(key in row), key);
    }
  });
});

Deno.test("setup: a plugin that could not even be tried keeps its secrets and its state", async () => {
  await scene(TREE, async ({ profile, store, setup, state }) => {
    const before = await state();
    await assert.rejects(setup(SECRETS, "unconfined"), (error) => {
      assert.ok(isGumError(error, "PLUGIN_SANDBOX_UNSUPPORTED"));
      assert.match((error as GumError).userMessage, /stored.*nothing here confines it/);
      return true;
    });
    assert.deepEqual(await state(), before);
    assert.deepEqual(profile.audit.rows.map(({ event }) => event), ["plugin_installed"]);
    const account = pluginCredentialAccount("default", { plugin: "echo-box", alias: "token" });
    assert.notEqual(await store.get(account, { signal: never() }), null);
  });
});

Deno.test("TestPluginExternalPrerequisiteChecklist: what GUM cannot do is listed, what it does is not", async () => {
  await scene(TREE, async ({ said, setup }) => {
    await setup(SECRETS);
    assert.deepEqual(said.filter((line) => line.startsWith("- [ ]")), [
      "- [ ] Billing account: Enable billing",
    ]);
  });
});

Deno.test("TestPluginSetupChecklistWithoutSecrets: nothing to collect, no canary, no change", async () => {
  const tree = manifestTree({
    requirements: { auth_components: [{ kind: "billing_enabled", setup_hint: "Enable it" }] },
  });
  await scene(tree, async ({ profile, said, canaries, setup, state }) => {
    const before = await state();
    assert.equal(await setup([]), "nothing_to_do");
    assert.deepEqual(said, ["- [ ] billing enabled: Enable it"]);
    assert.deepEqual(canaries, []);
    assert.deepEqual(await state(), before);
    assert.equal((await profile.registry.loadSnapshot()).generation, 1);
  });
});

Deno.test("TestPluginCredentialNoRawEnvLeak: no output, error, log, audit row or file names a variable or shows a secret", async () => {
  await scene(TREE, async ({ profile, said, setup }) => {
    const failed = await setup(SECRETS, "fail").catch((error) => error);
    const missing = await setup([]).catch((error) => error);
    await setup(SECRETS);
    const view = openPluginView({ paths: profile.registry.paths });
    const everything = JSON.stringify([
      said,
      [failed, missing].map((error) => error instanceof GumError ? error.toEnvelope() : ""),
      profile.logger.records.filter(({ level }) => level !== "debug"),
      profile.audit.rows,
      view.record("echo-box"),
      view.rows(),
      ...(["catalog", "lock", "state"] as const).map((kind) =>
        Deno.readTextFileSync(profile.registry.paths[kind])
      ),
      Deno.readTextFileSync(`${profile.profileDir}/credentials.vault`),
    ]);
    for (const word of [...ENV_NAMES, ...SECRETS]) assert.ok(!everything.includes(word), word);
  });
});

Deno.test("a name that is no plugin id touches no path, an unknown one says what to do", async () => {
  await scene(TREE, async ({ setup }) => {
    for (const name of ["../echo-box", "Echo", "", "a/b"]) {
      await assert.rejects(
        setup([], "pass", name),
        (error) => isGumError(error, "PLUGIN_MANIFEST_INVALID"),
      );
    }
    await assert.rejects(
      setup([], "pass", "unknown"),
      (error) =>
        error instanceof GumError && error.code === "PLUGIN_MANIFEST_NOT_FOUND" &&
        /gum plugin install/.test(error.suggestion),
    );
  });
});

Deno.test("an installed manifest that went bad is refused in words that name nothing of it", async () => {
  await scene(TREE, async ({ profile, setup }) => {
    const [row] = (await profile.registry.loadSnapshot()).lock.plugins;
    const path = `${row?.executable.install_root}/manifest.json`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replaceAll("ECHO_SESSION", "GUM_SESSION"));
    await assert.rejects(
      setup([]),
      (error) =>
        error instanceof GumError && !JSON.stringify(error.toEnvelope()).includes("GUM_SESSION"),
    );
  });
});
