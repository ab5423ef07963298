import assert from "node:assert/strict";
import type { BrowserOpener } from "../lib/auth/mod.ts";
import { type Emulator, startEmulator } from "../lib/emulator/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { processFactories } from "./host.ts";
import { CORE_SERVICES, resolveLoginScopes } from "./login_scopes.ts";
import { type Recorded, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";

const VAULT_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY";
const scope = (name: string) => `https://www.googleapis.com/auth/${name}`;
const READ = scope("gmail.readonly");

interface Desk extends AsyncDisposable {
  emulator: Emulator;
  home: string;
  /** Consent pages opened so far. */
  opened: string[];
  run(argv: readonly string[], options?: RecordedOptions): Promise<Recorded>;
}

/** A home of its own, the real factories, and an emulated Google that says yes. */
async function openDesk(query: Record<string, string> = {}): Promise<Desk> {
  const home = await Deno.makeTempDir({ prefix: "gum-cli-auth-" });
  const emulator = await startEmulator({ clock: systemClock });
  const opened: string[] = [];
  const visits: Promise<void>[] = [];
  const openBrowser: BrowserOpener = (address) => {
    opened.push(address);
    const url = new URL(address);
    url.searchParams.set("gum_decision", "allow");
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    visits.push((async () => await (await fetch(url)).body?.cancel())());
    return Promise.resolve();
  };
  const authorization = emulator.rewrite(new URL("https://accounts.google.com/o/oauth2/v2/auth"));
  const factories = {
    ...processFactories(),
    openBrowser,
    googlePeer: {
      rewriteOrigin: (url: URL) => emulator.rewrite(url),
      endpoints: {
        authorization: authorization.href,
        token: "https://oauth2.googleapis.com/token",
        revocation: "https://oauth2.googleapis.com/revoke",
        metadata: "http://169.254.169.254",
      },
    },
  };
  return {
    emulator,
    home,
    opened,
    async run(argv, options = {}) {
      const recorded = await runRecorded(argv, {
        ...options,
        environment: { HOME: home, GUM_VAULT_KEY: VAULT_KEY, ...options.environment },
        factories: { ...factories, ...options.factories },
      });
      await Promise.all(visits);
      return recorded;
    },
    async [Symbol.asyncDispose]() {
      await emulator.close();
      await Deno.remove(home, { recursive: true });
    },
  };
}

async function register(desk: Desk): Promise<void> {
  const { code, stderr } = await desk.run([
    "auth",
    "use-oauth-client",
    "--client-id",
    "cli.example",
  ]);
  assert.equal(code, 0, stderr);
}

const LABELS = ["read", "gmail.users.labels.list", "--args", '{"userId":"me"}', "--format", "json"];
const envelope = (text: string): JsonObject => {
  const start = text.indexOf("{\n"); // a prompt may stand before it
  return JSON.parse(text.slice(start));
};

Deno.test("TestRunLoginWithConfiguredClientRunsFlow: one page, one JSON report, no token in it", async () => {
  await using desk = await openDesk();
  await register(desk);
  const { code, stdout, stderr } = await desk.run(["login", "--scope", "gmail.readonly"]);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout);
  assert.deepEqual(report.scopes, [READ]);
  assert.deepEqual(
    Object.keys(report).sort(),
    [
      "expires_at",
      "profile",
      "scopes",
      "scopes_requested",
      "strategy",
      "subject_fingerprint",
      "token_bytes",
    ],
  );
  assert.equal(desk.opened.length, 1);
  assert.ok(stderr.includes(desk.opened[0] ?? "?"), "the address is always printed");
  assert.equal((stdout + stderr).includes("emulator-access"), false);
  assert.equal((stdout + stderr).includes("1//"), false);
  const listed = await desk.run(LABELS);
  assert.equal(listed.code, 0, listed.stderr);
});

Deno.test("TestRunLoginWithConfiguredClientRunsFlow: without a client no page, and the command that registers one", async () => {
  await using desk = await openDesk();
  const { code, stdout, stderr } = await desk.run(["auth", "login"]);
  assert.equal(code, 3);
  assert.equal(stdout, "");
  assert.match(stderr, /gum auth use-oauth-client --client-id <id> --secret-stdin/);
  assert.equal(desk.opened.length, 0);
});

