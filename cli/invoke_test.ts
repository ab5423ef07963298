import assert from "node:assert/strict";
import type { Invocation, ShapedResponse } from "../lib/dispatch/types.ts";
import { GumError } from "../lib/errors/mod.ts";
import { type RecordedOptions, runRecorded } from "./testing/recorded_host.ts";
import { SHAPED } from "./testing/shaped.ts";

/** Stands in for the confirmation gate: asks once, accepts the token it gave. */
function confirming(invocation: Invocation): Promise<ShapedResponse> {
  if (invocation.confirmed !== true) {
    return Promise.reject(
      new GumError("REQUIRES_CONFIRMATION", {
        message: "confirm first",
        details: {
          op_id: invocation.opId,
          variant_id: "drive.v3.rest.files.delete",
          risk_class: "destructive",
          confirmation_purpose: "gum_confirm_destructive",
          confirmation_token: "v1.token",
          pending_request: { method: "DELETE", target: "https://www.googleapis.com/x" },
        },
      }),
    );
  }
  if (invocation.confirmationToken !== "v1.token") {
    return Promise.reject(
      new GumError("CONFIRMATION_TOKEN_INVALID", { details: { reason: "mismatch" } }),
    );
  }
  return Promise.resolve(SHAPED);
}

const DELETE = [
  "destructive",
  "drive.files.delete",
  "--args",
  '{"fileId":"f1","apiKey":"hunter2"}',
];

function run(argv: readonly string[], options: RecordedOptions = {}) {
  return runRecorded(argv, { dispatch: confirming, ...options });
}

Deno.test("TestCLIRiskGate: --risk is required and closed", async () => {
  const missing = await run(["call", "drive.files.delete", "fileId=f"]);
  assert.match(missing.stderr, /^Error: required flag.*risk/);
  assert.deepEqual([missing.code, missing.stdout, missing.invocations.length], [2, "", 0]);
  const bad = await run(["call", "drive.files.delete", "--risk=admin", "fileId=f"]);
  assert.match(bad.stderr, /^Error: CLI_ARG_INVALID: "--risk": "admin" is none of/);
  const loose = await run([
    "call",
    "drive.files.delete",
    "--risk= Destructive ",
    "fileId=f",
    "--yes",
  ]);
  assert.equal(loose.code, 0);
});

Deno.test("TestCLIRiskGate: the flags of an invocation follow the command, never the arguments", async () => {
  const grants = async (argv: string[]) => {
    const { invocations } = await runRecorded(argv, { dispatch: () => Promise.resolve(SHAPED) });
    return [invocations[0]?.allowWrite, invocations[0]?.allowDestructive];
  };
  const op = "drive.files.delete";
  const args = ["--args", '{"fileId":"x","allowWrite":true,"allowDestructive":true}'];
  assert.deepEqual(await grants(["read", op, ...args]), [false, false]);
  assert.deepEqual(await grants(["write", op, ...args]), [false, false]);
  assert.deepEqual(await grants(["write", op, ...args, "--allow-write"]), [true, false]);
  assert.deepEqual(await grants(["destructive", op, ...args]), [false, true]);
  assert.deepEqual(await grants(["call", op, "--risk=read", "fileId=x"]), [false, false]);
  assert.deepEqual(await grants(["call", op, "--risk=write", "fileId=x"]), [true, false]);
  assert.deepEqual(await grants(["call", op, "--risk=destructive", "fileId=x"]), [false, true]);
});

Deno.test("TestCLIRiskGate: a mismatch names the flag that fits and keeps the envelope verbatim", async () => {
  const mismatch = new GumError("RISK_TOOL_MISMATCH", {
    message: "wrong risk",
    details: {
      op_id: "drive.files.delete",
      variant_id: "drive.v3.rest.files.delete",
      variant_risk_class: "destructive",
      required_tool: "gum.destructive",
    },
  });
  const { code, stdout, stderr } = await run([
    "call",
    "drive.files.delete",
    "--risk=read",
    "fileId=x",
  ], {
    dispatch: () => Promise.reject(mismatch),
  });
  assert.deepEqual([code, stdout], [5, ""]);
  const error = JSON.parse(stderr);
  assert.equal(stderr, JSON.stringify(error, null, 2) + "\n");
  assert.deepEqual(Object.keys(error), Object.keys(error).toSorted());
  assert.equal(error.requested_risk, "read");
  assert.equal(error.variant_risk_class, "destructive");
  assert.equal(error.required_risk_flag, "--risk=destructive");
  assert.match(error.how_to_fix, /--risk=destructive/);
  assert.equal(JSON.stringify(error.machine_envelope), JSON.stringify(mismatch.toEnvelope()));
});

