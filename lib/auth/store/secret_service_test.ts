import assert from "node:assert/strict";
import { findGumError, isGumError } from "../../errors/mod.ts";
import { environmentOf } from "../../config/environment.ts";
import { secret } from "../secret.ts";
import { administerStore } from "./administration.ts";
import { apiKeyAccount, pluginCredentialAccount, serviceAccountAccount } from "./account_names.ts";
import { reasonOf, secretToolArguments } from "./secret_service.ts";
import { openCredentialStore } from "./store.ts";
import {
  environmentWith,
  secretServiceMissing,
  startSecretService,
  testWithSecretService,
} from "./testing/secret_service.ts";
import { CALL, recordingLogger, TEST_VAULT_KEY, withTempFolder } from "./testing/folder.ts";

const KEY = apiKeyAccount("work");
const CANARY = "AIzaCanary-0123456789-schlüssel-ключ";

Deno.test("secret-tool: the value is never an argument", () => {
  assert.deepEqual(secretToolArguments("lookup", "gum.api_key.work"), [
    "lookup",
    "service",
    "gum",
    "account",
    "gum.api_key.work",
  ]);
  assert.deepEqual(secretToolArguments("store", "a").slice(0, 3), ["store", "--label", "gum: a"]);
  assert.deepEqual(secretToolArguments("clear", "a").slice(1), ["service", "gum", "account", "a"]);
});

Deno.test("secret-tool: what its complaints mean", () => {
  assert.equal(reasonOf("secret-tool: Cannot create an item in a locked collection"), "locked");
  assert.equal(reasonOf("secret-tool: Permission denied"), "denied");
  assert.equal(reasonOf("Could not connect: No such file or directory"), "service_unreachable");
});

testWithSecretService("Secret Service: set, get, replace and delete", async (service, home) => {
  const store = openCredentialStore({
    profileName: "work",
    directory: `${home}/gum/work`,
    environment: environmentWith(service),
  });
  assert.deepEqual(await store.probe(CALL), { backend: "secret-service", available: true });
  assert.equal(await store.get(KEY, CALL), null);
  assert.equal(await store.generation(), "");
  await store.set(KEY, secret(CANARY), CALL);
  const first = await store.generation();
  assert.notEqual(first, "");
  assert.equal((await store.get(KEY, CALL))?.reveal(), CANARY);
  await store.set(KEY, secret("second"), CALL);
  assert.notEqual(await store.generation(), first);
  assert.equal((await store.get(KEY, CALL))?.reveal(), "second");
  const marker = JSON.parse(await Deno.readTextFile(`${home}/gum/work/credential-store.json`));
  assert.deepEqual(marker, { v: 1, backend: "secret-service", accounts: [KEY] });
  await store.delete(KEY, CALL);
  await store.delete(KEY, CALL);
  assert.equal(await store.get(KEY, CALL), null);
  assert.deepEqual(await store.accounts(), []);
});

testWithSecretService("Secret Service: a long value travels in parts", async (service, home) => {
  const options = {
    profileName: "work",
    directory: `${home}/gum/work`,
    environment: environmentWith(service),
  };
  const store = openCredentialStore(options);
  const account = serviceAccountAccount("work");
  const long = JSON.stringify({ key: "x".repeat(5000), umlaut: "ä" });
  await store.set(account, secret(long), CALL);
  // A store of another process sees the same.
  assert.equal((await openCredentialStore(options).get(account, CALL))?.reveal(), long);
  await store.set(account, secret("short"), CALL);
  assert.equal((await openCredentialStore(options).get(account, CALL))?.reveal(), "short");
});

