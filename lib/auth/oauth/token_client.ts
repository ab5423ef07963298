/** The token endpoint: one POST, and what its answer means (spec 05 §3.6 step 10, §3.7). */

import type { Secret } from "../../dispatch/types.ts";
import { OversizeFailure, TransportFailure } from "../../errors/wire/mod.ts";
import { credentialHostAllowed, type HttpAnswer, type HttpClient } from "../../http/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { redacted } from "../redact.ts";
import { secret } from "../secret.ts";

const BODY_CAP = 1024 * 1024;
const TOKEN_TIMEOUT_MS = 30_000;
const REVOKE_TIMEOUT_MS = 10_000;

/** Tokens, as the endpoint gave them. */
export interface TokenGranted {
  kind: "granted";
  accessToken: Secret;
  refreshToken?: Secret;
  /** Compact JWT; checked by `id_token.ts`. */
  idToken?: string;
  /** As reported; undefined when the answer names none. */
  scopes?: readonly string[];
  /** Seconds. */
  expiresIn?: number;
  /** The server's own time, milliseconds since the epoch. */
  serverTime?: number;
}

/** The endpoint understood the request and said no. */
export interface TokenRefused {
  kind: "refused";
  status: number;
  /** OAuth error code, lower case. */
  error: string;
  /** Redacted. */
  description: string;
  /** `error_subtype`, lower case. */
  subtype: string;
  serverTime?: number;
}

/** There was no usable answer: network, time-out, 5xx, a page that is not from the endpoint. */
export interface TokenOutage {
  kind: "outage";
  /** Plain words, redacted. */
  reason: string;
  cause?: unknown;
}

/** Every outcome of a token request. */
export type TokenAnswer = TokenGranted | TokenRefused | TokenOutage;

/** Sends one form to the token endpoint. Rejects only when the signal aborts. */
export async function requestToken(
  http: HttpClient,
  request: {
    url: string;
    form: Readonly<Record<string, string | undefined>>;
    /** Beside the form's own, such as a client's credentials. */
    headers?: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const url = new URL(request.url);
  const secrets = secretFields(request.form);
  let answer: HttpAnswer;
  try {
    const { form, headers } = request;
    answer = await postForm(http, { url, form, headers, timeoutMs: TOKEN_TIMEOUT_MS }, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof TransportFailure) && !(error instanceof OversizeFailure)) throw error;
    return { kind: "outage", reason: redacted(error.message, secrets), cause: error };
  }
  if (answer.url.href !== url.href) {
    return { kind: "outage", reason: "the token service redirected the request" };
  }
  return readAnswer(answer, secrets);
}

/** Revokes a token at Google; false when that did not work, for whatever reason. */
export async function revokeToken(
  http: HttpClient,
  request: { url: string; token: Secret },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const answer = await postForm(http, {
      url: new URL(request.url),
      form: { token: request.token.reveal() },
      timeoutMs: REVOKE_TIMEOUT_MS,
    }, signal);
    return answer.status >= 200 && answer.status < 300;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}

async function postForm(
  http: HttpClient,
  request: {
    url: URL;
    form: Readonly<Record<string, string | undefined>>;
    headers?: Readonly<Record<string, string>>;
    timeoutMs: number;
  },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(request.form)) {
    if (value !== undefined) body.set(name, value);
  }
  return await http.send({
    method: "POST",
    url: request.url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      ...request.headers,
    },
    body: body.toString(),
    // A service-account key may name a token service of its own (spec 05 §3.12).
    credentialed: credentialHostAllowed(request.url),
    capBytes: BODY_CAP,
    timeoutMs: request.timeoutMs,
  }, signal);
}

function readAnswer(answer: HttpAnswer, secrets: readonly string[]): TokenAnswer {
  const body = jsonBody(answer.body);
  const date = Date.parse(answer.headers.get("date") ?? "");
  const serverTime = Number.isNaN(date) ? {} : { serverTime: date };
  if (answer.status >= 500 || answer.status === 429) {
    return { kind: "outage", reason: `the token service answered HTTP ${answer.status}` };
  }
  if (body === undefined) {
    return {
      kind: "outage",
      reason: `HTTP ${answer.status} with something other than the token service's JSON`,
    };
  }
  if (answer.status >= 200 && answer.status < 300) {
    return granted(body, serverTime) ??
      { kind: "outage", reason: "the token service answered without an access token" };
  }
  return {
    kind: "refused",
    status: answer.status,
    error: redacted(text(body.error) ?? "", secrets).toLowerCase(),
    description: redacted(text(body.error_description) ?? "", secrets),
    subtype: redacted(text(body.error_subtype) ?? "", secrets).toLowerCase(),
    ...serverTime,
  };
}

function granted(body: JsonObject, serverTime: { serverTime?: number }): TokenGranted | undefined {
  const accessToken = text(body.access_token);
  if (accessToken === undefined) return undefined;
  const refreshToken = text(body.refresh_token);
  const idToken = text(body.id_token);
  const scope = text(body.scope);
  const expiresIn = Number(body.expires_in);
  return {
    kind: "granted",
    accessToken: secret(accessToken),
    ...(refreshToken === undefined ? {} : { refreshToken: secret(refreshToken) }),
    ...(idToken === undefined ? {} : { idToken }),
    ...(scope === undefined ? {} : { scopes: scope.split(/\s+/).filter((part) => part !== "") }),
    ...(Number.isFinite(expiresIn) && expiresIn > 0 ? { expiresIn } : {}),
    ...serverTime,
  };
}

function jsonBody(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // A page of a proxy or a portal. Its text helps nobody and may hold anything.
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

const SECRET_FIELDS = [
  "refresh_token",
  "client_secret",
  "code",
  "code_verifier",
  "assertion",
  "subject_token",
  "token",
] as const;

function secretFields(form: Readonly<Record<string, string | undefined>>): string[] {
  return SECRET_FIELDS.map((name) => form[name]).filter((value) => value !== undefined);
}