Deno.test("TestCLIRiskGate: piped without --yes prints the token and stops", async () => {
  const { code, stdout, stderr, invocations } = await run(DELETE);
  assert.deepEqual([code, stdout, invocations.length], [5, "", 1]);
  const error = JSON.parse(stderr);
  assert.equal(error.confirmation_token, "v1.token");
  assert.match(error.how_to_fix, /^Destructive op: retry with --confirmed --token v1\.token$/);
});

Deno.test("TestCLIRiskGate: --yes confirms in one process", async () => {
  const { code, invocations } = await run([...DELETE, "--yes"]);
  assert.equal(code, 0);
  assert.deepEqual(invocations.map((one) => one.confirmed), [undefined, true]);
});

Deno.test("TestCLIRiskGate: --confirmed --token is one dispatch with both", async () => {
  const { code, invocations } = await run([...DELETE, "--confirmed", "--token", "v1.token"]);
  assert.equal(code, 0);
  assert.deepEqual(invocations.map((one) => [one.confirmed, one.confirmationToken]), [
    [true, "v1.token"],
  ]);
  const stale = await run([...DELETE, "--confirmed", "--token=old"]);
  assert.equal(stale.code, 5);
  assert.match(JSON.parse(stale.stderr).how_to_fix, /mismatch.*without --confirmed/);
});

Deno.test("TestCLIRiskGate: contradicting confirmation flags fail before dispatch", async () => {
  for (const argv of [["--token", "t"], ["--yes", "--confirmed", "--token", "t"]]) {
    const { code, stderr, invocations } = await run([...DELETE, ...argv]);
    assert.equal(code, 2);
    assert.match(stderr, /^Error: CLI_ARG_INVALID: "--token"/);
    assert.equal(invocations.length, 0);
  }
  const read = await run(["read", "gmail.users.messages.list", "--yes"]);
  assert.match(read.stderr, /unknown flag: --yes/);
});

Deno.test("TestCLIRiskGate: a terminal is shown the call and asked", async () => {
  for (const answer of ["y\n", "YES\n", " Yes \n"]) {
    const { code, stderr, invocations } = await run(DELETE, {
      stdin: answer,
      terminals: ["stdin", "stderr"],
    });
    assert.equal(code, 0, answer);
    assert.equal(invocations.length, 2);
    for (
      const shown of [
        "drive.files.delete",
        "drive.v3.rest.files.delete",
        "destructive",
        "default",
        "DELETE https://",
      ]
    ) {
      assert.ok(stderr.includes(shown), shown);
    }
    assert.match(stderr, /fileId = "f1"/);
    assert.ok(!stderr.includes("hunter2"));
    assert.ok(stderr.includes("Proceed? [y/N] "));
  }
});

