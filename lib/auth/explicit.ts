/** Credentials given outright: by the environment, by configuration, or by the emulator. */

import type { AuthResolver, Credentials } from "../dispatch/types.ts";
import type { AuthStrategy } from "../catalog/types.ts";
import { GumError } from "../errors/mod.ts";
import { secret } from "./secret.ts";

/** Explicit credentials; absent means that kind is not available. */
export interface ExplicitCredentials {
  bearer?: string;
  apiKey?: string;
  developerToken?: string;
  quotaProject?: string;
  /** Stable opaque id of the principal; default "" = unknown. */
  subjectFingerprint?: string;
}

/** What a strategy needs, so that a refusal can name it. */
const NEEDS: Readonly<Record<AuthStrategy, "nothing" | "bearer" | "api_key" | "compound">> = {
  none: "nothing",
  plugin_managed: "nothing",
  api_key: "api_key",
  compound: "compound",
  gum_oauth: "bearer",
  byo_oauth: "bearer",
  adc: "bearer",
  service_account: "bearer",
  workload_identity: "bearer",
  impersonation: "bearer",
};

const COMPONENT: Partial<Record<AuthStrategy, string>> = {
  api_key: "api_key",
  service_account: "service_account_key",
};

/** A resolver that knows nothing but the credentials it was given. It cannot refresh them. */
export function createExplicitAuthResolver(given: ExplicitCredentials): AuthResolver {
  const shared = {
    subjectFingerprint: given.subjectFingerprint ?? "",
    ...(given.quotaProject === undefined ? {} : { quotaProjectId: given.quotaProject }),
    ...(given.developerToken === undefined ? {} : { developerToken: secret(given.developerToken) }),
  };
  const withBearer = (strategy: AuthStrategy): Credentials | undefined =>
    given.bearer === undefined
      ? undefined
      : { ...shared, token: secret(given.bearer), signInStrategy: strategy };
  const withKey = (): Credentials | undefined =>
    given.apiKey === undefined
      ? undefined
      : { ...shared, apiKey: secret(given.apiKey), signInStrategy: "api_key" };
  return {
    resolve({ opId, variant }, signal) {
      signal.throwIfAborted();
      const strategy = variant.auth_strategy;
      const need = NEEDS[strategy];
      if (need === "nothing") return Promise.resolve(undefined);
      const found = need === "api_key"
        ? withKey()
        : withBearer(need === "compound" ? "byo_oauth" : strategy);
      if (found !== undefined) return Promise.resolve(found);
      return Promise.reject(notConfigured({ opId, strategy, scopes: variant.scopes ?? [] }));
    },
  };
}

function notConfigured(
  wanted: { opId: string; strategy: AuthStrategy; scopes: readonly string[] },
): GumError {
  const command = wanted.strategy === "gum_oauth"
    ? "gum auth login"
    : `gum auth setup ${wanted.opId}`;
  return new GumError("AUTH_REQUIRED", {
    message: `no credential for ${wanted.strategy} is configured`,
    details: {
      op_id: wanted.opId,
      auth_strategy: wanted.strategy,
      missing_components: [COMPONENT[wanted.strategy] ?? "oauth_scopes"],
      required_scopes: [...wanted.scopes].sort(),
      have_scopes: [],
      setup_command: command,
      source_error_code: "AUTH_RESOLVER_NOT_CONFIGURED",
    },
    userMessage:
      `This operation needs a credential that is not set up yet. Set it up with \`${command}\`.`,
    suggestion: `Run \`${command}\`.`,
  });
}
