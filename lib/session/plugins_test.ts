import assert from "node:assert/strict";
import { environmentOf } from "../config/environment.ts";
import { findGumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { never, testProfile } from "../plugin/testdata/fixture.ts";
import { openSession } from "./mod.ts";
import type { Session } from "./types.ts";
import { systemClock } from "../clock/mod.ts";

const WORD_COUNT = new URL("../../examples/plugins/word-count", import.meta.url).pathname;

/** A session over a profile that the example plugin was installed into. */
async function withSession(
  work: (
    session: Session,
    given: { directory: string; open: () => Promise<Session> },
  ) => Promise<void>,
): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-plugin-session-" }));
  const open = () =>
    openSession({
      profileName: "default",
      emulator: true,
      directories: { data: `${directory}/data`, config: `${directory}/config` },
      environment: environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
    });
  try {
    const profile = testProfile(directory, { clock: systemClock } as never);
    await profile.install(WORD_COUNT, { runCanary: false });
    const session = await open();
    try {
      await work(session, { directory, open });
    } finally {
      await session.close();
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const call = (session: Session, opId: string, args: JsonObject, more = {}) =>
  session.kernel.dispatch({ opId, args, caller: "cli", ...more }, never());

Deno.test("plugins in a session: an installed plugin is active, found, described and called", async () => {
  await withSession(async (session, { directory }) => {
    const op = session.catalog.findOp("plug.word-count.count");
    assert.equal(op?.service_family, "plugin.word-count");
    const [hit] = session.search().search("count the words of a text", 1);
    assert.equal(hit?.op_id, "plug.word-count.count");
    assert.equal(session.plugins?.rows()[0]?.status, "active");
    const answer = await call(session, "plug.word-count.count", { text: "b a b" }, {
      format: "json",
    });
    assert.deepEqual(answer.structuredContent, {
      total: 3,
      words: [{ word: "b", count: 2 }, { word: "a", count: 1 }],
    });
    const shaped = await call(session, "plug.word-count.count", { text: "b a b" });
    assert.match(new TextDecoder().decode(shaped.body), /word/);
    const ref = op?.variants[0]?.binding?.request_ref ?? "";
    assert.ok(session.catalog.requestSchema(ref), "its schema is served");
    await session.close();
    const audit = await Deno.readTextFile(`${directory}/data/gum/default/audit.jsonl`);
    assert.match(audit, /"op_id":"plug.word-count.count"/);
    assert.match(audit, /plugin_activated/);
  });
});

Deno.test("plugins in a session: arguments are held to the plugin's schema before anything starts", async () => {
  await withSession(async (session, { directory }) => {
    for (const [args, key] of [[{}, "missing"], [{ text: "x", more: 1 }, "unknown"]] as const) {
      await assert.rejects(
        call(session, "plug.word-count.count", args as JsonObject),
        (error) => {
          const known = findGumError(error, "INVALID_ARGS");
          assert.equal((known?.details[key] as string[]).length, 1);
          return true;
        },
      );
    }
    await assert.rejects(
      Deno.stat(`${directory}/data/gum/default/plugin-data/word-count`),
      Deno.errors.NotFound,
    );
  });
});

Deno.test("plugins in a session: a write needs its grant like every other one", async () => {
  await withSession(async (session, { directory }) => {
    const args = { name: "note", text: "kept" };
    await assert.rejects(call(session, "plug.word-count.remember", args));
    const answer = await call(session, "plug.word-count.remember", args, {
      allowWrite: true,
      format: "json",
    });
    assert.deepEqual(answer.structuredContent, { saved: "note" });
    const path = `${directory}/data/gum/default/plugin-data/word-count/note.txt`;
    assert.equal(await Deno.readTextFile(path), "kept");
  });
});

Deno.test("plugins in a session: an installation during a session waits for the next one", async () => {
  await withSession(async (session, { directory, open }) => {
    const clock = { ...systemClock, now: () => Date.now() + 5_000 };
    const profile = testProfile(directory, { clock } as never);
    await profile.install(
      new URL("../../examples/plugins/unit-convert", import.meta.url).pathname,
      {
        runCanary: false,
      },
    );
    const waiting = (error: unknown) => {
      const known = findGumError(error, "UNSUPPORTED_CAPABILITY");
      assert.equal(known?.details.status, "installed_pending_restart");
      return true;
    };
    await assert.rejects(call(session, "plug.unit-convert.convert", {}), waiting);
    const other = await open();
    try {
      assert.ok(other.catalog.findOp("plug.unit-convert.convert"));
    } finally {
      await other.close();
    }
    assert.equal(session.catalog.findOp("plug.unit-convert.convert"), undefined);
  });
});

Deno.test("plugins in a session: a plugin quarantined meanwhile is refused, though it is running", async () => {
  await withSession(async (session, { directory }) => {
    await call(session, "plug.word-count.count", { text: "x" });
    await testProfile(directory).registry.writeTransaction((draft) => {
      for (const row of draft.state.plugins) {
        Object.assign(row, { quarantined: true, last_error_code: "CANARY_FAILED" });
      }
    }, { signal: never() });
    await assert.rejects(
      call(session, "plug.word-count.count", { text: "x" }),
      (error) => findGumError(error)?.code === "VARIANT_QUARANTINED",
    );
  });
});

Deno.test("TestGoogleTokenForwarderRequiresLogin: without a login there is no token to forward", async () => {
  const directory = await Deno.makeTempDir({ prefix: "gum-plugin-token-" });
  try {
    const { profileToken } = await import("./plugin_runtime.ts");
    const { createProfileAuth } = await import("../auth/mod.ts");
    const { createHttpClient } = await import("../http/mod.ts");
    const http = createHttpClient();
    const auth = createProfileAuth({
      profileName: "default",
      directories: { data: `${directory}/data`, config: `${directory}/config` },
      environment: environmentOf({ GUM_VAULT_PASSPHRASE: "a passphrase for this test" }),
      http,
      clock: systemClock,
      log: { log() {} },
    });
    try {
      const resolve = profileToken("default", auth);
      const asked = { profile: "default", plugin: "x", scopes: [] };
      assert.equal(await resolve(asked, never()), null);
    } finally {
      auth.close();
      http.close();
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("TestGoogleTokenForwarderCarriesCredential: a login's token, subject and scopes are forwarded", async () => {
  const { openWorld, scope } = await import("../auth/testdata/auth_world.ts");
  const { listener, person } = await import("../auth/testdata/person.ts");
  const { signIn } = await import("../auth/login.ts");
  const { profileToken } = await import("./plugin_runtime.ts");
  await using world = await openWorld();
  const { parts, resolver, view, signal } = world;
  const wanted = scope("gmail.readonly");
  const { open, settled } = person();
  const { io } = listener();
  await signIn(parts, view, { scopes: [wanted], openBrowser: open, io, signal });
  await settled();
  const auth = {
    open: () => Promise.resolve({ parts, resolver }),
    expectedSubjects: () => view.expectedSubjects(),
  };
  const asked = { profile: "work", plugin: "x", scopes: [wanted] };
  const forwarded = await profileToken("work", auth)(asked, signal);
  assert.ok(forwarded);
  const own = await resolver.strategy("byo_oauth").resolve({ scopes: [wanted], signal });
  assert.equal(forwarded.token.reveal(), own?.token?.reveal());
  assert.equal(forwarded.subjectFingerprint, own?.subjectFingerprint);
  assert.ok(forwarded.scopes.includes(wanted));
  assert.ok((forwarded.expiresAt ?? 0) > Date.now());
  // Another account than the one the profile expects is never handed on.
  const foreign = { ...auth, expectedSubjects: () => ({ byo_oauth: "somebody-else" }) };
  await assert.rejects(
    profileToken("work", foreign)(asked, signal),
    (error) => findGumError(error)?.code === "AUTH_SUBJECT_MISMATCH",
  );
});

Deno.test("plugins in a session: passive canaries run in a serving process only, and end with it", async () => {
  await withSession(async (_session, { directory }) => {
    const config = `${directory}/config/gum/default`;
    await Deno.mkdir(config, { recursive: true });
    await Deno.writeTextFile(`${config}/config.toml`, "[canary]\npassive_enabled = true\n");
    for (const serving of [true, false]) {
      const session = await openSession({
        profileName: "default",
        emulator: true,
        serving,
        directories: { data: `${directory}/data`, config: `${directory}/config` },
        environment: environmentOf({ PATH: Deno.env.get("PATH") ?? "" }),
      });
      assert.deepEqual(session.plugins?.canaries().map(({ status }) => status), ["stale"]);
      const health = await session.health?.canary_runner?.();
      assert.equal(health?.status, "healthy");
      // A runner that outlives its session would be a leaked timer.
      await session.close();
    }
  });
});
