import assert from "node:assert/strict";
import { systemClock } from "../../../clock/mod.ts";
import { environmentOf } from "../../../config/environment.ts";
import { findGumError, type GumError } from "../../../errors/mod.ts";
import { silentLogger } from "../../../log/mod.ts";
import { secret } from "../../secret.ts";
import { administerStore } from "../administration.ts";
import { apiKeyAccount, developerTokenAccount } from "../account_names.ts";
import { openCredentialStore } from "../store.ts";
import {
  CALL,
  recordingLogger,
  TEST_VAULT_KEY,
  vaultStore,
  withTempFolder,
} from "../testing/folder.ts";
import { vaultBackend } from "./mod.ts";

const KEY = apiKeyAccount("work");
const CANARY = "canary-9f8e7d6c5b4a";
const PASSPHRASE = "correct horse battery staple";

async function refusal(work: Promise<unknown>): Promise<GumError> {
  const error = await work.then(() => undefined, (thrown) => thrown);
  const found = findGumError(error, "AUTH_KEYCHAIN_UNAVAILABLE");
  assert.ok(found, `expected a refusal, got ${error}`);
  assert.ok(!JSON.stringify(found.toEnvelope()).includes(CANARY));
  assert.ok(!Deno.inspect(found).includes(CANARY));
  return found;
}

const vaultPath = (folder: string) => `${folder}/gum/work/credentials.vault`;

Deno.test("vault: values come back, survive a restart, and are ciphertext on disk", async () => {
  await withTempFolder(async (folder) => {
    const store = vaultStore(folder);
    assert.equal(await store.get(KEY, CALL), null);
    await store.set(KEY, secret(CANARY), CALL);
    await store.set(developerTokenAccount("work"), secret("x".repeat(9000)), CALL);
    const again = vaultStore(folder);
    assert.equal((await again.get(KEY, CALL))?.reveal(), CANARY);
    assert.equal((await again.get(developerTokenAccount("work"), CALL))?.reveal().length, 9000);
    const text = await Deno.readTextFile(vaultPath(folder));
    assert.ok(!text.includes(CANARY) && !text.includes(KEY));
    assert.equal(((await Deno.stat(vaultPath(folder))).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(`${folder}/gum/work`)).mode ?? 0) & 0o777, 0o700);
    await again.delete(KEY, CALL);
    assert.equal(await vaultStore(folder).get(KEY, CALL), null);
  });
});

Deno.test("vault: every write has nonces of its own", async () => {
  await withTempFolder(async (folder) => {
    const store = vaultStore(folder);
    const seen = new Set<string>();
    for (let round = 0; round < 5; round++) {
      await store.set(KEY, secret(CANARY), CALL);
      seen.add(JSON.parse(await Deno.readTextFile(vaultPath(folder))).payload.iv);
    }
    assert.equal(seen.size, 5);
  });
});

for (const kdf of ["scrypt", "pbkdf2-sha256"] as const) {
  Deno.test(`vault: a passphrase through ${kdf}; the wrong one is refused`, async () => {
    await withTempFolder(async (folder) => {
      const at = (variables: Record<string, string>) => ({
        profileName: "work",
        directory: `${folder}/gum/work`,
        environment: environmentOf(variables),
      });
      const right = at({ GUM_VAULT_PASSPHRASE: PASSPHRASE });
      const header = await administerStore(right).initVault({ kdf, ...CALL });
      assert.deepEqual([header.kdf, header.inUse], [kdf, true]);
      await openCredentialStore(right).set(KEY, secret(CANARY), CALL);
      const fresh = openCredentialStore(at({ GUM_VAULT_PASSPHRASE: PASSPHRASE }));
      assert.equal((await fresh.get(KEY, CALL))?.reveal(), CANARY);
      const wrong = openCredentialStore(at({ GUM_VAULT_PASSPHRASE: `${PASSPHRASE}!` }));
      assert.equal((await refusal(wrong.get(KEY, CALL))).details.reason, "vault_locked");
      const before = await Deno.readFile(vaultPath(folder));
      await refusal(wrong.set(KEY, secret("other"), CALL));
      assert.deepEqual(await Deno.readFile(vaultPath(folder)), before);
      // The other kind of key names the kind that is expected.
      const raw = openCredentialStore(at({ GUM_VAULT_KEY: TEST_VAULT_KEY }));
      assert.match((await refusal(raw.get(KEY, CALL))).message, /passphrase/);
      const none = openCredentialStore(at({}));
      assert.equal((await refusal(none.get(KEY, CALL))).details.reason, "vault_locked");
    });
  });
}

