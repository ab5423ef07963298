import assert from "node:assert/strict";
import { secret } from "../../auth/mod.ts";
import { openCredentialStore, pluginCredentialAccount } from "../../auth/store/mod.ts";
import { environmentOf, variablesOf } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  checkManifest,
  ENV_DENYLIST,
  ENV_DENYLIST_TEXT,
  wantsGoogleToken,
} from "../manifest/mod.ts";
import { inTemporary, manifestTree, never, recordingAudit } from "../testdata/fixture.ts";
import { pythonServer, withNativePlugin, withScriptPlugin } from "../testdata/runnable.ts";
import type { LockRow } from "../types.ts";
import {
  credentialsComplete,
  type EnvironmentSources,
  type ForwardedToken,
  redactor,
  spawnEnvironment,
  TokenUnavailable,
} from "./mod.ts";

const CREDENTIAL: JsonObject = {
  alias: "flights_session",
  env: "FLIGHTS_SESSION",
  kind: "session",
  display_name: "Session cookie",
};

interface Given {
  needs?: string[];
  descriptors?: JsonObject[];
  envAllow?: string[];
  components?: JsonObject["x"][];
  scopes?: string[][];
  strategy?: string;
  ambient?: Record<string, string>;
  sources?: Partial<EnvironmentSources>;
  required?: boolean;
  source?: "local" | "pypi";
}

async function build(given: Given = {}) {
  const { manifest } = await checkManifest(manifestTree({
    requirements: {
      needs_user_creds: given.needs ?? [],
      credential_descriptors: given.descriptors ?? [],
      auth_components: given.components ?? [],
    },
    tools: (given.scopes ?? [[]]).map((scopes, at) => ({
      tool_name: `tool${at}`,
      risk_class: "read",
      scopes,
      auth_strategy: given.strategy ?? "plugin_managed",
    })),
  }));
  const lock = {
    name: manifest.plugin.name,
    package: { source: given.source ?? "local" },
    declared_capabilities: { env_allow: given.envAllow ?? [] },
  } as unknown as LockRow; // the rest plays no part
  const audit = recordingAudit();
  const sources: EnvironmentSources = {
    profileName: "default",
    ambient: variablesOf(given.ambient ?? {}),
    audit,
    ...given.sources,
  };
  const environment = await spawnEnvironment({
    lock,
    manifest,
    dataDir: "/data/echo-box",
    requireCredentials: given.required ?? false,
  }, { sources, signal: never() });
  return { ...environment, audit, manifest, sources };
}

const stored = (value: string): Pick<EnvironmentSources, "storedSecret"> => ({
  storedSecret: () => Promise.resolve(secret(value)),
});

const needsSession: Given = { needs: ["FLIGHTS_SESSION"], descriptors: [CREDENTIAL] };

Deno.test("plugin environment: made from nothing but a few names, each once", async () => {
  const { variables } = await build({
    ambient: {
      PATH: "/bin",
      HOME: "/home/me",
      LANG: "C",
      LC_ALL: "C.UTF-8",
      USER: "me",
      SSH_AUTH_SOCK: "/x",
      AWS_SECRET_ACCESS_KEY: "no",
    },
  });
  assert.deepEqual(variables, {
    PATH: "/bin",
    HOME: "/home/me",
    LANG: "C",
    LC_ALL: "C.UTF-8",
    PLUGIN_DATA_DIR: "/data/echo-box",
  });
  const python = await build({ source: "pypi" });
  assert.equal(python.variables.PYTHONDONTWRITEBYTECODE, "1");
});

Deno.test("TestPluginSpawnInjectsStoredCredential: a stored secret reaches the environment", async () => {
  const { variables, secrets } = await build({ ...needsSession, sources: stored("cookie-1") });
  assert.equal(variables.FLIGHTS_SESSION, "cookie-1");
  assert.deepEqual(secrets, ["cookie-1"]);
});

Deno.test("TestPluginSpawnPassesAmbientCredential: without a stored secret the ambient value is used", async () => {
  const { variables } = await build({
    ...needsSession,
    ambient: { FLIGHTS_SESSION: "from outside" },
    sources: { storedSecret: () => Promise.resolve(null) },
  });
  assert.equal(variables.FLIGHTS_SESSION, "from outside");
});