Deno.test("TestRunLoginIgnoresInjectedManagedClient: the operator's client is the one on the page", async () => {
  await using desk = await openDesk();
  await register(desk);
  await desk.run(["login", "--scope", "webmasters.readonly"]);
  assert.equal(new URL(desk.opened[0] ?? "").searchParams.get("client_id"), "cli.example");
});

Deno.test("TestTopLevelLoginAliasRegistered: gum login and gum auth login are one command", () => {
  const auth = COMMANDS.find(({ name }) => name === "auth");
  for (const name of ["login", "logout"]) {
    const top = COMMANDS.find((command) => command.name === name);
    const below = auth?.children.find((command) => command.name === name);
    assert.ok(top !== undefined && below !== undefined);
    assert.equal(top.run, below.run);
    assert.equal(top.flags, below.flags);
  }
});

Deno.test("TestAuthManagedStatusNotRegisteredForV1: there is no such command", () => {
  const auth = COMMANDS.find(({ name }) => name === "auth");
  assert.ok((auth?.children.length ?? 0) > 5);
  assert.equal(auth?.children.some(({ name }) => name.includes("managed")), false);
});

const { ops } = await processFactories().catalog();
const choose = (choice: Partial<Parameters<typeof resolveLoginScopes>[0]>) =>
  resolveLoginScopes({ scopes: [], services: [], all: false, ...choice }, () => ops);

Deno.test("TestResolveLoginScopesDefaultIsCore: the core services and nothing of the others", () => {
  const scopes = choose({});
  assert.ok(scopes.includes(READ));
  assert.deepEqual(scopes, choose({ services: CORE_SERVICES }));
  assert.equal(scopes.some((one) => /youtube|adwords|classroom/.test(one)), false);
});

Deno.test("TestResolveLoginScopesServiceSelects: only the named services; unknown ones are named", () => {
  const scopes = choose({ services: ["tasks"] });
  assert.ok(scopes.length > 0);
  assert.ok(scopes.every((one) => one.includes("tasks")));
  assert.throws(() => choose({ services: ["moon"] }), /moon/);
});

Deno.test("TestResolveLoginScopesAllUnion: everything, pruned", () => {
  const all = choose({ all: true });
  assert.ok(all.length > choose({}).length);
  assert.equal(all.includes(scope("gmail.metadata")), false);
  assert.deepEqual(all, [...new Set(all)].sort());
});

Deno.test("TestResolveLoginScopesEmbeddedCatalogNonEmpty: full URLs, never none, named scopes win", () => {
  for (const choice of [{}, { all: true }, { services: ["gmail"] }]) {
    const scopes = choose(choice);
    assert.ok(scopes.length > 0);
    assert.ok(scopes.every((one) => one.startsWith("https://")));
  }
  assert.deepEqual(choose({ scopes: ["tasks", READ], services: ["moon"], all: true }), [
    READ,
    scope("tasks"),
  ]);
});

Deno.test("TestMaybeJITLoginAccepted: a person at the terminal signs in and the call goes through", async () => {
  await using desk = await openDesk();
  await register(desk);
  for (const stdin of ["\n", "YES\n", " y \n"]) {
    const { code, stdout, stderr } = await desk.run(LABELS, { stdin, terminals: ["stdin"] });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Authorize .* \[Y\/n\] /);
    assert.ok(JSON.parse(stdout).labels.length > 0);
    assert.equal((await desk.run(["logout"])).code, 0);
  }
  assert.equal(desk.opened.length, 3);
});

Deno.test("TestMaybeJITLoginAccepted: anything but a yes, and the end of input, is a no", async () => {
  await using desk = await openDesk();
  await register(desk);
  for (const stdin of ["n\n", "maybe\n", ""]) {
    const { code, stderr } = await desk.run(LABELS, { stdin, terminals: ["stdin"] });
    assert.equal(code, 3);
    assert.equal(envelope(stderr).source_error_code, "NO_REFRESH_TOKEN");
  }
  assert.equal(desk.opened.length, 0);
});

