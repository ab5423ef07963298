import assert from "node:assert/strict";
import {
  secretServiceMissing,
  startSecretService,
} from "../lib/auth/store/testing/secret_service.ts";
import { type Recorded, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { GUM, isolatedEnvironment, ROOT, runDeno, withFolder } from "./testing/spawned.ts";

const VAULT_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const CANARY = "AIzaCanary-key-that-must-not-be-shown-00";

async function inHome(
  body: (
    run: (argv: string[], options?: RecordedOptions) => Promise<Recorded>,
    home: string,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (home) => {
    const run = (argv: string[], options: RecordedOptions = {}) =>
      runRecorded(argv, {
        ...options,
        environment: { HOME: home, PATH: `${home}/none`, ...options.environment },
        factories: { readFile: (path) => Deno.readFile(path), ...options.factories },
      });
    await body(run, home);
  });
}

Deno.test("gum auth use-api-key: from standard input and a file into the vault", async () => {
  await inHome(async (run, home) => {
    const environment = { GUM_VAULT_KEY: VAULT_KEY };
    const stored = await run(["auth", "use-api-key"], { environment, stdin: `${CANARY}\n` });
    assert.deepEqual([stored.code, stored.stderr], [0, ""]);
    assert.deepEqual(JSON.parse(stored.stdout), {
      profile: "default",
      stored: "api_key",
      credential_store: "vault",
    });
    await Deno.writeTextFile(`${home}/token`, "dev-token-1\n");
    const token = await run(
      ["auth", "use-ads-developer-token", "--from-file", `${home}/token`],
      { environment },
    );
    assert.equal(token.code, 0, token.stderr);
    const status = await run(["auth", "vault", "status"], { environment });
    const report = JSON.parse(status.stdout);
    assert.deepEqual(
      [report.credential_store.backend, report.credential_store.available, report.vault.kdf],
      ["vault", true, "hkdf-sha256"],
    );
    const doctor = await run(["doctor", "--format", "json"], { environment });
    const auth = JSON.parse(doctor.stdout).checks[0];
    assert.deepEqual([auth.name, auth.ok], ["auth", true]);
    assert.match(auth.summary, /api_key/);
    for (const { stdout, stderr } of [stored, token, status, doctor]) {
      assert.ok(!(stdout + stderr).includes(CANARY));
    }
  });
});

Deno.test("gum auth: a secret on the command line is refused and not repeated", async () => {
  await inHome(async (run, home) => {
    for (
      const argv of [
        ["auth", "use-api-key", CANARY],
        ["auth", "use-ads-developer-token", CANARY],
        ["auth", "vault", "init", CANARY],
        ["auth", "use-api-key", `--key=${CANARY}`],
        ["auth", "use-api-key", `-k${CANARY}`],
      ]
    ) {
      const { code, stdout, stderr } = await run(argv);
      assert.deepEqual([code, stdout], [2, ""], argv.join(" "));
      assert.ok(!stderr.includes(CANARY), argv.join(" "));
    }
    assert.match((await run(["auth", "use-api-key", CANARY])).stderr, /history/);
    assert.deepEqual([...Deno.readDirSync(home)], []);
    for (const stdin of ["", " \n"]) {
      const empty = await run(["auth", "use-api-key"], { stdin });
      assert.deepEqual([empty.code, empty.stdout], [2, ""]);
      assert.match(empty.stderr, /empty/);
    }
    for (const stdin of ["first\nsecond\n", "a\0b", "a\tb"]) {
      const lines = await run(["auth", "use-api-key"], { stdin });
      assert.deepEqual([lines.code, lines.stdout], [2, ""]);
      assert.match(lines.stderr, /control character/);
      assert.ok(!lines.stderr.includes("first"));
    }
    const large = await run(["auth", "use-api-key"], { stdin: "x".repeat(1024 * 1024 + 1) });
    assert.match(large.stderr, /larger than 1 MiB/);
  });
});

Deno.test("TestAuthKeychainUnavailable: gum auth use-api-key without any store", async () => {
  await inHome(async (run) => {
    const failed = await run(["auth", "use-api-key"], { stdin: CANARY });
    assert.deepEqual([failed.code, failed.stdout], [3, ""]);
    const [hint = "", ...rest] = failed.stderr.split("\n");
    assert.match(JSON.parse(hint).msg, /GUM_API_KEY="\$\(pass show/);
    const envelope = JSON.parse(rest.join("\n"));
    assert.equal(envelope.error_code, "AUTH_KEYCHAIN_UNAVAILABLE");
    assert.equal(envelope.setup_command, "gum auth use-adc");
    assert.ok(!failed.stderr.includes(CANARY));
  });
});

Deno.test("gum auth use-adc: on and off, without touching any store", async () => {
  await inHome(async (run, home) => {
    const on = await run(["auth", "use-adc"]);
    assert.equal(on.code, 0);
    assert.deepEqual(JSON.parse(on.stdout), {
      profile: "default",
      adc_enabled: true,
      source: "metadata_server",
      path: `${home}/.config/gcloud/application_default_credentials.json`,
      path_present: false,
    });
    const config = `${home}/.config/gum/default/config.toml`;
    assert.match(await Deno.readTextFile(config), /auth\.adc\.enabled = true/);
    const failing = JSON.parse((await run(["doctor", "--format", "json"])).stdout).checks[0];
    assert.deepEqual([failing.ok, failing.hint.includes("use-adc --off")], [false, true]);
    await Deno.writeTextFile(`${home}/adc.json`, "{}");
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: `${home}/adc.json` };
    const ready = await run(["doctor", "--format", "json"], { environment });
    assert.match(JSON.parse(ready.stdout).checks[0].summary, /adc/);
    assert.equal(JSON.parse((await run(["auth", "use-adc", "--off"])).stdout).adc_enabled, false);
    assert.doesNotMatch(await Deno.readTextFile(config), /adc/);
    // A file nobody opted into is named and not used.
    const ambient = await run(["doctor", "--format", "json"], { environment });
    const check = JSON.parse(ambient.stdout).checks[0];
    assert.equal(check.ok, false);
    await assert.rejects(Deno.stat(`${home}/.local/share/gum/default/credential-store.json`));
  });
});

Deno.test("gum auth vault: init, rekey and what they refuse", async () => {
  await inHome(async (run) => {
    const old = { GUM_VAULT_PASSPHRASE: "correct horse battery" };
    const none = await run(["auth", "vault", "init"]);
    assert.equal(none.code, 3);
    assert.match(JSON.parse(none.stderr).message, /no passphrase was given/);
    const short = await run(["auth", "vault", "init"], {
      environment: { GUM_VAULT_PASSPHRASE: "short" },
    });
    assert.match(JSON.parse(short.stderr).message, /at least 12/);
    assert.equal((await run(["auth", "vault", "init", "--kdf", "md5"])).code, 2);
    const made = await run(["auth", "vault", "init", "--kdf=pbkdf2"], { environment: old });
    assert.deepEqual([made.code, JSON.parse(made.stdout).in_use], [0, true], made.stderr);
    assert.equal(JSON.parse(made.stdout).kdf, "pbkdf2-sha256");
    assert.equal((await run(["auth", "vault", "init"], { environment: old })).code, 2);
    await run(["auth", "use-api-key"], { environment: old, stdin: CANARY });
    const rekeyed = await run(["auth", "vault", "rekey", "--raw-key"], {
      environment: old,
      stdin: VAULT_KEY,
    });
    assert.equal(JSON.parse(rekeyed.stdout).kdf, "hkdf-sha256", rekeyed.stderr);
    const locked = await run(["auth", "use-api-key"], { environment: old, stdin: "other" });
    assert.equal(locked.code, 3);
    const open = await run(["doctor", "--format=json"], {
      environment: { GUM_VAULT_KEY: VAULT_KEY },
    });
    assert.match(JSON.parse(open.stdout).checks[0].summary, /api_key/);
    const nowhere = await run(["auth", "vault", "migrate", "--to", "keychain"], {
      environment: { GUM_VAULT_KEY: VAULT_KEY },
    });
    assert.equal(nowhere.code, 3);
  });
});

Deno.test("gum auth vault init: a person is asked twice, unseen", async () => {
  await inHome(async (run, home) => {
    const asked = async (answers: string[]) => {
      const { recordedHost } = await import("./testing/recorded_host.ts");
      const { runCommandLine } = await import("./run.ts");
      const { COMMANDS } = await import("./tree.ts");
      const { host, recorded } = recordedHost(["auth", "vault", "init"], {
        environment: { HOME: home },
        terminals: ["stdin", "stderr"],
        hidden: answers,
      });
      return { code: await runCommandLine(COMMANDS, host), ...recorded() };
    };
    const differing = await asked(["correct horse battery", "correct horse batterY"]);
    assert.equal(differing.code, 2);
    assert.match(differing.stderr, /differ/);
    const made = await asked(["correct horse battery", "correct horse battery"]);
    assert.equal(made.code, 0, made.stderr);
    assert.ok(!made.stderr.includes("horse"));
    const stored = await run(["auth", "use-api-key"], {
      environment: { GUM_VAULT_PASSPHRASE: "correct horse battery" },
      stdin: CANARY,
    });
    assert.equal(stored.code, 0, stored.stderr);
  });
});

Deno.test("gum auth profiles: what is on disk, the current one marked", async () => {
  await inHome(async (run, home) => {
    await run(["--profile", "work", "config", "set", "profile.description=At the office"]);
    await run(["--profile", "home", "auth", "use-api-key"], {
      environment: { GUM_VAULT_KEY: VAULT_KEY },
      stdin: CANARY,
    });
    await Deno.mkdir(`${home}/.config/gum/profiles`);
    await Deno.mkdir(`${home}/.config/gum/broken`);
    await Deno.writeTextFile(`${home}/.config/gum/broken/config.toml`, "= 1");
    const { stdout } = await run(["--profile", "work", "auth", "profiles"]);
    assert.equal(
      stdout,
      "  broken   config  (configuration cannot be read)\n" +
        "  default  empty\n" +
        "  home     credentials\n" +
        "* work     config  At the office\n",
    );
    const json = JSON.parse((await run(["auth", "profiles", "--format", "json"])).stdout);
    assert.deepEqual(json.profiles.map((one: { name: string }) => one.name), [
      "broken",
      "default",
      "home",
      "work",
    ]);
  });
});

Deno.test("gum doctor: five checks in order, exit 1 and a hint where one fails", async () => {
  await inHome(async (run, home) => {
    const failed = await run(["doctor", "--format", "json"]);
    assert.equal(failed.code, 1);
    const report = JSON.parse(failed.stdout);
    assert.deepEqual([report.ok, report.profile], [false, "default"]);
    assert.deepEqual(
      report.checks.map((one: { name: string }) => one.name),
      ["auth", "audit", "cache", "plugin", "config"],
    );
    for (const check of report.checks) assert.ok(check.ok || check.hint, check.name);
    const text = await run(["doctor"]);
    assert.equal(text.code, 1);
    assert.match(text.stdout, /^\[FAIL\] auth: .*\n {7}\S/);
    assert.match(text.stdout, /\[ok\] audit: .*\[ok\] cache: .*\[ok\] plugin: .*\[ok\] config: /s);
    assert.match(text.stdout, /1 of 5 checks FAILED for profile default\.\n$/);
    const fine = await run(["doctor"], { environment: { GUM_API_KEY: CANARY } });
    assert.equal(fine.code, 0, fine.stdout);
    assert.match(fine.stdout, /All checks passed/);
    assert.ok(!fine.stdout.includes(CANARY));
    await Deno.mkdir(`${home}/.local/share/gum/default`, { recursive: true });
    await Deno.writeTextFile(
      `${home}/.local/share/gum/default/audit.broken`,
      "disk full\nat row 7\n",
    );
    const broken = await run(["doctor"], { environment: { GUM_API_KEY: "k" } });
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /\[FAIL\] audit: .*\n {7}disk full at row 7\n/);
    await Deno.mkdir(`${home}/.cache`, { recursive: true });
    await Deno.remove(`${home}/.cache`, { recursive: true });
    await Deno.writeTextFile(`${home}/.cache`, "not a folder");
    assert.match((await run(["doctor"])).stdout, /\[FAIL\] cache: /);
    const left = [...Deno.readDirSync(`${home}/.local/share/gum/default`)].map((e) => e.name);
    assert.ok(!left.some((name) => name.includes("probe")), left.join());
  });
});