Deno.test("TestPluginSpawnStoredCredentialBeatsAmbient: the stored value wins", async () => {
  const { variables } = await build({
    ...needsSession,
    ambient: { FLIGHTS_SESSION: "old" },
    sources: stored("new"),
  });
  assert.equal(variables.FLIGHTS_SESSION, "new");
});

Deno.test("TestBuildSubprocessEnvCredentialBeatsEnvAllow: env_allow does not bring an old value back", async () => {
  const { variables } = await build({
    ...needsSession,
    envAllow: ["FLIGHTS_SESSION", "FLIGHTS_AGENT", "ABSENT"],
    ambient: { FLIGHTS_SESSION: "old", FLIGHTS_AGENT: "me/1" },
    sources: stored("new"),
  });
  assert.equal(variables.FLIGHTS_SESSION, "new");
  assert.equal(variables.FLIGHTS_AGENT, "me/1");
  assert.equal("ABSENT" in variables, false);
});

Deno.test("TestPluginSpawnKeyringIsProfileScoped: the secret is asked for by profile, plugin and alias", async () => {
  const asked: string[] = [];
  for (const profileName of ["work", "home"]) {
    await build({
      ...needsSession,
      sources: {
        profileName,
        storedSecret: (credential) => {
          asked.push(pluginCredentialAccount(profileName, credential));
          return Promise.resolve(secret("x"));
        },
      },
    });
  }
  assert.equal(new Set(asked).size, 2);
  assert.match(asked[0] ?? "", /work.*echo-box.*flights_session/);
});

Deno.test("TestPluginSpawnKeyringIsProfileScoped: another profile's vault gives nothing", async () => {
  await inTemporary(async (directory) => {
    const key = new Uint8Array(32).fill(7).toBase64();
    const storeOf = (profileName: string) =>
      openCredentialStore({
        profileName,
        directory: `${directory}/${profileName}`,
        environment: environmentOf({ GUM_VAULT_KEY: key }),
        choice: "vault",
      });
    const sourcesOf = (profileName: string): Partial<EnvironmentSources> => ({
      profileName,
      storedSecret: (credential, signal) =>
        storeOf(profileName).get(pluginCredentialAccount(profileName, credential), { signal }),
    });
    const account = pluginCredentialAccount("work", {
      plugin: "echo-box",
      alias: "flights_session",
    });
    await storeOf("work").set(account, secret("of work"), { signal: never() });
    const work = await build({ ...needsSession, sources: sourcesOf("work") });
    assert.equal(work.variables.FLIGHTS_SESSION, "of work");
    const home = await build({ ...needsSession, sources: sourcesOf("home") });
    assert.equal("FLIGHTS_SESSION" in home.variables, false);
  });
});

Deno.test("TestBuildSubprocessEnvDeniedCredentialDropped: denied names go last, whatever their origin", async () => {
  // The manifest's gate refuses such a name; a registry written by another hand might hold one.
  const { manifest, sources } = await build({ ...needsSession, sources: stored("v") });
  manifest.requirements.needs_user_creds = ["GUM_VAULT_KEY"];
  manifest.requirements.credential_descriptors = [{
    alias: "a",
    env: "GUM_VAULT_KEY",
    kind: "other",
    display_name: "A",
    setup_hint: "",
  }];
  const { variables } = await spawnEnvironment({
    lock: {
      name: "echo-box",
      package: { source: "local" },
      declared_capabilities: { env_allow: ["LD_PRELOAD", "NODE_OPTIONS"] },
    } as unknown as LockRow,
    manifest,
    dataDir: "/d",
    requireCredentials: true,
  }, {
    sources: { ...sources, ambient: variablesOf({ LD_PRELOAD: "/x.so", NODE_OPTIONS: "-r x" }) },
    signal: never(),
  });
  assert.deepEqual(variables, { PLUGIN_DATA_DIR: "/d" });
});