Deno.test("TestMaybeJITLoginNotInteractive: pipes get the envelope and no question", async () => {
  await using desk = await openDesk();
  await register(desk);
  const { code, stderr } = await desk.run(LABELS, { stdin: "y\n" });
  assert.equal(code, 3);
  assert.equal(stderr.includes("Authorize"), false);
  assert.equal(envelope(stderr).error_code, "AUTH_REQUIRED");
  assert.equal(desk.opened.length, 0);
});

Deno.test("TestMaybeJITLoginNotInteractive: no question where a login cannot help", async () => {
  await using desk = await openDesk();
  const options: RecordedOptions = { stdin: "y\n", terminals: ["stdin"] };
  const unregistered = await desk.run(LABELS, options);
  assert.equal(unregistered.stderr.includes("Authorize"), false, "no client");
  await register(desk);
  await desk.run(["login", "--scope", "gmail.readonly,gmail.labels"]);
  const [, second] = desk.emulator.accounts;
  const config = `${desk.home}/.config/gum/default/config.toml`;
  const text = await Deno.readTextFile(config);
  assert.ok(second !== undefined);
  await Deno.writeTextFile(config, text.replace(/"[0-9a-f]{16}"/, '"0123456789abcdef"'));
  const mismatch = await desk.run(LABELS, options);
  assert.equal(envelope(mismatch.stderr).error_code, "AUTH_SUBJECT_MISMATCH");
  assert.equal(mismatch.stderr.includes("Authorize"), false, "wrong account");
  const adc = await desk.run(LABELS, {
    ...options,
    environment: { GUM_USE_ADC: "1", GOOGLE_APPLICATION_CREDENTIALS: "/nonexistent.json" },
  });
  assert.equal(adc.stderr.includes("Authorize"), false, "ADC mode");
});

Deno.test("TestCallRetriesAfterJITLogin: exactly one more dispatch, also for gum call and a missing scope", async () => {
  await using desk = await openDesk();
  await register(desk);
  await desk.run(["login", "--scope", "tasks.readonly"]);
  desk.emulator.clearJournal();
  const call = ["call", "gmail.users.labels.list", "--risk=read", "userId=me", "--json"];
  const { code, stderr } = await desk.run(call, { stdin: "y\n", terminals: ["stdin"] });
  assert.equal(code, 0, stderr);
  const requests = desk.emulator.journal.filter(({ path }) => path.endsWith("/labels"));
  assert.equal(requests.length, 1);
  assert.equal(desk.opened.length, 2);
});

Deno.test("TestCallRetriesAfterJITLogin: a failed sign-in is one line, and the refusal stays", async () => {
  await using desk = await openDesk({ gum_decision: "deny" });
  await register(desk);
  const { code, stderr } = await desk.run(LABELS, { stdin: "y\n", terminals: ["stdin"] });
  assert.equal(code, 3);
  assert.match(stderr, /^The sign-in did not work: .*$/m);
  assert.equal(envelope(stderr).source_error_code, "NO_REFRESH_TOKEN");
});

Deno.test("a login that ends with less than asked says so in JSON and in words", async () => {
  await using desk = await openDesk({ gum_scopes: READ });
  await register(desk);
  const { code, stdout, stderr } = await desk.run(["login", "--scope", "gmail.readonly,drive"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).scopes_denied, [scope("drive")]);
  assert.match(stderr, /Not granted: .*drive/);
});

Deno.test("logout reports what it did", async () => {
  await using desk = await openDesk();
  const nothing = await desk.run(["logout", "--forget-client"]);
  assert.equal(nothing.code, 0, nothing.stderr);
  assert.equal(JSON.parse(nothing.stdout).forget_client_skipped, true);
  await register(desk);
  await desk.run(["login", "--scope", "gmail.readonly"]);
  const { code, stdout } = await desk.run(["auth", "logout"]);
  assert.equal(code, 0);
  const report = JSON.parse(stdout);
  assert.deepEqual(
    [report.profile, report.grant_cleared, report.using_managed, report.remote_revoked],
    ["default", true, false, true],
  );
});