Deno.test("vault: the scrypt result is that of another implementation", async () => {
  // Independent: the whole file is opened with node:crypto alone.
  await withTempFolder(async (folder) => {
    const store = vaultStore(folder, { variables: { GUM_VAULT_PASSPHRASE: PASSPHRASE } });
    await store.set(KEY, secret(CANARY), CALL);
    const vault = JSON.parse(await Deno.readTextFile(vaultPath(folder)));
    assert.deepEqual({ ...vault.kdf, salt: "" }, {
      name: "scrypt",
      N: 32768,
      r: 8,
      p: 3,
      salt: "",
    });
    const { createDecipheriv, scryptSync } = await import("node:crypto");
    const bytes = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const open = (
      key: Uint8Array,
      sealed: { iv: string; ct: string },
      aad: string,
    ) => {
      const ct = bytes(sealed.ct);
      const decipher = createDecipheriv("aes-256-gcm", key, bytes(sealed.iv));
      decipher.setAAD(new TextEncoder().encode(aad));
      decipher.setAuthTag(ct.slice(-16));
      const parts = [decipher.update(ct.slice(0, -16)), decipher.final()];
      return new Uint8Array(parts.flatMap((part) => [...part]));
    };
    const { N, r, p, salt } = vault.kdf;
    const kek = scryptSync(PASSPHRASE, bytes(salt), 32, { N, r, p, maxmem: 256 * N * r });
    const kdfText = `"kdf":{"N":${N},"name":"scrypt","p":${p},"r":${r},"salt":"${salt}"}`;
    const dek = open(
      kek,
      vault.dek,
      `{"format":"gum-vault",${kdfText},"profile":"work","version":1}`,
    );
    const dekText = `"dek":{"ct":"${vault.dek.ct}","iv":"${vault.dek.iv}"}`;
    const payload = open(
      dek,
      vault.payload,
      `{${dekText},"format":"gum-vault",${kdfText},"profile":"work","version":1}`,
    );
    const entries = JSON.parse(new TextDecoder().decode(payload));
    assert.equal(entries[KEY], `gum1:${btoa(CANARY).replaceAll("=", "")}`);
  });
});

Deno.test("vault: damage and tampering are refused and never repaired", async () => {
  await withTempFolder(async (folder) => {
    await vaultStore(folder).set(KEY, secret(CANARY), CALL);
    const path = vaultPath(folder);
    const good = await Deno.readTextFile(path);
    const parsed = JSON.parse(good);
    const edited = (change: (vault: typeof parsed) => void): string => {
      const copy = structuredClone(parsed);
      change(copy);
      return JSON.stringify(copy);
    };
    const flip = (text: string) => (text[0] === "A" ? "B" : "A") + text.slice(1);
    const scrypt = { name: "scrypt", N: 32768, r: 8, p: 3, salt: parsed.kdf.salt };
    const cases: [string, string, string][] = [
      ["truncated", good.slice(0, good.length / 2), "vault_corrupt"],
      ["empty", "", "vault_corrupt"],
      ["not an object", "[]", "vault_corrupt"],
      ["payload changed", edited((v) => v.payload.ct = flip(v.payload.ct)), "vault_locked"],
      ["data key changed", edited((v) => v.dek.ct = flip(v.dek.ct)), "vault_locked"],
      ["salt changed", edited((v) => v.kdf.salt = flip(v.kdf.salt)), "vault_locked"],
      ["version", edited((v) => v.version = 2), "vault_corrupt"],
      ["unknown kdf", edited((v) => v.kdf.name = "md5"), "vault_corrupt"],
      ["cheap scrypt", edited((v) => v.kdf = { ...scrypt, N: 1024 }), "vault_corrupt"],
      ["huge scrypt", edited((v) => v.kdf = { ...scrypt, N: 2 ** 22 }), "vault_corrupt"],
      ["odd scrypt", edited((v) => v.kdf = { ...scrypt, N: 40_000 }), "vault_corrupt"],
      ["wide scrypt", edited((v) => v.kdf = { ...scrypt, p: 9 }), "vault_corrupt"],
      [
        "cheap pbkdf2",
        edited((v) => v.kdf = { name: "pbkdf2-sha256", iterations: 1000, salt: v.kdf.salt }),
        "vault_corrupt",
      ],
      ["short data key", edited((v) => v.dek.ct = v.dek.ct.slice(0, 8)), "vault_corrupt"],
    ];
    for (const [what, text, reason] of cases) {
      await Deno.writeTextFile(path, text);
      assert.equal((await refusal(vaultStore(folder).get(KEY, CALL))).details.reason, reason, what);
      await refusal(vaultStore(folder).set(KEY, secret("new"), CALL));
      await refusal(vaultStore(folder).delete(KEY, CALL));
      assert.equal(await Deno.readTextFile(path), text, `${what} was left alone`);
    }
    await Deno.writeTextFile(path, good);
    assert.equal((await vaultStore(folder).get(KEY, CALL))?.reveal(), CANARY);
  });
});

