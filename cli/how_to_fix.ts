/** One actionable sentence for an error envelope (spec 08 §3.4). */

import { ERROR_CODES } from "../lib/errors/mod.ts";
import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import type { DispatchExtras } from "./errors.ts";

type Advice = (envelope: JsonObject, extras: DispatchExtras | undefined) => string;

/** The sentence, or "" when there is nothing better to say than the envelope itself. */
export function howToFix(envelope: JsonObject, extras?: DispatchExtras): string {
  const hint = text(envelope.hint);
  if (hint !== undefined) return hint;
  const code = text(envelope.error_code) ?? "";
  // Whoever refused a call of a plugin knows which plugin it is and what would help it.
  if (PLUGIN_CODES.has(code) && text(envelope.plugin_name) !== undefined) {
    const own = ownSuggestion(envelope);
    if (own !== undefined) return own;
  }
  const advice = withOwn(ADVICE[code]?.(envelope, extras) ?? "", { code, envelope });
  return advice || text(envelope.suggestion) || text(envelope.reason) || "";
}

/**
 * Codes whose row is true of every error of the code and so says little about this one. What the
 * error itself suggests goes first, unless (the pattern) it says what the row says.
 */
const GENERAL_ROWS: Readonly<Record<string, RegExp>> = {
  INVALID_ARGS: /gum describe/,
  OP_NOT_FOUND: /gum[ .]search/,
  UNSUPPORTED_CAPABILITY: /another variant|gum plugin|[Rr]estart/,
  SERVICE_DOWN: /gum doctor|\bagain\b/,
  RESPONSE_TOO_LARGE: /smaller|[Ll]ess/,
  POLICY_DENIED: /allowlist/,
};

function withOwn(row: string, { code, envelope }: { code: string; envelope: JsonObject }): string {
  const same = GENERAL_ROWS[code];
  const own = same === undefined ? undefined : ownSuggestion(envelope);
  if (own === undefined) return row;
  // It names the same command as the row, and what was probably meant besides.
  if (code === "INVALID_ARGS" && /did you mean.*gum describe \S/i.test(own)) return own;
  if (same?.test(own)) return row;
  return `${own}${/[.!?]$/.test(own) ? "" : "."} ${row}`;
}