Deno.test("a client comes from flags, from a pipe, or from Google's file; a secret word is not repeated", async () => {
  await using desk = await openDesk();
  const file = JSON.stringify({
    installed: { client_id: "file.example", client_secret: "s3cr3t" },
  });
  const readFile = (path: string) =>
    Promise.resolve(new TextEncoder().encode(path === "web.json" ? '{"web":{}}' : file));
  const fromFile = await desk.run(["auth", "use-oauth-client", "--client-json", "c.json"], {
    factories: { readFile },
  });
  assert.equal(fromFile.code, 0, fromFile.stderr);
  assert.deepEqual(
    [JSON.parse(fromFile.stdout).client_id, JSON.parse(fromFile.stdout).secret_stored],
    ["file.example", true],
  );
  const web = await desk.run(["auth", "use-oauth-client", "--client-json", "web.json"], {
    factories: { readFile },
  });
  assert.equal(web.code, 2);
  assert.match(web.stderr, /Desktop app/);
  const piped = await desk.run(
    ["auth", "use-oauth-client", "--client-id", "x.example", "--secret-stdin"],
    { stdin: "from-pipe\n" },
  );
  assert.equal(piped.code, 0, piped.stderr);
  const typed = await desk.run(["auth", "use-oauth-client", "--client-id", "x", "GOCSPX-typed"]);
  assert.equal(typed.code, 2);
  assert.equal(typed.stderr.includes("GOCSPX-typed"), false);
  assert.equal(`${fromFile.stdout}${piped.stdout}`.includes("s3cr3t"), false);
  const pasted = await desk.run(["auth", "use-service-account", '{"private_key":"K3Y"}']);
  assert.equal(pasted.code, 2);
  assert.equal(pasted.stderr.includes("K3Y"), false);
});

Deno.test("auth setup: a report with the next commands, a failing check, and a walk at a terminal", async () => {
  await using desk = await openDesk();
  const op = "gmail.users.labels.list";
  const report = await desk.run(["auth", "setup", op]);
  assert.equal(report.code, 0, report.stderr);
  const before = JSON.parse(report.stdout);
  assert.equal(before.ready, false);
  assert.equal(before.error_code, "AUTH_REQUIRED");
  assert.deepEqual(
    before.components.map((one: JsonObject) => [one.kind, one.optional, one.status]),
    [
      ["oauth_client", false, "missing"],
      ["oauth_client_secret", true, "missing"],
      ["oauth_scopes", false, "missing"],
    ],
  );
  assert.equal(before.setup_command, `gum auth setup ${op}`);
  assert.equal((await desk.run(["auth", "setup", op, "--check"])).code, 1);
  assert.equal((await desk.run(["auth", "setup", " "])).code, 2);
  assert.equal((await desk.run(["auth", "setup", "gmail.users.labels.lst"])).code, 4);
  const walked = await desk.run(["auth", "setup", op], {
    stdin: "\n\n\n\n\nwalk.example\n\ny\n",
    terminals: ["stdin", "stdout", "stderr"],
  });
  assert.equal(walked.code, 0, walked.stderr);
  assert.match(walked.stderr, /console\.cloud\.google\.com\/auth\/clients/);
  assert.match(walked.stderr, /5\/5 Client/);
  assert.match(walked.stderr, /apis\/library\/gmail\.googleapis\.com/);
  assert.match(walked.stderr, /Google knows this client/);
  assert.match(walked.stderr, /gmail\.users\.labels\.list works as mara\.lindqvist@example\.com/);
  const calls = desk.emulator.journal.filter(({ path }) => path.endsWith("/labels"));
  assert.equal(calls.length, 1, "the walk ends with a call");
  assert.match(walked.stdout, /ready/);
  assert.match(walked.stdout, /gum call gmail\.users\.labels\.list --risk=read/);
  const after = JSON.parse((await desk.run(["auth", "setup", op])).stdout);
  assert.equal(after.ready, true);
  assert.equal(after.error_code, undefined);
  assert.equal((await desk.run(["auth", "setup", op, "--check"])).code, 0);
});

