import assert from "node:assert/strict";
import { ERROR_CODES, type ErrorCode, GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { renderEnvelope, renderFailure } from "./error_rendering.ts";
import { CliArgError, UsageError } from "./errors.ts";
import { howToFix } from "./how_to_fix.ts";

function fix(code: ErrorCode, details: JsonObject = {}, command = "call"): string {
  return howToFix(new GumError(code, { details }).toEnvelope(), { command });
}

Deno.test("CliArgError: the four forms of its line", () => {
  const line = (parts: ConstructorParameters<typeof CliArgError>[1]) =>
    renderFailure(new CliArgError("CLI_ARG_INVALID", parts));
  assert.equal(line({ arg: "x", reason: "why" }), 'Error: CLI_ARG_INVALID: "x": why\n');
  assert.equal(line({ arg: "x" }), 'Error: CLI_ARG_INVALID: "x"\n');
  assert.equal(line({ reason: "why" }), "Error: CLI_ARG_INVALID: why\n");
  assert.equal(line({}), "Error: CLI_ARG_INVALID\n");
  assert.equal(
    renderFailure(new CliArgError("CLI_ARG_DUPLICATE", { key: "a.b" })),
    "Error: CLI_ARG_DUPLICATE: a.b\n",
  );
});

Deno.test("failures: one line, never a stack trace", () => {
  assert.equal(renderFailure(new UsageError("a\n   b")), "Error: a b\n");
  assert.equal(renderFailure(new TypeError("x\n    at y (z.ts:1:1)")).split("\n").length, 2);
  assert.equal(renderFailure("text"), "Error: text\n");
});

Deno.test("a missing permission names the flag", () => {
  const text = renderFailure(
    new Deno.errors.NotCapable(
      'Requires net access to "x:443", run again with the --allow-net flag',
    ),
  );
  assert.match(text, /^Error: gum needs net permission .*--allow-net/);
});

Deno.test("envelope: sorted flat union, machine_envelope verbatim and free of extras", () => {
  const error = new GumError("RATE_LIMITED", {
    message: "slow down",
    details: { retry_after_ms: 1500, zeta: [1], alpha: null },
    suggestion: "wait",
  });
  const text = renderEnvelope(error, { command: "read", requestedRisk: "read" });
  const object = JSON.parse(text);
  assert.equal(text, JSON.stringify(object, null, 2) + "\n");
  assert.deepEqual(Object.keys(object), Object.keys(object).toSorted());
  assert.equal(object.requested_risk, "read");
  assert.equal(JSON.stringify(object.machine_envelope), JSON.stringify(error.toEnvelope()));
  for (const extra of ["how_to_fix", "requested_risk", "machine_envelope"]) {
    assert.ok(!(extra in object.machine_envelope), extra);
  }
  assert.equal("required_risk_flag" in object, false);
});

Deno.test("how_to_fix: what each code's sentence must contain", () => {
  const token = { confirmation_token: "tok", confirmation_purpose: "gum_confirm_destructive" };
  const cases: [string, RegExp][] = [
    [fix("RISK_TOOL_MISMATCH", { variant_risk_class: "write" }), /--risk=write.*gum write/],
    [fix("RISK_TOOL_MISMATCH", { variant_risk_class: "write" }, "write"), /--allow-write/],
    [fix("REQUIRES_CONFIRMATION", token), /^Destructive op: retry with --confirmed --token tok$/],
    [
      fix("REQUIRES_CONFIRMATION", { ...token, confirmation_purpose: "gum_confirm_write" }),
      /^Write op/,
    ],
    [
      fix("REQUIRES_CONFIRMATION", { ...token, confirmation_purpose: "gum_code_write" }),
      /^Elevated code/,
    ],
    [fix("REQUIRES_CONFIRMATION"), /--yes/],
    [
      howToFix(
        new GumError("REQUIRES_CONFIRMATION", { suggestion: "Call gum_confirm_destructive first." })
          .toEnvelope(),
        { command: "code" },
      ),
      /^Call gum_confirm_destructive first\.$/,
    ],
    [fix("CONFIRMATION_TOKEN_INVALID", { reason: "expired" }), /expired.*without --confirmed/],
    [
      fix("AUTH_REQUIRED", { setup_command: "gum auth setup x", next_command: "gum auth login" }),
      /gum auth setup x, then gum auth login.*gum doctor/,
    ],
    [fix("SCOPE_MISSING"), /gum doctor/],
    [fix("OP_NOT_FOUND", { suggestions: ["a.b"] }), /a\.b.*gum search/],
    [fix("INVALID_ARGS", { op_id: "a.b" }), /gum describe a\.b/],
    [fix("VARIANT_NOT_FOUND", { op_id: "a.b" }), /--variant-id.*gum describe a\.b/],
    [fix("AMBIGUOUS_VARIANT"), /--variant-id/],
    [fix("VARIANT_QUARANTINED"), /--variant-id/],
    [fix("UNSUPPORTED_CAPABILITY"), /variant/],
    [fix("UNSUPPORTED_CAPABILITY", { status: "needs_configuration" }), /gum plugin setup/],
    [fix("UNSUPPORTED_CAPABILITY", { status: "installed_pending_restart" }), /restart/],
    [
      fix("RATE_LIMITED", { retry_after_ms: 1500 }),
      /2 s.*Retry-After.*retry_after_ms.*--page-size/,
    ],
    [fix("SERVICE_DOWN"), /gum doctor/],
    [fix("RESPONSE_TOO_LARGE", { cap_bytes: 9 }), /cap_bytes.*--page-size.*--fields/],
    [fix("DESTRUCTIVE_BUDGET_EXCEEDED"), /--destructive-budget.*new confirmation/],
    [fix("DESTRUCTIVE_SCOPE_MISMATCH"), /--destructive-scope/],
    [fix("CODE_OUTPUT_LIMIT_EXCEEDED"), /gum config set code\.output_limit_bytes=/],
    [fix("RESULT_ARTIFACT_EXPIRED"), /[Rr]epeat the call/],
    [fix("TEE_SECRET_CORRUPT"), /tee\.secret/],
    [fix("PROJECT_ROOT_REQUIRED"), /root/],
    [fix("GAIN_DISABLED"), /gum config set gain\.enabled=true/],
    [fix("GAIN_LEDGER_UNAVAILABLE"), /ledger path/],
    [fix("POLICY_DENIED"), /allowlist\/denylist.*--profile/],
    [fix("CLI_ARG_INVALID"), /key=value, key:=json or @file/],
    [fix("CLI_ARG_INVALID", { reason: "because" }), /^because$/],
    [fix("LRO_UNSUPPORTED_IN_CODE"), /gum write.*poll/],
  ];
  for (const [text, expected] of cases) assert.match(text, expected);
});

Deno.test("how_to_fix: hint wins, then the row, then suggestion, then reason", () => {
  assert.equal(fix("OP_NOT_FOUND", { hint: "look here" }), "look here");
  const envelope = (details: JsonObject, suggestion = "") =>
    howToFix(new GumError("CANCELLED", { details, suggestion }).toEnvelope());
  assert.equal(envelope({ reason: "r" }, "s"), "s");
  assert.equal(envelope({ reason: "r" }), "r");
  assert.equal(envelope({}), "");
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    assert.ok(!fix(code).includes("undefined"), code);
  }
});