Deno.test("TestCLIRiskGate: any other answer ends without a second dispatch", async () => {
  for (const answer of ["", "\n", "n\n", "no\n", "yep\n", "y y\n"]) {
    const { code, stdout, stderr, invocations } = await run(DELETE, {
      stdin: answer,
      terminals: ["stdin", "stderr"],
    });
    assert.deepEqual([code, stdout, invocations.length], [5, "", 1], JSON.stringify(answer));
    // deno-lint-ignore no-control-regex -- the word before it is red
    assert.match(stderr, /Error:(\u001b\[0m)? not confirmed; nothing was sent\n$/);
  }
  const halfTerminal = await run(DELETE, { stdin: "y\n", terminals: ["stdin"] });
  assert.equal(halfTerminal.invocations.length, 1);
  assert.equal(JSON.parse(halfTerminal.stderr).error_code, "REQUIRES_CONFIRMATION");
});

Deno.test("TestCLIVariantSelection: --variant-id pins, a positional of that name is an argument", async () => {
  const dispatch = () => Promise.resolve(SHAPED);
  const pinned = await run([
    "call",
    "gmail.users.messages.list",
    "--risk=read",
    "--variant-id",
    "v.x",
  ], { dispatch });
  assert.equal(pinned.invocations[0]?.requestedVariantId, "v.x");
  const positional = await run([
    "call",
    "gmail.users.messages.list",
    "--risk=read",
    "variant_id=v.x",
  ], { dispatch });
  assert.equal(positional.invocations[0]?.requestedVariantId, undefined);
  assert.deepEqual({ ...positional.invocations[0]?.args }, { variant_id: "v.x" });
  for (const command of ["read", "write", "destructive"]) {
    const { invocations } = await run([command, "gmail.users.messages.list", "--variant-id=v"], {
      dispatch,
    });
    assert.equal(invocations[0]?.requestedVariantId, "v");
  }
});

Deno.test("read: --args takes an object, a file or standard input and nothing else", async () => {
  const dispatch = () => Promise.resolve(SHAPED);
  const base = ["read", "gmail.users.messages.list", "--args"];
  const argsOf = async (value: string, more: RecordedOptions = {}) => {
    const one = await run([...base, value], { dispatch, ...more });
    return one.invocations[0]?.args ?? one.stderr;
  };
  assert.deepEqual(await argsOf('{"q":"x"}'), { q: "x" });
  assert.deepEqual({ ...(await argsOf("@a.json", { files: { "a.json": '{"q":1}' } }) as object) }, {
    q: 1,
  });
  assert.deepEqual({ ...(await argsOf("@-", { stdin: '{"q":2}' }) as object) }, { q: 2 });
  for (const bad of ["[]", "5", "{bad", "", "@missing"]) {
    assert.match(String(await argsOf(bad)), /^Error: CLI_ARG_INVALID: /, bad);
  }
});

Deno.test("a terminal gets the same failure in words, hostile text made visible", async () => {
  const error = new GumError("RESOURCE_NOT_FOUND", {
    message: "no file \u001b[2Jx",
    userMessage: "The file\u202e is gone.",
    details: { op_id: "drive.files.get" },
    suggestion: "List the files first.",
  });
  const options = { dispatch: () => Promise.reject(error), terminals: ["stderr"] as const };
  const { code, stderr } = await run(["read", "gmail.users.messages.list"], {
    ...options,
    environment: { NO_COLOR: "1" },
  });
  assert.equal(code, 4);
  assert.equal(
    stderr,
    `Error: The file<U+202E> is gone.
  Why: no file <U+001B>[2Jx
  Fix: List the files first.
  RESOURCE_NOT_FOUND  drive.files.get
`,
  );
  const coloured = await run(["read", "gmail.users.messages.list"], options);
  assert.ok(coloured.stderr.startsWith("\u001b[31mError:\u001b[0m The file<U+202E>"));
  const usage = await run(["read"], { terminals: ["stderr"] });
  assert.equal(
    usage.stderr,
    "\u001b[31mError:\u001b[0m missing argument <op_id>\n" +
      "  \u001b[1mNext:\u001b[0m gum help read\n",
  );
});

Deno.test("exit codes: failures map to their class", async () => {
  const cases: [GumError, number][] = [
    [new GumError("OP_NOT_FOUND"), 4],
    [new GumError("VARIANT_NOT_FOUND"), 4],
    [new GumError("INVALID_ARGS"), 2],
    [new GumError("AUTH_REQUIRED"), 3],
    [new GumError("SCOPE_MISSING"), 3],
    [new GumError("POLICY_DENIED"), 5],
    [new GumError("RATE_LIMITED"), 6],
    [new GumError("SERVICE_DOWN", { details: { reason: "connect" } }), 7],
    [new GumError("UPSTREAM_REJECTED", { details: { http_status: 409 } }), 7],
    [new GumError("RESOURCE_NOT_FOUND", { details: { http_status: 404 } }), 4],
    [new GumError("TEE_SECRET_CORRUPT"), 1],
  ];
  for (const [error, expected] of cases) {
    const { code, stdout, stderr } = await run(["read", "gmail.users.messages.list"], {
      dispatch: () => Promise.reject(error),
    });
    assert.deepEqual([code, stdout], [expected, ""], error.code);
    assert.equal(JSON.parse(stderr).error_code, error.code);
  }
  const broken = await run(["read", "gmail.users.messages.list"], {
    dispatch: () => Promise.reject(new TypeError("boom\n    at somewhere.ts:1:1")),
  });
  assert.deepEqual([broken.code, broken.stderr.split("\n").length], [1, 2]);
});

Deno.test("signals: an aborted call ends with the signal's code and says nothing", async () => {
  for (const [name, expected] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    const controller = new AbortController();
    const { code, stdout, stderr } = await run(["read", "gmail.users.messages.list"], {
      signal: controller.signal,
      dispatch(_invocation, signal) {
        controller.abort(new Error(name));
        return Promise.reject(new GumError("CANCELLED", { cause: signal?.reason }));
      },
    });
    assert.deepEqual([code, stdout, stderr], [expected, "", ""]);
  }
});

Deno.test("the kernel is told about dry runs, the project root and the surface", async () => {
  const { invocations } = await run(["read", "gmail.users.messages.list", "--dry-run"], {
    dispatch: () => Promise.resolve(SHAPED),
    environment: { GUM_PROJECT_ROOT: "/work/project" },
  });
  assert.equal(invocations[0]?.dryRun, true);
  assert.equal(invocations[0]?.projectRootPath, "/work/project");
  assert.equal(invocations[0]?.caller, "cli");
});
