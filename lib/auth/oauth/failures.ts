/** A token request that failed, in words that name the cause and its own next step (spec 11 §10). */

import type { AuthStrategy } from "../../catalog/types.ts";
import type { ErrorCode } from "../../errors/mod.ts";
import type { AuthErrorFields } from "../errors.ts";
import { AuthError } from "../errors.ts";
import type { TokenOutage, TokenRefused } from "./token_client.ts";

const DAY_MS = 86_400_000;
/** Google ends grants of apps in Testing after seven days. */
const TEST_GRANT_MS = 7 * DAY_MS;
const SKEW_LIMIT_MS = 300_000;

/** What is known about the failed request. */
export interface FailedTokenRequest {
  code: ErrorCode;
  strategy: AuthStrategy;
  now: number;
  /** When the grant was made; absent for a first exchange. */
  grantedAt?: number;
  requiredScopes?: readonly string[];
  haveScopes?: readonly string[];
}

const REGISTER = "gum auth use-oauth-client --client-id <id> --secret-stdin";

/** The error for an answer of the token endpoint that is none of the asked tokens. */
export function tokenFailure(
  answer: TokenRefused | TokenOutage,
  about: FailedTokenRequest,
): AuthError {
  const common = {
    code: about.code,
    strategy: about.strategy,
    ...(about.requiredScopes === undefined ? {} : { requiredScopes: about.requiredScopes }),
    ...(about.haveScopes === undefined ? {} : { haveScopes: about.haveScopes }),
  };
  if (answer.kind === "outage") {
    return new AuthError({
      ...common,
      outage: true,
      remediation: `Google's sign-in service could not be reached properly: ${answer.reason}`,
      userMessage: "Google's sign-in service did not answer as it should. The stored sign-in is " +
        "untouched; try again in a moment.",
      cause: answer.cause,
    });
  }
  const skew = clockSkew(answer, about.now);
  return new AuthError({
    ...common,
    ...refusalFields(answer, about),
    ...(skew === undefined ? {} : clockFields(skew, answer)),
  });
}

/** How far this machine's clock is from the server's, when that is too far to be trusted. */
function clockSkew(answer: TokenRefused, now: number): number | undefined {
  if (answer.serverTime === undefined) return undefined;
  const skew = now - answer.serverTime;
  return Math.abs(skew) > SKEW_LIMIT_MS ? skew : undefined;
}

type RefusalFields = Pick<
  AuthErrorFields,
  | "remediation"
  | "nextCommand"
  | "userMessage"
  | "suggestion"
  | "missingComponents"
  | "details"
>;

function clockFields(skew: number, answer: TokenRefused): RefusalFields {
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const direction = skew > 0 ? "ahead" : "behind";
  return {
    remediation: `this machine's clock is ${minutes} minutes ${direction} of Google's ` +
      `(${said(answer)})`,
    userMessage:
      `This machine's clock is ${minutes} minutes ${direction}; sign-ins fail until it ` +
      "is right. Set the clock, then repeat the call.",
    nextCommand: undefined,
    suggestion: "Set this machine's clock, then repeat the call.",
    details: { ...providerDetails(answer), failure: "clock_skew" },
  };
}

/** Whose credential was refused says what helps: a login renews neither a key nor the host's own. */
function refusalFields(answer: TokenRefused, about: FailedTokenRequest): RefusalFields {
  switch (about.strategy) {
    case "service_account":
      return keyRefused(answer);
    case "adc":
      return hostRefused(answer);
    default:
      return signInRefused(answer, about);
  }
}

function keyRefused(answer: TokenRefused): RefusalFields {
  return {
    remediation: `Google does not accept the service account's key (${said(answer)})`,
    userMessage: "Google does not accept the service account's key: the key or its account was " +
      "deleted or disabled, or the user it acts for is unknown " +
      "(auth.service_account.subject). Store a key that works: " +
      "`gum auth use-service-account <key.json>`.",
    nextCommand: "gum auth use-service-account <key.json>",
    missingComponents: ["service_account_key"],
    details: { ...providerDetails(answer), failure: "key_refused" },
  };
}

