import assert from "node:assert/strict";
import type { Clock } from "../clock/mod.ts";
import { GumError } from "../errors/mod.ts";
import type { LogFields } from "../log/mod.ts";
import {
  artifactHash,
  createArtifactStore,
  ensureTeeSecret,
  findArtifact,
  operationFolder,
  readArtifact,
  readTeeSecret,
} from "./mod.ts";
import { gunzip } from "./gzip.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 4, 19, 14, 35, 0);
const CALL = {
  opId: "gmail.users.messages.list",
  variantId: "v",
  argsCanonical: '{"q":"x"}',
  fingerprint: "f1",
};

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A clock that stands where it is put. */
function standing(start = NOW): Clock & { time: number } {
  return {
    time: start,
    now: function () {
      return this.time;
    },
    sleep: () => Promise.resolve(),
  };
}

async function withDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    await body(`${root}/gum/default`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function expired(
  uri: string,
  options: Parameters<typeof readArtifact>[1],
): Promise<GumError> {
  try {
    await readArtifact(uri, options);
  } catch (error) {
    assert.ok(error instanceof GumError, String(error));
    assert.equal(error.code, "RESULT_ARTIFACT_EXPIRED");
    return error;
  }
  assert.fail("readable");
}

const mode = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;

Deno.test("TestTeeSecretStability: made once, private, and the same ever after", async () => {
  await withDirectory(async (directory) => {
    assert.equal(await readTeeSecret(directory), undefined);
    await assert.rejects(Deno.stat(directory));
    const secret = await ensureTeeSecret(directory);
    const text = await Deno.readTextFile(`${directory}/tee.secret`);
    assert.match(text, /^[0-9a-f]{64}\n$/);
    assert.deepEqual(await ensureTeeSecret(directory), secret);
    assert.equal(await Deno.readTextFile(`${directory}/tee.secret`), text);
    if (Deno.build.os !== "windows") {
      assert.deepEqual([await mode(`${directory}/tee.secret`), await mode(directory)], [
        0o600,
        0o700,
      ]);
    }
    await Deno.writeTextFile(`${directory}/tee.secret`, text.trimEnd());
    assert.deepEqual(await readTeeSecret(directory), secret);
  });
});

Deno.test("TestTeeSecretStability: below a plain file there is no secret, rather than a bad one", async () => {
  await withDirectory(async (directory) => {
    await Deno.mkdir(directory, { recursive: true });
    const below = `${directory}/file/gum/default`;
    await Deno.writeTextFile(`${directory}/file`, "");
    assert.equal(await readTeeSecret(below), undefined);
    await assert.rejects(
      ensureTeeSecret(below),
      (error) => error instanceof Deno.errors.NotADirectory,
    );
  });
});

Deno.test("TestTeeSecretStability: many that start together agree on one secret", async () => {
  await withDirectory(async (directory) => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => ensureTeeSecret(directory)));
    assert.equal(new Set(secrets.map((secret) => secret.toHex())).size, 1);
  });
});

Deno.test("TestTeeSecretStability: an unusable secret refuses the call and is never replaced", async () => {
  await withDirectory(async (directory) => {
    await ensureTeeSecret(directory);
    const path = `${directory}/tee.secret`;
    for (const text of ["", "ab", "A".repeat(64), "g".repeat(64), "a".repeat(64) + "\n\n"]) {
      await Deno.writeTextFile(path, text);
      const store = createArtifactStore({ directory, clock: standing() });
      for (
        const use of [() => store.checkSecret(), () => store.write({ ...CALL, body: bytes("{}") })]
      ) {
        await assert.rejects(use, (error: unknown) => {
          assert.ok(error instanceof GumError && error.code === "TEE_SECRET_CORRUPT");
          assert.equal(error.details.path, path);
          assert.match(error.suggestion, /Remove or rename/);
          return true;
        });
      }
      assert.equal(await Deno.readTextFile(path), text);
    }
    await Deno.remove(path);
    await Deno.mkdir(path);
    await assert.rejects(createArtifactStore({ directory }).checkSecret(), {
      code: "TEE_SECRET_CORRUPT",
    });
  });
});

Deno.test("TestTeeSecretStability: a store that has read the secret sees that its file changed", async () => {
  await withDirectory(async (directory) => {
    const store = createArtifactStore({ directory });
    const body = new TextEncoder().encode("{}");
    const { hash } = await store.write({ ...CALL, body });
    assert.equal((await store.write({ ...CALL, body })).hash, hash);
    const path = `${directory}/tee.secret`;
    await Deno.writeTextFile(path, "short");
    await assert.rejects(store.checkSecret(), /malformed/);
    await Deno.remove(path);
    assert.notEqual((await store.write({ ...CALL, body })).hash, hash);
  });
});

