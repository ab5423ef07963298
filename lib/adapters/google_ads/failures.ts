/** What a `GoogleAdsFailure` says that the common error table cannot know (spec 02 §3.11.4). Pure. */

import { GumError } from "../../errors/mod.ts";
import type { FieldViolation, UpstreamFailure } from "../../errors/wire/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../json/mod.ts";

const LONGEST_TEXT = 512;

/** One error of a failure. */
interface AdsError {
  /** `quotaError`, `authorizationError`, … */
  kind: string;
  code: string;
  message: string;
  fieldPath: string;
}

/** The envelope of a Google Ads refusal, or the failure itself when the common table fits. */
export function adsRefusal(failure: UpstreamFailure, opId: string): GumError | UpstreamFailure {
  const errors = adsErrors(failure.body);
  const details = commonDetails(failure, { errors, opId });
  const message = (errors[0]?.message || failure.facts.message).slice(0, LONGEST_TEXT);
  if (errors.some(({ code }) => code.startsWith("DEVELOPER_TOKEN_"))) {
    const nextCommand = "gum auth use-ads-developer-token";
    return new GumError("AUTH_REQUIRED", {
      message,
      details: {
        ...details,
        missing_components: ["developer_token"],
        setup_command: `gum auth setup ${opId}`,
        next_command: nextCommand,
      },
      userMessage: "Google Ads does not accept the developer token.",
      suggestion: `Run \`${nextCommand}\` with a token whose access level fits this account.`,
      cause: failure,
    });
  }
  if (errors.some(({ code }) => ACCOUNT_CODES.has(code))) {
    return new GumError("AUTH_REQUIRED", {
      message,
      details: {
        ...details,
        missing_components: ["account_permission"],
        setup_command: `gum auth setup ${opId}`,
      },
      userMessage: "The signed-in account may not act for this Google Ads customer.",
      suggestion:
        "Check customerId; when a manager account owns it, pass that account's id as loginCustomerId.",
      cause: failure,
    });
  }
  if (errors.some(({ kind }) => kind === "quotaError")) {
    return new GumError("RATE_LIMITED", {
      message: `upstream rate-limited (HTTP ${failure.status})`,
      details: { ...details, source: "upstream" },
      suggestion: "Wait as long as retry_after_ms says, and ask for fewer or smaller pages.",
      cause: failure,
    });
  }
  const violations = errors.map(violationOf).filter((violation) => violation.field !== "");
  if ((failure.status === 400 || failure.status === 422) && violations.length > 0) {
    return new GumError("INVALID_ARGS", {
      message,
      details: {
        ...details,
        source: "upstream",
        missing: [],
        unknown: [],
        type_errors: [],
        field_violations: [
          ...failure.facts.fieldViolations.map((violation) => ({ ...violation })),
          ...violations.map((violation) => ({ ...violation })),
        ],
      },
      suggestion: "Correct what field_violations names.",
      cause: failure,
    });
  }
  return failure;
}

const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  "USER_PERMISSION_DENIED",
  "CUSTOMER_NOT_ENABLED",
]);

function commonDetails(
  failure: UpstreamFailure,
  found: { errors: readonly AdsError[]; opId: string },
): JsonObject {
  const { facts } = failure;
  const reason = found.errors[0]?.code ?? facts.upstreamReason;
  return {
    op_id: found.opId,
    http_status: failure.status,
    ...(facts.googleStatus === undefined ? {} : { google_status: facts.googleStatus }),
    ...(reason === undefined ? {} : { upstream_reason: reason }),
    ...(facts.requestId === undefined ? {} : { request_id: facts.requestId }),
    ...(facts.retryAfterMs === undefined ? {} : { retry_after_ms: facts.retryAfterMs }),
  };
}

/** Every error of every `GoogleAdsFailure` in the body, whatever its version. */
function adsErrors(body: Uint8Array): AdsError[] {
  let parsed: JsonValue;
  try {
    parsed = parseJson(new TextDecoder().decode(body));
  } catch {
    return []; // not JSON: the common table reads the text
  }
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  const root = isJsonObject(outer) && isJsonObject(outer.error) ? outer.error : undefined;
  return listOf(root?.details).filter(isJsonObject)
    .filter((detail) => String(detail["@type"]).endsWith(".GoogleAdsFailure"))
    .flatMap((detail) => listOf(detail.errors)).filter(isJsonObject)
    .map(adsError);
}

function adsError(entry: JsonObject): AdsError {
  const [kind, code] = isJsonObject(entry.errorCode)
    ? Object.entries(entry.errorCode)[0] ?? []
    : [];
  return {
    kind: kind ?? "",
    code: typeof code === "string" ? code : "",
    message: typeof entry.message === "string" ? entry.message : "",
    fieldPath: fieldPathOf(entry.location),
  };
}

/** `keywordSeed.keywords[3]` for the path elements of an error's location. */
function fieldPathOf(location: JsonValue | undefined): string {
  const elements = isJsonObject(location) ? listOf(location.fieldPathElements) : [];
  return elements.filter(isJsonObject).map((element) => {
    const index = typeof element.index === "number" ? `[${element.index}]` : "";
    return `${typeof element.fieldName === "string" ? element.fieldName : ""}${index}`;
  }).join(".");
}

function violationOf(error: AdsError): FieldViolation {
  return {
    field: error.fieldPath,
    description: error.message.slice(0, LONGEST_TEXT),
    ...(error.code === "" ? {} : { reason: error.code }),
  };
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
