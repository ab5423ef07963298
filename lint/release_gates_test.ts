/** Gates of a release that hold for the tree as a whole: leaks, races, native code, telemetry. */

import assert from "node:assert/strict";
import { importGraph, sourceFiles } from "./import_graph.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** What several processes or tasks at once share, and the test that lets them race for it. */
const RACES: readonly { shared: string; file: string; test: string }[] = [
  {
    shared: "response cache",
    file: "lib/cache/file_test.ts",
    test: "TestBBoltHotLastAccessNoRace",
  },
  { shared: "gain ledger", file: "lib/gain/ledger_test.ts", test: "TestGainLedgerHeader" },
  {
    shared: "ledger segments",
    file: "lib/gain/ledger_test.ts",
    test: "TestGainStatsIncludesRotatedSegments",
  },
  {
    shared: "audit log",
    file: "lib/audit/audit_log_test.ts",
    test: "TestAuditHardCeilingContention",
  },
  { shared: "file lock", file: "lib/files/files_test.ts", test: "a lock excludes another process" },
  {
    shared: "confirmation tokens",
    file: "lib/dispatch/policy/confirmation_race_test.ts",
    test: "TestConfirmationTokenBinding: two processes race",
  },
  {
    shared: "configuration",
    file: "lib/config/config_test.ts",
    test: "TestProfileConfigSchemaVersion: several processes",
  },
  { shared: "vault", file: "lib/auth/store/store_test.ts", test: "store: several processes" },
  {
    shared: "refresh token",
    file: "lib/auth/refresh_test.ts",
    test: "two processes and a rotating refresh token",
  },
  {
    shared: "plugin folder",
    file: "lib/plugin/install/crash_test.ts",
    test: "TestPluginInstallTransactionAtomicity: two processes",
  },
  {
    shared: "client settings",
    file: "cli/init_test.ts",
    test: "TestSettingsAtomicPatch: a lock held",
  },
];

Deno.test("TestRaceModeReleaseGate: everything that processes share has a test in which they race", () => {
  for (const { shared, file, test } of RACES) {
    const source = Deno.readTextFileSync(`${ROOT}/${file}`);
    assert.ok(source.includes(`"${test}`), `${shared}: no test "${test}" in ${file}`);
  }
});

Deno.test("TestRaceModeReleaseGate: the suite runs with every sanitizer", async () => {
  const { test, tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  assert.equal(test.sanitizeOps, true);
  assert.equal(test.sanitizeResources, true);
  assert.ok(!/--no-sanitize|--allow-all|\s-A\b/.test(JSON.stringify(tasks)));
  const run = await Deno.readTextFile(`${ROOT}/.ci/run`);
  assert.match(run, /deno task -q test/);
});

/** Runs tests of this text under the project's own settings; the summary's two counts. */
async function countsOf(source: string): Promise<{ passed: number; failed: number }> {
  const folder = await Deno.makeTempDir({ prefix: "gum-leaks-" });
  try {
    await Deno.writeTextFile(`${folder}/leaks_test.ts`, source);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-q", "--no-check", "-P", `--config=${ROOT}/deno.json`, folder],
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      cwd: folder,
    }).output();
    const text = new TextDecoder().decode(stdout);
    const counts = /\| ([0-9]+) passed[^|]*\| ([0-9]+) failed/.exec(text);
    assert.ok(counts !== null, text);
    return { passed: Number(counts[1]), failed: Number(counts[2]) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("TestLeakChecks: a timer, a file, a listener and a process left behind each fail their test", async () => {
  const name = `Deno${"."}test`;
  assert.deepEqual(
    await countsOf(`
${name}("tidy", () => {});
${name}("timer", () => { setTimeout(() => {}, 60_000); });
${name}("file", () => { Deno.openSync(new URL(import.meta.url)); });
${name}("listener", () => { Deno.listen({ hostname: "127.0.0.1", port: 0 }); });
${name}("process", () => { new Deno.Command("sleep", { args: ["0.2"] }).spawn(); });
`),
    { passed: 1, failed: 4 },
  );
});

Deno.test("TestLeakChecks: polling and batch proofs count the workers that are left, and switch nothing off", () => {
  const proofs = [
    { file: "lib/lro/poll_test.ts", test: "TestPollTimeoutAndCancellation" },
    { file: "mcp/poll_session_test.ts", test: "TestPollTimeoutAndCancellation" },
    { file: "lib/code/parallel_test.ts", test: "TestGumParallelResultEnvelopeCompression" },
    { file: "lib/code/parallel_test.ts", test: "TestGumParallelLeaksNoGoroutines" },
  ];
  for (const { file, test } of proofs) {
    const source = Deno.readTextFileSync(`${ROOT}/${file}`);
    assert.ok(source.includes(`"${test}: `), `${file} holds ${test}`);
    assert.ok(!/sanitize(?:Ops|Resources|Exit)/.test(source), `${file} keeps the sanitizers on`);
  }
  // No sanitizer sees a worker: every file that starts some counts them when it ends.
  const batch = Deno.readTextFileSync(`${ROOT}/lib/code/parallel_test.ts`);
  assert.ok(batch.includes("Deno.test.afterEach(() => assert.equal(liveWorkers(), 0))"));
});

Deno.test("TestReleaseBinaryNoCGo: no foreign function and no native addon in any source", () => {
  const native = importGraph(ROOT).filter(({ to }) =>
    /\.node$|^(?:node:)?(?:ffi|bindings)$/.test(to)
  );
  assert.deepEqual(native, []);
  const reaching = sourceFiles(ROOT).filter((file) =>
    !file.includes(".generated.") &&
    /\bDeno\.(?:dlopen|UnsafePointer|UnsafeCallback|UnsafeFnPointer)\b|process\.dlopen/.test(
      Deno.readTextFileSync(`${ROOT}/${file}`),
    )
  );
  assert.deepEqual(reaching, []);
  const { permissions, tasks } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  for (const [name, set] of Object.entries(permissions)) {
    assert.ok(!Object.hasOwn(set as object, "ffi"), `the set ${name} grants ffi`);
  }
  assert.ok(!JSON.stringify(tasks).includes("--allow-ffi"));
});

Deno.test("TestNoOTelImportV01: nothing reports home, by package, variable or unlisted host", () => {
  const { permissions, imports } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  assert.ok(
    !Object.keys(imports).some((name) => /opentelemetry|sentry|segment|posthog/.test(name)),
  );
  const lock = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.lock`));
  const packages = Object.keys(lock.npm);
  assert.ok(!packages.some((name) => /^@(?:opentelemetry|sentry|datadog)\//.test(name)));
  for (const file of sourceFiles(ROOT).filter((file) => /^(?:lib|mcp|cli|main\.ts)/.test(file))) {
    if (file.includes(".generated.")) continue;
    const source = Deno.readTextFileSync(`${ROOT}/${file}`);
    assert.ok(!/\bOTEL_|\bDeno\.telemetry\b|navigator\.sendBeacon/.test(source), file);
  }
  // The runtime holds the line too: an executable reaches these hosts and no others.
  assert.deepEqual(permissions.gum.net.toSorted(), [
    "*.githubusercontent.com",
    "*.googleapis.com",
    "127.0.0.1",
    "169.254.169.254",
    "[::1]",
    "accounts.google.com",
    "api.github.com",
    "github.com",
    "localhost",
    "oauth2.googleapis.com",
  ]);
  assert.deepEqual(
    permissions.gum_sandboxed.net.filter((host: string) => !/google|127|localhost|::1/.test(host)),
    [],
  );
});