Deno.test("TestTeeSecretEmbeddingIndependence: nothing else in the profile directory matters to it", async () => {
  await withDirectory(async (directory) => {
    const secret = await ensureTeeSecret(directory);
    for (const name of ["catalog.json", "search.index", "cache.sqlite"]) {
      await Deno.writeTextFile(`${directory}/${name}`, "changed");
    }
    for (const name of ["catalog.json", "search.index", "cache.sqlite"]) {
      await Deno.remove(`${directory}/${name}`);
    }
    assert.deepEqual(await ensureTeeSecret(directory), secret);
  });
});

Deno.test("TestPrincipalScopedRecoveryAndCache: every part of a call changes its handle, the day does not", async () => {
  const secret = new Uint8Array(32).fill(7);
  const first = await artifactHash(secret, CALL);
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.equal(await artifactHash(secret, { ...CALL }), first);
  const others = [
    artifactHash(secret, { ...CALL, opId: "o" }),
    artifactHash(secret, { ...CALL, variantId: "w" }),
    artifactHash(secret, { ...CALL, argsCanonical: "{}" }),
    artifactHash(secret, { ...CALL, fingerprint: "f2" }),
    artifactHash(new Uint8Array(32).fill(8), CALL),
  ];
  assert.equal(new Set([first, ...await Promise.all(others)]).size, 6);
});

Deno.test("TestDispatcherConfigWiresTheTeeStage: an artifact lies where and how the layout says", async () => {
  await withDirectory(async (directory) => {
    const store = createArtifactStore({ directory, clock: standing() });
    assert.equal(store.enabled, true);
    const body = bytes('{"b":12345678901234567890,\n "a":1}');
    const handle = await store.write({ ...CALL, body });
    assert.equal(handle.path, `${directory}/tee/2026-05-19/${CALL.opId}/${handle.hash}.json.gz`);
    assert.equal(handle.expiresAt, "2026-05-20T14:35:00Z");
    assert.deepEqual(await gunzip(await Deno.readFile(handle.path), { limit: 1_000 }), body);
    if (Deno.build.os !== "windows") {
      assert.deepEqual([await mode(handle.path), await mode(`${directory}/tee`)], [0o600, 0o700]);
    }
    assert.deepEqual([...Deno.readDirSync(`${directory}/tee/2026-05-19/${CALL.opId}`)].length, 1);
    assert.deepEqual(await store.write({ ...CALL, body }), handle);
    assert.equal(createArtifactStore({ directory: undefined }).enabled, false);
    await createArtifactStore({ directory: undefined }).checkSecret();
  });
});

Deno.test("TestDispatcherConfigWiresTheTeeStage: an operation id cannot leave its folder", () => {
  assert.equal(operationFolder("a.b-c_d"), "a.b-c_d");
  assert.equal(operationFolder("a/../b"), "a%2F..%2Fb");
  assert.equal(operationFolder(".."), "%2E%2E");
});

Deno.test("TestResultArtifactBodyIsJCSCanonical: a read gives sorted JSON with every digit, and its size", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const handle = await createArtifactStore({ directory, clock }).write({
      ...CALL,
      body: bytes('{ "b":12345678901234567890, "é":[1.0] }'),
    });
    const text = await readArtifact(`gum://results/${handle.hash}`, { directory, clock });
    assert.equal(text, '{"b":12345678901234567890,"é":[1]}');
    assert.equal(handle.size, bytes(text).byteLength);
  });
});

Deno.test("TestResultArtifactBodyIsJCSCanonical: numbers beyond a double are saved and read like others", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const store = createArtifactStore({ directory, clock });
    const handle = await store.write({ ...CALL, body: bytes('{"b":-1e999,"a":1e400,"c":-0.0}') });
    const text = await readArtifact(`gum://results/${handle.hash}`, { directory, clock });
    assert.equal(text, '{"a":1e400,"b":-1e999,"c":0}');
    assert.equal(handle.size, bytes(text).byteLength);
  });
});

Deno.test("TestResourceReadResultsHit: readable until it expires, also after midnight", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const handle = await createArtifactStore({ directory, clock }).write({
      ...CALL,
      body: bytes("[1]"),
    });
    clock.time = NOW + 23 * HOUR;
    assert.equal(await readArtifact(`gum://results/${handle.hash}`, { directory, clock }), "[1]");
    clock.time = NOW + 24 * HOUR;
    const error = await expired(`gum://results/${handle.hash}`, { directory, clock });
    assert.equal(error.details.expires_at, "2026-05-20T14:35:00Z");
  });
});