Deno.test("auth setup: the walk takes a file as people name one, asks again after a slip, and needs a client to sign in", async () => {
  await using desk = await openDesk();
  const terminals = ["stdin", "stdout", "stderr"] as const;
  const op = "gmail.users.labels.list";
  const stopped = await desk.run(["auth", "setup", op], { stdin: "s\n\ny\n", terminals });
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.doesNotMatch(stopped.stderr, /Sign in now/);
  assert.match(stopped.stdout, /not ready/);
  const folder = `${desk.home}/My Downloads`;
  await Deno.mkdir(folder);
  const file = { installed: { client_id: "walk.example", client_secret: "walk-secret" } };
  await Deno.writeTextFile(`${folder}/client.json`, JSON.stringify(file));
  for (const named of ["~/My Downloads/client.json", `'${folder}/client.json'`]) {
    const walked = await desk.run(["auth", "setup", op], {
      stdin: `s\n~/no-such.json\n${named}\ny\n`,
      terminals,
    });
    assert.equal(walked.code, 0, walked.stderr);
    assert.match(walked.stderr, /no-such\.json .*\nIts JSON file/s);
    assert.match(walked.stderr, /Google knows this client/);
    assert.match(walked.stdout, /: ready/);
    assert.ok(!(walked.stdout + walked.stderr).includes("walk-secret"));
    assert.equal((await desk.run(["logout", "--forget-client"])).code, 0);
  }
});

Deno.test("status and probe: JSON on stdout, no network for status, no token in either", async () => {
  await using desk = await openDesk();
  await register(desk);
  await desk.run(["login", "--scope", "gmail.readonly"]);
  desk.emulator.clearJournal();
  const status = await desk.run(["auth", "status"]);
  assert.equal(status.code, 0, status.stderr);
  assert.equal(JSON.parse(status.stdout).provider, "byo_oauth");
  assert.equal(desk.emulator.journal.length, 0);
  const probe = await desk.run(["auth", "probe"]);
  assert.equal(probe.code, 0, probe.stderr);
  assert.ok(JSON.parse(probe.stdout).token_bytes > 0);
  assert.equal((status.stdout + probe.stdout).includes("emulator-access"), false);
  const wrong = await desk.run(["auth", "probe", "--strategy", "moon"]);
  assert.equal(wrong.code, 2);
  assert.equal((await desk.run(["--emulator", "login"])).code, 2);
});

Deno.test("--account picks an account of the table; one outside it is refused without a question", async () => {
  await using desk = await openDesk();
  await register(desk);
  const config = `${desk.home}/.config/gum/default`;
  await Deno.mkdir(config, { recursive: true });
  await Deno.writeTextFile(`${config}/config.toml`, '[accounts.office]\nprofile = "office"\n');
  const options: RecordedOptions = { stdin: "y\n", terminals: ["stdin"] };
  const outside = await desk.run([...LABELS, "--account", "home"], options);
  assert.equal(outside.code, 5);
  assert.equal(envelope(outside.stderr).reason, "account_not_allowed");
  const unset = await desk.run([...LABELS, "--account", "office"], options);
  assert.equal(unset.code, 3);
  assert.equal(envelope(unset.stderr).profile, "office");
  assert.equal(unset.stderr.includes("Authorize"), false);
  const client = ["auth", "use-oauth-client", "--client-id", "cli.example"];
  await desk.run([...client, "--profile", "office"]);
  await desk.run(["login", "--scope", "gmail.readonly,gmail.labels", "--profile", "office"]);
  const { code, stdout, stderr } = await desk.run([...LABELS, "--account", "office"], options);
  assert.equal(code, 0, stderr);
  assert.ok(JSON.parse(stdout).labels.length > 0);
});

Deno.test("auth setup: without a keychain the walk offers a vault and goes on in it", {
  // Elsewhere the keychain of the machine would be asked.
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using desk = await openDesk();
  const environment = { GUM_VAULT_KEY: "" };
  const terminals = ["stdin", "stdout", "stderr"] as const;
  const refused = await desk.run(["auth", "setup"], { environment, terminals, stdin: "n\n" });
  assert.equal(refused.code, 3, refused.stderr);
  assert.match(refused.stderr, /No keychain can be used here: .*\n.*encrypted file instead/);
  assert.match(refused.stderr, /gum auth vault init/);
  const phrase = "a passphrase that is long enough";
  const walked = await desk.run(["auth", "setup"], {
    environment,
    terminals,
    stdin: "y\n\n\n\n\n\n\n",
    hidden: [phrase, phrase, phrase],
  });
  assert.match(walked.stderr, /Begun: .*credentials\.vault/);
  assert.match(walked.stderr, /5\/5 Client/);
  assert.ok(!(walked.stdout + walked.stderr).includes(phrase));
  await Deno.stat(`${desk.home}/.local/share/gum/default/credentials.vault`);
});

