/** Why there is no credential, and how that looks on the wire (spec 05 §2.3). */

import type { AuthStrategy } from "../catalog/types.ts";
import { type ErrorCode, findGumError, GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { redacted } from "./redact.ts";
import { sortedScopes } from "./scopes.ts";

/** What a refusal knows. */
export interface AuthErrorFields {
  /** Precise cause: a code of the table. */
  code: ErrorCode;
  /** Plain words: what is wrong and what to do. No secret. */
  remediation: string;
  strategy?: AuthStrategy;
  missingComponents?: readonly string[];
  requiredScopes?: readonly string[];
  haveScopes?: readonly string[];
  /** The most specific command that repairs it. */
  nextCommand?: string;
  /** Replaces `gum auth setup <op_id>`. */
  setupCommand?: string;
  userMessage?: string;
  /** Replaces "Run `<next command>`". */
  suggestion?: string;
  /** The identical call can succeed once the command has run. */
  retryable?: boolean;
  /** The network or the service failed, not the credential: never "log in again". */
  outage?: boolean;
  /** Further flat details. */
  details?: JsonObject;
  cause?: unknown;
}

/** A refusal of a strategy, before it becomes an envelope. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly code: ErrorCode;
  readonly fields: AuthErrorFields;

  constructor(fields: AuthErrorFields) {
    super(fields.remediation, { cause: fields.cause });
    this.code = fields.code;
    this.fields = fields;
  }
}

/** What the place of a refusal adds. */
export interface RefusedRequest {
  profile: string;
  opId?: string;
  variantId?: string;
  strategy?: AuthStrategy;
  scopes?: readonly string[];
}

const OWN_CODES: ReadonlySet<string> = new Set([
  "AUTH_REQUIRED",
  "SCOPE_MISSING",
  "AUTH_SUBJECT_MISMATCH",
  "AUTH_KEYCHAIN_UNAVAILABLE",
  "GUM_OAUTH_MANAGED_CLIENT_NOT_READY",
  "GUM_OAUTH_MANIFEST_INVALID",
  "CONFIG_SCHEMA_UNSUPPORTED",
  "CONFIG_PARSE_ERROR",
]);

/** Codes whose refusals end in a set-up. */
const SETUP_CODES: ReadonlySet<string> = new Set(["AUTH_REQUIRED", "SCOPE_MISSING"]);

/** The component a refusal is about when the strategy alone is known. */
const USUAL_COMPONENT: Partial<Record<AuthStrategy, string>> = {
  api_key: "api_key",
  service_account: "service_account_key",
};

/** Turns whatever a strategy threw into what leaves `lib/auth`. Aborts pass unchanged. */
export function toStructuredError(thrown: unknown, at: RefusedRequest): unknown {
  if (thrown instanceof AuthError) return envelopeOf(thrown, at);
  if (isAbort(thrown)) return thrown;
  const known = findGumError(thrown);
  if (known !== undefined) return known;
  return envelopeOf(
    new AuthError({
      code: "AUTH_REQUIRED",
      // Nobody here wrote this text; a parser's error quotes what it was given.
      remediation: thrown instanceof Error ? redacted(thrown.message) : "the credential failed",
      cause: thrown,
    }),
    at,
  );
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

function envelopeOf(error: AuthError, at: RefusedRequest): GumError {
  const { fields } = error;
  const base = {
    message: error.message,
    cause: fields.cause ?? error,
    retryable: fields.retryable ?? false,
  };
  if (fields.outage || error.code === "AUTH_STORE_BUSY") {
    return new GumError("SERVICE_DOWN", {
      ...base,
      retryable: true,
      details: { ...fields.details, ...place(at), source_error_code: error.code },
      userMessage: fields.userMessage ?? error.message,
      suggestion: "Try again in a moment; the sign-in itself is not the problem.",
    });
  }
  const command = setupCommand(fields, at);
  const details = refusalDetails(error, { at, command });
  const user = personalMessage(error, command);
  const suggestion = fields.suggestion ?? `Run \`${fields.nextCommand ?? command}\`.`;
  if (OWN_CODES.has(error.code)) {
    return new GumError(error.code, { ...base, details, userMessage: user, suggestion });
  }
  return new GumError("AUTH_REQUIRED", {
    ...base,
    details: { ...details, source_error_code: error.code },
    userMessage: user,
    suggestion,
  });
}

/** A login alone may not be enough, so a person is always pointed to the whole set-up as well. */
function personalMessage(error: AuthError, command: string): string {
  const { userMessage } = error.fields;
  if (userMessage === undefined) return `${sentence(error.message)} Set it up with \`${command}\`.`;
  if (userMessage.includes(command) || !SETUP_CODES.has(wireCode(error))) return userMessage;
  return `${userMessage} \`${command}\` shows what is set up and what is not.`;
}

function wireCode(error: AuthError): string {
  return OWN_CODES.has(error.code) ? error.code : "AUTH_REQUIRED";
}

function refusalDetails(
  error: AuthError,
  about: { at: RefusedRequest; command: string },
): JsonObject {
  const { fields } = error;
  const strategy = fields.strategy ?? about.at.strategy;
  const required = fields.requiredScopes ?? about.at.scopes ?? [];
  const components = fields.missingComponents ??
    [(strategy === undefined ? undefined : USUAL_COMPONENT[strategy]) ?? "oauth_scopes"];
  return {
    ...fields.details,
    ...place(about.at),
    ...(strategy === undefined ? {} : { auth_strategy: strategy }),
    missing_components: [...components],
    ...(required.length === 0 ? {} : { required_scopes: sortedScopes(required) }),
    ...(fields.haveScopes === undefined ? {} : { have_scopes: sortedScopes(fields.haveScopes) }),
    ...(fields.nextCommand === undefined ? {} : { next_command: fields.nextCommand }),
    setup_command: about.command,
  };
}

function place(at: RefusedRequest): JsonObject {
  return {
    profile: at.profile,
    ...(at.opId === undefined ? {} : { op_id: at.opId }),
    ...(at.variantId === undefined ? {} : { variant_id: at.variantId }),
  };
}

function setupCommand(fields: AuthErrorFields, at: RefusedRequest): string {
  if (fields.setupCommand !== undefined) return fields.setupCommand;
  if ((fields.strategy ?? at.strategy) === "gum_oauth") {
    return loginCommand("gum auth login", fields.requiredScopes ?? at.scopes ?? []);
  }
  return at.opId === undefined ? "gum auth setup" : `gum auth setup ${at.opId}`;
}

/** A login command for these scopes. */
export function loginCommand(command: string, scopes: readonly string[]): string {
  return [command, ...sortedScopes(scopes).map((scope) => `--scope ${scope}`)].join(" ");
}

/** A text that ends like a sentence and starts like one. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = trimmed.slice(0, 1).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(capital) ? capital : capital + ".";
}
