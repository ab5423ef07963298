/**
 * What a profile could sign in with, found out locally: no network, no prompt, nothing changed
 * (spec 05 §3.20, §3.21).
 *
 * @module
 */

import type { Environment } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import { loadClient } from "../grants/client.ts";
import { grantFingerprint, parseGrant } from "../grants/grant.ts";
import { apiKeyAccount, byoGrantAccount, serviceAccountAccount } from "../store/account_names.ts";
import type { CredentialStore, StoreCall } from "../store/types.ts";

/** Where a credential was found. */
export type CredentialSource =
  | "byo_oauth"
  | "api_key"
  | "service_account"
  | "adc"
  | "GUM_API_KEY"
  | "GUM_SERVICE_ACCOUNT_KEY";

/** What was found. */
export interface AuthReadiness {
  /** Every source that could be used now, the preferred one first. */
  sources: readonly CredentialSource[];
  /** An OAuth client is registered. */
  clientRegistered: boolean;
  /** Number of scopes the grant covers; undefined without a grant. */
  grantedScopes?: number;
  /** The stored grant belongs to another account than the profile expects. */
  subjectMismatch?: { expected: string; actual: string };
  /** Why the store could not be looked into; the other sources were looked at all the same. */
  storeProblem?: string;
  /** What helps against it, where another store would be no help. */
  storeAdvice?: string;
  adc: AdcReadiness;
}

/** Application default credentials, as far as they can be seen without reading them. */
export interface AdcReadiness {
  enabled: boolean;
  /** The file that would be used; undefined when there is none. */
  path?: string;
}

/** What to look at. */
export interface ReadinessOptions {
  store: CredentialStore;
  environment: Environment;
  os: string;
  adcEnabled: boolean;
  expectedSubjects: Readonly<Record<string, string>>;
}

/** Looks at everything a profile could sign in with. */
export async function authReadiness(
  options: ReadinessOptions,
  call: StoreCall,
): Promise<AuthReadiness> {
  const { environment } = options;
  const stored = await storedReadiness(options, call);
  const adc = await adcReadiness(options);
  const sources: CredentialSource[] = [...stored.sources];
  if (environment.text("GUM_API_KEY") !== undefined) sources.push("GUM_API_KEY");
  if (environment.text("GUM_SERVICE_ACCOUNT_KEY") !== undefined) {
    sources.push("GUM_SERVICE_ACCOUNT_KEY");
  }
  // The opt-in makes it the profile's identity, whatever else there is.
  if (adc.enabled && adc.path !== undefined) sources.unshift("adc");
  return { ...stored, sources, adc };
}

type StoredReadiness = Omit<AuthReadiness, "adc">;

async function storedReadiness(
  options: ReadinessOptions,
  call: StoreCall,
): Promise<StoredReadiness> {
  const found: StoredReadiness & { sources: CredentialSource[] } = {
    sources: [],
    clientRegistered: false,
  };
  try {
    const { store } = options;
    const { profileName } = store;
    const client = await loadClient(store, profileName, call);
    found.clientRegistered = client !== undefined;
    const item = client === undefined
      ? null
      : await store.get(await byoGrantAccount(profileName, client.id), call);
    const grant = item === null ? undefined : parseGrant(item.reveal());
    if (grant !== undefined && grant.scopes.length > 0) {
      found.sources.push("byo_oauth");
      found.grantedScopes = grant.scopes.length;
      const expected = options.expectedSubjects.byo_oauth;
      const actual = await grantFingerprint("byo_oauth", grant);
      if (expected !== undefined && actual !== "" && actual !== expected) {
        found.subjectMismatch = { expected, actual };
      }
    }
    if (await store.get(serviceAccountAccount(profileName), call) !== null) {
      found.sources.push("service_account");
    }
    if (await store.get(apiKeyAccount(profileName), call) !== null) found.sources.push("api_key");
  } catch (error) {
    found.storeProblem = problemText(error, call.signal);
    const known = call.signal.aborted ? undefined : findGumError(error);
    if (known?.details.backend === "vault") found.storeAdvice = known.suggestion;
  }
  return found;
}

function problemText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "the credential store did not answer in time";
  const known = findGumError(error);
  if (known !== undefined) return known.message;
  return error instanceof Error ? error.message : "the credential store cannot be read";
}

/** Which file application default credentials would come from. Its content is not read. */
export async function adcReadiness(
  options: Pick<ReadinessOptions, "environment" | "os" | "adcEnabled">,
): Promise<AdcReadiness> {
  const enabled = options.adcEnabled || options.environment.isOne("GUM_USE_ADC");
  const named = options.environment.text("GOOGLE_APPLICATION_CREDENTIALS");
  // A named file is the only one that counts, there or not.
  const path = named ?? gcloudCredentialsPath(options);
  return path !== undefined && await isFile(path) ? { enabled, path } : { enabled };
}

/** Where `gcloud` keeps application default credentials. */
export function gcloudCredentialsPath(
  { environment, os }: Pick<ReadinessOptions, "environment" | "os">,
): string | undefined {
  const name = "application_default_credentials.json";
  const configured = environment.text("CLOUDSDK_CONFIG");
  if (configured !== undefined) return `${configured}/${name}`;
  if (os === "windows") {
    const roaming = environment.text("APPDATA");
    return roaming === undefined ? undefined : `${roaming}\\gcloud\\${name}`;
  }
  const home = environment.text("HOME");
  return home === undefined ? undefined : `${home}/.config/gcloud/${name}`;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false; // Absent or out of reach: it could not be used either way.
  }
}
