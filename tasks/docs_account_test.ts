/** Commands of the guides that need an account or files, run with an emulated Google that says yes. */

import assert from "node:assert/strict";
import type { BrowserOpener } from "../lib/auth/mod.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { startEmulator } from "../lib/emulator/mod.ts";
import { processFactories } from "../cli/host.ts";
import { runCommandLine } from "../cli/run.ts";
import { recordedHost } from "../cli/testing/recorded_host.ts";
import { runGum, withFolder } from "../cli/testing/spawned.ts";
import { COMMANDS } from "../cli/tree.ts";
import { type Needs, type Shown, shownCommands } from "./testing/shown_commands.ts";

const DOCS = new URL("../docs/", import.meta.url);
const VAULT_KEY = new Uint8Array(32).fill(7).toBase64({ alphabet: "base64url", omitPadding: true });

async function commandsOf(page: string, needs: Needs): Promise<Shown[]> {
  const markdown = await Deno.readTextFile(new URL(page, DOCS));
  return shownCommands(page, markdown).filter((command) => command.needs === needs);
}

/** What a reader has at hand: what the console gave out for download, and keys in files. */
async function writeReadersFiles(home: string): Promise<void> {
  const pair = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign"],
  );
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const pem = bytes.toBase64().replace(/.{64}/g, "$&\n");
  const files: Record<string, string> = {
    "client_secret.json": JSON.stringify({
      installed: {
        client_id: "docs.apps.googleusercontent.com",
        client_secret: "shh",
        auth_uri: "https://accounts.google.com/o/oauth2/auth",
        token_uri: "https://oauth2.googleapis.com/token",
        redirect_uris: ["http://localhost"],
      },
    }),
    "web_client.json": JSON.stringify({
      web: { client_id: "hosted.apps.googleusercontent.com", client_secret: "shh" },
    }),
    "key.json": JSON.stringify({
      type: "service_account",
      project_id: "docs",
      private_key_id: "1",
      private_key: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`,
      client_email: "robot@docs.iam.gserviceaccount.com",
      client_id: "1",
      token_uri: "https://oauth2.googleapis.com/token",
    }),
    "key.txt": `AIza${"x".repeat(35)}\n`,
    "token.txt": "abcdefghijklmnopqrstuv\n",
    "vault": "a passphrase of some length\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${home}/${name}`, text, { mode: 0o600 });
  }
}

