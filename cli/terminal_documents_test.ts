import assert from "node:assert/strict";
import type { JsonObject } from "../lib/json/mod.ts";
import { textWidth } from "../lib/format/text/mod.ts";
import { processFactories } from "./host.ts";
import { FlagValues, locate } from "./parse.ts";
import { DOCUMENT_COMMANDS } from "./document_commands.ts";
import { COLOURED, documentHost, LAYOUTS } from "./terminal_documents.ts";
import { recordedHost, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";
import { COMMANDS } from "./tree.ts";

const VAULT_KEY = new Uint8Array(32).fill(7).toBase64({ alphabet: "base64url", omitPadding: true });

/** What a command that printed `output` shows at a terminal of this width. */
function shown(path: string, output: string, width = 80): string {
  const { host, recorded } = recordedHost([], {
    terminals: ["stdout"],
    environment: { NO_COLOR: "1" },
  });
  const document = documentHost({ ...host, columns: () => width }, {
    path: path.split(" "),
    flags: new FlagValues([]),
  });
  assert.ok(document !== undefined, path);
  document.host.stdout.write(output);
  assert.equal(recorded().stdout, "", "held back until the command is done");
  document.finish();
  return recorded().stdout;
}

Deno.test("documents: every layout belongs to a command of the tree", () => {
  const known = [...Object.keys(LAYOUTS), ...COLOURED];
  assert.deepEqual([...DOCUMENT_COMMANDS].sort(), known.toSorted());
  for (const path of known) {
    const { path: found, unknown } = locate(COMMANDS, path.split(" "));
    assert.equal(unknown, undefined, path);
    assert.equal(found.map(({ name }) => name).join(" "), path);
    assert.notEqual(found.at(-1)?.run, undefined, path);
  }
});

Deno.test("documents: cards for people, the document itself in a pipe and on request", async () => {
  await withFolder(async (home) => {
    const environment = { HOME: home, NO_COLOR: "1", GUM_VAULT_KEY: VAULT_KEY };
    const factories = processFactories();
    for (const words of [["cache", "stats"], ["catalog", "stats"], ["auth", "status"]]) {
      const piped = await runRecorded(words, { environment, factories });
      assert.equal(typeof JSON.parse(piped.stdout), "object");
      const person = await runRecorded(words, { environment, factories, terminals: ["stdout"] });
      assert.equal(person.code, 0, person.stderr);
      assert.throws(() => JSON.parse(person.stdout), words.join(" "));
      assert.ok(!/[{}"_]/.test(person.stdout.replaceAll(/gum [a-z].*$/gm, "")), person.stdout);
    }
    const asked = await runRecorded(["cache", "stats", "--format", "json"], {
      environment,
      factories,
      terminals: ["stdout"],
    });
    assert.deepEqual(Object.keys(JSON.parse(asked.stdout)), [
      "semantic",
      "http",
      "prompt",
      "audit_broken",
    ]);
  });
});

Deno.test("documents: how a profile signs in, and what to type when it does not", () => {
  const report: JsonObject = {
    profile: "work",
    provider: "byo_oauth",
    source: "grant",
    credential_store: { backend: "keychain", available: true },
    scopes_requested: ["https://www.googleapis.com/auth/gmail.readonly"],
    scopes_covered: ["https://www.googleapis.com/auth/gmail.readonly"],
    scopes_missing: [],
    strategies: [
      {
        strategy: "byo_oauth",
        ready: true,
        source: "grant",
        granted_scopes: ["https://www.googleapis.com/auth/gmail.readonly", "openid"],
      },
      { strategy: "api_key", ready: false, next_command: "gum auth use-api-key --stdin" },
    ],
  };
  const text = shown("auth status", JSON.stringify(report, null, 2) + "\n");
  assert.match(text, /^Signs in with {2}own OAuth client \(grant\)$/m);
  assert.match(text, /^May use +gmail\.readonly$/m);
  assert.match(text, /^ {2}ready {2}own OAuth client +grant\n +scopes: gmail\.readonly, openid$/m);
  assert.match(text, /^ +- +API key +gum auth use-api-key --stdin$/m);
  const empty = shown(
    "auth status",
    JSON.stringify({
      ...report,
      provider: "none",
      source: "",
      credential_store: { backend: "none", available: false, reason: "no keychain" },
      scopes_missing: ["a"],
      scopes_covered: [],
      hint: "nothing is set up yet",
    }),
    40,
  );
  assert.match(empty, /^Signs in with {2}nothing yet$/m);
  assert.match(empty, /^Secrets in +none, not available \(no\n +keychain\)$/m);
  assert.match(empty, /^Nothing is set up yet$/m);
  // A command is never broken, whatever the width.
  assert.match(empty, /^ +gum auth use-api-key --stdin$/m);
});

Deno.test("documents: sizes, times and yes or no in words, names without underscores", () => {
  const text = shown(
    "cache clear",
    '{\n  "cleared": true,\n  "bytes_freed": 4404020,\n  "left": []}',
  );
  assert.equal(text, "cleared      yes\nbytes freed  4.2 MiB\nleft         none\n");
  const stats = shown(
    "cache stats",
    JSON.stringify({
      semantic: { hits: 3, misses: 1, entries: 2, bytes: 2048 },
      http: { hits: 0, misses: 0, entries: 0, bytes: 0 },
      prompt: { supported: false, hits_estimate: null },
      audit_broken: false,
    }),
  );
  assert.match(stats, /^semantic +3 +1 +2 +2\.0 KiB$/m);
  assert.match(stats, /^audit broken +no$/m);
});

Deno.test("documents: lines of JSON are one list, and no line is wider than the terminal", () => {
  const rows = [1, 2].map((index) =>
    JSON.stringify({
      index,
      method: "GET",
      host: "gmail.googleapis.com",
      path: `/gmail/v1/users/me/messages/${"x".repeat(60)}`,
      status: 200,
      startedAt: 5,
      finishedAt: 9,
      headers: { authorization: "(present)" },
    })
  ).join("\n") + "\n";
  const log = shown("emulator log", rows, 120);
  assert.match(log, /^ +1 +200 +GET +gmail\.googleapis\.com .* 4$/m);
  assert.ok(!log.includes("authorization"));
  const overrides = shown(
    "catalog list-overrides",
    '{"variant_id":"a.v1.b","risk_class":"write","risk_override_reason":"takes a calendar off the list of its owner"}\n',
    40,
  );
  assert.equal(overrides, "a.v1.b  write\n    takes a calendar off the list of its\n    owner\n");
  for (const line of shown("emulator log", rows, 60).split("\n")) assert.ok(textWidth(line) <= 60);
});

Deno.test("documents: a slow command shows a sign of life until it says something", async () => {
  const { host, recorded } = recordedHost([], { terminals: ["stdout", "stderr"] });
  const document = documentHost(host, { path: ["doctor"], flags: new FlagValues([]) });
  assert.ok(document !== undefined);
  const deadline = Date.now() + 10_000;
  while (recorded().stderr === "") {
    assert.ok(Date.now() < deadline, "nothing was shown");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.match(recorded().stderr, /doctor…/);
  document.host.stderr.write("gum: a note\n");
  assert.ok(recorded().stderr.endsWith("\r\u001b[Kgum: a note\n"));
  document.host.stdout.write("[ok] auth: fine\n[FAIL] audit: not\n");
  document.finish();
  const shown = recorded().stdout;
  assert.ok(
    shown.startsWith("\u001b[32m[ok]\u001b[0m auth: fine\n\u001b[31m[FAIL]\u001b[0m"),
    shown,
  );
});

Deno.test("documents: what is no document goes out as it is, control characters included in none", () => {
  assert.equal(shown("gain", "window  last-30\n{not json\n"), "window  last-30\n{not json\n");
  const hostile = shown("canary", JSON.stringify({ ok: false, reason: "a\u001b[2Jb" }));
  // deno-lint-ignore no-control-regex -- what must not reach a terminal
  assert.ok(!/\u001b/.test(hostile), JSON.stringify(hostile));
});

Deno.test("documents: a report in sentences is broken at blanks, below where it began", () => {
  const line = "[FAIL] auth: stored credentials cannot be read on this machine right now";
  const report = `[ok] audit: fine\n${line}\n       hint: run gum auth vault init or gum login\n`;
  const narrow = shown("doctor", report, 30);
  assert.equal(
    narrow,
    `[ok] audit: fine
[FAIL] auth: stored
       credentials cannot be
       read on this machine
       right now
       hint: run gum auth
       vault init or gum login
`,
  );
  assert.equal(shown("doctor", report, 200), report);
  const diff = `+ ${"x".repeat(50)} = true\n`;
  assert.equal(shown("agents install", diff, 30), diff, "what is to be compared stays whole");
});