Deno.test("auth setup: a wrong client is found out, a disabled API gives its link and is tried again", async () => {
  await using desk = await openDesk();
  desk.emulator.identity.switches = { clients: { "right.example": undefined } };
  const terminals = ["stdin", "stdout", "stderr"] as const;
  const disabled = {
    match: { host: "gmail.googleapis.com", path: "/gmail/v1/users/me/labels" },
    effect: {
      kind: "status" as const,
      status: 403,
      message: "Gmail API has not been used in project 4711 before or it is disabled.",
      details: [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "SERVICE_DISABLED",
        domain: "googleapis.com",
        metadata: { service: "gmail.googleapis.com", consumer: "projects/4711" },
      }],
    },
  };
  desk.emulator.addFault(disabled);
  const walked = await desk.run(["auth", "setup"], {
    // Skip the console, a wrong client, again, the right one, no secret, sign in, no hosted client,
    // and the API is enabled at the second try.
    stdin: "s\nwrong.example\n\ny\nright.example\n\ny\nn\ny\n",
    terminals,
  });
  assert.equal(walked.code, 0, walked.stderr);
  assert.match(walked.stderr, /Google refuses this client: Google does not know this id/);
  assert.match(walked.stderr, /Google knows this client/);
  assert.match(walked.stderr, /gmail\.googleapis\.com, project 4711/);
  assert.match(
    walked.stderr,
    /https:\/\/console\.cloud\.google\.com\/apis\/library\/gmail\.googleapis\.com\?project=4711/,
  );
  assert.match(walked.stderr, /gmail\.users\.labels\.list works as mara\.lindqvist@example\.com/);
  desk.emulator.addFault({ ...disabled, times: 9 });
  const failing = ["auth", "setup", "gmail.users.labels.list", "--check"];
  const given = await desk.run(failing, { stdin: "", terminals });
  assert.equal(given.code, 1);
  assert.match(given.stderr, /does not work yet/);
});

Deno.test("auth setup: a second client for hosted agents stands beside the ordinary one", async () => {
  await using desk = await openDesk();
  await register(desk);
  await desk.run(["login", "--scope", "gmail.readonly,gmail.labels"]);
  const web = `${desk.home}/web.json`;
  const terminals = ["stdin", "stdout", "stderr"] as const;
  await Deno.writeTextFile(
    web,
    JSON.stringify({ web: { client_id: "hosted.example", client_secret: "GOCSPX-hosted-secret" } }),
  );
  const walked = await desk.run(["auth", "setup"], { stdin: `y\n${web}\n`, terminals });
  assert.equal(walked.code, 0, walked.stderr);
  assert.match(walked.stderr, /Registered\./);
  const status = JSON.parse((await desk.run(["auth", "status"])).stdout);
  assert.equal(status.hosted_client_id, "hosted.example");
  const ordinary = await desk.run(LABELS);
  assert.equal(ordinary.code, 0, "the ordinary client is the one in use");
  const again = await desk.run([
    "auth",
    "use-oauth-client",
    "--hosted",
    "--client-json",
    web,
  ]);
  assert.deepEqual(JSON.parse(again.stdout), {
    profile: "default",
    client_id: "hosted.example",
    secret_stored: true,
    hosted: true,
  });
  const wrong = await desk.run(["auth", "use-oauth-client", "--client-json", web]);
  assert.equal(wrong.code, 2);
  for (const { stdout, stderr } of [walked, again, wrong]) {
    assert.ok(!(stdout + stderr).includes("GOCSPX-hosted-secret"));
  }
  await desk.run(["logout", "--forget-client"]);
  const after = JSON.parse((await desk.run(["auth", "status"])).stdout);
  assert.equal(after.hosted_client_id, undefined);
});
