import assert from "node:assert/strict";
import type { JournalEntry } from "../lib/emulator/types.ts";
import { openSession } from "../lib/session/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { processFactories } from "./host.ts";
import { type Recorded, type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";

interface Emulated extends Recorded {
  /** Requests that reached the emulated Google. */
  upstream: string[];
}

/** Runs a command on the real session over the emulator and looks at what went over the wire. */
async function emulated(
  argv: readonly string[],
  options: RecordedOptions & { prepare?: (session: Session) => void } = {},
): Promise<Emulated> {
  const journal: JournalEntry[] = [];
  let run: Recorded | undefined;
  await withFolder(async (home) => {
    const factories = {
      ...processFactories(),
      async openSession(given: Parameters<typeof openSession>[0]): Promise<Session> {
        const session = await openSession(given);
        options.prepare?.(session);
        const close = session.close.bind(session);
        session.close = async () => {
          journal.push(...session.emulator?.journal ?? []);
          await close();
        };
        return session;
      },
    };
    const environment = { HOME: home, GUM_EMULATOR: "1", ...options.environment };
    run = await runRecorded(argv, { ...options, environment, factories });
  });
  assert.ok(run);
  return {
    ...run,
    upstream: journal.map((entry) => `${entry.method} ${entry.path}`),
  };
}

function failureOf(run: Recorded): Record<string, unknown> {
  return JSON.parse(run.stderr.slice(run.stderr.indexOf("{\n")));
}

const DELETE_LABEL = ["destructive", "gmail.users.labels.delete", "--args", '{"id":"Label_1"}'];
const SEND = [
  "write",
  "gmail.users.messages.send",
  "--allow-write",
  "--args",
  JSON.stringify({ raw: btoa("To: a@example.com\r\nSubject: Hi\r\n\r\nHello\r\n") }),
];

Deno.test("TestCLIRiskGate: a mismatch makes no upstream call", async () => {
  for (
    const argv of [
      ["call", "gmail.users.labels.delete", "--risk=read", "id=Label_1"],
      ["read", "gmail.users.labels.delete", "--args", '{"id":"Label_1"}'],
      ["write", "gmail.users.labels.delete", "--allow-write", "--args", '{"id":"Label_1"}'],
      ["write", "gmail.users.messages.send", "--args", '{"raw":"eA"}'],
    ]
  ) {
    const run = await emulated(argv);
    assert.deepEqual([run.code, run.stdout, run.upstream], [5, "", []], argv.join(" "));
    assert.equal(failureOf(run).error_code, "RISK_TOOL_MISMATCH");
  }
});

Deno.test("TestCLIRiskGate: decline and end of input make no upstream call", async () => {
  for (const argv of [DELETE_LABEL, SEND]) {
    for (const stdin of ["n\n", ""]) {
      const run = await emulated(argv, { stdin, terminals: ["stdin", "stderr"] });
      assert.deepEqual([run.code, run.stdout, run.upstream], [5, "", []]);
      assert.match(run.stderr, /Proceed\? \[y\/N\]/);
    }
  }
});

Deno.test("TestCLIRiskGate: --yes and a terminal y run it upstream exactly once", async () => {
  for (const argv of [DELETE_LABEL, SEND]) {
    const yes = await emulated([...argv, "--yes"]);
    assert.equal(yes.code, 0, yes.stderr);
    assert.equal(yes.upstream.length, 1);
    const typed = await emulated(argv, { stdin: "y\n", terminals: ["stdin", "stderr"] });
    assert.equal(typed.code, 0, typed.stderr);
    assert.deepEqual(typed.upstream, yes.upstream);
  }
});

Deno.test("TestCLIVariantSelection: an unknown pin fails before upstream", async () => {
  const run = await emulated(["read", "gmail.users.labels.list", "--variant-id", "nope"]);
  assert.deepEqual([run.code, run.upstream], [4, []]);
  assert.equal(failureOf(run).error_code, "VARIANT_NOT_FOUND");
});

Deno.test("invoke: an upstream fault is an envelope, the right exit code and nothing on stdout", async () => {
  const cases = [
    { status: 404, code: 4, error: "RESOURCE_NOT_FOUND" },
    { status: 429, code: 6, error: "RATE_LIMITED" },
    { status: 409, code: 7, error: "UPSTREAM_REJECTED" },
    { status: 401, code: 3, error: "AUTH_REQUIRED" },
  ];
  for (const { status, code, error } of cases) {
    const run = await emulated(["read", "gmail.users.labels.list"], {
      prepare: (session) =>
        void session.emulator?.addFault({
          times: 20,
          effect: { kind: "status", status, retryAfter: "400" },
        }),
    });
    assert.deepEqual([run.code, run.stdout], [code, ""], run.stderr);
    assert.equal(failureOf(run).error_code, error);
  }
});

Deno.test("invoke: a host that hangs up is SERVICE_DOWN, exit 7", async () => {
  const run = await emulated(["read", "gmail.users.labels.list"], {
    prepare: (session) =>
      void session.emulator?.addFault({ times: 20, effect: { kind: "drop_before_headers" } }),
  });
  assert.deepEqual([run.code, run.stdout], [7, ""]);
  assert.equal(failureOf(run).error_code, "SERVICE_DOWN");
});

Deno.test("invoke: --no-field-mask and --max-items reach the call", async () => {
  const masked = await emulated(["call", "gmail.users.labels.list", "--risk=read", "--json"]);
  const full = await emulated([
    "call",
    "gmail.users.labels.list",
    "--risk=read",
    "--json",
    "--no-field-mask",
    "--max-items",
    "2",
  ]);
  assert.equal(JSON.parse(masked.stdout)._expression.field_mask, "labels(id,name,type)");
  assert.equal(JSON.parse(full.stdout)._expression.field_mask, undefined);
});

Deno.test("invoke: --dry-run shows the request and sends nothing, confirmation or not", async () => {
  const read = await emulated(["read", "gmail.users.labels.list", "--dry-run", "--format", "json"]);
  assert.deepEqual([read.code, read.upstream], [0, []], read.stderr);
  assert.match(read.stdout, /gmail\.googleapis\.com/);
  const deleting = await emulated([...DELETE_LABEL, "--dry-run", "--format", "json"]);
  assert.deepEqual([deleting.code, deleting.upstream], [0, []], deleting.stderr);
  assert.match(deleting.stdout, /DELETE/);
});

Deno.test("invoke: the emulator is announced once, as text or as a log line", async () => {
  const piped = await emulated(["call", "gmail.users.labels.list", "--risk=read", "--json"]);
  assert.match(JSON.parse(piped.stderr).msg, /built-in emulator .* nothing reaches Google/);
  const text = await emulated(["call", "gmail.users.labels.list", "--risk=read"], {
    terminals: ["stderr", "stdout"],
  });
  assert.match(text.stderr, /^gum: built-in emulator .*\n$/);
  // deno-lint-ignore no-control-regex -- the header is bold
  const plain = text.stdout.replaceAll(/\u001b\[[0-9]+m/g, "");
  assert.match(plain, /^id +name +type$/m);
});