Deno.test("vault: a copy does not open under another profile", async () => {
  await withTempFolder(async (folder) => {
    await vaultStore(folder).set(KEY, secret(CANARY), CALL);
    await Deno.mkdir(`${folder}/gum/home`, { recursive: true });
    const stolen = `${folder}/gum/home/credentials.vault`;
    const text = await Deno.readTextFile(vaultPath(folder));
    for (const copy of [text, text.replace('"profile": "work"', '"profile": "home"')]) {
      await Deno.writeTextFile(stolen, copy, { mode: 0o600 });
      const other = vaultStore(folder, { profileName: "home", directory: `${folder}/gum/home` });
      assert.equal((await refusal(other.get(KEY, CALL))).details.reason, "vault_locked");
    }
  });
});

Deno.test({
  name: "vault: a symbolic link is refused, a loose mode is tightened with a warning",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTempFolder(async (folder) => {
      const log = recordingLogger();
      await vaultStore(folder).set(KEY, secret(CANARY), CALL);
      const path = vaultPath(folder);
      await Deno.chmod(path, 0o644);
      assert.equal((await vaultStore(folder, { log }).get(KEY, CALL))?.reveal(), CANARY);
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
      assert.match(log.text(), /mode set to 600/);
      await Deno.rename(path, `${folder}/real.vault`);
      await Deno.symlink(`${folder}/real.vault`, path);
      const linked = await refusal(vaultStore(folder).get(KEY, CALL));
      assert.match(linked.message, /symbolic link/);
      await refusal(vaultStore(folder).set(KEY, secret("new"), CALL));
      await Deno.remove(path);
      await Deno.mkdir(path);
      assert.match((await refusal(vaultStore(folder).get(KEY, CALL))).message, /regular file/);
      if (Deno.uid() !== 0) return;
      await Deno.remove(path);
      await Deno.rename(`${folder}/real.vault`, path);
      await Deno.chown(path, 12345, 12345);
      const foreign = await refusal(vaultStore(folder).get(KEY, CALL));
      assert.match(foreign.message, /someone else/);
      assert.match(foreign.suggestion, /chown/);
      assert.doesNotMatch(foreign.suggestion, /move it away/, "the vault is sound");
    });
  },
});

Deno.test({
  name: "vault: the passphrase file must be private, plain and not empty",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTempFolder(async (folder) => {
      const file = `${folder}/passphrase`;
      const store = () => vaultStore(folder, { variables: { GUM_VAULT_PASSPHRASE_FILE: file } });
      await Deno.writeTextFile(file, `${PASSPHRASE}\n`, { mode: 0o644 });
      const loose = await refusal(store().set(KEY, secret("v"), CALL));
      assert.match(loose.message, /by others/);
      assert.match(loose.suggestion, /chmod 600.*GUM_VAULT_PASSPHRASE=/);
      await Deno.chmod(file, 0o600);
      await store().set(KEY, secret(CANARY), CALL);
      // The line end does not count.
      const plain = vaultStore(folder, { variables: { GUM_VAULT_PASSPHRASE: PASSPHRASE } });
      assert.equal((await plain.get(KEY, CALL))?.reveal(), CANARY);
      await Deno.writeTextFile(file, "");
      assert.match((await refusal(store().get(KEY, CALL))).message, /empty/);
      await Deno.remove(file);
      assert.match((await refusal(store().get(KEY, CALL))).message, /cannot be read/);
      await Deno.symlink(`${folder}/elsewhere`, file);
      await refusal(store().get(KEY, CALL));
      // A pipe does not make the reader wait.
      await Deno.remove(file);
      await new Deno.Command("mkfifo", { args: ["-m", "600", file] }).output();
      assert.match((await refusal(store().get(KEY, CALL))).message, /regular file/);
    });
  },
});

Deno.test("vault: short passphrases and malformed keys begin nothing", async () => {
  await withTempFolder(async (folder) => {
    const cases = [
      { GUM_VAULT_PASSPHRASE: "too short" },
      { GUM_VAULT_KEY: "AAEC" },
      { GUM_VAULT_KEY: "not base64 !" },
    ];
    for (const variables of cases) {
      const error = await refusal(vaultStore(folder, { variables }).set(KEY, secret("v"), CALL));
      for (const value of Object.values(variables)) assert.ok(!error.message.includes(value));
      await assert.rejects(Deno.stat(vaultPath(folder)), Deno.errors.NotFound);
    }
  });
});

