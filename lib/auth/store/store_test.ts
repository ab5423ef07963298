import assert from "node:assert/strict";
import fc from "fast-check";
import type { Clock } from "../../clock/mod.ts";
import { findGumError } from "../../errors/mod.ts";
import { secret } from "../secret.ts";
import {
  apiKeyAccount,
  byoGrantAccount,
  encodeNamePart,
  pluginCredentialAccount,
} from "./account_names.ts";
import { encodedText, entriesOver } from "./entries.ts";
import type { CredentialBackend } from "./types.ts";
import {
  CALL,
  recordingLogger,
  TEST_VAULT_KEY,
  vaultStore,
  withTempFolder,
} from "./testing/folder.ts";
import { securityAddLine, securityExitReason, securityFindArguments } from "./macos_keychain.ts";
import {
  credentialScriptArguments,
  encodedCommand,
  parseCredentialReply,
  win32Reason,
} from "./windows_credentials.ts";

const KEY = apiKeyAccount("work");

Deno.test("TestPluginSpawnKeyringIsProfileScoped: no two entries share a name", async () => {
  assert.equal(apiKeyAccount("a.b"), "gum.api_key.a%2Eb");
  assert.equal(
    await byoGrantAccount("work", "client"),
    "gum.byo_oauth.work.948fe603f61dc036b5c596dc09fe3ce3f3d30dc90f024c85f3c82db2ccab679d",
  );
  const part = fc.string({ minLength: 1, maxLength: 12 });
  fc.assert(fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (one, other) => {
    const name = ([profile, plugin, alias]: [string, string, string]) =>
      pluginCredentialAccount(profile, { plugin, alias });
    assert.match(name(one), /^[A-Za-z0-9._%~-]+$/);
    const same = one.every((text, index) => wellFormed(text) === wellFormed(other[index] ?? ""));
    assert.equal(name(one) === name(other), same);
  }));
  assert.equal(encodeNamePart("ä/b"), "%C3%A4%2Fb");
});

// Lone surrogates all become the same replacement character in UTF-8.
function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** A backend in memory with short values, to see what the layer above does with it. */
function shortBackend(longestValue = 16): CredentialBackend & { items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    name: "secret-service",
    longestValue,
    items,
    get: (account) => Promise.resolve(items.get(account) ?? null),
    set(account, value) {
      assert.ok(value.length <= Math.max(longestValue, 100), "a value is too long");
      items.set(account, value);
      return Promise.resolve();
    },
    delete(account) {
      items.delete(account);
      return Promise.resolve();
    },
    probe: () => Promise.resolve({ available: true }),
  };
}

Deno.test("entries: any text comes back, long or short, and leaves no part behind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 80 }), { minLength: 1 }), async (texts) => {
      const backend = shortBackend();
      const entries = entriesOver(backend);
      for (const text of texts) {
        await entries.set(KEY, secret(text), CALL);
        assert.equal((await entries.get(KEY, CALL))?.reveal(), text.toWellFormed());
      }
      const last = encodedText(texts.at(-1) ?? "").length;
      assert.equal(backend.items.size, last <= 16 ? 1 : 1 + Math.ceil(last / 16));
      await entries.delete(KEY, CALL);
      assert.deepEqual([...backend.items], []);
    }),
    { numRuns: 60 },
  );
});

Deno.test("entries: a torn write leaves the old value, a damaged one counts as absent", async () => {
  const backend = shortBackend();
  const log = recordingLogger();
  const entries = entriesOver(backend, { log });
  await entries.set(KEY, secret("the old value, long enough"), CALL);
  // Killed after the parts of the next write and before its head.
  const torn = { ...backend, set: backend.set };
  let left = 2;
  torn.set = (account, value, call) => {
    if (left-- === 0) return Promise.reject(new Error("killed"));
    return backend.set(account, value, call);
  };
  await assert.rejects(entriesOver(torn).set(KEY, secret("the new value, long enough"), CALL));
  assert.equal((await entries.get(KEY, CALL))?.reveal(), "the old value, long enough");
  const part = [...backend.items.keys()].find((name) => name.endsWith(".1")) ?? "";
  backend.items.set(part, "changed");
  const head = backend.items.get(KEY) ?? "";
  if (head.includes(part.split("~")[1]?.split(".")[0] ?? "?")) {
    assert.equal(await entries.get(KEY, CALL), null);
    assert.match(log.text(), /damaged/);
  }
  backend.items.set(KEY, "gum1:%%%");
  assert.equal(await entries.get(KEY, CALL), null);
  backend.items.set(KEY, "written by hand");
  assert.equal((await entries.get(KEY, CALL))?.reveal(), "written by hand");
});

