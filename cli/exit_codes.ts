/** Exit codes (spec 11 §9) and the text of `gum help exit-codes`. */

import { type ERROR_CODES, GumError } from "../lib/errors/mod.ts";
import {
  CliArgError,
  DeclinedError,
  DispatchFailure,
  PartialReport,
  PartialResult,
  UsageError,
} from "./errors.ts";

/** What each exit code tells a script. */
export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  refused: 5,
  rateLimited: 6,
  upstream: 7,
  partial: 8,
  interrupted: 130,
  terminated: 143,
} as const;

const BY_CODE: Record<string, number> = {
  CLI_ARG_INVALID: EXIT.usage,
  CLI_ARG_DUPLICATE: EXIT.usage,
  INVALID_ARGS: EXIT.usage,
  AUTH_REQUIRED: EXIT.auth,
  SCOPE_MISSING: EXIT.auth,
  SCOPE_GRANTED: EXIT.auth,
  AUTH_SUBJECT_MISMATCH: EXIT.auth,
  AUTH_KEYCHAIN_UNAVAILABLE: EXIT.auth,
  GUM_OAUTH_MANAGED_CLIENT_NOT_READY: EXIT.auth,
  OP_NOT_FOUND: EXIT.notFound,
  VARIANT_NOT_FOUND: EXIT.notFound,
  RESOURCE_NOT_FOUND: EXIT.notFound,
  RESULT_ARTIFACT_EXPIRED: EXIT.notFound,
  POLICY_DENIED: EXIT.refused,
  RISK_TOOL_MISMATCH: EXIT.refused,
  REQUIRES_CONFIRMATION: EXIT.refused,
  CONFIRMATION_TOKEN_INVALID: EXIT.refused,
  DESTRUCTIVE_BUDGET_EXCEEDED: EXIT.refused,
  DESTRUCTIVE_SCOPE_MISMATCH: EXIT.refused,
  RATE_LIMITED: EXIT.rateLimited,
  SERVICE_DOWN: EXIT.upstream,
  UPSTREAM_REJECTED: EXIT.upstream,
  RESPONSE_TOO_LARGE: EXIT.upstream,
  LRO_TIMEOUT: EXIT.upstream,
  LRO_FAILED: EXIT.upstream,
} satisfies Partial<Record<keyof typeof ERROR_CODES, number>>;

/** Exit code of a failure. A cancelled call gets its signal's code from the runner. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof CliArgError) return EXIT.usage;
  if (error instanceof DeclinedError) return EXIT.refused;
  if (error instanceof PartialResult || error instanceof PartialReport) return EXIT.partial;
  if (error instanceof DispatchFailure) return exitCodeOf(error.error);
  if (error instanceof GumError) {
    if (error.details.http_status === 404) return EXIT.notFound;
    return BY_CODE[error.code] ?? EXIT.failure;
  }
  return EXIT.failure;
}

/** `gum help exit-codes`. */
export const EXIT_CODES_HELP = `Exit codes

    0  success; also help, an empty listing, nothing to do
    1  any failure that has no number of its own; also gum init or gum setup declined
    2  usage: unknown command or flag, bad or missing argument
    3  authentication: no credential, expired grant, missing scope, wrong account
    4  not found: operation, variant, file or upstream resource
    5  refused: policy, risk class, confirmation of a call missing or declined
    6  rate limited or out of quota
    7  the service or the network failed
    8  partial result: some pages or batch items are missing
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)

On a failure stdout stays empty and stderr holds one JSON object, or one line "Error: ..." for
usage errors.
`;

/** Exit code of a run that a signal ended. */
export function signalExitCode(signal: AbortSignal): number {
  return signal.reason instanceof Error && signal.reason.message === "SIGTERM"
    ? EXIT.terminated
    : EXIT.interrupted;
}