testWithSecretService(
  "TestAuthKeychainStorageOnly: no file under HOME holds the value, in the keychain or the vault",
  async (service, home) => {
    const directory = `${home}/gum/work`;
    const log = recordingLogger();
    const environment = environmentWith(service, { GUM_VAULT_KEY: TEST_VAULT_KEY });
    const store = openCredentialStore({ profileName: "work", directory, environment, log });
    await store.set(KEY, secret(CANARY), CALL);
    await assertNowhere(home, CANARY);
    const moved = await administerStore({ profileName: "work", directory, environment, log })
      .migrate({ to: "vault", ...CALL });
    assert.deepEqual([moved.from, moved.to, moved.moved], ["secret-service", "vault", [KEY]]);
    assert.equal((await store.get(KEY, CALL))?.reveal(), CANARY);
    await assertNowhere(home, CANARY);
    // The old place holds nothing any more.
    const old = openCredentialStore({
      profileName: "work",
      directory: `${home}/elsewhere`,
      environment,
      choice: "keychain",
    });
    assert.equal(await old.get(KEY, CALL), null);
    const back = await administerStore({ profileName: "work", directory, environment, log })
      .migrate({ to: "keychain", ...CALL });
    assert.deepEqual(back.moved, [KEY]);
    assert.equal((await store.get(KEY, CALL))?.reveal(), CANARY);
    await assert.rejects(Deno.stat(`${directory}/credentials.vault`), Deno.errors.NotFound);
    assert.ok(!log.text().includes(CANARY));
  },
);

testWithSecretService(
  "a move out of the vault leaves nothing behind that only the vault knows of",
  async (service, home) => {
    const directory = `${home}/gum/work`;
    const environment = environmentWith(service, { GUM_VAULT_KEY: TEST_VAULT_KEY });
    const options = { profileName: "work", directory, environment };
    const forced = openCredentialStore({ ...options, choice: "vault" });
    const plugin = pluginCredentialAccount("work", { plugin: "notes", alias: "token" });
    for (const account of [KEY, plugin]) await forced.set(account, secret(CANARY), CALL);
    // What a damaged marker's own advice leads to: it is removed, and begun anew.
    await Deno.remove(`${directory}/credential-store.json`);
    await forced.set(KEY, secret(CANARY), CALL);
    const moved = await administerStore(options).migrate({ to: "keychain", ...CALL });
    assert.deepEqual(moved.moved, [KEY, plugin]);
    const store = openCredentialStore(options);
    assert.equal((await store.get(plugin, CALL))?.reveal(), CANARY);
  },
);

/** No file below `folder` has the text, or its base64url form, in it. */
async function assertNowhere(folder: string, text: string): Promise<void> {
  const forms = [text, btoa(unescape(encodeURIComponent(text))).slice(0, 24)];
  let files = 0;
  const walk = async (path: string): Promise<void> => {
    for await (const entry of Deno.readDir(path)) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory) await walk(inner);
      else if (entry.isFile) {
        files++;
        const content = new TextDecoder("latin1").decode(await Deno.readFile(inner));
        for (const form of forms) assert.ok(!content.includes(form), inner);
      }
    }
  };
  await walk(folder);
  assert.ok(files > 2, "the walk found the files");
}

Deno.test({
  name: "TestAuthKeychainUnavailable: a keyring that would ask for its password does not hang",
  ignore: secretServiceMissing() !== undefined,
  async fn() {
    await withTempFolder(async (home) => {
      {
        // The keyring exists with its password, then the session ends.
        await using first = await startSecretService(home);
        const begun = openCredentialStore({
          profileName: "work",
          directory: `${home}/before`,
          environment: environmentWith(first),
        });
        await begun.set(KEY, secret("before"), CALL);
      }
      await using service = await startSecretService(home, { unlocked: false });
      const store = openCredentialStore({
        profileName: "work",
        directory: `${home}/gum/work`,
        environment: environmentWith(service),
        timeoutMs: 1_500,
      });
      const error = await store.set(KEY, secret(CANARY), CALL).then(() => undefined, (e) => e);
      const refusal = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
      assert.ok(refusal, String(error));
      assert.ok(["locked", "timeout"].includes(String(refusal.details.reason)), refusal.message);
      assert.ok(!JSON.stringify(refusal.toEnvelope()).includes(CANARY));
      // What is in there counts as locked, not as absent.
      for (const attempt of [() => store.get(KEY, CALL), () => store.delete(KEY, CALL)]) {
        const thrown = await attempt().then(() => undefined, (e) => e);
        assert.equal(findGumError(thrown)?.details.reason, "locked", String(thrown));
      }
      // Nothing was written down as if it had worked.
      await assert.rejects(
        Deno.stat(`${home}/gum/work/credential-store.json`),
        Deno.errors.NotFound,
      );
    });
  },
});

