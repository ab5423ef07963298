/** What each refusal of Google means here (spec 02 §3.9.2). First matching row wins. */

import type { ErrorCode } from "../../errors/mod.ts";
import type { GoogleErrorFacts } from "../../errors/wire/mod.ts";
import { RATE_REASONS } from "../../errors/wire/mod.ts";

/** One row of the table. */
export interface ReasonRow {
  /** Statuses it applies to; absent = any. */
  statuses?: readonly number[];
  /** Reasons it applies to; absent = any. */
  matches?: (reason: string) => boolean;
  /** Further condition. */
  when?: (facts: GoogleErrorFacts) => boolean;
  code: ErrorCode;
  retryable?: boolean;
  /** Auth components that are missing; `strategy` = the one the variant's strategy needs. */
  components?: readonly string[] | "strategy";
  quotaExhausted?: boolean;
  /** What is missing, for a person. */
  because?: string;
  message?: (facts: GoogleErrorFacts) => string;
  suggestion?: string;
}

const SLOW_DOWN = "Wait as long as retry_after_ms says, and ask for fewer or smaller pages.";
const rateMessage = (facts: GoogleErrorFacts) => `upstream rate-limited (HTTP ${facts.httpStatus})`;

/** The table, in the order of the chapter. */
const REASON_TABLE: readonly ReasonRow[] = [
  {
    statuses: [429],
    code: "RATE_LIMITED",
    retryable: true,
    message: rateMessage,
    suggestion: SLOW_DOWN,
  },
  {
    statuses: [403],
    matches: (reason) => RATE_REASONS.has(reason),
    code: "RATE_LIMITED",
    retryable: true,
    message: rateMessage,
    suggestion: SLOW_DOWN,
  },
  {
    statuses: [403],
    matches: oneOf(
      "quotaExceeded",
      "dailyLimitExceeded",
      "dailyLimitExceededUnreg",
      "RESOURCE_QUOTA_EXCEEDED",
    ),
    code: "RATE_LIMITED",
    retryable: false,
    quotaExhausted: true,
    message: rateMessage,
    suggestion: "The quota is used up: raise it in the project's settings or wait for its reset.",
  },
  {
    statuses: [403],
    matches: oneOf("USER_BLOCKED_BY_ADMIN", "domainPolicy"),
    code: "AUTH_REQUIRED",
    components: ["workspace_admin_trust"],
    because: "The Workspace administrator does not allow this app.",
    suggestion:
      "A Workspace administrator must allow this app; logging in again does not change that.",
  },
  {
    statuses: [403],
    matches: oneOf(
      "ORG_RESTRICTION_VIOLATION",
      "LOCATION_ORG_POLICY_VIOLATED",
      "TLS_ORG_POLICY_VIOLATED",
    ),
    code: "AUTH_REQUIRED",
    components: ["org_policy_exception"],
    because: "An organization policy blocks this request.",
    suggestion: "An organization policy blocks this request; its administrator can except it.",
  },
  {
    statuses: [403],
    matches: oneOf(
      "insufficientPermissions",
      "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
      "insufficientScopes",
    ),
    code: "SCOPE_MISSING",
    components: ["oauth_scopes"],
    because: "The login does not cover what this operation needs.",
  },
  {
    statuses: [403],
    matches: oneOf("accessNotConfigured", "SERVICE_DISABLED"),
    code: "AUTH_REQUIRED",
    components: ["api_enabled_project"],
    because: "The API is not enabled in this project.",
    suggestion:
      "Enable the API in the project that the message names (see help_url), then wait a few minutes.",
  },
  {
    statuses: [403],
    matches: oneOf("BILLING_DISABLED"),
    code: "AUTH_REQUIRED",
    components: ["billing_enabled"],
    because: "Billing is not enabled for this project.",
    suggestion: "Enable billing for the project that the message names.",
  },
  {
    statuses: [403],
    matches: oneOf("USER_PROJECT_DENIED", "CONSUMER_INVALID"),
    code: "AUTH_REQUIRED",
    components: ["quota_project"],
    because: "This account may not use the quota project.",
    suggestion: "Choose a quota project that this account may use.",
  },
  {
    statuses: [400, 403],
    matches: (reason) =>
      ["API_KEY_INVALID", "keyInvalid", "keyExpired", "ipRefererBlocked"].includes(reason) ||
      /^API_KEY_.*_BLOCKED$/.test(reason),
    code: "AUTH_REQUIRED",
    components: ["api_key"],
    because: "The API key is not accepted for this request.",
    suggestion: "Check the API key and its restrictions in the project's settings.",
  },
  { statuses: [401], code: "AUTH_REQUIRED", components: "strategy" },
  {
    statuses: [403],
    code: "UPSTREAM_REJECTED",
    suggestion: "Read the message: the account has no access to this resource, or its state or " +
      "sharing does not allow the change.",
  },
  {
    statuses: [400, 422],
    code: "INVALID_ARGS",
    suggestion: "Correct what field_violations or the message names.",
  },
  {
    statuses: [404, 410],
    code: "RESOURCE_NOT_FOUND",
    suggestion: "Check the id, for example with the list operation of the same service.",
  },
  {
    statuses: [503],
    when: (facts) => facts.retryAfterMs !== undefined,
    code: "RATE_LIMITED",
    retryable: true,
    message: rateMessage,
    suggestion: SLOW_DOWN,
  },
  {
    when: (facts) => facts.httpStatus >= 500,
    code: "SERVICE_DOWN",
    message: (facts) => `upstream service error (HTTP ${facts.httpStatus})`,
  },
  { code: "UPSTREAM_REJECTED" },
];

/** The row of a failed answer. */
export function rowFor(facts: GoogleErrorFacts): ReasonRow {
  const row = REASON_TABLE.find((candidate) =>
    (candidate.statuses?.includes(facts.httpStatus) ?? true) &&
    (candidate.matches === undefined || facts.reasons.some(candidate.matches)) &&
    (candidate.when?.(facts) ?? true)
  );
  return row ?? { code: "UPSTREAM_REJECTED" };
}

function oneOf(...reasons: string[]): (reason: string) => boolean {
  return (reason) => reasons.includes(reason);
}
