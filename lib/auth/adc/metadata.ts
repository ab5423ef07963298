/** The metadata server of Google's virtual machines, as a credential source (spec 05 §3.11). */

import { OversizeFailure, TransportFailure } from "../../errors/wire/mod.ts";
import type { HttpAnswer } from "../../http/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";
import { redacted } from "../redact.ts";
import { secret } from "../secret.ts";
import { ADC_REPORT } from "./document.ts";
import type { AuthParts } from "../types.ts";
import type { Secret } from "../../dispatch/types.ts";

const PROBE_MS = 200;
const REQUEST_MS = 10_000;
const HEADERS = { "metadata-flavor": "Google" };

/** A client of the metadata server. */
export interface MetadataServer {
  /** Asks once per process whether there is one. */
  present(signal: AbortSignal): Promise<boolean>;
  /** Address of the machine's service account. */
  email(signal: AbortSignal): Promise<string>;
  /** undefined when the server gives none. */
  token(
    scopes: readonly string[],
    signal: AbortSignal,
  ): Promise<{ token: Secret; expiresIn: number | undefined } | undefined>;
}

/** The metadata server at the parts' address. */
export function createMetadataServer(
  parts: Pick<AuthParts, "http" | "endpoints" | "lifetime">,
): MetadataServer {
  let probe: Promise<boolean> | undefined;
  const ask = (path: string, timeoutMs: number, signal: AbortSignal): Promise<HttpAnswer> =>
    parts.http.send({
      method: "GET",
      url: new URL(path, parts.endpoints.metadata),
      headers: HEADERS,
      capBytes: 64 * 1024,
      timeoutMs,
    }, signal);
  /** An answer to what a credential needs. @throws AuthError when the server is out of order. */
  const answered = async (path: string, signal: AbortSignal): Promise<HttpAnswer> => {
    let answer: HttpAnswer;
    try {
      answer = await ask(path, REQUEST_MS, signal);
    } catch (error) {
      const unreachable = error instanceof TransportFailure || error instanceof OversizeFailure;
      if (!unreachable) throw error;
      throw outage(redacted(error.message), error);
    }
    if (answer.status >= 500 || answer.status === 429) {
      throw outage(`it answered HTTP ${answer.status}`);
    }
    return answer;
  };
  const fromGoogle = (answer: HttpAnswer) => answer.headers.get("metadata-flavor") === "Google";
  const look = async (): Promise<boolean> => {
    try {
      return fromGoogle(await ask("/", PROBE_MS, parts.lifetime));
    } catch {
      // No route, no answer in time, no permission: there is no such server for this process.
      return false;
    }
  };
  const account = "/computeMetadata/v1/instance/service-accounts/default";
  return {
    present: () => probe ??= look(),
    async email(signal) {
      const answer = await answered(`${account}/email`, signal);
      return answer.status === 200 && fromGoogle(answer) ? textOf(answer).trim() : "";
    },
    async token(scopes, signal) {
      const query = scopes.length === 0
        ? ""
        : `?${new URLSearchParams({ scopes: scopes.join(",") })}`;
      const answer = await answered(`${account}/token${query}`, signal);
      if (answer.status !== 200 || !fromGoogle(answer)) return undefined;
      const body = jsonOf(answer);
      if (typeof body.access_token !== "string") return undefined;
      const expiresIn = Number(body.expires_in);
      return {
        token: secret(body.access_token),
        expiresIn: Number.isFinite(expiresIn) && expiresIn > 0 ? expiresIn : undefined,
      };
    },
  };
}

function jsonOf(answer: HttpAnswer): JsonObject {
  try {
    const value: unknown = JSON.parse(textOf(answer));
    return isJsonObject(value) ? value : {};
  } catch {
    // The parser's own error would quote what may be a token.
    return {};
  }
}

function outage(reason: string, cause?: unknown): AuthError {
  return new AuthError({
    ...ADC_REPORT,
    outage: true,
    remediation: `the metadata server of this machine could not be asked: ${reason}`,
    userMessage:
      "The machine's metadata server did not answer as it should; try again in a moment.",
    details: { source: "metadata" },
    cause,
  });
}

function textOf(answer: HttpAnswer): string {
  return new TextDecoder().decode(answer.body);
}