Deno.test("gum doctor: a keychain that does not answer does not hang it", async () => {
  await inHome(async (run, home) => {
    await Deno.mkdir(`${home}/bin`);
    const script = "#!/bin/sh\nexec /bin/sleep 60\n";
    await Deno.writeTextFile(`${home}/bin/secret-tool`, script, { mode: 0o755 });
    const started = performance.now();
    const { code, stdout } = await run(["doctor", "--format", "json"], {
      environment: {
        PATH: `${home}/bin`,
        DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere",
        GUM_API_KEY: "k",
      },
    });
    assert.ok(performance.now() - started < 20_000);
    assert.equal(code, 0);
    const check = JSON.parse(stdout).checks[0];
    assert.match(check.summary, /GUM_API_KEY/);
    assert.match(check.hint, /in time|did not answer/);
  });
});

Deno.test({
  name: "TestAuthKeychainStorageOnly: the real program and a real keyring",
  ignore: secretServiceMissing() !== undefined,
  async fn() {
    await withFolder(async (home) => {
      await using service = await startSecretService(home);
      const env: Record<string, string> = {
        ...await isolatedEnvironment(home),
        ...service.variables,
      };
      // The product's own permissions and the keychain tool.
      const flags = [
        "run",
        "-q",
        "--no-prompt",
        "-P=gum",
        "--allow-run=secret-tool",
        `--allow-env=GUM_*,${Object.keys(env).join(",")}`,
        `${ROOT}main.ts`,
      ];
      const gum = (argv: string[], stdin?: string) => runDeno([...flags, ...argv], { env, stdin });
      const stored = await gum(["auth", "use-api-key"], CANARY);
      assert.equal(stored.code, 0, stored.stderr);
      assert.equal(JSON.parse(stored.stdout).credential_store, "secret-service");
      const doctor = await gum(["doctor", "--format", "json"]);
      assert.match(JSON.parse(doctor.stdout).checks[0].summary, /api_key/, doctor.stdout);
      const grep = await new Deno.Command("grep", {
        args: ["-rlF", CANARY, home],
        stdout: "piped",
      }).output();
      assert.equal(new TextDecoder().decode(grep.stdout), "");
    });
  },
});