const PLUGIN_CODES = new Set(["SERVICE_DOWN", "UNSUPPORTED_CAPABILITY", "VARIANT_QUARANTINED"]);

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function list(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

const variantAdvice: Advice = (envelope) =>
  `Pin another variant with --variant-id, or drop --variant-id; ` +
  `gum describe ${text(envelope.op_id) ?? "<op_id>"} lists them.`;

const destructiveBounds: Advice = () =>
  "Raise --destructive-budget or add the operation with --destructive-scope; " +
  "either needs a new confirmation.";

const authAdvice: Advice = (envelope) => {
  const steps = [text(envelope.setup_command), text(envelope.next_command)]
    .filter((step) => step !== undefined);
  const run = steps.length === 0 ? "Run gum auth login" : `Run ${steps.join(", then ")}`;
  return `${run}; gum doctor checks the result.`;
};

const gainAdvice: Advice = () =>
  "Turn accounting on with gum config set gain.enabled=true and check that the ledger path is " +
  "writable.";

/** What the error itself suggests, unless that is what every error of its code suggests. */
function ownSuggestion(envelope: JsonObject): string | undefined {
  const known: Readonly<Record<string, { suggestion?: string } | undefined>> = ERROR_CODES;
  const suggestion = text(envelope.suggestion);
  const usual = known[text(envelope.error_code) ?? ""]?.suggestion;
  return suggestion === usual ? undefined : suggestion;
}

const argumentAdvice: Advice = (envelope) =>
  text(envelope.reason) ?? ownSuggestion(envelope) ??
    "Write arguments as key=value, key:=json or @file.";

const ADVICE: Record<string, Advice> = {
  RISK_TOOL_MISMATCH(envelope, extras) {
    const risk = text(envelope.variant_risk_class);
    if (risk === undefined) return "";
    // A script asks for its class as a whole; the error says how.
    if (extras?.command === "code") return text(envelope.suggestion) ?? "";
    if (risk === "write" && extras?.command === "write") {
      return "Re-run with --allow-write (or with gum call --risk=write).";
    }
    return `Re-run with --risk=${risk} (or with gum ${risk}).`;
  },
  REQUIRES_CONFIRMATION(envelope, extras) {
    const purpose = text(envelope.confirmation_purpose);
    const label = purpose?.startsWith("gum_code_")
      ? "Elevated code"
      : purpose === "gum_confirm_write"
      ? "Write op"
      : "Destructive op";
    const token = text(envelope.confirmation_token);
    // What a script lacks besides a token, an assertion for example, only the error knows.
    const own = token === undefined && extras?.command === "code"
      ? ownSuggestion(envelope)
      : undefined;
    if (own !== undefined) return own;
    return token === undefined
      ? `${label}: run the command again without --confirmed for a token, or add --yes.`
      : `${label}: retry with --confirmed --token ${token}`;
  },
  CONFIRMATION_TOKEN_INVALID: (envelope) =>
    `The token was refused (${text(envelope.reason) ?? "unknown reason"}); ` +
    "run again without --confirmed for a fresh token.",
  AUTH_REQUIRED: authAdvice,
  SCOPE_MISSING: authAdvice,
  OP_NOT_FOUND(envelope) {
    const suggestions = list(envelope.suggestions);
    const near = suggestions.length === 0 ? "" : `Did you mean ${suggestions.join(", ")}? `;
    return `${near}Find operations with gum search "<what you want to do>".`;
  },
  INVALID_ARGS: (envelope) =>
    `See the accepted arguments with gum describe ${text(envelope.op_id) ?? "<op_id>"}.`,
  AMBIGUOUS_VARIANT: variantAdvice,
  VARIANT_NOT_FOUND: variantAdvice,
  VARIANT_QUARANTINED: variantAdvice,
  UNSUPPORTED_CAPABILITY(envelope) {
    switch (text(envelope.status)) {
      case "installed_pending_restart":
        return "The plugin becomes active with the next start of gum; restart the MCP server.";
      case "needs_configuration":
        return "The plugin lacks settings; run gum plugin setup <plugin>.";
      default:
        return "Choose another variant with --variant-id, or another operation (gum search).";
    }
  },
  RATE_LIMITED(envelope) {
    const wait = envelope.retry_after_ms;
    const pause = typeof wait === "number"
      ? `Wait ${Math.ceil(wait / 1000)} s (Retry-After, retry_after_ms)`
      : "Wait for the time in Retry-After";
    return `${pause}, then try again with a smaller --page-size.`;
  },
  SERVICE_DOWN: () => "Try again later; gum doctor checks the local side.",
  RESPONSE_TOO_LARGE(envelope) {
    const cap = envelope.cap_bytes;
    const size = typeof cap === "number" ? ` (cap_bytes ${cap})` : " (cap_bytes)";
    return `Ask for less than the cap${size}: a smaller --page-size, or fewer --fields.`;
  },
  DESTRUCTIVE_BUDGET_EXCEEDED: destructiveBounds,
  DESTRUCTIVE_SCOPE_MISMATCH: destructiveBounds,
  CODE_OUTPUT_LIMIT_EXCEEDED: () =>
    "Process a smaller batch, or raise the limit with gum config set code.output_limit_bytes=<n>.",
  RESULT_ARTIFACT_EXPIRED: () => "Repeat the call that made the result.",
  TEE_SECRET_CORRUPT: () =>
    "Restore the profile's tee.secret from a backup, or delete it knowing that kept results " +
    "become unreadable.",
  PROJECT_ROOT_REQUIRED: () =>
    "Name the project root with GUM_PROJECT_ROOT, or as a file:// root of the MCP client.",
  GAIN_DISABLED: gainAdvice,
  GAIN_LEDGER_UNAVAILABLE: gainAdvice,
  POLICY_DENIED: (envelope) =>
    ownSuggestion(envelope) === undefined
      ? "Change the profile's allowlist/denylist (policy.allow_ops, policy.deny_ops), or use " +
        "another --profile."
      : "Another --profile has an allowlist/denylist of its own.",
  CLI_ARG_INVALID: argumentAdvice,
  CLI_ARG_DUPLICATE: argumentAdvice,
  LRO_UNSUPPORTED_IN_CODE: () => "Call the operation with gum write, then poll it.",
};
