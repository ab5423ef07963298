import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { browserCommand, BrowserFailed, isHeadless, systemBrowser } from "./browser.ts";

Deno.test("the address is one argument of the system's opener, whatever it holds", () => {
  const address = 'https://accounts.google.com/o?a=1&b="$(x)"';
  assert.deepEqual(browserCommand("darwin", address), { program: "open", args: [address] });
  assert.deepEqual(browserCommand("linux", address), { program: "xdg-open", args: [address] });
  assert.deepEqual(browserCommand("windows", address), {
    program: "rundll32",
    args: ["url.dll,FileProtocolHandler", address],
  });
});

Deno.test("headless is Linux without a display that is not inside Windows", () => {
  const on = (os: string, version: string, environment = {}) =>
    isHeadless(environmentOf(environment), { os, readVersion: () => version });
  assert.equal(on("linux", "Linux 6.1"), true);
  assert.equal(on("linux", "Linux 5.15 microsoft-standard-WSL2"), false);
  assert.equal(on("linux", "Linux", { DISPLAY: ":0" }), false);
  assert.equal(on("linux", "Linux", { WAYLAND_DISPLAY: "w" }), false);
  assert.equal(on("darwin", ""), false);
  assert.equal(on("windows", ""), false);
  const unreadable = () => {
    throw new Deno.errors.NotFound();
  };
  assert.equal(isHeadless(environmentOf({}), { os: "linux", readVersion: unreadable }), true);
});

Deno.test({
  name: "the browser is started without the secrets of this process",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gum-browser-" });
    try {
      const opener = `${folder}/xdg-open`;
      await Deno.writeTextFile(
        opener,
        `#!/bin/sh\n/usr/bin/env > ${folder}/part; mv=1\n` +
          `/bin/mv ${folder}/part ${folder}/seen\n`,
      );
      await Deno.chmod(opener, 0o755);
      const module = JSON.stringify(new URL("./browser.ts", import.meta.url).href);
      const script = `import { systemBrowser } from ${module};
        const value = (name) => name === "DISPLAY" ? ":0" : undefined;
        await systemBrowser({ text: value, isOne: () => false, take: value })("https://a.example/");
        for (;;) {
          try { Deno.statSync(${JSON.stringify(`${folder}/seen`)}); break; } catch {}
          await new Promise((resume) => setTimeout(resume, 10));
        }`;
      await Deno.writeTextFile(`${folder}/open.ts`, script);
      const { code } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-q",
          "--no-check",
          "--no-prompt",
          "--allow-run",
          "--allow-read",
          `${folder}/open.ts`,
        ],
        env: {
          PATH: folder,
          KEPT: "yes",
          GUM_API_KEY: "canary-1",
          GUM_VAULT_KEY: "canary-2",
          GUM_VAULT_PASSPHRASE: "canary-3",
          GUM_GOOGLE_ADS_DEVELOPER_TOKEN: "canary-4",
        },
        signal: AbortSignal.timeout(30_000),
      }).output();
      assert.equal(code, 0);
      const seen = await Deno.readTextFile(`${folder}/seen`);
      assert.match(seen, /^KEPT=yes$/m);
      assert.ok(!seen.includes("canary"), seen);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "an opener that gives up at once is a browser that was not started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gum-browser-" });
    const path = Deno.env.get("PATH") ?? "";
    try {
      const opens = async (script: string) => {
        await Deno.writeTextFile(`${folder}/xdg-open`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        await systemBrowser(environmentOf({ DISPLAY: ":0" }))?.("https://a.example/");
      };
      Deno.env.set("PATH", `${folder}:${path}`);
      await assert.rejects(
        opens("exit 3"),
        (error) => error instanceof BrowserFailed && /xdg-open .* code 3/.test(error.message),
      );
      await opens("exit 0");
    } finally {
      Deno.env.set("PATH", path);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