Deno.test("store: values are remembered only while nothing was written, for 30 s", async () => {
  await withTempFolder(async (folder) => {
    let now = 0;
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
    const reader = vaultStore(folder, { clock });
    const writer = vaultStore(folder);
    await writer.set(KEY, secret("one"), CALL);
    assert.equal((await reader.get(KEY, CALL))?.reveal(), "one");
    // A change behind the store's back is not seen at once, but after 30 s.
    const path = `${folder}/gum/work/credentials.vault`;
    await Deno.writeTextFile(path, "damaged");
    assert.equal((await reader.get(KEY, CALL))?.reveal(), "one");
    now += 30_000;
    await assert.rejects(reader.get(KEY, CALL));
    await assert.rejects(reader.get(KEY, CALL), "a stale copy is not brought back");
    await Deno.remove(path);
    await Deno.remove(`${folder}/gum/work/credential-store.json`);
    await writer.set(KEY, secret("two"), CALL);
    assert.equal((await reader.get(KEY, CALL))?.reveal(), "two");
  });
});

Deno.test("store: exclusive sections follow one another, and their writes count as one", async () => {
  await withTempFolder(async (folder) => {
    const stores = [vaultStore(folder), vaultStore(folder), vaultStore(folder)];
    await stores[0]?.set(KEY, secret("0"), CALL);
    await Promise.all(
      stores.flatMap((store) =>
        [1, 2, 3].map(() =>
          store.exclusive(async (entries) => {
            const count = Number((await entries.get(KEY, CALL))?.reveal());
            await entries.set(KEY, secret(String(count + 1)), CALL);
          }, CALL)
        )
      ),
    );
    assert.equal((await vaultStore(folder).get(KEY, CALL))?.reveal(), "9");
    const generation = await stores[0]?.generation();
    await stores[0]?.exclusive((entries) => entries.get(KEY, CALL), CALL);
    assert.equal(await stores[0]?.generation(), generation, "reading changes nothing");
  });
});

const WRITER = `
import { openCredentialStore } from ${JSON.stringify(new URL("store.ts", import.meta.url).href)};
import { environmentOf } from ${
  JSON.stringify(new URL("../../config/environment.ts", import.meta.url).href)
};
import { secret } from ${JSON.stringify(new URL("../secret.ts", import.meta.url).href)};
const [directory, name] = Deno.args;
const signal = new AbortController().signal;
const store = openCredentialStore({
  profileName: "work", directory, choice: "vault",
  environment: environmentOf({ GUM_VAULT_KEY: "${TEST_VAULT_KEY}" }),
});
for (let index = 0; index < 6; index++) {
  await store.set(\`gum.plugin.work.\${name}.\${index}\`, secret(\`\${name} \${index}\`), { signal });
}
`;

Deno.test("store: several processes write one vault and lose nothing", async () => {
  await withTempFolder(async (folder) => {
    const script = `${folder}/writer.ts`;
    const directory = `${folder}/gum/work`;
    await Deno.writeTextFile(script, WRITER);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const names = ["a", "b", "c", "d"];
    const ends = await Promise.all(names.map((name) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-q", "-A", "--no-check", `--config=${config}`, script, directory, name],
        stdout: "null",
        stderr: "piped",
      }).output()
    ));
    for (const end of ends) assert.equal(end.code, 0, new TextDecoder().decode(end.stderr));
    const store = vaultStore(folder);
    for (const name of names) {
      for (let index = 0; index < 6; index++) {
        const value = await store.get(`gum.plugin.work.${name}.${index}`, CALL);
        assert.equal(value?.reveal(), `${name} ${index}`);
      }
    }
    assert.equal((await store.accounts()).length, 24);
  });
});

Deno.test("store: waiting for a held lock ends with the call", async () => {
  await withTempFolder(async (folder) => {
    const store = vaultStore(folder);
    await store.set(KEY, secret("v"), CALL);
    using lock = await Deno.open(`${folder}/gum/work/auth.lock`, { write: true });
    await lock.lock(true);
    const controller = new AbortController();
    const waiting = store.set(KEY, secret("w"), { signal: controller.signal });
    controller.abort(new Error("given up"));
    await assert.rejects(waiting, /given up/);
    const hurried = vaultStore(folder, { lockTimeoutMs: 50 });
    const error = await hurried.set(KEY, secret("w"), CALL).then(() => {}, (thrown) => thrown);
    const busy = findGumError(error, "SERVICE_DOWN");
    assert.deepEqual(
      [busy?.retryable, busy?.details.source_error_code],
      [true, "AUTH_STORE_BUSY"],
    );
    assert.equal((await hurried.get(KEY, CALL))?.reveal(), "v", "reading needs no lock");
    await lock.unlock();
  });
});

