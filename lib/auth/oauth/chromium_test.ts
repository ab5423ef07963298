import assert from "node:assert/strict";
import { signIn } from "../login.ts";
import { openWorld, scope } from "../testdata/auth_world.ts";
import { listener } from "../testdata/person.ts";

/** The first browser that is installed; undefined where there is none. */
async function chromium(): Promise<string | undefined> {
  for (const program of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      const { success } = await new Deno.Command(program, {
        args: ["--version"],
        stdout: "null",
        stderr: "null",
      }).output();
      if (success) return program;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

const program = await chromium();

Deno.test({
  name: `a real browser follows the consent page to the end${
    program === undefined ? " (skipped: no chromium is installed)" : ""
  }`,
  ignore: program === undefined,
  fn: async () => {
    assert.ok(program !== undefined);
    await using world = await openWorld();
    const profile = await Deno.makeTempDir({ prefix: "gum-chromium-" });
    const browse = async (address: string): Promise<string> => {
      const { stdout } = await new Deno.Command(program, {
        args: [
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          `--user-data-dir=${profile}`,
          "--timeout=20000",
          "--dump-dom",
          address,
        ],
        stdout: "piped",
        stderr: "null",
      }).output();
      return new TextDecoder().decode(stdout);
    };
    let last = "";
    let page = "";
    const visiting: Promise<void>[] = [];
    const visit = async (address: string) => {
      page = await browse(address);
      // The page has no script: clicking is following the first account's link.
      const link = /<a href="([^"]*gum_decision=allow[^"]*)"/.exec(page)?.[1];
      assert.ok(link !== undefined, page);
      last = await browse(new URL(link.replaceAll("&amp;", "&"), address).href);
    };
    const result = await signIn(world.parts, world.view, {
      scopes: [scope("gmail.readonly")],
      openBrowser: (address) => {
        visiting.push(visit(address));
        return Promise.resolve();
      },
      io: listener().io,
      signal: world.signal,
    });
    await Promise.all(visiting);
    assert.match(page, /Emulated sign-in/);
    assert.match(last, /you can close this tab/);
    assert.deepEqual(result.scopes, [scope("gmail.readonly")]);
    await Deno.remove(profile, { recursive: true });
  },
});
