/** The host's credential file as its readers see it (spec 05 §3.11). */

import type { JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";

/** How every failure of the host's credentials is reported. */
export const ADC_REPORT = { code: "ADC_TOKEN_FETCH_FAILED", strategy: "adc" } as const;

/** A file, and the scopes that a token is wanted for. */
export interface AdcExchange {
  document: JsonObject;
  /** Where it was read; named in errors. */
  path: string;
  /** Full URLs, sorted. */
  scopes: readonly string[];
}

/** A field with text in it. */
export function textField(document: JsonObject, key: string): string | undefined {
  const value = document[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The error for a file that does not say what it must. */
export function unusableFile(path: string, why: string): AuthError {
  return new AuthError({
    ...ADC_REPORT,
    remediation: `the host's credential file cannot be used: ${why}`,
    details: { source: path },
  });
}

/** The service account that a file speaks for in the end. */
export function impersonatedEmail(document: JsonObject): string | undefined {
  const address = textField(document, "service_account_impersonation_url") ?? "";
  return /\/serviceAccounts\/([^/:]+):generateAccessToken$/.exec(address)?.[1];
}

/** What the fingerprint of a file is made from. */
export function adcPrincipal(document: JsonObject): string {
  for (const key of ["client_email", "account", "refresh_token", "client_id"]) {
    const value = textField(document, key);
    if (value !== undefined) return value;
  }
  return JSON.stringify(document);
}
