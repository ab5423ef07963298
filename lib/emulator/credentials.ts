/** Who is calling: the emulator's tokens and keys, and its refusals. */

import type { JsonValue } from "../json/mod.ts";
import { sha256Hex } from "../digest/mod.ts";
import { base64Url, utf8 } from "./encoding.ts";
import { errorInfo } from "./error_body.ts";
import { hashHex } from "./random.ts";
import type { Person } from "./service.ts";
import { EmulatedError } from "./service.ts";

/** An account of the emulator with its standing credentials. */
export interface EmulatedAccount {
  index: number;
  person: Person;
  bearer: string;
  apiKey: string;
  fingerprint: string;
  /** Stable subject identifier (`sub`). */
  subject: string;
}

/** A token that the emulator issued or came with. */
export interface IssuedToken {
  account: EmulatedAccount;
  /** undefined = every scope. */
  scopes?: readonly string[];
  /** Clock milliseconds; undefined = never. */
  expiresAt?: number;
}

/** The account at `index` of the world with this seed. */
export async function emulatedAccount(
  person: Person,
  options: { seed: number; index: number },
): Promise<EmulatedAccount> {
  const name = `${options.seed}/${options.index}/${person.email}`;
  const digest = await sha256Hex(`byo_oauth:${person.email.toLowerCase()}`);
  return {
    index: options.index,
    person,
    bearer: `emulator-access-${hashHex(`bearer ${name}`, 32)}`,
    apiKey: `emulator-key-${hashHex(`key ${name}`, 24)}`,
    fingerprint: digest.slice(0, 16),
    subject: `1${
      BigInt(`0x${hashHex(`subject ${person.email}`, 16)}`).toString().padStart(20, "0")
    }`,
  };
}

/** The developer token that the emulated Google Ads API accepts. */
export function developerToken(seed: number): string {
  return base64Url(utf8(`developer-${hashHex(`developer ${seed}`, 12)}`)).slice(0, 22);
}

/** What the caller presented, judged. */
export interface AuthenticatedCall {
  account: EmulatedAccount;
  /** undefined = every scope (the standing bearer, or an API key). */
  scopes?: readonly string[];
  byApiKey: boolean;
}

const API_KEY_HOSTS: ReadonlySet<string> = new Set([
  "abusiveexperiencereport.googleapis.com",
  "acceleratedmobilepageurl.googleapis.com",
  "adexperiencereport.googleapis.com",
  "chromeuxreport.googleapis.com",
  "civicinfo.googleapis.com",
  "customsearch.googleapis.com",
  "digitalassetlinks.googleapis.com",
  "factchecktools.googleapis.com",
  "generativelanguage.googleapis.com",
  "kgsearch.googleapis.com",
  "maps.googleapis.com",
  "pagespeedonline.googleapis.com",
  "places.googleapis.com",
  "playablelocations.googleapis.com",
  "poly.googleapis.com",
  "routes.googleapis.com",
  "safebrowsing.googleapis.com",
  "travelimpactmodel.googleapis.com",
  "vectortile.googleapis.com",
  "versionhistory.googleapis.com",
  "webfonts.googleapis.com",
  "webrisk.googleapis.com",
  "youtube.googleapis.com",
]);

const UNAUTHENTICATED_MESSAGE =
  "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie " +
  "or other valid authentication credential. See " +
  "https://developers.google.com/identity/sign-in/web/devconsole-project.";

/** An {@link EmulatedError} with headers beside its body. */
export class RefusedCall extends EmulatedError {
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    message: string,
    info: {
      reason?: string;
      status?: string;
      details?: JsonValue[];
      headers?: Record<string, string>;
    },
  ) {
    super(status, message, info);
    this.headers = info.headers ?? {};
  }
}

/** True for the Maps web services, which read the key from the query only. */
export function isMapsWebService(host: string, path: string): boolean {
  return host === "maps.googleapis.com" && path.startsWith("/maps/api/");
}