Deno.test("startup: commands without a credential load neither the store nor a configuration", async () => {
  const loaded = async (argv: string[]): Promise<string[]> => {
    const urls: string[] = [];
    await withFolder(async (folder) => {
      const env = await isolatedEnvironment(folder);
      const [run = "", ...flags] = GUM;
      await runDeno([run, `--coverage=${folder}/coverage`, ...flags, ...argv], { env });
      for await (const entry of Deno.readDir(`${folder}/coverage`)) {
        if (!entry.name.endsWith(".json")) continue;
        urls.push(JSON.parse(await Deno.readTextFile(`${folder}/coverage/${entry.name}`)).url);
      }
    });
    return urls.filter((url) => url.startsWith("file:"));
  };
  const cases: [string[], RegExp][] = [
    [["--version"], /\/lib\/(auth|config)\//],
    [["search", "mail"], /\/lib\/auth\/|\/lib\/config\/(load|keys|toml|mod)\.ts/],
    [["config", "list"], /\/lib\/auth\//],
  ];
  for (const [argv, unwanted] of cases) {
    const urls = await loaded(argv);
    assert.ok(urls.length > 0, argv.join(" "));
    assert.deepEqual(urls.filter((url) => unwanted.test(url)), [], argv.join(" "));
  }
});

Deno.test("gum auth status and doctor: a store that stays shut is a finding, with what helps", async () => {
  await inHome(async (run, home) => {
    const statusOf = async (environment: Record<string, string>) => {
      const { code, stdout, stderr } = await run(["auth", "status"], { environment });
      assert.deepEqual([code, stderr], [0, ""]);
      return JSON.parse(stdout);
    };
    const nextOf = ({ strategies }: { strategies: { next_command?: string }[] }) =>
      strategies.map(({ next_command }) => next_command);
    const hintOf = async (environment: Record<string, string>) =>
      JSON.parse((await run(["doctor", "--format", "json"], { environment })).stdout).checks[0]
        .hint;
    // Nowhere to keep a secret: that place comes first; the host's credentials are their own way.
    const nowhere = await statusOf({});
    assert.equal(nowhere.credential_store.available, false);
    assert.deepEqual(nextOf(nowhere), [
      "gum auth vault init",
      "gum auth vault init",
      "gum auth vault init",
      "gum auth use-adc",
    ]);
    const short = await run(["auth", "vault", "init"], {
      environment: { GUM_VAULT_PASSPHRASE: "short" },
    });
    assert.match(JSON.parse(short.stderr).how_to_fix, /longer passphrase/);

    const right = { GUM_VAULT_PASSPHRASE: "four words make one" };
    const wrong = { GUM_VAULT_PASSPHRASE: "another four words" };
    assert.equal((await run(["auth", "vault", "init"], { environment: right })).code, 0);
    await run(["auth", "use-api-key"], { environment: right, stdin: CANARY });
    assert.equal((await statusOf(right)).provider, "api_key");
    const locked = await statusOf(wrong);
    assert.deepEqual(locked.credential_store, {
      backend: "vault",
      available: false,
      reason: "vault_locked",
    });
    assert.match(locked.hint, /vault_locked.*gum doctor/);
    assert.match(await hintOf(wrong), /that this vault was made with/);
    await Deno.writeTextFile(`${home}/.local/share/gum/default/credentials.vault`, "damaged");
    assert.equal((await statusOf(right)).credential_store.reason, "vault_corrupt");
    assert.match(await hintOf(right), /Restore credentials\.vault/);
  });
});