Deno.test({
  name: "TestAuthKeychainUnavailable: a data directory that cannot be written",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTempFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/gum`, "a file where the folder should be");
      const error = await vaultStore(folder).set(KEY, secret("v"), CALL).then(() => {}, (e) => e);
      assert.equal(findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE")?.details.reason, "read_only");
      const homeless = vaultStore(folder, { directory: undefined });
      const none = await homeless.get(KEY, CALL).then(() => {}, (e) => e);
      assert.equal(findGumError(none, "AUTH_KEYCHAIN_UNAVAILABLE")?.details.reason, "read_only");
    });
  },
});

Deno.test("TestAuthKeychainUnavailable: a data folder that cannot be read is said to be that", async () => {
  await withTempFolder(async (folder) => {
    // Root may read everything, but nobody looks into a file as if it were a folder.
    await Deno.writeTextFile(`${folder}/gum`, "");
    for (const choice of ["auto", "vault"] as const) {
      const store = vaultStore(folder, { choice });
      const error = await store.get(KEY, CALL).then(() => assert.fail("it worked"), (why) => why);
      const known = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
      assert.equal(known?.details.reason, "denied");
      assert.match(known?.suggestion ?? "", /owns the data directory/);
      assert.equal((await store.probe(CALL)).available, false);
    }
  });
});

Deno.test("store: a damaged marker refuses instead of choosing anew", async () => {
  await withTempFolder(async (folder) => {
    const auto = { choice: "auto" as const, os: "linux" };
    await vaultStore(folder, auto).set(KEY, secret("v"), CALL);
    const marker = `${folder}/gum/work/credential-store.json`;
    for (const text of ["{", '{"v":1,"backend":"floppy"}', '{"v":2,"backend":"vault"}']) {
      await Deno.writeTextFile(marker, text);
      const error = await vaultStore(folder, auto).get(KEY, CALL).then(() => {}, (e) => e);
      assert.match(String(findGumError(error)?.message), /credential-store\.json is damaged/);
    }
    await Deno.writeTextFile(marker, '{"v":1,"backend":"macos-keychain"}');
    const error = await vaultStore(folder, auto).get(KEY, CALL).then(() => {}, (e) => e);
    assert.equal(findGumError(error)?.details.reason, "unsupported_platform");
  });
});

Deno.test("macOS: requests, exit codes, and a tool that is not there", async () => {
  assert.deepEqual(securityFindArguments("a"), [
    "find-generic-password",
    "-s",
    "gum",
    "-a",
    "a",
    "-w",
  ]);
  const longest = securityAddLine(apiKeyAccount("x".repeat(64)), "v".repeat(2048));
  assert.ok(longest.length < 4000 && longest.endsWith('"\n'));
  assert.deepEqual([36, 51, 128, 1].map(securityExitReason), [
    "locked",
    "locked",
    "denied",
    "service_unreachable",
  ]);
  if (Deno.build.os === "darwin") return;
  await withTempFolder(async (folder) => {
    const store = vaultStore(folder, { choice: "keychain", os: "darwin" });
    assert.deepEqual(await store.probe(CALL), {
      backend: "macos-keychain",
      available: false,
      reason: "tool_missing",
      detail: "/usr/bin/security is not there",
    });
  });
});

Deno.test("Windows: the script is fixed, the reply is checked", () => {
  const args = credentialScriptArguments();
  assert.deepEqual(args.slice(0, 3), ["-NoProfile", "-NonInteractive", "-EncodedCommand"]);
  assert.deepEqual(credentialScriptArguments(), args);
  assert.equal(encodedCommand("hi"), "aABpAA==");
  assert.ok((args[3]?.length ?? 0) < 32_000, "a command line has room for it");
  assert.deepEqual(parseCredentialReply('{"ok":true,"found":true,"value":"v"}'), {
    ok: true,
    found: true,
    value: "v",
  });
  assert.deepEqual(parseCredentialReply('{"ok":true,"found":false}'), { ok: true, found: false });
  assert.deepEqual(parseCredentialReply('{"ok":false,"code":5}'), { ok: false, code: 5 });
  for (const text of ["", "null", "[]", "Error: at line 1"]) {
    assert.equal(parseCredentialReply(text), undefined);
  }
  assert.deepEqual([5, 1312, 2].map(win32Reason), ["denied", "locked", "service_unreachable"]);
});
