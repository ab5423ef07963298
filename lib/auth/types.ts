/** Shapes inside `lib/auth`: what strategies are made of and what they give (spec 05 §2.2). */

import type { AuthStrategy, Variant } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type { Environment } from "../config/environment.ts";
import type { Secret } from "../dispatch/types.ts";
import type { HttpClient } from "../http/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { OAuthEndpoints } from "./oauth/endpoints.ts";
import type { AccessTokenCache, CredentialStore } from "./store/types.ts";

/** A credential with everything known about it. Adapters see its public half. */
export interface ResolvedCredentials {
  /** Bearer access token. */
  token?: Secret;
  /** Excludes {@link token} on the wire. */
  apiKey?: Secret;
  developerToken?: Secret;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
  /** Full URLs. */
  scopes: readonly string[];
  /** Identity source: `byo_oauth` for a compound operation, `adc` for a profile in ADC mode. */
  signInStrategy: AuthStrategy;
  quotaProjectId?: string;
  /** "" = unknown subject. */
  subjectFingerprint: string;
}

/** What a strategy is asked for. */
export interface CredentialRequest {
  /** Full URLs. */
  scopes: readonly string[];
  opId?: string;
  variant?: Variant;
  args?: JsonObject;
  /** The service refused the last token: get another one. */
  renew?: boolean;
  signal: AbortSignal;
}

/** Obtains one kind of credential; undefined where none is needed. */
export interface StrategyResolver {
  resolve(request: CredentialRequest): Promise<ResolvedCredentials | undefined>;
}

/** What auth reads from the profile's configuration. */
export interface AuthConfig {
  /** Fingerprint by strategy, as recorded by a login. */
  expectedSubjects: Readonly<Record<string, string>>;
  adcEnabled: boolean;
  /** User that a service account acts for. */
  serviceAccountSubject?: string;
  /** `<op_id>:<kind>` of external prerequisites that a person has seen to. */
  acknowledged: readonly string[];
  allowManualCode: boolean;
  /** Keep access tokens between runs, encrypted. */
  tokenCache: boolean;
}

/** Changes to {@link AuthConfig}; a null removes the key. */
export interface AuthConfigChange {
  expectedSubject?: { strategy: AuthStrategy; fingerprint: string | null };
  adcEnabled?: true | null;
  serviceAccountSubject?: string | null;
  acknowledged?: readonly string[];
}

/** The profile's configuration as auth sees it. */
export interface AuthConfigSource {
  /** @throws GumError when the file cannot be read: nobody may act on a guess. */
  read(): Promise<AuthConfig>;
  change(change: AuthConfigChange): Promise<void>;
}

/** Everything auth is made from, by construction. */
export interface AuthParts {
  profileName: string;
  store: CredentialStore;
  config: AuthConfigSource;
  environment: Environment;
  http: HttpClient;
  clock: Clock;
  log: Logger;
  /** Google's own unless a test says otherwise; no variable or key can. */
  endpoints: OAuthEndpoints;
  /** Absent: access tokens live in this process only. */
  tokenCache?: AccessTokenCache;
  /** Private folder for the refresh lock; absent: processes do not exclude each other. */
  lockDirectory?: string;
  /** Public client of this build for `gum_oauth`; "" in every build so far. */
  managedClientId?: string;
  /** Ends what outlives a single call. */
  lifetime: AbortSignal;
}