Deno.test("TestAuthKeychainUnavailable: no tool, no bus, and never a fallback", async () => {
  await withTempFolder(async (home) => {
    const at = (variables: Record<string, string>) =>
      openCredentialStore({
        profileName: "work",
        directory: `${home}/gum/work`,
        environment: environmentOf(variables),
        os: "linux",
      });
    const cases: [Record<string, string>, string][] = [
      [{ PATH: `${home}/empty`, DBUS_SESSION_BUS_ADDRESS: "unix:path=/x" }, "tool_missing"],
      [{ PATH: await toolFolder(home, "exit 0"), XDG_RUNTIME_DIR: home }, "service_unreachable"],
    ];
    for (const [variables, reason] of cases) {
      const store = at(variables);
      assert.deepEqual(
        [(await store.probe(CALL)).available, (await store.probe(CALL)).reason],
        [false, reason],
      );
      for (
        const attempt of [
          () => store.get(KEY, CALL),
          () => store.set(KEY, secret(CANARY), CALL),
          () => store.delete(KEY, CALL),
        ]
      ) {
        const error = await attempt().then(() => undefined, (e) => e);
        const envelope = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")?.toEnvelope();
        assert.ok(envelope, String(error));
        assert.equal(envelope.backend, "secret-service");
        assert.equal(envelope.reason, reason);
        assert.equal(envelope.setup_command, "gum auth use-adc");
        assert.match(String(envelope.user_message), /gum auth use-adc/);
        assert.match(String(envelope.suggestion), /gum auth vault init/);
        assert.ok(!JSON.stringify(envelope).includes(CANARY));
      }
    }
  });
});

Deno.test("TestAuthKeychainUnavailable: a tool that hangs, and one that quotes the value", async () => {
  await withTempFolder(async (home) => {
    const store = (PATH: string) =>
      openCredentialStore({
        profileName: "work",
        directory: `${home}/gum/work`,
        environment: environmentOf({ PATH, DBUS_SESSION_BUS_ADDRESS: "unix:path=/x" }),
        choice: "keychain",
        os: "linux",
        timeoutMs: 300,
      });
    const hanging = await toolFolder(home, "exec /bin/sleep 30");
    const slow = await store(hanging).get(KEY, CALL).then(() => undefined, (e) => e);
    assert.equal(findGumError(slow)?.details.reason, "timeout");
    const quoting = await toolFolder(home, 'if [ "$1" = store ]; then cat >&2; exit 1; fi; exit 1');
    const loud = await store(`${quoting}:/bin:/usr/bin`).set(KEY, secret("plain"), CALL)
      .then(() => undefined, (e) => e);
    assert.ok(isGumError(loud, "AUTH_KEYCHAIN_UNAVAILABLE"));
    assert.match(String(loud), /\[redacted\]/);
    assert.ok(!String(loud).includes("cGxhaW4"));
  });
});

async function toolFolder(home: string, script: string): Promise<string> {
  const folder = await Deno.makeTempDir({ dir: home });
  await Deno.writeTextFile(`${folder}/secret-tool`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

testWithSecretService(
  "Secret Service: the marked place is used or nothing is",
  async (service, home) => {
    const directory = `${home}/gum/work`;
    const reachable = environmentWith(service);
    await openCredentialStore({ profileName: "work", directory, environment: reachable })
      .set(KEY, secret(CANARY), CALL);
    // The keychain is gone and a vault key is at hand: still no hop to a vault.
    const store = openCredentialStore({
      profileName: "work",
      directory,
      environment: environmentOf({ PATH: `${home}/none`, GUM_VAULT_KEY: TEST_VAULT_KEY }),
    });
    const error = await store.get(KEY, CALL).then(() => undefined, (e) => e);
    assert.equal(
      findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")?.details.backend,
      "secret-service",
    );
    await assert.rejects(Deno.stat(`${directory}/credentials.vault`), Deno.errors.NotFound);
  },
);