function hostRefused(answer: TokenRefused): RefusalFields {
  return {
    remediation: `Google does not accept the host's credentials (${said(answer)})`,
    userMessage: "Google does not accept the credentials of this host. Renew them: a key file " +
      "with a new key, gcloud's own with `gcloud auth application-default login`.",
    nextCommand: "gcloud auth application-default login",
    details: { ...providerDetails(answer), failure: "host_refused" },
  };
}

function signInRefused(answer: TokenRefused, about: FailedTokenRequest): RefusalFields {
  const body = `${answer.error} ${answer.description} ${answer.subtype}`.toLowerCase();
  const details = (failure: string) => ({ ...providerDetails(answer), failure });
  if (body.includes("client_secret is missing")) {
    return {
      remediation: "the client was registered without its secret; register it again with one",
      userMessage: `The OAuth client needs its secret. Register it again: \`${REGISTER}\`.`,
      nextCommand: REGISTER,
      missingComponents: ["oauth_client_secret"],
      details: details("client_secret_missing"),
    };
  }
  if (body.includes("invalid_rapt")) {
    return {
      remediation: "the organisation asks for a fresh sign-in (invalid_rapt)",
      userMessage: "The organisation's re-authentication policy asks for a new sign-in: `gum " +
        "login`. Calls fail the same way each time its session length has passed.",
      nextCommand: "gum login",
      details: details("reauthentication_required"),
    };
  }
  if (body.includes("invalid_grant")) return expiredGrant(answer, about);
  if (body.includes("deleted_client")) {
    return {
      remediation: "the OAuth client was deleted in its Google Cloud project",
      userMessage:
        "The OAuth client no longer exists. Create a new desktop client, then register " +
        `it: \`${REGISTER}\`.`,
      nextCommand: REGISTER,
      missingComponents: ["oauth_client"],
      details: details("client_deleted"),
    };
  }
  if (body.includes("invalid_client") || body.includes("unauthorized_client")) {
    return {
      remediation: `Google does not accept the OAuth client (${said(answer)})`,
      userMessage: "Google does not accept the registered OAuth client or its secret. Register " +
        `it again: \`${REGISTER}\`.`,
      nextCommand: REGISTER,
      missingComponents: ["oauth_client"],
      details: details("client_refused"),
    };
  }
  return {
    remediation: `the token service answered HTTP ${answer.status} (${said(answer)})`,
    nextCommand: "gum login",
    details: details("other"),
  };
}

function expiredGrant(answer: TokenRefused, about: FailedTokenRequest): RefusalFields {
  const age = about.grantedAt === undefined ? undefined : about.now - about.grantedAt;
  const details = { ...providerDetails(answer) };
  if (about.grantedAt === undefined) {
    return {
      remediation: `the authorization code was not accepted (${said(answer)}); start again`,
      nextCommand: "gum login",
      details: { ...details, failure: "code_refused" },
    };
  }
  // A grant of an app in Testing dies at seven days; one that is older has outlived that.
  if (age !== undefined && age >= TEST_GRANT_MS - DAY_MS / 24 && age < TEST_GRANT_MS + 3 * DAY_MS) {
    return {
      remediation: "the sign-in is seven days old and has expired (invalid_grant): the app is " +
        "most likely in Testing",
      userMessage: "Google ends the sign-ins of an app in Testing after seven days. Sign in " +
        "again with `gum login`; to make it last, publish the app on its consent screen " +
        "(Audience, Publish app).",
      nextCommand: "gum login",
      details: { ...details, failure: "test_mode_expiry" },
    };
  }
  return {
    remediation: "the sign-in was revoked or has expired (invalid_grant)",
    userMessage: "The sign-in is no longer valid: it was removed in the Google account, the " +
      "password changed, or it was not used for six months. Sign in again with `gum login`.",
    nextCommand: "gum login",
    details: { ...details, failure: "revoked_or_expired" },
  };
}

function providerDetails(answer: TokenRefused): { provider_error: string } {
  return { provider_error: answer.subtype || answer.error || `http_${answer.status}` };
}

function said(answer: TokenRefused): string {
  const text = [answer.error, answer.description].filter((part) => part !== "").join(": ");
  return text === "" ? `HTTP ${answer.status}` : text;
}