/** Runs the commands in order, as one reader would, and says yes on every consent page. */
async function runAsReader(commands: readonly Shown[]): Promise<void> {
  await withFolder(async (home) => {
    await writeReadersFiles(home);
    const emulator = await startEmulator({ clock: systemClock });
    const visits: Promise<void>[] = [];
    const consent = async (address: string) => {
      const url = new URL(address);
      url.searchParams.set("gum_decision", "allow");
      await (await fetch(url)).body?.cancel();
    };
    const openBrowser: BrowserOpener = (address) => {
      visits.push(consent(address));
      return Promise.resolve();
    };
    const peer = (address: string) => emulator.rewrite(new URL(address)).href;
    try {
      for (const { page, line, words, environment, checkedOnly } of commands) {
        if (checkedOnly) continue;
        // What is mounted into a container lies with the reader's other files here.
        const mounted = Object.entries(environment).map((
          [name, value],
        ) => [name, value.replace(/^\/run\/secrets\//, `${home}/`)]);
        const vault = environment.GUM_VAULT_PASSPHRASE_FILE === undefined
          ? { GUM_VAULT_KEY: VAULT_KEY }
          : {};
        const { host, recorded } = recordedHost(words, {
          environment: { HOME: home, ...vault, ...Object.fromEntries(mounted) },
        });
        const stderr = {
          write(chunk: string | Uint8Array) {
            host.stderr.write(chunk);
            // Without a browser the address is printed, and the reader opens it by hand.
            const printed = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
            const address = /http:\/\/127\.0\.0\.1:\d+\/_host\/accounts[^\s"\\]+/.exec(printed)
              ?.[0];
            if (words.includes("--no-browser") && address !== undefined) {
              visits.push(consent(address));
            }
          },
        };
        const code = await runCommandLine(COMMANDS, {
          ...host,
          stderr,
          workingDirectory: () => home,
          factories: {
            ...processFactories(),
            readFile: (path) => Deno.readFile(path.startsWith("/") ? path : `${home}/${path}`),
            openBrowser,
            googlePeer: {
              rewriteOrigin: (url) => emulator.rewrite(url),
              endpoints: {
                authorization: peer("https://accounts.google.com/o/oauth2/v2/auth"),
                token: "https://oauth2.googleapis.com/token",
                revocation: "https://oauth2.googleapis.com/revoke",
                metadata: "http://169.254.169.254",
              },
            },
          },
        });
        await Promise.all(visits);
        assert.equal(code, 0, `${page}: ${line}\n${recorded().stderr}`);
      }
    } finally {
      await emulator.close();
    }
  });
}

Deno.test("docs: every command that needs an account runs, one reader after the other", async () => {
  for (const page of ["auth.md", "quick-start.md"]) {
    const commands = await commandsOf(page, "account");
    assert.ok(commands.length >= 3, `${page}: ${commands.length}`);
    // Who makes a vault has none yet, and every container is a machine of its own.
    const inContainer = ({ environment }: Shown) => Object.keys(environment).length > 0;
    const ofVault = ({ words }: Shown) => words[1] === "vault";
    const others = commands.filter((command) => !inContainer(command));
    await runAsReader(others.filter((command) => !ofVault(command)));
    await runAsReader(others.filter(ofVault));
    for (const command of commands.filter(inContainer)) await runAsReader([command]);
  }
});

Deno.test("docs: every command about files moves bytes", async () => {
  await withFolder(async (home) => {
    const env = { GUM_EMULATOR: "1" };
    await Deno.writeFile(`${home}/film.mp4`, new Uint8Array(6 * 1024 * 1024).fill(9));
    const value = async (argv: readonly string[], path: string) => {
      const run = await runGum([...argv, "--output", `value(${path})`], { home, env });
      return run.stdout.split("\n")[0] ?? "";
    };
    const messageId = await value(
      ["call", "gmail.users.messages.list", "--risk=read", "q=has:attachment", "maxResults:=1"],
      "messages[].id",
    );
    const message = await runGum(
      ["call", "gmail.users.messages.get", "--risk=read", `id=${messageId}`, "--raw"],
      { home, env },
    );
    const id = /"attachmentId": ?"([^"]+)"/.exec(message.stdout)?.[1] ?? "";
    // A page cannot know ids; these are what a reader would put in their place.
    const ids: Readonly<Record<string, string | undefined>> = {
      "drive.files.get": '"fileId":"14jAaixMoakazrCyu0cjYdJz8JWMocVZ7"',
      "drive.files.export": '"fileId":"15-Iwj3P4G8Wr1ZZrzqlbDmjajGpgppR_Zjfj1rd2T7k"',
      "gmail.users.messages.attachments.get": `"messageId":"${messageId}","id":"${id}"`,
    };
    const commands = await commandsOf("files-and-pages.md", "files");
    assert.ok(commands.length >= 6);
    for (const { line, words, piped } of commands) {
      const argv = words.map((word) =>
        word.replace(/"(fileId|messageId)":"\.\.\."(,"id":"\.\.\.")?/, ids[words[1] ?? ""] ?? "")
      );
      const run = await runGum(argv, {
        home,
        env,
        cwd: home,
        stdin: piped ? "-- dump\n" : undefined,
      });
      assert.equal(run.code, 0, `${line}\n${run.stderr}`);
    }
    const names = [...Deno.readDirSync(home)].map(({ name }) => name);
    assert.ok(names.includes("report.pdf") && names.includes("plan.pdf"), names.join(", "));
  });
});

Deno.test("docs: commands about a served emulator share its world", async () => {
  const emulator = await startEmulator({ clock: systemClock });
  try {
    await withFolder(async (home) => {
      const commands = await commandsOf("quick-start.md", "emulator");
      assert.ok(commands.length >= 4);
      const outputs: string[] = [];
      for (const { line, words } of commands) {
        const run = await runGum(words, { home, env: { GUM_EMULATOR: emulator.origin } });
        assert.equal(run.code, 0, `${line}\n${run.stderr}`);
        outputs.push(run.stdout);
      }
      assert.match(outputs[1] ?? "", /Buy milk/);
    });
  } finally {
    await emulator.close();
  }
});

Deno.test("docs: every command about plugins runs on the examples of this repository", async () => {
  for (const page of ["plugins.md", "plugin-author-guide.md"]) {
    await withFolder(async (folder) => {
      const home = await Deno.realPath(folder);
      const env = { GUM_VAULT_KEY: VAULT_KEY };
      for (const name of ["unit-convert", "word-count"]) {
        await copyFolder(
          new URL(`../examples/plugins/${name}/`, import.meta.url),
          `${home}/${name}`,
        );
      }
      const commands = await commandsOf(page, "plugin");
      assert.ok(commands.length >= 4);
      for (const { line, words } of commands) {
        // The question that a person answers with y.
        const consent = words[1] === "install" && !words.includes("--yes") ? ["--yes"] : [];
        const run = await runGum([...words, ...consent], { home, env, cwd: home });
        assert.equal(run.code, 0, `${page}: ${line}\n${run.stderr}`);
      }
    });
  }
});

async function copyFolder(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

Deno.test("docs: no page shows a command that no test runs", async () => {
  const run: Readonly<Record<Needs, readonly string[] | undefined>> = {
    // docs_test.ts runs these, on every page.
    nothing: undefined,
    account: ["auth.md", "quick-start.md"],
    files: ["files-and-pages.md"],
    emulator: ["quick-start.md"],
    plugin: ["plugins.md", "plugin-author-guide.md"],
  };
  for await (const { name } of Deno.readDir(DOCS)) {
    if (!name.endsWith(".md")) continue;
    for (
      const { needs, line } of shownCommands(name, await Deno.readTextFile(new URL(name, DOCS)))
    ) {
      assert.ok(run[needs]?.includes(name) ?? true, `${name}: ${line}`);
    }
  }
});
