import assert from "node:assert/strict";
import type { Clock } from "../../clock/mod.ts";
import { secret } from "../secret.ts";
import { apiKeyAccount } from "./account_names.ts";
import { createAccessTokenCache } from "./token_cache.ts";
import { CALL, recordingLogger, vaultStore, withTempFolder } from "./testing/folder.ts";
import type { CachedAccessToken } from "./types.ts";

const GRANT = "gum.byo_oauth.work.abc";
const CANARY = "ya29.canary-token-0123456789";

async function withCache(
  body: (parts: {
    folder: string;
    directory: string;
    advance(ms: number): void;
    open(profileName?: string): ReturnType<typeof createAccessTokenCache>;
    token(more?: Partial<CachedAccessToken>): Promise<CachedAccessToken>;
    log: ReturnType<typeof recordingLogger>;
  }) => Promise<void>,
) {
  await withTempFolder(async (folder) => {
    let now = Date.parse("2026-05-19T10:00:00Z");
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
    const log = recordingLogger();
    const directory = `${folder}/gum/work`;
    const store = () => vaultStore(folder);
    await body({
      folder,
      directory,
      log,
      advance: (ms) => now += ms,
      open: () => createAccessTokenCache({ store: store(), directory, clock, log }),
      token: async (more) => ({
        token: secret(CANARY),
        scopes: ["https://www.googleapis.com/auth/drive"],
        expiresAt: now + 3_600_000,
        subjectFingerprint: "0123456789abcdef",
        generation: await store().generation(),
        ...more,
      }),
    });
  });
}

Deno.test("token cache: another process gets the token until 60 s before it expires", async () => {
  await withCache(async ({ directory, open, token, advance, log }) => {
    assert.equal(await open().read(GRANT, CALL), undefined);
    const written = await token();
    await open().write(GRANT, written, CALL);
    const found = await open().read(GRANT, CALL);
    assert.equal(found?.token.reveal(), CANARY);
    assert.deepEqual(found?.scopes, written.scopes);
    assert.equal(found?.subjectFingerprint, written.subjectFingerprint);
    assert.equal(await open().read("gum.byo_oauth.work.other", CALL), undefined);
    const file = await Deno.readTextFile(`${directory}/tokens.vault`);
    assert.ok(!file.includes("ya29") && !file.includes(GRANT));
    assert.equal(((await Deno.stat(`${directory}/tokens.vault`)).mode ?? 0) & 0o777, 0o600);
    advance(3_600_000 - 60_001);
    assert.ok(await open().read(GRANT, CALL));
    advance(1);
    assert.equal(await open().read(GRANT, CALL), undefined);
    assert.ok(!log.text().includes("ya29"));
    assert.ok(!Deno.inspect(found).includes("ya29"));
  });
});

Deno.test("token cache: dropped after a logout, and void after any change of credentials", async () => {
  await withCache(async ({ folder, open, token }) => {
    await open().write(GRANT, await token(), CALL);
    await open().write("other", await token(), CALL);
    await open().drop(GRANT, CALL);
    assert.equal(await open().read(GRANT, CALL), undefined);
    assert.ok(await open().read("other", CALL));
    await vaultStore(folder).set(apiKeyAccount("work"), secret("k"), CALL);
    assert.equal(await open().read("other", CALL), undefined);
    // A token obtained before the change does not come in afterwards.
    const late = await token({ generation: "an older one" });
    await open().write(GRANT, late, CALL);
    assert.equal(await open().read(GRANT, CALL), undefined);
  });
});

Deno.test("token cache: a fault is a miss, and drop removes what it cannot rewrite", async () => {
  await withCache(async ({ folder, directory, open, token }) => {
    await open().write(GRANT, await token(), CALL);
    const path = `${directory}/tokens.vault`;
    const good = await Deno.readTextFile(path);
    for (const bad of ["", "{", good.slice(0, 40), good.replace('"ct":"', '"ct":"AAAA')]) {
      await Deno.writeTextFile(path, bad);
      assert.equal(await open().read(GRANT, CALL), undefined);
    }
    await open().write(GRANT, await token(), CALL);
    assert.ok(await open().read(GRANT, CALL), "a damaged file starts anew");
    await Deno.remove(`${folder}/gum/work/credentials.vault`);
    await open().drop(GRANT, CALL);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  });
});