Deno.test("how_to_fix: what the error itself suggests comes before what its code always says", () => {
  const own = (code: ErrorCode, suggestion: string, details: JsonObject = {}) =>
    howToFix(new GumError(code, { suggestion, details }).toEnvelope(), { command: "call" });
  assert.equal(
    own("INVALID_ARGS", "Add --overwrite to replace it", { op_id: "a.b" }),
    "Add --overwrite to replace it. See the accepted arguments with gum describe a.b.",
  );
  assert.match(
    own("OP_NOT_FOUND", "It is hidden: gum config set catalog.long_tail=all", {
      suggestions: ["a.c"],
    }),
    /^It is hidden: gum config set catalog\.long_tail=all\. Did you mean a\.c\?.*gum search/,
  );
  assert.match(
    own("POLICY_DENIED", "Add it with `gum config set accounts.<name>.profile=<profile>`."),
    /^Add it .*allowlist\/denylist/,
  );
  assert.doesNotMatch(own("POLICY_DENIED", "Add it."), /allow_ops/);
  assert.match(own("UNSUPPORTED_CAPABILITY", "Leave out the target."), /^Leave out .*another/);
  // What says the same is not said twice, and a row that must decide alone still does.
  assert.equal(
    own("INVALID_ARGS", "Run `gum describe a.b` for the accepted arguments.", { op_id: "a.b" }),
    "See the accepted arguments with gum describe a.b.",
  );
  assert.equal(own("OP_NOT_FOUND", "Find an operation with gum.search_apis."), fix("OP_NOT_FOUND"));
  assert.equal(own("SERVICE_DOWN", "Try again in a moment."), fix("SERVICE_DOWN"));
  assert.doesNotMatch(
    own("RISK_TOOL_MISMATCH", "Call gum.write instead.", { variant_risk_class: "write" }),
    /gum\.write/,
  );
});
