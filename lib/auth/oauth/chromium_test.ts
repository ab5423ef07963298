/** The consent page in a real browser: what people do there, and what goes wrong. */

import assert from "node:assert/strict";
import { AuthError } from "../errors.ts";
import { type LoginResult, signIn } from "../login.ts";
import { type AuthWorld, openWorld, scope } from "../testdata/auth_world.ts";
import { listener } from "../testdata/person.ts";
import { requestToken } from "./token_client.ts";

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

/** Shows one address and gives the page as it stands when it is done loading. */
async function browse(address: string, profile: string): Promise<string> {
  const { stdout } = await new Deno.Command(program ?? "", {
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
}

interface Visit {
  /** The consent page. */
  page: string;
  /** What was there after the click. */
  last: string;
  outcome: LoginResult | AuthError;
}

/** Opens the consent page, follows the link that `click` finds in it, waits for the sign-in. */
async function visit(
  world: AuthWorld,
  made: { click: RegExp; switchAccount?: boolean },
): Promise<Visit> {
  const profile = await Deno.makeTempDir({ prefix: "gum-chromium-" });
  let page = "";
  let last = "";
  const visiting: Promise<void>[] = [];
  const follow = async (address: string) => {
    page = await browse(address, profile);
    // The page has no script: clicking is following its link.
    const link = made.click.exec(page)?.[1];
    assert.ok(link !== undefined, page);
    last = await browse(new URL(link.replaceAll("&amp;", "&"), address).href, profile);
  };
  const outcome = await signIn(world.parts, world.view, {
    scopes: [scope("gmail.readonly")],
    switchAccount: made.switchAccount,
    openBrowser: (address) => {
      visiting.push(follow(address));
      return Promise.resolve();
    },
    io: listener().io,
    signal: world.signal,
  }).catch((error) => {
    if (error instanceof AuthError) return error;
    throw error;
  });
  await Promise.all(visiting);
  await Deno.remove(profile, { recursive: true });
  return { page, last, outcome };
}

function inBrowser(name: string, fn: () => Promise<void>): void {
  const ignore = program === undefined;
  Deno.test({ name: ignore ? `${name} (skipped: no chromium is installed)` : name, ignore, fn });
}

const ALLOW = /<a href="([^"]*gum_decision=allow[^"]*)"/;
const granted = (outcome: Visit["outcome"]): LoginResult => {
  assert.ok(!(outcome instanceof AuthError), String(outcome));
  return outcome;
};
const refused = (outcome: Visit["outcome"]): AuthError => {
  assert.ok(outcome instanceof AuthError, JSON.stringify(outcome));
  return outcome;
};

inBrowser(
  "a real browser: approving ends on a page that says so, and the code works once",
  async () => {
    await using world = await openWorld();
    const { page, last, outcome } = await visit(world, { click: ALLOW });
    assert.match(page, /Emulated sign-in/);
    assert.match(last, /you can close this tab/);
    assert.deepEqual(granted(outcome).scopes, [scope("gmail.readonly")]);
    const exchange = world.emulator.journal.find(({ bodyText }) =>
      bodyText?.includes("authorization_code") ?? false
    );
    const form = Object.fromEntries(new URLSearchParams(exchange?.bodyText));
    const replayed = await requestToken(
      world.http,
      { url: world.endpoints.token, form },
      world.signal,
    );
    assert.equal(replayed.kind === "refused" && replayed.error, "invalid_grant");
  },
);

inBrowser("a real browser: cancelling is a refusal in words, and nothing is stored", async () => {
  await using world = await openWorld();
  const { last, outcome } = await visit(world, {
    click: /<a href="([^"]*gum_decision=deny[^"]*)"/,
  });
  const error = refused(outcome);
  assert.equal(error.code, "GUM_OAUTH_USER_DENIED");
  assert.match(error.fields.userMessage ?? "", /test users/);
  assert.doesNotMatch(last, /you can close this tab/);
  assert.equal((await world.view.current(world.signal, { fresh: true })).grant, undefined);
});

inBrowser(
  "TestAuthLoopbackStateRequired: a real browser with another state gets nowhere",
  async () => {
    for (const state of ["wrong", "missing"] as const) {
      await using world = await openWorld();
      world.emulator.identity.switches = { state };
      const { outcome } = await visit(world, { click: ALLOW });
      assert.equal(refused(outcome).code, "AUTH_LOOPBACK_STATE_MISMATCH");
      assert.equal(world.tokenRequests(), 0);
      assert.equal((await world.view.current(world.signal, { fresh: true })).grant, undefined);
    }
  },
);

inBrowser(
  "a real browser: the second account is refused, and taken when asked to switch",
  async () => {
    await using world = await openWorld();
    const first = granted((await visit(world, { click: ALLOW })).outcome);
    const second = world.emulator.accounts[1];
    assert.ok(second !== undefined);
    const email = encodeURIComponent(second.email).replaceAll(".", "\\.");
    const click = new RegExp(`<a href="([^"]*gum_account=${email}[^"]*)"`);
    const mismatch = refused((await visit(world, { click })).outcome);
    assert.equal(mismatch.code, "AUTH_SUBJECT_MISMATCH");
    assert.equal(
      (await world.view.current(world.signal, { fresh: true })).fingerprint,
      first.subjectFingerprint,
    );
    const switched = granted((await visit(world, { click, switchAccount: true })).outcome);
    assert.notEqual(switched.subjectFingerprint, first.subjectFingerprint);
  },
);