Deno.test("TestPluginEnvDenylistApplied: a running plugin has none of the denied names", async () => {
  const denied = ENV_DENYLIST.map((pattern) => pattern.replace("*", "CANARY"));
  await withNativePlugin({
    executable: pythonServer("json.dumps(dict(os.environ))"),
    sandbox: { isDev: true, backend: "off" },
    ambient: variablesOf({
      PATH: Deno.env.get("PATH") ?? "",
      HARMLESS: "planted",
      ...Object.fromEntries(denied.map((name) => [name, "planted"])),
    }),
    tree: { declared_capabilities: { env_allow: [...denied, "HARMLESS"] } },
  }, async ({ runtime, pluginId }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    const answer = await plugin.callTool("echo", {}, { signal: never(), timeoutMs: 5_000 });
    const [block] = answer.content as { text: string }[];
    const seen = Object.entries(JSON.parse(block?.text ?? "{}")).filter(([, v]) => v === "planted");
    assert.deepEqual(seen, [["HARMLESS", "planted"]]);
  });
});

Deno.test("TestPluginEnvDenylistSingleSource: spawning reads the very list that installing reads", async () => {
  const asset = await Deno.readTextFile(new URL("../env_denylist.txt", import.meta.url));
  assert.equal(ENV_DENYLIST_TEXT, asset);
  for await (const entry of Deno.readDir(new URL(".", import.meta.url))) {
    if (!entry.name.endsWith(".ts") || entry.name.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(new URL(entry.name, import.meta.url));
    assert.doesNotMatch(text, /NODE_OPTIONS|LD_\*|AWS_/, `${entry.name} has a copy of the list`);
  }
});

Deno.test("plugin environment: a missing credential refuses a call, but not a setup's try", async () => {
  await assert.rejects(build({ ...needsSession, required: true }), (error) => {
    const known = findGumError(error, "AUTH_REQUIRED");
    assert.deepEqual(known?.details.missing_components, ["flights_session"]);
    assert.equal(known?.details.next_command, "gum plugin setup echo-box");
    assert.doesNotMatch(JSON.stringify(known?.toEnvelope()), /FLIGHTS_SESSION/);
    return true;
  });
  const tried = await build(needsSession);
  assert.equal("FLIGHTS_SESSION" in tried.variables, false);
  const { manifest, sources } = tried;
  assert.equal(await credentialsComplete(manifest, { sources, signal: never() }), false);
  const full = { ...sources, ...stored("x") };
  assert.equal(await credentialsComplete(manifest, { sources: full, signal: never() }), true);
});

const TOKEN: ForwardedToken = {
  token: secret("ya29.live"),
  subjectFingerprint: "fp-1",
  scopes: ["https://www.googleapis.com/auth/a"],
};

const compound: Given = {
  components: ["google_access_token"],
  strategy: "compound",
  scopes: [["b", "a"], ["a", "c"]],
};

Deno.test("TestCompoundAuthTokenForwarded: the live token is in the environment, recorded once", async () => {
  const asked: unknown[] = [];
  const found = await build({
    ...compound,
    sources: {
      tokenResolver: (request) => {
        asked.push(request);
        return Promise.resolve({ ...TOKEN, expiresAt: 123 });
      },
    },
  });
  assert.equal(found.variables.GOOGLE_ACCESS_TOKEN, "ya29.live");
  assert.equal(found.tokenExpiresAt, 123);
  assert.deepEqual(asked, [{ profile: "default", plugin: "echo-box", scopes: ["a", "b", "c"] }]);
  assert.deepEqual(found.audit.rows, [], "nothing is recorded before the process runs");
  found.recordForwarding();
  assert.equal(found.audit.rows.length, 1);
});

Deno.test("TestCompoundAuditEntryShape: the row names plugin, subject and scopes, and no token", async () => {
  const found = await build({
    ...compound,
    sources: { tokenResolver: () => Promise.resolve(TOKEN) },
  });
  found.recordForwarding();
  assert.deepEqual(found.audit.rows, [{
    event: "plugin_token_forwarded",
    plugin: "echo-box",
    subject_fingerprint: "fp-1",
    scopes: ["https://www.googleapis.com/auth/a"],
  }]);
  assert.doesNotMatch(JSON.stringify(found.audit.rows), /ya29/);
});

Deno.test("TestCompoundAuditEntryScopesAreACopy: later changes of the list do not change the row", async () => {
  const scopes = ["one"];
  const found = await build({
    ...compound,
    sources: { tokenResolver: () => Promise.resolve({ ...TOKEN, scopes }) },
  });
  found.recordForwarding();
  scopes.push("two");
  assert.deepEqual(found.audit.rows[0]?.scopes, ["one"]);
});

Deno.test("TestCompoundAuthTokenBeatsStoredCredential: neither a stored nor an ambient value wins", async () => {
  const found = await build({
    ...compound,
    needs: ["GOOGLE_ACCESS_TOKEN"],
    ambient: { GOOGLE_ACCESS_TOKEN: "ambient" },
    sources: { ...stored("stored"), tokenResolver: () => Promise.resolve(TOKEN) },
  });
  assert.equal(found.variables.GOOGLE_ACCESS_TOKEN, "ya29.live");
});

Deno.test("TestCompoundAuthTokenAbsentWithoutResolver: no resolver, no token", async () => {
  const found = await build({ ...compound, ambient: { GOOGLE_ACCESS_TOKEN: "ambient" } });
  assert.equal("GOOGLE_ACCESS_TOKEN" in found.variables, false);
  found.recordForwarding();
  assert.deepEqual(found.audit.rows, []);
});

Deno.test("TestCompoundAuthTokenEmptyResultForwardsNothing: no login or an empty token, no variable", async () => {
  for (const answer of [null, { ...TOKEN, token: secret("") }]) {
    const found = await build({
      ...compound,
      sources: { ...stored("stored"), tokenResolver: () => Promise.resolve(answer) },
    });
    assert.equal("GOOGLE_ACCESS_TOKEN" in found.variables, false);
  }
});

Deno.test("TestCompoundAuthTokenIgnoresAmbientValue: env_allow does not hand an ambient token on", async () => {
  for (const name of ["GOOGLE_ACCESS_TOKEN", "google_access_token"]) {
    const found = await build({ envAllow: [name], ambient: { [name]: "ambient" } });
    assert.equal(name in found.variables, false);
  }
});

Deno.test("TestCompoundAuthTokenResolverErrorFailsSpawn: a failing resolver is no start without a token", async () => {
  await assert.rejects(
    build({ ...compound, sources: { tokenResolver: () => Promise.reject(new Error("offline")) } }),
    (error) => error instanceof TokenUnavailable && /offline/.test(String(error.cause)),
  );
});

Deno.test("TestCompoundAuthTokenNotForwardedWhenUndeclared: who does not ask gets nothing", async () => {
  let asked = 0;
  const found = await build({
    strategy: "compound",
    sources: { tokenResolver: () => (asked++, Promise.resolve(TOKEN)) },
  });
  assert.equal(asked, 0);
  assert.equal(wantsGoogleToken(found.manifest), false);
  assert.equal("GOOGLE_ACCESS_TOKEN" in found.variables, false);
});

Deno.test("TestExactlyOneProductionSiteEmitsPluginTokenForwarded: one file holds the event's name", async () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(`${root}${folder}`)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) await walk(path);
      else if (path.endsWith(".ts") && !path.endsWith("_test.ts") && !path.includes("/testdata/")) {
        if ((await Deno.readTextFile(root + path)).includes("plugin_token_forwarded")) {
          found.push(path);
        }
      }
    }
  };
  for (const folder of ["cli", "lib", "mcp", "catalog"]) await walk(folder);
  assert.deepEqual(found, ["lib/plugin/environment/spawn_environment.ts"]);
});

Deno.test("TestCompoundAuthTokenForwarded: a running plugin reads it, and one start is one row", async () => {
  await withScriptPlugin({
    tree: {
      requirements: { auth_components: ["google_access_token"] },
      tools: [{ tool_name: "echo", risk_class: "read", auth_strategy: "compound" }],
    },
    sources: { tokenResolver: () => Promise.resolve(TOKEN) },
    behaviour: `call = async () => text(Deno.env.get("GOOGLE_ACCESS_TOKEN") ?? "none");`,
  }, async ({ runtime, pluginId, audit }) => {
    const plugin = await runtime.host.start(pluginId, { signal: never() });
    const answer = await plugin.callTool("echo", {}, { signal: never(), timeoutMs: 5_000 });
    assert.deepEqual(answer.content, [{ type: "text", text: "ya29.live" }]);
    assert.equal(audit.rows.filter(({ event }) => event === "plugin_token_forwarded").length, 1);
    assert.equal(plugin.redact("said ya29.live!"), "said [redacted]!");
  });
});

Deno.test("redactor: longer secrets first, so that no tail of one is left", () => {
  const redact = redactor(["abc", "abcdef", ""]);
  assert.equal(redact("abcdef abc ab"), "[redacted] [redacted] ab");
});