Deno.test("vault: variables are taken out of the environment when they are read", async () => {
  await withTempFolder(async (folder) => {
    const { processEnvironment } = await import("../../../config/environment.ts");
    Deno.env.set("GUM_VAULT_KEY", TEST_VAULT_KEY);
    try {
      const store = vaultStore(folder, { environment: processEnvironment() });
      await store.set(KEY, secret(CANARY), CALL);
      assert.equal(Deno.env.get("GUM_VAULT_KEY"), undefined);
      // A second unlock in this process still has it.
      await administerStore({
        profileName: "work",
        directory: `${folder}/gum/work`,
        environment: environmentOf({ GUM_VAULT_KEY: TEST_VAULT_KEY }),
        choice: "vault",
      }).rekeyVault({
        kdf: "scrypt",
        newKey: {
          profileName: "work",
          environment: environmentOf({ GUM_VAULT_KEY: TEST_VAULT_KEY }),
        },
        ...CALL,
      });
      assert.equal((await store.get(KEY, CALL))?.reveal(), CANARY);
    } finally {
      Deno.env.delete("GUM_VAULT_KEY");
    }
  });
});

Deno.test("vault: rekey changes both keys and locks the old one out", async () => {
  await withTempFolder(async (folder) => {
    const old = { GUM_VAULT_PASSPHRASE: PASSPHRASE };
    const store = vaultStore(folder, { variables: old });
    await store.set(KEY, secret(CANARY), CALL);
    const before = JSON.parse(await Deno.readTextFile(vaultPath(folder)));
    const header = await administerStore({
      profileName: "work",
      directory: `${folder}/gum/work`,
      environment: environmentOf(old),
      choice: "vault",
    }).rekeyVault({
      kdf: "scrypt",
      newKey: {
        profileName: "work",
        environment: environmentOf({ GUM_VAULT_KEY: TEST_VAULT_KEY }),
      },
      ...CALL,
    });
    assert.equal(header.kdf, "hkdf-sha256");
    const after = JSON.parse(await Deno.readTextFile(vaultPath(folder)));
    assert.notEqual(after.dek.ct, before.dek.ct);
    await refusal(vaultStore(folder, { variables: old }).get(KEY, CALL));
    await refusal(store.get(KEY, CALL)); // even the process that had it open
    assert.equal((await vaultStore(folder).get(KEY, CALL))?.reveal(), CANARY);
  });
});

Deno.test("vault: what is left of an interrupted write does no harm", async () => {
  await withTempFolder(async (folder) => {
    await vaultStore(folder).set(KEY, secret(CANARY), CALL);
    const left = `${vaultPath(folder)}.0123456789ab.tmp`;
    await Deno.writeTextFile(left, '{"format":"gum-vault","version":1,"prof');
    assert.equal((await vaultStore(folder).get(KEY, CALL))?.reveal(), CANARY);
    await vaultStore(folder).set(KEY, secret("next"), CALL);
    assert.equal((await vaultStore(folder).get(KEY, CALL))?.reveal(), "next");
  });
});

Deno.test("vault: a vault that is known and missing is damage, not a beginning", async () => {
  await withTempFolder(async (folder) => {
    const auto = { choice: "auto" as const, os: "linux" };
    await vaultStore(folder, auto).set(KEY, secret(CANARY), CALL);
    await Deno.remove(vaultPath(folder));
    assert.equal(
      (await refusal(vaultStore(folder, auto).get(KEY, CALL))).details.reason,
      "vault_corrupt",
    );
    await refusal(vaultStore(folder, auto).set(KEY, secret("v"), CALL));
    await assert.rejects(Deno.stat(vaultPath(folder)), Deno.errors.NotFound);
  });
});

Deno.test("vault: a file that the system keeps back is denied, not absent and not some other error", async () => {
  await withTempFolder(async (folder) => {
    // Root may read everything, but nobody looks into a file as if it were a folder.
    await Deno.writeTextFile(`${folder}/file`, "");
    const vault = vaultBackend({
      path: `${folder}/file/credentials.vault`,
      profileName: "work",
      environment: environmentOf({ GUM_VAULT_KEY: TEST_VAULT_KEY }),
      clock: systemClock,
      log: silentLogger,
      expected: () => Promise.resolve(false),
    });
    assert.equal((await refusal(vault.get(KEY, CALL))).details.reason, "denied");
    assert.equal((await refusal(vault.set(KEY, "v", CALL))).details.reason, "denied");
  });
});