/** Checks the credentials of one request. @throws RefusedCall 400, 401 or 403. */
export function authenticate(
  request: { host: string; path: string; headers: Headers; query: URLSearchParams; now: number },
  registry: {
    token(text: string): IssuedToken | undefined;
    apiKey(text: string): EmulatedAccount | undefined;
  },
): AuthenticatedCall {
  const authorization = request.headers.get("authorization");
  const key = isMapsWebService(request.host, request.path)
    ? request.query.get("key")
    : request.headers.get("x-goog-api-key");
  if (authorization !== null) {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
    const issued = token === undefined ? undefined : registry.token(token);
    if (issued === undefined) throw unauthenticated("ACCESS_TOKEN_TYPE_UNSUPPORTED");
    if (issued.expiresAt !== undefined && issued.expiresAt <= request.now) {
      throw unauthenticated("ACCESS_TOKEN_EXPIRED");
    }
    return {
      account: issued.account,
      byApiKey: false,
      ...(issued.scopes === undefined ? {} : { scopes: issued.scopes }),
    };
  }
  if (key) {
    const account = registry.apiKey(key);
    if (account === undefined) {
      throw new RefusedCall(400, "API key not valid. Please pass a valid API key.", {
        reason: "API_KEY_INVALID",
        status: "INVALID_ARGUMENT",
      });
    }
    if (!API_KEY_HOSTS.has(request.host) && !request.path.startsWith("/youtube/v3/")) {
      throw new RefusedCall(
        401,
        "API keys are not supported by this API. Expected OAuth2 access token or other " +
          "authentication credentials that assert a principal. See " +
          "https://cloud.google.com/docs/authentication",
        {
          reason: "CREDENTIALS_MISSING",
          status: "UNAUTHENTICATED",
          headers: challenge("invalid_request"),
        },
      );
    }
    return { account, byApiKey: true };
  }
  if (API_KEY_HOSTS.has(request.host)) {
    throw new RefusedCall(
      403,
      "Method doesn't allow unregistered callers (callers without established identity). " +
        "Please use API Key or other form of API consumer identity to call this API.",
      { status: "PERMISSION_DENIED", reason: "forbidden" },
    );
  }
  throw unauthenticated("CREDENTIALS_MISSING");
}

function challenge(error: string, scope?: string): Record<string, string> {
  const parts = [`Bearer realm="https://accounts.google.com/"`, `error="${error}"`];
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  return { "www-authenticate": parts.join(", ") };
}

function unauthenticated(reason: string): RefusedCall {
  return new RefusedCall(401, UNAUTHENTICATED_MESSAGE, {
    reason: "authError",
    status: "UNAUTHENTICATED",
    details: [errorInfo(reason)],
    headers: challenge("invalid_token"),
  });
}

/**
 * Refuses a call whose grant lacks what the method needs.
 *
 * A granted list must hold one of the accepted scopes. A withheld scope refuses every method that
 * accepts it: the switch stands for a grant that rested on that scope.
 *
 * @throws RefusedCall 403 `ACCESS_TOKEN_SCOPE_INSUFFICIENT`.
 */
export function checkScopes(options: {
  accepted: readonly string[];
  granted?: readonly string[] | undefined;
  withheld?: readonly string[] | undefined;
  /** Called when the withheld scopes are why. */
  onWithheld?: () => void;
  methodId: string;
  service: string;
}): void {
  const { accepted, granted, withheld } = options;
  const lacking = granted !== undefined && accepted.length > 0 &&
    !accepted.some((scope) => granted.includes(scope));
  const refused = withheld?.some((scope) => accepted.includes(scope)) ?? false;
  if (!lacking && !refused) return;
  if (refused) options.onWithheld?.();
  throw new RefusedCall(
    403,
    "Request had insufficient authentication scopes.",
    {
      reason: "insufficientPermissions",
      status: "PERMISSION_DENIED",
      details: [
        errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", {
          service: options.service,
          method: options.methodId,
        }),
      ],
      headers: challenge("insufficient_scope", accepted.join(" ")),
    },
  );
}