Deno.test("TestResultArtifactExpiredError: every kind of miss is the same answer", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const store = createArtifactStore({ directory, clock });
    const { hash, path } = await store.write({ ...CALL, body: bytes("{}") });
    const options = { directory, clock };
    for (
      const uri of [
        `gum://results/${hash}/x`,
        `gum://results/${hash}?a`,
        `gum://results/${hash}#a`,
        "gum://results/",
        "gum://results/XYZ",
        "gum://other/ab",
        `gum://results/%61${hash.slice(1)}`,
      ]
    ) {
      const error = await expired(uri, options);
      assert.deepEqual({ ...error.details }, { hash: "", uri, expires_at: null });
      assert.ok(error.userMessage !== "" && error.suggestion !== "");
    }
    const absent = await expired("gum://results/abcd", options);
    assert.deepEqual({ ...absent.details }, {
      hash: "abcd",
      uri: "gum://results/abcd",
      expires_at: null,
    });
    for (const digits of [63, 65, 255, 5_000]) {
      await expired(`gum://results/${"a".repeat(digits)}`, options);
    }
    await expired(`gum://results/${hash}`, { directory: undefined });
    const whole = await Deno.readFile(path);
    await Deno.writeFile(path, whole.slice(0, 12));
    await Deno.utime(path, new Date(NOW), new Date(NOW));
    await expired(`gum://results/${hash}`, options);
    await Deno.writeTextFile(path, "not gzip");
    await Deno.utime(path, new Date(NOW), new Date(NOW));
    await expired(`gum://results/${hash}`, options);
  });
});

Deno.test("TestResultArtifactExpiredError: what decompresses past the cap is a miss", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const { hash } = await createArtifactStore({ directory, clock }).write({
      ...CALL,
      body: new Uint8Array(64 * 1024 * 1024 + 1).fill(48),
    });
    await expired(`gum://results/${hash}`, { directory, clock });
  });
});

Deno.test("TestFindArtifactRespectsMaxDays: the window is calendar days, not the newest folders", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    const place = async (date: string, hash: string, time: number) => {
      const folder = `${directory}/tee/${date}/op`;
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(`${folder}/${hash}.json.gz`, "");
      await Deno.utime(`${folder}/${hash}.json.gz`, new Date(time), new Date(time));
    };
    await place("2026-05-19", "aa", NOW);
    await place("2026-05-18", "bb", NOW);
    await place("2026-05-17", "cc", NOW);
    await place("not-a-date", "dd", NOW);
    const found = async (hash: string, retentionHours?: number) =>
      (await findArtifact(hash, { directory, clock, retentionHours })) !== undefined;
    assert.deepEqual([await found("aa"), await found("bb"), await found("cc"), await found("dd")], [
      true,
      true,
      false,
      false,
    ]);
    assert.equal(await found("cc", 25), true);
  });
});

Deno.test("TestFindArtifactReturnsFalseForMissing: no file, no folder, no directory", async () => {
  await withDirectory(async (directory) => {
    const clock = standing();
    assert.equal(await findArtifact("ab", { directory, clock }), undefined);
    assert.equal(await findArtifact("ab", { directory: undefined }), undefined);
    await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(`${directory}/tee`, "a file");
    assert.equal(await findArtifact("ab", { directory, clock }), undefined);
  });
});

Deno.test("TestReadAbsentArtifactReturnsErrNotExist: an absent artifact is expired", async () => {
  await withDirectory(async (directory) => {
    await expired("gum://results/00ff", { directory, clock: standing() });
  });
});

Deno.test("TestArtifactExpiresAtFollowsConfiguredRetention: hours as configured, inside the range", async () => {
  await withDirectory(async (directory) => {
    for (
      const [retentionHours, expiresAt] of [
        [1, "2026-05-19T15:35:00Z"],
        [48, "2026-05-21T14:35:00Z"],
        [0, "2026-05-19T15:35:00Z"],
        [9_999, "2026-06-18T14:35:00Z"],
      ] as const
    ) {
      const store = createArtifactStore({ directory, clock: standing(), retentionHours });
      assert.equal((await store.write({ ...CALL, body: bytes("{}") })).expiresAt, expiresAt);
    }
  });
});

Deno.test("TestResultsScanWindowIsPrunedOnWrite: folders before the window go, others stay", async () => {
  await withDirectory(async (directory) => {
    for (const date of ["2026-05-17", "2026-05-18", "2025-01-01", "keep-me"]) {
      await Deno.mkdir(`${directory}/tee/${date}/op`, { recursive: true });
    }
    await createArtifactStore({ directory, clock: standing() }).write({
      ...CALL,
      body: bytes("{}"),
    });
    const left = [...Deno.readDirSync(`${directory}/tee`)].map(({ name }) => name).sort();
    assert.deepEqual(left, ["2026-05-18", "2026-05-19", "keep-me"]);
  });
});

Deno.test(
  "TestResultsScanWindowIsPrunedOnWrite: a folder that will not go is a warning, not a failure",
  {
    ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  },
  async () => {
    await withDirectory(async (directory) => {
      const old = `${directory}/tee/2025-01-01/op`;
      await Deno.mkdir(old, { recursive: true });
      await Deno.writeTextFile(`${old}/x`, "");
      await Deno.chmod(old, 0o500);
      const logged: [string, LogFields | undefined][] = [];
      const log = {
        log: (_level: string, message: string, fields?: LogFields) =>
          void logged.push([message, fields]),
      };
      await createArtifactStore({ directory, clock: standing(), log }).write({
        ...CALL,
        body: bytes("{}"),
      });
      await Deno.chmod(old, 0o700);
      assert.equal(logged[0]?.[0], "tee artifact prune failed");
    });
  },
);
